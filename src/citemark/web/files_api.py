"""``/api/files`` and ``/api/results``: what lies in the folder, and results to browse."""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from starlette.requests import Request
from starlette.responses import Response

from citemark.results import written_whole
from citemark.web.bodies import chosen, encoded, json_response
from citemark.web.exports import FORMS, Export, export
from citemark.web.kinds import kind_of, kind_of_start
from citemark.web.problems import ApiError
from citemark.web.saved import saved_results
from citemark.web.service import Service, service_of

_CHUNK = 1 << 20


async def listed(request: Request) -> Response:
    """The results and cases of the folder, the newest first."""
    service = service_of(request)
    return json_response(await service.workers.do(lambda: _listing(service)))


def _listing(service: Service) -> dict[str, Any]:
    folder = service.setup.folder
    files = [
        {
            "name": entry.name,
            "kind": kind_of(folder.root / entry.name),
            "size": entry.size,
            "modified": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(entry.modified)),
        }
        for entry in folder.entries()
    ]
    return {"folder": folder.root.name, "files": files}


async def save(request: Request) -> Response:
    """Keep a file in the folder, under its name or, if that is taken, beside it."""
    service = service_of(request)
    name = request.query_params.get("name", "")
    if not name.strip():
        then = "add ?name=results.jsonl"
        raise ApiError(422, "the file has no name", where="query name", then=then)
    with TemporaryFile() as held:
        async for chunk in request.stream():
            held.write(chunk)
        path, kind = await service.workers.do(lambda: _keep(service, name, held))
    kept = service.setup.folder.name_of(path)
    return json_response({"name": kept, "kind": kind}, 201)


def _keep(service: Service, name: str, held: IO[bytes]) -> tuple[Path, str]:
    """Write the file whole, once it is known to be of use here."""
    path = service.setup.folder.new_path(name)
    if not path.name.lower().endswith((".jsonl", ".ndjson", ".json", ".csv")):
        then = "unpack it first, or put it into the folder by hand"
        raise ApiError(422, "packed files are not taken here", where="query name", then=then)
    held.seek(0)
    kind = kind_of_start(held, table=path.name.lower().endswith(".csv"))
    if kind == "other":
        raise ApiError(
            422,
            "this holds neither results nor cases",
            where="body",
            then="give what citemark score -o results.jsonl writes, or cases as JSON Lines",
        )
    held.seek(0)
    with written_whole(path) as stream:
        while chunk := held.read(_CHUNK):
            stream.write(chunk)
    return path, kind


async def results(request: Request) -> Response:
    """A results file: to browse, or in one of the forms to take away."""
    service = service_of(request)
    name: str = request.path_params["name"]
    form = chosen(request.query_params, "format", FORMS)
    path = service.setup.folder.open_path(name)

    def work() -> Export:
        saved = saved_results(path, name)
        if form == "json":
            return Export(encoded(saved.view()))
        stem = name.rpartition("/")[2].partition(".")[0]
        return export(saved.cards, form, stem, title=name, facts=saved.facts)

    return (await service.workers.do(work)).response()
