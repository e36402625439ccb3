"""The laws: which change of an answer may do what to which score, and by which rubric's word."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from citemark.rubrics import DEFAULT_METRICS, rubric
from training.discipline.transformations import NAMES

Rule = Literal["stay", "not rise", "fall"]
ALL = "all five"
"""The measure of a law about appearance: every metric of every source."""
USUAL = 0.95
"""The share of trials in which a law must be kept, unless floors.toml says otherwise."""


@dataclass(frozen=True, slots=True)
class Law:
    """What a transformation must do to one measure: a metric, a sub-score, or all five."""

    transformation: str
    rule: Rule
    measure: str
    line: str = ""
    """The exclusion of the rubric that it stands for, word by word, if it stands for one."""
    general: bool = False
    """Whether it is also one of the laws that hold whatever the rubrics say."""

    @property
    def name(self) -> str:
        """The law in a few words, such as ``padded: count must not rise``."""
        return f"{self.transformation}: {self.measure} must {self.rule}"


@cache
def laws() -> tuple[Law, ...]:
    """Every law: those of appearance and substance, then one or more per exclusion line."""
    data = tomllib.loads((Path(__file__).parent / "laws.toml").read_text(encoding="utf-8"))
    found: dict[tuple[str, str], Law] = {}
    for entry in data["general"]:
        for measure in entry["measures"]:
            law = Law(entry["transformation"], entry["rule"], measure, general=True)
            found[law.transformation, law.measure] = law
    for entry in data["exclusion"]:
        for name in entry["transformations"]:
            key = (name, entry["metric"])
            found[key] = Law(name, "not rise", entry["metric"], entry["line"], key in found)
    return tuple(found.values())


def metric_of(measure: str) -> str:
    """The metric that a measure belongs to: itself, or that of the sub-score."""
    if measure in DEFAULT_METRICS:
        return measure
    return next(name for name in DEFAULT_METRICS if measure in rubric(name).ids)


def transformations_of(chosen: tuple[Law, ...]) -> tuple[str, ...]:
    """The transformations that some laws need, in their usual order."""
    needed = {law.transformation for law in chosen}
    return tuple(name for name in NAMES if name in needed)


@cache
def floors(judge: str) -> dict[tuple[str, str], float]:
    """The rates that are asked of a judge where it falls short of the usual one, by law."""
    data = tomllib.loads((Path(__file__).parent / "floors.toml").read_text(encoding="utf-8"))
    pairs = data.get(judge, {}).items()
    return {(name, measure): rate for name, rates in pairs for measure, rate in rates.items()}


def asked(law: Law, judge: str) -> float:
    """The share of trials in which a judge must keep a law."""
    return floors(judge).get((law.transformation, law.measure), USUAL)
