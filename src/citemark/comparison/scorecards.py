"""Results that were written before: the scorecards of a file, as far as they are compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from citemark.citations.urls import domain_of, normalised_url
from citemark.report.reading import checked, is_number, read_results

OVERALL, SHARE = "overall", "share"
"""What is compared besides the metrics: the mean of the scores, and the share of the words."""


@dataclass(frozen=True, slots=True)
class Page:
    """One source of one answer: what it is, and its figures."""

    n: int
    key: str | None
    url: str | None
    title: str | None
    cited: bool
    values: Mapping[str, float | None]
    """By metric, and ``overall`` and ``share``; None where the judgment failed."""
    failed: frozenset[str]

    @property
    def identity(self) -> str | None:
        """What names the same page in another answer: its key, else its URL."""
        return self.key or (normalised_url(self.url) if self.url else None)

    @property
    def domain(self) -> str | None:
        """The site that the page belongs to, if its address is known."""
        return domain_of(self.url) if self.url else None

    @property
    def name(self) -> str:
        """What a person calls the page."""
        return self.title or self.identity or f"source {self.n}"


@dataclass(frozen=True, slots=True)
class Card:
    """One scorecard: the case, its pages, and how the scores were made."""

    case: str
    query: str
    answer: str
    group: str | None
    variant: str | None
    repeat: int | None
    pages: tuple[Page, ...]
    metrics: tuple[str, ...]
    sentences: tuple[Mapping[str, Any], ...]
    judge: str
    mode: str | None
    signature: str

    @classmethod
    def from_dict(cls, given: Any) -> Card:
        """A card from plain data, as it stands in a results file."""
        data = checked(given)
        sources = data["sources"]
        metrics = dict.fromkeys(name for source in sources for name in source["scores"])
        return cls(
            case=str(data["case"]),
            query=data["query"],
            answer=str(data.get("answer") or ""),
            group=_text(data.get("group")),
            variant=_text(data.get("variant")),
            repeat=data["repeat"] if isinstance(data.get("repeat"), int) else None,
            pages=tuple(_page(source) for source in sources),
            metrics=tuple(metrics),
            sentences=tuple(data.get("sentences") or ()),
            judge=str(data.get("judge") or "unknown"),
            mode=_text(data.get("mode")),
            signature=str(data.get("signature") or ""),
        )


def _page(source: Mapping[str, Any]) -> Page:
    judgments: Mapping[str, Mapping[str, Any]] = source["scores"]
    values = {name: _number(judgment.get("score")) for name, judgment in judgments.items()}
    failed = {name for name, value in values.items() if value is None}
    values[OVERALL] = _number(source.get("overall"))
    impression = source.get("impression")
    share = impression.get("share") if isinstance(impression, dict) else None
    values[SHARE] = _number(share.get("word")) if isinstance(share, dict) else None
    if values[OVERALL] is None and failed:
        failed.add(OVERALL)
    return Page(
        n=source["source"],
        key=_text(source.get("key")),
        url=_text(source.get("url")),
        title=_text(source.get("title")),
        cited=bool(source.get("cited", True)),
        values=values,
        failed=frozenset(failed),
    )


def _number(value: Any) -> float | None:
    return float(value) if is_number(value) else None


def _text(value: Any) -> str | None:
    return None if value is None or value == "" else str(value)


def read_cards(path: str, on_error: Callable[[str], None]) -> Iterator[Card]:
    """The scorecards of a results file; a bad line is told to ``on_error`` and left out."""
    return map(Card.from_dict, read_results(path, on_error))
