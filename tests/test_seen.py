"""What was there before, in little memory."""

from __future__ import annotations

import random
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citemark.seen import Seen, SeenAt

NUMBERS = st.integers(-(2**63), 2**63 - 1) | st.integers(-5, 5)


@given(st.lists(NUMBERS, max_size=200))
def test_it_is_a_set(numbers: list[int]) -> None:
    seen, known = Seen(), set[int]()
    for number in numbers:
        assert (number in seen) == (number in known)
        assert seen.add(number) == (number not in known)
        known.add(number)
    assert len(seen) == len(known)


def test_many_with_few_bits_in_common_places() -> None:
    for step in (1, 1 << 20, 1 << 40, 1 << 49):
        seen = Seen()
        assert all(seen.add(n * step) for n in range(20_000))
        assert not any(seen.add(n * step) for n in range(20_000))


def test_keys_count_by_their_first_bytes() -> None:
    seen = Seen()
    assert seen.add_key(b"12345678abcdefgh")
    assert not seen.add_key(b"12345678ABCDEFGH")
    assert seen.has_key(b"12345678")
    assert not seen.has_key(b"1234567x")


PLACES = ["a.jsonl:1", "a.jsonl:10", "b: row 7", "answers007.md", "<stdin>:3", "x", "", "٣.md",
          "9" * 30, "a.jsonl:999999999999"]  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
def test_the_first_place_comes_back_as_it_was(place: str) -> None:
    seen = SeenAt()
    assert seen.first_at(0, "a.jsonl:5") is None
    assert seen.first_at(17, place) is None
    for n in range(3000):  # it grows in between
        seen.first_at(1000 + n, f"c.jsonl:{n}")
    assert seen.first_at(17, "elsewhere") == place
    assert seen.first_at(0, "elsewhere") == "a.jsonl:5"
    assert seen.first_at(1000 + 2999, "elsewhere") == "c.jsonl:2999"


MANY = 25_000
"""Little more than what makes the table grow: it is never emptier than now."""


def test_it_takes_as_little_as_it_says() -> None:
    draw = random.Random(3)
    tracemalloc.start()
    try:
        seen, at = Seen(), SeenAt()
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(MANY):
            seen.add(draw.getrandbits(64))
        one = tracemalloc.get_traced_memory()[0] - before
        for n in range(MANY):
            at.first_at(draw.getrandbits(64), f"cases.jsonl:{n}")
        other = tracemalloc.get_traced_memory()[0] - before - one
    finally:
        tracemalloc.stop()
    assert one < 24 * MANY
    assert other < 47 * MANY
