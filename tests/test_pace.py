"""The pace: grows while the endpoint is well, shrinks when it is not, keeps the limits."""

from __future__ import annotations

import asyncio

import pytest

from citemark.judges.llm.limits import Room
from citemark.judges.llm.pace import Allowance, Pace


async def hold(pace: Pace, release: asyncio.Event) -> None:
    await pace.enter()
    await release.wait()
    pace.leave(0.01)


def test_no_more_at_once_than_the_width() -> None:
    async def run() -> int:
        pace, release = Pace(4, first=4), asyncio.Event()
        tasks = [asyncio.create_task(hold(pace, release)) for _ in range(20)]
        await asyncio.sleep(0.01)
        most = pace.in_flight
        release.set()
        await asyncio.gather(*tasks)
        assert pace.in_flight == 0
        return most

    assert asyncio.run(run()) == 4


def test_it_grows_with_good_replies_up_to_the_most() -> None:
    async def run() -> tuple[float, float]:
        pace = Pace(20, first=2)
        for _ in range(10):
            await pace.enter()
            pace.leave(0.01)
        early = pace.width
        for _ in range(2000):
            await pace.enter()
            pace.leave(0.01)
        return early, pace.width

    early, late = asyncio.run(run())
    assert 3 < early <= 12
    assert late == 20


def test_a_burst_of_refusals_halves_it_once() -> None:
    async def run() -> tuple[float, float]:
        pace = Pace(64, first=64)
        for _ in range(10):
            await pace.enter()
        for _ in range(10):
            pace.leave_limited(None)
        once = pace.width
        pace._grow_after = 0.0
        await pace.enter()
        pace.leave_limited(None)
        return once, pace.width

    assert asyncio.run(run()) == (32.0, 16.0)


def test_it_rests_as_long_as_it_was_told() -> None:
    async def run() -> float:
        pace = Pace(4)
        clock = asyncio.get_running_loop().time
        await pace.enter()
        pace.leave_limited(0.2)
        start = clock()
        await pace.enter()
        return clock() - start

    assert asyncio.run(run()) >= 0.19


def test_it_shrinks_when_replies_take_much_longer() -> None:
    async def run() -> float:
        pace = Pace(64, first=64)
        for _ in range(20):
            await pace.enter()
            pace.leave(0.1)
        for _ in range(60):
            await pace.enter()
            pace.leave(2.0)
        return pace.width

    assert 4 <= asyncio.run(run()) < 50


def test_a_cancelled_wait_gives_its_place_away() -> None:
    async def run() -> int:
        pace, release = Pace(1, first=1), asyncio.Event()
        first = asyncio.create_task(hold(pace, release))
        await asyncio.sleep(0)
        waiting = [asyncio.create_task(pace.enter()) for _ in range(3)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        await asyncio.sleep(0)
        release.set()
        await first
        await waiting[1]
        pace.leave_broken()
        await waiting[2]
        pace.leave_broken()
        return pace.in_flight

    assert asyncio.run(run()) == 0


def test_an_allowance_lets_through_its_rate_and_no_more() -> None:
    allowance = Allowance(600)  # ten a second
    waits = [allowance.wait(1, 100.0) for _ in range(12)]
    assert waits[:10] == [0.0] * 10
    assert [round(wait, 3) for wait in waits[10:]] == [0.1, 0.2]
    assert allowance.wait(1, 110.0) == 0.0  # it has filled up again


def test_requests_a_minute_are_kept() -> None:
    async def run() -> float:
        pace = Pace(50, rpm=600, first=50)
        clock = asyncio.get_running_loop().time
        start = clock()

        async def ask() -> None:
            await pace.enter()
            pace.leave(0.001)

        await asyncio.gather(*(ask() for _ in range(15)))
        return clock() - start

    assert asyncio.run(run()) >= 0.45  # five of them had to wait for their tenth of a second


@pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
def test_whoever_waits_for_a_reset_is_woken_whatever_the_fraction(loop: str) -> None:
    async def run() -> None:
        for step in range(150):
            pace = Pace(4, first=4)
            await pace.enter()
            pace.leave(0.001, (Room(tokens=False, left=0.0, resets_in=0.0002 + step / 7e4),))
            waiting = [asyncio.create_task(pace.enter()) for _ in range(3)]
            await asyncio.sleep(step / 2e5)
            await asyncio.wait_for(asyncio.gather(*waiting, pace.enter()), 5)

    factory = None if loop == "asyncio" else pytest.importorskip("uvloop").new_event_loop
    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(run())
