"""How a transformation reads an answer, edits it by offsets, and checks what came out."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from citemark import Case, ParsedAnswer, Sentence, Source, SpanCitation, parse
from citemark.judges.embedded.stretches import in_stretches

_SIMPLE = re.compile(r"\[\^?\d+(?:\s*[,;]\s*\^?\d+)*\]|【\d+†source】")
_SPACE = re.compile(r"\s+")
_LEAST_WORDS = 5


@dataclass(frozen=True, slots=True)
class Variant:
    """A case after a transformation, and the new numbers of the sources that have one."""

    case: Case
    renamed: Mapping[int, int] = field(default_factory=dict)


class Edit(NamedTuple):
    """Puts ``text`` in place of ``answer[start:end]``."""

    start: int
    end: int
    text: str


class Line(NamedTuple):
    """A sentence as far as a transformation must keep it: its words and whom it cites."""

    text: str
    sources: tuple[int, ...]
    block_sources: tuple[int, ...]


def read(case: Case) -> ParsedAnswer:
    """The answer of a case, taken apart with the sources that it lists."""
    return _parsed(case.answer, case.sources, case.citations)


@lru_cache(maxsize=256)
def _parsed(
    answer: str, sources: tuple[Source, ...] | None, citations: tuple[SpanCitation, ...]
) -> ParsedAnswer:
    return parse(answer, sources, citations)


_OTHER: ContextVar[Path | None] = ContextVar("other wording", default=None)


def wording() -> Mapping[str, Any]:
    """The phrases that transformations write, by what they are for."""
    return _wording(_OTHER.get())


@contextmanager
def worded(other: Path | None) -> Iterator[None]:
    """Let the tables of a file take the place of the usual ones.

    So a judge can be tried on phrases that nobody saw who built it.
    """
    before = _OTHER.set(other)
    try:
        yield
    finally:
        _OTHER.reset(before)


@cache
def _wording(other: Path | None) -> Mapping[str, Any]:
    usual = tomllib.loads((Path(__file__).parent / "wording.toml").read_text(encoding="utf-8"))
    return usual if other is None else usual | tomllib.loads(other.read_text("utf-8"))


def edited(case: Case, edits: Iterable[Edit]) -> Case:
    """The case with its answer edited; edits must not overlap."""
    answer = case.answer
    for start, end, text in sorted(edits, reverse=True):
        answer = answer[:start] + text + answer[end:]
    return replace(case, answer=answer)


def lines(parsed: ParsedAnswer, renamed: Mapping[int, int] | None = None) -> list[Line]:
    """The sentences without white space, emphasis and old numbers, in order."""
    names = renamed or {}

    def renumbered(sources: Sequence[int]) -> tuple[int, ...]:
        return tuple(sorted(names.get(n, n) for n in sources))

    return [
        Line(plain(s.text), renumbered(s.sources), renumbered(s.block_sources))
        for s in parsed.sentences
    ]


def plain(text: str) -> str:
    """A sentence's words alone: no emphasis marks, no white space but single spaces."""
    return _SPACE.sub(" ", re.sub(r"\*+|__", "", text)).strip()


def reads_alike(before: Case, after: Variant) -> bool:
    """Whether the parser sees the same sentences, citing the same sources, in the same order."""
    return lines(read(before), after.renamed) == lines(read(after.case))


def cites_alike(before: Case, after: Case) -> bool:
    """Whether the parser sees as many sentences, citing the same sources, whatever they say."""
    return [x[1:] for x in lines(read(before))] == [x[1:] for x in lines(read(after))]


def lines_gained(before: Case, after: Case) -> tuple[Counter[Line], Counter[Line]]:
    """The sentences that came and those that went, wherever they stand."""
    old, new = Counter(lines(read(before))), Counter(lines(read(after)))
    return new - old, old - new


def own(parsed: ParsedAnswer, source: int) -> list[Sentence]:
    """The source's sentences that say something and that can be edited: prose and items.

    What only a part of is said by the source is not among them.
    """
    stretches = Counter(s.n for s in in_stretches(parsed))
    return [
        s
        for s in parsed.attributed(source)
        if s.kind in ("sentence", "item")
        and stretches[s.n] == 1
        and s.words >= _LEAST_WORDS
        and not s.text.rstrip("*_ ").endswith(":")
    ]


def simple_markers(parsed: ParsedAnswer) -> bool:
    """Whether every marker is a plain one, such as ``[1, 3]``, ``[^1]`` or ``【4†source】``."""
    return bool(parsed.markers) and all(
        _SIMPLE.fullmatch(parsed.answer, m.start, m.end) for m in parsed.markers
    )


def marker_for(parsed: ParsedAnswer, source: int) -> str | None:
    """A marker for one source in the style of the answer's own; nothing if that is unusual."""
    if not simple_markers(parsed):
        return None
    first = parsed.answer[parsed.markers[0].start :]
    if first.startswith("【"):
        return f"【{source}†source】"
    return f"[^{source}]" if first.startswith("[^") else f"[{source}]"


def outside_markers(parsed: ParsedAnswer, start: int, end: int) -> bool:
    """Whether a stretch of the answer touches no marker."""
    return all(end <= m.start or m.end <= start for m in parsed.markers)


def closing(parsed: ParsedAnswer, sentence: Sentence) -> int:
    """Where the last word of a sentence ends: before its closing markers and its stop."""
    answer, end = parsed.answer, sentence.end
    stops = {m.end: m.start for m in parsed.markers}
    while end > sentence.start:
        if end in stops:
            end = stops[end]
        elif answer[end - 1] in " \t\n.!?…*_":
            end -= 1
        else:
            break
    return end


def some(rng: Random, items: Sequence[Any], least: int = 1) -> list[Any]:
    """A random choice of at least ``least`` of the items, in their order."""
    count = rng.randint(min(least, len(items)), len(items))
    return [items[i] for i in sorted(rng.sample(range(len(items)), count))]
