"""Voice: how much of the answer is said on the word of each source, alone or with others."""

from __future__ import annotations

import numpy as np

from citemark.judges.embedded.content import Content
from citemark.judges.embedded.vectors import Floats

_TWIN = 0.95


def voice(c: Content) -> dict[str, Floats]:
    """The columns about a source's share of the answer: (s,) each."""
    alone = c.crowd == 1
    weights = np.array(
        [c.mass, c.mass * c.split, c.mass * alone, c.info, c.info * c.split, c.mass * c.crowd]
    )
    credited, shared, sole, info, info_shared, owners = weights @ c.credit.T
    direct = (c.credit >= 1) @ c.mass
    total, cited = c.mass.sum(), c.mass @ c.cited
    held = c.owns @ c.mass
    both = ((c.owns * c.mass) @ c.owns.T) / held[:, None]
    np.fill_diagonal(both, 0)
    twin = np.minimum(both, both.T)
    twins = (twin > _TWIN).sum(1)
    others = max(1, len(c.sources) - 1)
    logs = np.log2(1 + np.array([sole, shared, credited, info, twins]))
    return {
        "reach": credited / total,
        "share": shared / total,
        "reach_direct": direct / total,
        "reach_block": (held - direct) / held,
        "share_info": info_shared / c.info.sum(),
        "share_cited": shared / cited,
        "share_root": np.sqrt(shared / total),
        "sole": sole / credited,
        "sole_reach": sole / total,
        "sole_mass": logs[0],
        "shared_mass": logs[1],
        "credited_mass": logs[2],
        "credited_info": logs[3],
        "company": np.log2(owners / credited),
        "contained": both.max(1),
        "contained_mean": both.sum(1) / others,
        "twin": twin.max(1),
        "twins": logs[4],
    }
