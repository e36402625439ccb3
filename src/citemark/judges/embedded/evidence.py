"""Evidence: the sentences that a level rests on most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

from citemark.judges.embedded.match import Query
from citemark.judges.embedded.overlap import Overlap
from citemark.judges.embedded.specificity import particulars
from citemark.judges.embedded.statements import Reading, Statement
from citemark.judges.embedded.units import weight

_MOST = 3
"""No level names more sentences than this."""
_NEXT = 0.5
"""A further sentence is named if it shows at least this part of what the first one shows."""


class Trait(Enum):
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
    _chosen: dict[tuple[Trait, bool], tuple[int, ...]] = field(default_factory=dict)

    def sentences(self, trait: Trait, level: int) -> tuple[int, ...]:
        """The numbers of one to three sentences that show a trait; none for the level 0."""
        if not level:
            return ()
        key = trait, level <= 1
        if key not in self._chosen:
            self._chosen[key] = self._choose(*key)
        return self._chosen[key]

    def _choose(self, trait: Trait, low: bool) -> tuple[int, ...]:
        places = self.reading.by_source[self.source]
        own = [self.reading.statements[i] for i in places]
        if trait in _SHARED:
            if trait not in self.shared:
                self.shared[trait] = _VALUES[trait](self, list(self.reading.statements), low)
            values = [self.shared[trait][i] for i in places]
        else:
            values = _VALUES[trait](self, own, low)
        if max(values) <= 0:
            values = [statement.unit.mass for statement in own]
        cited_in = self.reading.spoken[self.source].sentences
        sums: dict[int, float] = {}
        for statement, value in zip(own, values, strict=True):
            for n in statement.sentences:
                if n in cited_in:
                    sums[n] = sums.get(n, 0.0) + value
        ranked = sorted(sums, key=lambda n: (-sums[n], n))[:_MOST]
        return tuple(sorted(n for n in ranked if sums[n] >= _NEXT * sums[ranked[0]]))


_Values = Callable[[Exhibits, list[Statement], bool], list[float]]


def _match(case: Exhibits, own: list[Statement], _low: bool) -> list[float]:
    return [case.query.covered(statement.unit.terms) for statement in own]


def _support(case: Exhibits, own: list[Statement], _low: bool) -> list[float]:
    return [s.unit.mass * (0.5 + case.query.covered(s.unit.terms)) for s in own]


def _particulars(_case: Exhibits, own: list[Statement], _low: bool) -> list[float]:
    return [max(0.0, particulars(statement.unit)) for statement in own]


def _framing(_case: Exhibits, own: list[Statement], _low: bool) -> list[float]:
    return [float(s.unit.contrasts + s.unit.causes) for s in own]


def _apart(case: Exhibits, own: list[Statement], low: bool) -> list[float]:
    near = case.overlap.closeness[case.source]
    return [s.unit.mass * (value if low else 1 - value) for s, value in zip(own, near, strict=True)]


def _new(_case: Exhibits, own: list[Statement], _low: bool) -> list[float]:
    holders = Counter(term for statement in own for term in statement.unit.terms)
    return [sum(weight(t) / holders[t] for t in statement.unit.terms) for statement in own]


def _fresh(case: Exhibits, own: list[Statement], low: bool) -> list[float]:
    if not low:
        return _new(case, own, low)
    cited_in = case.reading.spoken[case.source].sentences
    return [float(sum(n in cited_in for n in s.sentences) - 1) for s in own]


_VALUES: dict[Trait, _Values] = {
    Trait.MATCH: _match,
    Trait.SUPPORT: _support,
    Trait.PARTICULARS: _particulars,
    Trait.FRAMING: _framing,
    Trait.APART: _apart,
    Trait.NEW: _new,
    Trait.FRESH: _fresh,
}
_SHARED = frozenset({Trait.MATCH, Trait.SUPPORT, Trait.PARTICULARS, Trait.FRAMING})
"""Traits of a statement that do not depend on the source."""
