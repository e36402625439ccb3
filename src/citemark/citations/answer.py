"""The parsed answer: its sentences, its markers, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

Kind = Literal["sentence", "heading", "item", "row"]


class Reference(NamedTuple):
    """What the answer itself says about a source: in its reference list or in a link."""

    url: str | None
    title: str | None


class Marker(NamedTuple):
    """A stretch of the answer that cites sources, such as ``[1, 3]``.

    ``named`` are the numbers it names and ``sources`` those of them that exist.
    ``gaps`` are the parts of it that are no words of the answer (all of it, except in a
    link whose text is part of the prose).
    """

    start: int
    end: int
    named: tuple[int, ...]
    sources: tuple[int, ...]
    gaps: tuple[tuple[int, int], ...]


class Sentence(NamedTuple):
    """One sentence, heading, list item or table row of the answer.

    ``answer[start:end]`` is the sentence with its markers, ``text`` is it without them.
    ``sources`` are the known sources that it is marked with; ``block_sources`` adds those
    whose marker closes the paragraph or list that it belongs to.
    """

    n: int
    start: int
    end: int
    text: str
    sources: tuple[int, ...]
    block_sources: tuple[int, ...]
    paragraph: int
    kind: Kind
    words: int

    def to_dict(self) -> dict[str, Any]:
        """The sentence as it stands in a scorecard."""
        return {
            "n": self.n,
            "start": self.start,
            "end": self.end,
            "text": self.text,
            "sources": list(self.sources),
            "block_sources": list(self.block_sources),
            "paragraph": self.paragraph,
            "kind": self.kind,
        }


@dataclass(frozen=True, slots=True)
class Problem:
    """Something about the citations that a reader of the scores should know."""

    code: str
    start: int
    end: int
    message: str

    def to_dict(self) -> dict[str, Any]:
        """The problem as it stands in a scorecard."""
        return {
            "code": self.code,
            "start": self.start,
            "end": self.end,
            "message": self.message,
        }


@dataclass(frozen=True)
class ParsedAnswer:
    """An answer taken apart: who is cited where, and what looks wrong."""

    answer: str
    sentences: tuple[Sentence, ...]
    markers: tuple[Marker, ...]
    problems: tuple[Problem, ...]
    sources: tuple[int, ...]
    """Every source of the case: those it lists, or else those that the markers name."""
    references: Mapping[int, Reference]
    """What the answer's own reference list and links say about the sources."""

    @cached_property
    def cited(self) -> frozenset[int]:
        """The sources that at least one sentence is marked with."""
        return frozenset(n for sentence in self.sentences for n in sentence.sources)

    def attributed(self, source: int, *, block: bool = False) -> tuple[Sentence, ...]:
        """The sentences that a source is cited for; with ``block``, by the wider reading too."""
        if block:
            return tuple(s for s in self.sentences if source in s.block_sources)
        return tuple(s for s in self.sentences if source in s.sources)

    def to_dict(self) -> dict[str, Any]:
        """The parsed answer as plain data: sentences and problems."""
        return {
            "sentences": [s.to_dict() for s in self.sentences],
            "problems": [p.to_dict() for p in self.problems],
        }
