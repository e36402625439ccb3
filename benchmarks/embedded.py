"""How fast the embedded judges are: ``python benchmarks/embedded.py``.

Made answers of 220 words with 7 sources, one process. CPU time is what a busy machine leaves
unchanged; sources per second are by the clock.
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

JUDGES = ("embedded", "embedded:fast")
_START = """
import resource, sys, time
begun = time.perf_counter()
import citemark
card = citemark.score(query="How hot is it?", answer="It is 20 degrees [1].", judge=sys.argv[1])
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
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


def measure(judge: str, made: list[dict[str, object]]) -> None:
    """Print the figures of one judge."""
    sys.stdout.write(f"{judge}\n")
    start = [sys.executable, "-c", _START, judge]
    seconds, peak = subprocess.run(start, capture_output=True, text=True, check=True).stdout.split()
    sys.stdout.write(f"  cold start  {seconds:>8} s to the first score, {peak} MB\n")
    judged = sum(map(scored, citemark.score_many(made, judge=judge)))  # and the caches are warm
    timed("one by one", lambda: sum(scored(citemark.score(c, judge=judge)) for c in made))
    timed("score_many", lambda: sum(map(scored, citemark.score_many(made, judge=judge))))
    with tempfile.TemporaryDirectory() as folder:
        path, out = Path(folder, "cases.jsonl"), Path(folder, "results.jsonl")
        path.write_text("".join(json.dumps(case) + "\n" for case in made), encoding="utf-8")
        command = ["score", str(path), "--judge", judge, "-o", str(out)]

        def run() -> int:
            subprocess.run(
                [sys.executable, "-m", "citemark", *command],
                check=True,
                capture_output=True,
                cwd=folder,
            )
            return judged

        timed("command line", run, resource.RUSAGE_CHILDREN)
    peak_here = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    sys.stdout.write(f"  memory      {peak_here:8d} MB at most so far\n")


def main() -> None:
    """Measure both judges."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--answers", type=int, default=500)
    made = cases(options.parse_args().answers)
    for judge in JUDGES:
        measure(judge, made)


if __name__ == "__main__":
    main()
