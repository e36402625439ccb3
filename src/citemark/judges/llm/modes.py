"""The ways to ask an LLM for scores: each makes requests from a case and reads the replies.

A mode turns the work on one case into units. Reading is pure, so that stored replies can
be read again by a better reader.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from citemark.errors import UsageError
from citemark.judges.llm.units import Asking, Unit
from citemark.judges.protocol import Work
from citemark.rubrics import Rubric


def units(work: Work, asking: Asking) -> Iterator[Unit]:
    """The units of one case in the chosen mode."""
    if asking.mode in ("panel", "sheet"):
        yield from _together(work, asking)
    else:
        one = _by_metric(asking.mode)
        for source in work.sources:
            for rubric in work.rubrics:
                yield one(work, asking, source, rubric)


def _by_metric(mode: str) -> Callable[[Work, Asking, int, Rubric], Unit]:
    """Makes the unit of one source by one metric; the other modes' readers are not loaded."""
    if mode == "subscores":
        from citemark.judges.llm.structured import subscores

        return subscores
    from citemark.judges.llm.one_number import one_number

    return one_number


def _together(work: Work, asking: Asking) -> Iterator[Unit]:
    """Units that ask for several metrics, or several sources, at once."""
    from citemark.judges.llm.structured import panel, sheet

    for rubric in work.rubrics:
        if rubric.text is not None:
            raise UsageError(
                f"{rubric.name} is a text rubric, which asks for one number: use --mode direct"
            )
    if asking.mode == "panel":
        for source in work.sources:
            yield panel(work, asking, source)
    elif work.sources:
        yield sheet(work, asking)
