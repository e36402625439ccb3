"""The LLM judge: asks a model by the rubrics, and never turns a bad reply into a number."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, fields

from citemark.errors import JudgeError, UsageError
from citemark.judges.llm.asking import Caller, read_stored
from citemark.judges.llm.attempts import Attempts
from citemark.judges.llm.client import Client
from citemark.judges.llm.endpoint import Endpoint
from citemark.judges.llm.gguf import LocalModel
from citemark.judges.llm.ledger import Ledger
from citemark.judges.llm.money import Purse, price_of, shown
from citemark.judges.llm.patience import Patience, Sources
from citemark.judges.llm.reading import READER_VERSION
from citemark.judges.llm.request import Request
from citemark.judges.llm.running import Run
from citemark.judges.llm.units import Asking, Unit
from citemark.judges.options import MODES
from citemark.judges.protocol import Outcome, Work
from citemark.manifest import counted
from citemark.prompts import prompts_hash
from citemark.store import Store

FLUSH_EVERY = 0.05
"""Seconds after which a reply is on disk, at the latest."""


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
        tokens = ledger.prompt + ledger.completion
        return (
            f"{counted(ledger.calls, 'call')}, {ledger.from_store} replies from the store,"
            f" {tokens:,} tokens, {shown(self.purse.cost)}"
        )

    @property
    def in_flight(self) -> int:
        """How many requests are under way."""
        return self._caller.in_flight if self._caller else 0

    def stop(self) -> None:
        """Send nothing more: what is under way is finished, the rest fails as interrupted."""
        self._stopping = True  # also if it has not begun yet
        if self._caller and self._loop:  # called from a signal handler, or another thread
            self._caller.send_no_more()
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
            self.ledger = Ledger()
            attempts = await self._attempts(stack)
            caller = Caller(
                self.endpoint,
                self._store,
                attempts,
                self._sources,
                self.purse,
                self.ledger,
                asks_twice=self._retry_failed,
            )
            self._caller = caller
            self._loop = asyncio.get_running_loop()
            if self._stopping:
                caller.stop()
            concurrency = self._patience.concurrency
            run = Run(self.asking, caller, concurrency, retry_failed=self._retry_failed)
            flusher = asyncio.create_task(self._flush_often())
            try:
                async for outcome in run.outcomes(work):
                    yield outcome
            finally:
                flusher.cancel()
                with suppress(asyncio.CancelledError):
                    await flusher
                self._store.flush()

    async def _attempts(self, stack: AsyncExitStack) -> Attempts | None:
        """The way to the endpoint, if it may be asked; a local model is started for it."""
        if self._sources.offline:
            return None
        endpoint = self.endpoint
        if self._local:
            endpoint = await stack.enter_async_context(self._local.serving())
        client = Client(
            endpoint, timeout=self._patience.timeout, connections=self._patience.concurrency
        )
        await stack.enter_async_context(client)
        return Attempts(client, self._patience, self.ledger)

    async def _flush_often(self) -> None:
        while True:
            await asyncio.sleep(FLUSH_EVERY)
            self._store.flush()
