"""The table in the terminal: sources down, metrics across, readable without colour."""

from __future__ import annotations

import sys
from collections import Counter

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from citemark.citations import SEVERITIES, Problem
from citemark.citations.urls import domain_of
from citemark.scorecard import Judgment, Scorecard, SourceCard

_BAND_COLOURS = ("red", "dark_orange", "yellow", "green3", "turquoise2", "bright_cyan")
_BAND_STARTS = (1, 4, 8, 12, 16, 19)
_BLOCKS = " ▏▎▍▌▋▊▉█"
_MOST_PROBLEMS = 4
_WIDE = 110
_PROBLEM_COLOURS = {"error": "red", "warning": "yellow", "note": "cyan"}
_SHORT = {
    "relevance": "relev.",
    "influence": "infl.",
    "uniqueness": "uniq.",
    "diversity": "divers.",
}


class Table:
    """Prints a table per scorecard, then who judged and how."""

    def __init__(self, trust: str) -> None:
        self._console = Console(file=sys.stdout, highlight=False, emoji=False, markup=False)
        self._trust = trust
        self._last: Scorecard | None = None

    def write(self, card: Scorecard) -> None:
        """Print one scorecard."""
        console = self._console
        console.print(_headline(card), soft_wrap=False)
        if card.sources:
            console.print(self._sources(card))
        for line in _problem_lines(card):
            console.print(line)
        console.print()
        self._last = card

    def close(self) -> None:
        """Print the judge and the signature, once for all tables."""
        if self._last is None:
            return
        console = self._console
        console.print(Text.assemble(("Judge: ", "bold"), f"{self._last.judge} - {self._trust}"))
        console.print(Text(f"Signature: {self._last.signature}", style="dim"), overflow="fold")

    def _sources(self, card: Scorecard) -> RichTable:
        width = self._console.width
        wide, gap = width >= _WIDE, 2 if width >= _WIDE else 1
        metrics = [rubric.name for rubric in card.rubrics]
        headings = [m if wide else _SHORT.get(m, m[:7]) for m in metrics]
        bars = _bar_width(width, len(metrics))
        cells = [max(len(heading), 3 + bars) for heading in headings]
        number = max(len(str(source.source)) for source in card)
        fixed = number + sum(cells) + len("overall") + len("share") + gap * (len(metrics) + 3)
        table = RichTable(box=None, pad_edge=False, padding=(0, gap, 0, 0))
        table.add_column("#", justify="right", style="bold", no_wrap=True, min_width=number)
        names = max(len("source"), *(cell_len(_name(source)) for source in card))
        room = max(4, min(names, width - fixed))
        table.add_column("source", no_wrap=True, overflow="ellipsis", width=room)
        for heading, cell in zip(headings, cells, strict=True):
            table.add_column(heading, no_wrap=True, min_width=cell)
        table.add_column("overall", justify="right", no_wrap=True, min_width=7)
        table.add_column("share", justify="right", no_wrap=True, min_width=5)
        for source in sorted(card.sources, key=lambda s: (-(s.overall or 0), s.source)):
            table.add_row(*_row(source, metrics, bars), style=None if source.cited else "dim")
        return table


def _bar_width(width: int, metrics: int) -> int:
    """How long the bars can be so that the table still fits."""
    if width >= _WIDE:
        return 6
    return 4 if width >= 38 + 8 * metrics else 0


def _headline(card: Scorecard) -> Text:
    cited = len(card.answer.cited)
    words = sum(sentence.words for sentence in card.answer.sentences)
    facts = f"{words} words, {cited} of {len(card.answer.sources)} sources cited"
    return Text.assemble(
        (card.case.id, "bold"), "  ", (_one_line(card.case.query), "italic"), f"  ({facts})"
    )


def _one_line(text: str, most: int = 100) -> str:
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _row(source: SourceCard, metrics: list[str], bars: int) -> list[Text]:
    cells = [Text(str(source.source)), Text(_name(source))]
    cells += [_cell(source.scores[metric], bars) for metric in metrics]
    overall = source.overall
    cells.append(Text("-" if overall is None else f"{overall:.1f}", style="bold"))
    cells.append(Text(f"{source.impression.share.word:.0%}"))
    return cells


def _name(source: SourceCard) -> str:
    name = source.title or (domain_of(source.url) if source.url else source.key) or ""
    name = _one_line(name, 60)
    return name if source.cited else f"not cited: {name}".rstrip(": ")


def _cell(judgment: Judgment, bars: int) -> Text:
    if judgment.score is None:
        return Text(judgment.reason or "failed", style="bold red")
    if judgment.status == "not_cited":
        return Text(f"{judgment.score:>2}")
    colour = _BAND_COLOURS[sum(judgment.score >= start for start in _BAND_STARTS) - 1]
    cell = Text(f"{judgment.score:>2}")
    if bars:
        cell.append(" ")
        cell.append(_bar(judgment.score, bars), style=colour)
    return cell


def _bar(score: int, width: int) -> str:
    eighths = round(score / 20 * width * 8)
    full, rest = divmod(eighths, 8)
    return ("█" * full + (_BLOCKS[rest] if rest else "")).ljust(width)


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
        lines.append(Text(f"  also: {more} (see citemark lint)", style="dim"))
    return lines


def _problem_line(problem: Problem) -> Text:
    severity = SEVERITIES[problem.code]
    return Text.assemble(
        "  ", (f"{severity}: ", _PROBLEM_COLOURS[severity]), _one_line(problem.message, 160)
    )
