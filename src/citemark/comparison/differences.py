"""The figures of a comparison: before, after, difference, over how many, how sure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from citemark.bootstrap import Interval, mean_interval
from citemark.comparison.matching import By, CasePair, page_name, plain_query
from citemark.comparison.scorecards import SHARE, Card, Page

Status = Literal["both", "new", "gone"]


@dataclass(frozen=True, slots=True)
class Side:
    """A source on one side of a pair, averaged over the repeats that list it."""

    page: Page
    values: Mapping[str, float | None]
    failed: Mapping[str, int]
    cited: bool
    """Whether at least one of the answers cites it."""
    listed: int
    """In how many of the repeats it is listed."""


@dataclass(frozen=True, slots=True)
class SourcePair:
    """The same source before and after, in the answers to one query."""

    name: str | int
    query: str
    case: str
    before: Side | None
    after: Side | None

    @property
    def page(self) -> Page:
        """The source as the newest side that has it describes it."""
        side = self.after or self.before
        if side is None:
            raise ValueError("a source that is on no side")
        return side.page

    @property
    def status(self) -> Status:
        """Whether the source is on both sides, or only came or went."""
        if self.before is None:
            return "new"
        return "gone" if self.after is None else "both"


@dataclass(frozen=True, slots=True)
class Figure:
    """One metric of one row: the two means over the same queries, and what lies between."""

    before: float | None
    after: float | None
    interval: Interval | None
    n: int
    """Over how many the means and the difference are."""
    of: int
    """In how many the source is there at all."""
    failed: tuple[int, int] = (0, 0)
    not_cited: tuple[int, int] = (0, 0)

    @property
    def difference(self) -> float | None:
        """After minus before; None unless both are known."""
        if self.before is None or self.after is None:
            return None
        return self.after - self.before

    @property
    def clear(self) -> bool:
        """Whether the interval leaves 0 out."""
        return self.interval is not None and not self.interval[0] <= 0 <= self.interval[1]


def source_pairs(pair: CasePair, metrics: Sequence[str], by: By) -> list[SourcePair]:
    """Every source of the two sides of a pair, matched, in the order of their numbers."""
    old, new = _sides(pair.before, metrics, by), _sides(pair.after, metrics, by)
    query = plain_query(pair.before[0])
    return [
        SourcePair(name, query, pair.case, old.get(name), new.get(name)) for name in {**old, **new}
    ]


def _sides(cards: Sequence[Card], metrics: Sequence[str], by: By) -> dict[str | int, Side]:
    found: dict[str | int, list[list[Page]]] = defaultdict(list)
    for card in cards:
        same: dict[str | int, list[Page]] = defaultdict(list)
        for page in card.pages:
            same[page_name(page, by)].append(page)
        for name, pages in same.items():
            found[name].append(pages)
    return {name: _side(answers, metrics) for name, answers in found.items()}


def _side(answers: list[list[Page]], metrics: Sequence[str]) -> Side:
    """One source over repeats; several entries of it in one answer count as one."""
    values: dict[str, float | None] = {}
    failed: dict[str, int] = {}
    for metric in metrics:
        # Scores of a page that is listed twice are averaged; its shares of the words add up.
        combine: Callable[[list[float]], float] = sum if metric == SHARE else fmean
        known = [
            combine(numbers)
            for pages in answers
            if (numbers := [v for page in pages if (v := page.values.get(metric)) is not None])
        ]
        values[metric] = fmean(known) if known else None
        failed[metric] = sum(metric in page.failed for pages in answers for page in pages)
    cited = any(page.cited for pages in answers for page in pages)
    return Side(answers[0][0], values, failed, cited, len(answers))


def figure(
    metric: str,
    sources: Sequence[SourcePair],
    unit: Callable[[SourcePair], Hashable],
    *,
    with_interval: bool = True,
    averaged: bool = True,
) -> Figure:
    """One metric over many sources; with ``averaged``, what shares a unit counts once."""
    both: dict[Hashable, list[tuple[float, float]]] = defaultdict(list)
    old_only: dict[Hashable, list[float]] = defaultdict(list)
    new_only: dict[Hashable, list[float]] = defaultdict(list)
    for source in sources:
        old = source.before.values[metric] if source.before else None
        new = source.after.values[metric] if source.after else None
        if old is not None and new is not None:
            both[unit(source)].append((old, new))
        elif old is not None and source.after is None:
            old_only[unit(source)].append(old)
        elif new is not None and source.before is None:
            new_only[unit(source)].append(new)
    counts = _counts(metric, sources)
    of = len({unit(source) for source in sources})
    if not both:
        # Only a source that came or went altogether is described by its one side.
        before = None if new_only else _mean(old_only, averaged)
        after = None if old_only else _mean(new_only, averaged)
        return Figure(before, after, None, 0, of, *counts)
    groups = list(both.values())
    if averaged:
        groups = [[(fmean(o for o, _ in group), fmean(n for _, n in group))] for group in groups]
    gaps = [[new - old for old, new in group] for group in groups]
    return Figure(
        fmean(old for group in groups for old, _ in group),
        fmean(new for group in groups for _, new in group),
        mean_interval(gaps) if with_interval else None,
        len(groups),
        of,
        *counts,
    )


def _mean(groups: Mapping[Hashable, list[float]], averaged: bool) -> float | None:
    if not groups:
        return None
    values: Iterable[float] = (v for group in groups.values() for v in group)
    return fmean([fmean(group) for group in groups.values()] if averaged else values)


def _counts(metric: str, sources: Sequence[SourcePair]) -> tuple[tuple[int, int], tuple[int, int]]:
    """Failed judgments and answers that list the source without citing it, on both sides."""
    before = [source.before for source in sources if source.before]
    after = [source.after for source in sources if source.after]
    failed = (sum(s.failed[metric] for s in before), sum(s.failed[metric] for s in after))
    return failed, (sum(not s.cited for s in before), sum(not s.cited for s in after))
