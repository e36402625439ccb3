"""What is asked and read together: the unit that every mode makes of a case."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from citemark.citations import Problem
from citemark.judges.llm.request import Reply, Request
from citemark.scorecard import Judgment

TOP_LOGPROBS = 20
"""How many alternatives of a token are asked for: as many as endpoints give."""

Place = tuple[int, str]
"""A source and a metric."""


@dataclass(frozen=True, slots=True)
class Asking:
    """How requests are made: what the user chose and what the endpoint takes."""

    mode: str = "subscores"
    temperature: float | None = 0.0
    seed: int | None = None
    samples: int = 8
    schema: bool = True
    logprobs: bool = False
    prefill: bool = False
    grammar: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read from the replies of a unit: judgments, and what looked odd about them."""

    judgments: Mapping[Place, Judgment]
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Unit:
    """What is asked and read together. ``more`` asks on, where the first replies call for it."""

    places: tuple[Place, ...]
    requests: tuple[Request, ...]
    read: Callable[[Sequence[Reply]], Reading]
    more: Callable[[Sequence[Reply]], tuple[Request, ...]] = lambda _: ()
