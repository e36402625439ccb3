"""Asked: a query as arrays, ready to be held against what an answer says."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from citemark.judges.embedded.static import StaticEmbedder
from citemark.judges.embedded.terms import terms_with_words
from citemark.judges.embedded.vectors import Floats, unit, unit_rows

LEAST_RARITY = 0.1
"""A word counts as at least this rare."""
_LONG_QUERY = 64
"""Of a longer query, so many terms are looked at: the rarest."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The query as arrays: its terms, what they weigh, and its vector."""

    words: tuple[str, ...]
    weights: Floats
    """How much each term says: by its rarity."""
    vectors: Floats
    """Of length 1 each."""
    vector: Floats


def ask(query: str, embedder: StaticEmbedder) -> tuple[Asked, dict[str, str]]:
    """Read a query; its terms with their words too."""
    terms = terms_with_words(query)
    if len(terms) > _LONG_QUERY:
        rarest = sorted(terms, key=lambda t: (-embedder.word(terms[t]).rarity, t))[:_LONG_QUERY]
        terms = {term: terms[term] for term in rarest}
    known = [embedder.word(word) for word in terms.values()]
    rows = embedder.vectors(known)
    rarity = np.array([word.rarity for word in known], dtype=np.float32)
    weights = np.maximum(rarity, np.float32(LEAST_RARITY))
    return Asked(tuple(terms.values()), weights, unit_rows(rows), unit(rows.sum(0))), terms
