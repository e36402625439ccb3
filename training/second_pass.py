"""The LLM's two passes side by side: how well it agrees with itself."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from citemark.rubrics import DEFAULT_METRICS
from training.judged import SUBSCORES, Array, JudgedCase


def both_passes(path: Path, cases: Sequence[JudgedCase]) -> Array:
    """The levels of the first and of the second pass: (2, sources, 25), NaN where there is none."""
    wanted = {case.id for case in cases}
    with path.open(encoding="utf-8") as lines:
        found = {entry["id"]: entry["judged"] for entry in map(json.loads, lines)}
    rows = [
        [np.concatenate([one[metric] for metric in DEFAULT_METRICS]) for one in source["passes"]]
        for name, judged in found.items()
        if name in wanted
        for source in judged
    ]
    nothing = np.full(SUBSCORES, np.nan)
    return np.array([[row[i] if i < len(row) else nothing for row in rows] for i in (0, 1)])
