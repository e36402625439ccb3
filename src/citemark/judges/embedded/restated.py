"""Restated: what a source says again in other words, told by the terms that are the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import NamedTuple

from citemark.judges.embedded.lexicon import lexicon

SAME = 0.6
"""Two statements are one if they share this part of the weight of all their terms."""
_COMMON, _RARE = 0.4, 1.0
_MOST = 2000
"""Among more statements than this none are compared."""


class Told(NamedTuple):
    """Something said: its terms, and the sources that it is credited to."""

    terms: Set[str]
    sources: Set[int]
    rank: tuple[object, ...]
    """Of two that say the same, the one of lower rank stands for both."""


def standing_for(said: Sequence[Told]) -> list[int]:
    """For each thing said, the place of the one that stands for it: often itself.

    The order in which things are said does not matter.

    >>> tin = Told({"tin", "melt", "232", "easily"}, {1}, (2,))
    >>> again = Told({"tin", "melt", "232"}, {1}, (1,))
    >>> standing_for([tin, again]), standing_for([tin, again._replace(sources={2})])
    ([1, 1], [0, 1])
    """
    stands = list(range(len(said)))
    if len(said) > _MOST:
        return stands
    holders: dict[str, list[int]] = {}
    weights = _weights(said)
    for i in sorted(stands, key=lambda place: said[place].rank):
        terms, sources, _ = said[i]
        near: dict[int, float] = {}
        for term in terms:
            for j in holders.get(term, ()):
                near[j] = near.get(j, 0.0) + weights[term]
        own = sum(weights[term] for term in terms)
        for j, shared in near.items():
            other = said[j]
            rest = own + sum(weights[term] for term in other.terms) - shared
            if shared >= SAME * rest and sources & other.sources and _agree(terms, other.terms):
                stands[i] = j
                break
        else:
            for term in terms:
                holders.setdefault(term, []).append(i)
    return stands


def _weights(said: Sequence[Told]) -> Mapping[str, float]:
    common = lexicon().common
    return {t: _COMMON if t in common else _RARE for one in said for t in one.terms}


def _agree(left: Set[str], right: Set[str]) -> bool:
    """Whether two sets of terms hold the same numbers: other numbers are other facts."""
    return not any(term[0].isdigit() for term in left ^ right)
