"""The manifest: what a result file was made from and how, kept beside it."""

from __future__ import annotations

import json
import platform
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from citemark._version import __version__
from citemark.results import written_whole
from citemark.rubrics import Rubric
from citemark.scorecard import SCHEMA, Scorecard


def counted(number: int, noun: str) -> str:
    """A number with its noun: ``1 case``, ``2 cases``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


@dataclass(slots=True)
class Tally:
    """Counts of what came out of a run, added up card by card."""

    cases: int = 0
    sources: int = 0
    scored: int = 0
    not_cited: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    uncited_cases: int = 0

    def add(self, card: Scorecard) -> None:
        """Count one scorecard in."""
        self.cases += 1
        self.sources += len(card)
        self.uncited_cases += not card.answer.cited
        for source in card:
            for judgment in source.scores.values():
                if judgment.status == "scored":
                    self.scored += 1
                elif judgment.status == "not_cited":
                    self.not_cited += 1
                else:
                    self.failed[judgment.reason or "unknown"] += 1

    def line(self) -> str:
        """The counts in one line for people."""
        parts = [
            counted(self.cases, "case"),
            counted(self.sources, "source"),
            f"{self.scored} scores",
        ]
        if self.not_cited:
            parts.append(f"{self.not_cited} not cited")
        if self.failed:
            reasons = ", ".join(f"{reason} {n}" for reason, n in sorted(self.failed.items()))
            parts.append(f"{self.failed.total()} failed ({reasons})")
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class Manifest:
    """How one result file came about."""

    inputs: tuple[str, ...]
    input_sha256: str
    bad_cases: int
    rubrics: tuple[Rubric, ...]
    judge: str
    mode: str | None
    signature: str
    settings: dict[str, Any]
    tally: Tally
    started: float
    calls: Mapping[str, int] | None = None
    """What was asked of a model in this run and what the store had, for judges that ask one."""
    tokens: Mapping[str, int] | None = None
    cost: float | None = None
    """US dollars, as far as the price is known."""

    def to_dict(self) -> dict[str, Any]:
        """The manifest as plain data."""
        tally = self.tally
        return {
            "schema": SCHEMA,
            "citemark": __version__,
            "python": platform.python_version(),
            "inputs": list(self.inputs),
            "input_sha256": self.input_sha256,
            "rubrics": {rubric.name: rubric.hash for rubric in self.rubrics},
            "judge": self.judge,
            "mode": self.mode,
            "signature": self.signature,
            "settings": self.settings,
            "cases": {"scored": tally.cases, "unreadable": self.bad_cases},
            "sources": tally.sources,
            "judgments": {
                "scored": tally.scored,
                "not_cited": tally.not_cited,
                "failed": dict(sorted(tally.failed.items())),
            },
            "calls": None if self.calls is None else dict(self.calls),
            "tokens": None if self.tokens is None else dict(self.tokens),
            "cost_usd": self.cost,
            "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.started)),
            "duration_s": round(time.time() - self.started, 3),
        }

    def write_beside(self, path: Path) -> Path:
        """Write the manifest next to a result file, as ``RESULT.manifest.json``."""
        place = path.with_name(f"{path.name}.manifest.json")
        text = json.dumps(self.to_dict(), ensure_ascii=False, indent=1)
        with written_whole(place) as stream:
            stream.write(f"{text}\n".encode("utf-8", "replace"))
        return place
