"""Match: how well what is said fits the query."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

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
