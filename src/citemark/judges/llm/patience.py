"""How hard to try, and where replies may come from: none of it changes a score."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Patience:
    """How hard to try: none of this changes a score, so none of it is in a key."""

    concurrency: int = 16
    timeout: float = 60.0
    deadline: float = 600.0
    retries: int = 5
    first_wait: float = 0.5
    longest_wait: float = 30.0
    rpm: float | None = None
    """The most requests a minute."""
    tpm: float | None = None
    """The most tokens a minute, sent and received, as far as they can be estimated."""


@dataclass(frozen=True, slots=True)
class Sources:
    """Where replies may come from."""

    offline: bool = False
    """Only from the store."""
    fresh: bool = False
    """Only from the endpoint; the store is written, not read."""
