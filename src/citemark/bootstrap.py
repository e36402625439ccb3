"""Bootstrap intervals: how far a mean could move if other queries had been asked.

What is drawn again is the query, not the single score: scores of one answer hang together,
and an interval that ignored this would be too narrow. The ends are the percentiles of the
redrawn means, taken a little further out when there are few queries (by the factor that turns
a normal quantile into Student's), because plain percentiles cover too little there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import fsum, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Draws = NDArray[Any]

FEWEST = 5
"""With fewer queries an interval says more about chance than about the mean."""
_CELLS = 1_000_000
"""How many draws are in memory at a time."""

Interval = tuple[float, float]


def mean_interval(
    groups: Sequence[Sequence[float]], *, level: float = 0.95, seed: int = 0, rounds: int = 2000
) -> Interval | None:
    """The bootstrap interval of the mean over all values, where each group is one query.

    Groups are drawn with replacement; a group without values is none. The same groups in any
    order give the same interval; fewer than five give None.

    >>> low, high = mean_interval([[12], [14, 13], [9], [15], [11]])
    >>> round(low, 1), round(high, 1)
    (9.6, 14.4)
    >>> mean_interval([[12.0], [14.0]]) is None
    True
    """
    filled = [group for group in groups if group]
    if len(filled) < FEWEST:
        return None
    parts = sorted((fsum(group), float(len(group))) for group in filled)
    means = _redrawn(parts, seed, rounds, lambda sums: sums[:, 0] / sums[:, 1])
    values = [value for group in filled for value in group]
    return _ends(means, len(parts), level, min(values), max(values))


def difference_interval(
    before: Sequence[Sequence[float]],
    after: Sequence[Sequence[float]],
    *,
    level: float = 0.95,
    seed: int = 0,
    rounds: int = 2000,
) -> Interval | None:
    """The bootstrap interval of ``mean(after) - mean(before)``, paired by query.

    The groups at the same place belong to the same query and are drawn together; a query that
    lacks values on one side is left out. Fewer than five pairs give None.

    >>> difference_interval([[8], [9], [7], [12], [10]], [[10], [10], [10], [13], [13]])
    (1.0, 3.0)
    """
    if len(before) != len(after):
        raise ValueError("before and after must hold the same queries, in the same order")
    pairs = [(old, new) for old, new in zip(before, after, strict=True) if old and new]
    if len(pairs) < FEWEST:
        return None
    parts = sorted((fsum(old), float(len(old)), fsum(new), float(len(new))) for old, new in pairs)
    gaps = _redrawn(
        parts, seed, rounds, lambda sums: sums[:, 2] / sums[:, 3] - sums[:, 0] / sums[:, 1]
    )
    if all(len(old) == len(new) == 1 for old, new in pairs):
        single = [new[0] - old[0] for old, new in pairs]
        return _ends(gaps, len(parts), level, min(single), max(single))
    old_values = [value for old, _ in pairs for value in old]
    new_values = [value for _, new in pairs for value in new]
    least, most = min(new_values) - max(old_values), max(new_values) - min(old_values)
    return _ends(gaps, len(parts), level, least, most)


def _redrawn(
    parts: Sequence[tuple[float, ...]], seed: int, rounds: int, figure: Callable[[Draws], Draws]
) -> Draws:
    """The figure of every round: groups drawn with replacement and their parts added up."""
    import numpy as np  # takes a moment to import

    table = np.array(parts, dtype=np.float64)
    # The legacy generator: its numbers are promised never to change between versions.
    generator = np.random.RandomState(seed)
    at_once = max(1, _CELLS // len(parts))
    figures = []
    for start in range(0, rounds, at_once):
        shape = (min(at_once, rounds - start), len(parts))
        drawn = generator.randint(0, len(parts), shape, dtype=np.int32)
        sums = np.stack([column[drawn].sum(axis=1) for column in table.T], axis=1)
        figures.append(figure(sums))
    return np.sort(np.concatenate(figures))


def _ends(figures: Draws, groups: int, level: float, least: float, most: float) -> Interval:
    """The two percentiles, never outside of what any draw could give."""
    import numpy as np

    tail = _tail(groups, level)
    low, high = np.quantile(figures, (tail, 1 - tail))
    # Rounding in the last bits must not carry a mean beyond its own values.
    return min(max(float(low), least), most), max(min(float(high), most), least)


def _tail(groups: int, level: float) -> float:
    """The share of draws outside of each end, so that few groups are not overtrusted."""
    normal = NormalDist()
    z = normal.inv_cdf((1 + level) / 2)
    return normal.cdf(-sqrt(groups / (groups - 1)) * _student(z, groups - 1))


def _student(z: float, freedom: int) -> float:
    """Student's quantile from the normal one, by the Cornish-Fisher series."""
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return fsum(term / freedom**power for power, term in enumerate(terms))
