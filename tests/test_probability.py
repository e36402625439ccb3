"""Token probabilities: worked examples by hand, and what must hold for any tokens."""

from __future__ import annotations

from math import exp, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citemark.judges.llm.probability import (
    Weighted,
    continued,
    level_expectation,
    place_in,
    score_at,
    weigh,
    with_branch,
)
from citemark.judges.llm.request import Token


def token(text: str, p: float = 1.0, **others: float) -> Token:
    alternatives = [(text, log(p)), *((t.removeprefix("_"), log(q)) for t, q in others.items())]
    return Token(text, log(p), tuple(alternatives))


def seen(tokens: list[Token], score: int, start: int = 0, *, held: bool = False) -> Weighted:
    found = weigh(tokens, score, start, held=held)
    assert found is not None
    return found


# Worked examples


def test_numbers_of_one_token() -> None:
    found = seen([token("17", 0.5, _16=0.25, _3=0.125, Score=0.125)], 17)
    assert found.mass == pytest.approx({17: 0.5, 16: 0.25, 3: 0.125})
    assert not found.open
    assert found.coverage == pytest.approx(0.875)
    assert found.expected == pytest.approx((8.5 + 4 + 0.375) / 0.875)


def test_a_digit_alone_stands_for_itself_where_numbers_are_one_token() -> None:
    found = seen([token("17", 0.75, _1=0.25)], 17)
    assert found.mass == pytest.approx({17: 0.75, 1: 0.25})
    # But if it was said and more digits followed, it does not.
    found = seen([token("1", 0.75, _17=0.25), token("6", 1.0)], 16)
    assert found.mass == pytest.approx({16: 0.75, 17: 0.25})


def test_numbers_of_two_tokens() -> None:
    found = seen([token("1", 0.5, _9=0.25, _2=0.25), token("7", 0.5, _5=0.25, end=0.25)], 17)
    assert found.mass == pytest.approx({17: 0.25, 15: 0.125, 1: 0.125, 9: 0.25})
    assert found.open == pytest.approx({2: 0.25})
    whole = with_branch(found, 2, token("0", 0.5, _5=0.25, end=0.25))
    assert whole.mass == pytest.approx(
        {17: 0.25, 15: 0.125, 1: 0.125, 9: 0.25, 20: 0.125, 2: 0.0625}
    )
    assert whole.coverage == pytest.approx(0.9375)  # 25 is no score
    assert not whole.open


def test_spaces_and_marks_around_a_number_do_not_matter() -> None:
    alternatives = (("**14", log(0.5)), (" 14", log(0.25)), ("１５", log(0.25)))
    found = seen([Token("**14", log(0.5), alternatives)], 14)
    assert found.mass == pytest.approx({14: 0.75, 15: 0.25})


def test_what_was_said_counts_even_if_it_is_not_listed() -> None:
    found = seen([Token("14", log(0.25), (("15", log(0.5)),))], 14)
    assert found.mass == pytest.approx({14: 0.25, 15: 0.5})


@pytest.mark.parametrize("text", ["0", "21", "99", "014", "1400", "4.5", "3+4", "²", ""])
def test_what_is_no_score_has_no_mass(text: str) -> None:
    found = seen([Token("14", log(0.5), (("14", log(0.5)), (text, log(0.5))))], 14)
    assert found.mass == pytest.approx({14: 0.5})


def test_a_number_that_goes_on_is_another_number() -> None:
    after = Token(
        "7", log(0.4), (("7", log(0.4)), ("75", log(0.2)), ("234", log(0.2)), (" 7", log(0.2)))
    )
    assert continued("1", after) == pytest.approx({"17": 0.4, "175": 0.2, "1234": 0.2, "1": 0.2})


def test_a_score_that_had_to_come_is_renormalised() -> None:
    tokens = [token("7", 0.02, The=0.9, _8=0.02, _50=0.04, I=0.01)]
    found = seen(tokens, 7, held=True)
    # Seven other first digits are each at most as likely as the least that is listed.
    whole = 0.02 + 0.02 + 7 * 0.01
    assert found.mass == pytest.approx({7: 0.02 / whole, 8: 0.02 / whole})
    assert found.coverage < 0.5
    likely = seen([token("7", 0.3, _8=0.3, The=0.3999, x=0.0001)], 7, held=True)
    assert likely.coverage > 0.99
    assert likely.expected == pytest.approx(7.5)


def test_tokens_that_are_not_the_score_are_not_weighed() -> None:
    assert weigh([token("The"), token("14")], 14, 0) is None
    assert weigh([token("15")], 14, 0) is None
    assert weigh([token("14")], 14, 2) is None
    assert weigh([], 14, 0) is None


@pytest.mark.parametrize(
    ("text", "score", "start"),
    [
        ("14", 14, 0),
        ("Score: 2/20", 2, 7),
        ("Score: 20/20", 20, 7),
        ("Score: 20 / 20", 20, 7),
        ("20 out of 20", 20, 0),
        ("R1 is 1, 11 words, so 1.", 1, 22),
        ("12 at first, then 14; so 14", 14, 25),
        ("１４点", 14, 0),
        ("twelve", 12, None),
        ("112", 12, None),
    ],
)
def test_where_a_score_stands(text: str, score: int, start: int | None) -> None:
    assert score_at(text, score) == start


def test_the_place_in_the_tokens() -> None:
    tokens = [token("```json\n"), token('{"a": '), token("3"), token("}"), token("\n```")]
    assert place_in(tokens, '{"a": 3}', 6) == 14
    assert place_in([token("\ufffd"), token("\ufffd"), token(" 14")], "é 14", 2) == 3
    assert place_in([token("nothing")], "14", 0) is None


def test_the_expectation_of_a_level() -> None:
    tokens = [token('{"R1": '), token("3", 0.5, _4=0.25, _12=0.125, _7=0.125)]
    assert level_expectation(tokens, 7, 3) == pytest.approx((3 * 0.5 + 4 * 0.25) / 0.75)
    # Too little seen, another digit, or beyond the tokens: the level itself.
    assert level_expectation([token("3", 0.25, x=0.75)], 0, 3) == 3.0
    assert level_expectation([token("2", 0.9)], 0, 3) == 3.0
    assert level_expectation([token("3", 0.9)], 5, 3) == 3.0


# Whatever the tokens are

TEXTS = st.one_of(
    st.integers(0, 30).map(str),
    st.integers(0, 30).map(lambda n: f" {n}"),
    st.text(max_size=4),
    st.sampled_from(["", "\n", "</s>", "１", "1.", "0", "00"]),
)


@st.composite
def tokens_(draw: st.DrawFn, said: str) -> Token:
    others = draw(st.lists(TEXTS.filter(lambda t: t != said), max_size=12, unique=True))
    weights = draw(st.lists(st.floats(1e-6, 1), min_size=len(others) + 2, max_size=len(others) + 2))
    shares = [weight / sum(weights) for weight in weights]  # the last is for what is not listed
    pairs = [(text, log(p)) for text, p in zip([said, *others], shares, strict=False)]
    return Token(said, pairs[0][1], tuple(pairs))


@st.composite
def replies(draw: st.DrawFn) -> tuple[list[Token], int]:
    score = draw(st.integers(1, 20))
    parts = [str(score)] if draw(st.booleans()) else list(str(score))
    parts += draw(st.lists(st.sampled_from(["", "\n", ".", "</s>"]), max_size=1))
    return [draw(tokens_(part)) for part in parts], score


@given(replies(), st.booleans(), st.data())
def test_what_always_holds(reply: tuple[list[Token], int], held: bool, data: st.DataObject) -> None:
    tokens, score = reply
    found = seen(tokens, score, held=held)
    for digit in sorted(found.open):
        if data.draw(st.booleans()):
            found = with_branch(found, digit, data.draw(tokens_("0")))
    assert set(found.mass) <= set(range(1, 21))
    assert all(p >= 0 for p in found.mass.values())
    assert set(found.open) <= {1, 2}
    assert sum(found.mass.values()) + sum(found.open.values()) <= 1 + 1e-9
    assert 0 <= found.coverage <= 1
    if found.mass:
        assert 1 - 1e-9 <= found.expected <= 20 + 1e-9


@given(replies())
def test_the_mass_of_what_was_said_is_at_least_its_own_probability(
    reply: tuple[list[Token], int],
) -> None:
    tokens, score = reply
    parts = len(str(score)) if len(tokens[0].text) == 1 else 1
    own = exp(sum(token.logprob for token in tokens[: max(parts, 1)]))
    if parts == 1 and tokens[0].text in "12":
        return  # whether it goes on is for the next token to say
    assert seen(tokens, score).mass[score] >= own - 1e-9


@given(st.integers(0, 4), st.data())
def test_a_level_is_expected_on_its_scale(level: int, data: st.DataObject) -> None:
    drawn = data.draw(tokens_(str(level)))
    assert 0 <= level_expectation([drawn], 0, level) <= 4
