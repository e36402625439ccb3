"""The comparison without scripts: the same content as plain tables and text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from citemark.comparison.comparing import Comparison, Row
from citemark.comparison.wording import (
    FEW,
    LEGEND,
    change,
    count_line,
    heading,
    interval,
    number,
)
from citemark.report.static import static_answer, text


def static_comparison(comparison: Comparison, data: Mapping[str, Any]) -> str:
    """Remarks, the table, both answers of every case, and what found no partner."""
    parts = [
        _remarks(data["remarks"]),
        _table(comparison),
        '<section class="pairs"><h2>Answers side by side</h2>',
        *map(_pair, data["cases"]),
        "</section>",
        *(_unmatched(side, data[side]["unmatched"]) for side in ("before", "after")),
    ]
    return "\n".join(part for part in parts if part)


def _remarks(remarks: list[dict[str, str]]) -> str:
    items = "".join(
        f'<li class="remark {r["level"]}"><strong>{r["level"].capitalize()}:</strong> '
        f"{text(r['text'])}</li>"
        for r in remarks
    )
    return f'<ul class="remarks">{items}</ul>' if remarks else ""


def _table(comparison: Comparison) -> str:
    rows = [*comparison.rows, comparison.total]
    sure = any(figure.interval for row in rows for figure in row.figures.values())
    heads = (comparison.by.capitalize(), *(heading(m).capitalize() for m in comparison.metrics))
    return (
        f"<section><h2>By {comparison.by}</h2>"
        f'<div class="card"><table class="differences"><caption>{LEGEND if sure else FEW}</caption>'
        f"<thead><tr>{''.join(f'<th scope=col>{text(head)}</th>' for head in heads)}</tr></thead>"
        f"<tbody>{''.join(_row(comparison, row) for row in rows)}</tbody></table></div></section>"
    )


def _row(comparison: Comparison, row: Row) -> str:
    unit = "query" if row is comparison.total else comparison.unit
    status = "" if row.status == "both" else f' <span class="tag">{row.status}</span>'
    place = row.case if row.case and row.case != row.name else row.key
    lines = [line for line in (place, count_line(row, unit)) if line and line != row.name]
    small = "".join(f'<span class="row-place small muted">{text(line)}</span>' for line in lines)
    cells = "".join(_cell(row, metric) for metric in comparison.metrics)
    name = f'<span class="row-name"><bdi>{text(row.name)}</bdi>{status}</span>'
    return f"<tr><th scope=row>{name}{small}</th>{cells}</tr>"


def _cell(row: Row, metric: str) -> str:
    figure = row.figures[metric]
    said = change(figure, metric) if row.status == "both" else ""
    way = {"▲": " up", "▼": " down"}.get(said[:1], "")
    return (
        f'<td data-label="{text(heading(metric).capitalize())}">'
        f'<span class="change{way}">{said}</span>'
        f'<span class="from-to">{number(figure.before, metric)} → {number(figure.after, metric)}'
        f'</span><span class="interval small muted">{interval(figure, metric)}</span></td>'
    )


def _pair(pair: Mapping[str, Any]) -> str:
    return (
        f'<details class="card pair-fold"><summary><span class="pair-query" dir="auto">'
        f'{text(pair["query"])}</span> <span class="small muted mono">{text(pair["case"])}</span>'
        f'</summary><div class="pair"><div class="pair-answers">{_side(pair, 0)}{_side(pair, 1)}'
        "</div></div></details>"
    )


def _side(pair: Mapping[str, Any], side: int) -> str:
    """One answer; a source has the same tint on both sides, by its place among the rows."""
    name = ("before", "after")[side]
    sources = [{"source": row["numbers"][side]} for row in pair["rows"]]
    names = "".join(
        f'<li><span class="number">{row["numbers"][side]}</span> {text(row["name"])}</li>'
        for row in pair["rows"]
        if row["numbers"][side] is not None
    )
    answer = static_answer({**pair[name], "sources": sources})
    return (
        f'<section class="pair-side"><h3 class="eyebrow">{name}</h3>'
        f'<div class="answer as-is" dir="auto">{answer}</div>'
        f'<ul class="small soft">{names}</ul></section>'
    )


def _unmatched(side: str, cards: list[dict[str, str]]) -> str:
    items = "".join(f"<li>{text(c['case'])}: {text(c['query'])}</li>" for c in cards)
    return f"<section><h2>Only {side}</h2><ul>{items}</ul></section>" if cards else ""
