"""What a source gains by the opening that leads up to it: a small linear model of what is left.

It is fitted to what the other models miss on answers that they had not seen, and concerns
relevance and influence alone.
"""

from __future__ import annotations

import numpy as np

from citemark.judges.embedded.opening import FACTS
from training.judged import SUBSCORES, Array

_CONCERNED = 10
"""The sub-scores of relevance and influence come first."""
_RIDGE = 3.0


def lift_of(missed: Array, opening: Array, weight: Array) -> Array:
    """The gain by each fact about the opening: (FACTS, 25)."""
    heavy = opening * weight[:, None]
    found = np.zeros((FACTS, SUBSCORES))
    found[:, :_CONCERNED] = np.linalg.solve(
        heavy.T @ opening + _RIDGE * np.eye(FACTS), heavy.T @ missed[:, :_CONCERNED]
    )
    return found
