"""The embedded judge: a small network and a feature model, fitted to a frontier LLM, offline."""

from __future__ import annotations

from collections.abc import Sequence

from citemark.citations import ParsedAnswer
from citemark.judges.embedded.judgments import Given, Sheet, Tier
from citemark.judges.embedded.weighing import Fall, Weighing

TIER = "embedded"
_MOST = 3
"""No level names more sentences than this."""
_NEXT = 0.5
"""A further sentence is named if at least this part of what rests on the first rests on it."""


class EmbeddedJudge(Tier):
    """The judge that needs nothing but the package: no key, no connection."""

    name = TIER
    signature = "embedded/11"

    def _judgments(
        self, answer: ParsedAnswer, query: str, sources: Sequence[int], wanted: Sequence[Sheet]
    ) -> Given:
        weighing = Weighing(answer, query)
        for source in sources:
            levels = weighing.levels.get(source)
            if levels is None:
                yield from ((source, page.rubric.name, page.nothing()) for page in wanted)
                continue
            falls = weighing.falls(source)
            for page in wanted:
                expected, given = page.levels(levels.tolist())
                shown = [
                    resting(falls, page.place + i) if level else () for i, level in enumerate(given)
                ]
                yield source, page.rubric.name, page.judgment(expected, given, shown)


def resting(falls: Sequence[Fall], level: int) -> tuple[int, ...]:
    """The one to three sentences on which a level rests most."""
    ranked = sorted(falls, key=lambda fall: (-fall.levels[level], fall.sentences))[:_MOST]
    if not ranked:
        return ()
    least = _NEXT * float(ranked[0].levels[level])
    named = [ranked[0], *(fall for fall in ranked[1:] if fall.levels[level] >= least > 0)]
    return tuple(sorted([n for fall in named for n in fall.sentences][:_MOST]))
