"""A comparison as plain data: for programs, for tables, and for the page that shows it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from citemark.comparison.comparing import ComparedCase, Comparison, Row, compare_cards
from citemark.comparison.differences import Figure
from citemark.comparison.matching import CasePair, Matches, page_name
from citemark.comparison.scorecards import SHARE, Card

SCHEMA = 1
COLUMNS = (
    *("kind", "key", "name", "url", "case", "status", "metric"),
    *("before", "after", "difference", "low", "high", "clear", "n", "of"),
    *("failed_before", "failed_after", "not_cited_before", "not_cited_after"),
    *("only_before", "only_after"),
)
"""The columns of the flat form: one line for each row and metric."""


def compare_two(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """Two scorecards, as plain data, put side by side: the same question or not.

    The result is what :func:`comparison_data` gives, for one pair.
    """
    old, new = Card.from_dict(before), Card.from_dict(after)
    pair = CasePair((old,), (new,), "given")
    return comparison_data(compare_cards([old], [new], matches=Matches((pair,))))


def comparison_data(
    comparison: Comparison, names: tuple[str, str] = ("before", "after")
) -> dict[str, Any]:
    """The whole comparison as plain data."""
    matches = comparison.matches
    before = [card for pair in matches.pairs for card in pair.before]
    after = [card for pair in matches.pairs for card in pair.after]
    return {
        "schema": SCHEMA,
        "by": comparison.by,
        "metrics": list(comparison.metrics),
        "before": _side(names[0], before, matches.only_before, comparison.failed[0]),
        "after": _side(names[1], after, matches.only_after, comparison.failed[1]),
        "pairs": len(matches.pairs),
        "queries": comparison.queries,
        "hidden": comparison.hidden,
        "remarks": [remark.to_dict() for remark in comparison.remarks],
        "total": _row(comparison.total),
        "rows": [_row(row) for row in comparison.rows],
        "cases": [_case(case) for case in comparison.cases],
    }


def flat_rows(comparison: Comparison) -> Iterator[dict[str, Any]]:
    """One flat row for every row and metric, the total last; columns as in ``COLUMNS``."""
    kinds = [(comparison.by, row) for row in comparison.rows]
    for kind, row in [*kinds, ("total", comparison.total)]:
        for metric, figure in row.figures.items():
            low, high = _interval(figure, metric) or (None, None)
            cells = (
                *(kind, row.key, row.name, row.url, row.case, row.status, metric),
                *(_round(figure.before, metric), _round(figure.after, metric)),
                *(_round(figure.difference, metric), low, high, figure.clear),
                *(figure.n, figure.of, *figure.failed, *figure.not_cited, *row.only),
            )
            yield dict(zip(COLUMNS, cells, strict=True))


def _side(name: str, cards: list[Card], unmatched: tuple[Card, ...], failed: int) -> dict[str, Any]:
    def distinct(values: Iterator[str | None]) -> list[str]:
        return sorted({value for value in values if value})

    return {
        "name": name,
        "cases": len(cards),
        "judges": distinct(card.judge for card in cards),
        "modes": distinct(card.mode for card in cards),
        "signatures": distinct(card.signature for card in cards),
        "failed": failed,
        "unmatched": [{"case": card.case, "query": card.query} for card in unmatched],
    }


def _row(row: Row) -> dict[str, Any]:
    return {
        "key": row.key,
        "name": row.name,
        "url": row.url,
        "case": row.case,
        "status": row.status,
        "only": list(row.only),
        "figures": {metric: _figure(figure, metric) for metric, figure in row.figures.items()},
    }


def _figure(figure: Figure, metric: str) -> dict[str, Any]:
    interval = _interval(figure, metric)
    return {
        "before": _round(figure.before, metric),
        "after": _round(figure.after, metric),
        "difference": _round(figure.difference, metric),
        "interval": None if interval is None else list(interval),
        "clear": figure.clear,
        "n": figure.n,
        "of": figure.of,
        "failed": list(figure.failed),
        "not_cited": list(figure.not_cited),
    }


def _interval(figure: Figure, metric: str) -> tuple[float | None, float | None] | None:
    if figure.interval is None:
        return None
    return _round(figure.interval[0], metric), _round(figure.interval[1], metric)


def _round(value: float | None, metric: str) -> float | None:
    # Adding 0 turns a minus zero, which looks like a loss, into a plain one.
    return None if value is None else round(value, 4 if metric == SHARE else 2) + 0


def _case(case: ComparedCase) -> dict[str, Any]:
    pair = case.pair
    sides = _numbers(pair.before[0]), _numbers(pair.after[0])
    rows = [
        {**_row(row), "numbers": [side.get(source.name) for side in sides]}
        for source, row in zip(case.sources, case.rows, strict=True)
    ]
    return {
        "case": pair.case,
        "after_case": pair.after[0].case,
        "query": pair.query,
        "after_query": pair.after[0].query,
        "matched_by": pair.how,
        "repeats": [len(pair.before), len(pair.after)],
        "before": _answer(pair.before[0]),
        "after": _answer(pair.after[0]),
        "figures": _row(case.mean)["figures"],
        "rows": rows,
    }


def _numbers(card: Card) -> dict[str | int, int]:
    """The numbers of the sources in the answer that is shown, the first of its repeats."""
    return {page_name(page, "source"): page.n for page in reversed(card.pages)}


def _answer(card: Card) -> dict[str, Any]:
    kept = ("start", "end", "sources", "block_sources")
    return {
        "answer": card.answer,
        "sentences": [{name: s.get(name) for name in kept} for s in card.sentences],
    }
