"""The summary of a run: counts, means with their n and interval, spreads, best and weakest."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from citemark.report.reading import Plain

OVERALL = "overall"
HIGHEST = 20
UNSURE_SPAN = 7
"""An interval as wide as this reaches over more than two bands and tells little."""
_EXTREMES = 5


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean, over how many of how many, and its 95 % interval over queries."""

    mean: float | None
    n: int
    of: int
    interval: tuple[float, float] | None = None

    def to_dict(self) -> dict[str, Any]:
        """The mean as the page carries it."""
        interval = None if self.interval is None else [round(end, 3) for end in self.interval]
        mean = None if self.mean is None else round(self.mean, 3)
        return {"mean": mean, "n": self.n, "of": self.of, "interval": interval}


@dataclass(slots=True)
class _Scores:
    """The scores of one metric by query, and how many there should have been."""

    by_query: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    of: int = 0

    def add(self, query: str, score: float | None) -> None:
        self.of += 1
        if score is not None:
            self.by_query[query].append(score)

    def mean(self) -> Mean:
        from citemark.bootstrap import mean_interval

        groups = list(self.by_query.values())
        values = [value for group in groups for value in group]
        if not values:
            return Mean(None, 0, self.of)
        return Mean(sum(values) / len(values), len(values), self.of, mean_interval(groups))


@dataclass(frozen=True, slots=True, order=True)
class Extreme:
    """A source that stands out, and the case it is cited in."""

    overall: float
    order: int
    link: str = field(compare=False)
    source: int = field(compare=False)
    name: str = field(compare=False)
    query: str = field(compare=False)

    def to_dict(self) -> dict[str, Any]:
        """The source as the page carries it."""
        names = ("link", "source", "name", "overall", "query")
        return {name: getattr(self, name) for name in names}


class Summary:
    """Counts and means, added up card by card."""

    def __init__(self) -> None:
        self.cases = self.sources = self.cited = 0
        self.scored = self.not_cited = self.unsure = 0
        self.findings = self.uncited_cases = 0
        self.failed: Counter[str] = Counter()
        self.distributions: dict[str, list[int]] = {}
        self._queries: set[str] = set()
        self._among_cited: defaultdict[str, _Scores] = defaultdict(_Scores)
        self._among_listed: defaultdict[str, _Scores] = defaultdict(_Scores)
        self._extremes: list[Extreme] = []

    def add(self, card: Plain, link: str) -> None:
        """Count one scorecard in; ``link`` is what names the case on the page."""
        self.cases += 1
        self._queries.add(card["query"])
        self.findings += len(card.get("problems", ()))
        self.uncited_cases += not any(source.get("cited", True) for source in card["sources"])
        for source in card["sources"]:
            self._add_source(card, source, link)

    def _add_source(self, card: Plain, source: Plain, link: str) -> None:
        cited, query = bool(source.get("cited", True)), card["query"]
        self.sources += 1
        self.cited += cited
        values: dict[str, Any] = {OVERALL: source.get("overall")}
        for metric, judgment in source["scores"].items():
            values[metric] = judgment.get("score")
            self._count(metric, judgment)
        for name, value in values.items():
            self._among_listed[name].add(query, value)
            if cited:
                self._among_cited[name].add(query, value)
        if cited and values[OVERALL] is not None:
            name = source_name(source)
            self._extremes.append(
                Extreme(values[OVERALL], len(self._extremes), link, source["source"], name, query)
            )

    def _count(self, metric: str, judgment: Plain) -> None:
        spread = self.distributions.setdefault(metric, [0] * HIGHEST)
        if judgment["status"] == "failed":
            self.failed[str(judgment.get("reason") or "unknown")] += 1
        elif judgment["status"] == "not_cited":
            self.not_cited += 1
        else:
            self.scored += 1
            spread[judgment["score"] - 1] += 1
            interval = judgment.get("interval")
            self.unsure += is_wide(interval)

    def means(self) -> list[tuple[str, Mean, Mean]]:
        """For each metric and overall: the mean over cited and over all listed sources."""
        names = [*self.distributions, OVERALL]
        return [(n, self._among_cited[n].mean(), self._among_listed[n].mean()) for n in names]

    def extremes(self) -> tuple[list[Extreme], list[Extreme]]:
        """The strongest and the weakest cited sources by overall score, none in both."""
        size = min(_EXTREMES, (len(self._extremes) + 1) // 2)
        strongest = heapq.nsmallest(size, self._extremes, key=lambda e: (-e.overall, e.order))
        rest = min(size, len(self._extremes) - size)
        return strongest, heapq.nsmallest(rest, self._extremes)

    def to_dict(self) -> dict[str, Any]:
        """The summary as the page carries it."""
        strongest, weakest = self.extremes()
        return {
            "cases": self.cases,
            "queries": len(self._queries),
            "sources": self.sources,
            "cited": self.cited,
            "judgments": {
                "scored": self.scored,
                "not_cited": self.not_cited,
                "failed": dict(sorted(self.failed.items())),
            },
            "unsure": self.unsure,
            "findings": self.findings,
            "uncited_cases": self.uncited_cases,
            "means": [
                {"metric": name, "cited": cited.to_dict(), "listed": listed.to_dict()}
                for name, cited, listed in self.means()
            ],
            "distributions": self.distributions,
            "strongest": [extreme.to_dict() for extreme in strongest],
            "weakest": [extreme.to_dict() for extreme in weakest],
        }


def is_wide(interval: Any) -> bool:
    """Whether a judge's interval is too wide to tell much."""
    return interval is not None and interval[1] - interval[0] >= UNSURE_SPAN


def source_name(source: Plain) -> str:
    """What a person calls a source: its title, else its address, else its number."""
    return str(
        source.get("title")
        or source.get("url")
        or source.get("key")
        or f"Source {source['source']}"
    )


def mean_of(values: Iterable[float]) -> tuple[float, int] | None:
    """The mean and its n, or None of nothing.

    >>> mean_of([12, 13]), mean_of([])
    ((12.5, 2), None)
    """
    known = list(values)
    return (round(sum(known) / len(known), 3), len(known)) if known else None
