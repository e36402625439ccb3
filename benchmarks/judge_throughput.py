"""How fast an LLM judge is asked, what that takes, and how fast a rerun is from the store.

    python benchmarks/judge_throughput.py [--judgments 5000] [--rerun 100000] [--quick]

Runs the real command, ``citemark score`` with the store on, against a server on loopback that
answers at once or after 100 ms, and bare aiohttp in turn with it: the same requests, made ready
in a file, as many at once, every reply read as JSON. Both are processes that are measured from
the outside, their start included; what bare aiohttp takes without its start is given too. Bare
aiohttp runs on asyncio's own loop, as most people would write it; as Citemark runs on uvloop,
bare aiohttp on uvloop is measured beside it, where uvloop is installed. Then come the frameworks
that ``make benchmark-frameworks`` installed, whose start never counts; then memory, and a rerun
from the store alone. Machines are noisy: look at the ratios, which come from turns of the same
run, and at their median.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from statistics import median

from citemark.citations import parse_answer
from citemark.rubrics import DEFAULT_METRICS
from generated import case

HERE = Path(__file__).resolve().parent
FRAMEWORKS = {"openevals": (100,), "ragas": (16, 100), "deepeval": (20, 100)}
"""What is compared with, and how many at once: its own limit, and as many as we have. Some get
slower with more, so the faster counts."""
IN_FLIGHT = 100
LONGEST = 3600
QUIET = {
    "OPENAI_API_KEY": "bench",
    "NO_PROXY": "*",
    "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
    "DEEPEVAL_UPDATE_WARNING_OPT_IN": "NO",
    "ERROR_REPORTING": "NO",
    "RAGAS_DO_NOT_TRACK": "true",
    "LANGSMITH_TRACING": "false",
    "LANGCHAIN_TRACING_V2": "false",
}
"""No framework may report home, nor ask the network for anything."""


@dataclass(frozen=True, slots=True)
class Took:
    """What some judgments took."""

    judgments: int
    seconds: float
    cpu: float
    rss: float
    """The most memory, in MB."""

    @property
    def speed(self) -> float:
        """Judgments in a second."""
        return self.judgments / self.seconds

    @property
    def cpu_each(self) -> float:
        """CPU time of a judgment, in ms."""
        return self.cpu / self.judgments * 1000

    def line(self, name: str, note: str = "") -> str:
        """The figures for people."""
        return (
            f"  {name:<24}{self.speed:>9,.0f}/s{self.cpu_each:>9.2f} ms CPU each"
            f"{self.rss:>7.0f} MB  {note}"
        )


def main() -> None:
    """Run the benchmark."""
    options = argparse.ArgumentParser(description=__doc__.split("\n\n")[0] if __doc__ else "")
    options.add_argument("--judgments", type=int, default=5000)
    options.add_argument("--rerun", type=int, default=100_000, help="judgments from the store")
    options.add_argument("--metrics", type=int, default=5, choices=range(1, 6))
    options.add_argument("--rounds", type=int, default=3, help="turns with bare aiohttp")
    options.add_argument("--delays", type=int, nargs="+", default=[0, 100], metavar="MS")
    options.add_argument("--frameworks", type=Path, default=HERE.parent / ".bench-venv")
    options.add_argument("--framework-judgments", type=int, default=500)
    options.add_argument("--skip-frameworks", action="store_true")
    options.add_argument("--quick", action="store_true", help="small counts: does it all work?")
    wanted = options.parse_args()
    if wanted.quick:
        wanted.judgments, wanted.rerun, wanted.rounds = 300, 2000, 1
        wanted.framework_judgments = 50
    with tempfile.TemporaryDirectory() as name, serving() as server:
        bench = Bench(Path(name), server, wanted.metrics)
        bench.warm_up()
        speeds = {d: bench.compare(d, wanted.judgments, wanted.rounds) for d in wanted.delays}
        if not wanted.skip_frameworks:
            for delay, (ours, bare) in speeds.items():
                bench.frameworks(
                    wanted.frameworks, delay, wanted.framework_judgments, ours=ours, bare=bare
                )
        bench.rerun(wanted.judgments, wanted.rerun)


@contextmanager
def serving() -> Iterator[str]:
    """The server, in a process of its own, as the beginning of its URL."""
    command = [sys.executable, str(HERE / "judge_server.py")]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        process.stdin.close()  # which ends it


class Bench:
    """Cases of some sizes, and what is run on them."""

    def __init__(self, folder: Path, server: str, metrics: int) -> None:
        self.folder = folder
        self.server = server
        self.metrics = DEFAULT_METRICS[:metrics]
        self._runs = 0
        self._outputs: list[Path] = []

    def warm_up(self) -> None:
        """Run everything once, so that nobody is timed while Python compiles modules."""
        cases = self.cases(len(self.metrics))
        self.score(cases, self._new("store.sqlite"), 0)
        requests = self.requests(cases)
        self.client("bare", sys.executable, requests, 1, 0)
        if find_spec("uvloop"):
            self.client("bare-uvloop", sys.executable, requests, 1, 0)

    def compare(self, delay: int, judgments: int, rounds: int) -> tuple[float, float]:
        """The command and bare aiohttp in turn; returns the best speed of each."""
        cases = self.cases(judgments)
        requests = self.requests(cases)
        print(f"\nanswers after {delay} ms, {IN_FLIGHT} in flight, metrics: {len(self.metrics)}")
        ours, theirs, started, quick = [], [], [], []
        for _ in range(rounds):
            inside, whole = self.client("bare", sys.executable, requests, judgments, delay)
            theirs.append(whole)
            started.append(inside)
            ours.append(self.score(cases, self._new("store.sqlite"), delay))
            print(whole.line("bare aiohttp"))
            print(inside.line("  without its start"))
            print(ours[-1].line("citemark score", f"{_of(ours[-1:], theirs[-1:])} of it"))
            if find_spec("uvloop"):
                found = self.client("bare-uvloop", sys.executable, requests, judgments, delay)
                quick.append(found[1])
                print(quick[-1].line("bare aiohttp on uvloop"))
            sys.stdout.flush()
        print(
            f"  median: {_of(ours, theirs)} of bare aiohttp ({_of(ours, started)} if only our "
            f"start counts), from {_range(ours, theirs)}; {_cpu(ours)} ms CPU each "
            f"(bare aiohttp: {_cpu(theirs)})"
        )
        if quick:
            print(f"  median: {_of(ours, quick)} of bare aiohttp on uvloop ({_cpu(quick)} ms CPU)")
        sys.stdout.flush()
        return max(t.speed for t in ours), max(t.speed for t in started)

    def frameworks(
        self, folder: Path, delay: int, judgments: int, *, ours: float, bare: float
    ) -> None:
        """Every framework that is installed, with the same requests."""
        print(f"\nframeworks, answers after {delay} ms, {judgments} judgments")
        requests = self.requests(self.cases(judgments))
        for name, widths in FRAMEWORKS.items():
            python = folder / name / "bin" / "python"
            if not python.exists():
                print(f"  {name:<24}skipped: not installed; make benchmark-frameworks")
                continue
            try:
                found = {
                    n: self.client(name, str(python), requests, judgments, delay, "json", n)[0]
                    for n in widths
                }
            except subprocess.SubprocessError as error:
                print(f"  {name:<24}skipped: {_why(error)}")
                continue
            width, took = max(found.items(), key=lambda item: item[1].speed)
            note = f"{took.speed / bare:.2f} of bare; citemark is {ours / took.speed:.1f} times it"
            print(took.line(f"{name}, {width} in flight", note), flush=True)

    def rerun(self, few: int, many: int) -> None:
        """Memory of a small and a large run, and both again from the store alone."""
        print("\nmemory, answers after 0 ms; then the same again from the store alone")
        peaks = []
        for count in (few, many):
            cases, store = self.cases(count), self._new("store.sqlite")
            first = self.score(cases, store, 0)
            again = self.score(cases, store, 0)
            if self._outputs[-1].read_bytes() != self._outputs[-2].read_bytes():
                raise SystemExit("a rerun from the store gives another output")
            ticks = again.seconds / _million_additions()
            note = f"{first.seconds / again.seconds:.1f} times as fast as asking"
            print(first.line(f"{count:,} asked"))
            print(again.line(f"{count:,} from the store", note), flush=True)
            print(f"  {'':<24}{count / ticks:>9,.0f} in the time of a million additions")
            peaks.append(first.rss)
        print(f"  memory grows by {peaks[1] - peaks[0]:+.0f} MB from {few:,} to {many:,}")

    def cases(self, judgments: int) -> Path:
        """A file of cases that make at least so many judgments."""
        path = self.folder / f"cases-{judgments}.jsonl"
        if not path.exists():
            rng = random.Random(5)
            number = made = 0
            with path.open("w", encoding="utf-8") as stream:
                while made < judgments:
                    data = case(rng, number)
                    made += len(parse_answer(str(data["answer"])).cited) * len(self.metrics)
                    stream.write(json.dumps(data) + "\n")
                    number += 1
            path.with_suffix(".count").write_text(str(made))
        return path

    def requests(self, cases: Path) -> Path:
        """The bodies of the calls that scoring these cases makes, one in each line."""
        path = cases.with_suffix(".requests")
        if not path.exists():
            exported = cases.with_suffix(".exported.jsonl")
            command = ["batch", "export", str(cases), "-o", str(exported), *self._asking(0)]
            store = self._new("store.sqlite")
            self._run(_citemark(*command, "--store", str(store)))
            with exported.open(encoding="utf-8") as lines, path.open("w") as stream:
                for line in lines:
                    stream.write(json.dumps(json.loads(line)["body"]) + "\n")
        return path

    def score(self, cases: Path, store: Path, delay: int, *more: str) -> Took:
        """``citemark score`` as anybody would run it."""
        output = self._new("scores.jsonl")
        self._outputs.append(output)
        command = ["score", str(cases), "-o", str(output), "--store", str(store)]
        command += ["--concurrency", str(IN_FLIGHT), *self._asking(delay), *more]
        start = time.perf_counter()
        _, usage = self._run(_citemark(*command))
        seconds = time.perf_counter() - start
        judgments = int(cases.with_suffix(".count").read_text())
        self._check(output, judgments)
        return Took(judgments, seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)

    def client(
        self,
        name: str,
        python: str,
        requests: Path,
        judgments: int,
        delay: int,
        form: str = "number",
        in_flight: int = IN_FLIGHT,
    ) -> tuple[Took, Took]:
        """One of the clients to compare with: as it measures itself, and from the outside."""
        url = f"{self.server}/{delay}/{form}/v1"
        script = str(HERE / "judge_clients.py")
        counts = [str(judgments), str(in_flight)]
        start = time.perf_counter()
        said, usage = self._run([python, script, name, str(requests), *counts, url])
        seconds = time.perf_counter() - start
        found = json.loads(said.splitlines()[-1])
        inside = Took(found["judgments"], found["seconds"], found["cpu"], found["rss"])
        cpu = usage.ru_utime + usage.ru_stime
        return inside, Took(found["judgments"], seconds, cpu, usage.ru_maxrss / 1024)

    def _asking(self, delay: int) -> list[str]:
        url = f"{self.server}/{delay}/number/v1"
        judge = ["--judge", "openai:bench", "--base-url", url, "--mode", "direct"]
        return [*judge, "--metrics", ",".join(self.metrics)]

    def _new(self, name: str) -> Path:
        self._runs += 1
        return self.folder / f"{self._runs}-{name}"

    def _run(self, command: Sequence[str]) -> tuple[str, _Usage]:
        """Run a command to its end; its output, and what it used."""
        environment = {**os.environ, **QUIET, "HOME": str(self.folder)}
        # Compiled modules are kept, as they are anywhere, but out of the way.
        environment["PYTHONPYCACHEPREFIX"] = str(self.folder / "compiled")
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        out, err = self._new("out"), self._new("err")
        with out.open("wb") as stdout, err.open("wb") as stderr:
            child = subprocess.Popen(
                command, stdout=stdout, stderr=stderr, env=environment, cwd=self.folder
            )
            status, usage = _waited(child)
        if status:
            raise subprocess.CalledProcessError(
                status, command, stderr=err.read_text("utf-8", "replace")
            )
        return out.read_text("utf-8", "replace"), usage

    def _check(self, output: Path, judgments: int) -> None:
        """What was measured must be right: every judgment has its score."""
        scored = 0
        with output.open(encoding="utf-8") as stream:
            for line in stream:
                for source in json.loads(line)["sources"]:
                    judged = source["scores"].values()
                    scored += sum(j["status"] == "scored" and j["score"] == 14 for j in judged)
        if scored != judgments:
            raise SystemExit(f"{scored} of {judgments} judgments were scored 14")


def _ratios(ours: Sequence[Took], theirs: Sequence[Took]) -> list[float]:
    """Our speed as a part of theirs, turn by turn."""
    return [a.speed / b.speed for a, b in zip(ours, theirs, strict=True)]


def _of(ours: Sequence[Took], theirs: Sequence[Took]) -> str:
    """Our speed as a part of theirs: the median of the turns."""
    return f"{median(_ratios(ours, theirs)):.2f}"


def _range(ours: Sequence[Took], theirs: Sequence[Took]) -> str:
    """The least and the most of the turns."""
    ratios = _ratios(ours, theirs)
    return f"{min(ratios):.2f} to {max(ratios):.2f}"


def _cpu(turns: Sequence[Took]) -> str:
    """CPU time of a judgment, in ms: the median of the turns."""
    return f"{median(t.cpu_each for t in turns):.2f}"


def _million_additions() -> float:
    """Seconds for a million additions in plain Python: what this machine is worth just now."""
    start, total = time.perf_counter(), 0
    for number in range(1_000_000):
        total += number
    return time.perf_counter() - start


def _citemark(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "citemark", *arguments]


@dataclass(frozen=True, slots=True)
class _Usage:
    ru_utime: float
    ru_stime: float
    ru_maxrss: int


def _waited(child: subprocess.Popen[bytes]) -> tuple[int, _Usage]:
    """The exit code of a process and what it used, which only the one who waits for it is told."""
    end = time.monotonic() + LONGEST
    while time.monotonic() < end:
        found, status, usage = os.wait4(child.pid, os.WNOHANG)
        if found:
            child.returncode = os.waitstatus_to_exitcode(status)
            return child.returncode, _Usage(usage.ru_utime, usage.ru_stime, usage.ru_maxrss)
        time.sleep(0.005)
    child.kill()
    child.wait()
    raise subprocess.TimeoutExpired(child.args, LONGEST)


def _why(error: subprocess.SubprocessError) -> str:
    said = getattr(error, "stderr", None) or str(error)
    return " ".join(said.strip().splitlines()[-1].split())[:120]


if __name__ == "__main__":
    main()
