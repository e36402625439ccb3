"""A comparison in the terminal: a matrix where there is room, else line by line."""

from __future__ import annotations

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from citemark.cli.talk import one_line
from citemark.comparison.comparing import Comparison, Row
from citemark.comparison.differences import Figure
from citemark.comparison.scorecards import OVERALL, SHARE
from citemark.comparison.wording import (
    FEW,
    LEGEND,
    change,
    count_line,
    heading,
    interval,
    judged_by,
    number,
    summary,
)

_UP, _DOWN = "#3d7ebf", "#d1495b"
_LEAST_NAME = 24
_MOST_FACTS = 44


def print_comparison(comparison: Comparison, names: tuple[str, str], console: Console) -> None:
    """Print the rows, the total, and how to read them."""
    sides = f"{one_line(names[0], 60)} → {one_line(names[1], 60)}"
    console.print(Text(sides, style="bold"))
    console.print(Text(summary(comparison)))
    console.print()
    rows = [*comparison.rows, comparison.total]
    cells = [[_cell(row, metric) for metric in comparison.metrics] for row in rows]
    widths = [
        max(len(heading(metric)), *(max(map(cell_len, row[i].plain.split("\n"))) for row in cells))
        for i, metric in enumerate(comparison.metrics)
    ]
    room = console.width - sum(widths) - len(widths)
    if room >= _LEAST_NAME:
        console.print(_matrix(comparison, rows, cells, widths, room))
    else:
        for row in rows:
            _print_lines(comparison, row, console)
    figures = [figure for row in rows for figure in row.figures.values()]
    if any(figure.clear for figure in figures):
        console.print(Text(LEGEND, style="dim"))
    if not any(figure.interval for figure in figures):
        console.print(Text(FEW, style="dim"))
    console.print(Text(judged_by(comparison), style="dim"))


def _unit(comparison: Comparison, row: Row) -> str:
    return "query" if row is comparison.total else comparison.unit


def _matrix(
    comparison: Comparison, rows: list[Row], cells: list[list[Text]], widths: list[int], room: int
) -> Table:
    """Rows down, metrics across; in each cell the change, from what to what, the interval."""
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    names = [cell_len(line) for row in rows for line in (_name(row), _place(row))]
    facts = [min(len(count_line(row, _unit(comparison, row))), _MOST_FACTS) for row in rows]
    width = min(max(_LEAST_NAME, *names, *facts), room)
    table.add_column(comparison.by, width=width)
    for metric, least in zip(comparison.metrics, widths, strict=True):
        table.add_column(heading(metric), width=least, no_wrap=True)
    for row, line in zip(rows, cells, strict=True):
        title = Text(_name(row), style="bold")
        place = Text(_place(row), style="dim")
        for text in (title, place):
            text.truncate(width, overflow="ellipsis")
        over = Text(count_line(row, _unit(comparison, row)), style="dim")
        table.add_row(Text("\n").join(text for text in (title, place, over) if text), *line)
        table.add_row()
    return table


def _cell(row: Row, metric: str) -> Text:
    figure = row.figures[metric]
    lines = [_change(row, figure, metric), Text(_values(figure, metric))]
    if figure.interval:
        lines.append(Text(interval(figure, metric).replace(" ", ""), style="dim"))
    return Text("\n").join(lines)


def _values(figure: Figure, metric: str) -> str:
    return f"{number(figure.before, metric)} → {number(figure.after, metric)}"


def _change(row: Row, figure: Figure, metric: str) -> Text:
    if row.status != "both":
        return Text(row.status)
    style = {"▲": _UP, "▼": _DOWN}.get(change(figure, metric)[0], "")
    return Text(change(figure, metric), style=f"bold {style}" if figure.clear else style)


def _name(row: Row) -> str:
    name = one_line(row.name, 80)
    return name if row.status == "both" else f"{row.status}: {name}"


def _place(row: Row) -> str:
    """Which page or case a row is about, where the name does not tell."""
    place = row.case if row.case and row.case != row.name else row.key
    return "" if place in ("", row.name) else one_line(place, 80)


def _print_lines(comparison: Comparison, row: Row, console: Console) -> None:
    """One row as a block: a metric on every line, the interval only where there is room."""
    console.print(Text(_name(row), style="bold", no_wrap=True, overflow="ellipsis"))
    for line in (_place(row), count_line(row, _unit(comparison, row))):
        if line:
            console.print(Text(line, style="dim", overflow="ellipsis", no_wrap=True))
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), show_header=False)
    table.add_column(no_wrap=True, min_width=10)
    table.add_column(no_wrap=True, justify="right", min_width=11)
    table.add_column(no_wrap=True, min_width=8)
    wide = console.width >= 48
    if wide:
        table.add_column(no_wrap=True)
    for metric in comparison.metrics:
        figure = row.figures[metric]
        style = "bold" if metric in (OVERALL, SHARE) else ""
        cells = [
            Text(heading(metric), style=style),
            Text(_values(figure, metric)),
            _change(row, figure, metric),
        ]
        if wide:
            cells.append(Text(interval(figure, metric), style="dim"))
        table.add_row(*cells)
    console.print(table)
    console.print()
