"""LLM judges from the command line, as a user runs them, against a real server."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from citemark.judges.options import MODES
from citemark.rubrics import DEFAULT_METRICS, rubric
from loopback import Body, Loopback, Say, completion, levels, user_message
from running import A, B, Done, file, run

NO_KEYS: dict[str, Any] = {
    f"{name}_API_KEY": ""
    for name in "OPENAI ANTHROPIC GEMINI MISTRAL GROQ OPENROUTER TOGETHER DEEPSEEK".split()
}


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    return file(tmp_path, "cases.jsonl", A, B)


def score(endpoint: Loopback, cases: Path, *more: str | Path, mode: str = "direct") -> Done:
    how = ("--judge", "openai:m", "--base-url", endpoint.url, "--mode", mode, "--retries", "1")
    return run("score", cases, *how, *more, cwd=cases.parent, **NO_KEYS)


def scores(done: Done) -> list[Any]:
    return [
        judged["score"] or judged["reason"]
        for card in done.cards
        for source in card["sources"]
        for judged in source["scores"].values()
    ]


def test_judges(tmp_path: Path) -> None:
    done = run("judges", cwd=tmp_path, **{**NO_KEYS, "MISTRAL_API_KEY": "secret-key-1"})
    assert done.code == 0
    lines = {line.split()[1]: line for line in done.out.splitlines() if line[:2] in ("re", "mi")}
    assert lines["embedded"].startswith("ready")
    assert lines["mistral:MODEL"].startswith("ready")
    assert lines["openai:MODEL"].startswith("missing")
    assert "set OPENAI_API_KEY" in lines["openai:MODEL"]
    assert "http://localhost:11434/v1" in lines["ollama:MODEL"]
    assert {"gguf:PATH", "gguf:smollm2"} < set(lines)
    assert len(lines) >= 15
    assert "--base-url" in done.out
    assert "secret" not in done.out + done.err


def test_a_rerun_costs_no_call(endpoint: Loopback, cases: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    first = score(endpoint, cases, "-o", out)
    assert first.code == 0, first.err
    assert len(endpoint.asked) == 15
    results = out.read_text()
    manifest = json.loads((tmp_path / "out.jsonl.manifest.json").read_text())
    assert manifest["calls"] == {"asked": 15, "from_store": 0}
    assert manifest["tokens"] == {"prompt": 1500, "completion": 75}
    assert (manifest["judge"], manifest["mode"]) == ("openai:m", "direct")
    assert manifest["settings"]["temperature"] == 0
    assert manifest["judgments"] == {"scored": 15, "not_cited": 5, "failed": {}}

    assert score(endpoint, cases, "-o", out).code == 0
    assert len(endpoint.asked) == 15
    assert out.read_text() == results
    manifest = json.loads((tmp_path / "out.jsonl.manifest.json").read_text())
    assert manifest["calls"] == {"asked": 0, "from_store": 15}
    assert manifest["tokens"] == {"prompt": 0, "completion": 0}

    endpoint.respond = lambda _: "3"
    assert score(endpoint, cases, "-o", out, "--fresh").code == 0
    assert len(endpoint.asked) == 30
    assert out.read_text() != results
    assert score(endpoint, cases, "--offline", "-o", out, "--metrics", "count").code == 0
    assert (
        json.loads(out.read_text().splitlines()[1])["sources"][0]["scores"]["count"]["score"] == 3
    )
    other = tmp_path / "other.sqlite"
    assert score(endpoint, cases, "--store", other, "--metrics", "count", "-o", out).code == 0
    assert len(endpoint.asked) == 33
    assert other.exists()


def test_offline_without_a_store(endpoint: Loopback, cases: Path) -> None:
    done = score(endpoint, cases, "--offline", "--format", "jsonl", "--metrics", "count")
    assert done.code == 1
    assert scores(done) == ["not_in_store", "not_in_store", 1, "not_in_store"]
    assert "not_in_store 3" in done.err
    assert not endpoint.asked
    # A provider that needs a key needs none for this.
    assert run("score", cases, "--judge", "openai:m", "--offline", **NO_KEYS).code == 1


def test_fresh_and_offline_do_not_go_together(endpoint: Loopback, cases: Path) -> None:
    assert score(endpoint, cases, "--offline", "--fresh").code == 2


def test_retry_failed(endpoint: Loopback, cases: Path) -> None:
    def respond(body: Body) -> str:
        return "12-14" if "Source [2]" in user_message(body) else "7"

    endpoint.respond = respond
    how = ("--format", "jsonl", "--metrics", "count")
    assert scores(score(endpoint, cases, *how)) == [7, "not_a_score", 1, 7]
    endpoint.respond = lambda _: "13"
    again = score(endpoint, cases, *how)
    assert (again.code, len(endpoint.asked)) == (1, 3)
    kept = score(endpoint, cases, *how, "--retry-failed", "--offline")
    assert scores(kept) == [7, "not_a_score", 1, 7]
    healed = score(endpoint, cases, *how, "--retry-failed")
    assert (healed.code, len(endpoint.asked)) == (0, 4)
    assert scores(healed) == [7, 13, 1, 7]
    assert scores(score(endpoint, cases, *how)) == [7, 13, 1, 7]
    assert len(endpoint.asked) == 4


def reply_in(mode: str, body: Body) -> str | Body:
    if mode in ("direct", "sampled"):
        return "14"
    if mode == "weighted":
        tokens = [{"token": "14", "logprob": 0.0, "top_logprobs": []}]
        return completion("14", logprobs=tokens)
    if mode == "subscores":
        ids = body["response_format"]["json_schema"]["schema"]["required"]
        return json.dumps(levels(ids, [2] * 5))
    panel = {name: levels(rubric(name).ids, [2] * 5) for name in DEFAULT_METRICS}
    return json.dumps(panel if mode == "panel" else {"sources": {"1": panel, "2": panel}})


CALLS = {"subscores": 15, "direct": 15, "weighted": 15, "sampled": 45, "panel": 3, "sheet": 2}


@pytest.mark.parametrize("mode", MODES)
def test_a_dry_run_counts_exactly(endpoint: Loopback, cases: Path, mode: str) -> None:
    uncited = {"id": "c", "query": "Why?", "answer": "It rains."}
    more = file(cases.parent, "more.jsonl", A, B, {**A, "id": "twin"}, uncited)
    dry = score(endpoint, more, "--dry-run", "--samples", "3", mode=mode)
    assert dry.code == 0, dry.err
    assert not endpoint.asked
    assert f" {CALLS[mode]} calls" in dry.out
    assert "4 cases, 25 judgments" in dry.out
    tokens = re.search(r"about ([\d,]+) tokens", dry.out)
    assert tokens
    assert int(tokens[1].replace(",", "")) > 500

    endpoint.respond = lambda body: reply_in(mode, body)
    done = score(endpoint, more, "--samples", "3", "--format", "jsonl", mode=mode)
    assert done.code == 0, done.err
    assert len(endpoint.asked) == CALLS[mode]
    assert [card["case"] for card in done.cards] == ["a", "b", "twin", "c"]
    assert {card["mode"] for card in done.cards} == {mode}
    after = score(endpoint, more, "--dry-run", "--samples", "3", mode=mode)
    assert " 0 calls" in after.out
    assert f"({CALLS[mode]} more are in the store)" in after.out


def test_a_dry_run_needs_no_key(cases: Path) -> None:
    done = run("score", cases, "--judge", "groq:m", "--dry-run", cwd=cases.parent, **NO_KEYS)
    assert done.code == 0
    assert "15 calls" in done.out
    refused = run("score", cases, "--judge", "groq:m", cwd=cases.parent, **NO_KEYS)
    assert refused.code == 3
    assert "GROQ_API_KEY" in refused.err
    assert not refused.out


def test_results_keep_the_order_of_the_input(endpoint: Loopback, tmp_path: Path) -> None:
    many = [{**B, "id": f"n{n}", "query": f"Why {n}?"} for n in range(40)]

    def respond(body: Body) -> Say:
        found = re.search(r"Why (\d+)\?", user_message(body))
        assert found
        return Say(completion("14"), delay=0.2 if int(found[1]) % 7 == 0 else 0.0)

    endpoint.respond = respond
    done = score(
        endpoint, file(tmp_path, "m.jsonl", *many), "--format", "jsonl", "--metrics", "count"
    )
    assert [card["case"] for card in done.cards] == [case["id"] for case in many]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--mode", "direct"), 2, "--mode"),
        (("--judge", "openai:m", "--mode", "other"), 2, "--mode"),
        (("--judge", "nobody:m"), 2, "no provider"),
        (("--judge", "openai:"), 2, "name a model"),
        (("--judge", "openai:m", "--samples", "0"), 2, "--samples"),
        (("--judge", "openai:m", "--temperature", "hot"), 2, "--temperature"),
        (("--judge", "openai:m", "--temperature", "nan"), 2, "--temperature"),
        (("--judge", "openai:m", "--timeout", "nan"), 2, "--timeout"),
        (("--judge", "openai:m", "--deadline", "0"), 2, "--deadline must be more than 0 seconds"),
        (("--judge", "anthropic:m", "--mode", "weighted", "--offline"), 3, "--mode sampled"),
        (("--judge", "gguf:none.gguf"), 3, "no such file"),
        (("--judge", "openai:m", "--base-url", "http://127.0.0.1:1/v1"), 3, "cannot be reached"),
    ],
)
def test_what_is_refused(cases: Path, arguments: tuple[str, ...], code: int, said: str) -> None:
    done = run("score", cases, *arguments, "--retries", "0", cwd=cases.parent, **NO_KEYS)
    assert (done.code, done.out) == (code, "")
    assert said in done.err


def test_settings_are_sent_as_given(endpoint: Loopback, cases: Path) -> None:
    how = ("--metrics", "count", "--seed", "7", "--temperature", "none", "--no-schema")
    endpoint.respond = lambda _: json.dumps(levels(rubric("count").ids, [1] * 5))
    done = score(endpoint, cases, *how, "--format", "jsonl", mode="subscores")
    assert scores(done) == [5, 5, 1, 5]
    for body in endpoint.asked:
        assert body["seed"] == 7
        assert not {"temperature", "response_format", "logprobs"} & set(body)
    [signature] = {card["signature"] for card in done.cards}
    assert "seed=7" in signature
    assert "schema=no" in signature
    assert endpoint.url in signature
