"""Endpoints: presets and keys, and everything that can go wrong between us and a model."""

from __future__ import annotations

import socket
import time
from pathlib import Path
from typing import Any

import pytest

import citemark
from citemark import JudgeError, UsageError
from citemark.judges.llm.endpoint import find_endpoint, find_key, providers
from loopback import CASE, SECRET, Loopback, Say, ask, error

# Presets and keys


def test_the_presets_are_complete() -> None:
    assert set(providers()) == {
        "openai", "anthropic", "gemini", "mistral", "groq", "openrouter", "together", "deepseek",
        "ollama", "vllm", "llamacpp", "lmstudio",
    }  # fmt: skip
    for name, provider in providers().items():
        local = provider.base_url.startswith("http://localhost:")
        assert local or provider.base_url.startswith("https://"), name
        assert (provider.key is None) == local, name
        assert local or (provider.key or "").endswith("_API_KEY"), name
        assert not provider.base_url.endswith("/"), name
        assert provider.title, name
        assert provider.prefill in (None, "plain", "continue_final_message"), name


def test_keys_come_from_the_environment_or_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert find_key("OPENAI_API_KEY") is None
    lines = [
        "# OPENAI_API_KEY=no",
        'export OPENAI_API_KEY="sk-file#1"  # mine',
        "GROQ_API_KEY = g-1 # x",
    ]
    (tmp_path / ".env").write_text("\ufeff" + "\r\n".join(lines), encoding="utf-8")
    assert find_key("OPENAI_API_KEY") == "sk-file#1"
    assert find_key("GROQ_API_KEY") == "g-1"
    assert find_key("MISTRAL_API_KEY") is None
    monkeypatch.setenv("OPENAI_API_KEY", " sk-env\n")
    assert find_endpoint("openai:m").key == "sk-env"
    (tmp_path / ".env").write_bytes(b"\xff\xfe")
    assert find_key("GROQ_API_KEY") is None


def test_a_missing_key_says_what_to_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GROQ_API_KEY", raising=False)
    with pytest.raises(JudgeError, match="set GROQ_API_KEY") as caught:
        citemark.score(CASE, judge="groq:m")
    assert caught.value.exit_code == 3
    monkeypatch.setenv("GROQ_API_KEY", "two\nlines")
    with pytest.raises(JudgeError, match="GROQ_API_KEY") as caught:
        citemark.score(CASE, judge="groq:m")
    assert "two" not in str(caught.value)


def test_the_key_goes_into_one_header(endpoint: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    ask(endpoint)
    assert endpoint.headers[0]["Authorization"] == f"Bearer {SECRET}"
    monkeypatch.delenv("OPENAI_API_KEY")
    ask(endpoint, fresh=True)
    assert "Authorization" not in endpoint.headers[-1]


@pytest.mark.parametrize(
    ("spec", "url"),
    [
        ("nobody:m", None),
        ("openai:", None),
        ("openai:m", "localhost:8000"),
        ("openai:m", "http://"),
        ("openai:m", "http://localhost:99999/v1"),
        ("openai:m", f"https://me:{SECRET}@example.com/v1"),
        ("openai:m", f"https://example.com/v1?key={SECRET}"),
        ("openai:m", SECRET),
    ],
)
def test_bad_specs_and_addresses(spec: str, url: str | None) -> None:
    with pytest.raises(UsageError) as caught:
        find_endpoint(spec, url)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("tail", ["", "/", "/chat/completions"])
def test_an_address_may_be_written_in_several_ways(endpoint: Loopback, tail: str) -> None:
    assert ask(endpoint.url + tail)[1].relevance.score == 10


# What no request of a run can get past


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (401, error("Incorrect API key provided: sk-***"), "OPENAI_API_KEY"),
        (403, error("Country not supported"), "OPENAI_API_KEY"),
        (400, error("API key not valid. Please pass a valid API key."), "OPENAI_API_KEY"),
        (404, error("The model `m` does not exist", code="model_not_found"), 'no model "m"'),
        (400, error("m is not a valid model ID"), 'no model "m"'),
        (400, error("Invalid model: m"), 'no model "m"'),
        (404, "<html>Not found</html>", "--base-url"),
        (405, "", "--base-url"),
        (402, error("Insufficient Balance"), "add credit"),
        (429, error("You exceeded your current quota", code="insufficient_quota"), "add credit"),
        (400, error("Your credit balance is too low to access the API."), "add credit"),
        (400, error("Unsupported value: 'temperature' does not support 0"), "--temperature none"),
        (400, error("response_format type is unavailable now"), "--no-schema"),
        (400, error("logprobs are not supported with this model"), "--no-logprobs"),
        (400, error("For this model logprobs are not available"), "--no-logprobs"),
        (302, "", "--base-url"),
    ],
)
def test_what_stops_a_run(endpoint: Loopback, status: int, body: Any, said: str) -> None:
    headers = {"Location": "http://127.0.0.1:1/"} if status == 302 else {}
    endpoint.respond = lambda _: Say(body, status, headers)
    with pytest.raises(JudgeError) as caught:
        ask(endpoint, concurrency=1)
    assert said in str(caught.value)
    assert caught.value.exit_code == 3
    assert len(endpoint.asked) == 1


def test_no_probabilities_in_mode_weighted_names_sampled(endpoint: Loopback) -> None:
    endpoint.respond = lambda _: Say(error("'logprobs' is not supported"), 400)
    with pytest.raises(JudgeError, match="--mode sampled"):
        ask(endpoint, mode="weighted")


def test_nobody_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    started = time.monotonic()
    with pytest.raises(JudgeError, match=f"127.0.0.1:{port}.* cannot be reached.*--base-url"):
        ask(f"http://127.0.0.1:{port}/v1", retries=5, first_wait=0.1)
    assert time.monotonic() - started < 3
    with pytest.raises(JudgeError, match="cannot be reached"):
        ask("http://no-such-host.invalid/v1")


@pytest.mark.parametrize("body", ["<!doctype html><p>Hello", {"hello": 1}, {"choices": [7]}, "[1]"])
def test_an_endpoint_of_another_kind(endpoint: Loopback, body: Any) -> None:
    endpoint.respond = lambda _: Say(body)
    with pytest.raises(JudgeError, match=r"does not speak OpenAI's protocol.*--base-url"):
        ask(endpoint)


def test_what_was_paid_for_is_kept_when_a_run_stops(endpoint: Loopback) -> None:
    left = iter(["14"])
    endpoint.respond = lambda _: next(left, Say(error("Insufficient Balance"), 402))
    with pytest.raises(JudgeError, match="in the store"):
        ask(endpoint, concurrency=1)
    card = ask(endpoint, offline=True)
    assert [source.relevance.score for source in card] == [14, None]
