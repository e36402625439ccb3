"""What the embedded judge knows about a source: a handful of named quantities.

All of them come from what is said and by whom. None knows where in the answer it is said,
in what layout, or under which number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import fsum, log2, sqrt

from citemark.judges.embedded.breadth import breadth_of
from citemark.judges.embedded.match import Query, best_match, closeness_to_rest, square, vector
from citemark.judges.embedded.overlap import Overlap
from citemark.judges.embedded.specificity import specificity_of
from citemark.judges.embedded.statements import Reading
from citemark.judges.embedded.units import weight


@dataclass(frozen=True, slots=True)
class Features:
    """The quantities of one source that its levels are made of.

    ``terms``, ``only`` and ``apart`` are amounts of content, as log2 of 1 + weight.
    """

    best_match: float
    """The share of the query that the source's best sentence takes up."""
    closeness: float
    """How near what it says is to the rest of the answer."""
    reach: float
    """The share of the answer that it is cited for."""
    share: float
    """The same, where a statement is divided among the sources cited for it."""
    fallen: float
    """The (root of the) share of the answer's terms that fall away without it."""
    sole: float
    """The part of what it is cited for that no other source is cited for."""
    apart: float
    """How much of what it says no other source comes near to."""
    apart_share: float
    only: float
    """How many terms the answer has from it alone."""
    terms: float
    """How many different terms it brings."""
    units: float
    points: float
    aspects: float
    second: float
    numbers: float
    names: float
    causes: float
    contrasts: float
    rare_best: float
    generic: float
    hedged: float
    density: float
    """The share of words that say something."""
    repeats: float
    """The share of its content that only says again what it has said."""
    lead: float = 0.0
    """How much more it brings than the average source of the answer."""
    top_reach: float = 1.0
    """Its reach as a part of the largest reach in the answer."""
    top_share: float = 1.0


def features_of(reading: Reading, query: Query, overlap: Overlap) -> dict[int, Features]:
    """The features of every source that is cited for anything that says something."""
    whole = vector(reading.statements)
    norm = square(whole)
    mass = sum(statement.unit.mass for statement in reading.statements)
    alone = {
        source: _alone(source, reading, query, overlap, (whole, norm, mass))
        for source in reading.by_source
    }
    return _compared(alone)


def _alone(
    source: int,
    reading: Reading,
    query: Query,
    overlap: Overlap,
    answer: tuple[Mapping[str, float], float, float],
) -> Features:
    """The features that need no look at the features of other sources."""
    whole, norm, answer_mass = answer
    own = [reading.statements[i] for i in reading.by_source[source]]
    spoken = reading.spoken[source]
    distinct = credited = shared = sole = apart = 0.0
    for statement, near in zip(own, overlap.closeness[source], strict=True):
        mass = statement.credit[source] * statement.unit.mass
        distinct += statement.unit.mass
        credited += mass
        shared += mass / max(1.0, sum(statement.credit.values()))
        sole += mass * (len(statement.credit) == 1)
        apart += mass * (1 - near)
    terms = vector(own)
    only = overlap.only.get(source, 0.0)
    breadth = breadth_of(own, source, query)
    specific = specificity_of(own, source)
    return Features(
        best_match=best_match(own, query, spoken.sentences),
        closeness=closeness_to_rest(terms, whole, norm),
        reach=credited / answer_mass,
        share=shared / answer_mass,
        fallen=sqrt(only / overlap.terms),
        sole=sole / credited,
        apart=log2(1 + apart),
        apart_share=apart / credited,
        only=log2(1 + only),
        terms=log2(1 + sum(map(weight, terms))),
        units=breadth.units,
        points=breadth.points,
        aspects=breadth.aspects,
        second=breadth.second,
        numbers=specific.numbers,
        names=specific.names,
        causes=specific.causes,
        contrasts=specific.contrasts,
        rare_best=specific.rare_best,
        generic=specific.generic,
        hedged=specific.hedged,
        density=spoken.said / max(1, spoken.words),
        repeats=max(0.0, 1 - distinct / spoken.mass),
    )


def _compared(alone: Mapping[int, Features]) -> dict[int, Features]:
    """The features with those added that set a source against the others of the answer."""
    if not alone:
        return {}
    # fsum does not depend on the order of the sources.
    mean = fsum(f.terms for f in alone.values()) / len(alone)
    reach = max(f.reach for f in alone.values())
    share = max(f.share for f in alone.values())
    return {
        source: replace(
            f, lead=f.terms - mean, top_reach=f.reach / reach, top_share=f.share / share
        )
        for source, f in alone.items()
    }
