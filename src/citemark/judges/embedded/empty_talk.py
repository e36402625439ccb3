"""Empty talk: clauses that say nothing about any subject, found and taken out.

Praise of a source, claims that a point is new, important or beyond doubt, filler and talk about
a page's looks are told from content by a small logistic model over facts about the words of a
clause. What is left is what the judges read, so that none of these can move a score.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import as_file, files
from math import log2
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from citemark.judges.embedded.lexicon import lexicon, stem
from citemark.judges.embedded.plain_words import plain_words
from citemark.judges.embedded.static import static_embedder

Floats = NDArray[np.float32]

_LAYOUT = re.compile(r"<[/a-zA-Z][^<>]{0,300}>|[*_`#>|~]+")
_LOOSE = re.compile(r"\s+(?=[,.;:!?)]|['’]s\b)|(?<=\()\s+")
"""Space that is left beside a sign when layout has gone."""
_WORD = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*")
_BREAK = re.compile(r"(,\s+|[;:]\s+|\s+[-–—]+\s+|—|\s*[()]\s*)")
_THAT = re.compile(r"(?<=\w )(that)(?=\s+\w)")
_SPECIFIC = re.compile(r"\d|(?<=[^.!?\s]\s)(?!I\b)[A-Z]|[^\W\d_][A-Z]|[%\"“”]")
"""A number, a name or a quotation: a clause with one of these is about something."""
_UNPROVEN = re.compile(
    r"\b(?:no|not|little|any)\b.*\b(?:evidence|answer|proof|research)\b", re.IGNORECASE
)
"""That something is not known is worth saying."""
_OPENS = re.compile(r"(?:as|which|and|something|an?|in|of|it|this|what|there)\b", re.IGNORECASE)
_LONGEST_LEAD = 14
_LONGEST = 30
"""Clauses with more words than this are never empty."""
_SHORT = 2
"""Clauses with no more words than this are empty only if every word is a word of that sort."""
_HOPELESS = -1.6
"""No clause whose words score less than this on average is empty."""
_DOUBTFUL = -4.0
"""A clause that is less empty than this keeps what it is part of."""
_LEAST_SENTENCE = 5
"""A sentence with fewer words than this is never empty as a whole."""
_LONGEST_RUN = 3
_FEW_SENTENCES = 2
_TELLING = 0.4
"""How rare a word must be to be one of the answer's topics."""
FACTS = (
    "mean", "least", "next", "stop", "filler", "praise", "reporting", "rarity", "rarest",
    "words", "telling", "opens", "that", "about_source", "sum", "pairs", "told",
)  # fmt: skip


class _Word(NamedTuple):
    score: float
    """How much it sounds like empty talk."""
    rarity: float
    kind: int
    """1 grammar, 2 filler, 3 praise, 4 talk of sources, 0 all others."""


@dataclass(frozen=True, slots=True)
class Model:
    """The weights of the detector."""

    direction: Floats
    """Against a word's vector at length 1: how much it sounds like empty talk."""
    offset: float
    known: Mapping[str, float]
    """What some words and pairs of words add to that."""
    weights: tuple[float, ...]
    """One for each of the facts."""
    bias: float


@cache
def model() -> Model:
    """The model in the package, read once."""
    place = files("citemark.judges.embedded") / "model" / "empty_talk.npz"
    with as_file(place) as path, np.load(path, allow_pickle=False) as data:
        return Model(
            data["direction"],
            float(data["offset"]),
            dict(zip(map(str, data["known"]), map(float, data["adds"]), strict=True)),
            tuple(map(float, data["weights"])),
            float(data["bias"]),
        )


def words_of(clause: str) -> list[str]:
    """The words of a clause in small letters."""
    return _WORD.findall(clause.casefold())


@lru_cache(maxsize=1 << 15)
def _kind(word: str) -> int:
    lists = lexicon()
    for number, words in enumerate((lists.stop, lists.filler, lists.praise, lists.reporting)):
        if word in words:
            return number + 1
    return 0


@lru_cache(maxsize=1 << 15)
def _known(word: str) -> _Word:
    embedder = static_embedder()
    entry = embedder.word(word)
    score = word_score(word, model().direction) + model().offset
    return _Word(score + model().known.get(word, 0.0), entry.rarity, _kind(word))


def word_score(word: str, direction: Floats) -> float:
    """How far a word's vector points in a direction."""
    embedder = static_embedder()
    vector = embedder.vectors([embedder.word(word)])[0]
    return float(vector @ direction) / max(float(np.sqrt(vector @ vector)), 1e-9)


def facts(
    words: Sequence[str],
    known: Callable[[str], tuple[float, float, int]],
    pairs: Mapping[str, float],
) -> list[float]:
    """What the model looks at, in the order of ``FACTS``."""
    scores: list[float] = []
    rarities: list[float] = []
    kinds = [0, 0, 0, 0, 0]
    for word in words:
        score, rarity, kind = known(word)
        scores.append(score)
        kinds[kind] += 1
        if kind != 1:
            rarities.append(rarity)
    count = len(words)
    total = sum(scores)
    scores.sort()
    joined = sum(pairs.get(f"{a} {b}", 0.0) for a, b in itertools.pairwise(words))
    return [
        total / count,
        scores[0],
        scores[min(1, count - 1)],
        kinds[1] / count,
        kinds[2] / count,
        kinds[3] / count,
        kinds[4] / count,
        sum(rarities) / len(rarities) if rarities else 0.0,
        max(rarities, default=0.0),
        log2(count),
        log2(1 + kinds[0]),
        float(_OPENS.match(words[0]) is not None),
        float(words[-1] == "that"),
        float(kinds[4] > 0),
        total / 8,
        joined,
        kinds[0] / count,
    ]


def may_be_empty(clause: str, words: Sequence[str]) -> bool:
    """Whether a clause is worth a look: neither too short nor too long, nothing specific in it."""
    if not 1 < len(words) <= _LONGEST or _SPECIFIC.search(clause, 1) or _UNPROVEN.search(clause):
        return False
    return len(words) > _SHORT or (words[-1] != "that" and all(map(_kind, words)))


@lru_cache(maxsize=1 << 14)
def emptiness(clause: str) -> float:
    """How surely a clause says nothing: above 0 it is taken for empty talk."""
    words = words_of(clause)
    if not may_be_empty(clause, words):
        return -9.0
    if sum(_known(word).score for word in words) < _HOPELESS * len(words):
        return -9.0  # most clauses of content: no need for a closer look
    fitted = model()
    return fitted.bias + sum(
        w * x for w, x in zip(fitted.weights, facts(words, _known, fitted.known), strict=True)
    )


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
    for i in range(1, len(clauses)):
        # What follows a "that" hangs on what stands before it.
        empty[i] &= empty[i - 1] or behind[i - 1] != " "
    if len(clauses) > 1:
        _mark_runs(clauses, behind, empty)
    return _Found(text, tuple(clauses), tuple(behind), tuple(empty))


def _could_be(clause: str) -> bool:
    """Whether a clause may be empty as a part of more: it alone does not tell of anything."""
    clause = clause.rstrip(".!?… ")
    return emptiness(clause) > _DOUBTFUL or len(words_of(clause)) <= _SHORT


def _mark_runs(clauses: list[str], behind: list[str], empty: list[bool]) -> None:
    """Some openings sound empty only as a whole: "Strangely, and as few expect, ..."."""
    for length in range(min(_LONGEST_RUN, len(clauses) - 1), 1, -1):
        if all(empty[:length]):
            return
        if not any(empty[:length]) or not all(map(_could_be, clauses[:length])):
            continue
        run = "".join(c + b for c, b in zip(clauses[:length], behind, strict=False))
        if emptiness(run.rstrip(" ,;:")) > 0:
            empty[:length] = [True] * length
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
    """Telling words that several sentences hold outside their empty clauses."""
    counts: Counter[str] = Counter()
    for one in found:
        kept = " ".join(c for c, empty in zip(one.clauses, one.empty, strict=True) if not empty)
        counts.update({stem(word) for word in words_of(kept) if _telling(word)})
    return {word for word, count in counts.items() if count >= _FEW_SENTENCES}


@lru_cache(maxsize=1 << 15)
def _telling(word: str) -> bool:
    known = _known(word)
    return known.kind == 0 and known.rarity > _TELLING


def _without(one: _Found, topics: set[str]) -> str:
    kept: list[str] = []
    for clause, sign, empty in zip(one.clauses, one.behind, one.empty, strict=True):
        if not empty or any(stem(w) in topics for w in words_of(clause) if _telling(w)):
            kept += (clause, sign)
        elif kept and sign.strip() in (")", ";"):
            kept[-1] = sign if sign.strip() == ";" else " "
    text = _LOOSE.sub("", "".join(kept)).strip(" ,;:(—–-")
    if not _WORD.search(text):
        return ""
    if one.text[-1] in ".!?" and text[-1] not in ".!?":
        text += one.text[-1]
    return text[0].upper() + text[1:]
