"""How a judge is asked and how it answers: the whole contract of a judge.

A judge is any object with a ``name``, a ``signature`` and an async ``judge`` method. It
is handed a stream of work, one item per case, and yields outcomes as they come, in any
order. A judge may take many cases before it yields (batched models, people), ask once
per case or once per metric, and never has to keep the order: whoever asked puts the
outcomes together again by ``work.number``.

A complete judge, which gives every sub-score the level 2:

    class Middling:
        name = "middling"
        signature = "middling/1"
        trust = "an example: it has not read the answer"

        async def judge(self, work):
            async for item in work:
                for source in item.sources:
                    for rubric in item.rubrics:
                        levels = {s.id: 2 for s in rubric.subscores}
                        yield Outcome(item.number, source, rubric.name, Judgment.of(rubric, levels))

A package offers it to ``--judge middling`` with an entry point in the group
``citemark.judges`` whose value is a callable that returns the judge.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from citemark.case import Case
    from citemark.citations import ParsedAnswer, Problem
    from citemark.rubrics import Rubric
    from citemark.scorecard import Judgment


@dataclass(frozen=True, slots=True)
class Work:
    """One case to be judged: these sources (all of them cited) by these rubrics."""

    number: int
    case: Case
    answer: ParsedAnswer
    sources: tuple[int, ...]
    rubrics: tuple[Rubric, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """A judge's answer for one source and one metric of the work with this number."""

    number: int
    source: int
    metric: str
    judgment: Judgment
    problems: tuple[Problem, ...] = ()
    """What looked odd about the judgment; it goes to the scorecard's problems."""


@runtime_checkable
class Judge(Protocol):
    """Whoever gives the scores."""

    name: str
    """What the scorecard calls the judge, such as ``embedded``."""
    signature: str
    """The judge with its version, for the signature of every score it gives."""
    trust: str
    """One line for people: how far to trust this judge."""

    def judge(self, work: AsyncIterator[Work]) -> AsyncIterator[Outcome]:
        """Judge every wanted source by every wanted rubric, yielding outcomes as they come."""
        ...
