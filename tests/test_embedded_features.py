"""The feature table, the static word vectors and the fast model."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citemark.citations import parse_answer
from citemark.judges.embedded.fast_model import fast_model
from citemark.judges.embedded.feature_table import FeatureTable, feature_table
from citemark.judges.embedded.signs import signs_of
from citemark.judges.embedded.standing import standing_of
from citemark.judges.embedded.statements import read
from citemark.judges.embedded.static import static_embedder
from citemark.judges.embedded.terms import words_of
from citemark.judges.embedded.units import units_of

QUERY = "Why does bread dough rise, and how long should it rest?"
ANSWER = (
    "Yeast eats the sugars in the flour and gives off carbon dioxide, which the gluten traps "
    "[1][2]. A dough with 2% yeast doubles in about 90 minutes at 24 degrees [2].\n\n"
    "Sourdough rises more slowly because wild yeast is scarce, so bakers in San Francisco let it "
    "rest for 12 hours [3]. Salt, fat and cold slow the yeast down [1]."
)


def table(answer: str = ANSWER, query: str = QUERY) -> FeatureTable:
    return feature_table(read(parse_answer(answer)), query)


def column(name: str, answer: str = ANSWER, query: str = QUERY) -> dict[int, float]:
    found = table(answer, query)
    values = found.values[:, found.names.index(name)]
    return dict(zip(found.sources, values.tolist(), strict=True))


def test_names_are_different_and_there_is_a_value_for_each() -> None:
    found = table()
    assert found.sources == (1, 2, 3)
    assert len(set(found.names)) == len(found.names) == found.values.shape[1]
    assert np.isfinite(found.values).all()


def test_the_model_was_fitted_to_these_columns() -> None:
    assert fast_model().names == table().names


@pytest.mark.parametrize(
    "other",
    [
        ANSWER.replace("[1][2]", "[1, 2]"),
        ANSWER.replace(". ", ".  ").replace("\n\n", "\n\n\n"),
        ANSWER.replace("carbon dioxide", "**carbon dioxide**"),
        "\n\n".join(reversed(ANSWER.split("\n\n"))),
    ],
    ids=["marker style", "white space", "bold", "paragraphs exchanged"],
)
def test_appearance_and_place_move_nothing(other: str) -> None:
    np.testing.assert_allclose(table(other).values, table().values, rtol=1e-4, atol=1e-4)


def test_numbers_of_sources_move_nothing() -> None:
    swapped = ANSWER.replace("[1]", "[x]").replace("[3]", "[1]").replace("[x]", "[3]")
    np.testing.assert_allclose(table(swapped).values[::-1], table().values, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", ["units", "terms", "clusters", "aspects_apart", "apart", "items"])
def test_saying_it_again_brings_nothing(name: str) -> None:
    again = ANSWER + " Salt, fat and cold slow the yeast down [1]."
    assert column(name, again)[1] == pytest.approx(column(name)[1], abs=1e-4)


@pytest.mark.parametrize("name", ["units", "terms", "apart", "surprise_sum", "particular"])
def test_filler_brings_nothing(name: str) -> None:
    padded = ANSWER.replace("Salt, fat", "It is really important to note that salt, fat")
    assert column(name, padded)[1] == pytest.approx(column(name)[1], abs=1e-3)


def test_another_source_that_says_the_same_comes_near() -> None:
    echoed = ANSWER + " Bakers in San Francisco rest sourdough for 12 hours [4]."
    assert column("near_lexical", echoed)[3] > column("near_lexical")[3]
    assert column("apart_share", echoed)[3] < column("apart_share")[3]


def test_other_questions_are_met_less() -> None:
    other = "Which planets have rings?"
    for name in ("asked", "asked_best", "covered"):
        assert max(column(name, query=other).values()) < max(column(name).values())


def test_signs_of_particulars_are_counted() -> None:
    (unit,) = units_of("In 1998 NASA said that “about 12% of the probes” failed.", 0)
    assert (unit.years, unit.acronyms, unit.percents, unit.quotes) == (1, 1, 1, 1)


def test_an_enumeration_has_joints_but_a_lead_in_has_none() -> None:
    assert [u.joints for u in units_of("Copper, zinc and tin conduct heat.", 0)] == [2]
    assert [u.joints for u in units_of("Importantly, copper conducts heat.", 0)] == [0]


@given(st.text(st.sampled_from("ab'-_1,. Z%"), max_size=40))
def test_plain_text_is_cut_into_the_same_words_as_any_other(text: str) -> None:
    assert words_of(text) == words_of(f"{text} \u00e9")[:-1]


@pytest.mark.parametrize(
    ("clause", "joints"),
    [
        ("copper, zinc, and tin", 2),
        ("copper , zinc or  tin", 2),
        ("the, copper and of", 0),
        ("- , and, zinc, tin", 1),
        ("sand or", 0),
    ],
)
def test_joints_stand_between_words_that_say_something(clause: str, joints: int) -> None:
    assert signs_of(clause).joints == joints


def test_near_words_have_near_vectors_and_rare_words_are_rarer() -> None:
    embedder = static_embedder()

    def likeness(left: str, right: str) -> float:
        a, b = embedder.vectors([embedder.word(left), embedder.word(right)])
        return float(a @ b / np.sqrt((a @ a) * (b @ b)))

    assert likeness("doctor", "physician") > 0.6 > 0.3 > likeness("doctor", "copper")
    assert embedder.word("people").rarity < embedder.word("copper").rarity
    assert embedder.word("copper").rarity < embedder.word("mitochondria").rarity


@pytest.mark.parametrize(
    ("answer", "query"),
    [
        ("Nothing is cited here.", QUERY),
        ("[1][2]", QUERY),
        ("Yes [1].", ""),
        ("銅は熱を伝える[1]。", "銅とは何か"),
        ("Copper [1]. " * 300, "?"),
    ],
    ids=["uncited", "markers only", "one word", "unspaced script", "said 300 times"],
)
def test_odd_answers_give_finite_values(answer: str, query: str) -> None:
    found = table(answer, query)
    assert np.isfinite(found.values).all()
    if found.sources:
        parsed = parse_answer(answer)
        standing = standing_of(parsed, read(parsed), found.sources)
        levels = fast_model().levels(found.values, standing)
        assert levels.shape == (len(found.sources), 25)
        assert np.isfinite(levels).all()
        assert (levels <= 4).all()


def test_the_same_case_gives_the_same_levels() -> None:
    parsed = parse_answer(ANSWER)
    standing = standing_of(parsed, read(parsed), table().sources)
    first, second = (fast_model().levels(table().values, standing) for _ in range(2))
    assert (first == second).all()
