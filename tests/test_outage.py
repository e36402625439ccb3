"""An endpoint that is down for a while: the run waits for it, and no judgment pays for it."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from citemark.judges.llm.outage import LAST_LOOK, Outage
from citemark.judges.llm.pace import EndpointDownError, Pace
from faulty import (
    JUDGMENTS,
    SOAK,
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

AWAY = 40.0 if SOAK else 3.0


def test_different_requests_must_fail_in_a_row() -> None:
    outage = Outage(4)
    outage.over(worked=True)
    for _ in range(20):
        outage.fault("one", 1.0, refused=False)  # the request's own fault
    assert outage.since is None
    for who in "abc":
        outage.fault(who, 2.0, refused=False)
    assert outage.since == 2.0
    outage.over()
    for who in "abc":
        outage.fault(who, 3.0, refused=False)
    outage.over()
    outage.fault("d", 3.0, refused=False)
    assert outage.since is None


def test_a_refused_connection_is_enough_but_only_where_there_was_one() -> None:
    outage = Outage(16)
    outage.fault("a", 1.0, refused=True)
    assert outage.since is None
    outage.over(worked=True)
    outage.fault("a", 1.0, refused=True)
    assert outage.since == 1.0


def test_one_looks_at_a_time_and_less_and_less_often() -> None:
    outage = Outage(1)
    outage.over(worked=True)
    now, waits = 100.0, []
    for n in range(8):
        outage.fault(n, now, refused=True)
        outage.fault(n, now, refused=True)  # those that were under way change nothing
        outage.looked()
        waits.append(outage.look_at - now)
        assert not outage.may_look(now)
        now = outage.look_at
        assert outage.may_look(now)
        assert not outage.may_look(now + 1)
    assert waits == [0.5, 1.0, 2.0, 4.0, *[LAST_LOOK] * 4]


def test_who_waits_is_let_in_when_it_is_back_or_sent_away_in_the_end() -> None:
    async def run(*, back: bool) -> tuple[int, int]:
        pace = Pace(8, longest=1.0)
        await pace.enter()
        pace.leave(0.01)
        await pace.enter()
        pace.leave_faulty("x", refused=True)
        assert pace.down_since is not None
        looks = through = 0

        async def ask() -> None:
            nonlocal looks, through
            await pace.enter()
            if pace.down_since is not None:
                looks += 1
                if not back:
                    pace.leave_faulty("x", refused=True)
                    return
            through += 1
            await asyncio.sleep(0.01)
            pace.leave(0.01)

        results = await asyncio.gather(*(ask() for _ in range(20)), return_exceptions=True)
        assert all(r is None or isinstance(r, EndpointDownError) for r in results)
        assert pace.in_flight == 0
        return looks, through

    assert asyncio.run(run(back=True)) == (1, 20)
    looks, through = asyncio.run(run(back=False))
    assert (looks, through) == (1, 0)


BROKEN = {
    "502": Fault("502", 502, b"<html>Bad gateway</html>"),
    "503": Fault("503", 503, {"error": {"message": "overloaded"}}),
    "reset": Fault("reset"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_an_outage_costs_no_judgment_its_attempts(
    server: Endpoint, tmp_path: Path, own_store: Path, name: str
) -> None:
    given, out = cases(tmp_path / "cases.jsonl", JUDGMENTS), tmp_path / "out.jsonl"
    server.delay = 0.02
    child = begun(command(server, given, out, "--retries", "1"))
    while server.requests < 100:
        time.sleep(0.005)
    server.fault = lambda *_: BROKEN[name]
    began, asked = time.monotonic(), server.requests
    time.sleep(AWAY)
    assert child.poll() is None
    in_vain = server.requests - asked
    server.fault = lambda *_: None
    back = time.monotonic()
    said = ended(child)
    print(f"{name} for {back - began:.0f} s: {in_vain} requests in vain, "
          f"done {time.monotonic() - back:.1f} s after")  # fmt: skip
    assert child.returncode == 0, said
    assert_all_right(out, JUDGMENTS)
    assert replies(own_store) == JUDGMENTS
    # What was under way, a second attempt of some of it, and a look every few seconds.
    assert in_vain <= 16 + 16 + 5 + AWAY / LAST_LOOK


def test_an_outage_that_does_not_end_fails_within_the_deadline(
    server: Endpoint, tmp_path: Path
) -> None:
    given, out = cases(tmp_path / "cases.jsonl", JUDGMENTS), tmp_path / "out.jsonl"
    server.fault = lambda asked, _: BROKEN["502"] if asked[0] >= 20 else None
    began = time.monotonic()
    done = run(*command(server, given, out, "--deadline", "3", "--concurrency", "8"))
    assert time.monotonic() - began < 20
    assert done.code == 1
    found = judged(out)
    assert found.keys() == everything(JUDGMENTS)
    failed = {asked: j["reason"] for asked, j in found.items() if j["status"] == "failed"}
    assert failed == {a: "provider_error" for a in everything(JUDGMENTS) if a[0] >= 20}
    server.fault = lambda *_: None
    assert run(*command(server, given, out)).code == 0
    assert_all_right(out, JUDGMENTS)


def test_a_few_requests_that_break_the_endpoint_are_no_outage(
    server: Endpoint, tmp_path: Path
) -> None:
    """They fail when their attempts are used up, long before the deadline."""
    given, out = cases(tmp_path / "cases.jsonl", 60), tmp_path / "out.jsonl"
    bad = {(18, 1), (19, 1), (19, 2)}
    server.fault = lambda asked, _: BROKEN["502"] if asked in bad else None
    done = run(*command(server, given, out, "--retries", "2"))
    assert done.code == 1
    failed = {asked: j["reason"] for asked, j in judged(out).items() if j["status"] == "failed"}
    assert failed == dict.fromkeys(bad, "provider_error")
    assert {server.asked[asked] for asked in bad} == {3}


def test_an_endpoint_that_never_worked_is_not_waited_for(server: Endpoint, tmp_path: Path) -> None:
    given, out = cases(tmp_path / "cases.jsonl", 30), tmp_path / "out.jsonl"
    server.fault = lambda *_: BROKEN["502"]
    done = run(*command(server, given, out, "--retries", "1"))
    assert done.code == 1
    assert {j["reason"] for j in judged(out).values()} == {"provider_error"}
    assert set(server.asked.values()) == {2}


def test_the_deadline_holds_while_a_reply_drips(server: Endpoint, tmp_path: Path) -> None:
    """A byte a second in the soak; the time per attempt alone would allow for it."""
    given, out = cases(tmp_path / "cases.jsonl", 30), tmp_path / "out.jsonl"
    slow = {(2, 1), (7, 3)}
    server.drip = 1.0 if SOAK else 0.05
    server.fault = lambda asked, _: Fault("drip") if asked in slow else None
    deadline = 10 if SOAK else 1
    began = time.monotonic()
    done = run(*command(server, given, out, "--deadline", str(deadline)))
    took = time.monotonic() - began
    assert deadline <= took < deadline + 15
    assert done.code == 1
    failed = {asked: j["reason"] for asked, j in judged(out).items() if j["status"] == "failed"}
    assert failed == dict.fromkeys(slow, "timeout")
    assert {server.asked[asked] for asked in slow} == {1}
