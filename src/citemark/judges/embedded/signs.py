"""Signs: what a clause has beside its words, such as percentages and enumerations."""

from __future__ import annotations

import re
from typing import NamedTuple

from citemark.judges.embedded.lexicon import lexicon

_PERCENT = re.compile(r"\d\s*(?:%|per\s?cent\b)")
_QUOTE = re.compile(r"[“«]|(?<!\w)\"(?=\s*\w)")
# It starts at the sign that joins, which is rare, and not at the words around it.
_JOINT = re.compile(
    r"[\s,](?<=[\w'’\-][\s,])"
    r"(?:(?<=,)(?:\s+(?:and|or))?|(?<=\s)\s*(?:,(?:\s+(?:and|or))?|and|or))"
    r"\s+(?=(\w[\w'’\-]*))"
)
_WORD_SIGNS = "_'’-"


class Signs(NamedTuple):
    """How many percentages, quotations and joints of enumerations a clause has."""

    percents: int = 0
    quotes: int = 0
    joints: int = 0
    """How often one thing follows another in an enumeration."""

    def joined(self, other: Signs, *, by_itself: bool) -> Signs:
        """The signs of two clauses; the break between them may be a joint by itself."""
        return Signs(
            self.percents + other.percents,
            self.quotes + other.quotes,
            self.joints + other.joints + by_itself,
        )


def signs_of(clause: str) -> Signs:
    """The signs of a clause.

    >>> signs_of('Copper, zinc and tin make up "about" 12% of it')
    Signs(percents=1, quotes=1, joints=2)
    """
    percents = len(_PERCENT.findall(clause)) if "%" in clause or "cent" in clause else 0
    quoted = '"' in clause or "“" in clause or "«" in clause
    quotes = len(_QUOTE.findall(clause)) if quoted else 0
    joins = "," in clause or "and" in clause or "or" in clause
    return Signs(percents, quotes, _joints(clause) if joins else 0)


def _joints(clause: str) -> int:
    """How many pairs of words that say something are joined by a comma, "and" or "or"."""
    empty = lexicon().empty
    count = 0
    found = _JOINT.search(clause)
    while found:
        left = _last_word(clause, found.start())
        if left:
            count += left.casefold() not in empty and found[1].casefold() not in empty
        found = _JOINT.search(clause, found.end() if left else found.start() + 1)
    return count


def _last_word(clause: str, end: int) -> str:
    """The word that ends at a place; it begins with a letter or a digit."""
    start = end
    while start and (clause[start - 1].isalnum() or clause[start - 1] in _WORD_SIGNS):
        start -= 1
    return clause[start:end].lstrip("'’-")
