"""Lint: what looks wrong with an answer's citations, and how much it matters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from citemark.citations.answer import Marker, Problem, Sentence

Severity = Literal["error", "warning", "note"]

SEVERITIES: dict[str, Severity] = {
    "no_citations": "error",
    "unknown_source": "error",
    "zero_marker": "error",
    "bad_span": "error",
    "judge_instructions": "error",
    "stray_evidence": "note",
    "duplicate_marker": "warning",
    "marker_in_heading": "warning",
    "marker_in_code": "note",
    "marker_on_list_number": "warning",
    "marker_without_text": "warning",
    "model_memory": "warning",
    "unclosed_marker": "warning",
    "control_characters": "warning",
    "uncited_paragraph": "note",
    "uncited_source": "note",
    "uncalibrated": "note",
}
"""Every code with its weight: errors change or hide a score, notes are worth a look."""

_CONTROLS = "".join(map(chr, (*range(9), 11, *range(14, 32), 127)))
_UNCLOSED = re.compile(r"\[\^?\d{1,3}(?:\s*,\s*\d{1,3}){0,20}(?=[ \t]*(?:[\r\n]|$)|[.!?](?:\s|$))")
_LONG_PARAGRAPH = 12
"""A paragraph with fewer words than this needs no citation of its own."""


@dataclass(frozen=True, slots=True)
class Lint:
    """What the rules look at."""

    answer: str
    sentences: Sequence[Sentence]
    markers: Sequence[Marker]
    in_code: Sequence[tuple[int, int]]
    outside: Sequence[Marker]
    sources: Sequence[int]
    listed: frozenset[int] | None
    end: int
    reported: Sequence[Problem]


def find_problems(lint: Lint) -> tuple[Problem, ...]:
    """Every problem of an answer, in the order of the text."""
    problems = list(lint.reported)
    for rule in _RULES:
        problems.extend(rule(lint))
    problems.sort(key=lambda p: (p.start, p.end, p.code))
    return tuple(problems)


def _names(lint: Lint, start: int, end: int) -> str:
    text = lint.answer[start:end]
    return text if len(text) <= 40 else f"{text[:37]}..."


def _no_citations(lint: Lint) -> Iterator[Problem]:
    if not any(sentence.sources for sentence in lint.sentences):
        yield Problem("no_citations", 0, 0, "the answer cites no known source, so every share is 0")


def _unknown(lint: Lint) -> Iterator[Problem]:
    for marker in lint.markers:
        if not marker.named:
            text = _names(lint, marker.start, marker.end)
            message = f"{text} says that the model cites its own memory; not a source"
            yield Problem("model_memory", marker.start, marker.end, message)
        if len(marker.named) == len(marker.sources):
            continue
        for number in sorted(set(marker.named) - set(marker.sources)):
            text = _names(lint, marker.start, marker.end)
            if number == 0:
                message = f"{text} names source 0, which the case does not list; not counted"
                yield Problem("zero_marker", marker.start, marker.end, message)
            else:
                message = f"{text} names source {number}, which the case does not list; not counted"
                yield Problem("unknown_source", marker.start, marker.end, message)


def _duplicates(lint: Lint) -> Iterator[Problem]:
    """The same source named twice in one run of markers."""
    for previous, marker in zip(lint.markers, lint.markers[1:], strict=False):
        between = marker.start - previous.end
        if between > 3 or (between and lint.answer[previous.end : marker.start].strip(" ,;")):
            continue
        again = sorted(set(previous.sources) & set(marker.sources))
        if again:
            text = _names(lint, marker.start, marker.end)
            message = f"{text} repeats source {again[0]} in the same place; counted once"
            yield Problem("duplicate_marker", marker.start, marker.end, message)


def _places(lint: Lint) -> Iterator[Problem]:
    for start, end in lint.in_code:
        message = f"{_names(lint, start, end)} stands in code; not taken as a citation"
        yield Problem("marker_in_code", start, end, message)
    for marker in lint.outside:
        message = f"{_names(lint, marker.start, marker.end)} has no text to speak for; not counted"
        yield Problem("marker_without_text", marker.start, marker.end, message)
    for sentence in lint.sentences:
        if not sentence.sources:
            continue
        if sentence.kind == "heading":
            message = "a marker in a heading: it is not clear which text it speaks for"
            yield Problem("marker_in_heading", sentence.start, sentence.end, message)
        elif (
            sentence.kind == "item" and sentence.words == 1 and sentence.text.strip(".) ").isdigit()
        ):
            message = "a marker at a list number cites nothing but the number"
            yield Problem("marker_on_list_number", sentence.start, sentence.end, message)


def _texts(lint: Lint) -> Iterator[Problem]:
    answer = lint.answer
    if answer.count("[") > answer.count("]"):
        for match in _UNCLOSED.finditer(answer, 0, lint.end):
            message = f'"{match[0]}" is never closed; not taken as a citation'
            yield Problem("unclosed_marker", *match.span(), message)
    for character in _CONTROLS:  # one search each is faster than one search for all
        if character in answer:
            place = answer.index(character)
            message = f"the answer holds control characters, such as U+{ord(character):04X}"
            yield Problem("control_characters", place, place + 1, message)
            break


def _uncited_paragraphs(lint: Lint) -> Iterator[Problem]:
    if not lint.sources:
        return
    for _, group in groupby(lint.sentences, key=lambda s: s.paragraph):
        members = [s for s in group if s.kind != "heading"]
        if not members or any(s.sources for s in members):
            continue
        words = sum(s.words for s in members)
        if words >= _LONG_PARAGRAPH and not members[-1].text.endswith((":", "：")):
            message = f"a paragraph of {words} words cites nothing"
            yield Problem("uncited_paragraph", members[0].start, members[-1].end, message)


def _uncited_sources(lint: Lint) -> Iterator[Problem]:
    if lint.listed is None:
        return
    cited = {n for sentence in lint.sentences for n in sentence.sources}
    missing = sorted(lint.listed - cited)
    if missing and cited:
        names = ", ".join(map(str, missing[:10])) + (" ..." if len(missing) > 10 else "")
        noun = "source" if len(missing) == 1 else "sources"
        message = f"listed but never cited: {noun} {names}"
        yield Problem("uncited_source", len(lint.answer), len(lint.answer), message)


_RULES = (
    _no_citations,
    _unknown,
    _duplicates,
    _places,
    _texts,
    _uncited_paragraphs,
    _uncited_sources,
)
