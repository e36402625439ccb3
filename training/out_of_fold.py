"""What the tiers say of answers that they had not seen, put together from the kept parts.

Mixture, stretch and intervals are fitted here too, each fold's to the other folds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from citemark.judges.embedded.fast import TIER as FAST
from citemark.judges.embedded.fast_model import TOP
from citemark.judges.embedded.opening import OPENING
from citemark.judges.embedded.totals import total_of
from training import intervals
from training.feature_groups import GROUPS
from training.feature_model import Table, stretched
from training.fold_models import features_of
from training.judged import FOLDS, Array, JudgedCase
from training.mixture import cross_fitted
from training.parts import PLAIN, Desk, Part

EMBEDDED = "embedded"
NO_OPENING = "without openings: what stands before the first marker of a paragraph"
NO_COMPANIES = "without companies: whether a source is always cited with the same others"


@dataclass(frozen=True, slots=True)
class Tier:
    """What one tier says of every source."""

    levels: Array
    """(sources, 25)."""
    totals: Array
    """(sources, 5), rounded as the judge gives them."""
    ends: Array | None
    """(sources, 5, 2): the intervals, fitted to the other folds; None with one fold alone."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Everything that the report is made from."""

    cases: Sequence[JudgedCase]
    table: Table
    """The sources of the folds that were evaluated."""
    folds: tuple[int, ...]
    tiers: Mapping[str, Tier]
    ablations: Mapping[str, Mapping[str, Array]]
    """Totals by tier and by what was left out or left alone."""
    curve: Mapping[str, Mapping[int, Array]]
    """Totals by model and by percent of the training queries."""
    first_fold: np.ndarray[tuple[int], np.dtype[np.bool_]]
    """The sources that the network's learning curve is about."""


def evaluation_of(desk: Desk, folds: Sequence[int]) -> Evaluation:
    """Everything that is kept about some folds; a tier that is not finished is left out."""
    whole, _ = features_of(desk)
    table = part_of(whole, np.isin(whole.fold, folds))
    unopened, alike = _without(table, slice(0, OPENING)), _without(table, OPENING)
    fast, network = (raw(desk, whole, kind, folds) for kind in ("fast", "network"))
    tiers: dict[str, Tier] = {}
    ablations: dict[str, dict[str, Array]] = {}
    if fast is not None:
        tiers[FAST] = tier_of(drawn(table, fast), table)
        ablations[FAST] = {"everything": tiers[FAST].totals} | _left_out(desk, whole, table, folds)
        ablations[FAST][NO_OPENING] = _totals(drawn(unopened, fast))
        ablations[FAST][NO_COMPANIES] = _totals(drawn(alike, fast))
    if network is not None and fast is not None:
        tiers[EMBEDDED] = tier_of(mixed(table, network, fast), table)
        ablations[EMBEDDED] = {"everything": tiers[EMBEDDED].totals}
        ablations[EMBEDDED][NO_COMPANIES] = _totals(mixed(alike, network, fast))
        ablations[EMBEDDED]["the network alone"] = _totals(drawn(unopened, network))
    return Evaluation(
        cases=desk.cases(),
        table=table,
        folds=tuple(folds),
        tiers=tiers,
        ablations=ablations,
        curve=_curve(desk, whole, table, folds),
        first_fold=table.fold == folds[0],
    )


def _without(table: Table, facts: slice | int) -> Table:
    standing = table.standing.copy()
    standing[:, facts] = 0
    return replace(table, standing=standing)


def part_of(table: Table, mask: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Table:
    """Some rows of a table."""
    columns = [field.name for field in fields(Table) if field.name != "names"]
    return replace(table, **{name: getattr(table, name)[mask] for name in columns})


def raw(
    desk: Desk, whole: Table, kind: str, folds: Sequence[int], variant: str = ""
) -> Array | None:
    """The levels of the folds' sources as they were predicted; None if a fold is missing."""
    kept = {fold: desk.get(Part(kind, fold, variant)) for fold in folds}
    found = np.zeros_like(whole.levels)
    for fold, arrays in kept.items():
        if arrays is None:
            return None
        test = whole.fold == fold
        found[test] = arrays["levels"]
    found[~whole.said] = 0
    return np.asarray(found[np.isin(whole.fold, folds)])


def drawn(table: Table, levels: Array) -> Array:
    """The levels of one model, drawn apart by factors from the other folds if there are any."""
    if len(np.unique(table.fold)) > 1:
        return stretched(table, levels)
    return np.minimum(levels, TOP)


def mixed(table: Table, network: Array, kernel: Array) -> Array:
    """The levels of a network and a kernel together, mixed as the other folds ask for."""
    return cross_fitted(network, kernel, table)


def tier_of(levels: Array, table: Table) -> Tier:
    """A tier with its intervals."""
    totals = _totals(levels)
    several = len(np.unique(table.fold)) > 1
    return Tier(
        levels, totals, intervals.ends(totals, table.totals, table.fold) if several else None
    )


def _totals(levels: Array) -> Array:
    """Scores as the judge gives them; where all levels are 0, nothing is said."""
    found = np.apply_along_axis(total_of, 2, levels.reshape(len(levels), -1, 5))
    found[~levels.any(1)] = 1.0
    return np.round(found, 2)


def _left_out(desk: Desk, whole: Table, table: Table, folds: Sequence[int]) -> dict[str, Array]:
    names = {f"without {group}: {what}": f"without-{group}" for group, what in GROUPS.items()}
    names["without made variants"] = PLAIN
    found = {name: raw(desk, whole, "fast", folds, variant) for name, variant in names.items()}
    return {k: _totals(drawn(table, v)) for k, v in found.items() if v is not None}


def _curve(
    desk: Desk, whole: Table, table: Table, folds: Sequence[int]
) -> dict[str, dict[int, Array]]:
    found: dict[str, dict[int, Array]] = {}
    for share in (25, 50, 100):
        variant = "" if share == 100 else f"share-{share}"
        kernel = raw(desk, whole, "fast", folds, variant)
        network = raw(desk, whole, "network", folds[:1], variant)
        if kernel is not None:
            found.setdefault("fast", {})[share] = _totals(drawn(table, kernel))
        if network is not None:
            found.setdefault("network", {})[share] = _totals(network)
    return found


ALL_FOLDS = tuple(range(FOLDS))
