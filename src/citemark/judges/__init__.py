"""Who gives the scores: the protocol of a judge, and the judges by name."""

from __future__ import annotations

from citemark.judges.options import JudgeOptions
from citemark.judges.protocol import Judge, Outcome, Work
from citemark.judges.registry import find_judge

__all__ = ["Judge", "JudgeOptions", "Outcome", "Work", "find_judge"]
