"""Likeness: how near the answer's other sources come to what a source says."""

from __future__ import annotations

import numpy as np

from citemark.judges.embedded.content import Content
from citemark.judges.embedded.vectors import Floats, parts, unit_rows

_TINY = 1e-6


def likeness(c: Content) -> dict[str, Floats]:
    """The columns about what others say too, and what falls away without a source: (s,) each."""
    mass = c.credit * c.mass
    total = np.maximum(mass.sum(1), _TINY)
    return {
        **_nearness(c, mass, total),
        **_between(c, mass),
        **_centrality(c, mass, total),
        **_loss(c),
    }


def _nearness(c: Content, mass: Floats, total: Floats) -> dict[str, Floats]:
    """How near what others are cited for comes to each statement of a source."""
    source, own = c.entries
    near, lexical = _nearest(c)
    unsaid = (c.alike * ~c.cited).max(1)[own]
    shared = 1 - c.split[own]
    close = np.maximum(shared, lexical)
    closest = np.maximum(close, near * near)
    weight = mass[source, own]
    each = np.array([near, lexical, unsaid, 1 - close, 1 - closest])
    sums = np.add.reduceat(each * weight, c.starts, axis=1)
    shares = sums / total
    logs = np.log2(1 + sums[3:])
    info = c.info[own]
    most = np.maximum.reduceat(
        np.array([near, lexical, info * each[3], info * each[4]]), c.starts, axis=1
    )
    return {
        "near": shares[0],
        "near_least": np.minimum.reduceat(near, c.starts),
        "near_most": most[0],
        "near_lexical": shares[1],
        "near_lexical_most": most[1],
        "near_unsaid": shares[2],
        "apart": logs[0],
        "apart_share": shares[3],
        "apart_emb": logs[1],
        "apart_emb_share": shares[4],
        "apart_top": np.maximum(most[2], 0),
        "apart_emb_top": np.maximum(most[3], 0),
    }


def _nearest(c: Content) -> tuple[Floats, Floats]:
    """For every entry, the likeness of the nearest statement that only others are cited for."""
    source, own = c.entries
    found = np.empty((2, len(own)), dtype=np.float32)
    for part in parts(len(own), len(c.mass)):
        outside = c.cited > c.owns[source[part]]
        found[0, part] = (c.alike[own[part]] * outside).max(1)
        found[1, part] = (c.lexical[own[part]] * outside).max(1)
    return found[0], found[1]


def _between(c: Content, mass: Floats) -> dict[str, Floats]:
    """How near the sources are to each other as wholes."""
    centre = unit_rows(mass @ c.embedded)
    between = np.maximum(centre @ centre.T, 0)
    np.fill_diagonal(between, 0)
    return {
        "between_most": between.max(1),
        "between_mean": between.sum(1) / max(1, len(c.sources) - 1),
    }


def _centrality(c: Content, mass: Floats, total: Floats) -> dict[str, Floats]:
    """How much the rest of the answer is about what a source says."""
    whole = max(float(c.mass.sum()), _TINY)
    link = c.alike * c.alike
    central = (link @ c.mass - link.diagonal() * c.mass) / whole
    lexical = (c.lexical @ c.mass - c.lexical.diagonal() * c.mass) / whole
    both = np.array([central, lexical])
    mean = (both @ mass.T) / total
    # A statement on its own is linked to nothing; rounding must not make that less.
    most = np.maximum(np.maximum.reduceat(both[:, c.entries[1]], c.starts, axis=1), 0)
    return {
        "central": mean[0],
        "central_most": most[0],
        "central_of_best": most[0] / max(float(central.max()), _TINY),
        "central_lexical": mean[1],
        "central_lexical_most": most[1],
    }


def _loss(c: Content) -> dict[str, Floats]:
    """What is left of the answer, and of its answering the query, without a source."""
    q = c.query.vector
    count = len(c.sources)
    heavy = c.owns * c.mass
    whole = c.mass @ c.embedded
    lost = np.concatenate([heavy * (c.crowd == 1), heavy]) @ c.embedded
    full = unit_rows(whole[None])[0]
    left = unit_rows(whole - lost)
    own = unit_rows(lost[count:])
    there, asked = 1 - left @ full, full @ q - left @ q
    return {
        "lost": there[:count],
        "lost_all": there[count:],
        "lost_query": asked[:count],
        "lost_all_query": asked[count:],
        "centre": own @ full,
        "rest": (own * left[count:]).sum(1),
    }
