"""Ctrl-C in a run that asks a model: what is under way is kept, the rest can go on later."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import citemark
from citemark.judges import JudgeOptions, find_judge
from citemark.judges.llm.judge import LLMJudge
from loopback import CASE, Loopback, Say, completion, error
from running import run


def cases(path: Path, count: int) -> Path:
    lines = [
        json.dumps({"id": str(n), "query": f"What is tea {n}?", "answer": f"Tea {n} is hot [1]."})
        for n in range(count)
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def until(reached: Callable[[], bool]) -> None:
    give_up = time.monotonic() + 30
    while not reached():
        assert time.monotonic() < give_up, "it did not get there"
        time.sleep(0.02)


def test_the_first_ctrl_c_finishes_and_the_same_command_goes_on(
    endpoint: Loopback, tmp_path: Path
) -> None:
    endpoint.respond = lambda _: Say(completion("14"), delay=0.2)
    given = cases(tmp_path / "cases.jsonl", 60)
    out = tmp_path / "out.jsonl"
    command = ["score", str(given), "-j", "openai:m", "--base-url", endpoint.url,
               "--mode", "direct", "-m", "count", "--concurrency", "4", "-o", str(out)]  # fmt: skip
    child = subprocess.Popen(
        [sys.executable, "-m", "citemark", *command],
        stderr=subprocess.PIPE,
        text=True,
        env=dict(os.environ),
    )
    until(lambda: len(endpoint.asked) >= 6)
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=30)
    assert child.returncode == 1
    assert "finishing what is under way" in said
    assert "run the same command again to go on" in said
    assert "Traceback" not in said
    cards = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [card["case"] for card in cards] == [str(n) for n in range(60)]
    statuses = [card["sources"][0]["scores"]["count"] for card in cards]
    scored = [s for s in statuses if s["status"] == "scored"]
    assert len(scored) == len(endpoint.asked)  # nothing that was asked was lost
    assert {s["reason"] for s in statuses if s["status"] == "failed"} == {"interrupted"}
    endpoint.respond = lambda _: "14"
    again = run(*command)
    assert again.code == 0
    assert len(endpoint.asked) == 60  # and nothing was asked twice


def test_a_stop_that_comes_before_the_first_question(endpoint: Loopback) -> None:
    judge = find_judge("openai:m", JudgeOptions(mode="direct", base_url=endpoint.url))
    assert isinstance(judge, LLMJudge)
    judge.stop()
    card = citemark.score(CASE, judge=judge, metrics=["count"])
    judge.close()
    assert [source.count.reason for source in card] == ["interrupted"] * 2
    assert not endpoint.asked


def test_a_second_ctrl_c_stops_at_once(endpoint: Loopback, tmp_path: Path) -> None:
    endpoint.respond = lambda _: Say(completion("14"), delay=20)
    given = cases(tmp_path / "cases.jsonl", 5)
    out = tmp_path / "out.jsonl"
    child = subprocess.Popen(
        [sys.executable, "-m", "citemark", "score", str(given), "-j", "openai:m", "--base-url",
         endpoint.url, "--mode", "direct", "-m", "count", "-o", str(out)],
        stderr=subprocess.PIPE,
        text=True,
        env=dict(os.environ),
    )  # fmt: skip
    until(lambda: bool(endpoint.asked))
    child.send_signal(signal.SIGINT)
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=15)
    assert child.returncode == 130
    assert "Traceback" not in said
    assert not out.exists()


def started(endpoint: Loopback, given: Path, out: Path, *more: str) -> subprocess.Popen[str]:
    command = ["score", str(given), "-j", "openai:m", "--base-url", endpoint.url,
               "--mode", "direct", "-m", "count", "-o", str(out), *more]  # fmt: skip
    return subprocess.Popen(
        [sys.executable, "-m", "citemark", *command],
        stderr=subprocess.PIPE,
        text=True,
        env=dict(os.environ),
    )


SLEEPERS: dict[str, tuple[Say, tuple[str, ...]]] = {
    "backoff": (Say("oops", 500), ("--retries", "50")),
    "told to wait": (Say(error("slow down"), 429, {"Retry-After": "100"}), ()),
    "told the limit": (
        Say(completion("14"), headers={"ratelimit-remaining": "0", "ratelimit-reset": "100"}),
        (),
    ),
    "down": (Say(drop=True), ()),
    "their own limit": (Say(completion("14")), ("--rpm", "1")),
}


@pytest.mark.parametrize("why", SLEEPERS)
def test_nobody_sleeps_after_ctrl_c(endpoint: Loopback, tmp_path: Path, why: str) -> None:
    """Every one of these would wait for a minute and more."""
    say, more = SLEEPERS[why]
    endpoint.respond = lambda _: say if len(endpoint.asked) > 3 else Say(completion("14"))
    out = tmp_path / "out.jsonl"
    child = started(endpoint, cases(tmp_path / "cases.jsonl", 60), out, *more)
    until(lambda: len(endpoint.asked) >= (1 if why == "their own limit" else 6))
    time.sleep(1.5)
    child.send_signal(signal.SIGINT)
    asked = len(endpoint.asked)
    _, said = child.communicate(timeout=20)
    assert child.returncode == 1, said
    assert "Traceback" not in said
    assert len(endpoint.asked) <= asked + 1  # one may have been on its way
    cards = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    found = [card["sources"][0]["scores"]["count"] for card in cards]
    assert len(found) == 60
    assert {j["reason"] for j in found if j["status"] == "failed"} == {"interrupted"}
    endpoint.respond = lambda _: "14"
    kept = sum(j["status"] == "scored" for j in found)
    before = len(endpoint.asked)
    assert run("score", tmp_path / "cases.jsonl", "-j", "openai:m", "--base-url", endpoint.url,
               "--mode", "direct", "-m", "count", "-o", out).code == 0  # fmt: skip
    assert len(endpoint.asked) == before + 60 - kept


def test_a_second_ctrl_c_loses_nothing_that_was_answered(
    endpoint: Loopback, tmp_path: Path
) -> None:
    endpoint.respond = lambda _: Say(
        completion("14"), delay=0.0 if len(endpoint.asked) < 20 else 30
    )
    given, out = cases(tmp_path / "cases.jsonl", 40), tmp_path / "out.jsonl"
    child = started(endpoint, given, out, "--concurrency", "4")
    until(lambda: len(endpoint.asked) >= 23)
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=15)
    assert child.returncode == 130
    assert "Traceback" not in said
    assert sorted(p.name for p in tmp_path.iterdir() if "store" not in p.name) == ["cases.jsonl"]
    endpoint.respond = lambda _: "14"
    before = len(endpoint.asked)
    again = started(endpoint, given, out)
    again.communicate(timeout=30)
    assert again.returncode == 0
    assert len(endpoint.asked) == before + 40 - 19
