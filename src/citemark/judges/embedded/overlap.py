"""Overlap: how far the answer's other sources say the same as a source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from citemark.judges.embedded.statements import Reading, Statement
from citemark.judges.embedded.terms import weight

_FREQUENT = 32
"""A term in more statements than this tells none of them apart, and is not followed."""
_NEIGHBOURS = 12
"""So many of the statements nearest to a statement are kept."""


@dataclass(frozen=True, slots=True)
class Overlap:
    """What several sources of an answer say."""

    closeness: Mapping[int, tuple[float, ...]]
    """For each source and each of its statements, how near another source comes to it (0 to 1)."""


def overlap_of(reading: Reading) -> Overlap:
    """The overlap of every source with the others of an answer."""
    statements = reading.statements
    postings: dict[str, list[int]] = {}
    for i, statement in enumerate(statements):
        for term in statement.unit.terms:
            postings.setdefault(term, []).append(i)
    closeness: dict[int, list[float]] = {source: [] for source in reading.by_source}
    for i, statement in enumerate(statements):
        if statement.credit:
            _add_closeness(closeness, statement, _neighbours(i, statements, postings), statements)
    return Overlap({source: tuple(values) for source, values in closeness.items()})


def _add_closeness(
    closeness: dict[int, list[float]],
    statement: Statement,
    neighbours: list[tuple[float, int]],
    statements: Sequence[Statement],
) -> None:
    # Of m sources that are cited for one statement, the others are m - 1 parts of its support.
    shared = 1.0 - 1.0 / max(1.0, sum(statement.credit.values()))
    for source in statement.credit:
        outside = (near for near, j in neighbours if source not in statements[j].credit)
        closeness[source].append(max(shared, next(outside, 0.0)))


def _neighbours(
    i: int, statements: Sequence[Statement], postings: Mapping[str, list[int]]
) -> list[tuple[float, int]]:
    """The nearest cited statements, the nearest first: the cosine of their weighted terms."""
    shared: dict[int, float] = {}
    for term in statements[i].unit.terms:
        holders = postings[term]
        if 1 < len(holders) <= _FREQUENT:
            value = weight(term)
            for j in holders:
                shared[j] = shared.get(j, 0.0) + value
    mass = statements[i].unit.mass
    near = [
        (min(1.0, value / sqrt(mass * statements[j].unit.mass)), j)
        for j, value in shared.items()
        if j != i and statements[j].credit
    ]
    near.sort(reverse=True)
    return near[:_NEIGHBOURS]
