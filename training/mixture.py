"""The judge ``embedded`` is a mixture: part network, part kernel.

The parts are fitted to predictions for answers that neither model had seen, where the mixture errs
least: for the level of the whole answer, where the kernel has more to say, one for each sub-score,
and a single one for how far each source stands above or below it. (With one for each sub-score
there too, the order of the sources came out a little worse.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citemark.judges.embedded.fast_model import TOP
from citemark.judges.embedded.standing import FACTS
from training.feature_model import Table, stretch_of
from training.judged import SUBSCORES, Array
from training.lift import lift_of

EVEN = 0.5
_LEAST = 1e-6


@dataclass(frozen=True, slots=True)
class Mixture:
    """How two predictions become one."""

    whole: Array
    """(25,): the network's part of the answer's mean level; the rest is the kernel's."""
    within: Array
    """(): its part of what is above or below that mean."""
    base: Array
    """(25,): the LLM's mean levels, about which levels are drawn apart."""
    stretch: Array
    """(25,): how far they are drawn apart."""
    lift: Array
    """(facts, 25): what a source gains by how it stands in the answer."""

    def levels(
        self, network: Array, kernel: Array, standing: Array, case: NDArray[np.int64]
    ) -> Array:
        """The mixed levels, 4 at most: (rows, 25)."""
        mixed = _mixed(self.whole, self.within, network - kernel, kernel, case)
        mixed += standing @ self.lift
        return np.minimum(self.base + self.stretch * (mixed - self.base), TOP)


def even() -> Mixture:
    """Half of each, as they are: where there is nothing to fit a mixture to."""
    return Mixture(
        whole=np.full(SUBSCORES, EVEN),
        within=np.array(EVEN),
        base=np.zeros(SUBSCORES),
        stretch=np.ones(SUBSCORES),
        lift=np.zeros((FACTS, SUBSCORES)),
    )


def fit_rows(network: Array, kernel: Array, table: Table, rows: NDArray[np.bool_]) -> Mixture:
    """The mixture that errs least on some rows of a table, drawn apart as the LLM is."""
    kernel, case, weight = kernel[rows], table.case[rows], table.weight[rows]
    apart, levels, standing = network[rows] - kernel, table.levels[rows], table.standing[rows]
    missed = levels - kernel
    means, missed_on_the_whole = means_of(apart, case), means_of(missed, case)
    whole = _part(means, missed_on_the_whole, weight)
    spread = np.maximum(levels.std(0), _LEAST)
    within = _part_of_all((apart - means) / spread, (missed - missed_on_the_whole) / spread, weight)
    mixed = _mixed(whole, within, apart, kernel, case)
    lift = lift_of(levels - mixed, standing, weight, openings=False)
    base = np.average(levels, axis=0, weights=weight)
    stretch = stretch_of(levels, mixed + standing @ lift).astype(np.float64)
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


def _part_of_all(apart: Array, missed: Array, weight: Array) -> Array:
    """The same for all sub-scores together, which should vary alike."""
    along, across = (weight @ (apart * one).sum(1) for one in (missed, apart))
    return np.array(np.clip(along / across, 0, 1) if across > 0 else EVEN)


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
            network[test], kernel[test], table.standing[test], table.case[test]
        )
    return found
