"""Bootstrap intervals: bounds, order, repeatability, and how often they hold the truth."""

from __future__ import annotations

import random
import subprocess
import sys
from itertools import chain
from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citemark.bootstrap import FEWEST, difference_interval, mean_interval

score = st.integers(1, 20).map(float) | st.floats(-1e6, 1e6)
query = st.lists(score, min_size=1, max_size=4)
queries = st.lists(query, min_size=FEWEST, max_size=12)
quick = settings(max_examples=60, deadline=None)


@quick
@given(queries)
def test_an_interval_lies_within_the_values(groups: list[list[float]]) -> None:
    interval = mean_interval(groups, rounds=300)
    assert interval is not None
    low, high = interval
    values = list(chain.from_iterable(groups))
    assert min(values) <= low <= high <= max(values)


@quick
@given(queries, st.randoms(use_true_random=False))
def test_the_order_of_queries_and_values_does_not_matter(
    groups: list[list[float]], chance: random.Random
) -> None:
    mixed = [chance.sample(group, len(group)) for group in groups]
    chance.shuffle(mixed)
    assert mean_interval(mixed, rounds=200) == mean_interval(groups, rounds=200)


@quick
@given(st.lists(st.tuples(query, query), min_size=FEWEST, max_size=10), st.randoms())
def test_the_order_of_pairs_does_not_matter(
    pairs: list[tuple[list[float], list[float]]], chance: random.Random
) -> None:
    mixed = chance.sample(pairs, len(pairs))
    first = difference_interval(*zip(*pairs, strict=True), rounds=200)
    assert difference_interval(*zip(*mixed, strict=True), rounds=200) == first


@quick
@given(st.lists(st.floats(0.5, 50), min_size=4, max_size=12), st.floats(-20, 20))
def test_symmetric_data_has_its_mean_inside(offsets: list[float], centre: float) -> None:
    groups = [[centre + sign * offset] for offset in offsets for sign in (-1, 1)]
    interval = mean_interval(groups)
    assert interval is not None
    assert interval[0] <= centre + 1e-9
    assert interval[1] >= centre - 1e-9


@quick
@given(queries, st.floats(-100, 100))
def test_a_shift_moves_the_difference_and_nothing_else(
    groups: list[list[float]], shift: float
) -> None:
    moved = [[value + shift for value in group] for group in groups]
    interval = difference_interval(groups, moved, rounds=200)
    assert interval == pytest.approx((shift, shift), abs=1e-6)


def test_the_same_seed_gives_the_same_interval_and_another_seed_another() -> None:
    groups = [[float(n), float(n * n % 7)] for n in range(12)]
    assert mean_interval(groups) == mean_interval(groups)
    assert mean_interval(groups) != mean_interval(groups, seed=1)


def test_a_higher_level_is_wider() -> None:
    groups = [[float(n)] for n in range(20)]
    narrow, wide = mean_interval(groups, level=0.8), mean_interval(groups, level=0.99)
    assert narrow is not None
    assert wide is not None
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


@pytest.mark.parametrize("few", [0, 1, 4])
def test_few_queries_give_no_interval(few: int) -> None:
    groups = [[1.0, 2.0, 3.0]] * few
    assert mean_interval(groups) is None
    assert mean_interval([*groups, [], []]) is None  # an empty query is none
    assert difference_interval(groups, groups) is None
    assert difference_interval([*groups, [1.0]], [*groups, []]) is None


def test_pairs_must_be_pairs() -> None:
    with pytest.raises(ValueError, match="same queries"):
        difference_interval([[1.0]], [])


def test_many_queries_are_drawn_piece_by_piece() -> None:
    groups = [[float(n % 20)] for n in range(3000)]
    interval = mean_interval(groups)
    assert interval is not None
    low, high = interval
    assert low < 9.5 < high
    assert high - low == pytest.approx(4 * 5.77 / 3000**0.5, rel=0.1)


@pytest.mark.parametrize("number", [6, 12, 30])
def test_the_truth_lies_inside_about_as_often_as_promised(number: int) -> None:
    """Answers of one query hang together; 300 made-up runs, expected 95 % of them inside."""
    chance = random.Random(number)
    inside = 0
    for _ in range(300):
        levels = [chance.gauss(10, 3) for _ in range(number)]
        groups = [[chance.gauss(level, 1.5) for _ in range(4)] for level in levels]
        interval = mean_interval(groups, rounds=1000)
        assert interval is not None
        inside += interval[0] <= 10 <= interval[1]
    assert 0.90 <= inside / 300 <= 0.99


def test_pairing_is_worth_something() -> None:
    """Queries that differ much but all gain about 1: the paired interval sees it."""
    chance = random.Random(5)
    before = [[chance.uniform(1, 19)] for _ in range(15)]
    after = [[value + chance.gauss(1, 0.2)] for [value] in before]
    interval = difference_interval(before, after)
    assert interval is not None
    assert 0.7 < interval[0] < fmean(chain(*after)) - fmean(chain(*before)) < interval[1] < 1.3


def test_numpy_waits_until_an_interval_is_wanted() -> None:
    code = "import sys, citemark.bootstrap; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
