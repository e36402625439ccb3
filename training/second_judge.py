"""What a second LLM judged by the same rubrics: made cases.

The network goes to school with them; nothing is ever measured on them. The second judge's scores
of sources that the first one judged as well tell how it leans, and this is taken off.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from training.judged import SUBSCORES, Array, JudgedCase, totals_of

PLACE = Path(__file__).resolve().parent / "cases"
MADE = "made.jsonl"
"""Queries and cited answers that an LLM wrote in the manner of answer engines, and judgments."""
AGAIN = "again.txt"
"""Judgments of judged sources, made in the same way as those of the made cases."""
TOP = 4.0

Judgments = Mapping[str, Mapping[int, Array]]
"""The 25 levels of some sources of some answers."""
_LINE = re.compile(r"(\w+) (\d+): ((?:[0-4]{5} ?){5})")


def mark_of(query: str, answer: str) -> str:
    """What tells an answer from all others, whatever its case is called."""
    return hashlib.sha256(f"{query}\0{answer}".encode()).hexdigest()[:12]


def made_cases(judged: Sequence[JudgedCase], limit: int | None = None) -> list[JudgedCase]:
    """The made cases, as the first judge would probably have judged them."""
    lines = (PLACE / MADE).read_text(encoding="utf-8").splitlines()[:limit]
    lean = leaning(judged_again(), judged)
    return [_made(json.loads(line), lean) for line in lines]


def _made(data: Mapping[str, Any], lean: Array) -> JudgedCase:
    given = {int(source): _levels(digits) for source, digits in data["judged"].items()}
    levels = np.clip(np.array(list(given.values())) - lean, 0.0, TOP)
    return JudgedCase(
        id=data["id"],
        engine="made",
        query=data["query"],
        answer=data["answer"],
        sources=tuple(given),
        passes=(1,) * len(given),
        levels=levels,
        totals=totals_of(levels),
    )


def leaning(given: Judgments, judged: Iterable[JudgedCase]) -> Array:
    """How much more the second judge gives than the first, by sub-score, where both judged."""
    apart = [levels - case.levels[row] for case, row, levels in judged_by_both(given, judged)]
    return np.mean(apart, axis=0) if apart else np.zeros(SUBSCORES)


def judged_by_both(
    given: Judgments, judged: Iterable[JudgedCase]
) -> Iterator[tuple[JudgedCase, int, Array]]:
    """The sources that both judged: the case, the source's row in it, the second judge's levels."""
    for case in judged:
        for source, levels in given.get(mark_of(case.query, case.answer), {}).items():
            if source in case.sources:
                yield case, case.sources.index(source), levels


def judged_again() -> Judgments:
    """What the second judge said of sources that the first one judged too."""
    found: dict[str, dict[int, Array]] = {}
    for line in (PLACE / AGAIN).read_text(encoding="utf-8").splitlines():
        entry = _LINE.fullmatch(line.strip())
        if entry is None:
            raise SystemExit(f'{PLACE / AGAIN}: no judgment: "{line}"')
        found.setdefault(entry[1], {})[int(entry[2])] = _levels(entry[3])
    return found


def _levels(digits: str) -> Array:
    return np.array([float(digit) for digit in digits if digit != " "])
