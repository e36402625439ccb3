"""Every error of the API: ``application/problem+json`` that says what, where and what next."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from citemark.errors import CaseError, CitemarkError

MEDIA_TYPE = "application/problem+json"
_NEXT = {
    404: "see /docs for what there is",
    405: "see /docs for the methods of each path",
    500: "look at what the server printed where it was started",
}


class ApiError(Exception):
    """A request that cannot be fulfilled: what is wrong, where, and what to do next."""

    def __init__(
        self,
        status: int,
        what: str,
        *,
        where: str | None = None,
        then: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(what)
        self.status = status
        self.what = what
        self.where = where
        self.then = then
        self.headers = dict(headers or {})

    def response(self) -> Response:
        """The problem as it is sent."""
        body: dict[str, Any] = {
            "type": "about:blank",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": self.what,
            "where": self.where,
            "next": self.then or _NEXT.get(self.status),
        }
        text = json.dumps(body)
        return Response(text, self.status, headers=self.headers, media_type=MEDIA_TYPE)


def problem_of(error: CitemarkError, *, where: str | None = None) -> ApiError:
    """What Citemark says about bad input, as a problem.

    >>> from citemark.errors import CaseError
    >>> found = problem_of(CaseError('"answer" is empty; give the generated text', field="answer"))
    >>> found.what, found.where, found.then
    ('"answer" is empty', 'answer', 'give the generated text')
    """
    message = str(error)
    if isinstance(error, CaseError):
        message = error.problem
        where = ": ".join(part for part in (error.place, error.field) if part) or where
    what, _, then = message.partition("; ")
    return ApiError(422, what, where=where, then=then or None)


def busy(what: str, seconds: int = 1, *, status: int = 503) -> ApiError:
    """There is too much to do right now; the client is told when to come back."""
    then = f"try again in {seconds} s"
    return ApiError(status, what, then=then, headers={"Retry-After": str(seconds)})


async def on_error(request: Request, error: Exception) -> Response:
    """Send whatever was raised as a problem; of a crash, only that there was one."""
    if isinstance(error, ApiError):
        return error.response()
    if isinstance(error, CitemarkError):
        return problem_of(error).response()
    if isinstance(error, HTTPException):
        return _of_framework(request, error).response()
    return ApiError(500, "something went wrong in the server").response()


def _of_framework(request: Request, error: HTTPException) -> ApiError:
    """The framework's own errors, such as an unknown path, in the same form."""
    whats = {
        404: "there is nothing at this address",
        405: f"this address does not take {request.method}",
    }
    what = whats.get(error.status_code, error.detail)
    where = request.url.path[:200]
    return ApiError(error.status_code, what, where=where, headers=error.headers)
