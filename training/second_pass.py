"""The LLM's scores beside others of the same sources: its own second pass, a second LLM's."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from citemark.rubrics import DEFAULT_METRICS
from training.judged import SUBSCORES, Array, JudgedCase, totals_of
from training.second_judge import Judgments, judged_by_both


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


def both_judges(
    given: Iterable[Judgments], cases: Sequence[JudgedCase]
) -> tuple[Array, Array, list[int]]:
    """The totals that the second LLM and the first gave where both judged, and the case of each."""
    both = [found for some in given for found in judged_by_both(some, cases)]
    if not both:
        return np.zeros((0, 5)), np.zeros((0, 5)), []
    number = {case.id: i for i, case in enumerate(cases)}
    second = totals_of(np.array([levels for _, _, levels in both]))
    first = np.array([case.totals[row] for case, row, _ in both])
    return second, first, [number[case.id] for case, _, _ in both]
