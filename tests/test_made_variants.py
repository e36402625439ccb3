"""Made variants of judged cases: what the network is to learn from them."""

from __future__ import annotations

import numpy as np
from training.examples import Example, variants
from training.judged import SUBSCORES, JudgedCase

ANSWER = (
    "Marie Curie was born in Warsaw in 1867 and won the Nobel Prize in 1903 [1]. "
    "She worked in Paris with Pierre Curie on 8 tonnes of ore [1]. Radium glows in the dark [2]."
)
R3, U = 2, slice(10, 15)


def case() -> JudgedCase:
    levels = np.full((1, SUBSCORES), 3.0)
    totals = np.full((1, 5), 15.0)
    return JudgedCase("one", "made", "Who found radium?", ANSWER, (1,), (1,), levels, totals)


def vague(found: list[Example]) -> list[Example]:
    """Those in which R3 falls alone of its metric."""
    return [e for e in found if e.levels[0, R3] < 3 and e.levels[0, 0] == 3]


def test_a_vague_source_loses_what_was_distinctive_and_is_seen_beside_the_original() -> None:
    first, *_ = vague(list(variants([case()], 0, distinct=0.5)))
    assert first.levels[0, U].tolist() == [1.5, 1.5, 3 * 0.4, 1.5, 1.5]
    assert first.levels[0, R3] == 3 * 0.4
    assert np.flatnonzero(first.weights[0]).tolist() == [R3, 10, 11, 12, 13, 14]
    assert first.origin is not None
    assert (first.origin.levels == 3).all()
    assert (first.origin.weights == 1).all()
    assert first.origin.text != first.text


def test_where_nothing_is_said_of_the_rest_of_uniqueness_it_does_not_count() -> None:
    first, *_ = vague(list(variants([case()], 0)))
    assert np.flatnonzero(first.weights[0]).tolist() == [R3, 12]
    assert first.origin is None


def test_only_what_was_distinctive_is_compared_with_an_original() -> None:
    every = list(variants([case()], 0, distinct=0.5))
    assert len(every) > len(vague(every))
    assert {id(e) for e in every if e.origin} == {id(e) for e in vague(every)}
