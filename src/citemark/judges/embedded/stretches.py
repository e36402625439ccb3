"""Stretches: the part of a sentence that each of its markers speaks for.

In "Tin melts at 232 degrees [1], lead at 327 [2]" nobody reads the second source as saying
anything about tin. A marker within a sentence speaks for what stands before it, back to the marker
before; what follows the last one belongs to that.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from citemark.citations import Marker, ParsedAnswer, Sentence

_WORD = re.compile(r"[^\W_]+")
_JOINING = frozenset({"and", "or", "also"})
"""Words that only tie one marker to the next."""
_NAMING = re.compile(
    r"\b(?:according to|as|by|from|in|of|per|see|sources?|than|to|with)\W*$", re.IGNORECASE
)
"""Behind these a marker is a word of the sentence: "according to [1], tin is soft"."""
_NEAR = 40
"""So much of what stands before a marker is looked at for that."""


@dataclass(slots=True)
class _Stretch:
    text: str
    sources: set[int]


def in_stretches(answer: ParsedAnswer) -> Iterator[Sentence]:
    """The sentences of an answer; one whose markers stand apart becomes several.

    >>> from citemark.citations import parse_answer
    >>> answer = parse_answer("Tin melts at 232 degrees [1], lead at 327 [2].")
    >>> [(sentence.text, sentence.sources) for sentence in in_stretches(answer)]
    [('Tin melts at 232 degrees ', (1,)), (', lead at 327 .', (2,))]
    """
    starts = [marker.start for marker in answer.markers]
    for sentence in answer.sentences:
        parts: Sequence[_Stretch] = ()
        if len(sentence.sources) > 1:
            first, last = (bisect_left(starts, at) for at in (sentence.start, sentence.end))
            parts = _stretches(answer.answer, sentence, answer.markers[first:last])
        if len(parts) < 2 or not _make_up(parts, sentence):
            yield sentence
            continue
        closing = set(sentence.block_sources) - set(sentence.sources)
        for part in parts:
            yield sentence._replace(
                text=part.text,
                sources=tuple(sorted(part.sources)),
                block_sources=tuple(sorted(part.sources | closing)),
            )


def _stretches(answer: str, sentence: Sentence, markers: Sequence[Marker]) -> list[_Stretch]:
    """The stretches of a sentence; none where its markers are not to be read like this."""
    found: list[_Stretch] = []
    reached = sentence.start
    for marker in markers:
        text = answer[reached : marker.start]
        reached = marker.end
        is_prose = marker.gaps != ((marker.start, marker.end),)
        if is_prose or _NAMING.search(text[-_NEAR:]):
            return []
        if _JOINING.issuperset(map(str.casefold, _WORD.findall(text))):
            if not found:
                return []  # a marker that comes first speaks for what follows
            found[-1].sources.update(marker.sources)
        else:
            found.append(_Stretch(text, set(marker.sources)))
    if found:
        found[-1].text += answer[reached : sentence.end]
    return _apart(found)


def _apart(stretches: Sequence[_Stretch]) -> list[_Stretch]:
    """Neighbours that have a source in common are one: citing it again makes it no more its own."""
    found: list[_Stretch] = []
    for one in stretches:
        if found and not found[-1].sources.isdisjoint(one.sources):
            found[-1].text += one.text
            found[-1].sources |= one.sources
        else:
            found.append(one)
    return found


def _make_up(parts: Sequence[_Stretch], sentence: Sentence) -> bool:
    """Whether stretches are all of a sentence, with all of its sources.

    They may have a list number more. They are not if a quotation was taken out, or if a source is
    cited without a marker.
    """
    words = [word for part in parts for word in _WORD.findall(part.text)]
    own = _WORD.findall(sentence.text)
    sources = {source for part in parts for source in part.sources}
    known = sources == set(sentence.sources) and all(part.sources for part in parts)
    return known and bool(own) and words[-len(own) :] == own
