"""Specificity: how particular what is said is, from numbers, names, and rare or generic words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2

from citemark.judges.embedded.statements import Statement
from citemark.judges.embedded.units import Unit


@dataclass(frozen=True, slots=True)
class Specificity:
    """How particular a source's statements are; the counts grow ever more slowly (log2)."""

    numbers: float
    names: float
    causes: float
    contrasts: float
    rare_best: float
    """The share of rare words in the most particular statement."""
    generic: float
    """The share of words that would fit into almost any answer."""
    hedged: float
    """The share of statements that are weakened."""


def specificity_of(statements: Sequence[Statement], source: int) -> Specificity:
    """The specificity of the statements of a source."""
    numbers = names = causes = contrasts = 0.0
    terms = generic = hedged = 0
    rare_best = 0.0
    for statement in statements:
        unit, credit = statement.unit, statement.credit[source]
        numbers += credit * unit.numbers
        names += credit * unit.names
        causes += credit * unit.causes
        contrasts += credit * unit.contrasts
        terms += len(unit.terms)
        generic += unit.generic
        hedged += unit.hedges > 0
        # Two words more than there are: a clause of one rare word is not the most particular.
        rare_best = max(rare_best, unit.rare / (len(unit.terms) + 2))
    return Specificity(
        numbers=log2(1 + numbers),
        names=log2(1 + names),
        causes=log2(1 + causes),
        contrasts=log2(1 + contrasts),
        rare_best=rare_best,
        generic=generic / max(1, terms),
        hedged=hedged / max(1, len(statements)),
    )


def particulars(unit: Unit) -> float:
    """How much in one unit is particular, to choose the sentences that show it."""
    return 2 * unit.numbers + unit.names + unit.rare - unit.generic
