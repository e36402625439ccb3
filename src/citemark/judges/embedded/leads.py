"""What leads up to a marker: the unmarked sentences before the one that cites.

Many engines say a thing in two or three sentences and set the marker behind the last of them. The
LLM that the judge was fitted to reads it as speaking for all of them, back to the marker before;
so does the judge. What opens a paragraph, before its first marker, may be about more than what is
cited there: it counts for less. What draws a conclusion belongs to nobody.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from citemark.citations import ParsedAnswer, Sentence
from citemark.judges.embedded.said import bare, says_nothing
from citemark.judges.embedded.stretches import in_stretches

_OPENING = 1 / 3
_BLANK_LINE = re.compile(r"\n\s*\n")
_CONCLUSION = re.compile(
    r"(?:overall|ultimately|therefore|thus|hence|all in all|to (?:conclude|summari[sz]e|sum up)"
    r"|in (?:brief|conclusion|essence|short|sum|summary|the end))\b",
    re.IGNORECASE,
)


class Lead(NamedTuple):
    """Whom an unmarked sentence leads up to."""

    sources: tuple[int, ...]
    part: float
    """What it counts for, as a part of what the sentences of a block count for."""

    @property
    def opening(self) -> bool:
        """Whether it stands before the first marker of its paragraph."""
        return self.part == _OPENING


def leads_of(answer: ParsedAnswer) -> Mapping[int, Lead]:
    """The sentences that lead up to a marker, by their numbers.

    >>> from citemark.citations import parse_answer
    >>> answer = parse_answer("Tin melts early [1]. Zinc does not. It is rather hard [2].")
    >>> leads_of(answer)
    {1: Lead(sources=(2,), part=1.0)}
    """
    found: dict[int, Lead] = {}
    waiting: list[Sentence] = []
    part, end = _OPENING, 0
    for sentence in in_stretches(answer):
        # Whether it is a list makes no difference: a blank line does, or a heading.
        new = sentence.kind in ("heading", "row")
        if new or _BLANK_LINE.search(answer.answer, end, sentence.start):
            waiting, part = [], _OPENING
        end = sentence.end
        if new:
            continue
        if not sentence.block_sources:
            waiting.append(sentence)
        else:
            if sentence.sources and not says_nothing(sentence):
                leads = [s.n for s in waiting if not _CONCLUSION.match(bare(s.text))]
                found.update(dict.fromkeys(leads, Lead(sentence.sources, part)))
            waiting, part = [], 1.0
    return found
