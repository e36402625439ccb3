"""The modes that ask for sub-scores with evidence, as JSON: subscores, panel, sheet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from citemark.citations import ParsedAnswer, Problem
from citemark.judges.llm.json_reply import Level, read_levels, read_panel, read_sheet
from citemark.judges.llm.probability import level_expectation, place_in
from citemark.judges.llm.reading import Unreadable
from citemark.judges.llm.request import Reply, Request, canonical
from citemark.judges.llm.units import TOP_LOGPROBS, Asking, Place, Reading, Unit
from citemark.judges.protocol import Work
from citemark.prompts import panel_prompt, prompt, sheet_prompt, system_message
from citemark.rubrics import Rubric
from citemark.scorecard import Judgment, Reason

TOKENS_PER_LEVEL = 60
LEAST_TOKENS = 1024


def subscores(work: Work, asking: Asking, source: int, rubric: Rubric) -> Unit:
    """One source by one metric."""
    text = prompt(rubric, work.case, work.answer, source, "subscores")
    request = _structured(asking, (text.shared, text.specific), _levels_schema(rubric), rubrics=1)

    def read(replies: Sequence[Reply]) -> Reading:
        reply = replies[0]
        found: Mapping[str, Level] | Unreadable
        if reply.failure:
            found = Unreadable(reply.failure, reply.detail)
        else:
            found = read_levels(reply.text, rubric.ids)
        return _merged([_judged(work.answer, source, rubric, found, reply)])

    return Unit(((source, rubric.name),), (request,), read)


def panel(work: Work, asking: Asking, source: int) -> Unit:
    """One source by all metrics, in one call."""
    text = panel_prompt(work.rubrics, work.case, work.answer, source)
    schema = _panel_schema(work.rubrics)
    request = _structured(asking, (text.shared, text.specific), schema, rubrics=len(work.rubrics))

    def read(replies: Sequence[Reply]) -> Reading:
        reply = replies[0]
        if reply.failure:
            return _all_failed(places, reply.failure)
        found = read_panel(reply.text, {r.name: r.ids for r in work.rubrics})
        if isinstance(found, Unreadable):
            return _all_failed(places, found.reason)
        return _merged(
            [_judged(work.answer, source, r, found[r.name], reply) for r in work.rubrics]
        )

    places = tuple((source, r.name) for r in work.rubrics)
    return Unit(places, (request,), read)


def sheet(work: Work, asking: Asking) -> Unit:
    """All sources by all metrics, in one call."""
    text = sheet_prompt(work.rubrics, work.case, work.answer, work.sources)
    each = {str(n): _panel_schema(work.rubrics) for n in work.sources}
    schema = _object({"sources": _object(each)})
    count = len(work.rubrics) * len(work.sources)
    request = _structured(asking, (text.shared, text.specific), schema, rubrics=count)

    def read(replies: Sequence[Reply]) -> Reading:
        reply = replies[0]
        if reply.failure:
            return _all_failed(places, reply.failure)
        metrics = {r.name: r.ids for r in work.rubrics}
        found = read_sheet(reply.text, work.sources, metrics)
        if isinstance(found, Unreadable):
            return _all_failed(places, found.reason)
        return _merged(
            [
                _judged(work.answer, source, r, found[source][r.name], reply)
                for source in work.sources
                for r in work.rubrics
            ]
        )

    places = tuple((source, r.name) for source in work.sources for r in work.rubrics)
    return Unit(places, (request,), read)


def _structured(
    asking: Asking, parts: tuple[str, ...], schema: dict[str, object], *, rubrics: int
) -> Request:
    return Request(
        system=system_message(),
        parts=parts,
        max_tokens=max(LEAST_TOKENS, TOKENS_PER_LEVEL * 5 * rubrics),
        temperature=asking.temperature,
        seed=asking.seed,
        schema=canonical(schema) if asking.schema else None,
        top_logprobs=TOP_LOGPROBS if asking.logprobs else 0,
    )


def _all_failed(places: tuple[Place, ...], reason: Reason) -> Reading:
    return Reading({place: Judgment.failed(reason) for place in places})


def _merged(parts: list[Reading]) -> Reading:
    judgments = {place: j for part in parts for place, j in part.judgments.items()}
    return Reading(judgments, tuple(p for part in parts for p in part.problems))


def _judged(
    answer: ParsedAnswer,
    source: int,
    rubric: Rubric,
    found: Mapping[str, Level] | Unreadable,
    reply: Reply,
) -> Reading:
    """A judgment from levels: the sum is made here, and the evidence is checked."""
    place = (source, rubric.name)
    if isinstance(found, Unreadable):
        return Reading({place: Judgment.failed(found.reason)})
    own = {s.n for s in answer.sentences if source in s.sources or source in s.block_sources}
    evidence = {i: tuple(n for n in sorted(set(found[i].sentences)) if n in own) for i in found}
    problems = tuple(
        _stray(answer, source, i, n) for i in found for n in sorted(set(found[i].sentences) - own)
    )
    levels = {i: found[i].level for i in rubric.ids}
    expected = _expected(reply, found)
    judgment = Judgment.of(rubric, levels, expected=expected, evidence=evidence)
    return Reading({place: judgment}, problems)


def _expected(reply: Reply, found: Mapping[str, Level]) -> float | None:
    """The sum of the digits' expectations, where token probabilities came with the reply."""
    if not reply.tokens:
        return None
    first = min(level.span[0] for level in found.values())
    place = place_in(reply.tokens, reply.text, first)
    if place is None:
        return None
    exact = sum(
        level_expectation(reply.tokens, place - first + level.span[0], level.level)
        for level in found.values()
    )
    return round(max(1.0, exact), 4)


def _stray(answer: ParsedAnswer, source: int, subscore: str, sentence: int) -> Problem:
    known = sentence < len(answer.sentences)
    start, end = (0, 0)
    if known:
        start, end = answer.sentences[sentence].start, answer.sentences[sentence].end
    what = "which does not cite it" if known else "which does not exist"
    message = (
        f"the judge's evidence for {subscore} of source {source} names sentence {sentence}, {what}"
    )
    return Problem("stray_evidence", start, end, message)


def _object(properties: Mapping[str, object]) -> dict[str, object]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _levels_schema(rubric: Rubric) -> dict[str, object]:
    level = {"type": "integer", "enum": [0, 1, 2, 3, 4]}
    sentences = {"type": "array", "items": {"type": "integer"}}
    each = _object({"level": level, "sentences": sentences})
    return _object(dict.fromkeys(rubric.ids, each))


def _panel_schema(rubrics: Sequence[Rubric]) -> dict[str, object]:
    return _object({rubric.name: _levels_schema(rubric) for rubric in rubrics})
