"""Markers within a sentence: each speaks for its own stretch, and the judges read it so."""

from __future__ import annotations

import pytest

import citemark
from citemark.citations import SpanCitation, parse_answer
from citemark.judges.embedded.echoed import without_echo
from citemark.judges.embedded.leads import leads_of
from citemark.judges.embedded.passages import passages_of
from citemark.judges.embedded.stretches import in_stretches

QUERY = "How is shortness of breath treated?"
APART = "Oxygen eases the worst attacks [1], inhalers widen the airways within minutes [2]."


def stretches(answer: str) -> list[tuple[str, tuple[int, ...]]]:
    return [(s.text.strip(" ,."), s.sources) for s in in_stretches(parse_answer(answer))]


def test_each_marker_speaks_for_what_stands_before_it() -> None:
    assert stretches(APART) == [
        ("Oxygen eases the worst attacks", (1,)),
        ("inhalers widen the airways within minutes", (2,)),
    ]


def test_what_follows_the_last_marker_is_its_own() -> None:
    found = stretches("Oxygen [1], inhalers [2] or diuretics [3] ease the worst attacks.")
    assert [sources for _, sources in found] == [(1,), (2,), (3,)]
    assert found[-1][0].endswith("ease the worst attacks")


def test_a_list_item_keeps_its_stretches() -> None:
    found = stretches(f"1. {APART}\n2. Rest helps as well [3].")
    assert [sources for _, sources in found] == [(1,), (2,), (3,)]


@pytest.mark.parametrize(
    "answer",
    [
        "Oxygen eases the worst attacks, and inhalers widen the airways [1][2].",
        "Oxygen eases the worst attacks, and inhalers widen the airways [1], [2] and [3].",
        "Oxygen eases the worst attacks [1], and inhalers widen the airways [2][1].",
        "Oxygen eases the worst attacks [1], and inhalers widen the airways [1, 2].",
        "According to [1], oxygen eases the worst attacks, and inhalers help less [2].",
        "[1] Oxygen eases the worst attacks, and inhalers widen the airways [2].",
        "The [clinic](https://a.example) gives oxygen, the [ward](https://b.example) inhalers.",
    ],
    ids=["end", "and", "again", "again together", "according to", "at the front", "links"],
)
def test_a_sentence_stays_whole(answer: str) -> None:
    parsed = parse_answer(answer)
    assert list(in_stretches(parsed)) == list(parsed.sentences)


def test_a_sentence_with_a_source_that_has_no_marker_stays_whole() -> None:
    parsed = parse_answer(APART, citations=[SpanCitation(0, len(APART), (3,))])
    assert parsed.sentences[0].sources == (1, 2, 3)
    assert list(in_stretches(parsed)) == list(parsed.sentences)


def test_a_sentence_that_an_echo_was_taken_out_of_stays_whole() -> None:
    answer = f"As to “{QUERY}”, oxygen eases attacks [1], inhalers widen the airways [2]."
    parsed = without_echo(parse_answer(answer), QUERY)
    assert QUERY not in parsed.sentences[0].text
    assert list(in_stretches(parsed)) == list(parsed.sentences)


def test_what_comes_before_leads_up_to_the_first_marker_alone() -> None:
    answer = parse_answer(f"Rest helps everybody [3]. Much depends on the cause. {APART}")
    assert {n: lead.sources for n, lead in leads_of(answer).items()} == {1: (1,)}


def test_passages_are_credited_by_stretch() -> None:
    credit = {p.text: set(p.marked) for p in passages_of(parse_answer(APART), QUERY)}
    assert credit == {
        "Oxygen eases the worst attacks.": {1},
        "Inhalers widen the airways within minutes.": {2},
    }


@pytest.mark.parametrize("judge", ["embedded", "embedded:fast"])
def test_a_source_gains_nothing_by_the_stretch_of_another(judge: str) -> None:
    whole = citemark.score(query=QUERY, answer=APART.replace(" [1]", ""), judge=judge)
    apart = citemark.score(query=QUERY, answer=APART, judge=judge)
    for metric in ("influence", "diversity", "count"):
        all_of_it, part = (card[2].scores[metric].expected or 0 for card in (whole, apart))
        assert part < all_of_it
