"""Intervals: how far the LLM's score may lie from ours, four times out of five.

They come from the errors that were made on answers the model had not seen, sorted by the score
that was given (``intervals.toml``).
"""

from __future__ import annotations

import tomllib
from bisect import bisect_right
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

LOWEST, HIGHEST = 1, 20


@dataclass(frozen=True, slots=True)
class Spread:
    """The errors of one metric: below each edge, how far down and up the interval reaches."""

    edges: tuple[float, ...]
    down: tuple[float, ...]
    up: tuple[float, ...]

    def interval(self, expected: float) -> tuple[int, int]:
        """The interval around an expected score.

        >>> Spread((10.0,), (-2.0, -3.0), (2.0, 1.4)).interval(12.25)
        (9, 14)
        """
        place = bisect_right(self.edges, expected)
        low, high = whole(expected + self.down[place]), whole(expected + self.up[place])
        return low, max(low, high)


def whole(value: float) -> int:
    """The nearest whole score; halves go up."""
    return min(HIGHEST, max(LOWEST, int(value + 0.5)))


@cache
def spreads(tier: str) -> dict[str, Spread]:
    """The spreads of a tier's metrics."""
    text = (files("citemark.judges.embedded") / "intervals.toml").read_text(encoding="utf-8")
    return {
        metric: Spread(tuple(entry["edges"]), tuple(entry["down"]), tuple(entry["up"]))
        for metric, entry in tomllib.loads(text)[tier].items()
    }
