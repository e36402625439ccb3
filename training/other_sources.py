"""Further sources of judged answers, which the second LLM judged.

The first one judged about half of the sources that the answers cite. The second had its scores of
the others beside it, so that both speak of an answer on one level; a source that both judged was
kept from it here and there, which tells how it leans.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from training.judged import JudgedCase, totals_of
from training.second_judge import TOP, judgments_in, leaning, mark_of

BESIDE = "beside.txt"


def with_other_sources(
    cases: Sequence[JudgedCase], judged: Sequence[JudgedCase]
) -> list[JudgedCase]:
    """Some of the judged cases, with further sources, each judged once."""
    given = judgments_in(BESIDE)
    lean = leaning(given, judged)
    found = []
    for case in cases:
        said = given.get(mark_of(case.query, case.answer), {})
        more = {source: levels for source, levels in said.items() if source not in case.sources}
        if not more:
            found.append(case)
            continue
        levels = np.concatenate([case.levels, np.clip(np.stack([*more.values()]) - lean, 0.0, TOP)])
        totals = np.concatenate([case.totals, totals_of(levels[len(case.sources) :])])
        found.append(
            replace(
                case,
                sources=(*case.sources, *more),
                passes=(*case.passes, *(1 for _ in more)),
                levels=levels,
                totals=totals,
            )
        )
    return found
