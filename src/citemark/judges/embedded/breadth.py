"""Breadth: how many things a source says, and how many different ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2, sqrt

from citemark.judges.embedded.match import Query
from citemark.judges.embedded.statements import Statement
from citemark.judges.embedded.units import weight

_EMPTY_UNIT, _FULL_UNIT = 0.8, 3.0
"""A unit of the first mass counts for nothing, one of the second in full, others in between."""


@dataclass(frozen=True, slots=True)
class Breadth:
    """How much and how varied a source's statements are; all but ``second`` as log2."""

    units: float
    points: float
    """Distinct sentences."""
    aspects: float
    second: float
    """How far there is more than a single marginal unit: 0 to 1."""


def breadth_of(statements: Sequence[Statement], source: int, query: Query) -> Breadth:
    """The breadth of the statements of a source."""
    units = points = 0.0
    for statement in statements:
        substance = (statement.unit.mass - _EMPTY_UNIT) / (_FULL_UNIT - _EMPTY_UNIT)
        unit = statement.credit[source] * min(1.0, max(0.0, substance))
        units += unit
        points += unit * statement.part
    return Breadth(
        units=log2(1 + units),
        points=log2(1 + points),
        aspects=log2(max(1.0, _aspects(statements, source, query))),
        second=min(1.0, units / 2),
    )


def _aspects(statements: Sequence[Statement], source: int, query: Query) -> float:
    """The effective number of different and evenly treated subjects.

    It is 1 over the mean similarity of two statements drawn at random, which counts n
    unrelated statements as n and n of the same content as 1. That mean is the square of
    the mean vector, so that no two statements need to be compared. The query's own words
    are left out: every aspect of the answer may name its subject.
    """
    sums: dict[str, float] = {}
    total = 0.0
    for statement in statements:
        terms = [(t, weight(t)) for t in statement.unit.terms if t not in query.terms]
        norm = sqrt(sum(value * value for _, value in terms))
        if not norm:
            continue
        credit = statement.credit[source]
        total += credit
        for term, value in terms:
            sums[term] = sums.get(term, 0.0) + credit * value / norm
    if not total:
        return 1.0
    return total * total / sum(value * value for value in sums.values())
