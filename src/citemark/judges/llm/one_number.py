"""The modes that ask for one number from 1 to 20: direct, weighted, sampled."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import fsum

from citemark.judges.llm.probability import (
    MATTERS,
    Weighted,
    place_in,
    score_at,
    weigh,
    with_branch,
)
from citemark.judges.llm.reading import Unreadable, read_score
from citemark.judges.llm.request import Reply, Request
from citemark.judges.llm.units import TOP_LOGPROBS, Asking, Place, Reading, Unit
from citemark.judges.protocol import Work
from citemark.prompts import prompt, system_message
from citemark.rubrics import Rubric
from citemark.scorecard import Judgment

MOST_TOKENS = 1024
"""Room for a model that thinks aloud before it gives its number."""
LEAST_COVERAGE = 0.5
NUMBER_GRAMMAR = 'root ::= [1-9] | "1" [0-9] | "20"'
"""Holds a local model to a bare score; what it would rather say still shows in coverage."""


def one_number(work: Work, asking: Asking, source: int, rubric: Rubric) -> Unit:
    """One source by one metric; the prompt is the same in all three modes."""
    text = prompt(rubric, work.case, work.answer, source, asking.mode)
    weighted = asking.mode == "weighted"
    first = Request(
        system=system_message(rubric),
        parts=(text.shared, text.specific),
        max_tokens=MOST_TOKENS,
        temperature=asking.temperature,
        seed=asking.seed,
        top_logprobs=TOP_LOGPROBS if weighted else 0,
        weighs=weighted,
        grammar=NUMBER_GRAMMAR if asking.grammar else None,
    )
    place = (source, rubric.name)
    if asking.mode == "sampled":
        requests = tuple(first._replace(sample=n) for n in range(asking.samples))
        return Unit((place,), requests, lambda replies: _one(place, _sampled(rubric, replies)))
    if not weighted:
        return Unit((place,), (first,), lambda replies: _one(place, _direct(rubric, replies[0])))

    def branches(replies: Sequence[Reply]) -> tuple[Request, ...]:
        return _branches(first, replies[0], held=asking.grammar) if asking.prefill else ()

    return Unit(
        (place,),
        (first,),
        lambda replies: _one(place, _weighted(rubric, replies, held=asking.grammar)),
        branches,
    )


def _one(place: Place, judgment: Judgment) -> Reading:
    return Reading({place: judgment})


def _direct(rubric: Rubric, reply: Reply) -> Judgment:
    score = _score_in(reply)
    if isinstance(score, Unreadable):
        return Judgment.failed(score.reason)
    return _scored(rubric, score)


@lru_cache(maxsize=512)
def _scored(rubric: Rubric, score: int) -> Judgment:
    """A judgment that is a score and nothing else: there are only twenty for a rubric."""
    return Judgment("scored", score, float(score), band=rubric.band(score))


def _score_in(reply: Reply) -> int | Unreadable:
    if reply.failure:
        return Unreadable(reply.failure, reply.detail)
    return read_score(reply.text)


def _sampled(rubric: Rubric, replies: Sequence[Reply]) -> Judgment:
    """The mean of all samples; if one of them is no score, the judgment failed: a mean over
    those that happened to be readable would be another quantity."""
    scores = [_score_in(reply) for reply in replies]
    for score in scores:
        if isinstance(score, Unreadable):
            return Judgment.failed(score.reason)
    values = tuple(score for score in scores if isinstance(score, int))
    return _expected(rubric, fsum(values) / len(values), samples=values)


def _weighted(rubric: Rubric, replies: Sequence[Reply], *, held: bool) -> Judgment:
    first = replies[0]
    score = _score_in(first)
    if isinstance(score, Unreadable):
        return Judgment.failed(score.reason)
    seen = _weigh(first, score, held=held)
    if seen is None:
        return Judgment.failed("not_a_score")
    for digit, reply in zip(_open_branches(first, held=held), replies[1:], strict=False):
        # Only its first token was asked for: that it was cut there is as it should be.
        if reply.failure not in (None, "truncated"):
            return Judgment.failed(reply.failure)
        if reply.tokens:
            seen = with_branch(seen, digit, reply.tokens[0])
    if seen.coverage < LEAST_COVERAGE:
        return Judgment.failed("not_a_score")
    return _expected(rubric, seen.expected, coverage=round(seen.coverage, 4))


def _expected(
    rubric: Rubric,
    value: float,
    *,
    samples: tuple[int, ...] | None = None,
    coverage: float | None = None,
) -> Judgment:
    score = int(value + 0.5)
    band = rubric.band(score)
    return Judgment("scored", score, round(value, 4), band=band, samples=samples, coverage=coverage)


def _open_branches(first: Reply, *, held: bool) -> tuple[int, ...]:
    """First digits whose continuation is not known and likely enough to matter."""
    score = _score_in(first)
    if isinstance(score, Unreadable) or not first.tokens:
        return ()
    seen = _weigh(first, score, held=held)
    return tuple(sorted(d for d, p in seen.open.items() if p >= MATTERS)) if seen else ()


def _weigh(reply: Reply, score: int, *, held: bool) -> Weighted | None:
    """The probabilities of the scores in a reply; None if its score is not among its tokens."""
    tokens = reply.tokens or ()
    start = score_at(reply.text, score)
    place = None if start is None else place_in(tokens, reply.text, start)
    return None if place is None else weigh(tokens, score, place, held=held)


def _branches(first: Request, reply: Reply, *, held: bool) -> tuple[Request, ...]:
    score = _score_in(reply)
    if isinstance(score, Unreadable):
        return ()
    before = reply.text[: score_at(reply.text, score)]
    return tuple(
        first._replace(prefill=f"{before}{digit}", max_tokens=1, grammar=None, weighs=False)
        for digit in _open_branches(reply, held=held)
    )
