"""How fast the embedded judges are: ``python benchmarks/embedded.py``.

Made answers of 220 words with 7 sources. Every line is one process (whose network may use a
second core), but for "two halves": two commands at the same time, each with half of the cases. CPU
time is what a busy machine leaves unchanged; sources per second are by the clock, starting
included.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import citemark
import generated
from citemark import Scorecard

JUDGES = {"embedded": 200, "embedded:fast": 2000}
"""The judges, and how many answers each gets: enough for its start not to matter much."""
_START = """
import sys, time
begun = time.perf_counter()
import citemark
card = citemark.score(query="How hot is it?", answer="It is 20 degrees [1].", judge=sys.argv[1])
# Of this program alone: what getrusage says counts the one that started it, too.
with open("/proc/self/status") as status:
    peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) // 1024
print(f"{time.perf_counter() - begun:.2f} {peak}")
"""


def cases(count: int) -> list[dict[str, object]]:
    """The same made cases on every machine."""
    rng = random.Random(7)
    return [
        {**generated.case(rng, i), "answer": generated.answer(rng, words=220, sources=7)}
        for i in range(count)
    ]


def timed(label: str, work: Callable[[], int], who: int = resource.RUSAGE_SELF) -> None:
    """Print what some work costs per source; it returns how many sources it scored."""

    def cpu() -> float:
        used = resource.getrusage(who)
        return used.ru_utime + used.ru_stime

    clock, before = time.perf_counter(), cpu()
    sources = work()
    seconds, used = time.perf_counter() - clock, cpu() - before
    cost = 1e3 * used / sources
    sys.stdout.write(f"  {label:<12}{sources / seconds:8.0f} sources/s{cost:8.2f} CPU ms/source\n")


def scored(card: Scorecard) -> int:
    """How many sources were judged; those that are listed and not cited cost nothing."""
    return sum(source.relevance.status == "scored" for source in card.sources)


def commands(judge: str, shares: list[list[dict[str, object]]], sources: int) -> int:
    """Score some shares of cases by one command each, all at once; they have so many sources."""
    with tempfile.TemporaryDirectory() as folder:
        running = []
        for n, share in enumerate(shares):
            path = Path(folder, f"cases-{n}.jsonl")
            path.write_text("".join(json.dumps(case) + "\n" for case in share), encoding="utf-8")
            command = ["score", path.name, "--judge", judge, "-o", f"results-{n}.jsonl"]
            running.append(
                subprocess.Popen(
                    [sys.executable, "-m", "citemark", *command],
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    cwd=folder,
                )
            )
        if any(process.wait() for process in running):
            raise SystemExit(f"citemark score --judge {judge} failed")
    return sources


def measure(judge: str, made: list[dict[str, object]]) -> None:
    """Print the figures of one judge."""
    sys.stdout.write(f"{judge}\n")
    start = [sys.executable, "-c", _START, judge]
    seconds, peak = subprocess.run(start, capture_output=True, text=True, check=True).stdout.split()
    sys.stdout.write(f"  cold start  {seconds:>8} s to the first score, {peak} MB\n")
    judged = sum(map(scored, citemark.score_many(made, judge=judge)))  # and the caches are warm
    timed("one by one", lambda: sum(scored(citemark.score(c, judge=judge)) for c in made))
    timed("score_many", lambda: sum(map(scored, citemark.score_many(made, judge=judge))))
    children = resource.RUSAGE_CHILDREN
    timed("command line", lambda: commands(judge, [made], judged), children)
    halves = [made[::2], made[1::2]]
    timed("two halves", lambda: commands(judge, halves, judged), children)
    peak_here = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    sys.stdout.write(f"  memory      {peak_here:8d} MB at most so far\n")


def main() -> None:
    """Measure both judges, or one."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--answers", type=int, help="instead of each judge's own number")
    options.add_argument("--judge", choices=JUDGES, help="only this one")
    given = options.parse_args()
    for judge in (given.judge,) if given.judge else JUDGES:
        measure(judge, cases(given.answers or JUDGES[judge]))


if __name__ == "__main__":
    main()
