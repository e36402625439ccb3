"""Getting replies: from the store if they are there, else from the endpoint, with patience."""

from __future__ import annotations

import asyncio
import json
import random
from dataclasses import dataclass, field

from citemark.errors import JudgeError
from citemark.judges.llm.client import Client
from citemark.judges.llm.endpoint import Endpoint
from citemark.judges.llm.money import Purse
from citemark.judges.llm.pace import Pace
from citemark.judges.llm.request import Reply, Request, Usage, estimate, read_body
from citemark.judges.llm.responses import Again, Answered, Failed
from citemark.store import Store

FLUSH_EVERY = 0.05
_LOOK_AGAIN = 5.0
"""Seconds at the most until an endpoint that is away is tried again: it costs nobody anything."""


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


@dataclass(slots=True)
class Ledger:
    """What a run asked and what it cost, counted as it goes."""

    calls: int = 0
    from_store: int = 0
    usage: Usage = field(default_factory=Usage)

    def calls_made(self) -> dict[str, int]:
        """The calls for a manifest."""
        return {"asked": self.calls, "from_store": self.from_store}

    def tokens(self) -> dict[str, int]:
        """The tokens for a manifest."""
        return {"prompt": self.usage.prompt, "completion": self.usage.completion}

    def add(self, reply: Reply) -> None:
        """Count one reply in."""
        if reply.stored:
            self.from_store += 1
        else:
            self.usage = Usage(
                self.usage.prompt + reply.usage.prompt,
                self.usage.completion + reply.usage.completion,
            )


INTERRUPTED = Reply(failure="interrupted", detail="the run was interrupted")


class Caller:
    """Answers requests: identical ones in flight are asked once, answered ones never again."""

    def __init__(
        self,
        endpoint: Endpoint,
        store: Store,
        client: Client | None,
        patience: Patience,
        sources: Sources,
        purse: Purse,
    ) -> None:
        self.endpoint = endpoint
        self.ledger = Ledger()
        self.purse = purse
        self.stopping = False
        """Set to send nothing more; what is under way is still waited for."""
        self._store = store
        self._client = client
        self._patience = patience
        self._sources = sources
        self._pace = Pace(patience.concurrency, rpm=patience.rpm, tpm=patience.tpm)
        self._asked: dict[bytes, asyncio.Future[Reply]] = {}
        self._fetched: set[bytes] = set()
        self._keeps = False
        self._reached = False
        self._lost_at: float | None = None
        """Since when nobody takes the connection, after somebody did."""
        self._understood = False
        self._stopped: JudgeError | None = None

    async def ask(self, request: Request, *, again: bool = False) -> Reply:
        """The reply to a request; ``again`` asks even if the store has one."""
        key = request.key(self.endpoint)
        anew = (again or self._sources.fresh) and key not in self._fetched
        mute = self._client is None or self._sources.offline
        if not anew and (raw := self._store.get(key)) is not None:
            reply = read_stored(raw, request)
            if mute or reply.failure != "provider_error":  # a damaged one is asked for again
                self._must_weigh(request, reply)
                self.ledger.add(reply)
                return reply
        if mute:
            return Reply(failure="not_in_store", detail="the store has no reply to this")
        if self.stopping:
            return INTERRUPTED
        if (asked := self._asked.get(key)) is not None:
            return await asyncio.shield(asked)
        asked = self._asked[key] = asyncio.get_running_loop().create_future()
        try:
            reply = await self._fetch(key, request)
            asked.set_result(reply)
            self.ledger.add(reply)
            return reply
        except BaseException as error:
            if isinstance(error, JudgeError):
                self._stopped = error  # those that wait for their turn need not ask
            asked.set_exception(error)
            asked.exception()  # seen: nobody else may be waiting for it
            raise
        finally:
            del self._asked[key]

    async def _fetch(self, key: bytes, request: Request) -> Reply:
        """Ask within the budget: the most that a call can cost is set aside before it is sent."""
        most = Usage(estimate(request, careful=True), request.max_tokens)
        if not self._keeps:
            self._store.must_be_writable()
            self._keeps = True
        if not self.purse.reserve(most):
            return Reply(failure="budget", detail="the budget does not allow another call")
        try:
            reply = await self._persist(key, request)
            self.purse.pay(reply.usage)
            return reply
        finally:
            self.purse.release(most)

    async def _persist(self, key: bytes, request: Request) -> Reply:
        """Ask until there is an answer, the attempts are used up or the deadline is reached."""
        clock = asyncio.get_running_loop().time
        deadline: float | None = None
        last: Again | None = None
        attempts = tries = 0
        tokens = estimate(request) if self._patience.tpm else 0
        while True:
            try:
                async with asyncio.timeout_at(deadline):
                    await self._pace.enter(tokens)
            except TimeoutError:
                assert last is not None  # noqa: S101 - before the first there is no deadline
                return self._given_up(last)
            if self._stopped or self.stopping:
                self._pace.leave_broken()
                if self._stopped:
                    raise self._stopped
                return INTERRUPTED
            deadline = deadline or clock() + self._patience.deadline
            result = await self._paced(request, max(0.01, deadline - clock()))
            if isinstance(result, Answered):
                return self._keep(key, request, result)
            if isinstance(result, Failed):
                return Reply(failure=result.reason, detail=result.detail)
            attempts += not (result.limited or self._away(result))
            tries += 1
            last = result
            wait = self._wait(result, tries)
            if attempts > self._most_retries(result) or clock() + wait >= deadline:
                return self._given_up(result)
            await asyncio.sleep(wait)

    async def _paced(self, request: Request, most: float) -> Answered | Failed | Again:
        """Ask once, and tell the pace how the endpoint took it."""
        clock = asyncio.get_running_loop().time
        began = clock()
        try:
            result = await self._post(request, most)
        except BaseException:
            self._pace.leave_broken()
            raise
        if isinstance(result, Answered):
            self._pace.leave(clock() - began)
        elif isinstance(result, Again) and (result.limited or result.overloaded):
            wait = result.wait
            self._pace.leave_limited(wait and min(wait, self._patience.deadline))
        else:
            self._pace.leave_broken()
        return result

    def _away(self, result: Again) -> bool:
        """Whether an endpoint that did answer is gone, which is no request's fault."""
        return result.unreachable and self._understood

    def _most_retries(self, result: Again) -> int:
        """Where nothing was ever understood, or not for very long, patience is no help."""
        if self._away(result) and self._lost_at is not None:
            lost_for = asyncio.get_running_loop().time() - self._lost_at
            if lost_for > self._patience.deadline:
                return -1
        hopeless = not self._understood and (result.unreachable or result.foreign)
        return min(self._patience.retries, 2) if hopeless else self._patience.retries

    async def _post(self, request: Request, most: float) -> Answered | Failed | Again:
        assert self._client is not None  # noqa: S101 - ask() checked it
        self.ledger.calls += 1
        try:
            async with asyncio.timeout(most):
                result = await self._client.post(request)
        except TimeoutError:
            return Again("timeout", f"no answer within {most:.0f} s")
        if isinstance(result, Again) and result.unreachable:
            self._lost_at = self._lost_at or asyncio.get_running_loop().time()
        else:
            self._reached = True
            self._lost_at = None
        self._understood = self._understood or isinstance(result, Answered)
        return result

    def _keep(self, key: bytes, request: Request, result: Answered) -> Reply:
        reply = read_body(result.body, wants_logprobs=request.top_logprobs > 0)
        self._must_weigh(request, reply)
        provider, _, model = self.endpoint.identity
        self._store.put(key, provider, model, result.raw)
        self._fetched.add(key)
        return reply

    def _must_weigh(self, request: Request, reply: Reply) -> None:
        """Stop where token probabilities are needed and none came."""
        if request.weighs and reply.tokens is None and reply.failure is None:
            whose = "the stored reply of " if reply.stored else ""
            raise JudgeError(
                f"{whose}{self.endpoint.provider.title} gives no token probabilities for "
                f'"{self.endpoint.model}"; use --mode sampled'
            )

    def _wait(self, result: Again, attempts: int) -> float:
        """How long to wait before the next attempt: as told, or longer each time, with jitter."""
        if result.wait is not None:
            return min(result.wait, self._patience.longest_wait * 4) + random.random() * 0.1  # noqa: S311
        most = self._patience.first_wait * float(2 ** min(max(attempts - 1, 0), 10))
        longest = _LOOK_AGAIN if result.unreachable else self._patience.longest_wait
        return min(most, longest) * (0.5 + random.random() / 2)  # noqa: S311

    def _given_up(self, result: Again) -> Reply:
        if not self._reached:
            raise JudgeError(f"{result.detail}; is it running, and is --base-url right?")
        if result.foreign and not self._understood:
            raise JudgeError(
                f"{self.endpoint.url} does not speak OpenAI's protocol ({result.detail}); "
                "check --base-url, which often ends in /v1"
            )
        return Reply(failure=result.reason, detail=result.detail)


def read_stored(raw: str, request: Request) -> Reply:
    """A reply from the store, read anew."""
    try:
        reply = read_body(json.loads(raw), wants_logprobs=request.top_logprobs > 0)
    except ValueError:
        return Reply(failure="provider_error", detail="the stored reply is damaged", stored=True)
    return Reply(reply.text, reply.failure, reply.detail, reply.tokens, reply.usage, stored=True)
