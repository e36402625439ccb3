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
_CLAUSE = 3
"""So many words together are a clause, not a subject that several sentences share."""
_NOWHERE: frozenset[int] = frozenset()
_SAME = 0.85
"""Sentences that are as near to each other as this say the same: none of them bears on another."""


class Topic:
    """The sentences of an answer, each of them once, for asking what bears on them."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        self._companies: dict[tuple[str, ...], tuple[list[int], float]] = {}

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
        others, length = self._company(telling(self._texts[sentence]))
        holding = self._holding(words)
        if holding:
            others = [other for other in others if other not in holding]
        if not others:
            return UNKNOWN
        if words in self._place:
            near = self._near[self._place[words]]
        else:
            near = _product(self._vectors, _vectors([words])[0])
        to_others: list[float] = sorted(near[others].tolist())
        common = sum(to_others) / length
        near_some = to_others[-min(_PLACE + 1, len(to_others))]
        return common + near_some / 2 + self._shared(words, others) / 2

    def _holding(self, words: tuple[str, ...]) -> frozenset[int]:
        """The sentences that hold the whole clause: saying it often gives it nothing to bear on."""
        stems = {stem(word) for word in words}
        if len(stems) < _CLAUSE:
            return _NOWHERE
        first, *rest = (self._holders.get(one, _NOWHERE) for one in stems)
        return frozenset(first).intersection(*rest)

    def _shared(self, words: tuple[str, ...], others: Sequence[int]) -> float:
        """The part of the words that other sentences hold, in whatever form."""
        stems = set(map(stem, words))
        held = [not self._holders.get(one, _NOWHERE).isdisjoint(others) for one in stems]
        return sum(held) / len(stems)

    @cached_property
    def _place(self) -> dict[tuple[str, ...], int]:
        """The telling words of each sentence, and its number."""
        found: dict[tuple[str, ...], int] = {}
        for words in map(telling, self._texts):
            if words:
                found.setdefault(words, len(found))
        return found

    @cached_property
    def _vectors(self) -> Floats:
        return _vectors(list(self._place))

    @cached_property
    def _near(self) -> Floats:
        """How near the sentences are to each other."""
        return _product(self._vectors, self._vectors.T)

    def _company(self, words: tuple[str, ...]) -> tuple[list[int], float]:
        """The sentences that say something else, and how long the sum of their vectors is."""
        known = self._companies.get(words)
        if known is None:
            own = self._place.get(words)
            apart = self._near[own] < _SAME if own is not None else np.ones(len(self._place), bool)
            total = float(self._near[apart][:, apart].sum())
            length = float(np.sqrt(max(total, 0.0)))
            known = self._companies[words] = apart.nonzero()[0].tolist(), max(length, 1e-9)
        return known

    @cached_property
    def _holders(self) -> dict[str, set[int]]:
        """The sentences in which each word stands."""
        found: dict[str, set[int]] = {}
        for place, words in enumerate(self._place):
            for word in words:
                found.setdefault(stem(word), set()).add(place)
        return found


@lru_cache(maxsize=1 << 13)
def telling(text: str) -> tuple[str, ...]:
    """The words of a text that are not grammar, in small letters."""
    return tuple(word for word in words_of(text) if kind_of(word) != _GRAMMAR)


def _product(left: Floats, right: Floats) -> Floats:
    """The matrix product, without the warnings of invalid values that ``@`` gives now and then.

    They come of what the linear algebra library finds beside small matrices, and mean nothing.
    """
    return np.asarray(np.dot(left, right))


def stems_of(text: str) -> frozenset[str]:
    """The stems of a text's telling words."""
    return frozenset(map(stem, telling(text)))


def _vectors(texts: Sequence[tuple[str, ...]]) -> Floats:
    """What the words of some texts are about, as vectors of length 1; rare words count for more."""
    embedder = static_embedder()
    known = [embedder.word(word) for words in texts for word in words]
    rows = embedder.vectors(known)
    lengths = np.maximum(np.sqrt(np.einsum("ij,ij->i", rows, rows)), 1e-9)
    rarity = np.array([max(word.rarity, _LEAST_RARITY) for word in known], dtype=np.float32)
    starts = np.cumsum([0, *map(len, texts[:-1])])
    totals = np.add.reduceat(rows * (rarity / lengths)[:, None], starts)
    lengths = np.maximum(np.sqrt(np.einsum("ij,ij->i", totals, totals)), 1e-9)
    return np.asarray(totals / lengths[:, None], dtype=np.float32)
