"""Vectors: the little linear algebra that the features are made with, in single precision."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]
Places = NDArray[np.intp]

AT_ONCE = 1 << 21
"""No array that is only made in passing has more elements than about this."""


def parts(count: int, each: int) -> Iterator[slice]:
    """Slices of a number of rows, so that no slice has too many elements: ``each`` per row."""
    step = max(1, AT_ONCE // max(1, each))
    return (slice(i, min(i + step, count)) for i in range(0, count, step))


def unit(vector: Floats) -> Floats:
    """A vector at length 1; one without length stays."""
    return np.asarray(vector / max(float(np.sqrt(vector @ vector)), 1e-9), dtype=np.float32)


def unit_rows(rows: NDArray[np.floating[Any]]) -> Floats:
    """Every row at length 1."""
    norms = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    return np.asarray(rows / np.maximum(norms, 1e-9)[:, None], dtype=np.float32)


def gram(rows: Floats) -> Floats:
    """The inner products of some rows with each other."""
    return np.asarray(rows @ rows.T)


def cosines(gram: Floats) -> Floats:
    """The cosines of some rows, from their inner products."""
    norms = np.maximum(np.sqrt(gram.diagonal()), np.float32(1e-9))
    return np.asarray(gram / norms / norms[:, None], dtype=np.float32)
