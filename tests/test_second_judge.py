"""What a second LLM judged: whole, in range, about sources that are cited, and leaning taken off."""

from __future__ import annotations

import re

import numpy as np
import pytest
from training.judged import DATA, SUBSCORES, JudgedCase, load
from training.other_queries import other_queries
from training.other_sources import BESIDE, with_other_sources
from training.second_judge import (
    ROUNDS,
    judged_by_both,
    judgments_in,
    leaning,
    made_cases,
    mark_of,
)

from citemark.citations import parse_answer

ANSWER = "Tin melts at 232 degrees [1]. Lead is heavier [2]."


def judged(*levels: float) -> JudgedCase:
    """A case whose first sources have all 25 levels alike."""
    every = np.repeat(np.array(levels)[:, None], SUBSCORES, 1)
    numbers = tuple(range(1, len(levels) + 1))
    totals = every.reshape(len(levels), 5, 5).sum(2)
    return JudgedCase("one", "made", "tin", ANSWER, numbers, (1,) * len(levels), every, totals)


def said(*levels: float) -> dict[str, dict[int, np.ndarray[tuple[int], np.dtype[np.float64]]]]:
    """The second judge's levels of the same sources and perhaps of more."""
    own = {n: np.full(SUBSCORES, level) for n, level in enumerate(levels, 1)}
    return {mark_of("tin", ANSWER): own}


def test_how_the_second_judge_leans_is_what_it_gives_more_where_both_judged() -> None:
    assert leaning(said(3.0, 2.0, 4.0), [judged(2.5, 2.0)]) == pytest.approx(0.25)
    assert leaning(said(3.0), [judged()]) == pytest.approx(0.0)


def test_an_answer_of_another_wording_is_another_case() -> None:
    given = {mark_of("tin", "Lead."): {1: np.full(SUBSCORES, 4.0)}}
    assert not list(judged_by_both(given, [judged(2.0)]))


def test_other_queries_are_for_answers_that_are_there() -> None:
    assert other_queries([judged(2.0)]) == []


def test_the_made_cases_are_whole() -> None:
    cases = made_cases([])
    assert len({case.query.casefold() for case in cases}) == len(cases)
    for case in cases:
        assert set(case.sources) <= parse_answer(case.answer).cited, case.id
        assert case.levels.shape == (len(case.sources), SUBSCORES)
        assert case.levels.min() >= 0
        assert case.levels.max() <= 4


def test_the_first_few_made_cases_are_the_first_lines() -> None:
    first = ROUNDS[0].cases()[:3]
    assert [case.id for case in made_cases([], 3)] == [data["id"] for data in first]


def test_another_query_is_about_the_answer_of_another_case() -> None:
    cases = {case.id: case for case in made_cases([])}
    others = [data for one in ROUNDS for data in one.cases() if "answer" not in data]
    assert others
    for data in others:
        case, first = cases[data["id"]], cases[data["of"]]
        assert case.answer == first.answer
        assert case.query.casefold() != first.query.casefold()


@pytest.mark.skipif(not DATA.exists(), reason="the judged cases are not there (../shared/data)")
def test_the_second_judge_agrees_with_the_first_and_no_made_query_is_a_judged_one() -> None:
    cases = load()
    for given in (*(one.judged_again() for one in ROUNDS), judgments_in(BESIDE)):
        both = [
            (levels.sum(), case.levels[row].sum())
            for case, row, levels in judged_by_both(given, cases)
        ]
        assert len(both) > 100
        assert np.corrcoef(np.array(both).T)[0, 1] > 0.8
    asked = {" ".join(case.query.casefold().split()) for case in cases}
    assert asked.isdisjoint(" ".join(c.query.casefold().split()) for c in made_cases(cases))


@pytest.mark.skipif(not DATA.exists(), reason="the judged cases are not there (../shared/data)")
def test_another_query_for_a_judged_answer_stays_in_the_fold_of_the_first() -> None:
    cases = load()
    by_answer = {(case.answer, case.query): case for case in cases}
    queries = {" ".join(case.query.casefold().split()) for case in cases}
    others = other_queries(cases)
    assert len(others) > 1000
    for other in others:
        first = by_answer[other.answer, other.answers]
        assert other.fold == first.fold
        assert set(other.sources) <= set(first.sources)
        assert " ".join(other.query.casefold().split()) not in queries
    assert {other.fold for other in others} == {0, 1, 2}


def test_an_answer_without_further_sources_stays_as_it_is() -> None:
    case = judged(2.0)
    assert with_other_sources([case], [case]) == [case]


@pytest.mark.skipif(not DATA.exists(), reason="the judged cases are not there (../shared/data)")
def test_further_sources_of_a_judged_answer_come_after_its_own() -> None:
    cases = load()
    every = with_other_sources(cases, cases)
    assert sum(len(e.sources) - len(c.sources) for c, e in zip(cases, every, strict=True)) > 2900
    for case, more in zip(cases, every, strict=True):
        own = len(case.sources)
        assert more.sources[:own] == case.sources
        assert len(set(more.sources)) == len(more.sources) == len(more.passes)
        assert (more.levels[:own] == case.levels).all()
        assert more.levels.shape == (len(more.sources), SUBSCORES)
        assert more.totals.shape == (len(more.sources), 5)
        assert set(more.sources[own:]) <= parse_answer(case.answer).cited, case.id
        assert more.fold == case.fold


@pytest.mark.skipif(not DATA.exists(), reason="the judged cases are not there (../shared/data)")
def test_no_made_answer_shares_nine_words_in_a_row_with_a_real_one() -> None:
    real = {run for case in load() for run in nine_in_a_row(case.answer)}
    for case in made_cases([]):
        assert real.isdisjoint(nine_in_a_row(case.answer)), case.id


def nine_in_a_row(answer: str) -> set[tuple[str, ...]]:
    words = re.findall(r"[a-z0-9']+", re.sub(r"\[\d+\]", "", answer.lower()))
    return {tuple(words[i : i + 9]) for i in range(len(words) - 8)}
