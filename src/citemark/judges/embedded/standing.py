"""How a source stands in an answer: what leads up to it, and in whose company it is cited.

The LLM that the judge was fitted to credits a source with the opening of its paragraph. And
it sees more breadth in one that is cited now alone, now with others: these are different things
that the answer says. Neither is a matter of place, length or style.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from citemark.citations import ParsedAnswer
from citemark.judges.embedded.opening import OPENING, opening_facts
from citemark.judges.embedded.statements import Reading
from citemark.judges.embedded.vectors import Floats

FACTS = OPENING + 1
"""The columns of ``standing_of``: those of the opening, then in how many companies it is cited."""
_USUAL = 0.4
"""The mean of that column in real answers, about."""


def standing_of(answer: ParsedAnswer, reading: Reading, sources: Sequence[int]) -> Floats:
    """What is known of each source: (sources, FACTS)."""
    found = companies(reading)
    several = np.log2([found.get(source, 1) for source in sources]) - _USUAL
    return np.column_stack([opening_facts(answer, sources), several.astype(np.float32)])


def companies(reading: Reading) -> dict[int, int]:
    """In how many companies each source is cited; who says the same thing elsewhere is in it too.

    >>> from citemark.citations import parse_answer
    >>> from citemark.judges.embedded.statements import read
    >>> answer = "Tin melts early [1][2]. Zinc is hard [2]. Tin rusts [1][2]. Lead is soft [2][3]."
    >>> companies(read(parse_answer(answer)))
    {1: 1, 2: 3, 3: 1}
    """
    found: dict[int, set[frozenset[int]]] = {}
    for statement in reading.statements:
        company = frozenset(source for source, value in statement.credit.items() if value == 1)
        for source in company:
            found.setdefault(source, set()).add(company)
    return {source: len(kinds) for source, kinds in sorted(found.items())}


def lifted(standing: Floats, lift: Floats) -> Floats:
    """What the levels of each source gain by how it stands: (sources, 25)."""
    return np.asarray((standing[:, :, None] * lift).sum(1))
