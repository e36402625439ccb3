"""Rivals: each source beside the others of its answer, and the answer as a whole."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from citemark.judges.embedded.content import TRAITS, Content
from citemark.judges.embedded.variety import effective, richness, sharp
from citemark.judges.embedded.vectors import Floats, parts

COMPARED = (
    "share",
    "reach",
    "sole",
    "shared_mass",
    "units",
    "units_split",
    "terms",
    "aspects_square",
    "aspects_apart",
    "clusters",
    "near",
    "near_lexical",
    "apart",
    "apart_emb",
    "only",
    "fallen",
    "lost",
    "lost_query",
    "covered",
    "covered_unit",
    "asked",
    "asked_best",
    "asked_mean",
    "numbers",
    "names",
    "particular",
    "rarity_new",
    "surprise_sum",
    "surprise_top",
    "causes",
    "generic_rate",
    "central",
    "central_most",
    "evidence",
    "advice",
    "items",
    "joints_rate",
)
_RANKED = (
    "share",
    "units_split",
    "terms",
    "clusters",
    "apart_emb",
    "only",
    "asked",
    "asked_best",
    "covered_unit",
    "particular",
    "surprise_sum",
    "surprise_top",
    "lost",
    "near",
)
_AVERAGED = (
    "share",
    "sole",
    "units",
    "terms",
    "aspects_apart",
    "near",
    "apart",
    "covered",
    "asked",
    "asked_best",
    "rarity_new",
    "surprise_top",
    "company",
    "particular",
)
_EQUAL = np.float32(5e-6)
"""Values that differ by no more than this are equal."""
_TOPPED = ("share", "units", "apart_emb", "asked_best")
_GAPS = tuple(f"{name}_gap" for name in COMPARED)
_RANKS = tuple(f"{name}_rank" for name in _RANKED)
_SAME = (*(f"{name}_all" for name in _AVERAGED), *(f"{name}_peak" for name in _TOPPED))
_TRAITS = tuple(f"a_{name}" for name in TRAITS)


COMPARISONS = (*_GAPS, *_RANKS, *_SAME)
"""The names of what :func:`compared` gives."""


@lru_cache(maxsize=4)
def _chosen(names: tuple[str, ...]) -> tuple[list[int], ...]:
    """Where the columns that are compared stand among all."""
    place = {name: i for i, name in enumerate(names)}
    return tuple([place[n] for n in some] for some in (COMPARED, _RANKED, _AVERAGED, _TOPPED))


def compared(names: tuple[str, ...], rows: Floats) -> Floats:
    """What sets a source against the others, and means over all of them: (COMPARISONS, s).

    ``rows`` are the named columns, one under another.
    """
    count = rows.shape[1]
    gaps, ranked, averaged, topped = _chosen(names)
    table = rows[gaps]
    others = (table.sum(1, keepdims=True) - table) / max(1, count - 1) if count > 1 else table
    found = np.empty((len(COMPARISONS), count), dtype=np.float32)
    found[: len(gaps)] = table - others
    found[len(gaps) : len(gaps) + len(ranked)] = _ranks(rows[ranked])
    found[-len(topped) - len(averaged) : -len(topped)] = rows[averaged].mean(1, keepdims=True)
    found[-len(topped) :] = rows[topped].max(1, keepdims=True)
    return found


def _ranks(rows: Floats) -> Floats:
    """The share of the other sources that lie below each one; of equals, half of them."""
    count = rows.shape[1]
    if count == 1:
        return np.full_like(rows, 0.5)
    found = np.empty_like(rows)
    for part in parts(count, rows.size):
        pairs = rows[:, part, None] - rows[:, None, :]
        more = (pairs > _EQUAL).sum(2) - (pairs < -_EQUAL).sum(2)
        found[:, part] = 0.5 + more / (2 * (count - 1))
    return found


def answer_level(c: Content) -> dict[str, float]:
    """The columns that are the same for all sources of an answer."""
    mass = max(float(c.mass.sum()), 1e-6)
    near = c.embedded @ c.query.vector
    whole = c.mass @ c.embedded
    centre = whole / max(float(np.sqrt(whole @ whole)), 1e-9)
    sums = c.traits.sum(0) / (mass + 5)
    ones = (0.1 + c.substance)[None]
    clusters = float(richness(ones, sharp(c))[0])
    fresh = 1 - c.terms.asked
    cited_mass = max(float(c.mass @ c.cited), 1e-6)
    found = {
        "a_sources": float(np.log2(len(c.sources))),
        "a_mass": float(np.log2(1 + mass)),
        "a_units": float(np.log2(1 + c.substance.sum())),
        "a_uncited": float(1 - cited_mass / mass),
        "a_unit_mass": mass / len(c.mass),
        "a_company": float(c.mass @ c.crowd / cited_mass),
        "a_clusters": float(np.log2(1 + clusters)),
        "a_aspects": float(np.log2(effective(ones, c.alike)[0])),
        "a_redundancy": 1 - clusters / len(c.mass),
        "a_asked": float(centre @ c.query.vector),
        "a_asked_best": float(near.max()),
        "a_asked_mean": float(c.mass @ near / mass),
        "a_focus": float(np.sqrt(whole @ whole) / mass),
        "a_rarity": float(c.terms.rarity.mean()),
        "a_rarity_new": float(c.terms.rarity @ fresh) / max(1.0, float(fresh.sum())),
        "a_surprise": float(c.terms.hard.mean()),
        "a_pieces": float(c.terms.pieces.mean()),
        "a_common": float((c.terms.weight < 1).mean()),
        "a_asked_terms": float(c.terms.asked.sum() / max(1, len(c.query.words))),
        "a_per_source": float(np.log2(1 + cited_mass / len(c.sources))),
    }
    return {**found, **dict(zip(_TRAITS, sums.tolist(), strict=True))}
