"""What goes wrong on the way to a model: what heals, what fails one judgment, what is kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import citemark
from citemark import CitemarkError
from citemark.judges.llm.endpoint import Endpoint, Provider, find_endpoint
from loopback import (
    CASE,
    SECRET,
    Body,
    Loopback,
    Say,
    ask,
    completion,
    error,
    first_then,
    user_message,
)
from running import A, B, file, run

# What fails one judgment


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000"),
        (400, "the request exceeds the available context size, try increasing it"),
        (400, "prompt is too long: 210000 tokens > 200000 maximum"),
        (400, "The input token count (2000000) exceeds the maximum number of tokens allowed"),
        (400, "Please reduce the length of the messages or completion."),
        (422, "`inputs` tokens + `max_new_tokens` must be <= 4097"),
        (413, "Payload Too Large"),
        (429, "Request too large for m on tokens per min (TPM): Limit 10000, Requested 12000"),
    ],
)  # fmt: skip
def test_too_long_fails_that_judgment_alone(endpoint: Loopback, status: int, message: str) -> None:
    def respond(body: Body) -> Say | str:
        return Say(error(message), status) if "Source [1]" in user_message(body) else "14"

    endpoint.respond = respond
    card = ask(endpoint)
    assert (card[1].relevance.status, card[1].relevance.reason) == ("failed", "too_long")
    assert card[2].relevance.score == 14
    assert len(endpoint.asked) == 2


@pytest.mark.parametrize(
    ("status", "message", "reason"),
    [
        (400, "Something odd about this request", "provider_error"),
        (418, "I'm a teapot", "provider_error"),
        (422, {"message": "odd", "input": "temperature: too long; logprobs"}, "provider_error"),
        (403, "Your input was flagged by moderation", "refused"),
    ],
)
def test_what_fails_one_judgment_at_once(
    endpoint: Loopback, status: int, message: Any, reason: str
) -> None:
    said = {"error": message} if isinstance(message, dict) else error(message)
    endpoint.respond = first_then(Say(said, status))
    card = ask(endpoint, concurrency=1)
    assert sorted(str(source.relevance.reason) for source in card) == ["None", reason]
    assert len(endpoint.asked) == 2


# What heals


HEALS = [
    Say(error("slow down"), 429, {"Retry-After": "0.05"}),
    Say(error("slow down"), 429, {"retry-after-ms": "20"}),
    Say(error("slow down"), 429, {"Retry-After": "Sun, 06 Nov 1994 08:49:37 GMT"}),
    Say(error("slow down"), 429),
    Say(error("You exceeded your current quota. Please retry in 0.1s."), 429),
    Say("oops", 500),
    Say("<html>Bad gateway</html>", 502),
    Say(error("Overloaded"), 529),
    Say(drop=True),
    Say(completion("14"), half=True),
    Say('{"choices": [{"mess'),
    Say(""),
    Say({"choices": []}),
    Say(error("upstream failed")),
]


@pytest.mark.parametrize("say", HEALS)
def test_what_passes_is_asked_again(endpoint: Loopback, say: Say) -> None:
    endpoint.respond = first_then(say, say)
    assert ask(endpoint, only=[1])[1].relevance.score == 14
    assert len(endpoint.asked) == 3


@pytest.mark.parametrize("say", HEALS[5:])
def test_what_does_not_pass_ends_as_a_failure(endpoint: Loopback, say: Say) -> None:
    endpoint.respond = lambda body: say if "Source [1]" in user_message(body) else "14"
    card = ask(endpoint)
    assert (card[1].relevance.status, card[1].relevance.reason) == ("failed", "provider_error")
    assert card[2].relevance.score == 14
    assert len(endpoint.asked) == 3 + 1
    endpoint.respond = lambda _: "9"  # nothing of it was kept
    assert ask(endpoint)[1].relevance.score == 9


def test_being_slowed_down_is_no_failed_attempt(endpoint: Loopback) -> None:
    endpoint.respond = first_then(*[Say(error("slow"), 429, {"Retry-After": "0"})] * 5)
    assert ask(endpoint, only=[1], retries=0)[1].relevance.score == 14
    endpoint.respond = lambda _: Say(error("slow"), 429)
    judged = ask(endpoint, only=[2], timeout=5, deadline=0.5)[2].relevance
    assert judged.reason == "provider_error"


def test_a_slow_reply_times_out(endpoint: Loopback) -> None:
    endpoint.respond = first_then(Say(completion("3"), delay=2))
    assert ask(endpoint, only=[1], timeout=0.3)[1].relevance.score == 14
    endpoint.respond = lambda _: Say(completion("3"), delay=2)
    judged = ask(endpoint, only=[2], timeout=0.2, retries=1)[2].relevance
    assert (judged.status, judged.reason) == ("failed", "timeout")


def test_a_reply_in_pieces_is_read_whole(endpoint: Loopback) -> None:
    text = "Well. " * 400 + "\nScore: 14"
    endpoint.respond = lambda _: Say(completion(text), pieces=5)
    assert ask(endpoint, only=[1])[1].relevance.score == 14
    assert len(endpoint.asked) == 1


# One client, and no secret anywhere


def test_one_client_for_a_run(endpoint: Loopback) -> None:
    cases = [{"query": f"Why {n}?", "answer": "It rains [1]. It pours [2]."} for n in range(30)]
    endpoint.respond = lambda _: Say(completion("14"), delay=0.005)
    settings: dict[str, Any] = {"mode": "direct", "metrics": ["relevance"], "concurrency": 4}
    cards = list(citemark.score_many(cases, judge="openai:m", base_url=endpoint.url, **settings))
    assert [card.case.query for card in cards] == [case["query"] for case in cases]
    assert len(endpoint.asked) == 60
    assert len(endpoint.peers) <= 4
    assert endpoint.busiest <= 4


def test_identical_requests_are_asked_once(endpoint: Loopback) -> None:
    endpoint.respond = lambda _: Say(completion("14"), delay=0.05)
    settings: dict[str, Any] = {"mode": "direct", "metrics": ["relevance"], "only": [1]}
    for extra in ({}, {"fresh": True}):
        cards = list(
            citemark.score_many(
                [CASE] * 50, judge="openai:m", base_url=endpoint.url, **settings, **extra
            )
        )
        assert {card[1].relevance.score for card in cards} == {14}
    assert len(endpoint.asked) == 2


def test_the_key_shows_nowhere(endpoint: Loopback, tmp_path: Path) -> None:
    inputs = file(tmp_path, "cases.jsonl", A, B)
    shown = []

    def go(*more: str) -> None:
        done = run(
            "score", inputs, "--judge", "openai:m", "--base-url", endpoint.url, "--mode", "direct",
            "-o", tmp_path / "out.jsonl", "--retries", "0", *more, OPENAI_API_KEY=SECRET,
        )  # fmt: skip
        shown.append(done.out + done.err)

    endpoint.respond = lambda _: completion(f"Your key is {SECRET}. Score: 14")
    go()
    assert endpoint.headers[0]["Authorization"].endswith(SECRET)
    for status in (400, 401, 402, 404, 429, 500):
        long = f"{'x' * 180} {SECRET}"
        says = Say(error(long, code="insufficient_quota" if status == 429 else ""), status)
        endpoint.respond = lambda _, says=says: says  # type: ignore[misc]
        go("--fresh")
    with pytest.raises(CitemarkError) as caught:
        ask(f"{endpoint.url}/{SECRET}?x")
    shown += [str(caught.value), repr(find_endpoint("openai:m", endpoint.url))]
    shown.append(repr(Endpoint(Provider("x", "X", "http://x"), "m", SECRET)))
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {"store.sqlite", "out.jsonl", "out.jsonl.manifest.json"} <= {p.name for p in files}
    for length in (len(SECRET), 12):
        assert not any(SECRET[:length] in text for text in shown)
        assert not any(SECRET[:length].encode() in path.read_bytes() for path in files)
    assert json.loads((tmp_path / "out.jsonl.manifest.json").read_text())["judge"] == "openai:m"
