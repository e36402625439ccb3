"""Sentences taken apart: the network reads the same whether two things stand in one or in two."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citemark.citations import parse_answer
from citemark.judges.embedded.clauses import clauses_in
from citemark.judges.embedded.passages import passages_of


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("Tin melts at 232 degrees.", ["Tin melts at 232 degrees."]),
        # Enumerations are no clauses, and neither is what has no verb of its own near its head.
        (
            "Tin is used in solder, cans, and old organ pipes.",
            ["Tin is used in solder, cans, and old organ pipes."],
        ),
        (
            "The bridge opened in 1932, and it is still the widest.",
            ["The bridge opened in 1932.", "It is still the widest."],
        ),
        (
            "Heat pumps work in old houses, but large radiators are needed.",
            ["Heat pumps work in old houses.", "Large radiators are needed."],
        ),
        (
            "The reef lost half its coral, which has changed the local fishery.",
            ["The reef lost half its coral.", "This has changed the local fishery."],
        ),
        (
            "One side is painted; the other side stays bare.",
            ["One side is painted.", "The other side stays bare."],
        ),
        # What ties a sentence to the one before it says nothing by itself.
        ("In addition, tin resists rust.", ["Tin resists rust."]),
        ("But the oldest part is lost.", ["The oldest part is lost."]),
        # A few words stay with their neighbour.
        ("It rains; it pours.", ["It rains; it pours."]),
        ("The old mill burned down; it fell.", ["The old mill burned down; it fell."]),
        ("The mill burned, which hurts.", ["The mill burned, which hurts."]),
        ("Is tin a metal, and is it a soft one?", ["Is tin a metal, and is it a soft one?"]),
        ("", []),
        (" ,; ", []),
    ],
)
def test_clauses(text: str, clauses: list[str]) -> None:
    assert clauses_in(text) == clauses


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (
            "The dam was finished in 1936, and it has supplied three states since [1].",
            "The dam was finished in 1936 [1]. It has supplied three states since [1].",
        ),
        (
            "Garlic lowers blood pressure a little, which may help some patients [2].",
            "Garlic lowers blood pressure a little [2]. This may help some patients [2].",
        ),
        (
            "The comet returns every 76 years; the next visit is due in 2061 [1][3].",
            "The comet returns every 76 years [1][3]. The next visit is due in 2061 [1][3].",
        ),
    ],
)
def test_one_sentence_or_two_are_the_same_to_the_network(one: str, two: str) -> None:
    told = [
        [(p.text, p.marked, p.closing) for p in passages_of(parse_answer(answer))]
        for answer in (one, two)
    ]
    assert told[0] == told[1]
    assert len(told[0]) == 2


WORDS = st.sampled_from(
    "the tin is a of; and, but it which, they are new; so this has also however, 12 what? go.".split()
)


@settings(max_examples=300)
@given(st.lists(WORDS, max_size=40).map(" ".join) | st.text(max_size=80))
def test_no_word_is_made_up_and_no_figure_lost(text: str) -> None:
    kept = re.findall(r"\w+", " ".join(clauses_in(text)).casefold())
    there = re.findall(r"\w+", text.casefold())
    assert {*kept} <= {*there, "this"}
    assert kept.count("12") == there.count("12")
