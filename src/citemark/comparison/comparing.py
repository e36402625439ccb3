"""Two sides put against each other: rows by source, domain or case, the total, the remarks."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from citemark.comparison.differences import Figure, SourcePair, Status, figure, source_pairs
from citemark.comparison.matching import By, CasePair, Matches, match_cases
from citemark.comparison.remarks import Remark, chosen_metrics, remarks_on
from citemark.comparison.scorecards import OVERALL, Card
from citemark.errors import UsageError
from citemark.manifest import counted

_ORDER: tuple[Status, ...] = ("both", "new", "gone")


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a comparison: a source, a domain, a case, or the total."""

    key: str
    name: str
    url: str | None
    status: Status
    case: str | None
    """The only case that the row is about: by number, a source means nothing elsewhere."""
    figures: Mapping[str, Figure]
    sources: int
    only: tuple[int, int] = (0, 0)
    """In how many pairs the source is there only before, and only after."""

    @property
    def n(self) -> int:
        """Over how many the fullest of the figures is."""
        if self.status != "both":
            return max((figure.of for figure in self.figures.values()), default=0)
        return max((figure.n for figure in self.figures.values()), default=0)


@dataclass(frozen=True, slots=True)
class ComparedCase:
    """One pair of cases: its sources, a row for each, and the mean over them."""

    pair: CasePair
    sources: tuple[SourcePair, ...]
    rows: tuple[Row, ...]
    mean: Row


@dataclass(frozen=True, slots=True)
class Comparison:
    """All differences between two sides."""

    by: By
    metrics: tuple[str, ...]
    rows: tuple[Row, ...]
    total: Row
    cases: tuple[ComparedCase, ...]
    matches: Matches
    remarks: tuple[Remark, ...]
    hidden: int = 0

    @property
    def queries(self) -> int:
        """How many different queries were compared."""
        return len({source.query for case in self.cases for source in case.sources})

    @property
    def unit(self) -> str:
        """What ``n`` counts in the rows."""
        return "source" if self.by == "case" else "query"

    @property
    def failed(self) -> tuple[int, int]:
        """How many judgments in the matched cases had failed, before and after."""
        return _failures(self.matches.pairs, self.metrics)


def compare_cards(
    before: Sequence[Card],
    after: Sequence[Card],
    *,
    metrics: Sequence[str] | None = None,
    by: By = "source",
    min_n: int = 0,
    matches: Matches | None = None,
) -> Comparison:
    """Compare the scorecards of two sides, matched by case and by source.

    ``metrics`` may name metrics, ``overall`` and ``share``; rows over fewer than ``min_n``
    are left out (the total has them all). ``matches`` says what belongs together, where
    that is known already.
    """
    matches = matches or match_cases(before, after)
    chosen, unknown, remarks = chosen_metrics(before, after, metrics)
    if unknown:
        has = ", ".join(chosen_metrics(before, after, None)[0])
        raise UsageError(f'no metric "{unknown[0]}" on both sides; they have: {has}')
    cases = tuple(_case(pair, chosen, "source") for pair in matches.pairs)
    if by == "case":
        rows = [case.mean for case in cases]
    elif by == "domain":
        sites = [source_pairs(pair, chosen, "domain") for pair in matches.pairs]
        rows = [replace(row, name=row.key, url=None) for row in _rows(sites, chosen)]
    else:
        rows = _rows([case.sources for case in cases], chosen)
    rows.sort(key=lambda row: _rank(row, chosen))
    kept = tuple(row for row in rows if row.n >= min_n)
    found = [*remarks_on(before, after, matches), *remarks, *_numbered(cases)]
    found += _failed(_failures(matches.pairs, chosen))
    if len(kept) < len(rows):
        gone = counted(len(rows) - len(kept), "row")
        found.append(Remark("note", f"{gone} over fewer than {min_n} left out (--min-n {min_n})"))
    return Comparison(
        by=by,
        metrics=tuple(chosen),
        rows=kept,
        total=_total(cases, chosen),
        cases=cases,
        matches=matches,
        remarks=tuple(sorted(found, key=lambda remark: remark.level != "warning")),
        hidden=len(rows) - len(kept),
    )


def _case(pair: CasePair, metrics: Sequence[str], by: By) -> ComparedCase:
    sources = source_pairs(pair, metrics, by)
    rows = [_row(name_of(s), [s], metrics, unit="source", with_interval=False) for s in sources]
    return ComparedCase(pair, tuple(sources), tuple(rows), _mean_row(pair, sources, metrics))


def name_of(source: SourcePair) -> str:
    """The name of a source beyond its own case: a bare number needs the case beside it."""
    return source.name if isinstance(source.name, str) else f"{source.case} [{source.name}]"


def _rows(cases: Iterable[Sequence[SourcePair]], metrics: Sequence[str]) -> list[Row]:
    """A row per source, or domain, over all cases that have it."""
    same: dict[str, list[SourcePair]] = defaultdict(list)
    for sources in cases:
        for source in sources:
            same[name_of(source)].append(source)
    return [_row(key, sources, metrics, unit="query") for key, sources in same.items()]


def _mean_row(pair: CasePair, sources: Sequence[SourcePair], metrics: Sequence[str]) -> Row:
    """The mean over the sources of one case, for which there is no interval over queries."""
    figures = {metric: figure(metric, sources, name_of, with_interval=False) for metric in metrics}
    only = _only(sources)
    return Row(pair.case, pair.query, None, "both", pair.case, figures, len(sources), only)


def _row(
    key: str,
    sources: Sequence[SourcePair],
    metrics: Sequence[str],
    *,
    unit: str,
    with_interval: bool = True,
) -> Row:
    figures = {
        metric: figure(
            metric,
            sources,
            name_of if unit == "source" else lambda source: source.query,
            with_interval=with_interval,
        )
        for metric in metrics
    }
    statuses = {source.status for source in sources}
    status: Status = statuses.pop() if len(statuses) == 1 else "both"
    page = sources[-1].page
    numbered = not isinstance(sources[0].name, str)
    return Row(
        key=key,
        name=(page.title or f"source {page.n}") if numbered else page.title or key,
        url=page.url,
        status=status,
        case=sources[0].case if numbered else None,
        figures=figures,
        sources=len(sources),
        only=_only(sources),
    )


def _only(sources: Sequence[SourcePair]) -> tuple[int, int]:
    statuses = Counter(source.status for source in sources)
    return statuses["gone"], statuses["new"]


def _total(cases: Sequence[ComparedCase], metrics: Sequence[str]) -> Row:
    sources = [source for case in cases for source in case.sources]
    figures = {
        metric: figure(metric, sources, lambda source: source.query, averaged=False)
        for metric in metrics
    }
    return Row("", "all sources", None, "both", None, figures, len(sources), _only(sources))


def _rank(row: Row, metrics: Sequence[str]) -> tuple[Any, ...]:
    """Sources on both sides first, those whose figure moved most on top."""
    main = OVERALL if OVERALL in metrics else metrics[0]
    found = row.figures.get(main)
    moved = abs(found.difference or 0) if found else 0
    return (_ORDER.index(row.status), -moved, -row.n, row.key)


def _numbered(cases: Sequence[ComparedCase]) -> Iterator[Remark]:
    numbered = sum(
        not isinstance(source.name, str) and source.status == "both"
        for case in cases
        for source in case.sources
    )
    if numbered:
        yield Remark(
            "note",
            f"{counted(numbered, 'source')} without key or URL matched by number, case by case",
        )


def _failures(pairs: Sequence[CasePair], metrics: Sequence[str]) -> tuple[int, int]:
    wanted = set(metrics) - {OVERALL}

    def count(cards: Sequence[Card]) -> int:
        return sum(len(page.failed & wanted) for card in cards for page in card.pages)

    return sum(count(p.before) for p in pairs), sum(count(p.after) for p in pairs)


def _failed(failures: tuple[int, int]) -> Iterator[Remark]:
    if any(failures):
        yield Remark(
            "note",
            f"failed judgments: {failures[0]} before, {failures[1]} after; "
            "they are left out, not counted as numbers",
        )
