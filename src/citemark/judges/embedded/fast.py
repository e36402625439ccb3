"""``embedded:fast``: a fitted model on features of the text, for bulk work."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from citemark.citations import ParsedAnswer
from citemark.judges.embedded.evidence import Exhibits, Trait
from citemark.judges.embedded.fast_model import fast_model
from citemark.judges.embedded.feature_table import feature_table
from citemark.judges.embedded.judgments import Given, Sheet, Tier
from citemark.judges.embedded.match import read_query
from citemark.judges.embedded.overlap import overlap_of
from citemark.judges.embedded.standing import standing_of
from citemark.judges.embedded.statements import read

TIER = "embedded:fast"


class FastJudge(Tier):
    """The judge for bulk work: a model fitted to an LLM judge, on features of the text."""

    name = TIER
    signature = "embedded:fast/8"

    def _judgments(
        self, answer: ParsedAnswer, query: str, sources: Sequence[int], wanted: Sequence[Sheet]
    ) -> Given:
        reading, asked = read(answer, query), read_query(query)
        table = feature_table(reading, query)
        found: dict[int, list[float]] = {}
        if table.sources:
            standing = standing_of(answer, reading, table.sources)
            levels = fast_model().levels(table.values, standing).tolist()
            found.update(zip(table.sources, levels, strict=True))
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
