"""The judge ``embedded`` is a mixture: part network, part kernel, with its own parts per sub-score.

The parts are fitted to predictions for answers that neither model had seen, where the mixture errs
least: one for the level of the whole answer, where the kernel has more to say, and one for how far
each source stands above or below it.
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
EVEN = 0.5


@dataclass(frozen=True, slots=True)
class Mixture:
    """How two predictions become one."""

    whole: Array
    """(25,): the network's part of the answer's mean level; the rest is the kernel's."""
    within: Array
    """(25,): its part of what is above or below that mean."""
    base: Array
    """(25,): the LLM's mean levels, about which levels are drawn apart."""
    stretch: Array
    """(25,): how far they are drawn apart."""
    lift: Array
    """(facts, 25): what a source gains by the opening before it."""

    def levels(
        self, network: Array, kernel: Array, opening: Array, case: NDArray[np.int64]
    ) -> Array:
        """The mixed levels on the scale of 0 to 4: (rows, 25)."""
        mixed = _mixed(self.whole, self.within, network - kernel, kernel, case)
        mixed += opening @ self.lift
        return np.clip(self.base + self.stretch * (mixed - self.base), 0, TOP)


def even() -> Mixture:
    """Half of each, as they are: where there is nothing to fit a mixture to."""
    half, no_lift = np.full(SUBSCORES, EVEN), np.zeros((FACTS, SUBSCORES))
    return Mixture(half, half, np.zeros(SUBSCORES), np.ones(SUBSCORES), no_lift)


def fit_rows(network: Array, kernel: Array, table: Table, rows: NDArray[np.bool_]) -> Mixture:
    """The mixture that errs least on some rows of a table, drawn apart as the LLM is."""
    kernel, case, weight = kernel[rows], table.case[rows], table.weight[rows]
    apart, levels, opening = network[rows] - kernel, table.levels[rows], table.opening[rows]
    missed = levels - kernel
    means, missed_on_the_whole = means_of(apart, case), means_of(missed, case)
    whole = _part(means, missed_on_the_whole, weight)
    within = _part(apart - means, missed - missed_on_the_whole, weight)
    mixed = _mixed(whole, within, apart, kernel, case)
    lift = lift_of(levels - mixed, opening, weight)
    base = np.average(levels, axis=0, weights=weight)
    stretch = stretch_of(levels, mixed + opening @ lift).astype(np.float64)
    return Mixture(whole, within, base, stretch, lift)


def means_of(rows: Array, case: NDArray[np.int64]) -> Array:
    """Each row's mean over all rows of its answer."""
    _, place, count = np.unique(case, return_inverse=True, return_counts=True)
    sums = np.zeros((len(count), rows.shape[1]))
    np.add.at(sums, place, rows)
    return np.asarray((sums / count[:, None])[place])


def _mixed(
    whole: Array, within: Array, apart: Array, kernel: Array, case: NDArray[np.int64]
) -> Array:
    return np.asarray(kernel + within * apart + (whole - within) * means_of(apart, case))


def _part(apart: Array, missed: Array, weight: Array) -> Array:
    """How much of what sets the network apart makes up best for what the kernel misses."""
    along = (weight[:, None] * apart * missed).sum(0)
    across = (weight[:, None] * apart**2).sum(0)
    return np.where(across > 0, np.clip(along / np.maximum(across, 1e-9), 0, 1), EVEN)


def cross_fitted(network: Array, kernel: Array, table: Table) -> Array:
    """The mixed levels of every row, by a mixture fitted to the other folds.

    With one fold alone there is nothing to fit to: half of each. Where a source says nothing,
    every level is 0.
    """
    found = np.zeros_like(table.levels)
    for one in np.unique(table.fold):
        test, others = table.fold == one, (table.fold != one) & table.said
        mixture = fit_rows(network, kernel, table, others) if others.any() else even()
        test &= table.said  # what says nothing has no part in its answer's mean
        found[test] = mixture.levels(
            network[test], kernel[test], table.opening[test], table.case[test]
        )
    return found
