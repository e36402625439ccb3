"""How figures of a comparison are written: the same in the terminal and on the page."""

from __future__ import annotations

from citemark.comparison.comparing import Comparison, Row
from citemark.comparison.differences import Figure
from citemark.comparison.scorecards import SHARE, Card
from citemark.manifest import counted

NOTHING = "–"
CLEAR = "*"
LEGEND = "* the 95 % interval (bootstrap over queries) leaves out 0"
FEW = "Intervals need at least five queries."


def number(value: float | None, metric: str) -> str:
    """A figure with one decimal; shares in percent."""
    return NOTHING if value is None else f"{value * scale(metric):.1f}"


def scale(metric: str) -> int:
    """By what a figure is multiplied to be shown."""
    return 100 if metric == SHARE else 1


def heading(metric: str) -> str:
    """The name of a metric above its figures."""
    return "share %" if metric == SHARE else metric


def signed(value: float, metric: str) -> str:
    """A difference with its sign, and none for what rounds to 0.

    >>> signed(2.04, "count"), signed(-0.121, "share"), signed(-0.01, "count")
    ('+2.0', '-12.1', '0.0')
    """
    text = f"{value * scale(metric):+.1f}"
    return "0.0" if float(text) == 0 else text


def arrow(value: float, metric: str) -> str:
    """Which way a difference points, for those who do not see the colour."""
    sign = signed(value, metric)[0]
    return {"+": "▲", "-": "▼"}.get(sign, "=")


def change(figure: Figure, metric: str) -> str:
    """The difference with arrow and sign, and a star where the interval leaves out 0."""
    if figure.difference is None:
        return "failed" if any(figure.failed) else NOTHING
    sign = f"{arrow(figure.difference, metric)} {signed(figure.difference, metric)}"
    return f"{sign}{CLEAR}" if figure.clear else sign


def interval(figure: Figure, metric: str) -> str:
    """The ends of the interval, or nothing."""
    if figure.interval is None:
        return ""
    low, high = figure.interval
    return f"{signed(low, metric)} .. {signed(high, metric)}"


def count_line(row: Row, unit: str) -> str:
    """Over how many a row is, and what is special about it."""
    sample = max(row.figures.values(), key=lambda figure: figure.n, default=None)
    if sample is None:
        return ""
    plural = "queries" if unit == "query" else f"{unit}s"
    noun = plural if sample.of != 1 else unit
    parts = [f"{sample.n} of {sample.of} {noun}"]
    if row.status != "both":
        parts = [f"in {sample.of} {noun}"]
    else:
        gone, new = row.only
        parts += [f"{gone} only before"] if gone else []
        parts += [f"{new} only after"] if new else []
    if any(sample.not_cited):
        parts.append(f"not cited: {sample.not_cited[0]} before, {sample.not_cited[1]} after")
    failed = [sum(f.failed[side] for f in row.figures.values()) for side in (0, 1)]
    if any(failed):
        fewest = min(figure.n for figure in row.figures.values())
        parts.append("some failed" if fewest < sample.n else "some failed in part")
    return ", ".join(parts)


def summary(comparison: Comparison) -> str:
    """What was compared, in one line."""
    matches = comparison.matches
    ways = dict.fromkeys(pair.how for pair in matches.pairs)
    pairs = counted(len(matches.pairs), "case")
    by = " and ".join(ways)
    gone, new = comparison.total.only
    parts = [f"{pairs} matched by {by}" if "given" not in ways else f"{pairs} compared"]
    if matches.only_before or matches.only_after:
        parts.append(
            f"unmatched: {len(matches.only_before)} before, {len(matches.only_after)} after"
        )
    both = comparison.total.sources - gone - new
    parts.append(f"sources on both sides: {both}, gone {gone}, new {new}")
    return "; ".join(parts)


def judged_by(comparison: Comparison) -> str:
    """Who gave the scores, on each side where they differ."""
    pairs = comparison.matches.pairs
    old, new = (
        " and ".join(sorted({_judge(card) for cards in side for card in cards}))
        for side in ([p.before for p in pairs], [p.after for p in pairs])
    )
    return f"Judge: {old}" if old == new else f"Judge: {old} before, {new} after"


def _judge(card: Card) -> str:
    return f"{card.judge}, mode {card.mode}" if card.mode else card.judge
