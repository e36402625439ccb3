"""Vocabulary: the terms that a source brings, and those that the answer has from it alone."""

from __future__ import annotations

import numpy as np

from citemark.judges.embedded.content import Content
from citemark.judges.embedded.vectors import Floats

_TINY = 1e-6
_LONG = 3
"""A word of so many pieces is a long one."""
_EASY = 0.3
_FEW = 5


def vocabulary(c: Content) -> dict[str, Floats]:
    """The columns about the terms of a source: (s,) each."""
    t = c.terms
    one = np.ones_like(t.weight)
    fresh = 1 - t.asked
    has = np.array([t.weight, t.rarity, t.pieces, t.pieces >= _LONG, t.weight < 1, one]).T
    new = np.array([t.rarity, t.hard, np.maximum(t.hard - _EASY, 0), one]).T * fresh[:, None]
    only = np.array([t.weight, t.rarity * fresh, one, t.rarity]).T
    sums = np.zeros((len(c.sources), 16), dtype=np.float32)
    top = np.zeros((len(c.sources), 0), dtype=np.float32)
    direct = (c.credit >= 1).astype(np.float32)
    for block, holds in t.blocks():
        count = c.owns @ holds
        held = (count > 0).astype(np.float32)
        gone = (count >= holds.sum(0)).astype(np.float32)
        sums[:, :6] += held @ has[block]
        sums[:, 6:10] += held @ new[block]
        sums[:, 10:14] += (gone / np.maximum(gone.sum(0), 1)) @ only[block]
        sums[:, 14] += gone @ t.weight[block]
        sums[:, 15] += ((direct @ holds) > 0) @ t.weight[block]
        top = _largest(top, held * (t.hard * fresh)[block])
    return _columns(c, sums, top)


def _largest(top: Floats, more: Floats) -> Floats:
    """The few largest values of each row so far, the largest last."""
    both = np.concatenate([top, more], axis=1) if top.shape[1] else more
    if both.shape[1] > _FEW:
        both = np.partition(both, both.shape[1] - _FEW, axis=1)[:, -_FEW:]
    return both


def _columns(c: Content, sums: Floats, top: Floats) -> dict[str, Floats]:
    weight, rarity, pieces, long, common, count = sums[:, :6].T
    new_rarity, hard, harder, news = sums[:, 6:10].T
    only, rare, gone, gone_rarity = sums[:, 10:14].T
    count, news = np.maximum(count, 1), np.maximum(news, 1)
    whole = max(float(c.terms.weight.sum()), _TINY)
    # An answer of the most frequent words alone has no rarity that could fall away.
    whole_rarity = max(float(c.terms.rarity.sum()), _TINY)
    logs = np.log2(1 + np.array([weight, rarity, sums[:, 15], only, rare, harder]))
    return {
        "terms": logs[0],
        "terms_info": logs[1],
        "terms_direct": logs[2],
        "only": logs[3],
        "only_share": only / np.maximum(weight, _TINY),
        "only_rare": logs[4],
        "only_rarity": rare / np.maximum(gone, 0.5),
        "fallen": np.sqrt(only / whole),
        "fallen_all": sums[:, 14] / whole,
        "fallen_info": np.sqrt(gone_rarity / whole_rarity),
        "rarity": rarity / count,
        "rarity_new": new_rarity / news,
        "pieces": pieces / count,
        "long_words": long / count,
        "surprise": hard / news,
        "surprise_sum": logs[5],
        "surprise_first": top.max(1),
        "surprise_few": top.sum(1) / _FEW,
        "common": common / count,
    }
