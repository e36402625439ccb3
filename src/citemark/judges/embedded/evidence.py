"""Evidence: the sentences that a level rests on most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import chain

from citemark.judges.embedded.lexicon import lexicon
from citemark.judges.embedded.match import Query
from citemark.judges.embedded.overlap import Overlap
from citemark.judges.embedded.statements import Reading, Statement
from citemark.judges.embedded.terms import COMMON_WEIGHT

_MOST = 3
"""No level names more sentences than this."""
_NEXT = 0.5
"""A further sentence is named if it shows at least this part of what the first one shows."""


class Trait(StrEnum):
    """What makes a sentence evidence for a level."""

    MATCH = "match"  # it takes up the query
    SUPPORT = "support"  # it carries much content that bears on the query
    PARTICULARS = "particulars"  # it is particular: numbers, names, rare words
    FRAMING = "framing"  # it sets views against each other or gives causes
    APART = "apart"  # no other source says it; for a low level: another one does
    NEW = "new"  # it says what the source's other sentences do not
    FRESH = "fresh"  # the same; for a low level: it repeats


@dataclass(frozen=True, slots=True)
class Exhibits:
    """The sentences of one source, ready to be named as evidence."""

    source: int
    reading: Reading
    query: Query
    overlap: Overlap
    shared: dict[Trait, list[float]] = field(default_factory=dict)
    """What each statement of the answer shows; for all sources of it the same."""
    own: tuple[Statement, ...] = field(init=False)
    said_in: tuple[tuple[int, ...], ...] = field(init=False)
    """For each statement of the source, the sentences that say it and cite the source."""
    _only: tuple[int, ...] = field(init=False)
    """The source's sentence, if it has but one: there is no other to name."""
    _chosen: dict[tuple[Trait, bool], tuple[int, ...]] = field(init=False)

    def __post_init__(self) -> None:
        reading = self.reading
        own = tuple([reading.statements[i] for i in reading.by_source.get(self.source, ())])
        cited_in = reading.spoken.get(self.source, frozenset())
        said_in = tuple([tuple([n for n in s.sentences if n in cited_in]) for s in own])
        object.__setattr__(self, "own", own)
        object.__setattr__(self, "said_in", said_in)
        places = set(chain.from_iterable(said_in))
        object.__setattr__(self, "_only", tuple(places) if len(places) == 1 else ())
        object.__setattr__(self, "_chosen", {})

    def sentences(self, trait: Trait, level: int) -> tuple[int, ...]:
        """The numbers of one to three sentences that show a trait; none for the level 0."""
        if not level:
            return ()
        if self._only:
            return self._only
        key = trait, level <= 1 and trait in _BY_LEVEL
        found = self._chosen.get(key)
        if found is None:
            found = self._chosen[key] = self._choose(*key)
        return found

    def of_answer(self, trait: Trait) -> list[float]:
        """How much each statement of the answer shows a trait that knows of no source."""
        found = self.shared.get(trait)
        if found is None:
            found = self.shared[trait] = _OF_ANSWER[trait](self)
        return found

    def _choose(self, trait: Trait, low: bool) -> tuple[int, ...]:
        said_in = self.said_in
        if trait in _OF_ANSWER:
            every = self.of_answer(trait)
            values = [every[i] for i in self.reading.by_source[self.source]]
        else:
            values = _OF_SOURCE[trait](self, low)
        if max(values) <= 0:
            values = [statement.unit.mass for statement in self.own]
        sums: dict[int, float] = {}
        for places, value in zip(said_in, values, strict=True):
            for n in places:
                sums[n] = sums.get(n, 0.0) + value
        ranked = sorted([(-value, n) for n, value in sums.items()])[:_MOST]
        return tuple(sorted([n for value, n in ranked if value <= _NEXT * ranked[0][0]]))


def _match(case: Exhibits) -> list[float]:
    return [case.query.covered(statement.unit.terms) for statement in case.reading.statements]


def _support(case: Exhibits) -> list[float]:
    met = case.of_answer(Trait.MATCH)
    return [
        s.unit.mass * (0.5 + value) for s, value in zip(case.reading.statements, met, strict=True)
    ]


def _particulars(case: Exhibits) -> list[float]:
    units = (statement.unit for statement in case.reading.statements)
    return [max(0.0, 2 * u.numbers + u.names + u.rare - u.generic) for u in units]


def _framing(case: Exhibits) -> list[float]:
    return [float(s.unit.contrasts + s.unit.causes) for s in case.reading.statements]


def _apart(case: Exhibits, low: bool) -> list[float]:
    near = case.overlap.closeness[case.source]
    return [
        s.unit.mass * (value if low else 1 - value) for s, value in zip(case.own, near, strict=True)
    ]


def _new(case: Exhibits, _low: bool) -> list[float]:
    terms = [statement.unit.terms for statement in case.own]
    holders = Counter(chain.from_iterable(terms))
    common = lexicon().common
    value = {t: (COMMON_WEIGHT if t in common else 1.0) / n for t, n in holders.items()}
    return [sum(map(value.__getitem__, own)) for own in terms]


def _fresh(case: Exhibits, low: bool) -> list[float]:
    return [float(len(places) - 1) for places in case.said_in] if low else _new(case, low)


_OF_ANSWER: dict[Trait, Callable[[Exhibits], list[float]]] = {
    Trait.MATCH: _match,
    Trait.SUPPORT: _support,
    Trait.PARTICULARS: _particulars,
    Trait.FRAMING: _framing,
}
_OF_SOURCE: dict[Trait, Callable[[Exhibits, bool], list[float]]] = {
    Trait.APART: _apart,
    Trait.NEW: _new,
    Trait.FRESH: _fresh,
}
_BY_LEVEL = frozenset({Trait.APART, Trait.FRESH})
"""Traits that a low level shows by other sentences than a high one."""
