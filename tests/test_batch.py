"""Batches: requests out, replies back in any order, and the same result as a live run."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from loopback import Body, Loopback, completion, levels, token, user_message
from running import A, B, Done, file, run

JUDGE = ("--judge", "openai:m", "--base-url", "http://127.0.0.1:9/v1")


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    return file(tmp_path, "cases.jsonl", A, B)


def export(cases: Path, *more: str | Path) -> list[dict[str, Any]]:
    out = cases.with_name("requests.jsonl")
    done = run("batch", "export", cases, *JUDGE, "-o", out, *more)
    assert done.code == 0, done.err
    return [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]


def load(folder: Path, *replies: dict[str, Any] | str) -> Done:
    return run("batch", "import", file(folder, "replies.jsonl", *replies))


def success(custom_id: str, body: Body) -> dict[str, Any]:
    response = {"status_code": 200, "request_id": "r", "body": {"model": "m-1", **body}}
    return {"id": "b", "custom_id": custom_id, "response": response, "error": None}


def score_of(body: Body) -> int:
    return len(user_message(body)) % 20 + 1


def reply_in(mode: str, body: Body) -> str:
    if mode != "subscores":
        return f"Score: {score_of(body)}"
    ids = body["response_format"]["json_schema"]["schema"]["required"]
    return json.dumps(levels(ids, [(score_of(body) + n) % 5 for n in range(5)]))


def results(done: Done) -> Any:
    assert done.code == 0, done.err
    cards = done.cards
    for card in cards:
        card.pop("signature")  # it has the address, which differs here
    return cards


@pytest.mark.parametrize("mode", ["subscores", "direct", "sampled"])
def test_a_batch_gives_what_a_live_run_gives(
    endpoint: Loopback, cases: Path, tmp_path: Path, mode: str
) -> None:
    how = ("--mode", mode, "--samples", "2")
    requests = export(cases, *how)
    assert len(requests) == 15 * (2 if mode == "sampled" else 1)
    assert len({r["custom_id"] for r in requests}) == len(requests)
    assert all((r["method"], r["url"]) == ("POST", "/v1/chat/completions") for r in requests)
    assert all(len(r["custom_id"]) <= 64 for r in requests)
    replies = [success(r["custom_id"], completion(reply_in(mode, r["body"]))) for r in requests]
    random.Random(7).shuffle(replies)
    done = load(tmp_path, *replies)
    assert done.code == 0
    assert f"{len(replies)} replies kept" in done.err
    offline = run("score", cases, *JUDGE, *how, "--offline", "--format", "jsonl")

    endpoint.respond = lambda body: reply_in(mode, body)
    url = ("--judge", "openai:m", "--base-url", endpoint.url)
    live = run("score", cases, *url, *how, "--format", "jsonl")
    assert len(endpoint.asked) == len(requests)
    assert results(offline) == results(live)
    sent = sorted(json.dumps(body, sort_keys=True) for body in endpoint.asked)
    assert sent == sorted(json.dumps(r["body"], sort_keys=True) for r in requests)
    assert export(cases, *how) == []  # what is known is not asked again


def test_replies_by_hand_and_lines_without_one(cases: Path, tmp_path: Path) -> None:
    requests = export(cases, "--mode", "direct", "--metrics", "relevance, count")
    assert len(requests) == 6
    ids = [r["custom_id"] for r in requests]
    done = load(
        tmp_path,
        {"custom_id": ids[0], "content": "14\u2028"},
        json.dumps({"custom_id": ids[1], "content": "Fine.\u2028\x85Score: 9"}, ensure_ascii=False),
        "",
        success(ids[2], completion("12-14")),
        {"custom_id": ids[3], "response": None, "error": {"message": "expired", "code": "x"}},
        {"custom_id": ids[4], "response": {"status_code": 500, "body": {"error": {"message": "oh"}}}},
        success(ids[4], {"choices": []}),
        {"custom_id": ids[5] + "0", "content": "3"},
        {"custom_id": "request-1", "content": "3"},
        {"content": "3"},
        "{not json",
        "[1]",
        success(ids[5], completion("2") | {"model": "\ud800"}),
    )  # fmt: skip
    assert done.code == 1
    assert "4 replies kept, 8 lines without one" in done.err
    for number, words in (
        (5, "expired"),
        (6, "HTTP 500, oh"),
        (8, "custom_id"),
        (11, "not valid JSON"),
    ):
        assert any(f":{number}: " in line and words in line for line in done.err.splitlines())
    offline = run(
        "score", cases, *JUDGE, "--mode", "direct", "--metrics", "relevance,count", "--offline",
        "--format", "jsonl",
    )  # fmt: skip
    assert offline.code == 1
    found = [
        scores[metric]["score"] or scores[metric]["reason"]
        for card in offline.cards
        for scores in (source["scores"] for source in card["sources"] if source["cited"])
        for metric in ("relevance", "count")
    ]
    assert found == [14, 9, "not_a_score", "not_in_store", "not_in_store", 2]


def test_weighted_replies_without_probabilities_are_no_use(cases: Path, tmp_path: Path) -> None:
    requests = export(cases, "--mode", "weighted")
    assert all(r["body"]["logprobs"] for r in requests)
    load(tmp_path, {"custom_id": requests[0]["custom_id"], "content": "14"})
    done = run("score", cases, *JUDGE, "--mode", "weighted", "--offline")
    assert done.code == 3
    assert "--mode sampled" in done.err


def test_what_has_to_be_asked_next_is_in_the_next_export(cases: Path, tmp_path: Path) -> None:
    how = ("--judge", "vllm:m", "--mode", "weighted", "--metrics", "count")
    judge = (*how, "--base-url", "http://127.0.0.1:9/v1")

    def next_round(*tokens: Body, finish: str = "stop") -> int:
        out = tmp_path / "requests.jsonl"
        assert run("batch", "export", cases, *judge, "-o", out).code == 0
        requests = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
        text = "".join(token["token"] for token in tokens)
        reply = completion(text, logprobs=list(tokens), finish=finish)
        assert not requests or load(
            tmp_path, *(success(r["custom_id"], reply) for r in requests)
        ).code == 0  # fmt: skip
        return len(requests)

    assert next_round(token("1", 0.5, _2=0.5), token("7")) == 3
    early = run("score", cases, *judge, "--offline", "--format", "jsonl")
    assert early.code == 1
    assert next_round(token("0", 0.5, x=0.5), finish="length") == 3
    done = run("score", cases, *judge, "--offline", "--format", "jsonl")
    assert done.code == 0, done.err
    scores = done.cards[1]["sources"][0]["scores"]["count"]
    assert scores["expected"] == pytest.approx(17 * 0.5 + 20 * 0.25 + 2 * 0.25)
    assert next_round() == 0


@pytest.mark.parametrize(
    "lines", [[], ["nonsense"], [{"custom_id": "x", "content": "3"}]]
)  # fmt: skip
def test_nothing_imported(tmp_path: Path, lines: list[Any]) -> None:
    assert load(tmp_path, *lines).code == 2


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    binary = tmp_path / "x.jsonl"
    binary.write_bytes(b"\xff\xfe\x00")
    for path in (tmp_path / "none.jsonl", binary, tmp_path):
        done = run("batch", "import", path)
        assert done.code == 2
        assert str(path) in done.err


def test_what_cannot_be_exported(cases: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    done = run("batch", "export", cases, "-o", out)
    assert done.code == 2
    assert "asks no model" in done.err
    empty = file(tmp_path, "empty.jsonl")
    assert run("batch", "export", empty, *JUDGE, "-o", out).code == 2
    assert not out.exists()


def test_an_answer_without_citations_asks_nothing(tmp_path: Path) -> None:
    plain = file(tmp_path, "plain.jsonl", {"query": "Why?", "answer": "It rains."})
    for mode in ("subscores", "panel", "sheet"):
        assert export(plain, "--mode", mode) == []
