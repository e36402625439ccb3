"""What the network's guesses of surprise say of a source: is what it is cited for predictable?

The network guesses, for each token of a passage, how surprised a language model would be to
read it after the query. What surprises nobody could have been said without the source.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

FACTS = (
    "surprise",
    "surprise_peaks",
    "surprise_sum",
    "surprise_best",
    "surprise_top",
    "surprise_least",
    "surprise_share",
    "surprise_passages",
    "surprise_answer",
    "surprise_above_answer",
    "surprise_best_peaks",
    "surprise_best_top",
    "surprise_answer_sum",
    "surprise_of_others",
)
"""The columns of ``surprise_facts``."""
_PEAK = 5.0
"""A token whose surprise is above this would hardly have been guessed."""
_TOP = 3


def surprise_facts(costs: Sequence[Floats], credit: Floats) -> Floats:
    """The facts of each source: (sources, facts), all 0 for one that is credited with nothing.

    ``costs`` holds the surprise at the tokens of each passage, ``credit`` the part of each
    passage that each source is given: (sources, passages).
    """
    found = np.zeros((len(credit), len(FACTS)), dtype=np.float32)
    if not costs:
        return found
    length = np.array([max(1, len(tokens)) for tokens in costs], dtype=np.float64)
    total = np.array([tokens.sum() for tokens in costs], dtype=np.float64)
    peaks = np.array([(tokens > _PEAK).sum() for tokens in costs]) / length
    top = np.array([np.sort(tokens)[-_TOP:].mean() if len(tokens) else 0.0 for tokens in costs])
    mean, everything = total / length, max(float(total.sum()), 1e-6)
    answer = everything / length.sum()
    for row, parts in zip(found, credit.astype(np.float64), strict=True):
        own, weight = parts > 0, parts * length
        if not own.any():
            continue
        weight /= weight.sum()
        usual = float(mean @ weight)
        others = float(mean[~own].mean()) if not own.all() else float(mean.mean())
        row[:] = (
            usual,
            peaks @ weight,
            np.log1p(max(0.0, total @ parts)),
            mean[own].max(),
            top @ weight,
            mean[own].min(),
            (total @ parts) / everything,
            mean.mean(),
            answer,
            usual - answer,
            peaks[own].max(),
            top[own].max(),
            np.log(everything),
            others - usual,
        )
    return found
