"""Fit: how well what a source says answers what is asked."""

from __future__ import annotations

import numpy as np

from citemark.judges.embedded.content import Content
from citemark.judges.embedded.vectors import AT_ONCE, Floats, parts, unit_rows

_TINY = 1e-6
_SAME = 0.98
_WORD_COLUMNS = (
    "covered",
    "covered_exact",
    "covered_unit",
    "covered_mean",
    "covered_of_answer",
    "covered_lost",
    "core",
    "least_covered",
)


def fit(c: Content) -> dict[str, Floats]:
    """The columns about a source and the query: (s,) each."""
    return {**_by_words(c), **_by_vectors(c)}


def _by_words(c: Content) -> dict[str, Floats]:
    q = c.query
    if not q.words:
        zero = np.zeros(len(c.sources), dtype=np.float32)
        return dict.fromkeys(_WORD_COLUMNS, zero)
    weights = q.weights / q.weights.sum()
    by_unit = _largest_of(c.terms.near**2, c.terms.columns, c.terms.starts)  # (u, q)
    own = by_unit[c.entries[1]]
    by_source = np.maximum.reduceat(own, c.starts)  # (s, q)
    unit_met = by_unit @ weights
    whole = by_unit.max(0) @ weights
    covered = by_source @ weights
    mass = c.credit * c.mass
    return {
        "covered": covered,
        "covered_exact": (by_source > _SAME) @ weights,
        "covered_unit": (c.owns * unit_met).max(1),
        "covered_mean": (mass @ unit_met) / np.maximum(mass.sum(1), _TINY),
        "covered_of_answer": covered / max(float(whole), _TINY),
        "covered_lost": whole - _without(c, by_unit) @ weights,
        "core": by_source[:, q.weights.argmax()],
        "least_covered": by_source.min(1),
    }


def _largest_of(
    values: Floats,
    chosen: np.ndarray[tuple[int], np.dtype[np.intp]],
    starts: np.ndarray[tuple[int], np.dtype[np.intp]],
) -> Floats:
    """The largest of the chosen rows of each group; a group ends where the next one starts."""
    if len(chosen) * values.shape[1] <= AT_ONCE:
        return np.asarray(np.maximum.reduceat(values[chosen], starts))
    found = np.empty((len(starts), values.shape[1]), dtype=np.float32)
    ends = np.append(starts[1:], len(chosen))
    for part in parts(len(starts), values.shape[1] * max(1, len(chosen) // len(starts))):
        first, last = starts[part.start], ends[part.stop - 1]
        found[part] = np.maximum.reduceat(values[chosen[first:last]], starts[part] - first)
    return found


def _without(c: Content, by_unit: Floats) -> Floats:
    """How far the answer takes up each term of the query without a source: (s, q)."""
    found = np.empty((len(c.sources), by_unit.shape[1]), dtype=np.float32)
    for part in parts(len(c.sources), by_unit.size):
        found[part] = ((1 - c.owns[part])[:, :, None] * by_unit).max(1)
    return found


def _middle(values: Floats) -> np.float32:
    """The median; numpy's own takes ten times as long for a few values."""
    ranked = np.sort(values)
    last = len(ranked) - 1
    return np.float32((ranked[last // 2] + ranked[(last + 1) // 2]) / 2)


def _by_vectors(c: Content) -> dict[str, Floats]:
    q = c.query.vector
    owns = c.owns > 0
    near = c.embedded @ q
    mass = c.credit * c.mass
    total = np.maximum(mass.sum(1), _TINY)
    best, least = (
        reduce(near[c.entries[1]], c.starts)
        for reduce in (np.maximum.reduceat, np.minimum.reduceat)
    )
    outside = np.where(c.cited & ~owns, near, -1).max(1)
    mean, square, above = (
        (mass @ np.array([near, near * near, near > _middle(near)]).T) / total[:, None]
    ).T
    return {
        "asked": unit_rows(mass @ c.embedded) @ q,
        "asked_best": best,
        "asked_least": least,
        "asked_mean": mean,
        "asked_spread": np.sqrt(np.maximum(square - mean**2, 0)),
        "asked_of_best": best - near.max(),
        "asked_of_mean": mean - float(c.mass @ near) / float(c.mass.sum()),
        "asked_over_others": np.minimum(np.maximum(best - outside, -1), 1),
        "asked_above": above,
    }
