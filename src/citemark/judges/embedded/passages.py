"""What the reader reads: the distinct clauses of an answer, and whom each is credited to.

Repetition goes, and the passages are put in the order of their words, so that neither the one nor
the place of a paragraph can move a score. Of the order in which sentences stand, only what leads up
to a marker is kept.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from citemark.citations import ParsedAnswer
from citemark.judges.embedded.leads import leads_of
from citemark.judges.embedded.restated import Told, standing_for
from citemark.judges.embedded.said import said_in
from citemark.judges.embedded.terms import terms_of

ROLES = 7
"""The columns of ``roles_of``."""
_WORD = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*")
_TELLING = re.compile(r"[^\W\d_]{2,}|\d{2,}")


@dataclass(frozen=True, slots=True)
class Passage:
    """A clause that says something, once, however often it stands in the answer."""

    text: str
    marked: Mapping[int, float]
    """The sources it is marked with, and the part of it that each is given."""
    closing: Mapping[int, float]
    """The sources whose marker it leads up to or that closes its block, likewise."""
    sentences: tuple[int, ...]

    @property
    def cited(self) -> bool:
        """Whether any source is credited with it."""
        return bool(self.marked or self.closing)


@dataclass(slots=True)
class _Draft:
    text: str
    marked: set[int] = field(default_factory=set)
    closing: dict[int, float] = field(default_factory=dict)
    sentences: list[int] = field(default_factory=list)


def passages_of(answer: ParsedAnswer, query: str = "") -> tuple[Passage, ...]:
    """The passages of an answer to a query, in the order of their words.

    >>> from citemark.citations import parse_answer
    >>> answer = parse_answer("- **Tin** melts [1].\\n- Needless to say, tin melts [2].")
    >>> [passage.text for passage in passages_of(answer)]
    ['Tin melts.']
    """
    drafts: dict[str, _Draft] = {}
    leads = leads_of(answer)
    for text, sentence in said_in(answer, query):
        if not _TELLING.search(text):
            continue
        key = " ".join(_WORD.findall(text.casefold()))
        draft = drafts.setdefault(key, _Draft(text))
        draft.text = min(draft.text, text, key=lambda t: (len(t), t))
        if sentence.n not in draft.sentences:
            draft.sentences.append(sentence.n)
        draft.marked.update(sentence.sources)
        _credit(draft, dict.fromkeys(set(sentence.block_sources) - set(sentence.sources), 1.0))
        if sentence.n in leads:
            sources, part = leads[sentence.n]
            _credit(draft, dict.fromkeys(sources, part))
    return tuple(
        Passage(d.text, _shared(d.marked), _shared_behind(d), tuple(d.sentences))
        for d in _merged([d for _, d in sorted(drafts.items())])
    )


def _merged(drafts: Sequence[_Draft]) -> list[_Draft]:
    """The drafts, those that only say again what their source has said joined to it."""
    said = [
        Told(set(terms_of(d.text)), {*d.marked, *d.closing}, (len(d.text), d.text)) for d in drafts
    ]
    kept = []
    for i, j in enumerate(standing_for(said)):
        one, other = drafts[i], drafts[j]
        if i == j:
            kept.append(one)
            continue
        other.marked |= one.marked
        _credit(other, one.closing)
        other.sentences.extend(n for n in one.sentences if n not in other.sentences)
    return kept


def _credit(draft: _Draft, closing: Mapping[int, float]) -> None:
    for source, part in closing.items():
        draft.closing[source] = max(part, draft.closing.get(source, 0.0))


def _shared(sources: Set[int]) -> dict[int, float]:
    """Equal parts for all who are credited with a passage, wherever it is said.

    So a source that says alone what it has said with others gains nothing by it.
    """
    return {source: 1 / len(sources) for source in sorted(sources)}


def _shared_behind(draft: _Draft) -> dict[int, float]:
    """The same for those whose marker comes later; who is marked himself has no part in it."""
    return {
        source: part / len(draft.closing)
        for source, part in sorted(draft.closing.items())
        if source not in draft.marked
    }


def roles_of(passages: Sequence[Passage], source: int) -> NDArray[np.float32]:
    """What each passage is to a source: its own, by marker or before it, another's or nobody's."""
    roles = np.zeros((len(passages), ROLES), dtype=np.float32)
    for row, passage in zip(roles, passages, strict=True):
        marked = passage.marked.get(source, 0.0)
        closing = passage.closing.get(source, 0.0)
        row[0], row[1] = marked, closing
        row[2] = marked > 0
        row[3] = marked == closing == 0 and passage.cited
        row[4] = not passage.cited
        row[5] = marked == 1
        row[6] = len(passage.marked) / 4
    return roles
