"""The embedded judge: scores by rules, on the spot, without network or model."""

from __future__ import annotations

from citemark.judges.embedded.judge import EmbeddedJudge, judge_case

__all__ = ["EmbeddedJudge", "judge_case"]
