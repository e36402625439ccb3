"""How fast to ask: concurrency that adapts to the endpoint, and limits that the user sets."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field

SLOWED = 2.0
"""An endpoint whose replies take this many times their usual time is at its limit."""
SMOOTHING = 0.1
GROWTH_REST = 1.0
"""Seconds without growth after the endpoint asked for less."""


@dataclass(slots=True)
class Allowance:
    """A budget that refills evenly over a minute, such as requests or tokens."""

    per_minute: float
    level: float = field(init=False)
    at: float = field(init=False, default=0.0)

    def __post_init__(self) -> None:
        self.level = self._most

    @property
    def _most(self) -> float:
        """What may be spent at once: a second's worth, but at least one request."""
        return max(1.0, self.per_minute / 60)

    def wait(self, amount: float, now: float) -> float:
        """Take an amount; returns how long to wait until it may be used."""
        if self.at:
            self.level = min(self._most, self.level + (now - self.at) * self.per_minute / 60)
        self.at = now
        self.level -= amount
        return max(0.0, -self.level * 60 / self.per_minute)


class Pace:
    """Lets requests through: as many at once as the endpoint bears, as many a minute as allowed.

    It starts with a few and doubles with every full round of good replies until the first
    trouble, then grows by one a round; it halves when it is told to slow down, and shrinks a
    little when replies take much longer than usual.
    """

    def __init__(
        self, most: int, *, rpm: float | None = None, tpm: float | None = None, first: int = 16
    ) -> None:
        self.most = most
        self.width = float(min(first, most))
        self.in_flight = 0
        self._requests = Allowance(rpm) if rpm else None
        self._tokens = Allowance(tpm) if tpm else None
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._starting = True
        self._not_before = 0.0
        self._grow_after = 0.0
        self._usual: float | None = None
        self._recent: float | None = None

    async def enter(self, tokens: int = 0) -> None:
        """Wait until a request of this many tokens may be sent."""
        if self.in_flight >= int(self.width) or self._waiting:
            place = asyncio.get_running_loop().create_future()
            self._waiting.append(place)
            try:
                await place  # whoever leaves hands over its place
            except asyncio.CancelledError:
                if place.done() and not place.cancelled():
                    self._hand_over()
                raise
        else:
            self.in_flight += 1
        try:
            await self._rest(tokens)
        except asyncio.CancelledError:
            self._hand_over()
            raise

    async def _rest(self, tokens: int) -> None:
        now = asyncio.get_running_loop().time()
        wait = max(0.0, self._not_before - now)
        if self._requests:
            wait = max(wait, self._requests.wait(1, now))
        if self._tokens:
            wait = max(wait, self._tokens.wait(tokens, now))
        if wait > 0:
            await asyncio.sleep(wait)

    def leave(self, took: float) -> None:
        """A request was answered properly after this many seconds."""
        now = asyncio.get_running_loop().time()
        self._usual = took if self._usual is None else min(took, self._usual * 1.001)
        recent = took if self._recent is None else self._recent
        self._recent = recent + SMOOTHING * (took - recent)
        if self._recent > SLOWED * self._usual + 0.05 and self.width > 4:
            self.width = max(4.0, self.width - 0.5)
            self._starting = False
        elif now >= self._grow_after:
            step = 1.0 if self._starting else 1 / self.width
            self.width = min(float(self.most), self.width + step)
        self._hand_over()

    def leave_limited(self, wait: float | None) -> None:
        """The endpoint asked for less: halve, and rest as long as it said."""
        now = asyncio.get_running_loop().time()
        if now >= self._grow_after:  # once for a whole burst of refusals
            self.width = max(1.0, self.width / 2)
            self._starting = False
        self._grow_after = now + max(GROWTH_REST, wait or 0.0)
        if wait:
            self._not_before = max(self._not_before, now + wait)
        self._hand_over()

    def leave_broken(self) -> None:
        """A request got no proper answer, for reasons that say nothing about the pace."""
        self._hand_over()

    def _hand_over(self) -> None:
        self.in_flight -= 1
        while self._waiting and self.in_flight < int(self.width):
            place = self._waiting.popleft()
            if not place.done():
                self.in_flight += 1
                place.set_result(None)
