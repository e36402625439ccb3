"""Match: how well what is said fits the query, and how near it is to the rest of the answer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from citemark.judges.embedded.lexicon import lexicon
from citemark.judges.embedded.statements import Statement
from citemark.judges.embedded.units import Unit, terms_of, weight

_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked: the terms with their weights, and the kinds of answer that would fit."""

    terms: Mapping[str, float]
    kinds: tuple[str, ...]
    mass: float

    def covered(self, terms: Iterable[str]) -> float:
        """The share of the query, by weight, that these terms take up."""
        if not self.terms:
            return 0.0
        return sum(self.terms.get(term, 0.0) for term in terms) / self.mass


def read_query(query: str) -> Query:
    """A query, ready to be matched.

    >>> read_query("Why is the sky blue?").kinds
    ('cause',)
    """
    words = {word.casefold() for word in _WORD.findall(query)}
    terms = {term: weight(term) for term in terms_of(query)}
    kinds = tuple(kind for kind, signs in lexicon().asks if words & signs)
    return Query(terms, kinds, sum(terms.values()))


def answers_kind(unit: Unit, query: Query) -> bool:
    """Whether a unit has what the query asks for: a number for "how many", a name for "who" ..."""
    return any(_has(unit, kind) for kind in query.kinds)


def _has(unit: Unit, kind: str) -> bool:
    if kind in ("time", "number"):
        return unit.numbers > 0
    if kind in ("person", "place"):
        return unit.names > 0
    if kind == "cause":
        return unit.causes > 0
    return unit.contrasts > 0


def vector(statements: Sequence[Statement]) -> dict[str, float]:
    """The terms of some statements with their weights added up."""
    sums: dict[str, float] = {}
    for statement in statements:
        for term in statement.terms:
            sums[term] = sums.get(term, 0.0) + weight(term)
    return sums


def closeness_to_rest(own: Mapping[str, float], whole: Mapping[str, float], norm: float) -> float:
    """The cosine between what a source says and the rest of the answer.

    ``norm`` is the sum of the squares of ``whole``, which is the same for every source.
    """
    own_norm = sum(value * value for value in own.values())
    both = sum(value * whole[term] for term, value in own.items())
    rest_norm = norm - 2 * both + own_norm
    if rest_norm <= 1e-9 or own_norm <= 0:
        return 0.0
    return max(0.0, (both - own_norm) / sqrt(rest_norm * own_norm))
