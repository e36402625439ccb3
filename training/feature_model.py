"""Fit the model of ``embedded:fast``: kernel ridge regression of 25 levels on the feature table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citemark.citations import parse_answer
from citemark.judges.embedded.fast_model import TOP, FastModel, names_of, nearness, scaled
from citemark.judges.embedded.feature_table import feature_table
from citemark.judges.embedded.standing import FACTS, standing_of
from citemark.judges.embedded.statements import read
from training.examples import feature_names, features_of
from training.judged import FOLDS, SUBSCORES, JudgedCase, rows
from training.lift import lift_of
from training.pseudo_labels import Variants, targets

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

MODEL = Path(__file__).resolve().parents[1] / "src" / "citemark" / "judges" / "embedded" / "model"

WIDTH = 0.25
RIDGE = 1.0
LANDMARKS = 1600
TWO_PASSES = 1.3
"""What a source that was judged twice counts for, beside 1 for one judged once."""
VARIANT = 0.03
"""What a made variant counts for."""
_STEPS = 127
_JITTER = 1e-6


@dataclass(frozen=True, slots=True)
class Table:
    """The features and labels of all judged sources."""

    names: tuple[str, ...]
    x: Floats
    standing: Array
    """How the source stands in its answer: (rows, facts)."""
    said: NDArray[np.bool_]
    """Whether the source is cited for anything that says something."""
    levels: Array
    totals: Array
    case: NDArray[np.int64]
    fold: NDArray[np.int64]
    weight: Array
    two: NDArray[np.bool_]


def table_of(cases: Sequence[JudgedCase]) -> Table:
    """Read every answer and take the features of its judged sources."""
    found: list[Floats] = []
    standings: list[Floats] = []
    said: list[bool] = []
    for case in cases:
        answer = parse_answer(case.answer)
        reading = read(answer, case.query)
        features = feature_table(reading, case.query)
        found.append(features_of(features, case.sources))
        standings.append(standing_of(answer, reading, case.sources))
        said += [source in features.sources for source in case.sources]
    levels, totals, number = rows(cases)
    passes = np.concatenate([case.passes for case in cases])
    return Table(
        names=feature_names(),
        x=np.concatenate(found),
        standing=np.concatenate(standings).astype(np.float64),
        said=np.array(said),
        levels=levels,
        totals=totals,
        case=number,
        fold=np.array([cases[i].fold for i in number]),
        weight=np.where(passes > 1, TWO_PASSES, 1.0),
        two=passes > 1,
    )


def fit(
    names: Sequence[str], x: Floats, levels: Array, weight: Array, landmarks: int = LANDMARKS
) -> FastModel:
    """Fit the weights of some landmarks (drawn from the rows) by ridge regression."""
    centre, scale = x.mean(0), 1 / (x.std(0) + 1e-6)
    z = scaled(x, centre, scale)
    chosen = np.random.default_rng(0).permutation(len(z))[: min(landmarks, len(z))]
    marks = _rounded(z[np.sort(chosen)])
    squares = np.einsum("ij,ij->i", marks, marks)
    near = nearness(z, marks, squares, WIDTH).astype(np.float64)
    inner = nearness(marks, marks, squares, WIDTH).astype(np.float64)
    base = np.average(levels, axis=0, weights=weight)
    heavy = near * weight[:, None]
    left = heavy.T @ near + RIDGE * inner + _JITTER * len(z) * np.eye(len(marks))
    weights = np.linalg.solve(left, heavy.T @ (levels - base))
    return FastModel(
        names=tuple(names),
        centre=centre,
        scale=scale,
        landmarks=marks,
        squares=squares,
        width=WIDTH,
        weights=weights.astype(np.float32),
        base=base.astype(np.float32),
        stretch=np.ones(SUBSCORES, dtype=np.float32),
        lift=np.zeros((FACTS, SUBSCORES), dtype=np.float32),
    )


def _rounded(z: Floats) -> Floats:
    """Rows as they will be read back from whole numbers of one byte."""
    step = float(np.abs(z).max()) / _STEPS
    return np.asarray(np.rint(z / step) * np.float32(step), dtype=np.float32)


def fit_table(table: Table, chosen: NDArray[np.bool_], variants: Variants | None) -> FastModel:
    """Fit on some of the rows and on the variants made from them."""
    use = chosen & table.said
    x, y, w = table.x[use], table.levels[use], table.weight[use]
    model = fit(table.names, x, y, w)
    if variants is None:
        return model
    kept = chosen[variants.row]
    x_more = variants.x[kept]
    y_more = targets(
        variants,
        kept,
        model.raw(x_more).astype(np.float64),
        table.levels[variants.row[kept]],
        model.raw(table.x[variants.row[kept]]).astype(np.float64),
    )
    return fit(
        table.names,
        np.concatenate([x, x_more]),
        np.concatenate([y, y_more]),
        np.concatenate([w, np.full(len(y_more), VARIANT)]),
    )


def stretch_of(levels: Array, predicted: Array) -> Floats:
    """How far to draw predictions apart, so that each metric's total varies as the LLM's does."""
    factors = [
        levels[:, i : i + 5].sum(1).std() / max(1e-6, predicted[:, i : i + 5].sum(1).std())
        for i in range(0, SUBSCORES, 5)
    ]
    return np.repeat(factors, 5).astype(np.float32)


def stretched(table: Table, predicted: Array) -> Array:
    """Out-of-fold predictions lifted and drawn apart, by what the other folds teach."""
    out = predicted.copy()
    for fold in range(FOLDS):
        test = table.fold == fold
        missed = (table.levels - predicted)[~test]
        lift = lift_of(missed, table.standing[~test], table.weight[~test])
        raised = predicted + table.standing @ lift
        base = table.levels[~test].mean(0)
        factor = stretch_of(table.levels[~test], raised[~test])
        out[test] = np.minimum(base + factor * (raised[test] - base), TOP)
    out[~table.said] = 0
    return out


def write(model: FastModel, path: Path) -> None:
    """Write the model file."""
    step = np.float32(np.abs(model.landmarks).max() / _STEPS)
    np.savez_compressed(
        path,
        names=names_of(model.names),
        centre=model.centre,
        scale=model.scale,
        landmarks=np.rint(model.landmarks / step).astype(np.int8),
        steps=step,
        width=np.float64(model.width),
        weights=model.weights,
        base=model.base,
        stretch=model.stretch,
        lift=model.lift,
    )
