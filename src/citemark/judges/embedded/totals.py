"""From the levels of a metric to its score: a total between 1 and 20."""

from __future__ import annotations

from collections.abc import Iterable
from math import exp, log1p

_LOWEST, _HIGHEST = 1.0, 20.0
_SOFT = 0.6
"""How gently totals come to rest on the lowest score."""


def total_of(levels: Iterable[float]) -> float:
    """The score that some levels add up to.

    Levels may lie below 0: the further below, the nearer the score comes to 1, so that sources
    with next to nothing keep their order.

    >>> [round(total_of([level] * 5), 2) for level in (2.0, 0.2, -0.2, -2.0)]
    [10.0, 1.42, 1.02, 1.0]
    """
    above = sum(levels) - _LOWEST
    return min(_HIGHEST, _LOWEST + max(0.0, above) + _SOFT * log1p(exp(-abs(above) / _SOFT)))
