"""Citations that the engine reported beside the text: stretches of it with their sources."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from citemark.citations.answer import Problem


@dataclass(frozen=True, slots=True)
class SpanCitation:
    """A stretch of the answer that the engine itself reported as resting on sources."""

    start: int
    end: int
    sources: tuple[int, ...]


class _Placed(Protocol):
    start: int
    end: int
    spans: set[int]


def add_spans(
    sentences: Sequence[_Placed],
    citations: Sequence[SpanCitation],
    listed: frozenset[int] | None,
    length: int,
) -> list[Problem]:
    """Credit the sentences that a reported span covers; say which spans make no sense.

    A span without length is a point where the engine would have put a marker: it cites the
    sentence that ends there or that it stands in.
    """
    problems = []
    starts = [sentence.start for sentence in sentences]
    for span in citations:
        if not 0 <= span.start <= span.end <= length:
            message = f"the reported span {span.start}-{span.end} is outside the answer; ignored"
            start = max(0, min(span.start, length))
            problems.append(Problem("bad_span", start, length, message))
            continue
        known = [n for n in span.sources if (n > 0 if listed is None else n in listed)]
        for number in sorted(set(span.sources).difference(known)):
            message = f"a reported span cites source {number}, which the case does not list"
            problems.append(Problem("unknown_source", span.start, span.end, message))
        if not _credit(sentences, starts, span, known):
            message = f"the reported span {span.start}-{span.end} covers no text; not counted"
            problems.append(Problem("marker_without_text", span.start, span.end, message))
    return problems


def _credit(
    sentences: Sequence[_Placed], starts: list[int], span: SpanCitation, known: list[int]
) -> bool:
    """Add the sources to the sentences of a span; whether there are any."""
    index = max(0, bisect_right(starts, span.start) - 1)
    if span.start == span.end:
        if sentences:
            sentences[index].spans.update(known)
        return bool(sentences)
    covered = False
    while index < len(sentences) and sentences[index].start < span.end:
        if sentences[index].end > span.start:
            sentences[index].spans.update(known)
            covered = True
        index += 1
    return covered
