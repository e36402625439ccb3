"""The opening of an answer: what stands unmarked before the first marker, and whom it leads to."""

from __future__ import annotations

import pytest

import citemark
from citemark.citations import parse_answer
from citemark.judges.embedded.opening import opening_facts

QUERY = "Is sourdough easier to digest than other bread?"
OPENING = (
    "For most people sourdough is somewhat easier to digest. Long fermentation breaks down some "
    "of what makes bread heavy."
)
REST = (
    "Fermenting for 12 hours lowers fructans by about 70 percent [1]. Wheat germ keeps longer in "
    "the cold [2]."
)


def lengths(answer: str) -> dict[int, float]:
    parsed = parse_answer(answer)
    sources = sorted({source for s in parsed.sentences for source in s.sources})
    return dict(zip(sources, opening_facts(parsed, sources)[:, 1].tolist(), strict=True))


def test_the_opening_leads_up_to_the_sources_of_the_first_marker() -> None:
    found = lengths(f"{OPENING} {REST}")
    assert found[1] > 4
    assert found[2] == 0
    both = lengths(f"{OPENING} Fermenting lowers fructans [1][2]. Wheat germ keeps [3].")
    assert both[1] == both[2] > 0


@pytest.mark.parametrize(
    "answer",
    [
        REST,
        f"{REST} {OPENING}",
        f"# {OPENING}\n\n{REST}",
        f"{OPENING}\n\n1[2]. {REST}",
        f"{OPENING} It lowers fructans [1].",
        OPENING,
    ],
    ids=["none", "at the end", "a heading", "a bare number", "one block", "no marker"],
)
def test_there_is_no_opening_where_nothing_unmarked_leads_up_to_a_source(answer: str) -> None:
    assert not any(lengths(answer).values())


@pytest.mark.parametrize("judge", ["embedded", "embedded:fast"])
def test_a_source_gains_relevance_and_influence_by_its_opening_and_loses_it_when_moved(
    judge: str,
) -> None:
    first, second = REST.split(". ")
    second = second.rstrip(".")

    def score(answer: str) -> dict[str, float]:
        card = citemark.score(query=QUERY, answer=answer, judge=judge)[1]
        return {name: one.expected or 0.0 for name, one in card.scores.items()}

    led = score(f"{OPENING} {first}. {second}.")
    ahead = score(f"{first}. {OPENING} {second}.")
    for metric in ("relevance", "influence"):
        assert led[metric] > ahead[metric]
    if judge == "embedded:fast":  # the other one credits what leads up to a marker too
        for metric in ("uniqueness", "diversity", "count"):
            assert led[metric] == ahead[metric]
