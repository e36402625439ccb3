"""The feature table: everything the fast judge knows about the sources of an answer.

All columns come from what is said and by whom. None knows where in the answer it is said, in
what layout, or under which number.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from citemark.judges.embedded.condensed import condensed
from citemark.judges.embedded.content import Content, content_of
from citemark.judges.embedded.detail import detail
from citemark.judges.embedded.disclaimers import NAMES as DISCLAIMERS
from citemark.judges.embedded.disclaimers import disclaimers
from citemark.judges.embedded.fit import fit
from citemark.judges.embedded.likeness import likeness
from citemark.judges.embedded.question import question
from citemark.judges.embedded.rivals import COMPARISONS, answer_level, compared
from citemark.judges.embedded.statements import Reading
from citemark.judges.embedded.static import StaticEmbedder, static_embedder
from citemark.judges.embedded.variety import variety
from citemark.judges.embedded.vectors import Floats
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
    # The linear algebra library now and then warns of invalid values that it finds beside small
    # matrices; whether any came of it is looked at below.
    with np.errstate(invalid="ignore"):
        tables = [table_of(content_of(r, query, embedder), query) for r in condensed(reading)]
    sources = tuple(source for table in tables for source in table.sources)
    values = np.concatenate([table.values for table in tables])
    if not np.isfinite(values).all():
        raise FloatingPointError("a feature of this answer is not a number")
    return FeatureTable(
        sources,
        (*tables[0].names, *DISCLAIMERS),
        np.hstack([values, disclaimers(reading, sources)]),
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
    matches = _matches(own, level)
    rows = _rows(own)
    blocks = [rows, compared(tuple(own), rows), _rows(matches)]
    names, kept = _kept((*own, *COMPARISONS, *matches))
    values = np.empty((len(c.sources), len(names) + len(level)), dtype=np.float32)
    values[:, : len(names)] = np.concatenate(blocks)[kept].T
    values[:, len(names) :] = list(level.values())
    return FeatureTable(c.sources, (*names, *level), values)


@lru_cache(maxsize=4)
def _kept(names: tuple[str, ...]) -> tuple[tuple[str, ...], list[int]]:
    """Each name once, and its row: of a name that comes again, the last one in the first place."""
    place = {name: i for i, name in enumerate(names)}
    return tuple(place), list(place.values())


def _rows(columns: dict[str, Floats]) -> Floats:
    """The columns, one under another: (names, sources)."""
    joined = np.concatenate(list(columns.values()), dtype=np.float32)
    return joined.reshape(len(columns), -1)


def _matches(columns: dict[str, Floats], level: dict[str, float]) -> dict[str, Floats]:
    """Whether a source brings the kind of thing that the query asks for."""
    return {
        "match_when": level["q_when"] * (columns["years"] + columns["numbers"]),
        "match_who": level["q_who"] * columns["names"],
        "match_amount": level["q_amount"] * columns["numbers"],
        "match_why": level["q_why"] * columns["causes"],
        "match_compare": level["q_compare"] * columns["contrasts"],
    }
