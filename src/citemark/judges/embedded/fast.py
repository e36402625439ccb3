"""``embedded:fast``: a fitted model on features of the text, for bulk work."""

from __future__ import annotations

import tomllib
from collections.abc import AsyncIterator, Iterator, Sequence
from functools import cache
from importlib.resources import files

from citemark.citations import ParsedAnswer
from citemark.judges.embedded.evidence import Exhibits, Trait
from citemark.judges.embedded.fast_model import fast_model
from citemark.judges.embedded.feature_table import feature_table
from citemark.judges.embedded.judgments import Sheet, remarks_on, sheet
from citemark.judges.embedded.match import read_query
from citemark.judges.embedded.overlap import overlap_of
from citemark.judges.embedded.statements import read
from citemark.judges.embedded.trust import trust_of
from citemark.judges.protocol import Outcome, Work
from citemark.rubrics import Rubric
from citemark.scorecard import Judgment

TIER = "embedded:fast"


class FastJudge:
    """The judge for bulk work: a model fitted to an LLM judge, on features of the text."""

    name = TIER
    signature = "embedded:fast/2"

    def __init__(self) -> None:
        self.trust = trust_of(TIER)

    async def judge(self, work: AsyncIterator[Work]) -> AsyncIterator[Outcome]:
        """Judge every wanted source by every wanted rubric, case by case."""
        async for item in work:
            remarks = remarks_on(item.answer)
            for source, metric, judgment in judge_fast(
                item.answer, item.case.query, item.sources, item.rubrics, calibrated=not remarks
            ):
                yield Outcome(item.number, source, metric, judgment, remarks)
                remarks = ()


def judge_fast(
    answer: ParsedAnswer,
    query: str,
    sources: Sequence[int],
    rubrics: Sequence[Rubric],
    *,
    calibrated: bool = True,
) -> Iterator[tuple[int, str, Judgment]]:
    """The judgments of the wanted sources of one answer, as (source, metric, judgment)."""
    # At once, not when the first judgment is asked for: a wrong rubric is found here.
    wanted = [sheet(TIER, rubric, calibrated) for rubric in rubrics]
    return _judgments(answer, query, sources, wanted)


def _judgments(
    answer: ParsedAnswer, query: str, sources: Sequence[int], wanted: Sequence[Sheet]
) -> Iterator[tuple[int, str, Judgment]]:
    reading, asked = read(answer), read_query(query)
    table = feature_table(reading, query)
    levels = fast_model().levels(table.values).tolist() if table.sources else []
    found: dict[int, list[float]] = dict(zip(table.sources, levels, strict=True))
    overlap = overlap_of(reading)
    shown: dict[Trait, list[float]] = {}
    for source in sources:
        exhibits = Exhibits(source, reading, asked, overlap, shown)
        for page in wanted:
            if source not in found:
                yield source, page.rubric.name, page.nothing()
                continue
            expected, given = page.levels(found[source])
            shows = map(exhibits.sentences, [traits()[name] for name in page.ids], given)
            yield source, page.rubric.name, page.judgment(expected, given, shows)


@cache
def traits() -> dict[str, Trait]:
    """What a sentence must show to be evidence for a sub-score, by the sub-score's id."""
    text = (files("citemark.judges.embedded") / "evidence.toml").read_text(encoding="utf-8")
    return {name: Trait(trait) for name, trait in tomllib.loads(text).items()}
