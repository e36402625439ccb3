"""Disclaimers: where an answer says that it has not found what was asked for.

Whatever else such an answer tells, it tells beside the point, and its sources with it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence, Set
from functools import cache, lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from citemark.judges.embedded.statements import Reading

NAMES = ("disclaims", "disclaims_any", "a_disclaims", "a_disclaims_any", "a_disclaims_elsewhere")
"""The columns: in the source's own sentences, in the whole answer, and in the others' only."""


@cache
def _pattern() -> re.Pattern[str]:
    text = (files("citemark.judges.embedded") / "disclaimers.toml").read_text(encoding="utf-8")
    return re.compile(rf"\b(?:{'|'.join(tomllib.loads(text)['patterns'])})\b", re.IGNORECASE)


@lru_cache(maxsize=1 << 12)
def disclaims(sentence: str) -> bool:
    """Whether a sentence says that something was not found.

    >>> disclaims("There is no mention of tin."), disclaims("Tin melts at 232 degrees.")
    (True, False)
    """
    return _pattern().search(sentence) is not None


def disclaimers(reading: Reading, sources: tuple[int, ...]) -> NDArray[np.float32]:
    """The columns for some sources of an answer: (sources, names)."""
    # Statements, not sentences: a sentence that is repeated is one statement.
    found = {
        i
        for i, statement in enumerate(reading.statements)
        if not reading.disclaiming.isdisjoint(statement.sentences)
    }
    count = len(reading.statements)
    rows = [_row(reading.by_source[source], found, count) for source in sources]
    return np.array(rows, dtype=np.float32).reshape(len(sources), len(NAMES))


def _row(own: Sequence[int], found: Set[int], count: int) -> tuple[float, ...]:
    here = sum(place in found for place in own)
    return (
        here / max(1, len(own)),
        float(here > 0),
        len(found) / max(1, count),
        float(bool(found)),
        float(len(found) > here),
    )
