"""The judge ``embedded`` is a mixture: part network, part kernel, with its own parts per sub-score.

The parts are fitted to predictions for answers that neither model had seen, where the mixture
errs least; each is drawn half way to the part that is best for all sub-scores together, because
25 separate ones would follow the noise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citemark.judges.embedded.opening import FACTS
from training.feature_model import Table, stretch_of
from training.judged import SUBSCORES, Array
from training.lift import lift_of

TOP = 4.0
HALF_WAY = 0.5
EVEN = 0.5


@dataclass(frozen=True, slots=True)
class Mixture:
    """How two predictions become one."""

    weights: Array
    """(25,): the network's part of each sub-score; the rest is the kernel's."""
    base: Array
    """(25,): the LLM's mean levels, about which levels are drawn apart."""
    stretch: Array
    """(25,): how far they are drawn apart."""
    lift: Array
    """(facts, 25): what a source gains by the opening before it."""

    def levels(self, network: Array, kernel: Array, opening: Array) -> Array:
        """The mixed levels on the scale of 0 to 4: (rows, 25)."""
        mixed = self.weights * network + (1 - self.weights) * kernel + opening @ self.lift
        return np.clip(self.base + self.stretch * (mixed - self.base), 0, TOP)


def even() -> Mixture:
    """Half of each, as they are: where there is nothing to fit a mixture to."""
    no_lift = np.zeros((FACTS, SUBSCORES))
    return Mixture(np.full(SUBSCORES, EVEN), np.zeros(SUBSCORES), np.ones(SUBSCORES), no_lift)


def fit_mixture(
    network: Array, kernel: Array, opening: Array, levels: Array, weight: Array
) -> Mixture:
    """The mixture that errs least on predictions for unseen answers, drawn apart as the LLM is."""
    weights = parts_of(network, kernel, levels, weight)
    mixed = weights * network + (1 - weights) * kernel
    lift = lift_of(levels - mixed, opening, weight)
    base = np.average(levels, axis=0, weights=weight)
    stretch = stretch_of(levels, mixed + opening @ lift).astype(np.float64)
    return Mixture(weights, base, stretch, lift)


def parts_of(network: Array, kernel: Array, levels: Array, weight: Array) -> Array:
    """The network's part of each sub-score, between 0 and 1."""
    scale = levels.std(0) + 1e-6
    apart, wanted = (network - kernel) / scale, (levels - kernel) / scale
    along = (weight[:, None] * apart * wanted).sum(0)
    across = (weight[:, None] * apart**2).sum(0)
    common = float(along.sum() / max(float(across.sum()), 1e-9))
    own = np.where(across > 0, along / np.maximum(across, 1e-9), common)
    drawn = HALF_WAY * np.clip(own, 0, 1) + (1 - HALF_WAY) * np.clip(common, 0, 1)
    return np.asarray(drawn, dtype=np.float64)


def cross_fitted(network: Array, kernel: Array, table: Table) -> Array:
    """The mixed levels of every row, by a mixture fitted to the other folds.

    With one fold alone there is nothing to fit to: half of each. Where a source says nothing,
    every level is 0.
    """
    found = np.zeros_like(table.levels)
    for one in np.unique(table.fold):
        test, others = table.fold == one, (table.fold != one) & table.said
        mixture = fit_rows(network, kernel, table, others) if others.any() else even()
        found[test] = mixture.levels(network[test], kernel[test], table.opening[test])
    found[~table.said] = 0
    return found


def fit_rows(network: Array, kernel: Array, table: Table, rows: NDArray[np.bool_]) -> Mixture:
    """The mixture that some rows of a table ask for."""
    return fit_mixture(
        network[rows], kernel[rows], table.opening[rows], table.levels[rows], table.weight[rows]
    )
