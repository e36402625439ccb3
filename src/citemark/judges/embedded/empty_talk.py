"""Empty talk: clauses that say nothing about any subject, taken out.

What is left is what the judges read, so that neither praise nor filler nor claims of novelty,
importance or certainty can move a score. A clause is heard in its answer: one that bears on what
the other sentences say is less likely to be empty, however it sounds.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from citemark.judges.embedded.emptiness import SHORT, emptiness, known, words_of
from citemark.judges.embedded.lexicon import lexicon, stem
from citemark.judges.embedded.plain_words import is_opener
from citemark.judges.embedded.topic import USUAL, Topic

LOOSE = re.compile(r"\s+(?=[,.;:!?)]|['’]s\b)|(?<=\()\s+")
"""Space that is left beside a sign when something has gone."""
_BREAK = re.compile(r"(,\s+|[;:]\s+|\s+[-–—]+\s+|—|\s*[()]\s*)")
_THAT = re.compile(r"(?<=\w )(that)(?=\s+\w)")
_IS_THAT = re.compile(r"(?<= is )(that)(?=\s+\w)")
"""Of two, as in "one thing that matters is that", this one ends the lead."""
_LONGEST_LEAD = 14
_DOUBTFUL = -1.5
"""A clause that is less empty than this keeps what it is part of."""
_SHORT = re.compile(r"(?!.*\b(?:it|that|these|this|those|what)\b)(?:\S+\s*){,4}", re.IGNORECASE)
"""A sentence of so few words is never empty as a whole, unless it points at another one."""
_LONGEST_RUN = 3
_SEVERAL = 2
_RARE = 0.4
"""How rare a word must be to tell what an answer is about."""
BEARING = 3.0
"""How much emptier a clause is that bears on nothing than one that bears on the rest as usual."""
_OF_SOURCES = frozenset({3, 4})
"""Kinds of words: praise, talk of sources."""
_POINTING = frozenset(
    "he her his it its she such that the their there these they this those what which".split()
)
"""A sentence that begins like this speaks of something that was said before, or says nothing."""
_CAUTION = 0.7
"""So empty must sound what is most of a sentence: taken out wrongly, it would be missed."""
_HOPELESS = _DOUBTFUL - BEARING * USUAL
"""A clause that is less empty than this by itself is not so in any answer."""
Ear = Callable[[str], float]
"""How surely a clause of a certain sentence says nothing: above 0 it is taken for empty."""


def clauses_of(text: str) -> tuple[list[str], list[str]]:
    """The clauses of a sentence, and what stands behind each: a comma, a bracket, nothing.

    >>> clauses_of("It is known that tin melts, a fact (so they say)")[0]
    ['It is known that', 'tin melts', 'a fact', 'so they say', '']
    """
    parts = _BREAK.split(text)
    clauses: list[str] = []
    behind: list[str] = []
    for i in range(0, len(parts), 2):
        clause, sign = parts[i], parts[i + 1] if i + 1 < len(parts) else ""
        that = " that " in clause and (_IS_THAT.search(clause) or _THAT.search(clause))
        if that and clause.count(" ", 0, that.start()) <= _LONGEST_LEAD:
            clauses.append(clause[: that.end()])
            behind.append(" ")
            clause = clause[that.end() :].lstrip()
        clauses.append(clause)
        behind.append(sign)
    return clauses, behind


class _Found(NamedTuple):
    text: str
    clauses: tuple[str, ...]
    behind: tuple[str, ...]
    empty: tuple[bool, ...]


def _ear(topic: Topic, sentence: int) -> Ear:
    """An ear for the clauses of one sentence of an answer."""

    def heard(clause: str) -> float:
        clause = clause.rstrip(".!?… ")
        alone = emptiness(clause)
        if alone < _HOPELESS:
            return alone
        return alone + BEARING * (USUAL - topic.bearing(clause, sentence))

    return heard


def _found(text: str, ear: Ear) -> _Found:
    """A sentence, and which of its clauses are empty."""
    clauses, behind = clauses_of(text)
    if _SHORT.fullmatch(text):
        return _Found(text, (text,), ("",), (False,))
    if ear(text) > _CAUTION and all(_could_be(clause, ear) for clause in clauses):
        return _Found(text, (text,), ("",), (True,))
    empty = [ear(clause) > 0 for clause in clauses]
    first = int(is_opener(clauses[0]))
    empty[:first] = [False] * first
    for i in range(1, len(clauses)):
        if behind[i - 1] == " ":
            _mark_that(clauses, empty, i, ear)
    _mark_run(clauses, behind, empty, first, ear)
    _leave_most(clauses, empty, ear)
    return _Found(text, tuple(clauses), tuple(behind), tuple(empty))


def _leave_most(clauses: Sequence[str], empty: list[bool], ear: Ear) -> None:
    """Take back what is not surely empty where more than half of the words would go.

    What leads up to the first clause that tells something may be as long as it likes.
    """
    words = [len(words_of(clause)) for clause in clauses]
    gone = sum(count for count, one in zip(words, empty, strict=True) if one)
    first = 0 if all(empty) else empty.index(False)
    if 2 * gone > sum(words):
        rest = zip(clauses[first:], empty[first:], strict=True)
        empty[first:] = [one and ear(clause) > _CAUTION for clause, one in rest]


def _mark_that(clauses: Sequence[str], empty: list[bool], i: int, ear: Ear) -> None:
    """What follows a "that" hangs on what stands before it, and may be empty only with it."""
    if not (empty[i - 1] and empty[i]):
        both = clauses[i - 1 : i + 1]
        if ear(" ".join(both)) > 0 and all(_could_be(clause, ear) for clause in both):
            empty[i - 1] = empty[i] = True
    empty[i] &= empty[i - 1]


def _could_be(clause: str, ear: Ear) -> bool:
    """Whether a clause may be empty as a part of more: it alone does not tell of anything."""
    return ear(clause) > _DOUBTFUL or len(words_of(clause)) <= SHORT


def _mark_run(
    clauses: Sequence[str], behind: Sequence[str], empty: list[bool], first: int, ear: Ear
) -> None:
    """Some openings sound empty only as a whole: "Strangely, and as few expect, ..."."""
    for end in range(min(first + _LONGEST_RUN, len(clauses) - 1), first + 1, -1):
        own = slice(first, end)
        if all(empty[own]):
            return
        if not any(empty[own]) or not all(_could_be(clause, ear) for clause in clauses[own]):
            continue
        run = "".join(c + b for c, b in zip(clauses[own], behind[own], strict=True))
        if ear(run.rstrip(" ,;:")) > 0:
            empty[own] = [True] * (end - first)
            return


def is_about_media(query: str) -> bool:
    """Whether a query is about pages, texts, or those who make and read them."""
    return not lexicon().media.isdisjoint(words_of(query))


def stands_alone(text: str) -> bool:
    """Whether a sentence that sounds empty is worth hearing all the same.

    It is if it points at nothing before it, praises nothing and does not speak of sources.
    """
    words = words_of(text)
    if not words or words[0].casefold() in _POINTING:
        return False
    return not any(known(word).kind in _OF_SOURCES for word in words)


def without_empty_talk(texts: Sequence[str], query: str = "") -> list[str]:
    """The sentences of an answer without what says nothing; an empty one leaves nothing.

    A clause that speaks of what other sentences are about stays, however it sounds. So does
    every sentence of an answer to a query about web pages, writing or reputations, where that is
    what there is to say, and of an answer that consists of such sentences.
    """
    topic = Topic(texts)
    found = [_found(text, _ear(topic, i)) for i, text in enumerate(texts)]
    touched = {one.text for one in found if any(one.empty)}
    empty = {one.text for one in found if all(one.empty)}
    if is_about_media(query) or (len(empty) >= _SEVERAL and 2 * len(empty) > len(set(texts))):
        touched -= empty
    if not touched:
        return [one.text for one in found]
    subjects = _subjects(found)
    return [_without(one, subjects) if one.text in touched else one.text for one in found]


def _subjects(found: Sequence[_Found]) -> set[str]:
    """Telling words that several clauses hold which are not empty."""
    # Saying it again makes no subject: each clause counts once.
    clauses = {
        tuple(words_of(clause))
        for one in found
        for clause, empty in zip(one.clauses, one.empty, strict=True)
        if not empty
    }
    counts = Counter(
        word for words in clauses for word in {stem(word) for word in words if _telling(word)}
    )
    return {word for word, count in counts.items() if count >= _SEVERAL}


@lru_cache(maxsize=1 << 15)
def _telling(word: str) -> bool:
    found = known(word)
    return found.kind == 0 and found.rarity > _RARE


def _without(one: _Found, subjects: set[str]) -> str:
    kept: list[str] = []
    for clause, sign, empty in zip(one.clauses, one.behind, one.empty, strict=True):
        if not empty or any(stem(w) in subjects for w in words_of(clause) if _telling(w)):
            kept += (clause, sign)
        elif kept and sign.strip() in (")", ";"):
            kept[-1] = sign if sign.strip() == ";" else " "
    text = LOOSE.sub("", "".join(kept)).strip(" ,;:(—–-")
    if not words_of(text):
        return ""
    if one.text[-1] in ".!?" and text[-1] not in ".!?":
        text += one.text[-1]
    return text[0].upper() + text[1:]
