"""What the page is made of: small files of the package, read once when the server starts."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from starlette.requests import Request
from starlette.responses import Response

from citemark.web.problems import ApiError

_TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".html": "text/html; charset=utf-8",
}
_PLACES = {"app": ("citemark.web", "page"), "report": ("citemark.report", "assets")}


@dataclass(frozen=True, slots=True)
class Asset:
    """One file of the page."""

    content: bytes
    kind: str
    tag: str

    def response(self, request: Request) -> Response:
        """The file, or word that the browser has it already."""
        headers = {"ETag": self.tag, "Cache-Control": "no-cache"}
        if request.headers.get("if-none-match") == self.tag:
            return Response(status_code=304, headers=headers)
        return Response(self.content, media_type=self.kind, headers=headers)


@cache
def assets() -> Mapping[str, Asset]:
    """Every file by its address: what is not among them cannot be asked for."""
    found = {}
    for area, (package, folder) in _PLACES.items():
        for name, file in _below(files(package) / folder, area):
            kind = _TYPES.get(f".{name.rpartition('.')[2]}")
            if kind:
                content = file.read_bytes()
                tag = f'"{hashlib.sha256(content).hexdigest()[:16]}"'
                found[name] = Asset(content, kind, tag)
    return found


def _below(folder: Traversable, name: str) -> Iterator[tuple[str, Traversable]]:
    for item in folder.iterdir():
        path = f"{name}/{item.name}"
        if item.is_dir():
            yield from _below(item, path)
        else:
            yield path, item


async def static(request: Request) -> Response:
    """A script, a style or a picture of the page."""
    name: str = request.path_params["path"]
    asset = assets().get(name)
    if asset is None or name.endswith(".html"):
        raise ApiError(404, "the page has no such part", where=name[:200])
    return asset.response(request)


async def index(request: Request) -> Response:
    """The app: one page, whose script looks at the address."""
    return assets()["app/index.html"].response(request)
