"""The metrics that results hold, in the order they turn up, with the wording of their rubrics."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from citemark.errors import RubricError
from citemark.report.reading import Plain
from citemark.rubrics import Rubric, rubric


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric as a report shows it; without a rubric only the names of its sub-scores."""

    name: str
    ids: tuple[str, ...] = ()
    rubric: Rubric | None = None

    def band(self, score: int) -> str | None:
        """The rubric's name for the range that a score lies in, if the rubric is known."""
        return self.rubric.band(score) if self.rubric else None

    def to_dict(self) -> dict[str, Any]:
        """The metric as the page carries it: every text once."""
        wording = self.rubric
        if wording is None:
            return {"summary": "", "ids": self.ids, "subscores": [], "bands": []}
        return {
            "title": wording.title,
            "summary": wording.summary,
            "ids": self.ids,
            "subscores": [
                {"id": s.id, "name": s.name, "levels": s.levels} for s in wording.subscores
            ],
            "bands": [[b.low, b.high, b.name, b.meaning] for b in wording.bands],
        }


class Metrics:
    """The metrics of a report; results of several runs may bring different ones."""

    def __init__(self, rubrics: Iterable[Rubric] = ()) -> None:
        self._given = {given.name: given for given in rubrics}
        self._metrics: dict[str, Metric] = {}

    @property
    def names(self) -> list[str]:
        """The metrics in the order they turned up."""
        return list(self._metrics)

    def __getitem__(self, name: str) -> Metric:
        return self._metrics[name]

    def note(self, card: Plain) -> None:
        """Take note of the metrics of one more card."""
        for source in card["sources"]:
            for name, judgment in source["scores"].items():
                known = self._metrics.get(name)
                if known is None or not (known.ids or known.rubric):
                    ids = tuple(judgment.get("subscores") or ())
                    self._metrics[name] = self._metric(name, ids)

    def _metric(self, name: str, ids: tuple[str, ...]) -> Metric:
        wording = self._given.get(name)
        if wording is None:
            try:
                wording = rubric(name)
            except RubricError:
                return Metric(name, ids)
        if ids and wording.ids != ids:  # another rubric of the same name made these scores
            return Metric(name, ids)
        return Metric(name, wording.ids, wording)

    def to_dict(self) -> dict[str, Any]:
        """Every metric by its name, as the page carries them."""
        return {name: metric.to_dict() for name, metric in self._metrics.items()}
