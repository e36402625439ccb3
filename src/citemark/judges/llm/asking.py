"""Getting replies: from the store if they are there, else from the endpoint, within the budget."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Sequence

from citemark.errors import JudgeError
from citemark.judges.llm.attempts import INTERRUPTED, Attempts
from citemark.judges.llm.endpoint import Endpoint
from citemark.judges.llm.ledger import Ledger
from citemark.judges.llm.money import Purse
from citemark.judges.llm.patience import Sources
from citemark.judges.llm.request import Reply, Request, Usage, estimate, read_body
from citemark.judges.llm.responses import Answered
from citemark.seen import Seen
from citemark.store import Store

NOT_IN_STORE = Reply(failure="not_in_store", detail="the store has no reply to this")


class Caller:
    """Answers requests: identical ones in flight are asked once, answered ones never again."""

    def __init__(
        self,
        endpoint: Endpoint,
        store: Store,
        attempts: Attempts | None,
        sources: Sources,
        purse: Purse,
        ledger: Ledger,
        *,
        asks_twice: bool = False,
    ) -> None:
        self.endpoint = endpoint
        self.attempts = None if sources.offline else attempts
        """None where nothing can be asked, and all there is stands in the store."""
        self.ledger = ledger
        self.stopping = False
        """Whether nothing more is sent; what is under way is still waited for."""
        self._store = store
        self._fresh = sources.fresh
        self._purse = purse
        self._asked: dict[bytes, asyncio.Future[Reply]] = {}
        self._absent: set[bytes] = set()
        """Keys that the store was found not to have, and that nobody has asked for since."""
        # Only who asks for what is in the store must know what was asked in this run.
        self._fetched = Seen() if sources.fresh or asks_twice else None
        self._keeps = False

    @property
    def in_flight(self) -> int:
        """How many requests are under way."""
        return self.attempts.in_flight if self.attempts else 0

    @property
    def resting(self) -> int:
        """How many requests sleep before their next attempt."""
        return self.attempts.resting if self.attempts else 0

    def send_no_more(self) -> None:
        """Send nothing more from now on; any thread may say so."""
        self.stopping = True
        if self.attempts:
            self.attempts.stopping = True

    def stop(self) -> None:
        """Send nothing more, and sleep no more before another attempt."""
        self.stopping = True
        if self.attempts:
            self.attempts.halt()

    def keys(self, requests: Iterable[Request]) -> list[bytes]:
        """What the replies to some requests are stored under."""
        endpoint = self.endpoint
        return [request.key(endpoint) for request in requests]

    def stored(self, requests: Sequence[Request], keys: Sequence[bytes]) -> list[Reply | None]:
        """The replies to all requests that need not be asked, in one look into the store.

        None stands for a reply that :meth:`ask` has to get. Whoever uses the others counts
        them in the ledger.
        """
        if self._fresh:
            return [None] * len(requests)
        kept = self._store.get_many(keys)
        if not kept and self.attempts:  # a case that is new, as all are at first
            self._absent.update(key for key in keys if key not in self._asked)
            return [None] * len(requests)
        replies: list[Reply | None] = []
        for key, request in zip(keys, requests, strict=True):
            raw = kept.get(key)
            replies.append(self._usable(raw, request))
            if raw is None and self.attempts and key not in self._asked:
                self._absent.add(key)
        return replies

    def _usable(self, raw: str | None, request: Request) -> Reply | None:
        """What the store has, or has not, as a reply; None where the endpoint must be asked."""
        if raw is None:
            return None if self.attempts else NOT_IN_STORE
        reply = read_stored(raw, request)
        if reply.failure == "provider_error" and self.attempts:
            return None  # a damaged one is asked for again
        if request.weighs:
            self._must_weigh(reply)
        return reply

    async def ask(self, request: Request, key: bytes, *, again: bool = False) -> Reply:
        """The reply to a request; ``again`` asks even if the store has one."""
        if key in self._absent:  # the first to ask; whoever comes later looks for the reply
            self._absent.remove(key)
        elif not self._is_asked_anew(key, again=again) and (
            reply := self._usable(self._store.get(key), request)
        ):
            self.ledger.add(reply)
            return reply
        if self.attempts is None:
            return NOT_IN_STORE
        if self.stopping:
            return INTERRUPTED
        if (asked := self._asked.get(key)) is not None:
            return await asyncio.shield(asked)
        asked = self._asked[key] = asyncio.get_running_loop().create_future()
        try:
            reply = await self._fetch(self.attempts, key, request)
            asked.set_result(reply)
            self.ledger.add(reply)
            return reply
        except BaseException as error:
            if isinstance(error, JudgeError):
                self.attempts.abandon(error)
            asked.set_exception(error)
            asked.exception()  # seen: nobody else may be waiting for it
            raise
        finally:
            del self._asked[key]

    def _is_asked_anew(self, key: bytes, *, again: bool) -> bool:
        if not (again or self._fresh):
            return False
        return self._fetched is None or not self._fetched.has_key(key)

    async def _fetch(self, attempts: Attempts, key: bytes, request: Request) -> Reply:
        """Ask within the budget: the most that a call can cost is set aside before it is sent."""
        if not self._keeps:
            self._store.must_be_writable()
            self._keeps = True
        purse = self._purse
        most: Usage | None = None
        if purse.budget is not None:
            most = Usage(estimate(request, careful=True), request.max_tokens)
            if not purse.reserve(most):
                return Reply(failure="budget", detail="the budget does not allow another call")
        try:
            result = await attempts.answer(key, request)
            reply = self._keep(key, request, result) if isinstance(result, Answered) else result
            purse.pay(reply.usage)
            return reply
        finally:
            if most:
                purse.release(most)

    def _keep(self, key: bytes, request: Request, result: Answered) -> Reply:
        reply = result.reply
        if request.top_logprobs:
            reply = read_body(result.body, wants_logprobs=True)
        if request.weighs:
            self._must_weigh(reply)
        self._store.put(key, self.endpoint.provider.name, self.endpoint.model, result.raw)
        if self._fetched is not None:
            self._fetched.add_key(key)
        return reply

    def _must_weigh(self, reply: Reply) -> None:
        """Stop where token probabilities are needed and none came."""
        if reply.tokens is None and reply.failure is None:
            whose = "the stored reply of " if reply.stored else ""
            raise JudgeError(
                f"{whose}{self.endpoint.provider.title} gives no token probabilities for "
                f'"{self.endpoint.model}"; use --mode sampled'
            )


def read_stored(raw: str, request: Request) -> Reply:
    """A reply from the store, read anew."""
    try:
        return read_body(json.loads(raw), wants_logprobs=request.top_logprobs > 0, stored=True)
    except (ValueError, RecursionError):
        return Reply(failure="provider_error", detail="the stored reply is damaged", stored=True)
