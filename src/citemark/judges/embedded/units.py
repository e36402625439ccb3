"""Information units: what a sentence says, clause by clause, without the words that say nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

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
    for clause in _clauses(_LAYOUT.sub(" ", text)):
        words = _WORD.findall(clause)
        said = sum(1 for word in words if word.casefold() not in lists.empty)
        if clauses and (said < _MIN_TERMS or terms[-1] < _MIN_TERMS):
            clauses[-1].extend(words)
            terms[-1] += said
        else:
            clauses.append(words)
            terms.append(said)
    if len(clauses) > 1 and terms[-1] < _MIN_TERMS:
        last = clauses.pop()
        clauses[-1].extend(last)
    return [_unit(words, sentence, i == 0, lists) for i, words in enumerate(clauses) if words]


def terms_of(text: str) -> tuple[str, ...]:
    """The terms of any text, such as a query: each once, in their order."""
    lists = lexicon()
    terms = [term for word in _WORD.findall(text) for term in _terms(word, lists)]
    return tuple(dict.fromkeys(terms))


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


def _unit(words: list[str], sentence: int, opening: bool, lists: Lexicon) -> Unit:
    numbers = names = said = 0
    low = [word.casefold() for word in words]
    terms: list[str] = []
    for i, word in enumerate(words):
        own = list(_terms(word, lists))
        if not own:
            continue
        said += 1
        terms.extend(own)
        if word[0].isdigit():
            numbers += 1
        elif word[0].isupper() and (i or not opening or not word[1:].islower()):
            names += 1
    distinct = tuple(dict.fromkeys(terms))
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
        hedges=sum(1 for word in low if word in lists.hedge),
        causes=sum(1 for word in low if word in lists.cause),
        contrasts=sum(1 for word in low if word in lists.contrast),
        mass=len(rare) + COMMON_WEIGHT * (len(distinct) - len(rare)),
    )
