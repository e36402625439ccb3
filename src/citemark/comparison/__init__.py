"""What changed between two sets of results, source by source and metric by metric."""

from __future__ import annotations

from citemark.comparison.comparing import Comparison, compare_cards
from citemark.comparison.plain import compare_two, comparison_data, flat_rows
from citemark.comparison.scorecards import Card, read_cards

__all__ = [
    "Card",
    "Comparison",
    "compare_cards",
    "compare_two",
    "comparison_data",
    "flat_rows",
    "read_cards",
]
