"""What the readers give back when a reply holds no score."""

from __future__ import annotations

from dataclasses import dataclass

from citemark.scorecard import Reason


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A reply, or a part of one, that is no score: the reason, and a sentence for people."""

    reason: Reason
    detail: str
