"""Runs for which the store has some, or all, of the replies."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

import citemark
from citemark.judges.llm.judge import LLMJudge
from citemark.judges.llm.making import make_llm_judge
from citemark.judges.options import JudgeOptions
from citemark.rubrics import load_rubric
from loopback import CASE, Body, Loopback, Say, ask, completion, token
from running import A, environment


def scored(endpoint: Loopback, **options: Any) -> citemark.Scorecard:
    """The case scored by the five metrics, which takes ten requests in mode direct."""
    return ask(endpoint, **({"metrics": None} | options))


def judgments(card: citemark.Scorecard) -> dict[tuple[int, str], tuple[str, int | None]]:
    return {
        (source.source, name): (judgment.reason or judgment.status, judgment.score)
        for source in card
        for name, judgment in source.scores.items()
    }


def by_prompt(body: Body) -> str:
    """A score that depends on what is asked, so that mixed-up replies show."""
    return str(1 + sum(map(ord, body["messages"][-1]["content"])) % 20)


def damage(store: Path, raw: str, where: str = "1") -> int:
    with sqlite3.connect(store) as db:
        count = db.execute(f"UPDATE replies SET raw = ? WHERE {where}", (raw,)).rowcount
    db.close()
    return count


def made(endpoint: Loopback, **options: Any) -> LLMJudge:
    return make_llm_judge("openai:m", JudgeOptions(base_url=endpoint.url, mode="direct", **options))


def test_only_what_is_missing_is_asked(endpoint: Loopback, tmp_path: Path) -> None:
    endpoint.respond = by_prompt
    scored(endpoint, metrics=["relevance", "count"])
    assert len(endpoint.asked) == 4
    mixed = scored(endpoint)
    assert len(endpoint.asked) == 10
    whole = scored(endpoint, store=str(tmp_path / "another.sqlite"))
    assert mixed.to_dict() == whole.to_dict()
    assert len({score for _, score in judgments(whole).values()}) > 3


def test_a_rerun_asks_nothing_and_says_the_same(endpoint: Loopback) -> None:
    endpoint.respond = by_prompt
    first = scored(endpoint)
    judge = made(endpoint)
    again = citemark.score(CASE, judge=judge)
    assert len(endpoint.asked) == 10
    assert again.to_dict()["sources"] == first.to_dict()["sources"]
    assert (judge.ledger.calls, judge.ledger.from_store) == (0, 10)
    judge.close()


def test_offline_what_is_missing_fails_by_that_name(endpoint: Loopback) -> None:
    endpoint.respond = by_prompt
    first = judgments(scored(endpoint, metrics=["relevance"]))
    found = judgments(scored(endpoint, metrics=["relevance", "count"], offline=True))
    assert len(endpoint.asked) == 2
    assert {place: found[place] for place in first} == first
    assert {found[n, "count"] for n in (1, 2)} == {("not_in_store", None)}


@pytest.mark.parametrize("raw", ["", "{", "[]", '{"choices": []}', "[" * 100_000])
def test_a_damaged_reply_is_asked_for_again(endpoint: Loopback, own_store: Path, raw: str) -> None:
    endpoint.respond = by_prompt
    first = scored(endpoint)
    assert damage(own_store, raw, "key IN (SELECT key FROM replies LIMIT 3)") == 3
    offline = judgments(scored(endpoint, offline=True))
    assert sorted(reason for reason, _ in offline.values()).count("provider_error") == 3
    assert len(endpoint.asked) == 10
    assert scored(endpoint).to_dict() == first.to_dict()
    assert len(endpoint.asked) == 13
    assert scored(endpoint).to_dict() == first.to_dict()
    assert len(endpoint.asked) == 13


def test_identical_requests_in_a_case_are_asked_once(endpoint: Loopback, tmp_path: Path) -> None:
    rubrics = []
    for name in ("one", "two", "three"):
        path = tmp_path / f"{name}.txt"
        path.write_text("Rate Source [1] from 1 to 20.\n{query}\n{answer}\n", encoding="utf-8")
        rubrics.append(load_rubric(path))
    endpoint.respond = lambda body: Say(completion(by_prompt(body)), delay=0.05)
    cards = [scored(endpoint, rubrics=rubrics, concurrency=n) for n in (4, 1)]
    assert len(endpoint.asked) == 2
    assert cards[0].to_dict() == cards[1].to_dict()
    for source in cards[0]:
        assert len({judgment.score for judgment in source.scores.values()}) == 1


@pytest.mark.parametrize("concurrency", [1, 3, 100])
@pytest.mark.parametrize("delay", [0.0, 0.02])
def test_the_same_case_many_times_is_asked_once(
    endpoint: Loopback, concurrency: int, delay: float
) -> None:
    endpoint.respond = lambda body: Say(completion(by_prompt(body)), delay=delay)
    judge = made(endpoint, concurrency=concurrency)
    cards = list(citemark.score_many([CASE, A, CASE, CASE, A] * 4, judge=judge))
    assert len(endpoint.asked) == 20
    assert len(cards) == 20
    assert len({json.dumps(card.to_dict()["sources"]) for card in cards}) == 2
    judge.close()


def test_more_samples_are_added_to_those_there_are(endpoint: Loopback) -> None:
    numbers = iter(range(1, 21))
    endpoint.respond = lambda _: str(next(numbers))
    few = scored(endpoint, mode="sampled", samples=2, metrics=["count"], concurrency=1)
    more = scored(endpoint, mode="sampled", samples=5, metrics=["count"], concurrency=1)
    assert len(endpoint.asked) == 10
    for source in (1, 2):
        samples = more[source].count.samples or ()
        assert few[source].count.samples == samples[:2]
        assert len(samples) == 5


def test_token_probabilities_come_from_the_store_too(endpoint: Loopback) -> None:
    endpoint.respond = lambda _: completion("14", logprobs=[token("14", 0.7, _12=0.3)])
    first = scored(endpoint, mode="weighted")
    assert first[1].relevance.expected == pytest.approx(13.4)
    assert scored(endpoint, mode="weighted", offline=True).to_dict() == first.to_dict()
    assert len(endpoint.asked) == 10


def test_only_what_was_no_score_is_tried_again(endpoint: Loopback) -> None:
    def respond(body: Body) -> str:
        return "no idea" if "Count" in body["messages"][-1]["content"] else "12"

    endpoint.respond = respond
    first = scored(endpoint)
    assert first.failed
    endpoint.respond = lambda _: "7"
    again = scored(endpoint, retry_failed=True)
    assert len(endpoint.asked) == 10 + first.failed
    assert again.failed == 0
    assert {score for _, score in judgments(again).values()} == {7, 12}
    assert scored(endpoint, retry_failed=True).to_dict() == again.to_dict()
    assert len(endpoint.asked) == 10 + first.failed


def test_fresh_asks_everything_again(endpoint: Loopback) -> None:
    scored(endpoint)
    endpoint.respond = lambda _: "3"
    assert {score for _, score in judgments(scored(endpoint, fresh=True)).values()} == {3}
    assert len(endpoint.asked) == 20
    assert {score for _, score in judgments(scored(endpoint)).values()} == {3}


def test_cases_are_not_read_far_ahead_of_their_cards(endpoint: Loopback) -> None:
    scored(endpoint)
    taken = 0

    async def endless() -> AsyncIterator[dict[str, Any]]:
        nonlocal taken
        while True:
            taken += 1
            yield CASE  # without ever giving way to anybody else

    async def first_cards() -> list[citemark.Scorecard]:
        cards = citemark.ascore_many(
            endless(), judge="openai:m", base_url=endpoint.url, mode="direct", most_waiting=5
        )
        try:
            return [await anext(cards) for _ in range(3)]
        finally:
            await cards.aclose()

    assert len(asyncio.run(asyncio.wait_for(first_cards(), 60))) == 3
    assert taken < 50
    assert len(endpoint.asked) == 10


def test_where_nothing_is_asked_no_client_is_loaded(endpoint: Loopback, own_store: Path) -> None:
    first = scored(endpoint, metrics=["count"])
    script = (
        "import json, sys, citemark\n"
        f"card = citemark.score({CASE!r}, judge='openai:m', base_url={endpoint.url!r},"
        " mode='direct', metrics=['count'])\n"
        "print(json.dumps(card.to_dict()['sources']))\n"
        "assert 'aiohttp' not in sys.modules\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        env=environment(CITEMARK_STORE=str(own_store)),
        timeout=60,
    )
    assert done.returncode == 0, done.stderr.decode()
    assert json.loads(done.stdout) == json.loads(json.dumps(first.to_dict()["sources"]))
