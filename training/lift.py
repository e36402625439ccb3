"""What a source gains by how it stands in the answer: a small linear model of what is left.

It is fitted to what the other models miss on answers that they had not seen. The opening concerns
relevance and influence alone, the company diversity alone.
"""

from __future__ import annotations

import numpy as np

from citemark.judges.embedded.opening import OPENING
from citemark.judges.embedded.standing import FACTS
from training.judged import SUBSCORES, Array

_BY_OPENINGS = slice(0, OPENING), slice(0, 10)
"""Which facts, and that they concern the sub-scores of relevance and influence."""
_BY_COMPANIES = slice(OPENING, FACTS), slice(15, 20)
"""Likewise: those of diversity."""
_RIDGE = 3.0


def lift_of(missed: Array, standing: Array, weight: Array, *, openings: bool = True) -> Array:
    """The gain by each fact about how a source stands: (FACTS, 25).

    Without ``openings`` there is none by them: the network reads what leads up to a marker itself.
    """
    found = np.zeros((FACTS, SUBSCORES))
    concerned = (_BY_OPENINGS, _BY_COMPANIES) if openings else (_BY_COMPANIES,)
    for facts, levels in concerned:
        known = standing[:, facts]
        heavy = known * weight[:, None]
        ridge = _RIDGE * np.eye(known.shape[1])
        found[facts, levels] = np.linalg.solve(heavy.T @ known + ridge, heavy.T @ missed[:, levels])
    return found
