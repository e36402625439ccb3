"""Rivals: each source beside the others of its answer, and the answer as a whole."""

from __future__ import annotations

import numpy as np

from citemark.judges.embedded.content import TRAITS, Content, Floats, parts
from citemark.judges.embedded.variety import effective, richness, sharp

COMPARED = (
    "share",
    "reach",
    "sole",
    "shared_mass",
    "units",
    "units_split",
    "points",
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
    "covered_sentence",
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
    "points_split",
    "points_sole",
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
    "covered_sentence",
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
_TOPPED = ("share", "units", "apart_emb", "asked_best")
_GAPS = tuple(f"{name}_gap" for name in COMPARED)
_RANKS = tuple(f"{name}_rank" for name in _RANKED)
_SAME = (*(f"{name}_all" for name in _AVERAGED), *(f"{name}_top" for name in _TOPPED))
_TRAITS = tuple(f"a_{name}" for name in TRAITS)


def compared(columns: dict[str, Floats]) -> dict[str, Floats]:
    """The columns that set a source against the others, and the means over all of them."""
    count = len(columns["share"])
    table = np.array([columns[name] for name in COMPARED])
    total = table.sum(1, keepdims=True)
    others = (total - table) / max(1, count - 1) if count > 1 else table
    below = _ranks(np.array([columns[name] for name in _RANKED]))
    means = np.array([columns[name] for name in _AVERAGED]).mean(1)
    tops = np.array([columns[name] for name in _TOPPED]).max(1)
    same = np.repeat(np.concatenate([means, tops])[:, None], count, axis=1)
    return {
        **dict(zip(_GAPS, table - others, strict=True)),
        **dict(zip(_RANKS, below, strict=True)),
        **dict(zip(_SAME, same, strict=True)),
    }


def _ranks(rows: Floats) -> Floats:
    """The share of the other sources that lie below each one; of equals, half of them."""
    count = rows.shape[1]
    if count == 1:
        return np.full_like(rows, 0.5)
    found = np.empty_like(rows)
    for part in parts(count, rows.size):
        pairs = np.round(rows[:, part, None] - rows[:, None, :], 5)
        found[:, part] = ((pairs > 0).sum(2) + 0.5 * ((pairs == 0).sum(2) - 1)) / (count - 1)
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
        "a_sentences": float(np.log2(1 + (c.substance * c.part).sum())),
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
