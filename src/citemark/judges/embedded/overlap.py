"""Overlap: how far the answer's other sources say the same as a source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from citemark.judges.embedded.statements import Statement
from citemark.judges.embedded.units import weight

_FREQUENT = 64
"""A term in more statements than this tells none of them apart, and is not followed."""
_NEIGHBOURS = 12
"""So many of the statements nearest to a statement are kept."""


@dataclass(frozen=True, slots=True)
class Overlap:
    """What is said twice in an answer, and what by one source only."""

    nearest: Mapping[int, float]
    """For each source, how close another source comes to what it says (0 to 1)."""
    fallen: Mapping[int, float]
    """For each source, the share of the answer's terms that falls away without it."""


def overlap_of(statements: Sequence[Statement]) -> Overlap:
    """The overlap of every source with the others of an answer."""
    postings: dict[str, list[int]] = {}
    for i, statement in enumerate(statements):
        for term in statement.terms:
            postings.setdefault(term, []).append(i)
    return Overlap(_nearest(statements, postings), _fallen(statements, postings))


def _nearest(statements: Sequence[Statement], postings: Mapping[str, list[int]]) -> dict[int, float]:
    """The mean over a source's statements, by mass, of the nearest one of another source.

    A statement that others are cited for too is said by them in full.
    """
    near: dict[int, float] = {}
    mass: dict[int, float] = {}
    for i, statement in enumerate(statements):
        if not statement.credit:
            continue
        others = 1.0 - 1.0 / sum(statement.credit.values()) if len(statement.credit) > 1 else 0.0
        neighbours = _neighbours(i, statements, postings)
        for source, credit in statement.credit.items():
            outside = (s for s, j in neighbours if source not in statements[j].credit)
            closest = max(others, next(outside, 0.0), 0.0)
            near[source] = near.get(source, 0.0) + credit * statement.mass * closest
            mass[source] = mass.get(source, 0.0) + credit * statement.mass
    return {source: near[source] / mass[source] for source in near}


def _neighbours(
    i: int, statements: Sequence[Statement], postings: Mapping[str, list[int]]
) -> list[tuple[float, int]]:
    """The nearest cited statements, the nearest first: the cosine of their weighted terms."""
    shared: Counter[int] = Counter()
    for term in statements[i].terms:
        holders = postings[term]
        if len(holders) <= _FREQUENT:
            value = weight(term)
            for j in holders:
                shared[j] += value  # type: ignore[assignment]
    del shared[i]
    mass = statements[i].mass
    near = [
        (value / sqrt(mass * statements[j].mass), j)
        for j, value in shared.items()
        if statements[j].credit
    ]
    near.sort(reverse=True)
    return near[:_NEIGHBOURS]


def _fallen(statements: Sequence[Statement], postings: Mapping[str, list[int]]) -> dict[int, float]:
    """The share of the terms that only a source's statements hold, divided among its equals."""
    fallen: dict[int, float] = {}
    total = 0.0
    for term, holders in postings.items():
        value = weight(term)
        total += value
        keepers = set(statements[holders[0]].credit)
        for i in holders[1:]:
            if not keepers:
                break
            keepers &= statements[i].credit.keys()
        for source in keepers:
            fallen[source] = fallen.get(source, 0.0) + value / len(keepers)
    return {source: value / total for source, value in fallen.items()}
