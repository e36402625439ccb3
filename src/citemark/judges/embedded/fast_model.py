"""The model of the fast judge: from the feature table to 25 levels.

A smooth function: each level is a weighted sum of how near a source's features are to those
of some judged sources, so that a small change of content moves a level a little.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from threading import Lock

import numpy as np

from citemark.judges.embedded.standing import lifted
from citemark.judges.embedded.vectors import Floats

LIMIT = 4.0
"""A feature counts as at most so many standard deviations from its mean."""
TOP = 4.0


def scaled(values: Floats, centre: Floats, scale: Floats) -> Floats:
    """Features about their mean, in standard deviations, the extreme ones cut."""
    apart = (values - centre) * scale
    return np.asarray(np.minimum(np.maximum(apart, -LIMIT), LIMIT), dtype=np.float32)


def nearness(rows: Floats, landmarks: Floats, squares: Floats, width: float) -> Floats:
    """How near each row is to each landmark: 1 for the same, falling like a bell."""
    return _bell(rows, rows @ landmarks.T, squares, width)


def _bell(rows: Floats, inner: Floats, squares: Floats, width: float) -> Floats:
    apart = np.einsum("ij,ij->i", rows, rows)[:, None] + squares - 2 * inner
    bell = np.exp(np.maximum(apart, 0) * np.float32(-width / rows.shape[1]))
    return np.asarray(bell, dtype=np.float32)


_ROWS, _COLUMNS, _DEPTH = 8, 80, 400


def product(left: Floats, right: Floats) -> Floats:
    """The matrix product, made of pieces of one size.

    Small pieces are multiplied on the calling thread, where whole matrices would wake the
    linear algebra library's own threads and cost ten times the work. Pieces of one size also
    give a source the same levels whatever is judged beside it.
    """
    found = np.empty((-(-len(left) // _ROWS) * _ROWS, right.shape[1]), dtype=np.float32)
    padded = np.zeros((len(found), left.shape[1]), dtype=np.float32)
    padded[: len(left)] = left
    for i in range(0, len(found), _ROWS):
        rows = slice(i, i + _ROWS)
        for k in range(0, left.shape[1], _DEPTH):
            part = padded[rows, k : k + _DEPTH]
            for j in range(0, right.shape[1], _COLUMNS):
                piece = found[rows, j : j + _COLUMNS]
                other = right[k : k + _DEPTH, j : j + _COLUMNS]
                if k:
                    piece += part @ other
                else:
                    np.matmul(part, other, out=piece)
    return found[: len(left)]


@dataclass(frozen=True, slots=True)
class FastModel:
    """The arrays of the model."""

    names: tuple[str, ...]
    centre: Floats
    scale: Floats
    landmarks: Floats
    squares: Floats
    width: float
    weights: Floats
    """(landmarks, 25)."""
    base: Floats
    """(25,): the mean levels."""
    stretch: Floats
    """(25,): how far levels are drawn apart, to vary as much as the LLM's."""
    lift: Floats
    """(facts, 25): what a source gains by how it stands in the answer."""

    def raw(self, values: Floats) -> Floats:
        """The levels as they were fitted: (sources, 25)."""
        rows = scaled(values, self.centre, self.scale)
        near = _bell(rows, product(rows, self.landmarks.T), self.squares, self.width)
        return np.asarray(product(near, self.weights) + self.base, dtype=np.float32)

    def levels(self, values: Floats, standing: Floats) -> Floats:
        """The levels, drawn apart, 4 at most; next to nothing may be below 0: (sources, 25)."""
        raw = self.raw(values) + lifted(standing, self.lift)
        stretched = self.base + self.stretch * (raw - self.base)
        return np.asarray(np.minimum(stretched, TOP))


def load(path: Path) -> FastModel:
    """Read a model file."""
    with np.load(path, allow_pickle=False) as data:
        landmarks = data["landmarks"].astype(np.float32) * data["steps"]
        return FastModel(
            names=tuple(str(name) for name in data["names"]),
            centre=data["centre"],
            scale=data["scale"],
            landmarks=landmarks,
            squares=np.einsum("ij,ij->i", landmarks, landmarks),
            width=float(data["width"]),
            weights=data["weights"],
            base=data["base"],
            stretch=data["stretch"],
            lift=data["lift"],
        )


def names_of(names: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.str_]]:
    """The names of the features as they stand in the model file."""
    return np.array(list(names), dtype=np.str_)


_READING = Lock()


@cache
def _bundled() -> FastModel:
    with as_file(files("citemark.judges.embedded") / "model" / "fast.npz") as path:
        return load(path)


def fast_model() -> FastModel:
    """The model in the package, read once, however many threads ask for it."""
    with _READING:
        return _bundled()
