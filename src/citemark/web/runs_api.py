"""``/api/runs``: start a run, look at it, watch it, cancel it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from citemark.web.bodies import encoded, json_response, read_object
from citemark.web.problems import busy
from citemark.web.running import Run
from citemark.web.runs import Runs
from citemark.web.service import service_of

_LOOK_EVERY = 0.2
_BREATHE_EVERY = 15.0
"""A comment now and then tells both ends that the connection is alive."""


async def start(request: Request) -> Response:
    """Start a run."""
    run = await service_of(request).runs.start(read_object(await request.body()))
    answer = json_response(run.to_dict(), 201)
    answer.headers["Location"] = f"/api/runs/{run.id}"
    return answer


async def listed(request: Request) -> Response:
    """The runs of this server, the newest first."""
    runs = service_of(request).runs.latest()
    return json_response({"runs": [run.to_dict() for run in runs]})


async def one(request: Request) -> Response:
    """One run."""
    return json_response(_run(request).to_dict())


async def cancel(request: Request) -> Response:
    """Cancel a run; what was answered stays in the store."""
    run = _run(request)
    run.cancel()
    return json_response(run.to_dict(), 202)


async def events(request: Request) -> Response:
    """The progress of a run as server-sent events, to its end."""
    run, runs = _run(request), service_of(request).runs
    if runs.streams >= service_of(request).setup.limits.streams:
        raise busy("too many watch already", 5)
    return StreamingResponse(_stream(run, runs), media_type="text/event-stream")


async def _stream(run: Run, runs: Runs) -> AsyncIterator[bytes]:
    last, breathed = b"", time.monotonic()
    runs.streams += 1
    try:
        while not runs.closing:
            over = run.is_over
            now = encoded(run.to_dict()).strip()
            if now != last or over:
                name = b"end" if over else b"progress"
                yield b"event: " + name + b"\ndata: " + now + b"\n\n"
                last, breathed = now, time.monotonic()
            elif time.monotonic() - breathed > _BREATHE_EVERY:
                yield b": still here\n\n"
                breathed = time.monotonic()
            if over:
                return
            await asyncio.sleep(_LOOK_EVERY)
    finally:
        runs.streams -= 1


def _run(request: Request) -> Run:
    return service_of(request).runs.find(request.path_params["id"])
