"""Variety: how many things a source says, and how many different ones.

The number of different things is an effective number: n unrelated statements count as n, n
of the same content as 1.
"""

from __future__ import annotations

import numpy as np

from citemark.judges.embedded.content import TRAITS, Content
from citemark.judges.embedded.vectors import Floats, parts, unit_rows

_SHARP = 0.25
_ITEM = 0.5
"""What a further item of an enumeration counts for, beside 1 for a clause."""
_TINY = 1e-6
_JOINTS = TRAITS.index("joints")


def variety(c: Content) -> dict[str, Floats]:
    """The columns about the number and the spread of a source's statements: (s,) each."""
    return {**_amounts(c), **_aspects(c), "distance": _distance(c)}


def _amounts(c: Content) -> dict[str, Floats]:
    """How many statements and items there are."""
    alone = c.crowd == 1
    items = c.substance + _ITEM * c.traits[:, _JOINTS]
    direct = (c.credit >= 1).astype(np.float32)
    weights = np.array(
        [
            items,
            items * c.split,
            c.substance,
            c.substance * c.split,
            c.substance * alone,
        ]
    )
    sums = c.credit @ weights.T
    logs = np.log2(1 + sums).T
    units = sums[:, 2]
    mass = c.credit @ c.mass
    return {
        "items": logs[0],
        "items_split": logs[1],
        "items_share": sums[:, 0] / max(float(items.sum()), _TINY),
        "units_direct": np.log2(1 + direct @ c.substance),
        "units_block": np.log2(1 + (c.owns - direct) @ c.substance),
        "units": logs[2],
        "units_split": logs[3],
        "units_sole": logs[4],
        "units_share": units / max(float(c.substance.sum()), _TINY),
        "second": np.minimum(1, units / 2),
        "third": np.minimum(1, units / 4),
        "unit_mass": mass / np.maximum(c.credit.sum(1), _TINY),
        "unit_top": (c.owns * c.mass).max(1),
    }


def _aspects(c: Content) -> dict[str, Floats]:
    """How many different things are said: by several measures of likeness."""
    weights = c.credit * (0.1 + c.substance)
    whole = (0.1 + c.substance)[None]
    both = np.concatenate([weights, whole])
    q = c.query.vector
    rest = unit_rows(c.embedded - np.outer(c.embedded @ q, q))
    apart, lexical = np.maximum(rest @ rest.T, 0), c.apart.copy()
    # A statement that says no more than the query is still like itself.
    np.fill_diagonal(apart, 1)
    np.fill_diagonal(lexical, 1)
    found: dict[str, Floats] = {"aspects_alike": np.log2(effective(weights, c.alike))}
    for name, kernel in (("square", c.alike * c.alike), ("apart", apart)):
        every = effective(both, kernel)
        found[f"aspects_{name}"] = np.log2(every[:-1])
        found[f"aspects_{name}_share"] = every[:-1] / every[-1]
    found["aspects_lexical"] = np.log2(effective(weights, lexical))
    kernel = sharp(c)
    rich = richness(both, kernel)
    found["clusters"] = np.log2(1 + rich[:-1])
    found["clusters_share"] = rich[:-1] / max(float(rich[-1]), _TINY)
    even = effective(weights, kernel) / np.maximum(richness(c.credit, kernel), 1)
    found["evenness"] = np.minimum(even, 2)
    return found


def _distance(c: Content) -> Floats:
    """How far the two statements of a source that are least alike are from each other."""
    source, own = c.entries
    far = np.empty(len(own), dtype=np.float32)
    for part in parts(len(own), len(c.mass)):
        far[part] = (c.owns[source[part]] * (1 - c.alike[own[part]])).max(1)
    return np.asarray(np.maximum.reduceat(far, c.starts))


def sharp(c: Content) -> Floats:
    """Likeness that only statements of nearly the same content have: (u, u)."""
    return np.asarray(np.exp((c.alike - 1) / np.float32(_SHARP)))


def effective(weights: Floats, kernel: Floats) -> Floats:
    """The effective number of different statements of each row of weights."""
    mean = np.einsum("su,su->s", weights @ kernel, weights)
    return np.asarray(np.maximum(weights.sum(1) ** 2 / np.maximum(mean, _TINY), 1))


def richness(weights: Floats, kernel: Floats) -> Floats:
    """The number of clusters of each row of weights: statements alike count as one."""
    return np.asarray((weights / np.maximum(weights @ kernel, _TINY)).sum(1))
