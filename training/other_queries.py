"""Judged answers with other queries, which the second LLM wrote and judged.

What an answer is worth to another query is what the judged cases teach least about: nearly all of
their answers fit the query, and which source answers it directly is hard to tell from so few.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from training.judged import SUBSCORES, Array, JudgedCase, totals_of
from training.second_judge import ROUNDS, Round, judged_by_both, made_case, mark_of

ASKED = (Round("asked.jsonl", ROUNDS[-1].again), Round("asked_more.jsonl", "asked_more_again.txt"))
"""Queries and judgments in two rounds, in the second of relevance and influence alone."""


def other_queries(judged: Sequence[JudgedCase]) -> list[JudgedCase]:
    """Judged answers with other queries, in the folds of the queries that they were given to."""
    known = {mark_of(case.query, case.answer): case for case in judged}
    found = []
    for one in ASKED:
        strict = strictness(one, judged)
        for number, data in enumerate(one.cases()):
            first = known.get(data["of"])
            if first is not None:
                named = {"id": f"{first.id}-{one.made}-{number}", **data}
                given = made_case(named, first.answer, np.zeros(SUBSCORES))
                levels = given.levels * strict
                found.append(
                    replace(given, levels=levels, totals=totals_of(levels), answers=first.query)
                )
    return found


def strictness(one: Round, judged: Sequence[JudgedCase]) -> Array:
    """The first judge's levels as a part of the second's, by sub-score, where both judged.

    With other queries levels go down to 0, where nothing could be taken off: so it is a factor.
    """
    pairs = [(levels, case.levels[row]) for case, row, levels in judged_by_both(
        one.judged_again(), judged
    )]
    if not pairs:
        return np.ones(SUBSCORES)
    second, first = (np.array(side) for side in zip(*pairs, strict=True))
    squares = (second**2).sum(0)
    return np.where(squares > 0, (first * second).sum(0) / np.maximum(squares, 1e-9), 1.0)
