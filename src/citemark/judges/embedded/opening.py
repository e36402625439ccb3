"""The opening of an answer: what it says before its first marker.

Engines often begin with sentences of their own that say what it all comes to, and cite for the
first time at the end of them. The LLM that the judge was fitted to reads that first marker as
speaking for the opening too, so its sources gain in relevance and influence. They gain by what
stands unmarked before them, not by coming first: a marked sentence that is moved to the front has
no opening before it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from citemark.citations import ParsedAnswer
from citemark.judges.embedded.said import says_nothing
from citemark.judges.embedded.vectors import Floats

FACTS = 2
"""The columns of ``opening_facts``."""


def opening_facts(answer: ParsedAnswer, sources: Sequence[int]) -> Floats:
    """Whether an opening leads up to each source, and how long it is: (sources, FACTS), mostly 0.

    The length is a logarithm of its words. What the source itself is cited for plays no part.

    >>> from citemark.citations import parse_answer
    >>> answer = parse_answer("This all depends on the alloy. Tin melts early [1]. Zinc no [2].")
    >>> opening_facts(answer, [1, 2]).tolist()
    [[1.0, 2.8073549270629883], [0.0, 0.0]]
    """
    found = np.zeros((len(sources), FACTS), dtype=np.float32)
    opening, leads = _opening(answer)
    if opening:
        found[[source in leads for source in sources]] = 1, np.log2(1 + opening)
    return found


def _opening(answer: ParsedAnswer) -> tuple[int, frozenset[int]]:
    """The words before the first marker, and its sources; none if it marks nothing that tells."""
    words = 0
    for sentence in answer.sentences:
        if sentence.kind in ("heading", "row"):
            continue
        if sentence.block_sources:
            return words, frozenset(() if says_nothing(sentence) else sentence.sources)
        words += sentence.words
    return 0, frozenset()


def lifted(opening: Floats, lift: Floats) -> Floats:
    """What the levels of each source gain by the opening before it: (sources, 25)."""
    return np.asarray((opening[:, :, None] * lift).sum(1))
