"""Who says what: the answer as a set of distinct statements, each with the sources cited for it.

A sentence that is repeated makes one statement, however often it stands in the answer, and
filler words make no statement a different one. This is why neither repeating nor padding
can raise a score.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from citemark.citations import ParsedAnswer, Sentence
from citemark.judges.embedded.units import Unit, is_lead_in, units_of

BLOCK_CREDIT = 0.6
"""What a sentence counts for whose block, not itself, is marked with the source."""


@dataclass(frozen=True, slots=True)
class Statement:
    """Something that the answer says: a unit and how fully each source is credited with it."""

    unit: Unit
    credit: Mapping[int, float]
    sentences: tuple[int, ...]
    """The numbers of the sentences that say it."""

    @property
    def terms(self) -> tuple[str, ...]:
        """What it says, in terms."""
        return self.unit.terms

    @property
    def mass(self) -> float:
        """How much it says."""
        return self.unit.mass


@dataclass(slots=True)
class _Draft:
    unit: Unit
    credit: dict[int, float] = field(default_factory=dict)
    sentences: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Spoken:
    """All that is said for one source, repetition and filler included."""

    words: int = 0
    said: int = 0
    mass: float = 0.0


@dataclass(frozen=True, slots=True)
class Reading:
    """An answer as the embedded judge reads it."""

    statements: tuple[Statement, ...]
    by_source: Mapping[int, tuple[Statement, ...]]
    spoken: Mapping[int, Spoken]
    mass: float
    """How much the answer says in all."""


def read(answer: ParsedAnswer) -> Reading:
    """The distinct statements of an answer, and those of each source."""
    drafts: dict[frozenset[str], _Draft] = {}
    spoken: dict[int, Spoken] = {}
    for sentence in answer.sentences:
        if is_lead_in(sentence.text):
            continue
        credit = _credit(sentence)
        for unit in units_of(sentence.text, sentence.n):
            if not _says_something(unit):
                continue
            _add(drafts, unit, credit)
            for source in credit:
                sums = spoken.setdefault(source, Spoken())
                sums.words += unit.words
                sums.said += unit.said
                sums.mass += unit.mass
    statements = tuple(Statement(d.unit, d.credit, tuple(d.sentences)) for d in drafts.values())
    by_source: dict[int, list[Statement]] = {}
    for statement in statements:
        for source in statement.credit:
            by_source.setdefault(source, []).append(statement)
    return Reading(
        statements=statements,
        by_source={source: tuple(own) for source, own in by_source.items()},
        spoken=spoken,
        mass=sum(statement.mass for statement in statements),
    )


def _says_something(unit: Unit) -> bool:
    """Not a bare list number, and not filler alone."""
    return bool(unit.terms) and unit.said > (1 if unit.numbers == unit.words else 0)


def _credit(sentence: Sentence) -> dict[int, float]:
    credit = dict.fromkeys(sentence.block_sources, BLOCK_CREDIT)
    credit.update(dict.fromkeys(sentence.sources, 1.0))
    return credit


def _add(drafts: dict[frozenset[str], _Draft], unit: Unit, credit: Mapping[int, float]) -> None:
    draft = drafts.setdefault(frozenset(unit.terms), _Draft(unit))
    if unit.words < draft.unit.words:
        draft.unit = unit  # the plainest wording stands for all, whichever comes first
    for source, value in credit.items():
        draft.credit[source] = max(value, draft.credit.get(source, 0.0))
    if unit.sentence not in draft.sentences[-1:]:
        draft.sentences.append(unit.sentence)
