"""Information units: what a sentence says, clause by clause, without the words that say nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

from citemark.citations.words import UNSPACED
from citemark.judges.embedded.lexicon import Lexicon, lexicon, stem

COMMON_WEIGHT = 0.4
"""What a common word counts for, beside 1 for a rarer one."""
_MIN_TERMS = 3
"""A clause with fewer terms than this says nothing of its own: it goes with its neighbour."""
_LEAD_IN_WORDS = 8
"""A line that ends in a colon and has no more words than this only introduces what follows."""

_LETTER = rf"[^\W\d_{UNSPACED}]"
_WORD = re.compile(rf"[{UNSPACED}]+|\d+(?:[.,]\d+)*{_LETTER}*|{_LETTER}+(?:['’\-]{_LETTER}+|\d+)*")
_UNSPACED = re.compile(rf"[{UNSPACED}]")
_LAYOUT = re.compile(r"<[/a-zA-Z][^<>]{0,300}>|[*_`#>|~]+")
"""Tags and signs of layout: no words."""


_PERCENT = re.compile(r"\d\s*(?:%|per\s?cent\b)")
_QUOTE = re.compile(r"[“«]|(?<!\w)\"(?=\s*\w)")
_JOINT = re.compile(r"(\w[\w'’\-]*)\s*(?:,?\s+(?:and|or)|,)\s+(?=(\w[\w'’\-]*))")
_Signs = tuple[int, int, int]
_YEAR = re.compile(r"1[0-9]\d\d|20\d\d")
_ACRONYM = 6
"""A name all in capitals is an acronym up to this length."""


@dataclass(frozen=True, slots=True)
class Unit:
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


def weight(term: str) -> float:
    """How much a term says: a common word less than a rare one."""
    return COMMON_WEIGHT if term in lexicon().common else 1.0


def is_lead_in(text: str) -> bool:
    """Whether a line only introduces what follows, as "Its main uses are:" does.

    >>> is_lead_in("**Benefits**:"), is_lead_in("It melts at 63 degrees.")
    (True, False)
    """
    plain = _LAYOUT.sub(" ", text).strip()
    return plain.endswith((":", "：")) and len(_WORD.findall(plain)) <= _LEAD_IN_WORDS


def units_of(text: str, sentence: int) -> list[Unit]:
    """The information units of a sentence.

    >>> [unit.terms for unit in units_of("Copper conducts heat, but glass blocks most heat.", 0)]
    [('copper', 'conduct', 'heat'), ('glass', 'block', 'heat')]
    """
    lists = lexicon()
    clauses: list[list[str]] = []
    terms: list[int] = []
    signs: list[_Signs] = []
    for clause in _clauses(_LAYOUT.sub(" ", text)):
        words = _WORD.findall(clause)
        said = sum(1 for word in words if word.casefold() not in lists.empty)
        if clauses and (said < _MIN_TERMS or terms[-1] < _MIN_TERMS):
            clauses[-1].extend(words)
            terms[-1] += said
            signs[-1] = _added(signs[-1], _signs(clause, lists), joined=said > 0)
        else:
            clauses.append(words)
            terms.append(said)
            signs.append(_signs(clause, lists))
    if len(clauses) > 1 and terms[-1] < _MIN_TERMS:
        last = clauses.pop()
        clauses[-1].extend(last)
        signs[-2] = _added(signs[-2], signs[-1], joined=True)
    return [
        _unit(words, sentence, i == 0, lists, sign)
        for i, (words, sign) in enumerate(zip(clauses, signs, strict=False))
        if words
    ]


def terms_of(text: str) -> tuple[str, ...]:
    """The terms of any text, such as a query: each once, in their order."""
    lists = lexicon()
    terms = [term for word in _WORD.findall(text) for term in _terms(word, lists)]
    return tuple(dict.fromkeys(terms))


def terms_with_words(text: str) -> dict[str, str]:
    """The terms of any text, each with the word in small letters that it was first seen in."""
    lists = lexicon()
    found: dict[str, str] = {}
    for word in _WORD.findall(text):
        own = list(_terms(word, lists))
        for term in own:
            found.setdefault(term, word.casefold() if len(own) == 1 else term)
    return found


@cache
def _breaks() -> re.Pattern[str]:
    openings = "|".join(sorted(map(re.escape, lexicon().clause)))
    return re.compile(rf"[;；，、]|[:：]\s|\s[-–—]+\s|—|,\s+(?=(?:{openings})\b)", re.IGNORECASE)


def _clauses(text: str) -> list[str]:
    return _breaks().split(text)


def _terms(word: str, lists: Lexicon) -> Iterator[str]:
    """The terms that a word stands for; none if it says nothing."""
    if word[0] >= "\u0e00" and _UNSPACED.match(word):
        # Scripts without spaces: pairs of neighbouring characters stand in for words.
        yield from (word[i : i + 2] for i in range(max(1, len(word) - 1)))
        return
    plain = word.casefold().removesuffix("'s").removesuffix("’s")
    if plain not in lists.empty:
        yield stem(plain)


class _Known(NamedTuple):
    """What is known of a word wherever it stands."""

    low: str
    terms: tuple[str, ...]
    """None if it says nothing."""
    number: bool
    year: bool
    name: bool
    """Whether it is a name if it does not open a sentence."""
    surely: bool
    """Whether it is one even there: capitals inside."""
    acronym: bool
    hedge: bool
    cause: bool
    contrast: bool
    cues: tuple[int, ...]


@lru_cache(maxsize=1 << 15)
def _known(word: str) -> _Known:
    lists = lexicon()
    low = word.casefold()
    number, name = word[0].isdigit(), word[0].isupper()
    return _Known(
        low=low,
        terms=tuple(_terms(word, lists)),
        number=number,
        year=number and bool(_YEAR.fullmatch(word)),
        name=name,
        surely=name and not word[1:].islower(),
        acronym=name and word.isupper() and 1 < len(word) <= _ACRONYM,
        hedge=low in lists.hedge,
        cause=low in lists.cause,
        contrast=low in lists.contrast,
        cues=lists.cue.get(low, ()),
    )


def _signs(clause: str, lists: Lexicon) -> _Signs:
    """How many percentages, quotations and joints of enumerations a clause has."""
    percents = len(_PERCENT.findall(clause)) if "%" in clause or "cent" in clause else 0
    joints = sum(
        left.casefold() not in lists.empty and right.casefold() not in lists.empty
        for left, right in _JOINT.findall(clause)
    )
    return percents, len(_QUOTE.findall(clause)), joints


def _added(left: _Signs, right: _Signs, *, joined: bool) -> _Signs:
    return left[0] + right[0], left[1] + right[1], left[2] + right[2] + joined


def _unit(
    words: list[str],
    sentence: int,
    opening: bool,
    lists: Lexicon,
    signs: _Signs,
) -> Unit:
    numbers = names = said = years = acronyms = hedges = causes = contrasts = 0
    cues = [0] * len(lists.cues)
    plain: dict[str, str] = {}
    for i, word in enumerate(words):
        known = _known(word)
        hedges += known.hedge
        causes += known.cause
        contrasts += known.contrast
        for place in known.cues:
            cues[place] += 1
        own = known.terms
        if not own:
            continue
        said += 1
        for term in own:
            plain.setdefault(term, known.low if len(own) == 1 else term)
        if known.number:
            numbers += 1
            years += known.year
        elif known.surely or (known.name and (i or not opening)):
            names += 1
            acronyms += known.acronym
    distinct = tuple(plain)
    rare = [term for term in distinct if term not in lists.common]
    return Unit(
        sentence=sentence,
        terms=distinct,
        words=len(words),
        said=said,
        numbers=numbers,
        names=names,
        rare=len(rare),
        generic=sum(1 for term in distinct if term in lists.generic),
        hedges=hedges,
        causes=causes,
        contrasts=contrasts,
        mass=len(rare) + COMMON_WEIGHT * (len(distinct) - len(rare)),
        plain=tuple(plain.values()),
        years=years,
        percents=signs[0],
        acronyms=acronyms,
        quotes=signs[1],
        joints=signs[2],
        cues=tuple(cues),
    )
