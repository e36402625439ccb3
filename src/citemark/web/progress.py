"""How far a run has come: counted outcome by outcome, read by whoever watches."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from citemark.judges import Judge, Outcome, Work


@dataclass(slots=True)
class Progress:
    """The counts of a run. One thread writes them; others only read."""

    cases: int = 0
    all_cases: int | None = None
    unreadable: int = 0
    judgments: int = 0
    all_judgments: int | None = None
    scored: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    complaints: list[str] = field(default_factory=list)
    """The first few cases that could not be read, and why."""

    def note(self, outcome: Outcome) -> None:
        """Count one outcome in; what was never asked because of a cancel is none."""
        if outcome.judgment.reason == "interrupted":
            return
        self.judgments += 1
        if outcome.judgment.status == "scored":
            self.scored += 1
        else:
            self.failed[outcome.judgment.reason or "unknown"] += 1

    def to_dict(self) -> dict[str, Any]:
        """The counts as plain data."""
        return {
            "cases": {
                "done": self.cases,
                "total": self.all_cases,
                "unreadable": self.unreadable,
            },
            "judgments": {
                "done": self.judgments,
                "total": self.all_judgments,
                "scored": self.scored,
                "failed": dict(sorted(dict(self.failed).items())),
            },
            "complaints": list(self.complaints),
        }


class Counting:
    """A judge whose outcomes are counted as they come."""

    def __init__(self, judge: Judge, progress: Progress) -> None:
        self.name = judge.name
        self.signature = judge.signature
        self.trust = judge.trust
        self.mode = getattr(judge, "mode", None)
        self._judge = judge
        self._progress = progress

    async def judge(self, work: AsyncIterator[Work]) -> AsyncIterator[Outcome]:
        """What the judge says, counted."""
        async for outcome in self._judge.judge(work):
            self._progress.note(outcome)
            yield outcome
