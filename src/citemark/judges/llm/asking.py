"""Getting replies: from the store if they are there, else from the endpoint, with patience."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from citemark.errors import JudgeError
from citemark.judges.llm.client import Client
from citemark.judges.llm.endpoint import Endpoint
from citemark.judges.llm.money import Purse
from citemark.judges.llm.pace import EndpointDownError, Pace
from citemark.judges.llm.request import Reply, Request, Usage, estimate, read_body
from citemark.judges.llm.responses import Again, Answered, Failed
from citemark.scorecard import Judgment
from citemark.seen import Seen
from citemark.store import Store

FLUSH_EVERY = 0.05


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
    wanted: int = 0
    """Judgments of the cases that were read so far."""
    scored: int = 0
    failed: int = 0
    stored: int = 0
    """Those of them, scored or failed, for which nothing had to be asked."""

    def calls_made(self) -> dict[str, int]:
        """The calls for a manifest."""
        return {"asked": self.calls, "from_store": self.from_store}

    def tokens(self) -> dict[str, int]:
        """The tokens for a manifest."""
        return {"prompt": self.usage.prompt, "completion": self.usage.completion}

    def judged(self, judgments: Iterable[Judgment], replies: Iterable[Reply]) -> None:
        """Count judgments that were made from these replies."""
        failed = done = 0
        for judgment in judgments:
            done += 1
            failed += judgment.status == "failed"
        self.scored += done - failed
        self.failed += failed
        if all(reply.stored for reply in replies):
            self.stored += done

    def count(self, replies: Sequence[Reply]) -> None:
        """Count some replies in."""
        for reply in replies:
            self.add(reply)

    def add(self, reply: Reply) -> None:
        """Count one reply in."""
        if reply.stored:
            self.from_store += 1
        elif any(reply.usage):
            self.usage = Usage(
                self.usage.prompt + reply.usage.prompt,
                self.usage.completion + reply.usage.completion,
            )


NOT_IN_STORE = Reply(failure="not_in_store", detail="the store has no reply to this")
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
        """Whether nothing more is sent; what is under way is still waited for."""
        self._store = store
        self._client = client
        self._patience = patience
        self._sources = sources
        self._pace = Pace(
            patience.concurrency, rpm=patience.rpm, tpm=patience.tpm, longest=patience.deadline
        )
        self._mute = client is None or sources.offline
        """Whether nothing can be asked, and all there is stands in the store."""
        self._asked: dict[bytes, asyncio.Future[Reply]] = {}
        self._absent: set[bytes] = set()
        """Keys that the store was found not to have, and that nobody has asked for since."""
        self._fetched = Seen()
        self._keeps = False
        self._reached = False
        self._last_fault: Again | None = None
        """The last sign that the endpoint may be down."""
        self._understood = False
        self._stopped: JudgeError | None = None

    @property
    def in_flight(self) -> int:
        """How many requests are under way."""
        return self._pace.in_flight

    def stop(self) -> None:
        """Send nothing more, and sleep no more before another attempt."""
        self.stopping = True
        self._pace.halt()

    def stored(self, requests: Sequence[Request]) -> list[Reply | None]:
        """The replies to all requests that need not be asked, in one look into the store.

        None stands for a reply that :meth:`ask` has to get. Whoever uses the others counts
        them in the ledger.
        """
        if self._sources.fresh:
            return [None] * len(requests)
        keys = [request.key(self.endpoint) for request in requests]
        kept = self._store.get_many(keys)
        replies: list[Reply | None] = []
        for key, request in zip(keys, requests, strict=True):
            raw = kept.get(key)
            replies.append(self._usable(raw, request))
            if raw is None and not self._mute and key not in self._asked:
                self._absent.add(key)
        return replies

    def _usable(self, raw: str | None, request: Request) -> Reply | None:
        """What the store has, or has not, as a reply; None where the endpoint must be asked."""
        if raw is None:
            return NOT_IN_STORE if self._mute else None
        reply = read_stored(raw, request)
        if reply.failure == "provider_error" and not self._mute:
            return None  # a damaged one is asked for again
        self._must_weigh(request, reply)
        return reply

    async def ask(self, request: Request, *, again: bool = False) -> Reply:
        """The reply to a request; ``again`` asks even if the store has one."""
        key = request.key(self.endpoint)
        anew = (again or self._sources.fresh) and not self._fetched.has_key(key)
        if key in self._absent:  # the first to ask; whoever comes later looks for the reply
            self._absent.remove(key)
        elif not anew and (reply := self._usable(self._store.get(key), request)):
            self.ledger.add(reply)
            return reply
        if self._mute:
            return NOT_IN_STORE
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
        limited = self.purse.budget is not None
        most = Usage(estimate(request, careful=True) if limited else 0, request.max_tokens)
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
                if deadline is None:
                    await self._pace.enter(tokens)
                else:
                    async with asyncio.timeout_at(deadline):
                        await self._pace.enter(tokens)
            except TimeoutError:
                assert last is not None  # noqa: S101 - before the first there is no deadline
                return self._given_up(last)
            except EndpointDownError:
                assert self._last_fault is not None  # noqa: S101 - that is how it is known
                return self._given_up(last or self._last_fault)
            if self._stopped or self.stopping:
                self._pace.leave_broken()
                if self._stopped:
                    raise self._stopped
                return INTERRUPTED
            deadline = deadline or clock() + self._patience.deadline
            result = await self._paced(key, request, max(0.01, deadline - clock()))
            if isinstance(result, Answered):
                return self._keep(key, request, result)
            if isinstance(result, Failed):
                return Reply(failure=result.reason, detail=result.detail)
            # That the endpoint is down is no request's fault; the pace waits for all of them.
            down = self._pace.down_since is not None and result.is_fault
            attempts += not (result.limited or down)
            tries += 1
            last = result
            wait = 0.0 if down else self._wait(result, tries)
            if attempts > self._most_retries(result) or clock() + wait >= deadline:
                return self._given_up(result)
            await self._pace.pause(wait)

    async def _paced(self, key: bytes, request: Request, most: float) -> Answered | Failed | Again:
        """Ask once, and tell the pace how the endpoint took it."""
        clock = asyncio.get_running_loop().time
        began = clock()
        try:
            result = await self._post(request, most)
        except BaseException:
            self._pace.leave_broken()
            raise
        if isinstance(result, Answered):
            rooms = result.rooms
            self._pace.leave(clock() - began, rooms, result.tokens if rooms else 0)
            return result
        if isinstance(result, Failed):
            self._pace.leave_answered()
            return result
        if result.is_fault:
            self._last_fault = result
            self._pace.note_fault(key, refused=result.unreachable)
        if result.limited or result.overloaded:
            self._pace.leave_limited(result.wait, result.rooms)
        else:
            self._pace.leave_broken()
        return result

    def _most_retries(self, result: Again) -> int:
        """Where nothing was ever understood, or not for very long, patience is no help."""
        if (since := self._pace.down_since) is not None:
            down_for = asyncio.get_running_loop().time() - since
            if down_for > self._patience.deadline:
                return -1
        hopeless = not self._understood and (result.unreachable or result.foreign)
        return min(self._patience.retries, 2) if hopeless else self._patience.retries

    async def _post(self, request: Request, most: float) -> Answered | Failed | Again:
        assert self._client is not None  # noqa: S101 - ask() checked it
        self.ledger.calls += 1
        if most > self._patience.timeout + 1:  # then the client's own timeout comes first
            result = await self._client.post(request)
        else:
            try:
                async with asyncio.timeout(most):
                    result = await self._client.post(request)
            except TimeoutError:
                return Again("timeout", f"no answer within {most:.0f} s")
        if not (isinstance(result, Again) and result.unreachable):
            self._reached = True
        self._understood = self._understood or isinstance(result, Answered)
        return result

    def _keep(self, key: bytes, request: Request, result: Answered) -> Reply:
        reply = result.reply
        if request.top_logprobs:
            reply = read_body(result.body, wants_logprobs=True)
        self._must_weigh(request, reply)
        provider, _, model = self.endpoint.identity
        self._store.put(key, provider, model, result.raw)
        self._fetched.add_key(key)
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
        return min(most, self._patience.longest_wait) * (0.5 + random.random() / 2)  # noqa: S311

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
        return read_body(json.loads(raw), wants_logprobs=request.top_logprobs > 0, stored=True)
    except (ValueError, RecursionError):
        return Reply(failure="provider_error", detail="the stored reply is damaged", stored=True)
