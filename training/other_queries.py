"""Judged answers with other queries, which the second LLM wrote and judged.

What an answer is worth to another query is what the judged cases teach least about: nearly all of
their answers fit the query.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from training.judged import JudgedCase
from training.second_judge import PLACE, ROUNDS, leaning, made_case, mark_of

ASKED = "asked.jsonl"
"""Queries and judgments, made in the same way as those of the last round."""


def other_queries(judged: Sequence[JudgedCase]) -> list[JudgedCase]:
    """Judged answers with other queries, in the folds of the queries that they were given to."""
    known = {mark_of(case.query, case.answer): case for case in judged}
    lean = leaning(ROUNDS[-1].judged_again(), judged)
    found = []
    for line in (PLACE / ASKED).read_text(encoding="utf-8").splitlines():
        data = json.loads(line)
        first = known.get(data["of"])
        if first is not None:
            case = made_case({"id": f"{first.id}-asked", **data}, first.answer, lean)
            found.append(replace(case, answers=first.query))
    return found
