"""What an endpoint says about its limits: how much is left, until when, and how long to wait.

Providers word it differently, and some send nonsense: what cannot be read is as if it were
not there.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import NamedTuple

_NAMES = (
    *((kind, f"x-ratelimit-remaining-{kind}", f"x-ratelimit-reset-{kind}")
      for kind in ("requests", "tokens")),
    *((kind, f"anthropic-ratelimit-{kind}-remaining", f"anthropic-ratelimit-{kind}-reset")
      for kind in ("requests", "tokens", "input-tokens", "output-tokens")),
    ("requests", "ratelimit-remaining", "ratelimit-reset"),
)  # fmt: skip
"""What is limited, the header that says how much is left, and the one that says until when."""
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_DURATION = re.compile(r"(?:\d+(?:\.\d+)?(?:ms|[smhd]))+", re.ASCII)
_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|[smhd])", re.ASCII)
_NUMBER = re.compile(r"\d+(?:\.\d+)?", re.ASCII)
_LONGEST = 40
"""No figure or date of these headers is written longer."""
_A_DATE = 1e9
"""A number of seconds that is as large as this is a point in time, not a duration."""


class Room(NamedTuple):
    """How much an endpoint still takes, and for how many seconds that figure holds."""

    tokens: bool
    """Whether tokens are counted, and not requests."""
    left: float
    resets_in: float


def rooms(headers: Mapping[str, str], now: float | None = None) -> tuple[Room, ...]:
    """Every limit that a response tells; ``now`` is the time of day, in seconds.

    >>> rooms({"X-RateLimit-Remaining-Requests": "0", "X-RateLimit-Reset-Requests": "6m0s"})
    (Room(tokens=False, left=0.0, resets_in=360.0),)
    """
    given = {low: text for name, text in headers.items() if "ratelimit" in (low := name.lower())}
    if not given:
        return ()
    found: list[Room] = []
    for kind, remaining, reset in _NAMES:
        left = _number(given.get(remaining))
        wait = None if left is None else _until(given.get(reset), now)
        if left is not None and wait is not None:
            found.append(Room("tokens" in kind, left, wait))
    return tuple(found)


def retry_after(headers: Mapping[str, str], now: float | None = None) -> float | None:
    """How long the endpoint asks to wait: in seconds, milliseconds, or until a date."""
    given = {name.lower(): text for name, text in headers.items()}
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(given[name]) * unit
        except (KeyError, ValueError):
            continue
        if math.isfinite(seconds):
            return max(0.0, seconds)
    try:
        date = parsedate_to_datetime(given["retry-after"])
        return max(0.0, date.timestamp() - (time.time() if now is None else now))
    except (KeyError, ValueError, OverflowError):
        return None


def exhausted_for(found: tuple[Room, ...]) -> float | None:
    """How long until what is used up comes back; None if nothing is."""
    waits = [room.resets_in for room in found if room.left < 1]
    return max(waits) if waits else None


def _number(text: str | None) -> float | None:
    text = (text or "").strip()
    return float(text) if len(text) <= _LONGEST and _NUMBER.fullmatch(text) else None


def _until(text: str | None, now: float | None) -> float | None:
    """Seconds until a reset: given as a duration, a number of seconds or a point in time."""
    text = (text or "").strip()
    if not text or len(text) > _LONGEST:
        return None
    if _DURATION.fullmatch(text):
        return sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(text))
    now = time.time() if now is None else now
    if (seconds := _number(text)) is not None:
        if seconds < _A_DATE:
            return seconds
        return max(0.0, (seconds / 1000 if seconds > 1000 * _A_DATE else seconds) - now)
    try:
        date = datetime.fromisoformat(text)
        date = date if date.tzinfo else date.replace(tzinfo=UTC)
        return max(0.0, date.timestamp() - now)
    except (ValueError, OverflowError):
        return None
