"""Match: how well what is said fits the query, and how near it is to the rest of the answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import sqrt

from citemark.judges.embedded.statements import Statement
from citemark.judges.embedded.terms import terms_of, weight


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked: its terms with their weights."""

    terms: Mapping[str, float]
    mass: float

    def covered(self, terms: Iterable[str]) -> float:
        """The share of the query, by weight, that these (different) terms take up.

        >>> read_query("Why is copper red?").covered(["copper", "wire"]) > 0.5
        True
        """
        if not self.mass:
            return 0.0
        return sum(self.terms.get(term, 0.0) for term in terms) / self.mass


def read_query(query: str) -> Query:
    """A query, ready to be matched."""
    terms = {term: weight(term) for term in terms_of(query)}
    return Query(terms, sum(terms.values()))


def best_match(statements: Iterable[Statement], query: Query, cited_in: set[int]) -> float:
    """How much of the query the best of some sentences takes up."""
    sentences: dict[int, set[str]] = {}
    for statement in statements:
        hits = [term for term in statement.unit.terms if term in query.terms]
        for n in statement.sentences:
            if hits and n in cited_in:
                sentences.setdefault(n, set()).update(hits)
    return max((query.covered(sorted(terms)) for terms in sentences.values()), default=0.0)


def vector(statements: Iterable[Statement]) -> dict[str, float]:
    """The terms of some statements with their weights added up."""
    sums: dict[str, float] = {}
    for statement in statements:
        for term in statement.unit.terms:
            sums[term] = sums.get(term, 0.0) + weight(term)
    return sums


def square(values: Mapping[str, float]) -> float:
    """The sum of the squares of a vector."""
    return sum(value * value for value in values.values())


def closeness_to_rest(own: Mapping[str, float], whole: Mapping[str, float], norm: float) -> float:
    """The cosine between what a source says and the rest of the answer.

    ``norm`` is the square of ``whole``, which is the same for every source.
    """
    own_norm = square(own)
    both = sum(value * whole[term] for term, value in own.items())
    rest_norm = norm - 2 * both + own_norm
    if rest_norm <= 1e-9 or own_norm <= 0:
        return 0.0  # the source says everything there is: no rest to be near to
    return min(1.0, max(0.0, (both - own_norm) / sqrt(rest_norm * own_norm)))
