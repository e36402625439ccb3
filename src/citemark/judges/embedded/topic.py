"""The topic of an answer: what its sentences have in common, told by static word vectors.

What bears on nothing else in the answer is either empty talk or an aside.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from citemark.judges.embedded.emptiness import kind_of, words_of
from citemark.judges.embedded.lexicon import stem
from citemark.judges.embedded.static import static_embedder

Floats = NDArray[np.float32]

USUAL = 1.1
"""How much half of all clauses in real answers bear on the rest; empty phrases .4 or less."""
UNKNOWN = 0.75
"""Half way between both: in an answer of fewer or more different sentences than these."""
_FEWEST, _MOST = 3, 400
_LEAST_RARITY = 0.05
_PLACE = 2
"""Nearness to a few others counts, not to one alone: two asides may be like each other."""
_GRAMMAR = 1
_SAME = 0.85
"""Sentences that are as near to each other as this say the same: none of them bears on another."""


class Topic:
    """The sentences of an answer, each of them once, for asking what bears on them."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._words = list(map(telling, texts))
        self._place: dict[tuple[str, ...], int] = {}
        for words in self._words:
            if words:
                self._place.setdefault(words, len(self._place))

    def bearing(self, clause: str, sentence: int) -> float:
        """How much a clause of a sentence has to do with the other sentences: about 0 to 2.

        >>> topic = Topic(["Tin melts at 232 degrees.", "Lead melts at 327 degrees.",
        ...                "Copper needs far more heat to melt.", "Readers love it."])
        >>> round(topic.bearing("Lead melts at 327 degrees", 1), 1)
        1.0
        >>> round(topic.bearing("Readers love it", 3), 1)
        0.2
        """
        if not _FEWEST <= len(self._place) <= _MOST:
            return UNKNOWN
        words = telling(clause)
        if not words:
            return 0.0
        own = self._place.get(self._words[sentence], -1)
        vector = _vector(words)
        others = self._others[own] if own >= 0 else self._every
        if not len(others):
            return UNKNOWN
        rows = self._vectors[others]
        middle, near = rows.sum(0), np.sort(rows @ vector)
        common = float(middle @ vector) / max(float(np.sqrt(middle @ middle)), 1e-9)
        near_some = float(near[-min(_PLACE + 1, len(near))])
        return common + near_some / 2 + self._shared(words, others) / 2

    def _shared(self, words: tuple[str, ...], others: NDArray[np.intp]) -> float:
        """The part of the words that other sentences hold, in whatever form."""
        stems = set(map(_stem, words))
        return sum(self._held(one, others) for one in stems) / len(stems)

    def _held(self, one: str, others: NDArray[np.intp]) -> bool:
        holders = self._holders.get(one)
        return holders is not None and not holders.isdisjoint(others.tolist())

    @cached_property
    def _vectors(self) -> Floats:
        return np.stack(list(map(_vector, self._place)))

    @cached_property
    def _every(self) -> NDArray[np.intp]:
        return np.arange(len(self._place))

    @cached_property
    def _others(self) -> list[NDArray[np.intp]]:
        """For each sentence, those that say something else."""
        return [np.flatnonzero(row) for row in self._vectors @ self._vectors.T < _SAME]

    @cached_property
    def _holders(self) -> dict[str, set[int]]:
        """The sentences in which each word stands."""
        found: dict[str, set[int]] = {}
        for place, words in enumerate(self._place):
            for word in words:
                found.setdefault(_stem(word), set()).add(place)
        return found


@lru_cache(maxsize=1 << 13)
def telling(text: str) -> tuple[str, ...]:
    """The words of a text that are not grammar, in small letters."""
    return tuple(word for word in words_of(text) if kind_of(word) != _GRAMMAR)


def stems_of(text: str) -> frozenset[str]:
    """The stems of a text's telling words."""
    return frozenset(map(_stem, telling(text)))


@lru_cache(maxsize=1 << 15)
def _stem(word: str) -> str:
    return stem(word)


@lru_cache(maxsize=1 << 12)
def _vector(words: tuple[str, ...]) -> Floats:
    """What some words are about, as a vector of length 1; rare words count for more."""
    embedder = static_embedder()
    known = list(map(embedder.word, words))
    rows = embedder.vectors(known)
    lengths = np.maximum(np.sqrt(np.einsum("ij,ij->i", rows, rows)), 1e-9)
    rarity = np.array([max(word.rarity, _LEAST_RARITY) for word in known], dtype=np.float32)
    total = (rarity / lengths) @ rows
    return np.asarray(total / max(float(np.sqrt(total @ total)), 1e-9), dtype=np.float32)
