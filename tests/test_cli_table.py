"""The table in the terminal: what it says about scores that the judge is unsure of."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console

import citemark
from citemark import Scorecard
from citemark.cli.table import Table
from citemark.report.summary import UNSURE_SPAN
from citemark.rubrics import DEFAULT_METRICS

WIDE, NARROW = (4, 4 + UNSURE_SPAN), (4, 3 + UNSURE_SPAN)


def card_with(**intervals: tuple[int, int]) -> Scorecard:
    """A card of two sources; the intervals of some metrics of the first are given."""
    card = citemark.score(query="What is tea?", answer="Tea is a hot drink [1]. It is wet [2].")
    sources = []
    for source, given in zip(card.sources, (intervals, {}), strict=True):
        scores = {m: replace(j, interval=given.get(m)) for m, j in source.scores.items()}
        sources.append(replace(source, scores=scores))
    return replace(card, sources=tuple(sources))


def shown(card: Scorecard, width: int) -> list[str]:
    printed = io.StringIO()
    table = Table("a judge", Console(file=printed, width=width, highlight=False))
    table.write(card)
    table.close()
    return printed.getvalue().splitlines()


@pytest.mark.parametrize("width", [40, 60, 80, 100, 140])
def test_a_score_with_a_wide_interval_is_unsure(width: int) -> None:
    card = card_with(relevance=WIDE, count=NARROW)
    lines = shown(card, width)
    assert all(len(line.rstrip()) <= width for line in lines)
    (row,) = (line for line in lines if line.startswith("1 "))
    assert row.count("?") == 1
    assert f"{card[1].relevance.score}?" in row
    legend = " ".join(lines)
    assert f"? unsure: the judge's 80 % interval spans {UNSURE_SPAN} points or more" in " ".join(
        legend.split()
    )


@pytest.mark.parametrize("width", [40, 80, 140])
def test_where_the_judge_is_sure_or_gives_no_interval_nothing_is_marked(width: int) -> None:
    for card in (card_with(), card_with(**dict.fromkeys(DEFAULT_METRICS, NARROW))):
        printed = "\n".join(shown(card, width)).replace("What is tea?", "")
        assert "?" not in printed
        assert "unsure" not in printed


def test_a_pipe_gets_plain_text_in_eighty_columns_with_bars() -> None:
    lines = shown(card_with(**dict.fromkeys(DEFAULT_METRICS, WIDE)), 80)
    assert not any("\x1b" in line for line in lines)
    (row,) = (line for line in lines if line.startswith("1 "))
    assert row.count("?") == 5
    assert "█" in row or "▏" in row or "▌" in row
