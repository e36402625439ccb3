"""Asking with patience: one request, as many attempts as it may take, at the endpoint's pace."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable

from citemark.errors import JudgeError
from citemark.judges.llm.client import Client
from citemark.judges.llm.ledger import Ledger
from citemark.judges.llm.pace import EndpointDownError, Pace
from citemark.judges.llm.patience import Patience
from citemark.judges.llm.request import Reply, Request, estimate
from citemark.judges.llm.responses import Again, Answered, Failed, Result

INTERRUPTED = Reply(failure="interrupted", detail="the run was interrupted")


class Attempts:
    """Gets answers from one endpoint, which may be slow, busy, broken or away for a while."""

    def __init__(self, client: Client, patience: Patience, ledger: Ledger) -> None:
        self.resting = 0
        """How many requests sleep before their next attempt."""
        self.when_resting: Callable[[], None] = lambda: None
        """Called when one more begins to sleep: others could be asked meanwhile."""
        self.stopping = False
        """Whether nothing more is sent; what is under way is still waited for."""
        self._endpoint = client.endpoint
        self._client = client
        self._patience = patience
        self._ledger = ledger
        self._pace = Pace(
            patience.concurrency, rpm=patience.rpm, tpm=patience.tpm, longest=patience.deadline
        )
        self._stopped: JudgeError | None = None
        """Why nothing can succeed any more."""
        self._reached = False
        self._understood = False
        self._last_fault: Again | None = None
        """The last sign that the endpoint may be down."""

    @property
    def in_flight(self) -> int:
        """How many requests are under way."""
        return self._pace.in_flight

    def halt(self) -> None:
        """Send nothing more, and sleep no more before another attempt."""
        self.stopping = True
        self._pace.halt()

    def abandon(self, error: JudgeError) -> None:
        """Those who wait for their turn need not ask: nothing can succeed any more."""
        self._stopped = error

    async def answer(self, key: bytes, request: Request) -> Answered | Reply:
        """Ask until there is an answer, the attempts are used up or the deadline is reached.

        Where there is none, the reply says why.
        """
        pace, patience = self._pace, self._patience
        clock = asyncio.get_running_loop().time
        deadline: float | None = None
        last: Again | None = None
        attempts = tries = 0
        while True:
            if not pace.enters_at_once():
                refused = await self._enter(request, deadline, last)
                if refused is not None:
                    return refused
            if self.stopping or self._stopped:
                pace.leave_broken()
                if self._stopped:
                    raise self._stopped
                return INTERRUPTED
            began = clock()
            deadline = deadline or began + patience.deadline
            try:
                result = await self._post(request, deadline - began)
            except BaseException:
                pace.leave_broken()
                raise
            if isinstance(result, Answered):
                self._understood = True
                rooms = result.rooms
                pace.leave(clock() - began, rooms, result.tokens if rooms else 0)
                return result
            if isinstance(result, Failed):
                pace.leave_answered()
                return Reply(failure=result.reason, detail=result.detail)
            self._leave(key, result)
            # That the endpoint is down is no request's fault; the pace waits for all of them.
            down = pace.down_since is not None and result.is_fault
            attempts += not (result.limited or down)
            tries += 1
            last = result
            wait = 0.0 if down else self._wait(result, tries)
            if attempts > self._most_retries(result) or clock() + wait >= deadline:
                return self._given_up(result)
            await self._rest(wait)

    async def _enter(
        self, request: Request, deadline: float | None, last: Again | None
    ) -> Reply | None:
        """Wait for a turn; the reply to give if there will be none."""
        tokens = estimate(request) if self._patience.tpm else 0
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
        return None

    async def _post(self, request: Request, most: float) -> Result:
        """Ask once."""
        self._ledger.calls += 1
        if most > self._patience.timeout + 1:  # then the client's own timeout comes first
            result = await self._client.post(request)
        else:
            most = max(0.01, most)
            try:
                async with asyncio.timeout(most):
                    result = await self._client.post(request)
            except TimeoutError:
                return Again("timeout", f"no answer within {most:.0f} s")
        if not (isinstance(result, Again) and result.unreachable):
            self._reached = True
        return result

    def _leave(self, key: bytes, result: Again) -> None:
        """Tell the pace how the endpoint took a request that it did not answer."""
        if result.is_fault:
            self._last_fault = result
            self._pace.note_fault(key, refused=result.unreachable)
        if result.limited or result.overloaded:
            self._pace.leave_limited(result.wait, result.rooms)
        else:
            self._pace.leave_broken()

    async def _rest(self, seconds: float) -> None:
        self.resting += 1
        try:
            self.when_resting()
            await self._pace.pause(seconds)
        finally:
            self.resting -= 1

    def _most_retries(self, result: Again) -> int:
        """Where nothing was ever understood, or not for very long, patience is no help."""
        if (since := self._pace.down_since) is not None:
            down_for = asyncio.get_running_loop().time() - since
            if down_for > self._patience.deadline:
                return -1
        hopeless = not self._understood and (result.unreachable or result.foreign)
        return min(self._patience.retries, 2) if hopeless else self._patience.retries

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
                f"{self._endpoint.url} does not speak OpenAI's protocol ({result.detail}); "
                "check --base-url, which often ends in /v1"
            )
        return Reply(failure=result.reason, detail=result.detail)
