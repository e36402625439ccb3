"""The embedded judge: a small model in the package, without key or connection."""

from __future__ import annotations

from citemark.judges.embedded.judge import EmbeddedJudge

__all__ = ["EmbeddedJudge"]
