"""The feature table: everything the fast judge knows about the sources of an answer.

All columns come from what is said and by whom. None knows where in the answer it is said, in
what layout, or under which number.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from citemark.judges.embedded.condensed import condensed
from citemark.judges.embedded.content import Content, Floats, content_of
from citemark.judges.embedded.detail import detail
from citemark.judges.embedded.fit import fit
from citemark.judges.embedded.likeness import likeness
from citemark.judges.embedded.question import question
from citemark.judges.embedded.rivals import answer_level, compared
from citemark.judges.embedded.statements import Reading
from citemark.judges.embedded.static import StaticEmbedder, static_embedder
from citemark.judges.embedded.variety import variety
from citemark.judges.embedded.vocabulary import vocabulary
from citemark.judges.embedded.voice import voice


@dataclass(frozen=True, slots=True)
class FeatureTable:
    """The features of the sources that are cited for anything that says something."""

    sources: tuple[int, ...]
    names: tuple[str, ...]
    values: Floats
    """(sources, names)."""


def feature_table(
    reading: Reading, query: str, embedder: StaticEmbedder | None = None
) -> FeatureTable:
    """The features of every source of an answer."""
    if not reading.by_source:
        return FeatureTable((), (), np.zeros((0, 0), dtype=np.float32))
    embedder = embedder or static_embedder()
    tables = [table_of(content_of(r, query, embedder), query) for r in condensed(reading)]
    if len(tables) == 1:
        return tables[0]
    return FeatureTable(
        tuple(source for table in tables for source in table.sources),
        tables[0].names,
        np.concatenate([table.values for table in tables]),
    )


def table_of(c: Content, query: str) -> FeatureTable:
    """The features of every source of an answer whose arrays are there already."""
    own = {
        **voice(c),
        **variety(c),
        **vocabulary(c),
        **likeness(c),
        **fit(c),
        **detail(c),
    }
    level = question(query, c.query) | answer_level(c)
    columns = {**own, **compared(own), **_matches(own, level)}
    values = np.empty((len(c.sources), len(columns) + len(level)), dtype=np.float32)
    joined = np.concatenate(list(columns.values()), dtype=np.float32)
    values[:, : len(columns)] = joined.reshape(len(columns), -1).T
    values[:, len(columns) :] = list(level.values())
    return FeatureTable(c.sources, (*columns, *level), values)


def _matches(columns: dict[str, Floats], level: dict[str, float]) -> dict[str, Floats]:
    """Whether a source brings the kind of thing that the query asks for."""
    return {
        "match_when": level["q_when"] * (columns["years"] + columns["numbers"]),
        "match_who": level["q_who"] * columns["names"],
        "match_amount": level["q_amount"] * columns["numbers"],
        "match_why": level["q_why"] * columns["causes"],
        "match_compare": level["q_compare"] * columns["contrasts"],
    }
