"""What a second LLM judged by the same rubrics: made cases.

The network goes to school with them; nothing is ever measured on them. The second judge's scores
of sources that the first one judged as well tell how it leans, and this is taken off.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from training.judged import SUBSCORES, Array, JudgedCase, totals_of

PLACE = Path(__file__).resolve().parent / "cases"
TOP = 4.0

Judgments = Mapping[str, Mapping[int, Array]]
"""The 25 levels of some sources of some answers."""
_LINE = re.compile(r"(\w+) (\d+): ((?:[0-4]{5} ?){5})")


@dataclass(frozen=True, slots=True)
class Round:
    """A round of judging: the made cases, and what was judged again in the same way."""

    made: str
    """Queries and cited answers that an LLM wrote in the manner of answer engines, and judgments.

    A case without an answer is another query (``of`` names the case whose answer it is about).
    """
    again: str
    """Judgments of sources that the first judge had judged too."""

    def cases(self) -> list[dict[str, Any]]:
        """The made cases as they stand in the file."""
        lines = (PLACE / self.made).read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines]

    def judged_again(self) -> Judgments:
        """What the second judge said of sources that the first one judged too."""
        return judgments_in(self.again)


ROUNDS = (Round("made.jsonl", "again.txt"), Round("more.jsonl", "more_again.txt"))


def judgments_in(name: str) -> Judgments:
    """The judgments in a file: a mark of the answer, the source and its levels in each line."""
    found: dict[str, dict[int, Array]] = {}
    for line in (PLACE / name).read_text(encoding="utf-8").splitlines():
        entry = _LINE.fullmatch(line.strip())
        if entry is None:
            raise SystemExit(f'{PLACE / name}: no judgment: "{line}"')
        found.setdefault(entry[1], {})[int(entry[2])] = _levels(entry[3])
    return found


def mark_of(query: str, answer: str) -> str:
    """What tells an answer from all others, whatever its case is called."""
    return hashlib.sha256(f"{query}\0{answer}".encode()).hexdigest()[:12]


def made_cases(judged: Sequence[JudgedCase], limit: int | None = None) -> list[JudgedCase]:
    """The made cases of all rounds, as the first judge would probably have judged them."""
    answers: dict[str, str] = {}
    found = []
    for one in ROUNDS:
        lean = leaning(one.judged_again(), judged)
        for data in one.cases():
            answers[data["id"]] = data["answer"] if "answer" in data else answers[data["of"]]
            found.append(made_case(data, answers[data["id"]], lean))
    return found[:limit]


def made_case(data: Mapping[str, Any], answer: str, lean: Array) -> JudgedCase:
    """A case that the second judge judged, with its leaning taken off."""
    given = {int(source): _levels(digits) for source, digits in data["judged"].items()}
    levels = np.clip(np.array(list(given.values())) - lean, 0.0, TOP)
    return JudgedCase(
        id=data["id"],
        engine="made",
        query=data["query"],
        answer=answer,
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


def _levels(digits: str) -> Array:
    return np.array([float(digit) for digit in digits if digit != " "])
