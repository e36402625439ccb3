"""Static word vectors: what a word is about and how rare it is, without any context.

A word is cut into the pieces of the encoder's vocabulary (the longest first). Its vector is
the weighted sum of theirs. The vocabulary is ordered by frequency, so that the number of a
piece also tells how rare it is.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.resources import as_file, files
from math import log
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

_FIRST = 1996
"""The vocabulary's first word; before it there are marks, signs and single letters."""
_UNKNOWN = 100
_MORE_PIECES = 0.12
"""How much rarer each further piece makes a word."""
_LONGEST = 40


class Word(NamedTuple):
    """One word as the static table knows it."""

    pieces: tuple[int, ...]
    """The numbers of its pieces; there is always one."""
    rarity: float
    """0 for the most frequent word, about 1 for the rarest of one piece, more for several."""


class StaticEmbedder:
    """Vectors and rarities of words, from the table in the package."""

    def __init__(self) -> None:
        folder = files("citemark.judges.embedded") / "model"
        with as_file(folder / "static.npz") as path, np.load(path, allow_pickle=False) as data:
            self._vectors: NDArray[np.int8] = data["vectors"]
            scale: Floats = data["steps"] * data["weights"]
        self._scale = scale[:, None]
        text = (folder / "tokenizer.json").read_text(encoding="utf-8")
        self._ids: dict[str, int] = json.loads(text)["model"]["vocab"]
        self._span = log(len(self._ids) - _FIRST)
        self.size = self._vectors.shape[1]
        self.word = lru_cache(maxsize=1 << 15)(self._word)

    def vectors(self, words: Sequence[Word]) -> Floats:
        """The vectors of some words, one under another: (words, size)."""
        if not words:
            return np.zeros((0, self.size), dtype=np.float32)
        numbers: list[int] = []
        starts: list[int] = []
        for word in words:
            starts.append(len(numbers))
            numbers += word.pieces
        rows = self._vectors[numbers] * self._scale[numbers]
        return rows if len(numbers) == len(words) else np.add.reduceat(rows, starts)

    def _word(self, word: str) -> Word:
        number = self._ids.get(word)
        numbers = self._pieces(word) if number is None else [number]
        rank = max(max(numbers) - _FIRST + 1, 1)
        rarity = log(rank) / self._span + _MORE_PIECES * (len(numbers) - 1)
        return Word(tuple(numbers), rarity)

    def _pieces(self, word: str) -> list[int]:
        found: list[int] = []
        for part in _parts(word):
            found.extend(self._cut(part))
        return found or [_UNKNOWN]

    def _cut(self, part: str) -> list[int]:
        found: list[int] = []
        start = 0
        while start < len(part):
            mark = "##" if start else ""
            for end in range(len(part), start, -1):
                number = self._ids.get(mark + part[start:end])
                if number is not None:
                    found.append(number)
                    start = end
                    break
            else:
                return [_UNKNOWN]
        return found


def _parts(word: str) -> list[str]:
    """A word in small letters without accents, cut at signs such as hyphens."""
    plain = unicodedata.normalize("NFD", word[:_LONGEST].casefold())
    letters = (c if c.isalnum() else " " for c in plain if unicodedata.category(c) != "Mn")
    return "".join(letters).split()


_READING = Lock()


@cache
def _bundled() -> StaticEmbedder:
    return StaticEmbedder()


def static_embedder() -> StaticEmbedder:
    """The static table, read once, however many threads ask for it."""
    with _READING:
        return _bundled()
