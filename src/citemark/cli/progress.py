"""A progress bar on standard error, for runs that take more than a moment."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from citemark.cli.inputs import Inputs
from citemark.scorecard import Scorecard

HANDFUL = 5
"""Up to this many cases nobody needs a bar."""


def watched(cards: Iterator[Scorecard], cases: Inputs) -> Iterator[Scorecard]:
    """The same cards, with a bar where someone watches and there are more than a handful."""
    if not sys.stderr.isatty():
        return cards
    total = cases.total
    return cards if total is not None and total <= HANDFUL else _with_bar(cards, total)


def _with_bar(cards: Iterator[Scorecard], total: int | None) -> Iterator[Scorecard]:
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
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("scoring", total=total)
        for card in cards:
            progress.advance(task)
            yield card
