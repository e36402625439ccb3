"""The embedded judge: a small network and a feature model, fitted to a frontier LLM, offline."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence

from citemark.citations import ParsedAnswer
from citemark.judges.embedded.judgments import Sheet, remarks_on, sheet
from citemark.judges.embedded.trust import trust_of
from citemark.judges.embedded.weighing import Fall, Weighing
from citemark.judges.protocol import Outcome, Work
from citemark.rubrics import Rubric
from citemark.scorecard import Judgment

TIER = "embedded"
_MOST = 3
"""No level names more sentences than this."""
_NEXT = 0.5
"""A further sentence is named if at least this part of what rests on the first rests on it."""


class EmbeddedJudge:
    """The judge that needs nothing but the package: no key, no connection."""

    name = TIER
    signature = "embedded/2"

    def __init__(self) -> None:
        self.trust = trust_of(TIER)

    async def judge(self, work: AsyncIterator[Work]) -> AsyncIterator[Outcome]:
        """Judge every wanted source by every wanted rubric, case by case."""
        async for item in work:
            remarks = remarks_on(item.answer)
            for source, metric, judgment in judge_case(
                item.answer, item.case.query, item.sources, item.rubrics, calibrated=not remarks
            ):
                yield Outcome(item.number, source, metric, judgment, remarks)
                remarks = ()


def judge_case(
    answer: ParsedAnswer,
    query: str,
    sources: Sequence[int],
    rubrics: Sequence[Rubric],
    *,
    calibrated: bool = True,
) -> Iterator[tuple[int, str, Judgment]]:
    """The judgments of the wanted sources of one answer, as (source, metric, judgment)."""
    # At once, not when the first judgment is asked for: a wrong rubric is found here.
    wanted = [sheet(TIER, rubric, calibrated) for rubric in rubrics]
    return _judgments(answer, query, sources, wanted)


def _judgments(
    answer: ParsedAnswer, query: str, sources: Sequence[int], wanted: Sequence[Sheet]
) -> Iterator[tuple[int, str, Judgment]]:
    weighing = Weighing(answer, query)
    for source in sources:
        levels = weighing.levels.get(source)
        if levels is None:
            yield from ((source, page.rubric.name, page.nothing()) for page in wanted)
            continue
        falls = weighing.falls(source)
        for page in wanted:
            expected, given = page.levels(levels.tolist())
            shown = [
                resting(falls, page.place + i) if level else () for i, level in enumerate(given)
            ]
            yield source, page.rubric.name, page.judgment(expected, given, shown)


def resting(falls: Sequence[Fall], level: int) -> tuple[int, ...]:
    """The one to three sentences on which a level rests most."""
    ranked = sorted(falls, key=lambda fall: (-fall.levels[level], fall.sentences))[:_MOST]
    if not ranked:
        return ()
    least = _NEXT * float(ranked[0].levels[level])
    named = [ranked[0], *(fall for fall in ranked[1:] if fall.levels[level] >= least > 0)]
    return tuple(sorted([n for fall in named for n in fall.sentences][:_MOST]))
