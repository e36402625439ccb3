"""Empty talk: clauses that say nothing about any subject, taken out.

What is left is what the judges read, so that neither praise nor filler nor claims of novelty,
importance or certainty can move a score.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from citemark.judges.embedded.emptiness import SHORT, emptiness, known, words_of
from citemark.judges.embedded.lexicon import stem
from citemark.judges.embedded.plain_words import is_opener, plain_words

_LAYOUT = re.compile(r"<[/a-zA-Z][^<>]{0,300}>|[*_`#>|~]+")
_LOOSE = re.compile(r"\s+(?=[,.;:!?)]|['’]s\b)|(?<=\()\s+")
"""Space that is left beside a sign when layout has gone."""
_BREAK = re.compile(r"(,\s+|[;:]\s+|\s+[-–—]+\s+|—|\s*[()]\s*)")
_THAT = re.compile(r"(?<=\w )(that)(?=\s+\w)")
_LONGEST_LEAD = 14
_DOUBTFUL = -1.5
"""A clause that is less empty than this keeps what it is part of."""
_LEAST_SENTENCE = 5
"""A sentence with fewer words than this is never empty as a whole."""
_LONGEST_RUN = 3
_FEW_SENTENCES, _SEVERAL_SENTENCES = 2, 3
_TELLING = 0.4
"""How rare a word must be to be one of the answer's topics."""


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
        that = _THAT.search(clause)
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


@lru_cache(maxsize=1 << 12)
def _found(text: str) -> _Found:
    """A sentence without layout, and which of its clauses sound empty."""
    text = _LOOSE.sub("", " ".join(_LAYOUT.sub(" ", text).split()))
    clauses, behind = clauses_of(text)
    if text.count(" ") + 1 < _LEAST_SENTENCE:
        return _Found(text, (text,), ("",), (False,))
    if emptiness(text.rstrip(".!?… ")) > 0 and all(map(_could_be, clauses)):
        return _Found(text, (text,), ("",), (True,))
    empty = [emptiness(clause.rstrip(".!?… ")) > 0 for clause in clauses]
    first = int(is_opener(clauses[0]))
    empty[:first] = [False] * first
    for i in range(1, len(clauses)):
        if behind[i - 1] == " ":
            _mark_that(clauses, empty, i)
    _mark_run(clauses, behind, empty, first)
    return _Found(text, tuple(clauses), tuple(behind), tuple(empty))


def _mark_that(clauses: Sequence[str], empty: list[bool], i: int) -> None:
    """What follows a "that" hangs on what stands before it, and may be empty only with it."""
    if not (empty[i - 1] and empty[i]):
        whole = f"{clauses[i - 1]} {clauses[i]}".rstrip(".!?… ")
        if emptiness(whole) > 0 and _could_be(clauses[i - 1]) and _could_be(clauses[i]):
            empty[i - 1] = empty[i] = True
    empty[i] &= empty[i - 1]


def _could_be(clause: str) -> bool:
    """Whether a clause may be empty as a part of more: it alone does not tell of anything."""
    clause = clause.rstrip(".!?… ")
    return emptiness(clause) > _DOUBTFUL or len(words_of(clause)) <= SHORT


def _mark_run(clauses: Sequence[str], behind: Sequence[str], empty: list[bool], first: int) -> None:
    """Some openings sound empty only as a whole: "Strangely, and as few expect, ..."."""
    for end in range(min(first + _LONGEST_RUN, len(clauses) - 1), first + 1, -1):
        own = slice(first, end)
        if all(empty[own]):
            return
        if not any(empty[own]) or not all(map(_could_be, clauses[own])):
            continue
        run = "".join(c + b for c, b in zip(clauses[own], behind[own], strict=True))
        if emptiness(run.rstrip(" ,;:")) > 0:
            empty[own] = [True] * (end - first)
            return


def without_empty_talk(texts: Sequence[str]) -> list[str]:
    """The sentences of an answer without what says nothing; an empty one leaves nothing.

    A clause that speaks of the answer's own topics stays, however it sounds.
    """
    found = [_found(text) for text in texts]
    topics: set[str] | None = None
    out: list[str] = []
    for one in found:
        kept = one.text
        if any(one.empty):
            if topics is None:
                topics = _topics(found)
            kept = _without(one, topics)
        out.append(plain_words(kept))
    return out


def _topics(found: Sequence[_Found]) -> set[str]:
    """Telling words that several sentences hold, fewer outside their empty clauses."""
    counts: Counter[str] = Counter()
    kept: Counter[str] = Counter()
    for one in {one.text: one for one in found}.values():  # saying it again makes no topic
        own = [c for c, empty in zip(one.clauses, one.empty, strict=True) if not empty]
        kept.update({stem(word) for word in words_of(" ".join(own)) if _telling(word)})
        counts.update({stem(word) for word in words_of(one.text) if _telling(word)})
    return {
        word
        for word, count in counts.items()
        if count >= _SEVERAL_SENTENCES or kept[word] >= _FEW_SENTENCES
    }


@lru_cache(maxsize=1 << 15)
def _telling(word: str) -> bool:
    found = known(word)
    return found.kind == 0 and found.rarity > _TELLING


def _without(one: _Found, topics: set[str]) -> str:
    kept: list[str] = []
    for clause, sign, empty in zip(one.clauses, one.behind, one.empty, strict=True):
        if not empty or any(stem(w) in topics for w in words_of(clause) if _telling(w)):
            kept += (clause, sign)
        elif kept and sign.strip() in (")", ";"):
            kept[-1] = sign if sign.strip() == ";" else " "
    text = _LOOSE.sub("", "".join(kept)).strip(" ,;:(—–-")
    if not words_of(text):
        return ""
    if one.text[-1] in ".!?" and text[-1] not in ".!?":
        text += one.text[-1]
    return text[0].upper() + text[1:]
