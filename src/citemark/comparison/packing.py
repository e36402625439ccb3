"""The cases of a comparison in a compact form for the page, which may hold a thousand.

``scripts/compare-page.js`` gives back what :func:`comparison_data` had.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def packed(data: Mapping[str, Any]) -> dict[str, Any]:
    """The same data, with the figures and sentences of cases as bare rows."""
    metrics = data["metrics"]
    return {**data, "cases": [_case(case, metrics) for case in data["cases"]]}


def _case(case: Mapping[str, Any], metrics: list[str]) -> dict[str, Any]:
    return {
        **case,
        "figures": _figures(case["figures"], metrics),
        "before": _answer(case["before"]),
        "after": _answer(case["after"]),
        "rows": [_row(row, metrics) for row in case["rows"]],
    }


def _row(row: Mapping[str, Any], metrics: list[str]) -> list[Any]:
    names = ("key", "name", "url", "case", "status", "numbers")
    marks = next((row["figures"][m]["not_cited"] for m in metrics), [0, 0])
    return [*(row[name] for name in names), marks, _figures(row["figures"], metrics)]


def _figures(figures: Mapping[str, Mapping[str, Any]], metrics: list[str]) -> list[list[Any]]:
    """Before and after, metric by metric; failures only where there are any."""
    return [
        [figure["before"], figure["after"], *(figure["failed"] if any(figure["failed"]) else ())]
        for figure in (figures[metric] for metric in metrics)
    ]


def _answer(side: Mapping[str, Any]) -> list[Any]:
    sentences = []
    for sentence in side["sentences"]:
        own, block = sentence["sources"] or [], sentence["block_sources"] or []
        row = [sentence["start"], sentence["end"], own]
        sentences.append(row if own == block else [*row, block])
    return [side["answer"], sentences]
