"""From exact levels to judgments, in both tiers: whole sub-scores, expected score, interval."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from citemark.citations import ParsedAnswer, Problem
from citemark.errors import UsageError
from citemark.judges.embedded.asides import without_asides
from citemark.judges.embedded.echoed import without_echo
from citemark.judges.embedded.intervals import Spread, spreads, whole
from citemark.judges.embedded.language import is_english
from citemark.judges.embedded.totals import total_of
from citemark.judges.embedded.trust import trust_of
from citemark.judges.protocol import Outcome, Work
from citemark.rubrics import DEFAULT_METRICS, Rubric
from citemark.rubrics import rubric as bundled
from citemark.scorecard import Judgment

_TOP = 4

Given = Iterator[tuple[int, str, Judgment]]
"""Judgments with their source and metric."""


class Tier(ABC):
    """A tier of the embedded judge: what both have in common."""

    name: str
    signature: str

    def __init__(self) -> None:
        self.trust = trust_of(self.name)

    async def judge(self, work: AsyncIterator[Work]) -> AsyncIterator[Outcome]:
        """Judge every wanted source by every wanted rubric, case by case."""
        async for item in work:
            remarks = remarks_on(item.answer)
            for source, metric, judgment in self.judge_case(
                item.answer, item.case.query, item.sources, item.rubrics, calibrated=not remarks
            ):
                yield Outcome(item.number, source, metric, judgment, remarks)
                remarks = ()

    def judge_case(
        self,
        answer: ParsedAnswer,
        query: str,
        sources: Sequence[int],
        rubrics: Sequence[Rubric],
        *,
        calibrated: bool = True,
    ) -> Given:
        """The judgments of the wanted sources of one answer, as (source, metric, judgment)."""
        # At once, not when the first judgment is asked for: a wrong rubric is found here.
        wanted = [sheet(self.name, rubric, calibrated) for rubric in rubrics]
        said = without_echo(answer, query)
        # What is an aside is told by English word vectors.
        said = without_asides(said, query) if calibrated else said
        return self._judgments(said, query, sources, wanted)

    @abstractmethod
    def _judgments(
        self, answer: ParsedAnswer, query: str, sources: Sequence[int], wanted: Sequence[Sheet]
    ) -> Given: ...


class Sheet(NamedTuple):
    """What a judgment by one rubric is made with, the same for every source."""

    rubric: Rubric
    ids: tuple[str, ...]
    place: int
    """Where its five levels begin among the 25."""
    spread: Spread | None

    def levels(self, every: Sequence[float]) -> tuple[float, list[int]]:
        """The expected score, and whole levels that add up to the nearest whole score."""
        exact = every[self.place : self.place + len(self.ids)]
        expected = round(total_of(exact), 2)
        return expected, apportioned(exact, whole(expected))

    def judgment(
        self, expected: float, levels: Sequence[int], evidence: Iterable[tuple[int, ...]]
    ) -> Judgment:
        """The judgment of a source."""
        return Judgment.of(
            self.rubric,
            dict(zip(self.ids, levels, strict=True)),
            expected=expected,
            interval=self.spread.interval(expected) if self.spread else None,
            evidence=dict(zip(self.ids, evidence, strict=True)),
        )

    def nothing(self) -> Judgment:
        """The judgment of a source that is cited for nothing that says something."""
        zero, none = dict.fromkeys(self.ids, 0), dict.fromkeys(self.ids, ())
        return Judgment.of(self.rubric, zero, expected=1.0, evidence=none)


@lru_cache(maxsize=64)
def sheet(tier: str, rubric: Rubric, calibrated: bool) -> Sheet:
    """The sheet of a tier for a rubric; without intervals where it was not calibrated."""
    _check(rubric)
    return Sheet(
        rubric=rubric,
        ids=rubric.ids,
        place=5 * DEFAULT_METRICS.index(rubric.name),
        spread=spreads(tier)[rubric.name] if calibrated else None,
    )


def _check(rubric: Rubric) -> None:
    # By hash too: another rubric under a known name is still another rubric.
    if rubric.name not in DEFAULT_METRICS or rubric.hash != bundled(rubric.name).hash:
        raise UsageError(
            f"the embedded judge knows the five metrics only ({', '.join(DEFAULT_METRICS)}), "
            f'not the rubric "{rubric.name}"; an LLM judge is needed for others'
        )


def remarks_on(answer: ParsedAnswer) -> tuple[Problem, ...]:
    """What is to be said before an answer is judged: whether the judge was fitted to its like."""
    if is_english(" ".join(sentence.text for sentence in answer.sentences)):
        return ()
    message = (
        "uncalibrated: the answer does not look English, and the judge was fitted to English "
        "answers; its scores here are unmeasured and have no interval"
    )
    end = answer.sentences[-1].end if answer.sentences else 0
    return (Problem("uncalibrated", 0, end, message),)


def apportioned(exact: Sequence[float], total: int) -> list[int]:
    """Whole levels that add up to a total and lie as near as they can to the exact ones.

    >>> apportioned([1.4, 1.4, 1.4, 0.2, 3.9], 8)
    [2, 1, 1, 0, 4]
    """
    levels = [max(0, min(_TOP, int(x))) for x in exact]
    missing = total - sum(levels)
    if not missing:
        return levels
    rests = [level - x for level, x in zip(levels, exact, strict=True)]
    step, end = (1, _TOP) if missing > 0 else (-1, 0)
    # Of equals, the first one gains first.
    by_rest = sorted(range(len(levels)), key=rests.__getitem__)[::step]
    while missing:
        for i in by_rest:
            if missing and levels[i] != end:
                levels[i] += step
                missing -= step
    return levels
