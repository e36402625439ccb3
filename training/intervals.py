"""Fit the 80 % intervals to errors on answers that the model had not seen.

For each metric, the errors are sorted by the score given, in a few bins, and an interval reaches
from one quantile of its bin's errors to another. The quantiles are chosen so that four of five
scores of the LLM fall inside, once the ends are rounded to whole scores.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citemark.judges.embedded.intervals import Spread
from citemark.rubrics import DEFAULT_METRICS

Array = NDArray[np.float64]

LEVEL = 0.8
_BINS = 5
_TRIES = np.linspace(0.02, 0.25, 47)


def spread_of(expected: Array, llm: Array) -> Spread:
    """The spread of one metric whose intervals come nearest to the wanted coverage."""
    edges = np.quantile(expected, np.linspace(0, 1, _BINS + 1)[1:-1])
    place = np.searchsorted(edges, expected, side="right")
    error = llm - expected
    return min(
        (_spread(edges, place, error, float(tail)) for tail in _TRIES),
        key=lambda spread: abs(covered(spread, expected, llm) - LEVEL),
    )


def _spread(edges: Array, place: NDArray[np.int64], error: Array, tail: float) -> Spread:
    bins = [error[place == i] for i in range(len(edges) + 1)]
    # Where many scores are the same, a bin may be empty: nothing is known about it in particular.
    parts = [part if len(part) else error for part in bins]
    return Spread(
        tuple(round(float(edge), 2) for edge in edges),
        tuple(round(float(np.quantile(part, tail)), 2) for part in parts),
        tuple(round(float(np.quantile(part, 1 - tail)), 2) for part in parts),
    )


def covered(spread: Spread, expected: Array, llm: Array) -> float:
    """The share of the LLM's scores that lie within the intervals."""
    ends = np.array([spread.interval(float(value)) for value in expected])
    return float(((llm >= ends[:, 0]) & (llm <= ends[:, 1])).mean())


def ends(expected: Array, llm: Array, fold: NDArray[np.int64]) -> Array:
    """The interval of every score by a spread fitted to the other folds: (rows, metrics, 2)."""
    found = np.zeros((*expected.shape, 2))
    for i in range(expected.shape[1]):
        for one in np.unique(fold):
            test = fold == one
            spread = spread_of(expected[~test, i], llm[~test, i])
            found[test, i] = [spread.interval(float(value)) for value in expected[test, i]]
    return found


def write(tiers: dict[str, list[Spread]], path: Path) -> None:
    """Write the spreads of every tier as TOML."""
    lines = ["# 80 % intervals, from errors on answers that the model had not seen (training)."]
    for tier, spreads in tiers.items():
        for metric, spread in zip(DEFAULT_METRICS, spreads, strict=True):
            lines += [
                "",
                f'["{tier}".{metric}]',
                f"edges = {list(spread.edges)}",
                f"down = {list(spread.down)}",
                f"up = {list(spread.up)}",
            ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_over(tiers: dict[str, list[Spread]], path: Path) -> None:
    """Write the spreads of some tiers, and keep those that the file has of others."""
    known: dict[str, list[Spread]] = {}
    if path.is_file():
        for tier, metrics in tomllib.loads(path.read_text(encoding="utf-8")).items():
            entries = [metrics[metric] for metric in DEFAULT_METRICS]
            known[tier] = [
                Spread(tuple(e["edges"]), tuple(e["down"]), tuple(e["up"])) for e in entries
            ]
    both = known | tiers
    write({tier: both[tier] for tier in sorted(both)}, path)
