"""Detail: how particular what a source says is, and how hard to guess."""

from __future__ import annotations

import numpy as np

from citemark.judges.embedded.content import TRAITS, Content
from citemark.judges.embedded.vectors import Floats

_TINY = 1e-6
_RATES = tuple(f"{name}_rate" for name in TRAITS)


def detail(c: Content) -> dict[str, Floats]:
    """The columns about names, numbers, rare and generic words: (s,) each."""
    own = c.entries[1]
    mass = c.credit * c.mass
    total = np.maximum(mass.sum(1), _TINY)
    sums = (c.credit @ c.traits).T
    particular = c.traits[:, 0] + c.traits[:, 3]
    plain = c.credit @ np.array([particular, particular == 0]).T
    each = np.array([particular, c.rare, c.hard])
    most = np.maximum.reduceat(each[:, own], c.starts, axis=1)
    mean = (each[1:] @ mass.T) / total
    return {
        **dict(zip(TRAITS, np.log2(1 + sums), strict=True)),
        **dict(zip(_RATES, sums / (total + 2), strict=True)),
        "particular": np.log2(1 + plain[:, 0]),
        "particular_top": np.log2(1 + most[0]),
        "plain_units": plain[:, 1] / np.maximum(c.credit.sum(1), _TINY),
        "rarity_top": most[1],
        "rarity_mean": mean[0],
        "surprise_top": most[2],
        "surprise_mean": mean[1],
    }
