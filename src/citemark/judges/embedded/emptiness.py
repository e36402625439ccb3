"""Emptiness: how surely a clause says nothing about any subject.

A small logistic model over facts about the words of a clause tells praise of a source, claims that
a point is new, important or beyond doubt, filler and talk about a page's looks from content.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import as_file, files
from math import log2
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from citemark.judges.embedded.lexicon import lexicon
from citemark.judges.embedded.static import static_embedder

Floats = NDArray[np.float32]

_WORD = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*")
_SPECIFIC = re.compile(
    r"\d|(?<=[^.!?\s]\s)(?!I\b|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)[A-Z]"
    r"|[^\W\d_][A-Z]|[%\"“”]"
)
"""A number, a name or a quotation: a clause with one of these is about something."""
_KNOWLEDGE = frozenset({"evidence", "answer", "proof", "research"})
_UNPROVEN = re.compile(
    rf"\b(?:no|not|little|any)\b.*\b(?:{'|'.join(sorted(_KNOWLEDGE))})\b", re.IGNORECASE
)
"""That something is not known is worth saying."""
_OPENS = re.compile(r"(?:as|which|and|something|an?|in|of|it|this|what|there)\b", re.IGNORECASE)
_LONGEST = 30
"""Clauses with more words than this are never empty."""
SHORT = 2
"""Clauses with no more words than this are empty only if every word is a word of that sort."""
_HOPELESS = -1.6
"""No clause whose words score less than this on average is empty."""
FACTS = (
    "mean", "least", "next", "stop", "filler", "praise", "reporting", "rarity", "rarest",
    "words", "telling", "opens", "that", "about_source", "sum", "pairs", "told",
)  # fmt: skip


class Known(NamedTuple):
    """A word as the model sees it."""

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
def kind_of(word: str) -> int:
    """1 for a word of grammar, 2 filler, 3 praise, 4 talk of sources, 0 for all others."""
    lists = lexicon()
    for number, words in enumerate((lists.stop, lists.filler, lists.praise, lists.reporting)):
        if word in words:
            return number + 1
    return 0


@lru_cache(maxsize=1 << 15)
def known(word: str) -> Known:
    """What the model knows of a word."""
    embedder = static_embedder()
    entry = embedder.word(word)
    score = word_score(word, model().direction) + model().offset
    return Known(score + model().known.get(word, 0.0), entry.rarity, kind_of(word))


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
    if not 1 < len(words) <= _LONGEST or _SPECIFIC.search(clause, 1):
        return False
    if not _KNOWLEDGE.isdisjoint(words) and _UNPROVEN.search(clause):
        return False
    return len(words) > SHORT or (words[-1] != "that" and all(map(kind_of, words)))


@lru_cache(maxsize=1 << 14)
def emptiness(clause: str) -> float:
    """How surely a clause says nothing: above 0 it is taken for empty talk."""
    words = words_of(clause)
    if not may_be_empty(clause, words):
        return -9.0
    if sum(known(word).score for word in words) < _HOPELESS * len(words):
        return -9.0  # most clauses of content: no need for a closer look
    fitted = model()
    return fitted.bias + sum(
        w * x for w, x in zip(fitted.weights, facts(words, known, fitted.known), strict=True)
    )
