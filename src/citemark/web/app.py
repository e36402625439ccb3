"""The application: every address, and what answers there."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from citemark.errors import CitemarkError
from citemark.web import answers_api, assets, files_api, runs_api
from citemark.web.guards import UPLOADS, Guards
from citemark.web.openapi import openapi
from citemark.web.problems import ApiError, on_error
from citemark.web.service import Service

Handler = Callable[[Request], Awaitable[Response]]


def _route(path: str, **handlers: Handler) -> Route:
    """One address with a handler for each method, so that it knows all that it takes."""

    async def answer(request: Request) -> Response:
        method = "GET" if request.method == "HEAD" else request.method
        return await handlers[method](request)

    return Route(path, answer, methods=list(handlers))


ROUTES = (
    _route("/", GET=assets.index),
    _route("/compare", GET=assets.index),
    _route("/results", GET=assets.index),
    _route("/results/{name:path}", GET=assets.index),
    _route("/runs", GET=assets.index),
    _route("/docs", GET=assets.index),
    _route("/openapi.json", GET=openapi),
    _route("/healthz", GET=answers_api.health),
    _route("/static/{path:path}", GET=assets.static),
    _route("/api/score", POST=answers_api.score),
    _route("/api/parse", POST=answers_api.parse),
    _route("/api/lint", POST=answers_api.lint),
    _route("/api/compare", POST=answers_api.compare),
    _route("/api/rubrics", GET=answers_api.rubrics),
    _route("/api/examples", GET=answers_api.examples),
    _route("/api/judges", GET=answers_api.judges),
    _route(UPLOADS, GET=files_api.listed, POST=files_api.save),
    _route("/api/results/{name:path}", GET=files_api.results),
    _route("/api/runs", GET=runs_api.listed, POST=runs_api.start),
    _route("/api/runs/{id}", GET=runs_api.one, DELETE=runs_api.cancel),
    _route("/api/runs/{id}/events", GET=runs_api.events),
)


def make_app(service: Service) -> Guards:
    """The application behind its guards."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:  # noqa: ARG001
        yield
        service.close()

    app = Starlette(
        routes=ROUTES,
        lifespan=lifespan,
        exception_handlers=dict.fromkeys(
            (ApiError, CitemarkError, HTTPException, Exception), on_error
        ),
    )
    app.router.redirect_slashes = False
    app.state.service = service
    return Guards(app, service.setup)
