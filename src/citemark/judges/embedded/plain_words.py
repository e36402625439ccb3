"""Plain words: a sentence in the plainest wording that says the same.

Stress and filler are taken out, ornate words make way for plain ones, and a word that only
doubles its neighbour ("big and large") is left out, so that style cannot move a score.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from citemark.judges.embedded.lexicon import stem

_DOUBLED = re.compile(r"\b([A-Za-z]{3,})((?:,? (?:and|or) |, | )\1)+\b(?!-)", re.IGNORECASE)
_WORD = re.compile(r"[a-z]{2,}")
_WHOLE_WORD = re.compile(r"(?<![\w-])[A-Za-z][a-z]+(?![\w-])")
_PAIR = re.compile(r"(?<![\w-])([A-Za-z]{3,}),? (?:and|or|as well as) ([a-z]{3,})(?![\w-])")
_JOINING = frozenset({"and", "or", "well"})
"""One of these words stands in every pair: most sentences need not be searched."""
_ENOUGH = re.compile(r"(?<![\w-])[A-Za-z]{4,}ly enough,\s", re.IGNORECASE)
_LEFT_OVER = re.compile(
    r"^(?:[\s,;:]|(?:and|but|or)\s*,)*,\s*(?:(?:and|but|or)\s*,\s*)?"
    r"|(?:,\s*(?:and\s*)?)+(?=[,;:.!?])"
)
"""Commas, and an "and" between them, that belonged to what has gone."""
_SPACES = re.compile(r"\s{2,}|\s+(?=[,;:.!?])")
_VOWELS = "aeiou"


@cache
def _data() -> dict[str, Any]:
    place = files("citemark.judges.embedded") / "plain_words.toml"
    return tomllib.loads(place.read_text(encoding="utf-8"))


@cache
def _tables() -> tuple[re.Pattern[str], Mapping[str, str]]:
    """A pattern for every word that is changed, and what takes its place."""
    data = _data()
    table = dict.fromkeys([*data["adverbs"].split(), *data["phrases"]], "")
    table |= data["phrasal"]
    for word, others in data["others"].items():
        table |= dict.fromkeys(others.split(), word)
    for verb, others in data["verbs"].items():
        forms = _forms(verb, data["irregular"])
        for other in others.split():
            pairs = zip(_forms(other, data["irregular"]), forms, strict=True)
            table |= {old: new for old, new in pairs if old not in table}
    several = [word for word in table if " " in word]
    return re.compile(rf"(?<![\w-]){_any_of(several)}(?![\w-])", re.IGNORECASE), table


def _any_of(phrases: Sequence[str]) -> str:
    """A pattern for any of some phrases, the longest first; common beginnings are looked at once.

    >>> _any_of(["in fact", "in a way", "in a word"])
    '(?:in (?:a (?:word|way)|fact))'
    """
    rests: dict[str, list[str]] = {}
    for phrase in sorted(phrases, key=lambda p: (-len(p), p)):
        head, _, rest = phrase.partition(" ")
        rests.setdefault(head, []).append(rest)
    found = []
    for head, ends in rests.items():
        more = [end for end in ends if end]
        tail = f" {_any_of(more)}" if len(more) > 1 else f" {re.escape(more[0])}" if more else ""
        found.append(re.escape(head) + (f"(?:{tail})?" if tail and len(more) < len(ends) else tail))
    return f"(?:{'|'.join(found)})"


@cache
def _openers() -> frozenset[str]:
    return frozenset(_data()["openers"])


def is_opener(clause: str) -> bool:
    """Whether a clause only ties a sentence to the one before it: "In addition", "However"."""
    return clause.strip().casefold() in _openers()


@cache
def _groups() -> Mapping[str, frozenset[str]]:
    """The stems of words that say about the same, each with what it is like."""
    found: dict[str, set[str]] = {}
    for word, others in _data()["synonyms"].items():
        for one in (word, *others.split()):
            found.setdefault(stem(one), set()).add(word)
    return {one: frozenset(words) for one, words in found.items()}


def _first_of_pair(found: re.Match[str]) -> str:
    """Of "big and sizeable" the first word; other pairs as they are."""
    groups = _groups()
    one, other = groups.get(stem(found[1].lower())), groups.get(stem(found[2]))
    return found[0] if not one or not other or one.isdisjoint(other) else found[1]


@cache
def _marks_of_phrases() -> frozenset[str]:
    """The longest word of each phrase: without one of these in it, a text holds no phrase."""
    return frozenset(max(phrase.split(), key=len) for phrase in _tables()[1] if " " in phrase)


def _forms(verb: str, irregular: Mapping[str, str]) -> tuple[str, str, str, str]:
    """A verb as it is, with -s, with -ed and with -ing.

    >>> _forms("supply", {}), _forms("use", {})
    (('supply', 'supplies', 'supplied', 'supplying'), ('use', 'uses', 'used', 'using'))
    """
    if verb in irregular:
        s, ed, ing = irregular[verb].split()
        return verb, s, ed, ing
    if verb[-1] == "e":
        return verb, verb + "s", verb + "d", verb[:-1] + "ing"
    if verb[-1] == "y" and verb[-2] not in _VOWELS:
        return verb, verb[:-1] + "ies", verb[:-1] + "ied", verb + "ing"
    s = "es" if verb.endswith(("s", "sh", "ch", "x")) else "s"
    return verb, verb + s, verb + "ed", verb + "ing"


@lru_cache(maxsize=1 << 12)
def plain_words(text: str) -> str:
    """A sentence in plain words.

    >>> plain_words("It is in fact quite big and large, and utilised oftentimes.")
    'It is big, and used often.'
    """
    phrases, table = _tables()
    words = _WORD.findall(text.lower())
    changed = text if _JOINING.isdisjoint(words) else _PAIR.sub(_first_of_pair, text)
    if "enough" in words:
        changed = _ENOUGH.sub("", changed)
    if not _marks_of_phrases().isdisjoint(words):
        changed = phrases.sub(_plain, changed)
    if not table.keys().isdisjoint(words):
        # Phrases again: some only show when what stood in their midst has gone.
        changed = phrases.sub(_plain, _SPACES.sub(_one_space, _WHOLE_WORD.sub(_plain, changed)))
    if changed == text:
        return text
    changed = _SPACES.sub(_one_space, _DOUBLED.sub(r"\1", changed)).strip()
    changed = _LEFT_OVER.sub("", changed)
    return changed[:1].upper() + changed[1:] if text[0].isupper() else changed


def _plain(found: re.Match[str]) -> str:
    word = found[0]
    table = _tables()[1]
    new = table.get(word)
    if new is None:
        new = table.get(word.lower(), word)
        if new and new != word and word[0].isupper():
            # A capital inside a sentence, or before another, is part of a name ("Great Britain").
            name = found.start() > 0 or found.string[found.end() + 1 : found.end() + 2].isupper()
            new = word if name else new[0].upper() + new[1:]
    return new


def _one_space(found: re.Match[str]) -> str:
    return (
        " " if len(found[0]) > 1 and found.string[found.end() : found.end() + 1].isalnum() else ""
    )
