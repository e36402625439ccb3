"""Reading what a client sends, and writing what it gets: strict JSON in, strict JSON out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NoReturn

from starlette.datastructures import QueryParams
from starlette.responses import Response

from citemark.results import json_line
from citemark.web.problems import ApiError

JSON = "application/json"


def read_object(raw: bytes) -> Mapping[str, Any]:
    """The JSON object that a body holds."""
    if not raw.strip():
        raise ApiError(400, "the body is empty", where="body", then="send a JSON object")
    try:
        data = json.loads(raw.decode("utf-8"), parse_constant=_no_number)
    except UnicodeDecodeError as error:
        what = f"the body is not UTF-8 at byte {error.start}"
        raise ApiError(400, what, where="body", then="send UTF-8") from None
    except json.JSONDecodeError as error:
        place = f"body, line {error.lineno}, column {error.colno}"
        raise ApiError(400, f"the body is not JSON: {error.msg}", where=place) from None
    except (ValueError, RecursionError):  # a number without end, brackets without end
        what = "the body is JSON that nobody needs: nested too deeply, or a number too large"
        raise ApiError(400, what, where="body") from None
    if not isinstance(data, dict):
        raise ApiError(422, "the body must be a JSON object", where="body")
    return data


def _no_number(name: str) -> NoReturn:
    what = f"{name} is no number in JSON"
    raise ApiError(400, what, where="body", then="use null for what is not known")


def only_known(given: Mapping[str, Any], known: tuple[str, ...]) -> None:
    """Refuse a misspelt field instead of ignoring it."""
    for name in given:
        if name not in known:
            then = f"there are: {', '.join(known)}"
            raise ApiError(422, "there is no such field", where=name[:100], then=then)


def text_field(given: Mapping[str, Any], name: str, *, required: bool = False) -> str | None:
    """A field that holds text; empty is the same as missing."""
    value = given.get(name)
    if value is not None and not isinstance(value, str):
        raise ApiError(422, f'"{name}" must be text', where=name)
    if required and not value:
        raise ApiError(422, f'"{name}" is missing', where=name)
    return value or None


def chosen(query: QueryParams, name: str, options: tuple[str, ...]) -> str:
    """A query parameter that is one of a few words; the first is the default."""
    value = query.get(name, options[0])
    if value not in options:
        then = f"use one of: {', '.join(options)}"
        raise ApiError(422, f'there is no {name} "{value[:50]}"', where=f"query {name}", then=then)
    return value


def encoded(data: Mapping[str, Any]) -> bytes:
    """Data as one line of JSON."""
    return json_line(data).encode("utf-8")


def json_response(data: Mapping[str, Any] | bytes, status: int = 200) -> Response:
    """A response that holds JSON."""
    body = data if isinstance(data, bytes) else encoded(data)
    return Response(body, status, media_type=JSON)
