"""What is left of a sentence to read once its markers are taken out."""

from __future__ import annotations

import re
from collections.abc import Iterable

_BLANKS = " \t\u00a0\u200b"
_CLINGING = frozenset(".,;:!?)]|。，、；：！？）।؟۔")
"""What stands next to the word before it, once a marker between the two is gone."""
_ASIDE_ENDS = frozenset(")）]")
_ASIDE = re.compile(
    r"[ \t\u00a0]*(?:[(（](?:see(?:\s+also)?|cf\.?|e\.g\.,?|via|sources?|refs?\.?|references?"
    r"|来源|出典)?[:：]?|\[)[ \t]*$",
    re.IGNORECASE,
)
"""The opening of an aside that held nothing but markers: ``(see [1])``, ``(Source: [2])``."""
_LONGEST_ASIDE = 24


def without_gaps(answer: str, start: int, end: int, gaps: Iterable[tuple[int, int]]) -> str:
    """The sentence at ``answer[start:end]`` without its markers and what they leave behind.

    >>> without_gaps("So it is (see [1]) .", 0, 20, [(14, 17)])
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
    first = text.lstrip(_BLANKS)[:1]
    if first in _ASIDE_ENDS and (aside := _aside(kept[-1])) is not None:
        kept[-1], text = kept[-1][:aside], text.lstrip(_BLANKS)[1:]
        first = text.lstrip(_BLANKS)[:1]
    if first in _CLINGING:
        text = text.lstrip(_BLANKS)
    if not text or text[0].isspace() or first in _CLINGING:
        kept[-1] = kept[-1].rstrip(_BLANKS)
    kept.append(text)


def _aside(text: str) -> int | None:
    """Where the aside begins that a text breaks off in, if it has said nothing yet."""
    found = _ASIDE.search(text, max(0, len(text) - _LONGEST_ASIDE))
    return found.start() if found else None
