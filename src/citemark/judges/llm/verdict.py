"""What a reply gives as its score, and which of several verdicts counts.

The last verdict wins, unless what came before was stated more firmly and says otherwise:
then nobody can tell which one is meant, and none is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

from citemark.judges.llm.unreadable import Unreadable

LINE = "*line"
"""A line that is nothing but a number: of two such lines, neither outdoes the other."""
SOURCES = "*source"
"""A score with a source's name: which source was asked for, the reader cannot know."""


class Strength(IntEnum):
    """How firmly something is stated to be the score."""

    ASIDE = 0  # "Specificity: 3": no verdict, but it may throw doubt on a weak one
    METRIC = 1  # "Relevance: 14"
    WEAK = 2  # "I'd give it 14/20"
    STATED = 3  # "Score: 14"
    FINAL = 4  # "Final score: 14", or a last line that is nothing but the number


class Verdict(NamedTuple):
    """One number that a reply gives as its score."""

    value: int | Unreadable
    strength: Strength
    kind: str = ""
    """LINE or SOURCES, or what part was scored, such as "topical alignment"."""


def decide(found: Sequence[Verdict]) -> int | Unreadable | None:
    """The verdict that counts; None if there is none."""
    last = next((v for v in reversed(found) if v.strength > Strength.ASIDE), None)
    if last is None or isinstance(last.value, Unreadable):
        return last.value if last else None
    for other in found:
        if other.value != last.value and _throws_doubt(other, last):
            if isinstance(other.value, Unreadable):
                return other.value
            detail = f"The reply says {other.value} and {last.value}, and not which one counts."
            return Unreadable("not_a_score", detail)
    return last.value


def _throws_doubt(other: Verdict, last: Verdict) -> bool:
    if last.kind in (LINE, SOURCES):
        if other.kind == last.kind:
            return True
    elif last.kind and other.kind != last.kind and other.strength >= last.strength:
        return True  # the score of a part, behind that of another part or of the whole
    if last.strength == Strength.METRIC:
        return True
    return other.strength > last.strength or other.strength == last.strength == Strength.WEAK
