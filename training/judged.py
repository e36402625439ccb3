"""The judged cases: real answers with a frontier LLM's sub-scores, and how they are split."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citemark.rubrics import DEFAULT_METRICS

Array = NDArray[np.float64]

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "judged.jsonl"
FOLDS = 3
SUBSCORES = 25


@dataclass(frozen=True, slots=True)
class JudgedCase:
    """One answer and what the LLM said of some of its sources."""

    id: str
    engine: str
    query: str
    answer: str
    sources: tuple[int, ...]
    passes: tuple[int, ...]
    """How often each source was judged: once or twice."""
    levels: Array
    """The mean of the passes for each source and sub-score: (sources, 25)."""
    totals: Array
    """The mean total of each source and metric, a sum of 0 counted as 1: (sources, 5)."""
    answers: str = ""
    """The query that the answer was given to, if it is not this one."""

    @property
    def lot(self) -> str:
        """What the case is split by: the same for every answer to a query, on every machine."""
        plain = " ".join((self.answers or self.query).casefold().split())
        return hashlib.sha256(plain.encode()).hexdigest()

    @property
    def fold(self) -> int:
        """The fold of the case."""
        return int(self.lot[:8], 16) % FOLDS


def load(path: Path = DATA, *, limit: int | None = None) -> list[JudgedCase]:
    """Read the judged cases, all or the first few."""
    with path.open(encoding="utf-8") as lines:
        cases = [_case(json.loads(line)) for line in lines if line.strip()]
    return cases[:limit]


def _case(data: dict[str, object]) -> JudgedCase:
    judged = data["judged"]
    if not isinstance(judged, list):
        raise TypeError(f"{data['id']}: no list of judged sources")
    levels = [
        np.mean([np.concatenate([p[m] for m in DEFAULT_METRICS]) for p in entry["passes"]], axis=0)
        for entry in judged
    ]
    return JudgedCase(
        id=str(data["id"]),
        engine=str(data["engine"]),
        query=str(data["query"]),
        answer=str(data["answer"]),
        sources=tuple(int(entry["source"]) for entry in judged),
        passes=tuple(len(entry["passes"]) for entry in judged),
        levels=np.array(levels, dtype=np.float64),
        totals=np.array([[e["mean"][m] for m in DEFAULT_METRICS] for e in judged]),
    )


def rows(cases: Sequence[JudgedCase]) -> tuple[Array, Array, NDArray[np.int64]]:
    """All judged sources one under another: levels, totals and the number of their case."""
    return (
        np.concatenate([case.levels for case in cases]),
        np.concatenate([case.totals for case in cases]),
        np.repeat(np.arange(len(cases)), [len(case.sources) for case in cases]),
    )


def totals_of(levels: Array) -> Array:
    """The total of each metric, a sum below 1 counted as 1."""
    return np.asarray(np.maximum(1.0, levels.reshape(len(levels), -1, 5).sum(2)))
