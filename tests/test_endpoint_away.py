"""An endpoint that goes away, or is too slow: the run goes on by itself, and deadlines hold."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

import citemark
from faulty import (
    JUDGMENTS,
    SOAK,
    SOURCES,
    Endpoint,
    Fault,
    assert_all_right,
    begun,
    cases,
    command,
    ended,
    everything,
    judged,
    replies,
)
from running import run

AWAY = 30.0 if SOAK else 2.0


def test_the_endpoint_stops_and_comes_back(
    server: Endpoint, given: Path, out: Path, own_store: Path
) -> None:
    server.delay = 0.02
    # Two attempts in all: being away is not the fault of any judgment.
    child = begun(command(server, given, out, "--retries", "1"))
    while server.requests < 100:
        time.sleep(0.005)
    server.stop()
    asked = server.requests
    time.sleep(AWAY)
    assert child.poll() is None
    assert server.requests == asked
    server.start()
    back = time.monotonic()
    said = ended(child)
    print(f"away for {AWAY:g} s, done {time.monotonic() - back:.1f} s after it was back")
    assert child.returncode == 0, said
    assert_all_right(out, JUDGMENTS)
    assert replies(own_store) == JUDGMENTS
    assert server.requests <= JUDGMENTS + 16


def test_an_endpoint_that_drips(server: Endpoint, tmp_path: Path, out: Path) -> None:
    given = cases(tmp_path / "cases.jsonl", 30)
    slow = {(2, 1), (2, 2), (7, 3)}
    server.fault = lambda asked, _: Fault("drip") if asked in slow else None
    began = time.monotonic()
    done = run(*command(server, given, out, "--timeout", "1", "--retries", "1"))
    assert time.monotonic() - began < 10
    assert done.code == 1
    found = judged(out)
    assert found.keys() == everything(30)
    failed = {asked: j["reason"] for asked, j in found.items() if j["status"] == "failed"}
    assert failed == dict.fromkeys(slow, "timeout")
    assert {server.asked[asked] for asked in slow} == {2}
    server.fault = lambda *_: None
    assert run(*command(server, given, out)).code == 0
    assert_all_right(out, 30)


CASE = {"query": "What is tea 1?", "answer": "It is hot [1]. It is green [2]. Tea [3]."}


def ask(
    server: Endpoint, case: dict[str, str] = CASE, **options: Any
) -> list[tuple[str, str | None]]:
    """The status and the reason of the judgments of one case."""
    settings: dict[str, Any] = {"mode": "direct", "metrics": ["relevance"], "first_wait": 0.05}
    card = citemark.score(case, judge="openai:m", base_url=server.url, **(settings | options))
    return [(source.relevance.status, source.relevance.reason) for source in card]


@pytest.mark.parametrize("wait", ["3600", "1e300", "inf", "nan", "-5"])
def test_the_deadline_holds_whatever_wait_is_asked_for(server: Endpoint, wait: str) -> None:
    limited = Fault("429", 429, {"error": {"message": "slow down"}}, {"Retry-After": wait})
    server.fault = lambda *_: limited
    began = time.monotonic()
    assert (
        ask(server, timeout=0.4, deadline=0.5, retries=0)
        == [("failed", "provider_error")] * SOURCES
    )
    assert time.monotonic() - began < 3
    server.fault = lambda *_: None
    assert ask(server) == [("scored", None)] * SOURCES


def test_an_endpoint_that_stays_away(server: Endpoint) -> None:
    """What is left fails at the deadline, together: not each after a deadline of its own."""
    many = 12
    answer = " ".join(f"It is hot [{n}]." for n in range(1, many + 1))
    case = {"query": "What is tea 1?", "answer": answer}
    # Gone before the second is answered, so that no other can slip through.
    server.fault = lambda asked, _: Fault("gone") if asked[1] == 2 else None
    began = time.monotonic()
    found = ask(server, case, timeout=1.5, deadline=1.5, concurrency=1, retries=1)
    assert time.monotonic() - began < 0.5 * many * 1.5
    assert found == [("scored", None)] + [("failed", "provider_error")] * (many - 1)
    assert server.requests == 2
    server.fault = lambda *_: None
    server.stop()
    server.start()
    assert ask(server, case) == [("scored", None)] * many
