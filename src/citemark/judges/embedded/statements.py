"""Who says what: the answer as a set of distinct statements, each with the sources cited for it.

What is repeated or restated makes one statement, however often it stands in the answer: this is
why repeating cannot raise a score.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field

from citemark.citations import ParsedAnswer, Sentence
from citemark.judges.embedded.disclaimers import disclaims
from citemark.judges.embedded.leads import Lead, leads_of
from citemark.judges.embedded.restated import Told, standing_for
from citemark.judges.embedded.said import said_in
from citemark.judges.embedded.units import Unit, units_of

BLOCK_CREDIT = 0.6
"""What a sentence counts for whose block, not itself, is marked with the source."""


@dataclass(frozen=True, slots=True)
class Statement:
    """Something that the answer says: a unit and how fully each source is credited with it."""

    unit: Unit
    credit: Mapping[int, float]
    sentences: tuple[int, ...]
    """The numbers of the sentences that say it, whoever they cite."""


@dataclass(frozen=True, slots=True)
class Reading:
    """An answer as the embedded judge reads it."""

    statements: tuple[Statement, ...]
    by_source: Mapping[int, tuple[int, ...]]
    """The statements of each source that has any, by their place in ``statements``."""
    spoken: Mapping[int, Set[int]]
    """The sentences that say something and cite each source, repetition included."""
    disclaiming: frozenset[int] = frozenset()
    """The sentences in which the answer says that it has not found something."""


@dataclass(slots=True)
class _Draft:
    unit: Unit
    credit: dict[int, float] = field(default_factory=dict)
    sentences: list[int] = field(default_factory=list)


def read(answer: ParsedAnswer, query: str = "", *, led: bool = False) -> Reading:
    """The distinct statements of an answer to a query, and those of each source.

    With ``led`` a source is credited with what leads up to its marker too.
    """
    drafts: dict[frozenset[str], _Draft] = {}
    spoken: dict[int, set[int]] = {}
    doubts: set[int] = set()
    leads = leads_of(answer) if led else {}
    for text, sentence in said_in(answer, query):
        if disclaims(text):
            doubts.add(sentence.n)
        credit = _credit(sentence, leads.get(sentence.n))
        for unit in units_of(text, sentence.n):
            if not unit.terms:
                continue
            _add(drafts, unit, credit)
            for source in sentence.block_sources:
                spoken.setdefault(source, set()).add(sentence.n)
    statements = tuple(Statement(d.unit, d.credit, tuple(d.sentences)) for d in _merged(drafts))
    by_source: dict[int, list[int]] = {}
    for i, statement in enumerate(statements):
        for source in statement.credit:
            by_source.setdefault(source, []).append(i)
    owned = {source: tuple(own) for source, own in by_source.items()}
    return Reading(statements, owned, spoken, frozenset(doubts))


def _credit(sentence: Sentence, lead: Lead | None) -> dict[int, float]:
    credit = dict.fromkeys(lead.sources, BLOCK_CREDIT * lead.part) if lead else {}
    credit.update(dict.fromkeys(sentence.block_sources, BLOCK_CREDIT))
    credit.update(dict.fromkeys(sentence.sources, 1.0))
    return credit


def _add(drafts: dict[frozenset[str], _Draft], unit: Unit, credit: Mapping[int, float]) -> None:
    draft = drafts.setdefault(frozenset(unit.terms), _Draft(unit))
    if _plainness(unit) < _plainness(draft.unit):
        draft.unit = unit  # the plainest wording stands for all, whichever comes first
    for source, value in credit.items():
        draft.credit[source] = max(value, draft.credit.get(source, 0.0))
    if unit.sentence not in draft.sentences[-1:]:
        draft.sentences.append(unit.sentence)


def _merged(drafts: Mapping[frozenset[str], _Draft]) -> list[_Draft]:
    """The drafts, those that only say again what their source has said joined to it."""
    every = list(drafts.values())
    said = [
        Told(terms, one.credit.keys(), (one.unit.mass, _plainness(one.unit)))
        for terms, one in drafts.items()
    ]
    kept: list[_Draft] = []
    for i, j in enumerate(standing_for(said)):
        if i == j:
            kept.append(every[i])
            continue
        one, other = every[i], every[j]
        for source, value in one.credit.items():
            other.credit[source] = max(value, other.credit.get(source, 0.0))
        other.sentences.extend(n for n in one.sentences if n not in other.sentences)
    return kept


def _plainness(unit: Unit) -> tuple[int, tuple[str, ...], int]:
    return unit.words, unit.plain, unit.names
