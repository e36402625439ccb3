"""What leads up to a marker: whose it is, where it ends, and what the judge makes of it."""

from __future__ import annotations

import pytest

import citemark
from citemark.citations import parse_answer
from citemark.judges.embedded.leads import leads_of
from citemark.judges.embedded.passages import passages_of, roles_of
from citemark.judges.embedded.statements import read

QUERY = "Why do cities plant trees along their streets?"
FIRST = "Shade from street trees cools the pavement by up to 12 degrees in July [1]."
LEAD = "Roots and soil hold back storm water during heavy rain in spring."
SECOND = "This keeps about 30 percent of it out of the sewers [2]."


def led(answer: str) -> dict[int, tuple[int, ...]]:
    return {n: lead.sources for n, lead in leads_of(parse_answer(answer)).items()}


def test_unmarked_sentences_lead_up_to_the_next_marker() -> None:
    assert led(f"{FIRST} {LEAD} {SECOND}") == {1: (2,)}
    assert led(f"{FIRST} {LEAD} Ditches do not. {SECOND}") == {1: (2,), 2: (2,)}
    assert led(f"{FIRST} {LEAD} It is kept out of the sewers [2][3].") == {1: (2, 3)}


@pytest.mark.parametrize(
    "answer",
    [
        f"{FIRST} {LEAD}\n\n{SECOND} It also feeds the wells [3].",
        f"{FIRST} {LEAD}\n\n## Sewers\n\n{SECOND}",
        f"{FIRST} {SECOND} {LEAD}",
        f"{FIRST} Overall, trees pay for themselves. {SECOND}",
        f"{FIRST} **In conclusion**, trees pay for themselves. {SECOND}",
        f"{FIRST} {LEAD} 2[2].",
    ],
    ids=["blank line", "heading", "at the end", "conclusion", "bold conclusion", "bare number"],
)
def test_nothing_leads_over_a_gap_or_to_what_says_nothing(answer: str) -> None:
    assert not led(answer)


def test_a_list_is_no_different_from_a_paragraph() -> None:
    sentences = [FIRST, LEAD, SECOND]
    assert led("- " + "\n- ".join(sentences)) == led(" ".join(sentences))


def test_the_opening_counts_for_less() -> None:
    parts = {
        n: lead.part
        for n, lead in leads_of(parse_answer(f"{LEAD} {FIRST} {LEAD} {SECOND}")).items()
    }
    assert 0 < parts[0] < parts[2] == 1


def test_what_leads_up_to_several_is_shared_among_them() -> None:
    parsed = parse_answer(f"{FIRST} {LEAD} It is kept out of the sewers [2][3].")
    passages = passages_of(parsed, QUERY)
    place = next(i for i, passage in enumerate(passages) if "Roots" in passage.text)
    assert roles_of(passages, 2)[place, 1] == roles_of(passages, 3)[place, 1] == 0.5
    assert roles_of(passages, 1)[place, 1] == 0


def test_a_reading_credits_it_only_if_asked_to() -> None:
    parsed = parse_answer(
        f"{LEAD} {FIRST} Paved ditches carry storm water to the river in 20 minutes. {SECOND}"
    )
    plain, led = read(parsed, QUERY), read(parsed, QUERY, led=True)
    assert [len(plain.by_source[source]) for source in (1, 2)] == [1, 1]
    credit = {s.unit.sentence: dict(s.credit) for s in led.statements}
    assert 0 < credit[0][1] < credit[2][2] < credit[3][2] == 1
    assert plain.spoken == led.spoken  # evidence is what cites the source


def test_a_source_is_credited_with_what_leads_up_to_it() -> None:
    def score(answer: str) -> citemark.SourceCard:
        return citemark.score(query=QUERY, answer=answer)[2]

    with_lead, without = score(f"{FIRST} {LEAD} {SECOND}"), score(f"{FIRST} {SECOND} {LEAD}")
    for metric in ("diversity", "count"):
        assert (with_lead.scores[metric].expected or 0) > (without.scores[metric].expected or 0)


@pytest.mark.parametrize("judge", ["embedded", "embedded:fast"])
@pytest.mark.parametrize("last", [SECOND, "Indeed so [2].", "Wow [2]."])
def test_evidence_names_only_sentences_that_cite_the_source(judge: str, last: str) -> None:
    card = citemark.score(query=QUERY, answer=f"{FIRST} {LEAD} {last}", judge=judge)
    for one in card[2].scores.values():
        named = {n for numbers in (one.evidence or {}).values() for n in numbers}
        assert named <= {2}
        if sum((one.subscores or {}).values()):
            assert named == {2}
