"""The openings of paragraphs: what they say before their first marker.

Engines often begin with sentences of their own that say what it all comes to, and cite for the
first time at the end of them. The LLM that the judge was fitted to reads that first marker as
speaking for the opening too, so its sources gain in relevance and influence. Where the paragraph
stands makes no difference, and a marked sentence that is moved leaves the opening behind.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from citemark.citations import ParsedAnswer
from citemark.judges.embedded.leads import leads_of
from citemark.judges.embedded.vectors import Floats

OPENING = 2
"""The columns of ``opening_facts``."""


def opening_facts(answer: ParsedAnswer, sources: Sequence[int]) -> Floats:
    """Whether an opening leads up to each source, and how long it is: (sources, OPENING), mostly 0.

    The length is a logarithm of its words. What the source itself is cited for plays no part.

    >>> from citemark.citations import parse_answer
    >>> answer = parse_answer("This all depends on the alloy. Tin melts early [1]. Zinc no [2].")
    >>> opening_facts(answer, [1, 2]).tolist()
    [[1.0, 2.8073549270629883], [0.0, 0.0]]
    """
    leads = leads_of(answer)
    words = dict.fromkeys(sources, 0)
    for sentence in answer.sentences:
        lead = leads.get(sentence.n)
        for source in lead.sources if lead and lead.opening else ():
            if source in words:
                words[source] += sentence.words
    found = np.array([words[source] for source in sources], dtype=np.float32)
    return np.column_stack([found > 0, np.log2(1 + found)]).astype(np.float32)
