"""Trying the laws on answers: transform, score before and after, compare.

A change counts in ``expected``, which judges round to .01: "stay" allows that much either way,
"not rise" that much upwards, "fall" asks for at least that much downwards. A sub-score is an
integer; where a judge gives no finer value, a sub-score must fall means that it does not rise
while its metric's ``expected`` falls.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from citemark import Case, Judgment, score_many
from citemark.judges import Judge, find_judge
from citemark.rubrics import DEFAULT_METRICS
from training.discipline.laws import ALL, Law, metric_of, transformations_of
from training.discipline.reading import Variant, read
from training.discipline.transformations import OF_THE_ANSWER, transformed

ROUNDING = 0.01
_EPSILON = 1e-6
_LOWEST = 1.0

Scores = Mapping[str, Judgment]
"""The judgments of one source by metric."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One answer before and after a transformation that concerns a source (0: all of them)."""

    transformation: str
    case: Case
    source: int
    variant: Variant


@dataclass(frozen=True, slots=True)
class Finding:
    """What a trial did to a law's measure."""

    law: Law
    trial: Trial
    source: int
    change: float
    passed: bool


@dataclass(frozen=True, slots=True)
class Trials:
    """The trials of one transformation, and how many answers were looked at for them."""

    transformation: str
    made: tuple[Trial, ...]
    looked_at: int


def trials_of(
    name: str, cases: Sequence[Case], count: int, seed: int, queries: Sequence[str]
) -> Trials:
    """Transform answers, one source each, until there are ``count`` variants."""
    made: list[Trial] = []
    looked_at = 0
    for case in cases:
        if len(made) == count:
            break
        looked_at += 1
        trial = _trial(name, case, seed + looked_at, queries)
        if trial is not None:
            made.append(trial)
    return Trials(name, tuple(made), looked_at)


def _trial(name: str, case: Case, turn: int, queries: Sequence[str]) -> Trial | None:
    cited = sorted(read(case).cited)
    if not cited:
        return None
    if name in OF_THE_ANSWER:
        variant = transformed(name, case, 0, turn)
        return None if variant is None else Trial(name, case, 0, variant)
    # Another source comes first in every answer, not always the one with the lowest number.
    first = turn % len(cited)
    for source in cited[first:] + cited[:first]:
        variant = transformed(name, case, source, turn, queries)
        if variant is not None:
            return Trial(name, case, source, variant)
    return None


def findings(
    chosen: tuple[Law, ...],
    cases: Sequence[Case],
    *,
    judge: str | Judge = "embedded",
    count: int = 200,
    seed: int = 0,
) -> tuple[list[Finding], list[Trials]]:
    """Try the chosen laws on ``count`` answers each; what was found, and what was tried."""
    queries = sorted({case.query for case in cases})
    tried = [trials_of(n, cases, count, seed, queries) for n in transformations_of(chosen)]
    every = [trial for trials in tried for trial in trials.made]
    speaker = find_judge(judge)
    before = _before(every, speaker)
    found = []
    for trial, after in _scored(every, speaker):
        for law in chosen:
            if law.transformation == trial.transformation:
                found += _found(law, trial, before[trial.case.id], after)
    return found, tried


def _before(trials: Iterable[Trial], judge: Judge) -> dict[str, Mapping[int, Scores]]:
    cases = list({trial.case.id: trial.case for trial in trials}.values())
    return dict(zip([case.id for case in cases], _cards(cases, judge), strict=True))


def _scored(trials: list[Trial], judge: Judge) -> Iterator[tuple[Trial, Mapping[int, Scores]]]:
    """Score the variants; only the source in question where there is one, which saves time."""
    order = sorted(trials, key=lambda trial: trial.source)
    for source, group in groupby(order, key=lambda trial: trial.source):
        members = list(group)
        only = [source] if source else None
        yield from zip(members, _cards([t.variant.case for t in members], judge, only), strict=True)


def _cards(
    cases: list[Case], judge: Judge, only: list[int] | None = None
) -> Iterator[Mapping[int, Scores]]:
    for card in score_many(cases, judge=judge, only=only):
        yield {s.source: s.scores for s in card.sources if s.cited}


def _found(
    law: Law, trial: Trial, before: Mapping[int, Scores], after: Mapping[int, Scores]
) -> list[Finding]:
    if law.measure == ALL:
        return [_largest(law, trial, before, after)]
    old, new = before[trial.source], after.get(trial.source)
    if new is None:
        return []
    metric = metric_of(law.measure)
    earlier = old[metric].expected
    if earlier is None or (law.rule == "fall" and earlier <= _LOWEST):
        return []  # what is at the bottom cannot fall
    change = _change(old[metric], new[metric])
    passed = change <= ROUNDING + _EPSILON
    if law.rule == "fall":
        passed = change <= -ROUNDING + _EPSILON
        if law.measure != metric:
            passed = passed and _level(new[metric], law.measure) <= _level(old[metric], law.measure)
    return [Finding(law, trial, trial.source, change, passed)]


def _largest(
    law: Law, trial: Trial, before: Mapping[int, Scores], after: Mapping[int, Scores]
) -> Finding:
    """The largest move of any metric of any source."""
    renamed = trial.variant.renamed
    moves = [
        (_change(before[source][metric], after[renamed.get(source, source)][metric]), source)
        for source in before
        for metric in DEFAULT_METRICS
    ]
    change, source = max(moves, key=lambda move: abs(move[0]))
    return Finding(law, trial, source, change, abs(change) <= ROUNDING + _EPSILON)


def _change(old: Judgment, new: Judgment) -> float:
    if old.expected is None or new.expected is None:
        raise ValueError(f"a judgment failed ({old.reason or new.reason}); nothing to compare")
    return round(new.expected - old.expected, 2)


def _level(judgment: Judgment, name: str) -> float:
    return (judgment.subscores or {})[name]
