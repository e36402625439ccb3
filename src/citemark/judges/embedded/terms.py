"""Terms: the words of a text that say something, without their endings, and what they weigh."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from citemark.citations.words import UNSPACED
from citemark.judges.embedded.lexicon import Lexicon, lexicon, stem

COMMON_WEIGHT = 0.4
"""What a common word counts for, beside 1 for a rarer one."""

_LETTER = rf"[^\W\d_{UNSPACED}]"
_WORD = re.compile(rf"[{UNSPACED}]+|\d+(?:[.,]\d+)*{_LETTER}*|{_LETTER}+(?:['’\-]{_LETTER}+|\d+)*")
_ASCII_WORD = re.compile(r"[A-Za-z]+(?:['\-][A-Za-z]+|[0-9]+)*|[0-9]+(?:[.,][0-9]+)*[A-Za-z]*")
"""The same for plain text, where it is several times faster."""
_UNSPACED = re.compile(rf"[{UNSPACED}]")
_YEAR = re.compile(r"1[0-9]\d\d|20\d\d")
_ACRONYM = 6
"""A name all in capitals is an acronym up to this length."""


class Known(NamedTuple):
    """What is known of a word wherever it stands."""

    low: str
    empty: bool
    """Whether it is on the list of words that say nothing."""
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
    signals: bool
    """Whether it is a hedge, a cause, a contrast or a cue."""


def words_of(text: str) -> list[str]:
    """The words of a text, in their order.

    >>> words_of("A well-known 2.5-fold rise (in 1998)")
    ['A', 'well-known', '2.5', 'fold', 'rise', 'in', '1998']
    """
    return (_ASCII_WORD if text.isascii() else _WORD).findall(text)


@lru_cache(maxsize=1 << 15)
def known(word: str) -> Known:
    """What is known of a word."""
    lists = lexicon()
    low = word.casefold()
    number, name = word[0].isdigit(), word[0].isupper()
    hedge, cause, contrast = low in lists.hedge, low in lists.cause, low in lists.contrast
    cues = lists.cue.get(low, ())
    return Known(
        low=low,
        empty=low in lists.empty,
        terms=tuple(_terms(word, lists)),
        number=number,
        year=number and bool(_YEAR.fullmatch(word)),
        name=name,
        surely=name and not word[1:].islower(),
        acronym=name and word.isupper() and 1 < len(word) <= _ACRONYM,
        hedge=hedge,
        cause=cause,
        contrast=contrast,
        cues=cues,
        signals=hedge or cause or contrast or bool(cues),
    )


def weight(term: str) -> float:
    """How much a term says: a common word less than a rare one."""
    return COMMON_WEIGHT if term in lexicon().common else 1.0


def terms_of(text: str) -> tuple[str, ...]:
    """The terms of any text, such as a query: each once, in their order."""
    return tuple(dict.fromkeys(term for word in words_of(text) for term in known(word).terms))


def terms_with_words(text: str) -> dict[str, str]:
    """The terms of any text, each with the word in small letters that it was first seen in."""
    found: dict[str, str] = {}
    for word in words_of(text):
        one = known(word)
        for term in one.terms:
            found.setdefault(term, one.low if len(one.terms) == 1 else term)
    return found


def _terms(word: str, lists: Lexicon) -> Iterator[str]:
    """The terms that a word stands for; none if it says nothing."""
    if word[0] >= "\u0e00" and _UNSPACED.match(word):
        # Scripts without spaces: pairs of neighbouring characters stand in for words.
        yield from (word[i : i + 2] for i in range(max(1, len(word) - 1)))
        return
    plain = word.casefold().removesuffix("'s").removesuffix("’s")
    if plain not in lists.empty:
        yield stem(plain)
