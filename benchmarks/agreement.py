"""How far the embedded judge agrees with an LLM judge: ``python benchmarks/agreement.py``.

The judged cases are not part of the project. Every line of the file holds ``query``,
``answer`` and ``judged``: for each judged source its number, its ``passes`` and ``mean``,
the mean total of each metric.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(_ROOT / "src"))

from citemark.citations import parse_answer  # noqa: E402
from citemark.judges.embedded import judge_case  # noqa: E402
from citemark.rubrics import DEFAULT_METRICS, rubric  # noqa: E402

DATA = _ROOT.parent / "shared" / "data" / "judged.jsonl"
APART = 2.0
"""Two sources of an answer are ordered by the LLM if their totals differ by this much."""


@dataclass(frozen=True, slots=True)
class Pair:
    """What the two judges say of one source by one metric."""

    case: int
    metric: str
    passes: int
    llm: float
    expected: float
    score: int


def compare(cases: Iterable[dict[str, Any]]) -> Iterator[Pair]:
    """Score judged cases with the embedded judge and pair the two judges' totals."""
    rubrics = [rubric(name) for name in DEFAULT_METRICS]
    for number, case in enumerate(cases):
        judged = {entry["source"]: entry for entry in case["judged"]}
        answer = parse_answer(case["answer"])
        for source, metric, judgment in judge_case(answer, case["query"], list(judged), rubrics):
            if judgment.expected is None or judgment.score is None:
                raise SystemExit(f"case {number}: source {source} has no {metric}")
            entry = judged[source]
            llm = float(entry["mean"][metric])
            passes = len(entry["passes"])
            yield Pair(number, metric, passes, llm, judgment.expected, judgment.score)


def ranks(values: Sequence[float]) -> list[float]:
    """Ranks from 1 on, equal values sharing the mean of theirs."""
    order = sorted(range(len(values)), key=values.__getitem__)
    result = [0.0] * len(values)
    start = 0
    for end in range(1, len(order) + 1):
        if end == len(order) or values[order[end]] != values[order[start]]:
            for i in order[start:end]:
                result[i] = (start + 1 + end) / 2
            start = end
    return result


def spearman(left: Sequence[float], right: Sequence[float]) -> float:
    """Spearman's rank correlation; 0 if one side does not vary."""
    a, b = ranks(left), ranks(right)
    mean = (len(a) + 1) / 2
    both = sum((x - mean) * (y - mean) for x, y in zip(a, b, strict=True))
    spread = sum((x - mean) ** 2 for x in a) * sum((y - mean) ** 2 for y in b)
    return float(both / spread**0.5) if spread else 0.0


def ordered(pairs: Iterable[Pair]) -> float:
    """The share of pairs within an answer that are ordered as the LLM orders them; ties half."""
    by_case: dict[int, list[Pair]] = {}
    for pair in pairs:
        by_case.setdefault(pair.case, []).append(pair)
    right, count = 0.0, 0
    for group in by_case.values():
        for a, b in combinations(group, 2):
            if abs(a.llm - b.llm) >= APART:
                product = (a.llm - b.llm) * (a.expected - b.expected)
                right += 1.0 if product > 0 else 0.5 if product == 0 else 0.0
                count += 1
    return right / count if count else 0.0


def figures(pairs: Sequence[Pair]) -> dict[str, float]:
    """The figures of agreement for one metric."""
    n = len(pairs) or 1
    return {
        "Spearman": spearman([p.expected for p in pairs], [p.llm for p in pairs]),
        "MAE": sum(abs(p.expected - p.llm) for p in pairs) / n,
        "MAE(score)": sum(abs(p.score - p.llm) for p in pairs) / n,
        "bias": sum(p.expected - p.llm for p in pairs) / n,
        "order": ordered(pairs),
    }


def table(title: str, pairs: Sequence[Pair]) -> None:
    """Print the figures for every metric and their means."""
    rows = {m: figures([p for p in pairs if p.metric == m]) for m in DEFAULT_METRICS}
    names = list(rows[DEFAULT_METRICS[0]])
    rows["mean"] = {name: sum(row[name] for row in rows.values()) / len(rows) for name in names}
    print(f"{title} ({len(pairs) // len(DEFAULT_METRICS)} sources)")
    print(" " * 12 + "".join(f"{name:>12}" for name in names))
    for metric, row in rows.items():
        print(f"{metric:<12}" + "".join(f"{row[name]:12.3f}" for name in names))


def second_pass(cases: Iterable[dict[str, Any]]) -> float:
    """How far the LLM agrees with itself: the most that another judge can hope for."""
    twice = [e["passes"] for case in cases for e in case["judged"] if len(e["passes"]) > 1]
    both = [
        [[max(1, sum(passes[i][metric])) for passes in twice] for i in (0, 1)]
        for metric in DEFAULT_METRICS
    ]
    return sum(spearman(first, second) for first, second in both) / len(both)


def main() -> None:
    """Read the judged cases, score them, print the agreement."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA, help="judged cases (JSON Lines)")
    path = parser.parse_args().data
    if not path.is_file():
        sys.exit(f"{path}: no judged cases there; name the file with --data")
    cases = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
    start = time.perf_counter()
    pairs = list(compare(cases))
    seconds = time.perf_counter() - start
    table("all sources", pairs)
    table("\ntwo passes of the LLM", [p for p in pairs if p.passes > 1])
    print(f"\nthe LLM's second pass against its first, mean Spearman: {second_pass(cases):.3f}")
    judged = len(pairs) // len(DEFAULT_METRICS)
    print(f"\n{len(cases)} cases, {judged} sources in {seconds:.2f} s, parsing included")


if __name__ == "__main__":
    main()
