"""Made variants of judged answers, with levels as the rubrics demand them.

Real answers seldom repeat themselves, miss the query or let two sources say the same, so a
model cannot learn from them what the rubrics say of such answers. Each variant changes one
thing about one judged source; its levels follow from those of the original.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citemark import Case
from citemark.citations import parse_answer
from citemark.judges.embedded.feature_table import feature_table
from citemark.judges.embedded.statements import read
from training.discipline.transformations import transformed
from training.judged import JudgedCase

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

_R, _I, _U, _D, _C = (list(range(i, i + 5)) for i in range(0, 25, 5))
_FALL: Mapping[str, tuple[list[int], float, float]] = {
    # which levels, times what, less what
    "halved": (_C + _I + _D, 1.0, 0.35),
    "echoed": ([*_U, 8], 1.0, 0.5),
    "vague": ([2, 12], 1.0, 0.8),
    "off_topic": (_R, 0.25, 0.0),
}
_NOT_UP: Mapping[str, list[int]] = {"restated": _C + _D + _U}
"""What is only said in another way reads the same, and needs no variants."""
KINDS = (*_FALL, *_NOT_UP)
_OFTEN = ("halved", "echoed", "vague", "off_topic", "vague")


@dataclass(frozen=True, slots=True)
class Variants:
    """The features of the variants, their kinds, and the rows that they were made from."""

    x: Floats
    kind: NDArray[np.str_]
    row: NDArray[np.int64]


def variants_of(cases: Sequence[JudgedCase], seed: int = 0) -> Variants:
    """Two variants for about every judged source, of kinds that take turns."""
    x: list[Floats] = []
    kinds: list[str] = []
    origin: list[int] = []
    row = 0
    for one in cases:
        case = Case.from_dict({"id": one.id, "query": one.query, "answer": one.answer})
        same_fold = [c.query for c in cases if c.fold == one.fold and c.query != one.query]
        for source in one.sources:
            for kind in (_OFTEN[row % len(_OFTEN)], KINDS[row % len(KINDS)]):
                made = transformed(kind, case, source, seed=seed, queries=same_fold)
                if made is None:
                    continue
                asked = made.case.query
                features = feature_table(read(parse_answer(made.case.answer), asked), asked)
                wanted = made.renamed.get(source, source)
                if wanted in features.sources:
                    x.append(features.values[features.sources.index(wanted)])
                    kinds.append(kind)
                    origin.append(row)
            row += 1
    return Variants(np.stack(x), np.array(kinds, dtype=np.str_), np.array(origin, dtype=np.int64))


def targets(
    variants: Variants, kept: NDArray[np.bool_], seen: Array, label: Array, original: Array
) -> Array:
    """The levels wanted of some variants.

    ``seen`` is what a first model says of the variants, ``original`` what it says of the rows
    they were made from, ``label`` what the LLM said of these. A level that the change does not
    concern stays as the first model sees it; one that must fall or not rise starts from the
    mean of label and model.
    """
    wanted = seen.copy()
    start = (label + original) / 2
    for i, kind in enumerate(variants.kind[kept]):
        if kind in _FALL:
            which, factor, less = _FALL[kind]
            wanted[i, which] = np.minimum(seen[i, which], factor * start[i, which] - less)
        else:
            which = _NOT_UP[kind]
            wanted[i, which] = np.minimum(seen[i, which], start[i, which])
    return np.maximum(wanted, 0.0)
