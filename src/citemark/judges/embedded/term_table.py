"""The term table: the different terms of an answer, what they weigh, and who holds them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from citemark.judges.embedded.asked import Asked
from citemark.judges.embedded.lexicon import lexicon
from citemark.judges.embedded.statements import Reading
from citemark.judges.embedded.static import StaticEmbedder
from citemark.judges.embedded.terms import COMMON_WEIGHT
from citemark.judges.embedded.vectors import Floats, Places, parts, unit_rows


@dataclass(frozen=True, slots=True)
class Terms:
    """The different terms of an answer (t), and which statements (u) hold them."""

    weight: Floats
    """What a term weighs, by being common or rarer: (t,)."""
    rarity: Floats
    pieces: Floats
    asked: Floats
    """1 for a term of the query: (t,)."""
    near: Floats
    """How near a term is to each term of the query: (t, q), 1 for the same word."""
    hard: Floats
    """How hard a term is to guess from the query: rare and far from it: (t,)."""
    rows: Places
    columns: Places
    """Statement and term of every place where a statement holds a term, by statement."""
    starts: Places
    """Where the places of each statement begin: (u,)."""

    def blocks(self) -> Iterator[tuple[slice, Floats]]:
        """The terms, some at a time, and for these (u, some): 1 where a statement holds one."""
        for part in parts(len(self.weight), len(self.starts)):
            rows, columns = self.rows, self.columns
            if part.stop - part.start < len(self.weight):
                inside = (columns >= part.start) & (columns < part.stop)
                rows, columns = rows[inside], columns[inside] - part.start
            holds = np.zeros((len(self.starts), part.stop - part.start), dtype=np.float32)
            holds[rows, columns] = 1
            yield part, holds


def term_table(
    reading: Reading, asked: Asked, asked_terms: dict[str, str], embedder: StaticEmbedder
) -> tuple[Terms, Floats]:
    """The terms of a reading, and their vectors."""
    place: dict[str, int] = {}
    words: list[str] = []
    columns: list[int] = []
    counts: list[int] = []
    for statement in reading.statements:
        counts.append(len(statement.unit.terms))
        for term, word in zip(statement.unit.terms, statement.unit.plain, strict=True):
            t = place.setdefault(term, len(words))
            if t == len(words):
                words.append(word)
            elif word < words[t]:
                words[t] = word  # one form for all, whichever comes first
            columns.append(t)
    known = list(map(embedder.word, words))
    raw = embedder.vectors(known)
    rarity = np.array([word.rarity for word in known], dtype=np.float32)
    common = lexicon().common
    weights = [COMMON_WEIGHT if term in common else 1.0 for term in place]
    near = np.maximum(unit_rows(raw) @ asked.vectors.T, 0)
    ends = np.cumsum(np.array(counts, dtype=np.intp))
    found = Terms(
        weight=np.array(weights, dtype=np.float32),
        rarity=rarity,
        pieces=np.array([len(word.pieces) for word in known], dtype=np.float32),
        asked=np.array([term in asked_terms for term in place], dtype=np.float32),
        near=near,
        hard=rarity * (1 - near.max(1)) if asked.words else rarity,
        rows=np.repeat(np.arange(len(counts)), counts),
        columns=np.array(columns, dtype=np.intp),
        starts=np.asarray(ends - counts, dtype=np.intp),
    )
    return found, raw
