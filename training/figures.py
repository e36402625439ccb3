"""How far a judge agrees with the LLM: rank correlation, weighted kappa, error, order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citemark.rubrics import DEFAULT_METRICS

Array = NDArray[np.float64]
APART = 2.0
"""Two sources of an answer are ordered by the LLM if their totals differ by this much."""
_LEVELS = 20


@dataclass(frozen=True, slots=True)
class Agreement:
    """The figures of one metric."""

    spearman: float
    qwk: float
    mae: float
    order: float


def ranks(values: Array) -> Array:
    """Ranks from 1 on, equal values sharing the mean of theirs."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return np.asarray((ends - (counts - 1) / 2)[inverse], dtype=np.float64)


def spearman(left: Array, right: Array) -> float:
    """Spearman's rank correlation; 0 if one side does not vary."""
    a, b = ranks(left), ranks(right)
    if np.ptp(a) == 0 or np.ptp(b) == 0:
        return 0.0
    return float(np.corrcoef(a, b)[0, 1])


def qwk(left: Array, right: Array, levels: int = _LEVELS) -> float:
    """Quadratic weighted kappa of two scores, both rounded half up to 1..levels."""
    a, b = (np.clip(np.floor(x + 0.5), 1, levels) - 1 for x in (left, right))
    grid = (np.arange(levels)[:, None] - np.arange(levels)[None, :]) ** 2
    seen = np.histogram2d(a, b, bins=levels, range=[[-0.5, levels - 0.5]] * 2)[0]
    chance = np.outer(seen.sum(1), seen.sum(0)) / max(1.0, seen.sum())
    expected = float((grid * chance).sum())
    return 1 - float((grid * seen).sum()) / expected if expected else 0.0


def order(predicted: Array, llm: Array, case: NDArray[np.int64]) -> float:
    """The share of pairs within an answer that are ordered as the LLM orders them; ties half."""
    right, count = 0.0, 0
    for number in np.unique(case):
        own = case == number
        gap = llm[own][:, None] - llm[own][None, :]
        said = predicted[own][:, None] - predicted[own][None, :]
        apart = np.triu(np.abs(gap) >= APART, 1)
        agreed = gap * said
        right += float((apart & (agreed > 0)).sum()) + 0.5 * float((apart & (agreed == 0)).sum())
        count += int(apart.sum())
    return right / count if count else 0.0


def agreement(predicted: Array, llm: Array, case: NDArray[np.int64]) -> dict[str, Agreement]:
    """The figures by metric, and their means under "mean"; predicted and llm are (n, 5)."""
    found = {
        metric: Agreement(
            spearman(predicted[:, i], llm[:, i]),
            qwk(predicted[:, i], llm[:, i]),
            float(np.abs(predicted[:, i] - llm[:, i]).mean()),
            order(predicted[:, i], llm[:, i], case),
        )
        for i, metric in enumerate(DEFAULT_METRICS)
    }
    found["mean"] = Agreement(
        *(
            float(np.mean([getattr(a, name) for a in found.values()]))
            for name in Agreement.__dataclass_fields__
        )
    )
    return found


def table(predicted: Array, llm: Array, case: NDArray[np.int64]) -> str:
    """The figures as a small plain table."""
    lines = [f"{'':<11}{'Spearman':>9}{'QWK':>7}{'MAE':>7}{'order':>7}   n = {len(llm)}"]
    for name, a in agreement(predicted, llm, case).items():
        lines.append(f"{name:<11}{a.spearman:9.3f}{a.qwk:7.3f}{a.mae:7.2f}{a.order:7.3f}")
    return "\n".join(lines)
