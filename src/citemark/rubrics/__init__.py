"""The rubrics: the five metrics, two optional extras, and users' own."""

from __future__ import annotations

from citemark.rubrics.loading import (
    DEFAULT_METRICS,
    EXTRA_METRICS,
    load_rubric,
    rubric,
    rubric_names,
)
from citemark.rubrics.rubric import LEVELS, Band, Rubric, Step, SubScore, score_of

__all__ = [
    "DEFAULT_METRICS",
    "EXTRA_METRICS",
    "LEVELS",
    "Band",
    "Rubric",
    "Step",
    "SubScore",
    "load_rubric",
    "rubric",
    "rubric_names",
    "score_of",
]
