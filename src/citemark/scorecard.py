"""The scorecard: what came out for one case, source by source, and how it was made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from citemark._version import __version__
from citemark.case import Case
from citemark.citations import PARSER_VERSION, ParsedAnswer, Problem
from citemark.impression import Impression
from citemark.rubrics import DEFAULT_METRICS, Rubric, score_of

SCHEMA = 1
"""The version of the scorecard's form; it changes when a reader would have to."""

Status = Literal["scored", "not_cited", "failed"]
Reason = Literal[
    "refused",
    "truncated",
    "not_a_score",
    "off_scale",
    "too_long",
    "timeout",
    "provider_error",
    "budget",
    "not_in_store",
    "interrupted",
]


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that a score depends on besides the case; the signature is made from it."""

    judge: str
    mode: str | None
    rubrics: tuple[Rubric, ...]
    parser: int = PARSER_VERSION
    citemark: str = __version__

    @property
    def signature(self) -> str:
        """One line that says exactly how a score was made: every setting, in a fixed order."""
        parts = []
        for setting in fields(self):
            value = getattr(self, setting.name)
            if isinstance(value, tuple):
                value = "+".join(rubric.signature for rubric in value)
            if value is not None:
                parts.append(f"{setting.name}:{value}")
        return "|".join(parts)


@dataclass(frozen=True, slots=True)
class Judgment:
    """One judge's outcome for one source and one metric.

    A judgment is ``scored``, ``not_cited`` or ``failed``; one that failed has a reason and
    no number at all.
    """

    status: Status
    score: int | None = None
    expected: float | None = None
    interval: tuple[int, int] | None = None
    band: str | None = None
    subscores: Mapping[str, int] | None = None
    evidence: Mapping[str, tuple[int, ...]] | None = None
    samples: tuple[int, ...] | None = None
    coverage: float | None = None
    reason: Reason | None = None

    @classmethod
    def of(
        cls,
        rubric: Rubric,
        levels: Mapping[str, int],
        *,
        expected: float | None = None,
        interval: tuple[int, int] | None = None,
        evidence: Mapping[str, tuple[int, ...]] | None = None,
    ) -> Judgment:
        """A scored judgment from five sub-scores: the sum and the band are made here."""
        score = score_of(levels.values())
        return cls(
            status="scored",
            score=score,
            expected=float(score) if expected is None else expected,
            interval=interval,
            band=rubric.band(score),
            subscores=levels,
            evidence=evidence,
        )

    @classmethod
    def not_cited(cls, rubric: Rubric) -> Judgment:
        """The judgment of a source that the answer never cites: the lowest score, unasked."""
        levels = dict.fromkeys(rubric.ids, 0)
        return cls(
            status="not_cited",
            score=1,
            expected=1.0,
            band=rubric.band(1),
            subscores=levels or None,
            evidence=dict.fromkeys(levels, ()) or None,
        )

    @classmethod
    def failed(cls, reason: Reason) -> Judgment:
        """A judgment that could not be had, and why."""
        return cls(status="failed", reason=reason)

    def to_dict(self) -> dict[str, Any]:
        """The judgment as plain data."""
        evidence = self.evidence
        return {
            "status": self.status,
            "score": self.score,
            "expected": self.expected,
            "interval": None if self.interval is None else list(self.interval),
            "band": self.band,
            "subscores": None if self.subscores is None else dict(self.subscores),
            "evidence": None if evidence is None else {k: list(v) for k, v in evidence.items()},
            "samples": None if self.samples is None else list(self.samples),
            "coverage": self.coverage,
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True)
class SourceCard:
    """One source of one answer: its judgments and its impression figures."""

    source: int
    key: str | None
    url: str | None
    title: str | None
    cited: bool
    scores: Mapping[str, Judgment]
    impression: Impression

    def __getattr__(self, metric: str) -> Judgment:
        """A judgment by the name of its metric: ``card[2].relevance``."""
        if metric.startswith("_") or metric not in self.scores:
            asked = ", ".join(self.scores) if not metric.startswith("_") else ""
            raise AttributeError(f"no metric {metric!r} on this card; it has: {asked}")
        return self.scores[metric]

    @property
    def overall(self) -> float | None:
        """The mean score over the default metrics that were asked for; None if one failed."""
        wanted = [self.scores[name] for name in DEFAULT_METRICS if name in self.scores]
        scores = [judgment.score for judgment in wanted if judgment.score is not None]
        if not wanted or len(scores) < len(wanted):
            return None
        return round(sum(scores) / len(scores), 2)

    def to_dict(self) -> dict[str, Any]:
        """The source as it stands in a scorecard."""
        return {
            "source": self.source,
            "key": self.key,
            "url": self.url,
            "title": self.title,
            "cited": self.cited,
            "scores": {name: judgment.to_dict() for name, judgment in self.scores.items()},
            "overall": self.overall,
            "impression": self.impression.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class Scorecard:
    """Everything about one case.

    >>> import citemark
    >>> card = citemark.score(query="Why is the sky blue?",
    ...     answer="Air scatters blue light about ten times more than red light [1]. [2] agrees.")
    >>> [source.source for source in card]
    [1, 2]
    >>> card[1].relevance.score == sum(card[1].relevance.subscores.values())
    True
    """

    case: Case
    answer: ParsedAnswer
    sources: tuple[SourceCard, ...]
    rubrics: tuple[Rubric, ...]
    judge: str
    mode: str | None
    signature: str
    found: tuple[Problem, ...] = ()
    """Problems that came up while judging, besides those of the answer itself."""
    _by_number: Mapping[int, SourceCard] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_number", {card.source: card for card in self.sources})

    def __getitem__(self, source: int) -> SourceCard:
        try:
            return self._by_number[source]
        except KeyError:
            known = ", ".join(map(str, self._by_number)) or "none"
            raise KeyError(f"no source {source} in this case; it has: {known}") from None

    def __iter__(self) -> Iterator[SourceCard]:
        return iter(self.sources)

    def __len__(self) -> int:
        return len(self.sources)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What looks wrong with the answer's citations."""
        return self.answer.problems + self.found

    @property
    def failed(self) -> int:
        """How many judgments of this case failed."""
        return sum(j.status == "failed" for card in self.sources for j in card.scores.values())

    def to_dict(self) -> dict[str, Any]:
        """The scorecard as plain data: what stands in one line of a ``.jsonl`` result."""
        case = self.case
        card: dict[str, Any] = {
            "schema": SCHEMA,
            "case": case.id,
            "query": case.query,
            "answer": case.answer,
            "tags": dict(case.tags),
        }
        card.update(case.ties())
        card.update(self.answer.to_dict())
        card["problems"] = [problem.to_dict() for problem in self.problems]
        card["sources"] = [source.to_dict() for source in self.sources]
        card.update(judge=self.judge, mode=self.mode, signature=self.signature)
        card.update((key, value) for key, value in case.extra.items() if key not in card)
        return card

    def rows(self) -> list[dict[str, Any]]:
        """The scorecard as flat rows for tables, one for each source."""
        return [self._row(source) for source in self.sources]

    def _row(self, source: SourceCard) -> dict[str, Any]:
        row: dict[str, Any] = {
            "case": self.case.id,
            "source": source.source,
            "key": source.key,
            "url": source.url,
            "title": source.title,
            "cited": source.cited,
        }
        for metric, judgment in source.scores.items():
            row[metric] = judgment.score
            row[f"{metric}_expected"] = judgment.expected
            row[f"{metric}_status"] = judgment.status
            row[f"{metric}_reason"] = judgment.reason
        for rubric in self.rubrics:
            levels = source.scores[rubric.name].subscores or {}
            row.update((identifier, levels.get(identifier)) for identifier in rubric.ids)
        row["overall"] = source.overall
        row.update(source.impression.to_row())
        row.update(judge=self.judge, mode=self.mode, signature=self.signature)
        row.update((f"tag_{name}", value) for name, value in self.case.tags.items())
        return row
