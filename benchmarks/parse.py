"""How fast answers are parsed and measured, and that memory stays flat when many stream through.

    python benchmarks/parse.py [--answers 10000] [--stream 100000]

Prints answers per second on one core (best of several rounds, because machines are
noisy), the same as a ratio to a plain-Python yardstick timed in the same run, and the peak
memory of ``citemark parse`` and ``citemark score`` reading from a pipe.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from statistics import median

from citemark.citations import parse_answer
from citemark.impression import impressions
from generated import answer, case

ROUNDS = 10
SOURCES = 7


def main() -> None:
    """Run the benchmark."""
    options = argparse.ArgumentParser(description=__doc__.split("\n\n")[0] if __doc__ else "")
    options.add_argument("--answers", type=int, default=10_000)
    options.add_argument("--stream", type=int, default=100_000)
    wanted = options.parse_args()
    speed(wanted.answers)
    for command in (["parse", "-"], ["score", "-", "--format", "rows"]):
        for count in (wanted.stream // 10, wanted.stream):
            stream(command, count)


def speed(count: int) -> None:
    """Answers parsed and measured per second."""
    rng = random.Random(7)
    answers = [answer(rng, sources=SOURCES) for _ in range(count)]
    urls = {n: f"https://example.org/page-{n}" for n in range(1, SOURCES + 1)}
    markers = sum(len(parse_answer(text, urls).markers) for text in answers[:200]) / 200
    part = max(1, count // ROUNDS)
    rounds = [answers[i : i + part] for i in range(0, part * ROUNDS, part)]
    speeds, ratios = [], []
    for texts in rounds:
        yardstick = 1 / seconds(loop)
        speeds.append(len(texts) / seconds(partial(measure, texts, urls)))
        ratios.append(speeds[-1] / yardstick)
    print(f"{count} answers of 200 words, {SOURCES} sources, {markers:.1f} markers each")
    print(
        f"parsed and measured: {max(speeds):,.0f} answers/s on one core (best of {ROUNDS} rounds)"
    )
    print(f"in the time of one yardstick loop: {median(ratios):.0f} answers (median)")


def measure(answers: list[str], urls: dict[int, str]) -> None:
    """Parse and measure some answers."""
    for text in answers:
        impressions(parse_answer(text, urls))


def loop() -> int:
    """The yardstick: a million additions in plain Python."""
    total = 0
    for i in range(1_000_000):
        total += i
    return total


def seconds(work: Callable[[], object]) -> float:
    """How long something takes, in CPU time of this process."""
    start = time.process_time()
    work()
    return time.process_time() - start


def stream(command: list[str], count: int) -> None:
    """Peak memory of a command that reads this many cases from a pipe."""
    rng = random.Random(11)
    sample = [case(rng, n) for n in range(500)]
    script = (
        "import resource, subprocess, sys; "
        "code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode; "
        "print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    run = [sys.executable, "-c", script, sys.executable, "-m", "citemark", *command]
    start = time.perf_counter()
    with subprocess.Popen(run, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        for number in range(count):
            line = {**sample[number % len(sample)], "id": f"case-{number}"}
            child.stdin.write(json.dumps(line) + "\n")
        child.stdin.close()
        code, peak = child.stdout.read().split()
    took = time.perf_counter() - start
    name = " ".join(command)
    print(
        f"citemark {name}: {count:,} cases, exit {code}, peak {int(peak) / 1024:.0f} MB, "
        f"{count / took:,.0f} cases/s through the pipe"
    )


if __name__ == "__main__":
    main()
