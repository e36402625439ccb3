"""Condensed readings: a very large answer, represented by a part of its statements.

Features compare statements with each other, so that their cost grows with the square of the
number of statements. An answer of usual size, long reports included, is read in full. Of a
larger one the statements with most content are kept, shared out evenly among its sources.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from citemark.judges.embedded.statements import Reading, Statement

MOST_STATEMENTS = 2000
MOST_TERMS = 30_000
MOST_SOURCES = 500
"""More sources than this are looked at in groups, each as if there were no others."""
_LONG_STATEMENT = 100
"""In a large answer a statement counts with no more terms than this: the first."""


def condensed(reading: Reading) -> Iterator[Reading]:
    """A reading as it is if it is of usual size; else smaller ones, each with other sources."""
    terms = sum(len(statement.unit.terms) for statement in reading.statements)
    usual = len(reading.statements) <= MOST_STATEMENTS and terms <= MOST_TERMS
    if usual and len(reading.by_source) <= MOST_SOURCES:
        yield reading
        return
    sources = sorted(reading.by_source)
    for i in range(0, len(sources), MOST_SOURCES):
        yield _of(reading, sources[i : i + MOST_SOURCES])


def _of(reading: Reading, sources: Sequence[int]) -> Reading:
    """The reading of some sources alone, with the weightiest statements of each."""
    group = set(sources)
    ranked = [_ranked(reading, reading.by_source[source]) for source in sources]
    ranked.append(_ranked(reading, [i for i, s in enumerate(reading.statements) if not s.credit]))
    kept: dict[int, None] = {}
    terms = 0
    for turn in range(max(map(len, ranked))):
        for own in ranked:
            if turn < len(own) and own[turn] not in kept:
                if turn and (len(kept) >= MOST_STATEMENTS or terms >= MOST_TERMS):
                    continue
                kept[own[turn]] = None
                terms += min(_LONG_STATEMENT, len(reading.statements[own[turn]].unit.terms))
        if len(kept) >= MOST_STATEMENTS or terms >= MOST_TERMS:
            break
    statements = tuple(_cut(reading.statements[i], group) for i in sorted(kept))
    by_source: dict[int, list[int]] = {source: [] for source in sources}
    for i, statement in enumerate(statements):
        for source in statement.credit:
            by_source[source].append(i)
    owned = {source: tuple(own) for source, own in by_source.items()}
    return Reading(statements, owned, reading.spoken, reading.disclaiming)


def _ranked(reading: Reading, own: Sequence[int]) -> list[int]:
    """Some statements, those with most content first, wherever in the answer they stand."""
    statements = reading.statements
    ranked = sorted(own, key=lambda i: (-statements[i].unit.mass, statements[i].unit.plain))
    return ranked[:MOST_STATEMENTS]


def _cut(statement: Statement, group: set[int]) -> Statement:
    """A statement with the credit of some sources and without the end of an endless one."""
    unit = statement.unit
    if len(unit.terms) > _LONG_STATEMENT:
        unit = unit._replace(terms=unit.terms[:_LONG_STATEMENT], plain=unit.plain[:_LONG_STATEMENT])
    credit = {source: value for source, value in statement.credit.items() if source in group}
    return Statement(unit, credit, statement.sentences)
