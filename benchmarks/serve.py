"""How many answers ``citemark serve`` scores a second, how long one waits, and its memory.

    python benchmarks/serve.py [--clients 16] [--seconds 20] [--judge embedded]

Starts the server as a user does, in a process of its own, and posts cases to ``/api/score``
from many clients at once, each with a connection of its own. Prints requests per second, the
median and the 99th percentile of the time for one, and the server's memory over time; beside
them, how fast a plain loop of ``citemark.score`` is right before, in one thread. Exit code 1
if a request failed, or if memory grew by more than a fifth after the first quarter.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import quantiles

import aiohttp

import citemark
from citemark.judges import find_judge
from generated import case

WARM_UP = 32
CASES = 200
LOOKS = 20
ALONE_SECONDS = 5.0
GROWTH = 1.2


def main() -> None:
    """Run the benchmark."""
    options = argparse.ArgumentParser(description=__doc__.split("\n\n")[0] if __doc__ else "")
    options.add_argument("--clients", type=int, default=16)
    options.add_argument("--seconds", type=float, default=20.0)
    options.add_argument("--judge", default="embedded")
    wanted = options.parse_args()
    alone = plain_loop(wanted.judge)
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "citemark", "serve", "--port", "0", "--folder", folder]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            try:
                assert server.stdout is not None
                url = server.stdout.readline().strip()
                good = asyncio.run(load(url, wanted, server.pid, alone))
            finally:
                server.send_signal(signal.SIGINT)
    sys.exit(0 if good else 1)


def plain_loop(judge: str) -> float:
    """How many cases a second ``citemark.score`` scores without a server, one by one."""
    rng = random.Random(7)
    cases = [case(rng, number) for number in range(CASES)]
    scored = find_judge(judge)
    for each in cases[:WARM_UP]:
        citemark.score(each, judge=scored)
    start, done = time.perf_counter(), 0
    while (passed := time.perf_counter() - start) < ALONE_SECONDS:
        json.dumps(citemark.score(cases[done % CASES], judge=scored).to_dict())
        done += 1
    return done / passed


async def load(url: str, wanted: argparse.Namespace, pid: int, alone: float) -> bool:
    """Ask from all clients until the time is over; prints and judges what was seen."""
    rng = random.Random(7)
    bodies = [json.dumps(case(rng, number)).encode() for number in range(CASES)]
    target = f"{url}api/score?judge={wanted.judge}"
    connector = aiohttp.TCPConnector(limit=wanted.clients)
    headers = {"Content-Type": "application/json"}
    async with aiohttp.ClientSession(connector=connector, headers=headers) as session:
        for body in bodies[:WARM_UP]:
            await ask(session, target, body)
        times: list[float] = []
        errors: list[str] = []
        memory: list[float] = []
        end = time.perf_counter() + wanted.seconds
        clients = [
            client(session, target, bodies, end, times, errors) for _ in range(wanted.clients)
        ]
        await asyncio.gather(*clients, watch(pid, wanted.seconds, memory))
    cuts = quantiles(times, n=100)
    print(f"{wanted.clients} clients, {wanted.seconds:g} s, judge {wanted.judge}")
    rate = len(times) / wanted.seconds
    print(f"{len(times)} answers scored, {rate:.0f} requests/s")
    print(
        f"a plain loop right before: {alone:.0f} answers/s; the server has {rate / alone:.2f} of it"
    )
    print(f"one takes {1000 * cuts[49]:.0f} ms (median), {1000 * cuts[98]:.0f} ms (p99)")
    settled = memory[len(memory) // 4]
    print(f"memory {settled:.0f} MB after a quarter, {memory[-1]:.0f} MB at the end")
    print(f"errors: {len(errors)}{f', the first: {errors[0]}' if errors else ''}")
    return not errors and memory[-1] <= GROWTH * settled


async def client(
    session: aiohttp.ClientSession,
    url: str,
    bodies: list[bytes],
    end: float,
    times: list[float],
    errors: list[str],
) -> None:
    """One client: asks, waits for the answer, asks again."""
    rng = random.Random(id(times))
    while (start := time.perf_counter()) < end:
        error = await ask(session, url, rng.choice(bodies))
        if error:
            errors.append(error)
        else:
            times.append(time.perf_counter() - start)


async def ask(session: aiohttp.ClientSession, url: str, body: bytes) -> str | None:
    """Score one case; gives what went wrong, if something did."""
    try:
        async with session.post(url, data=body) as response:
            text = await response.read()
            return None if response.status == 200 else f"{response.status} {text[:200]!r}"
    except aiohttp.ClientError as error:
        return str(error) or type(error).__name__


async def watch(pid: int, seconds: float, memory: list[float]) -> None:
    """Look at the server's memory now and then."""
    for _ in range(LOOKS):
        await asyncio.sleep(seconds / LOOKS)
        memory.append(resident(pid))


def resident(pid: int) -> float:
    """How much memory a process holds, in MB."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    [line] = [line for line in status.splitlines() if line.startswith("VmRSS:")]
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    main()
