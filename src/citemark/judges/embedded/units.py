"""Information units: what a sentence says, clause by clause, without the words that say nothing."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from citemark.judges.embedded.lexicon import Lexicon, lexicon
from citemark.judges.embedded.signs import Signs, signs_of
from citemark.judges.embedded.terms import COMMON_WEIGHT, Known, known, words_of

_MIN_TERMS = 3
"""A clause with fewer terms than this says nothing of its own: it goes with its neighbour."""
_LEAD_IN_WORDS = 8
"""A line that ends in a colon and has no more words than this only introduces what follows."""

_LAYOUT = re.compile(r"[<*_`#>|~](?:(?<=<)[/a-zA-Z][^<>]{0,300}>|(?<=[*_`#>|~])[*_`#>|~]*)")
"""Tags and signs of layout: no words."""


class Unit(NamedTuple):
    """One clause: its terms (each once, in the order of the text) and what they weigh."""

    sentence: int
    terms: tuple[str, ...]
    words: int
    """All words, those that say nothing included."""
    said: int
    """The words that say something."""
    numbers: int
    names: int
    rare: int
    generic: int
    hedges: int
    causes: int
    contrasts: int
    mass: float
    plain: tuple[str, ...] = ()
    """The word that each term was first seen in, in small letters."""
    years: int = 0
    percents: int = 0
    acronyms: int = 0
    quotes: int = 0
    joints: int = 0
    """How often one thing follows another in an enumeration."""
    cues: tuple[int, ...] = ()
    """How many words give each cue (the names are the lexicon's)."""


class _Clause:
    """What is gathered of a clause and of the small ones that go with it."""

    __slots__ = ("said", "signs", "words")

    def __init__(self, words: list[Known], said: int, signs: Signs) -> None:
        self.words = words
        self.said = said
        self.signs = signs


def is_lead_in(text: str) -> bool:
    """Whether a line only introduces what follows, as "Its main uses are:" does.

    >>> is_lead_in("**Benefits**:"), is_lead_in("It melts at 63 degrees.")
    (True, False)
    """
    if ":" not in text and "：" not in text:
        return False
    plain = _LAYOUT.sub(" ", text).strip()
    return plain.endswith((":", "：")) and len(words_of(plain)) <= _LEAD_IN_WORDS


def units_of(text: str, sentence: int) -> list[Unit]:
    """The information units of a sentence.

    >>> [unit.terms for unit in units_of("Copper conducts heat, but glass blocks most heat.", 0)]
    [('copper', 'conduct', 'heat'), ('glass', 'block', 'heat')]
    """
    lists = lexicon()
    clauses: list[_Clause] = []
    for part in _breaks().split(text):
        words = list(map(known, words_of(part)))
        said = len(words) - sum([word.empty for word in words])
        signs = signs_of(part)
        last = clauses[-1] if clauses else None
        if last and (said < _MIN_TERMS or last.said < _MIN_TERMS):
            last.words += words
            last.said += said
            last.signs = last.signs.joined(signs, by_itself=said > 0)
        else:
            clauses.append(_Clause(words, said, signs))
    if len(clauses) > 1 and clauses[-1].said < _MIN_TERMS:
        last = clauses.pop()
        clauses[-1].words += last.words
        clauses[-1].signs = clauses[-1].signs.joined(last.signs, by_itself=True)
    return [_unit(one, sentence, i == 0, lists) for i, one in enumerate(clauses) if one.words]


@cache
def _breaks() -> re.Pattern[str]:
    """Where one clause ends and the next begins."""
    openings = "|".join(sorted(map(re.escape, lexicon().clause)))
    # All alternatives begin with one of a few signs, so that the search can leap over the rest.
    return re.compile(
        r"[;；，、:：,—–\-](?:(?<=[;；，、])|(?<=[:：])\s|(?<=\s[—–\-])[—–\-]*\s|(?<=—)"
        rf"|(?<=,)\s+(?=(?i:{openings})\b))"
    )


def _unit(clause: _Clause, sentence: int, opening: bool, lists: Lexicon) -> Unit:
    numbers = names = said = years = acronyms = hedges = causes = contrasts = 0
    cues = [0] * len(lists.cues)
    plain: dict[str, str] = {}
    for i, word in enumerate(clause.words):
        if word.signals:
            hedges += word.hedge
            causes += word.cause
            contrasts += word.contrast
            for place in word.cues:
                cues[place] += 1
        own = word.terms
        if not own:
            continue
        said += 1
        if len(own) == 1:
            plain.setdefault(own[0], word.low)
        else:
            for term in own:
                plain.setdefault(term, term)
        if word.number:
            numbers += 1
            years += word.year
        elif word.name and (word.surely or i or not opening):
            names += 1
            acronyms += word.acronym
    rare = len(plain) - sum(map(lists.common.__contains__, plain))
    return Unit(
        sentence=sentence,
        terms=tuple(plain),
        words=len(clause.words),
        said=said,
        numbers=numbers,
        names=names,
        rare=rare,
        generic=sum(map(lists.generic.__contains__, plain)),
        hedges=hedges,
        causes=causes,
        contrasts=contrasts,
        mass=rare + COMMON_WEIGHT * (len(plain) - rare),
        plain=tuple(plain.values()),
        years=years,
        percents=clause.signs.percents,
        acronyms=acronyms,
        quotes=clause.signs.quotes,
        joints=clause.signs.joints,
        cues=tuple(cues),
    )
