"""One run through the model: cases come in, their units are asked in parallel, outcomes go out."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Sequence
from itertools import islice
from typing import NamedTuple

from citemark.judges.llm.asking import Caller
from citemark.judges.llm.modes import units
from citemark.judges.llm.request import Reply, Request
from citemark.judges.llm.units import Asking, Reading, Unit
from citemark.judges.protocol import Outcome, Work

UNREADABLE = ("refused", "truncated", "not_a_score", "off_scale")
"""Reasons that lie in what the model said: the reply is complete, and asking again until a
number appears would bend the scores."""

MOST_UNREAD = 8
"""How many cases that the store answers are read before anybody else gets a turn."""


class _Open(NamedTuple):
    """A unit that has to be asked, and what its replies are stored under."""

    number: int
    unit: Unit
    keys: Sequence[bytes]


class Run:
    """One stream of cases through the model: units in parallel, outcomes as they come.

    As many workers as requests may be under way take one unit after the other. A worker whose
    request sleeps before another attempt is stood in for, so that others are asked meanwhile.
    """

    def __init__(
        self, asking: Asking, caller: Caller, concurrency: int, *, retry_failed: bool
    ) -> None:
        self._asking = asking
        self._caller = caller
        self._most = concurrency
        self._retry_failed = retry_failed
        self._ready: deque[_Open] = deque()
        self._hungry = asyncio.Event()
        """Set when more cases should be read, lest a worker finds nothing to do."""
        self._working = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._results: asyncio.Queue[list[Outcome] | BaseException | None] = asyncio.Queue()
        if caller.attempts:
            caller.attempts.when_resting = self._staff

    async def outcomes(self, work: AsyncIterator[Work]) -> AsyncIterator[Outcome]:
        """Every outcome of the work, in the order in which they come."""
        feeding = asyncio.create_task(self._feed(work))
        try:
            while (result := await self._results.get()) is not None:
                if isinstance(result, BaseException):
                    raise result
                for outcome in result:
                    yield outcome
        finally:
            for task in (feeding, *self._tasks):
                task.cancel()
            await asyncio.gather(feeding, *self._tasks, return_exceptions=True)

    async def _feed(self, work: AsyncIterator[Work]) -> None:
        try:
            async for item in work:
                self._caller.ledger.wanted += len(item.sources) * len(item.rubrics)
                self._ready.extend(self._unanswered(item))
                self._staff()
                if len(self._ready) >= self._most:
                    self._hungry.clear()
                    await self._hungry.wait()
                elif self._results.qsize() >= MOST_UNREAD:
                    await asyncio.sleep(0)  # the store is quick: whoever reads must keep up
            while self._tasks:
                await asyncio.wait(set(self._tasks))
            self._results.put_nowait(None)
        except Exception as error:
            self._results.put_nowait(error)

    @property
    def _wanted(self) -> int:
        """How many workers there should be."""
        return self._most + min(self._most, self._caller.resting)

    def _staff(self) -> None:
        """Have enough workers for what is ready."""
        for _ in range(min(len(self._ready), self._wanted - self._working)):
            self._working += 1
            task = asyncio.create_task(self._work_off())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _work_off(self) -> None:
        """Ask one unit after the other, until none is left or the worker is not needed."""
        ready, results = self._ready, self._results
        try:
            while ready and self._working <= self._wanted:
                number, unit, keys = ready.popleft()
                if len(ready) < self._most:
                    self._hungry.set()
                results.put_nowait(_outcomes(number, await self._read(unit, keys)))
        except Exception as error:
            results.put_nowait(error)
        finally:
            self._working -= 1

    def _unanswered(self, item: Work) -> list[_Open]:
        """The units of a case that need to be asked; the others are answered from the store."""
        made = list(units(item, self._asking))
        requests = [request for unit in made for request in unit.requests]
        all_keys = self._caller.keys(requests)
        keys = iter(all_keys)
        found = iter(self._caller.stored(requests, all_keys))
        outcomes: list[Outcome] = []
        left: list[_Open] = []
        for unit in made:
            count = len(unit.requests)
            own_keys = list(islice(keys, count))
            reading = self._stored(unit, list(islice(found, count)))
            if reading is None:
                left.append(_Open(item.number, unit, own_keys))
            else:
                outcomes += _outcomes(item.number, reading)
        if outcomes:
            self._results.put_nowait(outcomes)
        return left

    def _stored(self, unit: Unit, found: list[Reply | None]) -> Reading | None:
        """What the store says on a unit, if it knows all of it; this is most of a rerun's work."""
        first = _complete(found)
        if first is None:
            return None
        replies = first
        if following := unit.more(first):
            more = _complete(self._caller.stored(following, self._caller.keys(following)))
            if more is None:
                return None
            replies = first + more
        reading = unit.read(replies)
        if self._is_worth_another_try(reading, first):
            return None
        ledger = self._caller.ledger
        for reply in replies:
            ledger.add(reply)
        ledger.judged(reading.judgments.values(), replies)
        return reading

    async def _read(self, unit: Unit, keys: Sequence[bytes], *, again: bool = False) -> Reading:
        if len(keys) == 1:  # the usual case, which needs no tasks of its own
            replies = [await self._caller.ask(unit.requests[0], keys[0], again=again)]
        else:
            replies = await self._ask_all(unit.requests, keys, again=again)
        first = replies
        if following := unit.more(first):
            replies = first + await self._ask_all(following, self._caller.keys(following))
        reading = unit.read(replies)
        if not again and self._is_worth_another_try(reading, first):
            return await self._read(unit, keys, again=True)
        self._caller.ledger.judged(reading.judgments.values(), replies)
        return reading

    async def _ask_all(
        self, requests: Sequence[Request], keys: Sequence[bytes], *, again: bool = False
    ) -> list[Reply]:
        pairs = zip(requests, keys, strict=True)
        return await asyncio.gather(*(self._caller.ask(r, key, again=again) for r, key in pairs))

    def _is_worth_another_try(self, reading: Reading, replies: list[Reply]) -> bool:
        """Whether the user wants to ask again where what the store has is no score."""
        if not self._retry_failed or not any(reply.stored for reply in replies):
            return False
        return any(judgment.reason in UNREADABLE for judgment in reading.judgments.values())


def _complete(found: list[Reply | None]) -> list[Reply] | None:
    """The replies, if none is missing."""
    replies = [reply for reply in found if reply is not None]
    return replies if len(replies) == len(found) else None


def _outcomes(number: int, reading: Reading) -> list[Outcome]:
    """What was read as the outcomes of a case; what looked odd goes with the first."""
    problems = reading.problems
    outcomes = []
    for (source, metric), judgment in reading.judgments.items():
        outcomes.append(Outcome(number, source, metric, judgment, problems))
        problems = ()
    return outcomes
