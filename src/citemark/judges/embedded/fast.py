"""``embedded:fast``: a fitted model on features of the text, for bulk work."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence

from citemark.citations import ParsedAnswer, Problem
from citemark.judges.embedded.evidence import Exhibits, Trait
from citemark.judges.embedded.fast_model import fast_model
from citemark.judges.embedded.feature_table import feature_table
from citemark.judges.embedded.intervals import spreads, whole
from citemark.judges.embedded.judge import check
from citemark.judges.embedded.language import is_english
from citemark.judges.embedded.levels import scales
from citemark.judges.embedded.match import read_query
from citemark.judges.embedded.overlap import overlap_of
from citemark.judges.embedded.statements import read
from citemark.judges.protocol import Outcome, Work
from citemark.rubrics import DEFAULT_METRICS, Rubric
from citemark.scorecard import Judgment

TIER = "embedded:fast"
_TOP = 4


class FastJudge:
    """The judge for bulk work: a model fitted to an LLM judge, on features of the text."""

    name = TIER
    signature = "embedded:fast/1"
    trust = (
        "fitted to an LLM judge: rank correlation with it .66 on unseen queries "
        "(that LLM with itself .92); intervals hold four times out of five"
    )

    async def judge(self, work: AsyncIterator[Work]) -> AsyncIterator[Outcome]:
        """Judge every wanted source by every wanted rubric, case by case."""
        async for item in work:
            for rubric in item.rubrics:
                check(rubric)
            calibrated = is_english(" ".join(s.text for s in item.answer.sentences))
            remarks = () if calibrated else (_uncalibrated(item.answer),)
            for source, metric, judgment in judge_fast(
                item.answer, item.case.query, item.sources, item.rubrics, calibrated=calibrated
            ):
                yield Outcome(item.number, source, metric, judgment, remarks)
                remarks = ()


def _uncalibrated(answer: ParsedAnswer) -> Problem:
    message = (
        "uncalibrated: the answer does not look English, and the judge was fitted to English "
        "answers; its scores here are unmeasured and have no interval"
    )
    end = answer.sentences[-1].end if answer.sentences else 0
    return Problem("uncalibrated", 0, end, message)


def judge_fast(
    answer: ParsedAnswer,
    query: str,
    sources: Sequence[int],
    rubrics: Sequence[Rubric],
    *,
    calibrated: bool = True,
) -> Iterator[tuple[int, str, Judgment]]:
    """The judgments of the wanted sources of one answer, as (source, metric, judgment)."""
    reading, asked = read(answer), read_query(query)
    table = feature_table(reading, query)
    levels = fast_model().levels(table.values) if table.sources else ()
    found = dict(zip(table.sources, (list(map(float, row)) for row in levels), strict=True))
    overlap = overlap_of(reading)
    shown: dict[Trait, list[float]] = {}
    for source in sources:
        exhibits = Exhibits(source, reading, asked, overlap, shown)
        for rubric in rubrics:
            place = 5 * DEFAULT_METRICS.index(rubric.name)
            exact = found[source][place : place + 5] if source in found else None
            yield source, rubric.name, _judgment(rubric, exact, exhibits, calibrated)


def _judgment(
    rubric: Rubric, exact: Sequence[float] | None, exhibits: Exhibits, calibrated: bool
) -> Judgment:
    """One judgment; without levels, the source is cited for nothing that says something."""
    if exact is None:
        nothing = dict.fromkeys(rubric.ids, 0)
        return Judgment.of(rubric, nothing, expected=1.0, evidence=dict.fromkeys(rubric.ids, ()))
    expected = round(min(20.0, max(1.0, sum(exact))), 2)
    levels = dict(zip(rubric.ids, apportioned(exact, whole(expected)), strict=True))
    shown = {
        name: exhibits.sentences(scales()[name].shows, level) for name, level in levels.items()
    }
    interval = spreads(TIER)[rubric.name].interval(expected) if calibrated else None
    return Judgment.of(rubric, levels, expected=expected, interval=interval, evidence=shown)


def apportioned(exact: Sequence[float], total: int) -> list[int]:
    """Whole levels that add up to a total and lie as near as they can to the exact ones.

    >>> apportioned([1.4, 1.4, 1.4, 0.2, 3.9], 8)
    [2, 1, 1, 0, 4]
    """
    levels = [min(_TOP, int(x)) for x in exact]
    by_rest = sorted(range(len(exact)), key=lambda i: (levels[i] - exact[i], i))
    missing = total - sum(levels)
    while missing > 0:
        for i in by_rest:
            if missing and levels[i] < _TOP:
                levels[i] += 1
                missing -= 1
    return levels
