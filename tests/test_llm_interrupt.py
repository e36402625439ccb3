"""Ctrl-C in a run that asks a model: what is under way is kept, the rest can go on later."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from loopback import Loopback, Say, completion
from running import run


def cases(path: Path, count: int) -> Path:
    lines = [
        json.dumps({"id": str(n), "query": f"What is tea {n}?", "answer": f"Tea {n} is hot [1]."})
        for n in range(count)
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


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
    while len(endpoint.asked) < 6:
        time.sleep(0.02)
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
    while not endpoint.asked:
        time.sleep(0.02)
    child.send_signal(signal.SIGINT)
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=15)
    assert child.returncode == 130
    assert "Traceback" not in said
    assert not out.exists()
