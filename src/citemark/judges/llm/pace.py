"""How fast to ask: concurrency that adapts to the endpoint, and limits that it or the user sets."""

from __future__ import annotations

import asyncio
import math
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field

from citemark.judges.llm.limits import Room
from citemark.judges.llm.outage import Outage

SLOWED = 2.0
"""An endpoint whose replies take this many times their usual time is at its limit."""
OWN_DELAY = 0.25
"""Seconds that say nothing of the endpoint: so long a busy machine may take to see a reply."""
SMOOTHING = 0.1
TICK = 0.001
"""Some event loops count in milliseconds, and may wake up before what they were asked for."""
GROWTH_REST = 1.0
"""Seconds without growth after the endpoint asked for less."""


class EndpointDownError(Exception):
    """The endpoint is down for longer than anybody would wait for it."""


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
    little when replies take much longer than usual. Where the endpoint says how much it still
    takes, no more than that is under way until its figure starts anew. While the endpoint is
    down, one request at a time goes out to look whether it is back.
    """

    def __init__(
        self,
        most: int,
        *,
        rpm: float | None = None,
        tpm: float | None = None,
        first: int = 16,
        longest: float = math.inf,
    ) -> None:
        self.most = most
        self.width = float(min(first, most))
        self.in_flight = 0
        self._requests = Allowance(rpm) if rpm else None
        self._tokens = Allowance(tpm) if tpm else None
        self._limited = bool(rpm or tpm)
        self._longest = longest
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._timer: asyncio.Handle | None = None
        self._rings_at = math.inf
        self._halted = asyncio.Event()
        self._outage = Outage(most)
        self._starting = True
        self._not_before = 0.0
        self._grow_after = 0.0
        self._usual: float | None = None
        self._recent: float | None = None
        self._rooms: dict[bool, tuple[float, float]] = {}
        """What is left of the endpoint's requests and tokens, and until when that holds."""
        self._tokens_each: float | None = None

    @property
    def down_since(self) -> float | None:
        """When the endpoint went down, by the event loop's clock; None while it is up."""
        return self._outage.since

    def halt(self) -> None:
        """Let everybody through at once, who then must not send: the run is to end."""
        self._halted.set()
        self._admit()

    async def pause(self, seconds: float) -> None:
        """Sleep, but no longer than until the run is to end."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._halted.wait(), seconds)

    def enters_at_once(self) -> bool:
        """Enter if nobody has to wait for anything, and say whether that was so."""
        if self._limited or self._waiting or not self._may_enter():
            return False
        self.in_flight += 1
        return True

    async def enter(self, tokens: int = 0) -> None:
        """Wait until a request of this many tokens may be sent.

        Raises :class:`EndpointDownError` where the endpoint is down for longer than is bearable.
        """
        if self._waiting or not self._may_enter():
            place = asyncio.get_running_loop().create_future()
            self._waiting.append(place)
            self._admit()  # which also sees to it that somebody looks again in time
            try:
                await place  # whoever leaves hands over its place
            except asyncio.CancelledError:
                if place.done() and not place.cancelled() and place.exception() is None:
                    self.leave_broken()
                raise
        else:
            self.in_flight += 1
        if self._limited:
            try:
                await self._rest(tokens)
            except asyncio.CancelledError:
                self.leave_broken()
                raise

    async def _rest(self, tokens: int) -> None:
        """Keep to the limits that the user set."""
        now = asyncio.get_running_loop().time()
        wait = self._requests.wait(1, now) if self._requests else 0.0
        if self._tokens:
            wait = max(wait, self._tokens.wait(tokens, now))
        if wait > 0:
            await self.pause(wait)

    def leave(self, took: float, rooms: tuple[Room, ...] = (), tokens: int = 0) -> None:
        """A request was answered properly after this many seconds, and took so many tokens."""
        now = asyncio.get_running_loop().time()
        if self._outage.since is not None:  # back: not everybody at once
            self.width = min(self.width, 16.0)
            self._starting = True
        self._outage.over(worked=True)
        self._note(rooms, now)
        if tokens:
            each = self._tokens_each or tokens
            self._tokens_each = each + SMOOTHING * (tokens - each)
        self._usual = took if self._usual is None else min(took, self._usual * 1.001)
        recent = took if self._recent is None else self._recent
        self._recent = recent + SMOOTHING * (took - recent)
        if self._recent > SLOWED * self._usual + OWN_DELAY and self.width > 4:
            self.width = max(4.0, self.width - 0.5)
            self._starting = False
        elif now >= self._grow_after:
            step = 1.0 if self._starting else 1 / self.width
            self.width = min(float(self.most), self.width + step)
        self.leave_broken()

    def leave_limited(self, wait: float | None, rooms: tuple[Room, ...] = ()) -> None:
        """The endpoint asked for less: halve, and rest as long as it said."""
        now = asyncio.get_running_loop().time()
        self._note(rooms, now)
        if now >= self._grow_after:  # once for a whole burst of refusals
            self.width = max(1.0, self.width / 2)
            self._starting = False
        wait = min(wait or 0.0, self._longest)
        self._grow_after = now + max(GROWTH_REST, wait)
        self._not_before = max(self._not_before, now + wait)
        self.leave_broken()

    def leave_faulty(self, who: object, *, refused: bool = False) -> None:
        """A request broke on the endpoint's side; ``who`` tells requests apart."""
        self.note_fault(who, refused=refused)
        self.leave_broken()

    def leave_answered(self) -> None:
        """The endpoint is up, though it did not give this request what it wanted."""
        self._outage.over()
        self.leave_broken()

    def note_fault(self, who: object, *, refused: bool = False) -> None:
        """The endpoint may be down: who is about to leave found it so."""
        self._outage.fault(who, asyncio.get_running_loop().time(), refused=refused)

    def leave_broken(self) -> None:
        """A request is over, for reasons that say nothing about the pace."""
        self.in_flight -= 1
        self._outage.looked()
        if self._waiting:
            self._admit()

    def _note(self, rooms: tuple[Room, ...], now: float) -> None:
        """Remember how much the endpoint still takes, by its latest word."""
        for room in sorted(rooms, reverse=True):  # of several limits of a kind, the least is last
            self._rooms[room.tokens] = (room.left, now + min(room.resets_in, self._longest))

    @property
    def _is_calm(self) -> bool:
        return self._outage.since is None and not self._rooms and not self._not_before

    def _may_enter(self) -> bool:
        if self._halted.is_set():
            return True
        if self.in_flight >= int(self.width):
            return False
        if self._is_calm:
            return True  # the usual case, which is why it is told apart first
        now = asyncio.get_running_loop().time()
        if now < self._not_before:
            return False
        self._not_before = 0.0
        if self._outage.since is not None:
            return self._outage.may_look(now)
        return self.in_flight < self._left(now)

    def _left(self, now: float) -> float:
        """How many requests the endpoint takes at the least, by what it said last."""
        least = math.inf
        for tokens, (left, until) in list(self._rooms.items()):
            if until <= now:
                del self._rooms[tokens]
            else:
                least = min(least, left // (self._tokens_each or 1) if tokens else left)
        return least

    def _admit(self) -> None:
        """Let in as many of those who wait as may enter now, and look again in time."""
        began = asyncio.get_running_loop().time()
        if self._outage.since is not None:
            self._turn_away()
        while self._waiting:
            if self._waiting[0].done():  # it was cancelled
                self._waiting.popleft()
            elif self._may_enter():
                self.in_flight += 1
                self._waiting.popleft().set_result(None)
            else:
                break
        # What came to its end while this looked round is still ahead of when it began.
        if self._waiting and not self._is_calm and (when := self._next(began)) < self._rings_at:
            if self._timer:
                self._timer.cancel()
            self._rings_at = when  # one that is too early does no harm
            self._timer = asyncio.get_running_loop().call_at(when + TICK, self._ring)

    def _ring(self) -> None:
        self._timer = None
        self._rings_at = math.inf
        self._admit()

    def _turn_away(self) -> None:
        """Send away everybody who waits for an endpoint that is down for too long."""
        now = asyncio.get_running_loop().time()
        since = self._outage.since or now
        if now < since + self._longest or self._outage.look_at <= now:
            return
        while self._waiting:
            place = self._waiting.popleft()
            if not place.done():
                place.set_exception(EndpointDownError)

    def _next(self, now: float) -> float:
        """When somebody may enter although nobody left: at the end of what is waited for."""
        times = [self._not_before, *(until for _, until in self._rooms.values())]
        if self._outage.since is not None:
            times += [self._outage.look_at, self._outage.since + self._longest]
        return min((when for when in times if now < when), default=math.inf)
