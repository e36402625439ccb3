"""Progress on standard error, for runs that take more than a moment.

A bar and figures where someone watches; plain lines now and then where nobody does and a
model is asked, because such a run can take hours.
"""

from __future__ import annotations

import sys
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

from citemark.cli.inputs import Inputs
from citemark.cli.standing import Asked, Standing, total_of, wrapped
from citemark.cli.talk import say
from citemark.judges import Judge
from citemark.manifest import Tally
from citemark.scorecard import Scorecard

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

HANDFUL = 5
"""Up to this many cases nobody needs a bar."""
LINE_EVERY = 5.0
LOOKS_PER_SECOND = 4
_OF_LATE = 15.0
"""Seconds over which the speed is taken."""


def watched(cards: Iterator[Scorecard], cases: Inputs, judge: Judge) -> Iterator[Scorecard]:
    """The same cards, with a bar or lines where there are more than a handful."""
    asks = hasattr(judge, "ledger")
    terminal = sys.stderr.isatty()
    if not terminal and not asks:
        return cards
    watch = Watch(cases, judge)
    if terminal and not asks and watch.cases is not None and watch.cases <= HANDFUL:
        return cards
    return _shown(cards, watch, _bar(watch) if terminal else _lines(watch))


def _shown(
    cards: Iterator[Scorecard], watch: Watch, display: AbstractContextManager[None]
) -> Iterator[Scorecard]:
    with display:
        for card in cards:
            watch.tally.add(card)
            yield card


class Watch:
    """Keeps an eye on a run: what was read, what the judge counts, and how fast it goes."""

    def __init__(self, inputs: Inputs, judge: Judge) -> None:
        self.cases = inputs.total
        self.tally = Tally()
        self._inputs = inputs
        self._judge = judge
        self._past: deque[tuple[float, int]] = deque([(time.monotonic(), 0)])

    def standing(self) -> Standing:
        """The figures of this moment."""
        ledger, purse = getattr(self._judge, "ledger", None), getattr(self._judge, "purse", None)
        inputs, asked = self._inputs, None
        if ledger is None or purse is None:
            scored, failed = self.tally.scored, self.tally.failed.total()
            wanted, read = scored + failed, self.tally.cases
        else:
            from citemark.judges.llm.money import shown  # no other judge knows about money

            scored, failed, wanted = ledger.scored, ledger.failed, ledger.wanted
            read = inputs.cases
            tokens = sum(ledger.tokens().values())
            in_flight = getattr(self._judge, "in_flight", 0)
            asked = Asked(ledger.stored, in_flight, tokens, shown(purse.cost))
        ended = inputs.ended and read == inputs.cases
        total, exact = total_of(wanted, read + inputs.bad, self.cases, ended=ended)
        rate = self._rate(scored + failed)
        return Standing(scored, failed, wanted, total, exact, rate, asked)

    def _rate(self, done: int) -> float | None:
        now = time.monotonic()
        if now - self._past[-1][0] >= 1 / LOOKS_PER_SECOND:
            self._past.append((now, done))
        while len(self._past) > 2 and now - self._past[1][0] > _OF_LATE:
            self._past.popleft()
        then, before = self._past[0]
        return (done - before) / (now - then) if now - then > 0.5 else None


@contextmanager
def _lines(watch: Watch) -> Iterator[None]:
    """A line every few seconds, whether or not a card is finished in between."""
    over = threading.Event()

    def talk() -> None:
        while not over.wait(LINE_EVERY):
            say(", ".join(watch.standing().parts()))

    thread = threading.Thread(target=talk, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@contextmanager
def _bar(watch: Watch) -> Iterator[None]:
    from rich.console import Console
    from rich.live import Live

    console = Console(stderr=True)
    with Live(_View(watch), console=console, transient=True, refresh_per_second=LOOKS_PER_SECOND):
        yield


class _View:
    """The bar, and the figures below it in as many lines as they need."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        standing = self._watch.standing()
        if standing.total:
            grid = Table.grid(expand=True)
            grid.add_column(ratio=1)
            grid.add_column(justify="right", width=6)
            bar = ProgressBar(total=standing.total, completed=min(standing.done, standing.total))
            grid.add_row(bar, f"{100 * standing.done // standing.total} %")
            yield grid
        first, *others = wrapped(standing.parts(), options.max_width)
        yield Text(first, no_wrap=True)
        for line in others:
            yield Text(line, style="dim", no_wrap=True)
