"""A rubric: what a metric means, its five anchored sub-scores, and how they become a score."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass

LEVELS = 5
"""Every sub-score has the levels 0 to 4."""


def score_of(levels: Iterable[int]) -> int:
    """Turn five sub-scores into the score: their sum, where a sum of 0 becomes 1.

    >>> score_of([3, 3, 2, 3, 3]), score_of([0, 0, 0, 0, 0])
    (14, 1)
    """
    return max(1, sum(levels))


@dataclass(frozen=True, slots=True)
class SubScore:
    """One of a metric's five criteria, with what each of its levels 0-4 means."""

    id: str
    name: str
    levels: tuple[str, ...]
    gist: str = ""


@dataclass(frozen=True, slots=True)
class Band:
    """A range of scores with the rubric's name for it."""

    low: int
    high: int
    name: str
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the judge's instructions, with its points if it has any."""

    text: str
    points: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rubric:
    """A metric in full, as data.

    ``text`` is only set for a rubric that came as a prompt file; such a rubric has no
    sub-scores and a judge is sent the text as it is.
    """

    name: str
    title: str
    summary: str = ""
    definition: str = ""
    is_not: str = ""
    test: str = ""
    method: str = ""
    scale: tuple[str, ...] = ()
    subscores: tuple[SubScore, ...] = ()
    bands: tuple[Band, ...] = ()
    steps: tuple[Step, ...] = ()
    exclusions: tuple[str, ...] = ()
    output_rule: tuple[str, ...] = ()
    default: bool = False
    text: str | None = None
    hash: str = ""

    def __hash__(self) -> int:
        return hash((self.name, self.hash))  # the generated one would walk the whole rubric

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the sub-scores, such as R1 to R5."""
        return tuple(s.id for s in self.subscores)

    @property
    def signature(self) -> str:
        """Name and hash: says whose wording a score rests on."""
        return f"{self.name}@{self.hash}"

    def band(self, score: float) -> str | None:
        """The name of the band that a score lies in.

        >>> from citemark import rubric
        >>> rubric("relevance").band(14)
        'highly relevant'
        """
        whole = int(score + 0.5)
        return next((b.name for b in self.bands if b.low <= whole <= b.high), None)


def content_hash(content: object) -> str:
    """A short hash of a rubric's content, which does not depend on how its file is laid out."""
    canonical = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("utf-8")).hexdigest()[:8]
