"""The ways to ask an LLM for scores: each makes requests from a case and reads the replies.

A mode turns the work on one case into units. Reading is pure, so that stored replies can
be read again by a better reader.
"""

from __future__ import annotations

from collections.abc import Iterator

from citemark.errors import UsageError
from citemark.judges.llm.one_number import one_number
from citemark.judges.llm.structured import panel, sheet, subscores
from citemark.judges.llm.units import Asking, Unit
from citemark.judges.protocol import Work


def units(work: Work, asking: Asking) -> Iterator[Unit]:
    """The units of one case in the chosen mode."""
    if asking.mode in ("panel", "sheet"):
        for rubric in work.rubrics:
            if rubric.text is not None:
                raise UsageError(
                    f"{rubric.name} is a text rubric, which asks for one number: use --mode direct"
                )
    if asking.mode == "sheet":
        if work.sources:
            yield sheet(work, asking)
        return
    for source in work.sources:
        if asking.mode == "panel":
            yield panel(work, asking, source)
            continue
        for rubric in work.rubrics:
            if asking.mode == "subscores":
                yield subscores(work, asking, source, rubric)
            else:
                yield one_number(work, asking, source, rubric)
