"""An answer as the judge weighs it: the levels of its sources, and what rests on which sentence.

Two models have a say: the network, which reads, and the feature model of the fast tier, which
counts and compares. Their levels are mixed in proportions that were fitted too (``mixture.npz``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cache, cached_property
from importlib.resources import as_file, files

import numpy as np
from numpy.typing import NDArray

from citemark.citations import ParsedAnswer
from citemark.judges.embedded.fast_model import TOP, fast_model
from citemark.judges.embedded.feature_table import FeatureTable, feature_table
from citemark.judges.embedded.leads import leads_of
from citemark.judges.embedded.network import network
from citemark.judges.embedded.passages import Passage, passages_of, roles_of
from citemark.judges.embedded.standing import lifted, standing_of
from citemark.judges.embedded.statements import Reading, Statement, read

Floats = NDArray[np.float32]
MOST_PASSAGES = 400
"""Of an answer with more, those with most words are read, shared out evenly among the sources."""
_MOST_TOGETHER = 160
"""With more passages than this the network weighs some sources at a time, not all together."""
_SAMPLE = 40
"""In such groups, and beside so many passages from all over the answer."""
_MOST_LEFT_OUT = 6000
"""In answers with more passages, counted once for each source, none are left out in turn."""
_MOST_TRIED = 12
"""So many of a source's sentences, the longest, are left out in turn to see what rests on them."""


@dataclass(frozen=True, slots=True)
class Mixture:
    """How the levels of the network and those of the feature model become one."""

    whole: Floats
    """(25,): the network's part of the mean levels of an answer's sources."""
    within: Floats
    """(): its part of what is above or below these."""
    base: Floats
    stretch: Floats
    lift: Floats
    """(facts, 25): what a source gains by how it stands in the answer."""

    def leaning(self, seen: Floats, counted: Floats) -> Floats:
        """What is the same for all sources of an answer, given every one of them: (25,)."""
        return np.asarray((self.whole - self.within) * (seen - counted).mean(0))

    def levels(self, seen: Floats, counted: Floats, standing: Floats, leaning: Floats) -> Floats:
        """The levels, from what is known of each source: (rows, 25).

        They are 4 at most; next to nothing may be below 0.
        """
        mixed = self.within * seen + (1 - self.within) * counted + leaning
        mixed += lifted(standing, self.lift)
        return np.minimum(self.base + self.stretch * (mixed - self.base), TOP)


@cache
def mixture() -> Mixture:
    """The mixture in the package, read once."""
    place = files("citemark.judges.embedded") / "model" / "mixture.npz"
    with as_file(place) as path, np.load(path, allow_pickle=False) as data:
        return Mixture(**{field.name: data[field.name] for field in fields(Mixture)})


@dataclass(frozen=True, slots=True)
class Fall:
    """What a source loses when a sentence is left out."""

    sentences: tuple[int, ...]
    levels: Floats
    """(25,): the level with the sentence less the level without it."""


class Weighing:
    """One answer, read once."""

    def __init__(self, answer: ParsedAnswer, query: str) -> None:
        self._query = query
        self._reading = read(answer, query)
        # The network knows what leads up to a marker; the feature model does better without.
        self._led = read(answer, query, led=True) if leads_of(answer) else self._reading
        self._passages = _chosen(passages_of(answer, query))
        self._table = feature_table(self._reading, query)
        self._credited = {s.n: {*s.sources, *s.block_sources} for s in answer.sentences}
        self.sources = self._table.sources
        self._standing = standing_of(answer, self._reading, self.sources)

    @cached_property
    def _vectors(self) -> Floats:
        return network().read(self._query, self._passages)

    @cached_property
    def _roles(self) -> Floats:
        return np.stack([roles_of(self._passages, source) for source in self.sources])

    @cached_property
    def levels(self) -> dict[int, Floats]:
        """The 25 levels of every source that is cited for anything that says something."""
        if not self.sources or not self._passages:
            return {}
        seen, counted = self._both
        found = mixture().levels(seen, counted, self._standing, self._leaning)
        return dict(zip(self.sources, found, strict=True))

    @cached_property
    def _both(self) -> tuple[Floats, Floats]:
        """What the network and the feature model say of every source."""
        seen = np.concatenate([self._seen(rows, company) for rows, company in self._groups()])
        return seen, fast_model().raw(self._table.values)

    @cached_property
    def _leaning(self) -> Floats:
        return mixture().leaning(*self._both)

    @cached_property
    def _told(self) -> Floats:
        """The features that the network is told, one row for each source."""
        if self._led is self._reading:
            return self._table.values
        table = feature_table(self._led, self._query)
        return np.stack([self._row(table, source) for source in self.sources])

    def _seen(self, rows: slice, company: Sequence[int]) -> Floats:
        """What the network says of some sources among some passages."""
        roles = self._roles[rows][:, company]
        live = np.ones(roles.shape[:2], dtype=np.bool_)
        return network().levels(self._vectors[company], roles, live, self._told[rows])

    def _groups(self) -> Iterator[tuple[slice, list[int]]]:
        """All sources among all passages; in a huge answer some sources among some of them."""
        every = list(range(len(self._passages)))
        if len(every) <= _MOST_TOGETHER:
            yield slice(0, len(self.sources)), every
            return
        sample = every[:: -(-len(every) // _SAMPLE)]
        for first in range(0, len(self.sources), _SAMPLE):
            rows = slice(first, first + _SAMPLE)
            own = np.flatnonzero(_credit(self._roles[rows]).any(0)).tolist()
            yield rows, sorted({*own[:_MOST_TOGETHER], *sample})

    def falls(self, source: int) -> list[Fall]:
        """What the source loses without each of its sentences in turn."""
        place = self.sources.index(source)
        own = self._by_sentence(place)
        if not own:
            return [Fall(self._mine(source, self._reading.spoken[source]), self.levels[source])]
        if len(own) == 1:
            less = np.zeros((1, len(self.levels[source])), dtype=np.float32)
        elif len(self._passages) * len(self.sources) > _MOST_LEFT_OUT:
            less = self._by_length(source, own)
        else:
            less = self._without_each(source, place, own)
        return [
            Fall(self._mine(source, self._said_in(group)), self.levels[source] - without)
            for group, without in zip(own, less, strict=True)
        ]

    def _by_sentence(self, place: int) -> list[list[int]]:
        """The passages that a source is cited for, by sentence; of very many the longest."""
        groups: dict[int, list[int]] = {}
        for i in np.flatnonzero(_credit(self._roles[place])).tolist():
            sentences = self._passages[i].sentences
            if self._mine(self.sources[place], sentences):
                groups.setdefault(sentences[0], []).append(i)
        ranked = sorted(groups.values(), key=lambda group: -self._length(group))
        return sorted(ranked[:_MOST_TRIED])

    def _length(self, group: Sequence[int]) -> int:
        return sum(len(self._passages[i].text) for i in group)

    def _said_in(self, group: Sequence[int]) -> set[int]:
        return {n for i in group for n in self._passages[i].sentences}

    def _mine(self, source: int, sentences: Iterable[int]) -> tuple[int, ...]:
        """Of some sentences, those that are credited to the source."""
        return tuple(sorted(n for n in sentences if source in self._credited[n]))

    def _by_length(self, source: int, own: Sequence[Sequence[int]]) -> Floats:
        """The levels without each sentence, guessed from its length: for endless answers."""
        words = np.array([self._length(group) for group in own], dtype=np.float32)
        return np.outer(1 - words / words.sum(), self.levels[source]).astype(np.float32)

    def _without_each(self, source: int, place: int, own: Sequence[Sequence[int]]) -> Floats:
        """The levels without each sentence: both models are asked again."""
        roles = self._roles[place]
        live = np.ones((len(own), len(roles)), dtype=np.bool_)
        for row, group in zip(live, own, strict=True):
            row[list(group)] = False
        features = np.stack([self._features_without(self._reading, source, g) for g in own])
        told = features
        if self._led is not self._reading:
            told = np.stack([self._features_without(self._led, source, g) for g in own])
        every = np.repeat(roles[None], len(own), 0)
        seen = network().levels(self._vectors, every, live, told)
        # How the source stands and the level of the answer stay as they are.
        standing = np.repeat(self._standing[place : place + 1], len(own), 0)
        return mixture().levels(seen, fast_model().raw(features), standing, self._leaning)

    def _features_without(self, reading: Reading, source: int, gone: Sequence[int]) -> Floats:
        left = without(reading, self._said_in(gone))
        return self._row(feature_table(left, self._query), source)

    def _row(self, table: FeatureTable, source: int) -> Floats:
        """A source's features; all 0 if it says nothing any more."""
        if source in table.sources:
            return np.asarray(table.values[table.sources.index(source)], dtype=np.float32)
        return np.zeros(self._table.values.shape[1], dtype=np.float32)


def _credit(roles: Floats) -> Floats:
    return np.asarray(roles[..., 0] + roles[..., 1], dtype=np.float32)


def without(reading: Reading, sentences: Collection[int]) -> Reading:
    """A reading without what some sentences say."""
    gone = set(sentences)
    kept = tuple(
        s if gone.isdisjoint(s.sentences) else _less(s, gone)
        for s in reading.statements
        if not gone.issuperset(s.sentences)
    )
    by_source: dict[int, list[int]] = {}
    for i, statement in enumerate(kept):
        for source in statement.credit:
            by_source.setdefault(source, []).append(i)
    owned = {source: tuple(own) for source, own in by_source.items()}
    return Reading(kept, owned, reading.spoken, reading.disclaiming)


def _less(statement: Statement, gone: set[int]) -> Statement:
    left = tuple(n for n in statement.sentences if n not in gone)
    return Statement(statement.unit, statement.credit, left)


def _chosen(passages: Sequence[Passage]) -> Sequence[Passage]:
    """All passages of an answer of usual size; of a huge one the longest of each source."""
    if len(passages) <= MOST_PASSAGES:
        return passages
    by_source: dict[int, list[int]] = {}
    for i, passage in enumerate(passages):
        for source in (*passage.marked, *passage.closing) or (0,):
            by_source.setdefault(source, []).append(i)
    ranked = [
        sorted(own, key=lambda i: (-len(passages[i].text), passages[i].text))
        for own in by_source.values()
    ]
    kept: dict[int, None] = {}
    for turn in range(max(map(len, ranked))):
        for own in ranked:
            if turn < len(own):
                kept[own[turn]] = None
        if len(kept) >= MOST_PASSAGES:
            break
    return [passages[i] for i in sorted(kept)]
