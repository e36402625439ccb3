"""What is left of a sentence to read once its markers are taken out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_BLANKS = " \t\u00a0\u200b"
_CLINGING = frozenset(".,;:!?)]。，、；：！？）।؟۔")
"""What stands next to the word before it, once a marker between the two is gone."""
_OPENED = re.compile(
    r"(?:(?P<round>[(（])(?:(?:see(?:[ ]also)?|cf\.?|e\.g\.,?|via|sources?|refs?\.?|references?"
    r"|来源|出典)[:：]?)?|(?P<square>\[)|(?<!\*)(?P<stars>\*{1,3}))[ \t]*$",
    re.IGNORECASE,
)
"""The opening of an aside that holds nothing but markers: ``(see [1])``, ``(Source: [2])``."""
_LONGEST_OPENING = 20
_MAY_CLOSE = frozenset(")）]* \t")
_WIDEST_BETWEEN = 8
_BETWEEN = re.compile(r"[ \t]*(?:[,;、，&]|and|und|et|y)?[ \t]*")


def with_asides(answer: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The stretches of markers, each with what stands around it for its sake alone.

    >>> with_asides("So it is (see [1], [2]).", [(14, 17), (19, 22)])
    [(9, 19), (19, 23)]
    """
    widened = list(spans)
    first = 0
    for i, (_, end) in enumerate(spans):
        if i + 1 < len(spans) and spans[i + 1][0] - end <= _WIDEST_BETWEEN:
            between = _BETWEEN.match(answer, end)
            if between and between.end() >= spans[i + 1][0]:
                continue
        start = widened[first][0]
        while wider := _aside(answer, start, end):
            start, end = wider
        if end > spans[i][1]:
            for j in range(first, i):  # "([1] and [2])": the word between them goes too
                widened[j] = (spans[j][0], spans[j + 1][0])
            widened[i] = (spans[i][0], end)
            widened[first] = (start, widened[first][1])
        first = i + 1
    return widened


def _aside(answer: str, start: int, end: int) -> tuple[int, int] | None:
    """The brackets or stars around a stretch, if they hold nothing else."""
    if answer[end : end + 1] not in _MAY_CLOSE:
        return None
    opened = _OPENED.search(answer, max(0, start - _LONGEST_OPENING), start)
    if opened is None:
        return None
    if opened["stars"]:
        closer = opened["stars"]
        begins = answer.startswith(closer, end) and not answer.startswith("*", end + len(closer))
        return (opened.start(), end + len(closer)) if begins else None
    while answer[end : end + 1] in (" ", "\t"):
        end += 1
    closers = "]" if opened["square"] else ")）"
    closes = end < len(answer) and answer[end] in closers
    return (opened.start(), end + 1) if closes else None


def without_gaps(answer: str, start: int, end: int, gaps: Iterable[tuple[int, int]]) -> str:
    """The sentence at ``answer[start:end]`` without its markers and what they leave behind.

    >>> without_gaps("So it is [1] .", 0, 14, [(9, 12)])
    'So it is.'
    """
    kept: list[str] = []
    reached = start
    for gap_start, gap_end in gaps:
        if gap_start > reached:
            _append(kept, answer[reached:gap_start])
        reached = max(reached, gap_end)
    if not kept and reached == start:
        return answer[start:end]
    _append(kept, answer[reached:end])
    return "".join(kept).strip()


def _append(kept: list[str], text: str) -> None:
    """Add a stretch of the sentence after a marker, minding the punctuation around it."""
    if not kept:
        kept.append(text)
        return
    if not text.strip(f"{_BLANKS}\r\n,;、，"):
        return  # only a comma or a line break between two markers
    bare = text.lstrip(_BLANKS)
    if bare[0] in _CLINGING:
        text = bare
    if text[0].isspace() or text[0] in _CLINGING:
        kept[-1] = kept[-1].rstrip(_BLANKS)
    kept.append(text)
