"""``/api/score``, ``/api/parse``, ``/api/lint``, ``/api/compare`` and what they rest on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from citemark._version import __version__
from citemark.web import scores
from citemark.web.bodies import chosen, encoded, json_response, only_known, read_object
from citemark.web.exports import FORMS, Export, comparison_export, export
from citemark.web.judges import known_judges
from citemark.web.problems import ApiError
from citemark.web.scores import Wish
from citemark.web.service import service_of


async def score(request: Request) -> Response:
    """Score one case with the embedded judge."""
    wish, form = _wish(request), chosen(request.query_params, "format", FORMS)

    def work(given: Mapping[str, Any]) -> Export:
        if form == "json":
            return Export(encoded(scores.scored_in_full(given, wish)))
        return export([scores.scored(given, wish).to_dict()], form, "answer")

    return await _worked(request, work)


async def parse(request: Request) -> Response:
    """Read one answer: sentences, sources, problems."""
    return await _worked(request, lambda given: Export(encoded(scores.parsed(given))))


async def lint(request: Request) -> Response:
    """Tell what is wrong with the citations of one answer."""
    return await _worked(request, lambda given: Export(encoded(scores.linted(given))))


async def compare(request: Request) -> Response:
    """Score two answers and put them side by side."""
    wish, form = _wish(request), chosen(request.query_params, "format", FORMS)

    def work(given: Mapping[str, Any]) -> Export:
        only_known(given, ("before", "after"))
        before = scores.scored(_side(given, "before"), wish).to_dict()
        after = scores.scored(_side(given, "after"), wish).to_dict()
        return comparison_export(before, after, form)

    return await _worked(request, work)


def _side(given: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    side = given.get(name)
    if not isinstance(side, dict):
        then = "give a case: an object with query and answer"
        raise ApiError(422, f'"{name}" is no case', where=name, then=then)
    return side


def _wish(request: Request) -> Wish:
    query = request.query_params
    return Wish(query.get("judge", Wish().judge), scores.metric_names(query.get("metrics")))


async def _worked(request: Request, work: Callable[[Mapping[str, Any]], Export]) -> Response:
    """Read the body here; everything that takes time is done by a worker."""
    raw = await request.body()
    made = await service_of(request).workers.do(lambda: work(read_object(raw)))
    return made.response()


async def rubrics(request: Request) -> Response:  # noqa: ARG001
    """Every rubric in full."""
    return json_response(scores.rubrics_in_full())


async def examples(request: Request) -> Response:  # noqa: ARG001
    """The bundled cases."""
    return json_response(scores.examples())


async def judges(request: Request) -> Response:
    """The judges that a run can be started with here."""
    setup = service_of(request).setup
    return json_response(await service_of(request).workers.do(lambda: known_judges(setup)))


async def health(request: Request) -> Response:  # noqa: ARG001
    """Whether the server is well."""
    return json_response({"status": "ok", "version": __version__})
