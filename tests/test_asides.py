"""Asides: what has nothing to do with the rest of an answer counts for nothing."""

from __future__ import annotations

import pytest

import citemark
from citemark.citations import parse_answer
from citemark.judges.embedded.asides import without_asides
from citemark.judges.embedded.said import said_in
from citemark.judges.embedded.topic import UNKNOWN, Topic

QUERY = "Why do glaciers move?"
GLACIERS = (
    "Glaciers move because ice deforms under its own weight [1]. Melt water at the base lets the "
    "ice slide over the rock [2]. Steep valleys and thick ice make a glacier flow faster [1]. In "
    "summer more melt water reaches the base, and the ice speeds up [3]."
)
ASIDES = (
    "The page has a dark blue background and a narrow font",
    "Its author keeps two dogs in a small village",
    "The local bakery closes at six in the evening",
)
WEB = (
    "A website should load in under two seconds [1]. A clear layout with a single column works "
    "best on phones [2]. The menu should stand at the top of the page [3]. Readers trust a site "
    "with an author page and a photograph of the writer [1]."
)


def texts(answer: str, query: str) -> list[str]:
    return [s.text for s in without_asides(parse_answer(answer), query).sentences]


@pytest.mark.parametrize("aside", ASIDES)
@pytest.mark.parametrize("judge", ["embedded", "embedded:fast"])
def test_an_aside_moves_no_score(judge: str, aside: str) -> None:
    before = citemark.score(query=QUERY, answer=GLACIERS, judge=judge)
    after = citemark.score(query=QUERY, answer=f"{GLACIERS} {aside} [1].", judge=judge)
    for old, new in zip(before.sources, after.sources, strict=True):
        for metric, judgment in old.scores.items():
            assert new.scores[metric].expected == pytest.approx(judgment.expected, abs=0.011)


def test_what_is_all_that_a_source_says_stays() -> None:
    aside = ASIDES[2]
    assert texts(f"{GLACIERS} {aside} [4].", QUERY)[-1] == f"{aside}."


def test_what_two_sources_say_is_no_aside_but_what_one_says_twice_is() -> None:
    aside = ASIDES[2]
    assert texts(f"{GLACIERS} {aside} [1]. {aside} [1].", QUERY)[-2:] == ["", ""]
    assert texts(f"{GLACIERS} {aside} [1]. {aside} [2].", QUERY)[-2:] == [f"{aside}."] * 2


def test_names_and_numbers_stay_however_far_off() -> None:
    sentence = "An oxalic acid treatment in December kills 95 % of the varroa mites"
    assert texts(f"{GLACIERS} {sentence} [1].", QUERY)[-1] == f"{sentence}."


def test_what_takes_up_the_query_stays() -> None:
    sentence = "A glacier in the village bakery would close at six"
    assert texts(f"{GLACIERS} {sentence} [1].", QUERY)[-1] == f"{sentence}."


def test_an_answer_without_asides_is_the_same_object() -> None:
    answer = parse_answer(GLACIERS)
    assert without_asides(answer, QUERY) is answer


@pytest.mark.parametrize("query", ["How do I make a good website?", "How fast should it be?"])
def test_an_answer_about_pages_keeps_its_sentences(query: str) -> None:
    answer = without_asides(parse_answer(WEB), query)
    assert len(list(said_in(answer, query))) == len(answer.sentences)


def test_the_topic_of_a_few_or_of_very_many_sentences_is_not_known() -> None:
    assert Topic(["Tin melts.", "Lead melts."]).bearing("Readers love it", 0) == UNKNOWN
    many = [f"Sentence number {i} tells of thing {i}." for i in range(500)]
    assert Topic(many).bearing("Readers love it", 3) == UNKNOWN


def test_what_is_said_again_bears_on_nothing_more() -> None:
    sentences = [s.text for s in parse_answer(GLACIERS).sentences]
    aside = f"{ASIDES[1]}."
    once = Topic([*sentences, aside]).bearing(aside, len(sentences))
    twice = Topic([*sentences, aside, f"Also, {aside}"]).bearing(aside, len(sentences))
    assert twice == pytest.approx(once, abs=0.05)
