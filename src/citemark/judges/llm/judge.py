"""The LLM judge: asks a model by the rubrics, and never turns a bad reply into a number."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, fields
from itertools import islice

from citemark.errors import JudgeError, UsageError
from citemark.judges.llm.asking import FLUSH_EVERY, Caller, Ledger, Patience, Sources, read_stored
from citemark.judges.llm.client import Client
from citemark.judges.llm.endpoint import Endpoint
from citemark.judges.llm.gguf import LocalModel
from citemark.judges.llm.modes import units
from citemark.judges.llm.money import Purse, price_of, shown
from citemark.judges.llm.reading import READER_VERSION
from citemark.judges.llm.request import Reply, Request
from citemark.judges.llm.units import Asking, Reading, Unit
from citemark.judges.protocol import Outcome, Work
from citemark.prompts import MODES, prompts_hash
from citemark.store import Store

UNREADABLE = ("refused", "truncated", "not_a_score", "off_scale")
"""Reasons that lie in what the model said: the reply is complete, and asking again until a
number appears would bend the scores."""

MOST_UNREAD = 8
"""How many cases that the store answers are read before anybody else gets a turn."""


@dataclass(frozen=True, slots=True)
class LLMSettings:
    """Everything about the judge that a score depends on; the signature is made from it."""

    judge: str
    base_url: str | None
    temperature: float | None
    seed: int | None
    samples: int | None
    schema: bool | None
    logprobs: bool | None
    prompts: str
    reader: int = READER_VERSION

    @property
    def signature(self) -> str:
        """The judge and every setting that is not at rest, in a fixed order."""
        parts = [self.judge]
        for setting in fields(self)[1:]:
            value = getattr(self, setting.name)
            if isinstance(value, bool):
                value = "yes" if value else "no"
            if value is not None:
                parts.append(f"{setting.name}={value}")
        return ",".join(parts)


class LLMJudge:
    """Any model behind an OpenAI-compatible endpoint."""

    def __init__(
        self,
        spec: str,
        endpoint: Endpoint,
        asking: Asking,
        store: Store,
        patience: Patience | None = None,
        sources: Sources | None = None,
        *,
        retry_failed: bool = False,
        custom_url: bool = False,
        local: LocalModel | None = None,
        budget: float | None = None,
    ) -> None:
        if asking.mode not in MODES:
            raise UsageError(f'no mode "{asking.mode}"; there are: {", ".join(MODES)}')
        if asking.mode == "weighted" and not endpoint.provider.logprobs:
            raise JudgeError(
                f"{endpoint.provider.title} gives no token probabilities, which weighted needs; "
                "use --mode sampled"
            )
        self.name = spec
        self.mode = asking.mode
        self.endpoint = endpoint
        self.asking = asking
        self.ledger = Ledger()
        self._store = store
        self._patience = patience or Patience()
        self._sources = sources or Sources()
        self._retry_failed = retry_failed
        self._local = local
        self._caller: Caller | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping = False
        self.purse = Purse(price_of(endpoint, custom_url=custom_url), budget)
        structured = asking.mode in ("subscores", "panel", "sheet")
        self.settings = LLMSettings(
            judge=spec,
            base_url=endpoint.provider.address
            or (endpoint.provider.base_url if custom_url else None),
            temperature=asking.temperature,
            seed=asking.seed,
            samples=asking.samples if asking.mode == "sampled" else None,
            schema=asking.schema if structured else None,
            logprobs=asking.logprobs if structured else None,
            prompts=prompts_hash(),
        )
        self.signature = self.settings.signature
        self.trust = f"an LLM, asked in mode {asking.mode}; compare judges before you rely on one"

    def account(self) -> str:
        """What this run asked and what it cost, in one line for people."""
        ledger = self.ledger
        tokens = ledger.usage.prompt + ledger.usage.completion
        return (
            f"{ledger.calls} calls, {ledger.from_store} replies from the store, {tokens:,} tokens,"
            f" {shown(self.purse.cost)}"
        )

    @property
    def in_flight(self) -> int:
        """How many requests are under way."""
        return self._caller.in_flight if self._caller else 0

    def stop(self) -> None:
        """Send nothing more: what is under way is finished, the rest fails as interrupted."""
        self._stopping = True  # also if it has not begun yet
        if self._caller and self._loop:  # called from a signal handler, or another thread
            self._caller.stopping = True
            with suppress(RuntimeError):  # the loop has ended, and with it the work
                self._loop.call_soon_threadsafe(self._caller.stop)

    def has(self, request: Request) -> bool:
        """Whether the store has a reply to this request."""
        return not self._sources.fresh and bool(self._store.get(request.key(self.endpoint)))

    def follow_ups(self, unit: Unit) -> tuple[Request, ...]:
        """What would be asked next, where the store has the replies that decide about it."""
        if self._sources.fresh:
            return ()
        stored = [(r, self._store.get(r.key(self.endpoint))) for r in unit.requests]
        replies = [read_stored(raw, r) for r, raw in stored if raw is not None]
        return unit.more(replies) if len(replies) == len(stored) else ()

    def close(self) -> None:
        """Close the store; what is in it is on disk."""
        self._store.close()

    async def judge(self, work: AsyncIterator[Work]) -> AsyncIterator[Outcome]:
        """Judge every case, many requests at a time."""
        async with AsyncExitStack() as stack:
            client = None
            if not self._sources.offline:
                endpoint = self.endpoint
                if self._local:
                    endpoint = await stack.enter_async_context(self._local.serving())
                client = await stack.enter_async_context(
                    Client(
                        endpoint,
                        timeout=self._patience.timeout,
                        connections=self._patience.concurrency,
                    )
                )
            caller = Caller(
                self.endpoint, self._store, client, self._patience, self._sources, self.purse
            )
            self.ledger = caller.ledger
            self._caller = caller
            self._loop = asyncio.get_running_loop()
            if self._stopping:
                caller.stop()
            run = _Run(self.asking, caller, self._patience.concurrency, self._retry_failed)
            flusher = asyncio.create_task(self._flush_often())
            try:
                async for outcome in run.outcomes(work):
                    yield outcome
            finally:
                flusher.cancel()
                with suppress(asyncio.CancelledError):
                    await flusher
                self._store.flush()

    async def _flush_often(self) -> None:
        while True:
            await asyncio.sleep(FLUSH_EVERY)
            self._store.flush()


class _Run:
    """One stream of cases through the model: units in parallel, outcomes as they come."""

    def __init__(
        self, asking: Asking, caller: Caller, concurrency: int, retry_failed: bool
    ) -> None:
        self._asking = asking
        self._caller = caller
        self._room = asyncio.Semaphore(2 * concurrency)
        self._retry_failed = retry_failed
        self._tasks: set[asyncio.Task[None]] = set()
        self._results: asyncio.Queue[list[Outcome] | BaseException | None] = asyncio.Queue()

    async def outcomes(self, work: AsyncIterator[Work]) -> AsyncIterator[Outcome]:
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
                for unit in self._unanswered(item):
                    await self._room.acquire()
                    task = asyncio.create_task(self._do(item.number, unit))
                    self._tasks.add(task)
                    task.add_done_callback(self._tasks.discard)
                if self._results.qsize() >= MOST_UNREAD:
                    await asyncio.sleep(0)  # the store is quick: whoever reads must keep up
            if self._tasks:
                await asyncio.wait(set(self._tasks))
            self._results.put_nowait(None)
        except Exception as error:
            self._results.put_nowait(error)

    def _unanswered(self, item: Work) -> list[Unit]:
        """The units of a case that need to be asked; the others are answered from the store."""
        made = list(units(item, self._asking))
        stored = iter(self._caller.stored([r for unit in made for r in unit.requests]))
        outcomes: list[Outcome] = []
        left: list[Unit] = []
        for unit in made:
            replies = list(islice(stored, len(unit.requests)))
            reading = self._stored(unit, replies)
            if reading is None:
                left.append(unit)
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
        following = unit.more(first)
        more = _complete(self._caller.stored(following)) if following else []
        if more is None:
            return None
        replies = first + more
        reading = unit.read(replies)
        if self._is_worth_another_try(reading, first):
            return None
        self._caller.ledger.count(replies)
        self._caller.ledger.judged(reading.judgments.values(), replies)
        return reading

    async def _do(self, number: int, unit: Unit) -> None:
        try:
            self._results.put_nowait(_outcomes(number, await self._read(unit)))
        except Exception as error:
            self._results.put_nowait(error)
        finally:
            self._room.release()

    async def _ask_all(self, requests: tuple[Request, ...], *, again: bool = False) -> list[Reply]:
        if len(requests) == 1:  # the usual case, which needs no tasks of its own
            return [await self._caller.ask(requests[0], again=again)]
        return await asyncio.gather(*(self._caller.ask(r, again=again) for r in requests))

    async def _read(self, unit: Unit, *, again: bool = False) -> Reading:
        first = await self._ask_all(unit.requests, again=again)
        following = unit.more(first)
        more = await self._ask_all(following) if following else []
        reading = unit.read(first + more)
        if not again and self._is_worth_another_try(reading, first):
            return await self._read(unit, again=True)
        self._caller.ledger.judged(reading.judgments.values(), (*first, *more))
        return reading

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
    return [
        Outcome(number, source, metric, judgment, reading.problems if not i else ())
        for i, ((source, metric), judgment) in enumerate(reading.judgments.items())
    ]
