"""Progress on standard error, for runs that take more than a moment.

A bar where someone watches; plain lines now and then where nobody does and a model is
asked, because such a run can take hours.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator

from citemark.cli.inputs import Inputs
from citemark.cli.talk import say
from citemark.scorecard import Scorecard

HANDFUL = 5
"""Up to this many cases nobody needs a bar."""
LINE_EVERY = 10.0

Status = Callable[[], str]
"""What else there is to say, such as what was asked and spent so far."""


def watched(
    cards: Iterator[Scorecard], cases: Inputs, status: Status | None = None
) -> Iterator[Scorecard]:
    """The same cards, with a bar or lines where there are more than a handful."""
    if not sys.stderr.isatty():
        return cards if status is None else _with_lines(cards, cases, status)
    total = cases.total
    if total is not None and total <= HANDFUL and status is None:
        return cards
    return _with_bar(cards, total, status)


def _with_lines(cards: Iterator[Scorecard], cases: Inputs, status: Status) -> Iterator[Scorecard]:
    last = time.monotonic()
    total: int | None = None
    for number, card in enumerate(cards, start=1):
        if time.monotonic() - last >= LINE_EVERY:
            last = time.monotonic()
            total = cases.total if total is None else total
            say(f"{number}{f' of {total}' if total else ''} cases; {status()}")
        yield card


def _with_bar(
    cards: Iterator[Scorecard], total: int | None, status: Status | None
) -> Iterator[Scorecard]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        SpinnerColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        SpinnerColumn(),
        TextColumn("scoring"),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TextColumn("cases"),
        TimeRemainingColumn(compact=True),
        TextColumn("{task.description}", style="dim"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=total)
        for card in cards:
            progress.update(task, advance=1, description=status() if status else "")
            yield card
