"""Results that were saved: read once more, checked line by line, and made ready to browse."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citemark.report.encoding import encoded_case
from citemark.report.page import Report
from citemark.report.reading import Plain, read_results
from citemark.web.problems import ApiError

_MOST_COMPLAINTS = 20
_MOST_BYTES = 256_000_000


@dataclass(frozen=True, slots=True)
class Results:
    """The scorecards of a file, the lines that are none, and how the file was made."""

    name: str
    cards: list[Plain]
    complaints: list[str]
    facts: dict[str, Any]

    def view(self) -> dict[str, Any]:
        """What the page needs to show them: the same data that a report carries."""
        report = Report(title=self.name)
        for card in self.cards:
            report.add(card)
        return {
            "name": self.name,
            "complaints": self.complaints,
            "report": report.data(self.facts),
            "cases": [encoded_case(card, report.metrics) for card in self.cards],
        }


def saved_results(path: Path, name: str) -> Results:
    """The results in a file; raises a problem if there are none."""
    if path.stat().st_size > _MOST_BYTES:
        then = "make a report of it with: citemark report"
        raise ApiError(422, "the file is too long to browse", where=name, then=then)
    complaints: list[str] = []
    # The message names the file by its place on this machine, which is no one else's business.
    cards = list(
        read_results(str(path), lambda text: complaints.append(text.replace(str(path), name)))
    )
    if not cards:
        first = complaints[0] if complaints else "the file is empty"
        then = "make results with: citemark score CASES -o results.jsonl"
        raise ApiError(422, f"no scorecard in this file: {first}", where=name, then=then)
    return Results(name, cards, complaints[:_MOST_COMPLAINTS], _facts(path))


def _facts(path: Path) -> dict[str, Any]:
    """The manifest that lies beside a results file, if there is one that can be read."""
    try:
        text = path.with_name(f"{path.name}.manifest.json").read_text(encoding="utf-8")
        facts = json.loads(text)
    except (OSError, ValueError, RecursionError):
        return {}
    return facts if isinstance(facts, dict) else {}
