"""Quotations of the query: they say nothing, and no source is credited with them."""

from __future__ import annotations

import pytest

import citemark
from citemark.citations import parse_answer
from citemark.judges.embedded.echoed import without_echo

QUERY = "How do heat pumps work in winter?"
ANSWER = "Heat pumps take heat from cold air down to -25 degrees [1]. They need power [2]."


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("As to “How do heat pumps work in winter?”, they slow down.", "As to , they slow down."),
        ('Asked "how do heat pumps work in winter", it hums.', "Asked , it hums."),
        ("The report “Heat pumps in the far north” says so.", None),
        ("He said “winter” and left.", None),
        ("How do heat pumps work in winter? They slow down.", None),
    ],
)
def test_only_a_quotation_of_the_query_goes(text: str, left: str | None) -> None:
    answer = parse_answer(f"{text} [1]")
    found = " ".join(s.text for s in without_echo(answer, QUERY).sentences)
    assert found == (left or text)


def test_an_answer_without_echo_is_the_same_object() -> None:
    answer = parse_answer(ANSWER)
    assert without_echo(answer, QUERY) is answer
    assert without_echo(answer, "") is answer


@pytest.mark.parametrize("judge", ["embedded", "embedded:fast"])
def test_quoting_the_query_moves_no_score(judge: str) -> None:
    quoted = ANSWER.replace(
        "They need power",
        f"To come back to what was asked (“{QUERY.strip('?')}”), they need power",
    )
    before, after = (
        citemark.score(query=QUERY, answer=text, judge=judge) for text in (ANSWER, quoted)
    )
    for source in (1, 2):
        for metric, judgment in before[source].scores.items():
            assert after[source].scores[metric].expected == judgment.expected
