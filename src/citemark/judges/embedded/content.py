"""Content: a reading of an answer as arrays, ready for features of all its sources at once.

Rows are statements, terms or sources. Nothing here knows the order of the statements, their
layout or the numbers of the sources beyond telling them apart.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from citemark.judges.embedded.asked import LEAST_RARITY, Asked, ask
from citemark.judges.embedded.lexicon import lexicon
from citemark.judges.embedded.statements import Reading
from citemark.judges.embedded.static import StaticEmbedder
from citemark.judges.embedded.term_table import Terms, term_table
from citemark.judges.embedded.units import Unit
from citemark.judges.embedded.vectors import Flags, Floats, Places, cosines, gram, unit_rows

_EMPTY_UNIT, _FULL_UNIT = 0.8, 3.0
_RARE = 0.6
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


def content_of(reading: Reading, query: str, embedder: StaticEmbedder) -> Content:
    """The arrays of a reading; it must have at least one statement with a source."""
    statements = reading.statements
    asked, asked_terms = ask(query, embedder)
    terms, raw = term_table(reading, asked, asked_terms, embedder)
    credit, sources = _credit(reading)
    mass = np.array([statement.unit.mass for statement in statements], dtype=np.float32)
    per_term = np.empty((len(raw), raw.shape[1] + 3), dtype=np.float32)
    per_term[:, :-3] = raw
    per_term[:, -3] = np.maximum(terms.rarity, LEAST_RARITY)
    per_term[:, -2] = np.maximum(terms.rarity - _RARE, 0)
    per_term[:, -1] = terms.hard
    sums = np.zeros((len(statements), per_term.shape[1]), dtype=np.float32)
    lexical = np.zeros((len(statements), len(statements)), dtype=np.float32)
    apart = np.zeros_like(lexical)
    heavy = np.sqrt(terms.weight * np.maximum(terms.rarity, LEAST_RARITY))
    kept = terms.weight * (1 - terms.asked)
    for block, holds in terms.blocks():
        sums += holds @ per_term[block]
        lexical += gram(holds * heavy[block])
        apart += gram(holds * kept[block])
    embedded = unit_rows(sums[:, :-3])
    sizes = np.asarray(np.bincount(terms.rows, minlength=len(statements)) + 2, dtype=np.float32)
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
        substance=np.minimum(np.maximum((mass - _EMPTY_UNIT) / (_FULL_UNIT - _EMPTY_UNIT), 0), 1),
        terms=terms,
        embedded=embedded,
        alike=np.maximum(gram(embedded), 0),
        lexical=cosines(lexical),
        apart=cosines(apart),
        traits=np.array([_traits(statement.unit) for statement in statements], dtype=np.float32),
        query=asked,
    )


def _credit(reading: Reading) -> tuple[Floats, tuple[int, ...]]:
    sources = tuple(sorted(reading.by_source))
    place = {source: i for i, source in enumerate(sources)}
    credit = np.zeros((len(sources), len(reading.statements)), dtype=np.float32)
    for u, statement in enumerate(reading.statements):
        for source, value in statement.credit.items():
            credit[place[source], u] = value
    return credit, sources


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
