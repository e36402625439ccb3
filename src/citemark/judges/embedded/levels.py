"""Levels: from the features of a source to its five sub-scores per metric.

Every level is a base and a few weighted features, cut to the scale of 0 to 4. Which
features, with which weights, stands in ``levels.toml``.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from operator import attrgetter

from citemark.judges.embedded.evidence import Trait
from citemark.judges.embedded.features import Features
from citemark.rubrics import LEVELS

TOP = LEVELS - 1


@dataclass(frozen=True, slots=True)
class Scale:
    """How the level of one sub-score is made, and what its evidence shows."""

    base: float
    features: attrgetter[tuple[float, ...]]
    weights: tuple[float, ...]
    shows: Trait

    def level(self, features: Features) -> float:
        """The level as an unrounded number from 0 to 4."""
        values = self.features(features)
        raw = self.base + sum(w * v for w, v in zip(self.weights, values, strict=True))
        return min(float(TOP), max(0.0, raw))


@cache
def scales() -> dict[str, Scale]:
    """The scale of every sub-score, by its id."""
    text = (files("citemark.judges.embedded") / "levels.toml").read_text(encoding="utf-8")
    return {name: _scale(entry) for name, entry in tomllib.loads(text).items()}


def _scale(entry: dict[str, float | str]) -> Scale:
    weights = {k: float(v) for k, v in entry.items() if k not in ("base", "shows")}
    return Scale(
        base=float(entry["base"]),
        features=attrgetter(*weights),
        weights=tuple(weights.values()),
        shows=Trait(entry["shows"]),
    )


def rounded(level: float) -> int:
    """A level as the whole number that the scorecard shows (halves go up)."""
    return int(level + 0.5)
