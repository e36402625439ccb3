"""The answers that the laws are tried on: made ones in this folder, real ones beside it.

The real ones belong to others and may be absent.
"""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

from citemark import Case

MADE = Path(__file__).parent / "made.jsonl"
REAL = Path(__file__).resolve().parents[3] / "shared" / "data" / "answers.jsonl"
_KEPT = ("id", "query", "answer", "sources")


def made_cases() -> list[Case]:
    """The answers written for these tests."""
    return _cases(MADE)


def real_cases(seed: int = 0, path: Path = REAL) -> list[Case]:
    """The real answers, shuffled by ``seed``; none if they are absent."""
    if not path.is_file():
        return []
    cases = _cases(path)
    Random(seed).shuffle(cases)
    return cases


def _cases(path: Path) -> list[Case]:
    lines = path.read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines if line.strip()]
    return [Case.from_dict({k: r[k] for k in _KEPT if k in r}) for r in records]
