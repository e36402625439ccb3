"""Content: a reading of an answer as arrays, ready for features of all its sources at once.

Rows are statements, terms or sources. Nothing here knows the order of the statements, their
layout or the numbers of the sources beyond telling them apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citemark.judges.embedded.lexicon import lexicon
from citemark.judges.embedded.statements import Reading
from citemark.judges.embedded.static import StaticEmbedder
from citemark.judges.embedded.units import COMMON_WEIGHT, Unit, terms_with_words

Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]
Places = NDArray[np.intp]

_LEAST_RARITY = 0.1
_EMPTY_UNIT, _FULL_UNIT = 0.8, 3.0
_RARE = 0.6
_LONG_QUERY = 64
"""Of a longer query, so many terms are looked at: the rarest."""
_AT_ONCE = 1 << 21
"""No array that is only made in passing has more elements than about this."""
TRAITS = (
    "numbers",
    "years",
    "percents",
    "names",
    "acronyms",
    "quotes",
    "joints",
    "hedges",
    "generic",
    "causes",
    "contrasts",
    *lexicon().cues,
)


@dataclass(frozen=True, slots=True)
class Asked:
    """The query as arrays: its terms, what they weigh, and its vector."""

    words: tuple[str, ...]
    weights: Floats
    """How much each term says: by its rarity."""
    vectors: Floats
    """Of length 1 each."""
    vector: Floats


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


@dataclass(frozen=True, slots=True)
class Content:
    """The statements of an answer (u), its terms and its sources (s)."""

    sources: tuple[int, ...]
    credit: Floats
    """(s, u): 1 for a marked sentence, less for a marked block, 0 for none."""
    owns: Floats
    """(s, u): 1 where there is any credit."""
    entries: tuple[Places, Places]
    """Source and statement of every credit, by source."""
    starts: Places
    """Where the entries of each source begin: (s,)."""
    crowd: Floats
    """(u,): how many sources are cited for a statement."""
    split: Floats
    """(u,): the part of each of them."""
    cited: Flags
    mass: Floats
    """(u,): by common and rarer words."""
    info: Floats
    """(u,): by the rarity of the words."""
    rare: Floats
    """(u,): how rare its words are on average."""
    hard: Floats
    """(u,): how hard its words are to guess on average."""
    substance: Floats
    """(u,): 0 for a statement that hardly says anything, 1 for a full one."""
    part: Floats
    sentences: tuple[Places, Places]
    """Sentence (n) and statement of every place where a sentence says a statement, by sentence."""
    marked: Flags
    """(s, n): whether a source is cited in a sentence."""
    terms: Terms
    embedded: Floats
    """(u, d), of length 1 each."""
    alike: Floats
    """(u, u): cosine of the embeddings, not below 0."""
    lexical: Floats
    """(u, u): cosine of the weighted terms."""
    apart: Floats
    """(u, u): cosine of the weighted terms that are not the query's."""
    traits: Floats
    """(u, TRAITS)."""
    query: Asked


def parts(count: int, each: int) -> Iterator[slice]:
    """Slices of a number of rows, so that no slice has too many elements: ``each`` per row."""
    step = max(1, _AT_ONCE // max(1, each))
    return (slice(i, min(i + step, count)) for i in range(0, count, step))


def ask(query: str, embedder: StaticEmbedder) -> tuple[Asked, dict[str, str]]:
    """Read a query; its terms with their words too."""
    terms = terms_with_words(query)
    if len(terms) > _LONG_QUERY:
        rarest = sorted(terms, key=lambda t: (-embedder.word(terms[t]).rarity, t))[:_LONG_QUERY]
        terms = {term: terms[term] for term in rarest}
    known = [embedder.word(word) for word in terms.values()]
    rows = embedder.vectors(known)
    rarity = np.array([word.rarity for word in known], dtype=np.float32)
    weights = np.maximum(rarity, np.float32(_LEAST_RARITY))
    return Asked(tuple(terms.values()), weights, unit_rows(rows), unit(rows.sum(0))), terms


def content_of(reading: Reading, query: str, embedder: StaticEmbedder) -> Content:
    """The arrays of a reading; it must have at least one statement with a source."""
    statements = reading.statements
    asked, asked_terms = ask(query, embedder)
    terms, raw = _terms(reading, asked, asked_terms, embedder)
    credit, sources = _credit(reading)
    sentences, marked = _sentences(reading, sources)
    mass = np.array([statement.unit.mass for statement in statements], dtype=np.float32)
    per_term = np.empty((len(raw), raw.shape[1] + 3), dtype=np.float32)
    per_term[:, :-3] = raw
    per_term[:, -3] = np.maximum(terms.rarity, _LEAST_RARITY)
    per_term[:, -2] = np.maximum(terms.rarity - _RARE, 0)
    per_term[:, -1] = terms.hard
    sums = np.zeros((len(statements), per_term.shape[1]), dtype=np.float32)
    lexical = np.zeros((len(statements), len(statements)), dtype=np.float32)
    apart = np.zeros_like(lexical)
    heavy = np.sqrt(terms.weight * np.maximum(terms.rarity, _LEAST_RARITY))
    kept = terms.weight * (1 - terms.asked)
    for block, holds in terms.blocks():
        sums += holds @ per_term[block]
        lexical += _gram(holds * heavy[block])
        apart += _gram(holds * kept[block])
    embedded = unit_rows(sums[:, :-3])
    sizes = np.asarray(np.diff(terms.starts, append=len(terms.rows)) + 2, dtype=np.float32)
    owns = credit > 0
    entries = np.nonzero(owns)
    return Content(
        sources=sources,
        credit=credit,
        owns=owns.astype(np.float32),
        entries=(entries[0], entries[1]),
        starts=np.searchsorted(entries[0], np.arange(len(sources))),
        crowd=owns.sum(0, dtype=np.float32),
        split=1 / np.maximum(credit.sum(0), 1),
        cited=np.asarray(owns.any(0)),
        mass=mass,
        info=sums[:, -3],
        rare=np.asarray(sums[:, -2] / sizes, dtype=np.float32),
        hard=np.asarray(sums[:, -1] / sizes, dtype=np.float32),
        substance=np.clip((mass - _EMPTY_UNIT) / (_FULL_UNIT - _EMPTY_UNIT), 0, 1),
        part=np.array([statement.part for statement in statements], dtype=np.float32),
        sentences=sentences,
        marked=marked,
        terms=terms,
        embedded=embedded,
        alike=np.maximum(_gram(embedded), 0),
        lexical=_cosines(lexical),
        apart=_cosines(apart),
        traits=np.array([_traits(statement.unit) for statement in statements], dtype=np.float32),
        query=asked,
    )


def unit(vector: Floats) -> Floats:
    """A vector at length 1; one without length stays."""
    return np.asarray(vector / max(float(np.sqrt(vector @ vector)), 1e-9), dtype=np.float32)


def unit_rows(rows: NDArray[np.floating[Any]]) -> Floats:
    """Every row at length 1."""
    norms = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    return np.asarray(rows / np.maximum(norms, 1e-9)[:, None], dtype=np.float32)


def _gram(rows: Floats) -> Floats:
    return np.asarray(rows @ rows.T)


def _cosines(gram: Floats) -> Floats:
    """The cosines of some rows, from their inner products."""
    norms = np.maximum(np.sqrt(gram.diagonal()), np.float32(1e-9))
    return np.asarray(gram / norms / norms[:, None], dtype=np.float32)


def _terms(
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


def _credit(reading: Reading) -> tuple[Floats, tuple[int, ...]]:
    sources = tuple(sorted(reading.by_source))
    place = {source: i for i, source in enumerate(sources)}
    credit = np.zeros((len(sources), len(reading.statements)), dtype=np.float32)
    for u, statement in enumerate(reading.statements):
        for source, value in statement.credit.items():
            credit[place[source], u] = value
    return credit, sources


def _sentences(reading: Reading, sources: tuple[int, ...]) -> tuple[tuple[Places, Places], Flags]:
    pairs = sorted((n, u) for u, one in enumerate(reading.statements) for n in one.sentences)
    place: dict[int, int] = {}
    rows = [place.setdefault(n, len(place)) for n, _ in pairs]
    marked = np.zeros((len(sources), len(place)), dtype=np.bool_)
    for s, source in enumerate(sources):
        marked[s, [place[n] for n in reading.spoken[source].sentences if n in place]] = True
    return (np.array(rows, dtype=np.intp), np.array([u for _, u in pairs], dtype=np.intp)), marked


def _traits(one: Unit) -> tuple[int, ...]:
    return (
        one.numbers,
        one.years,
        one.percents,
        one.names,
        one.acronyms,
        one.quotes,
        one.joints,
        one.hedges,
        one.generic,
        one.causes,
        one.contrasts,
        *one.cues,
    )
