"""The word lists of the embedded judge, read from the data files beside this module."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Words that are treated apart; ``common`` and ``generic`` hold stems."""

    empty: frozenset[str]
    """Words that say nothing: grammar, filler, praise, and talk of sources."""
    stop: frozenset[str]
    filler: frozenset[str]
    praise: frozenset[str]
    reporting: frozenset[str]
    media: frozenset[str]
    """Words of queries about pages, texts, and those who make and read them."""
    common: frozenset[str]
    """Stems of common words: they say something, though little."""
    hedge: frozenset[str]
    generic: frozenset[str]
    cause: frozenset[str]
    contrast: frozenset[str]
    clause: frozenset[str]
    cues: tuple[str, ...]
    """The names of the cues."""
    cue: Mapping[str, tuple[int, ...]]
    """Which cues a word gives, by their place among the names."""


@cache
def lexicon() -> Lexicon:
    """The word lists, read once."""
    folder = files("citemark.judges.embedded")
    lists = tomllib.loads((folder / "words.toml").read_text(encoding="utf-8"))
    lines = (folder / "common_words.txt").read_text(encoding="utf-8").splitlines()
    common = [word for line in lines if not line.startswith("#") for word in line.split()]

    def words(*names: str) -> frozenset[str]:
        return frozenset(word for name in names for word in lists[name].split())

    padding = words("filler", "praise", "reporting")
    return Lexicon(
        empty=words("stop") | padding,
        stop=words("stop"),
        filler=words("filler"),
        praise=words("praise"),
        reporting=words("reporting"),
        media=words("media"),
        common=frozenset(map(stem, common)),
        hedge=words("hedge"),
        generic=frozenset(map(stem, words("generic"))),
        cause=words("cause") - padding,
        contrast=words("contrast") - padding,
        clause=words("clause"),
        cues=tuple(lists["cues"]),
        cue=_cues(lists["cues"]),
    )


def _cues(lists: Mapping[str, str]) -> dict[str, tuple[int, ...]]:
    found: dict[str, tuple[int, ...]] = {}
    for place, words in enumerate(lists.values()):
        for word in words.split():
            found[word] = (*found.get(word, ()), place)
    return found


# The longer ending first; what is left must be long enough to be a word.
_ENDINGS = (
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ations", "at"),
    ("ation", "at"),
    ("ically", "ic"),
    ("ities", "it"),
    ("ments", "ment"),
    ("ingly", ""),
    ("ally", "al"),
    ("ions", "ion"),
    ("ies", "y"),
    ("ity", "it"),
    ("ing", ""),
    ("ely", ""),
    ("est", ""),
    ("ate", "at"),
    ("ers", "er"),
    ("ed", ""),
    ("es", ""),
    ("ly", ""),
    ("s", ""),
    ("e", ""),
)


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """A word without its English ending, so that its forms can be matched.

    >>> [stem(word) for word in ("prices", "pricing", "priced", "cities", "city")]
    ['pric', 'pric', 'pric', 'city', 'city']
    """
    if len(word) < 4 or not word.isascii() or not word.isalpha() or word.endswith("ss"):
        return word
    for ending, rest in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)] + rest
    return word
