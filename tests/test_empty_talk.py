"""Empty talk is taken out, content stays, and saying it again says nothing new."""

from __future__ import annotations

import pytest

from citemark.citations import parse_answer
from citemark.judges.embedded.empty_talk import without_empty_talk
from citemark.judges.embedded.plain_words import plain_words
from citemark.judges.embedded.said import said_in
from citemark.judges.embedded.statements import read
from citemark.judges.embedded.topic import UNKNOWN, Topic

PLAIN = "The dam holds back 40 million tons of water."


def heard(answer: str) -> list[str]:
    """What an answer says."""
    return [said.text for said in said_in(parse_answer(answer))]


@pytest.mark.parametrize(
    "dressed",
    [
        "It is worth mentioning that the dam holds back 40 million tons of water.",
        "According to this excellent and respected source, the dam holds back 40 million tons "
        "of water.",
        "The dam holds back 40 million tons of water, which is a truly remarkable point.",
        "The **dam** holds back 40 million tons of water (which is very important).",
        "The dam in fact holds back 40 million tons of water, and nobody can deny it.",
    ],
)
def test_empty_clauses_leave_what_was_there_before(dressed: str) -> None:
    assert heard(dressed) == [PLAIN]


def test_a_sentence_of_praise_leaves_nothing() -> None:
    assert heard("This is a highly respected and excellent source.") == []


@pytest.mark.parametrize(
    "sentence",
    [
        PLAIN,
        "Sales are rising.",
        "There is no evidence that the drug prevents strokes.",
        "The bridge, a steel arch, spans the river near the old harbour.",
        "Farmers plant beans between the rows of maize because beans bind nitrogen.",
        "",
    ],
)
def test_content_stays(sentence: str) -> None:
    assert without_empty_talk([sentence]) == [sentence]


@pytest.mark.parametrize(
    "advice",
    [
        "Let your child rest where it is quiet.",
        "Ask what hurts and listen before you say anything.",
        "You may refuse to answer, but you must not lie.",
        "Nobody should have to wait for hours before they see someone.",
    ],
)
def test_everyday_words_may_be_all_that_a_source_says(advice: str) -> None:
    tea = "Fennel tea relaxes the gut [1]."
    said = said_in(parse_answer(f"{tea} {advice.rstrip('.')} [2]."))
    assert 2 in {source for one in said for source in one.sentence.sources}
    assert len(heard(f"{tea} This is a highly respected and excellent source [2].")) == 1


def test_most_of_a_sentence_must_sound_emptier_than_a_part_of_it() -> None:
    rule = "Stay with the child, and call someone if it gets worse."
    around = [PLAIN, "Fennel tea relaxes the gut, and children like its taste."]
    assert without_empty_talk([*around, rule])[-1] == rule


def test_what_the_answer_is_about_is_never_empty() -> None:
    about = [
        "A typeface with serifs guides the eye along the line.",
        "Designers pick a typeface before they set the margins.",
        "The site has a modern typeface.",
    ]
    assert without_empty_talk(about)[2] != ""


def test_saying_it_in_every_sentence_gives_praise_nothing_to_bear_on() -> None:
    facts = [
        "Tin melts at 232 degrees and is used in solder for electric circuits",
        "Lead pipes were common in Roman cities because the metal bends easily",
        "Copper roofs turn green after some decades of rain and sea air",
    ]
    praise = "as this admirable guide explains"
    topic = Topic([f"{fact}, {praise}." for fact in facts] + ["Zinc protects bridges from rust."])
    assert topic.bearing(praise, 0) < UNKNOWN / 2


def test_plain_words_take_the_place_of_ornate_ones() -> None:
    assert plain_words("They utilise numerous tools.") == "They use many tools."
    assert plain_words("Great Britain grew.") != "Big Britain grew."


def test_a_restatement_is_one_statement_with_its_source_but_two_with_another() -> None:
    first = "Storks use the warm air over the bay to climb without effort"
    again = "Put otherwise, storks utilise the warm air over the bay to climb without effort"
    own = read(parse_answer(f"{first} [1]. {again} [1]."))
    assert len(own.by_source[1]) == len(read(parse_answer(f"{first} [1].")).by_source[1])


def test_other_numbers_are_other_facts() -> None:
    two = read(
        parse_answer(
            "The mill ground 12 tons of rye in May [1]. The mill ground 15 tons of rye in May [1]."
        )
    )
    assert len(two.by_source[1]) == 2
