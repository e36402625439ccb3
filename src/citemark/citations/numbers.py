"""Reading what stands inside a marker: which source numbers it names."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

MAX_RANGE = 100
"""A range wider than this is a page range or an interval, not a citation."""

_LABEL = (
    r"(?:(?:reference\s+from\s+)?"
    r"(?:sources?|refs?\.?|references?|cit(?:e|es|ations?)|docs?|documents?|passages?(?:\s+id)?"
    r"|results?|webpages?|pages?\s+id|footnotes?|fn|notes?|fuentes?|quellen?|fontes?|来源|资料|文献|出典)"
    r"\s*[:：.]?\s*|[\^#])?\s*"
)
_DASH = r"[-‐-―−~〜～]"
_PART = re.compile(
    rf"{_LABEL}(?:no\.\s*|#)?(\d{{1,4}})(?:\s*{_DASH}\s*{_LABEL}(\d{{1,4}}))?\s*\^?", re.IGNORECASE
)
_SEPARATOR = re.compile(r"[,;،、，；&+]|(?<=\d)\s+(?:and|und|et|y|e)\s+|(?<=[\d^])\s+(?=\^?\d)")
_LOCATOR = re.compile(
    r"(?:pp?|pages?|pg|ch(?:ap(?:ter)?)?|secs?|sections?|§+|paras?|¶|figs?|figures?|tables?|tab"
    r"|vol|lines?|ll?|eq|app|appendix|s|seite|页)\.?\s*[\divxlc].*",
    re.IGNORECASE,
)
_DAGGER = re.compile(r"(?:source\s*)?(\d{1,4})(?::\d{1,4})?\s*†.*", re.IGNORECASE)
_LEAK = re.compile(r"(\d{1,4})\s*\|.*[^\W\d_].*")
_AUTHOR_YEAR = re.compile(
    r"(\d{1,4})\s*,\s*[^\W\d_].*?,\s*(?:(?:1[89]|20)\d\d[a-z]?|0|n\.d\.)"
    r"(?:\s*,\s*pp?\.\s*[\d–-]+)?"
)


class Group(NamedTuple):
    """What a marker names: its numbers in order, and whether it is more than one bare number."""

    numbers: tuple[int, ...]
    compound: bool
    labelled: bool
    """Something besides digits, commas and dashes says that this is a citation."""


@lru_cache(maxsize=4096)
def read_group(inside: str) -> Group | None:
    """The source numbers in the inside of a marker, or None if it is no citation at all.

    >>> read_group("1, 3-5").numbers, read_group("3, p. 68").numbers
    ((1, 3, 4, 5), (3,))
    >>> read_group("EMIM") is None
    True
    """
    if inside.isascii() and inside.isdigit():
        return Group((int(inside),), compound=False, labelled=False) if len(inside) < 5 else None
    inside = inside.strip()
    for form in (_DAGGER, _LEAK, _AUTHOR_YEAR):
        if match := form.fullmatch(inside):
            return Group((int(match[1]),), compound=False, labelled=True)
    return _read_parts(inside)


def _read_parts(inside: str) -> Group | None:
    numbers: list[int] = []
    parts = _SEPARATOR.split(inside)
    labelled = False
    for index, part in enumerate(parts):
        part = part.strip()
        if index and _LOCATOR.fullmatch(part):
            labelled = True
            break  # what follows a page number belongs to it: [3, pp. 68, 70]
        match = _PART.fullmatch(part)
        if not match:
            return None
        labelled = labelled or not part[0].isdigit()
        found = _expanded(match[1], match[2])
        if found is None:
            return None
        numbers.extend(found)
    compound = len(parts) > 1 or len(numbers) > 1
    return Group(tuple(dict.fromkeys(numbers)), compound, labelled)


def _expanded(first: str, last: str | None) -> range | None:
    low = int(first)
    high = int(last) if last else low
    if high < low or high - low > MAX_RANGE:
        return None
    return range(low, high + 1)
