"""One run: a file of cases through a judge into a results file, in a thread of its own."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import secrets
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import asdict, dataclass, is_dataclass, replace
from pathlib import Path
from typing import Any, Literal

from citemark.case import Case
from citemark.case_files import load_cases
from citemark.errors import CaseError, CitemarkError, UsageError
from citemark.judges import Judge, JudgeOptions, find_judge
from citemark.judges.llm.endpoint import find_key, providers
from citemark.judging import read_answer
from citemark.manifest import Manifest, Tally
from citemark.results import JsonLines, written_whole
from citemark.rubrics import Rubric
from citemark.scoring import ascore_many
from citemark.web.progress import Counting, Progress

State = Literal["running", "stopping", "done", "failed", "cancelled"]
ENDED = ("done", "failed", "cancelled")
GRACE = 15.0
"""Seconds that requests under way are given after a cancel, because they are paid for."""
_MOST_COMPLAINTS = 5
_log = logging.getLogger("citemark.web")


@dataclass(frozen=True, slots=True)
class Order:
    """What a run is to do."""

    source: Path
    target: Path
    name: str
    """The file of cases, as the folder names it."""
    output: str
    judge: str
    rubrics: tuple[Rubric, ...]
    options: JudgeOptions


class _CancelledError(Exception):
    """The run was cancelled; nothing is written."""


class Run:
    """A run while it is under way, and what came of it."""

    def __init__(self, order: Order) -> None:
        self.id = secrets.token_hex(6)
        self.order = order
        self.state: State = "running"
        self.error: str | None = None
        self.progress = Progress()
        self.started = time.time()
        self.ended: float | None = None
        self.ready: Future[None] = Future()
        """Done when the judge is there; holds the error if it cannot be used."""
        self._judge: Judge | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None
        self._digest = hashlib.sha256()
        self._thread = threading.Thread(target=self._live, name=f"run {self.id}", daemon=True)

    def start(self) -> None:
        """Begin; :attr:`ready` tells when the judge could be made."""
        self._thread.start()

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen."""
        return self.state in ENDED

    def cancel(self) -> None:
        """Ask nothing more. What is under way may come in; asked again, stop at once."""
        if self.is_over or self._loop is None or self._task is None:
            return
        polite = self.state == "running" and hasattr(self._judge, "stop")
        self.state = "stopping"
        if polite:
            self._judge.stop()  # type: ignore[union-attr]
        delay = GRACE if polite else 0.0
        loop, task = self._loop, self._task
        with suppress(RuntimeError):  # it ended this very moment
            loop.call_soon_threadsafe(lambda: loop.call_later(delay, task.cancel))

    def wait(self, seconds: float) -> None:
        """Wait for the end of the run, but not for long."""
        if self._thread.ident is not None:
            self._thread.join(seconds)

    def to_dict(self) -> dict[str, Any]:
        """The run as plain data."""
        order, judge = self.order, self._judge
        ledger, purse = getattr(judge, "ledger", None), getattr(judge, "purse", None)
        return {
            "id": self.id,
            "state": self.state,
            "file": order.name,
            "judge": order.judge,
            "mode": getattr(judge, "mode", None),
            "metrics": [rubric.name for rubric in order.rubrics],
            "results": order.output if self.state == "done" else None,
            **self.progress.to_dict(),
            "calls": ledger.calls if ledger else 0,
            "from_store": ledger.from_store if ledger else 0,
            "cost_usd": purse.cost if purse else (None if ledger else 0.0),
            "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.started)),
            "seconds": round((self.ended or time.time()) - self.started, 1),
            "error": self.error,
        }

    def _live(self) -> None:
        try:
            asyncio.run(self._go())
            self.state = "done"
        except (_CancelledError, asyncio.CancelledError):
            self.state = "cancelled"
        except Exception as error:
            self._fail(error)
        finally:
            self.ended = time.time()

    def _fail(self, error: Exception) -> None:
        if isinstance(error, CitemarkError):
            self.error = without_keys(str(error))
        elif isinstance(error, OSError):
            self.error = f"cannot go on: {error.strerror or 'the file system refuses'}"
        else:
            self.error = "something went wrong; the server printed what"
            _log.error("run %s failed", self.id, exc_info=error)
        self.state = "failed"
        if not self.ready.done():
            self.ready.set_exception(error)

    async def _go(self) -> None:
        self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
        self._judge = judge = find_judge(self.order.judge, self.order.options)
        try:
            self.ready.set_result(None)
            self._count()
            await asyncio.sleep(0)  # a cancel that came in the meantime
            await self._score(judge)
        finally:
            if hasattr(judge, "close"):
                judge.close()

    def _count(self) -> None:
        """Go through the file once, so that it is known how much there is to do."""
        cases = judgments = 0
        for case in load_cases(self.order.source, on_error=self._complain):
            cases += 1
            judgments += len(read_answer(case).cited) * len(self.order.rubrics)
            self._digest.update(repr(replace(case, place="")).encode("utf-8", "surrogatepass"))
            if self.state != "running":
                raise _CancelledError
        if not cases:
            first = f" ({self.progress.complaints[0]})" if self.progress.complaints else ""
            raise UsageError(f"{self.order.name}: holds no case that can be scored{first}")
        self.progress.all_cases, self.progress.all_judgments = cases, judgments

    def _complain(self, error: CaseError) -> None:
        self.progress.unreadable += 1
        if len(self.progress.complaints) < _MOST_COMPLAINTS:
            text = str(error).replace(str(self.order.source), self.order.name)
            self.progress.complaints.append(text[:300])

    def _cases(self) -> Iterator[Case]:
        for case in load_cases(self.order.source, on_error=lambda _: None):
            if self.state != "running":
                return
            yield case

    async def _score(self, judge: Judge) -> None:
        order, tally, signature = self.order, Tally(), ""
        cards = ascore_many(
            self._cases(), judge=Counting(judge, self.progress), rubrics=order.rubrics
        )
        with written_whole(order.target) as stream:
            writer = JsonLines(stream)
            async for card in cards:
                tally.add(card)
                signature = card.signature
                writer.write(card)
                self.progress.cases += 1
            if self.state != "running":
                raise _CancelledError
        self._manifest(judge, tally, signature).write_beside(order.target)

    def _manifest(self, judge: Judge, tally: Tally, signature: str) -> Manifest:
        ledger, purse = getattr(judge, "ledger", None), getattr(judge, "purse", None)
        settings = getattr(judge, "settings", None)
        return Manifest(
            inputs=(self.order.name,),
            input_sha256=self._digest.hexdigest(),
            bad_cases=self.progress.unreadable,
            rubrics=self.order.rubrics,
            judge=judge.name,
            mode=getattr(judge, "mode", None),
            signature=signature,
            settings=_plain(settings),
            calls=ledger.calls_made() if ledger else None,
            tokens=ledger.tokens() if ledger else None,
            cost=purse.cost if purse else None,
            tally=tally,
            started=self.started,
        )


def _plain(settings: object) -> dict[str, Any]:
    """How a judge was set up, as far as a score depends on it."""
    return asdict(settings) if is_dataclass(settings) and not isinstance(settings, type) else {}


def without_keys(text: str) -> str:
    """A message in which no key stands, whoever put it there."""
    for provider in providers().values():
        key = find_key(provider.key) if provider.key else None
        if key:
            text = text.replace(key, "(key)")
    return text
