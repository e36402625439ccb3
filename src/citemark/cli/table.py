"""The table in the terminal: sources down, metrics across, readable without colour."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass
from typing import NoReturn

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from citemark.citations import SEVERITIES, Problem
from citemark.citations.urls import domain_of
from citemark.cli.talk import one_line
from citemark.manifest import counted
from citemark.report.summary import UNSURE_SPAN, is_wide
from citemark.scorecard import Judgment, Scorecard, SourceCard

_BAND_COLOURS = ("#d1495b", "#e8894a", "#d9b44a", "#7fb069", "#3f9c8f", "#3d7ebf")
_BAND_STARTS = (1, 4, 8, 12, 16, 19)
_BLOCKS = " ▏▎▍▌▋▊▉█"
_UNSURE = "?"
"""Behind a score whose interval is too wide to tell much."""
_MOST_PROBLEMS = 4
_PROBLEM_COLOURS = {"error": "red", "warning": "yellow", "note": "cyan"}
_SHORT = {
    "relevance": "relev.",
    "influence": "infl.",
    "uniqueness": "uniq.",
    "diversity": "divers.",
}


class _Console(Console):
    """Rich's console, which leaves it to us what happens when the reader goes away."""

    def on_broken_pipe(self) -> NoReturn:
        raise BrokenPipeError


class Table:
    """Prints a table per scorecard, then who judged and how."""

    def __init__(self, trust: str, console: Console | None = None) -> None:
        self._console = console or _Console(
            file=sys.stdout, highlight=False, emoji=False, markup=False
        )
        self._trust = trust
        self._last: Scorecard | None = None
        self._unsure = False

    def write(self, card: Scorecard) -> None:
        """Print one scorecard."""
        console = self._console
        console.print(_headline(card), soft_wrap=False)
        if card.sources:
            console.print(self._sources(card))
        for line in (*_failure_lines(card), *_problem_lines(card)):
            console.print(line)
        console.print()
        self._last = card
        self._unsure = self._unsure or _has_unsure(card)

    def close(self) -> None:
        """Print the judge and the signature, once for all tables."""
        if self._last is None:
            return
        console = self._console
        if self._unsure:
            reach = f"the judge's 80 % interval spans {UNSURE_SPAN} points or more"
            console.print(Text.assemble((_UNSURE, "bold"), f" unsure: {reach}"))
        console.print(Text.assemble(("Judge: ", "bold"), f"{self._last.judge} - {self._trust}"))
        console.print(Text(f"Signature: {self._last.signature}", style="dim"), overflow="fold")

    def _sources(self, card: Scorecard) -> RichTable:
        metrics = [rubric.name for rubric in card.rubrics]
        number = len(str(card.sources[-1].source))
        layout = _layout(self._console.width, metrics, number, unsure=_has_unsure(card))
        table = RichTable(box=None, pad_edge=False, padding=(0, layout.gap, 0, 0))
        table.add_column("#", justify="right", style="bold", no_wrap=True)
        names = max(len("source"), *(cell_len(_name(source)) for source in card))
        room = min(names, layout.room)
        table.add_column("source", no_wrap=True, overflow="ellipsis", width=room)
        for heading, cell in zip(layout.headings, layout.cells, strict=True):
            table.add_column(heading, no_wrap=True, width=cell)
        table.add_column(layout.overall, justify="right", no_wrap=True)
        table.add_column("share", justify="right", no_wrap=True)
        for source in sorted(card.sources, key=lambda s: (-(s.overall or 0), s.source)):
            row = _row(source, metrics, layout)
            table.add_row(*row, style=None if source.cited else "dim")
        return table


@dataclass(frozen=True, slots=True)
class _Layout:
    """The columns of a table: their headings and widths, and what is left for the names."""

    headings: list[str]
    cells: list[int]
    bars: int
    marks: bool
    """Whether there is room behind each score for the sign that it is unsure."""
    overall: str
    gap: int
    room: int


def _layout(width: int, metrics: list[str], number: int, *, unsure: bool) -> _Layout:
    """The most generous layout that leaves room for the names of the sources."""
    layout = _Layout([], [], 0, unsure, "", 0, 0)
    for letters, room_for_bars, overall, gap, least in (
        (40, 6, "overall", 2, 24),
        (7, 4, "overall", 1, 20),
        (7, 0, "overall", 1, 12),
        (4, 0, "all", 1, 4),
    ):
        headings = [m if len(m) <= letters else _SHORT.get(m, m)[:letters] for m in metrics]
        bars = max(0, room_for_bars - unsure)  # the sign takes its place from the bar
        cells = [max(len(heading), 3 + room_for_bars, 4) for heading in headings]
        last = max(len(overall), 4) + len("share")
        room = width - (number + sum(cells) + last + gap * (len(metrics) + 3))
        layout = _Layout(headings, cells, bars, unsure, overall, gap, max(room, 4))
        if room >= least:
            break
    return layout


def _headline(card: Scorecard) -> Text:
    cited = len(card.answer.cited)
    words = sum(sentence.words for sentence in card.answer.sentences)
    facts = f"{counted(words, 'word')}, {cited} of {len(card.answer.sources)} sources cited"
    return Text.assemble(
        (one_line(card.case.id, 60), "bold"),
        "  ",
        (one_line(card.case.query, 100), "italic"),
        f"  ({facts})",
    )


def _row(source: SourceCard, metrics: list[str], layout: _Layout) -> list[Text]:
    cells = [Text(str(source.source)), Text(_name(source))]
    cells += [_cell(source.scores[metric], layout) for metric in metrics]
    overall = source.overall
    cells.append(Text("-" if overall is None else f"{overall:.1f}", style="bold"))
    cells.append(Text(f"{source.impression.share.word:.0%}"))
    return cells


def _name(source: SourceCard) -> str:
    name = source.title or (domain_of(source.url) if source.url else source.key) or ""
    name = one_line(name, 60)
    return name if source.cited else f"not cited: {name}".rstrip(": ")


def _cell(judgment: Judgment, layout: _Layout) -> Text:
    if judgment.score is None:
        return Text("fail", style="bold red")
    if judgment.status == "not_cited":
        return Text(f"{judgment.score:>2}")
    colour = _BAND_COLOURS[sum(judgment.score >= start for start in _BAND_STARTS) - 1]
    cell = Text(f"{judgment.score:>2}")
    if layout.marks:
        cell.append(_UNSURE if _is_unsure(judgment) else " ")
    if layout.bars:
        cell.append(" ")
        cell.append(_bar(judgment.score, layout.bars), style=colour)
    return cell


def _is_unsure(judgment: Judgment) -> bool:
    return judgment.status == "scored" and is_wide(judgment.interval)


def _has_unsure(card: Scorecard) -> bool:
    return any(_is_unsure(judgment) for source in card for judgment in source.scores.values())


def _bar(score: int, width: int) -> str:
    eighths = round(score / 20 * width * 8)
    full, rest = divmod(eighths, 8)
    return ("█" * full + (_BLOCKS[rest] if rest else "")).ljust(width)


def _failure_lines(card: Scorecard) -> list[Text]:
    """Why judgments failed, and how many."""
    reasons = Counter(
        judgment.reason or "failed"
        for source in card
        for judgment in source.scores.values()
        if judgment.status == "failed"
    )
    return [Text(f"  failed: {n} ({reason})", style="red") for reason, n in reasons.items()]


def _problem_lines(card: Scorecard) -> list[Text]:
    """The findings that bear on the scores, then how many more there are."""
    rank = ("error", "warning", "note")
    serious = [p for p in card.problems if SEVERITIES[p.code] != "note"]
    serious.sort(key=lambda p: rank.index(SEVERITIES[p.code]))
    lines = [_problem_line(problem) for problem in serious[:_MOST_PROBLEMS]]
    rest = Counter(p.code for p in card.problems)
    rest.subtract(p.code for p in serious[:_MOST_PROBLEMS])
    more = ", ".join(f"{n} {code.replace('_', ' ')}" for code, n in rest.items() if n > 0)
    if more:
        lines.append(Text(f"  also: {more}", style="dim"))
    return lines


def _problem_line(problem: Problem) -> Text:
    severity = SEVERITIES[problem.code]
    return Text.assemble(
        "  ", (f"{severity}: ", _PROBLEM_COLOURS[severity]), one_line(problem.message, 160)
    )
