"""The description of the API, OpenAPI 3.1: data in ``openapi.json``, the version put in."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from citemark._version import __version__
from citemark.web.bodies import json_response


@cache
def description() -> dict[str, Any]:
    """The whole description."""
    text = (files("citemark.web") / "openapi.json").read_text(encoding="utf-8")
    data: dict[str, Any] = json.loads(text)
    data["info"]["version"] = __version__
    return data


async def openapi(request: Request) -> Response:  # noqa: ARG001
    """``/openapi.json``."""
    return json_response(description())
