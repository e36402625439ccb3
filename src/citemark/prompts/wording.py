"""How an order to the judge is worded: the words of a text, what they do, and what they add up to.

A text is read as a row of letters, one for each word or mark, where the letter says what the
word does ("ignore", "source", "twenty" ...). The patterns of ``injection.toml`` are then
searched in that short row, which takes the same time for each word, whatever the text.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

Span = tuple[int, int]

HIDDEN = "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f"
HIDDEN += "\ufe00-\ufe0f\ufeff\U000e0000-\U000e007f"
"""Characters that are not seen, as a part of a character class."""
_UNSEEN = re.compile(f"[{HIDDEN}]+")
_ACCENTS = re.compile("[\u0300-\u036f\u064b-\u065f\u0670\u093c]+")
_RUNS = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"  # written without spaces, or with endings
_TOKEN = rf"""(?:(?P<word>[A-Za-z]+(?=[\ ,.])  # most words, by a quick way
        |[Dd][Oo][Nn]['’][Tt]\b
        |(?:[^\W_{_RUNS}]++|[{HIDDEN}\u0610-\u061a\u064b-\u065f\u0900-\u0963\u0966-\u097f]++)++)
    |(?P<cite>[\[【]\^?\d{{1,3}}(?:,\s?\d{{1,3}}){{0,9}}[\]】])
    |(?P<run>[{_RUNS}{HIDDEN}]+)
    |(?P<break>[.!?…]+(?=[\s"'”’»)\]*<]|\Z)|[。！？।؟]+|\n\s*\n)
    |(?P<newline>\n)
    |(?P<comma>[,;，；、،–—]+)
    |(?P<colon>[:：])
    |(?P<quote>["“”„«»‘`*\#|(){{}}<>\[\]「」『』【】]+|(?<!\w)['’-]+)
    |(?P<other>[/=+&%.!?…]+))[ _]*"""
_MARKS = ("cite", "break", "newline", "comma", "colon", "quote", "other", "number")


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The word lists, ready to be asked: every word with the letter for what it can do."""

    words: Mapping[str, str]
    stems: Mapping[str, str]
    pairs: Mapping[tuple[str, str], str]
    firsts: frozenset[str]
    runs: Mapping[str, tuple[tuple[str, str], ...]]
    """Chinese, Japanese and Korean words by their first character, the longest first."""
    roles: Mapping[str, str]
    """For every role, the letters of the words that can play it."""
    rules: tuple[re.Pattern[str], ...]


@cache
def data() -> Mapping[str, Any]:
    """The word lists and patterns as they stand in ``injection.toml``."""
    text = (files("citemark.prompts") / "injection.toml").read_text("utf-8")
    return tomllib.loads(text)


@cache
def lexicon() -> Lexicon:
    """The word lists and patterns, read once and only when a text needs them."""
    roles_of: dict[str, set[str]] = {f"#{mark}": {mark} for mark in _MARKS}
    for role, words in data()["words"].items():
        for word in words.split():
            roles_of.setdefault(folded(word), set()).add(role)
    sets = sorted({tuple(sorted(roles)) for roles in roles_of.values()})
    letters = {roles: chr(0x100 + i) for i, roles in enumerate(sets)}
    words_: dict[str, str] = {}
    runs: dict[str, list[tuple[str, str]]] = {}
    for word, roles in roles_of.items():
        letter = letters[tuple(sorted(roles))]
        words_[word] = letter
        if re.match(f"[{_RUNS}]", word):
            runs.setdefault(word[0], []).append((word, letter))
    by_role: dict[str, str] = {}
    for members, letter in letters.items():
        for role in members:
            by_role[role] = by_role.get(role, "") + letter
    return Lexicon(
        words=words_,
        stems={word[:-1]: letter for word, letter in words_.items() if word.endswith("*")},
        pairs={_pair(word): letter for word, letter in words_.items() if "_" in word},
        firsts=frozenset(_pair(word)[0] for word in words_ if "_" in word),
        runs={c: tuple(sorted(ws, key=lambda w: -len(w[0]))) for c, ws in runs.items()},
        roles=by_role,
        rules=tuple(re.compile(_compiled(p, by_role)) for p in data()["rules"]["patterns"]),
    )


@cache
def _token() -> re.Pattern[str]:
    return re.compile(_TOKEN, re.VERBOSE)  # takes some milliseconds, so not before it is needed


def folded(word: str) -> str:
    """A word without what the eye passes over: case, accents, full width, unseen characters.

    >>> folded("Ｉｇｎｏｒéz")
    'ignorez'
    """
    if word.isascii():
        return word.lower()
    word = unicodedata.normalize("NFKD", _UNSEEN.sub("", word)).casefold()
    return unicodedata.normalize("NFC", _ACCENTS.sub("", word)).replace("’", "'")


def orders(text: str) -> list[Span]:
    """Where a text that is not encoded gives the judge an order."""
    row, starts, ends = _row(text)
    return [
        (starts[match.start()], ends[match.end() - 1])
        for rule in lexicon().rules
        for match in rule.finditer(row)
    ]


def _row(text: str) -> tuple[str, list[int], list[int]]:
    """The letters of a text, and where the word of each begins and ends."""
    known = lexicon()
    letters: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    first = ""  # a word that may be the first of a pair
    for match in _token().finditer(text):
        kind = match.lastgroup or "other"
        start, end = match.span(kind)
        if kind == "run":
            first = ""
            for letter, begin, stop in _run(match[kind], start):
                letters.append(letter)
                starts.append(begin)
                ends.append(stop)
            continue
        if kind == "word":
            word, letter = _meaning(match[kind])
            if not word:
                continue
            pair = known.pairs.get((first, word)) if first else None
            if pair:
                letters[-1], ends[-1], first = pair, end, ""
                continue
            first = word if word in known.firsts else ""
        else:
            letter, first = known.words[f"#{kind}"], ""
        letters.append(letter)
        starts.append(start)
        ends.append(end)
    return "".join(letters), starts, ends


@lru_cache(maxsize=1 << 14)
def _meaning(token: str) -> tuple[str, str]:
    """A word in its plain form and the letter for what it does."""
    known = lexicon()
    word = folded(token)
    for form in _forms(word):
        if form in known.words:
            return form, known.words[form]
        if not form.isascii():
            for length in range(min(len(form), 16), 3, -1):
                if form[:length] in known.stems:
                    return form, known.stems[form[:length]]
    return word, known.words["#other"]


def _forms(word: str) -> Iterator[str]:
    """The word, then what it may stand for: look-alike letters, digits for letters."""
    yield word
    if word.isdecimal():
        yield "twenty" if len(word) < 4 and int(word) == 20 else "#number"
        return
    if word.isascii() and word.isalpha():
        return
    plain = word.translate(substitutes("homoglyphs"))
    yield plain
    plain = plain.translate(substitutes("leet"))
    yield plain
    yield plain.replace("i", "l")


@cache
def substitutes(name: str) -> Mapping[int, str]:
    """Letters or digits that stand for others, as a table for ``str.translate``."""
    return {ord(pair[0]): pair[1] for pair in data()["disguises"][name].split()}


def _run(run: str, start: int) -> Iterator[tuple[str, int, int]]:
    """The known words in a stretch of Chinese, Japanese or Korean, and gaps between them."""
    known = lexicon()
    other = known.words["#other"]
    places: Sequence[int] = range(len(run))
    text, i, unknown = run, 0, 0
    if _UNSEEN.search(run):
        places = [i for i, character in enumerate(run) if not _UNSEEN.match(character)]
        text = "".join([run[place] for place in places])
    while i < len(text):
        for word, letter in known.runs.get(text[i], ()):
            if text.startswith(word, i):
                yield letter, start + places[i], start + places[i + len(word) - 1] + 1
                i, unknown = i + len(word), 0
                break
        else:
            if unknown % 3 == 0:  # about as long as a word elsewhere
                yield other, start + places[i], start + places[i] + 1
            i, unknown = i + 1, unknown + 1


def _pair(word: str) -> tuple[str, str]:
    first, _, second = word.partition("_")
    return first, second


def _compiled(pattern: str, roles: Mapping[str, str]) -> str:
    """A pattern of the data file as a regular expression over letters."""
    first, *rest = pattern.split()
    if first not in ("LEAD", "ALSO"):
        return "".join(_piece(piece, roles) for piece in (first, *rest))
    # What must stand before is looked at after the first word was found, which is far quicker.
    begins = "".join(
        roles[name] for name in ("break", "newline", "comma", "colon", "quote", "lead")
    )
    if first == "ALSO":
        begins += roles["and"]
    ordered = f"[{roles['you']}][{roles['must']}]"
    told = f"[{roles['block']}][{roles['newline']}{roles['quote']}]"
    lead = rf"(?:(?<=\A.)|(?<=[{begins}].)|(?<={ordered}.))(?<!{told}.)"
    return _piece(rest[0], roles) + lead + "".join(_piece(piece, roles) for piece in rest[1:])


def _piece(piece: str, roles: Mapping[str, str]) -> str:
    def any_of(names: Iterable[str]) -> str:
        return "[" + "".join(roles[name] for name in names) + "]"

    if piece in ("END", "STOP"):
        after = ["break", "comma", "colon", "newline", "quote"]
        if piece == "END":
            after += ["for", "marks", "as", "and", "this"]
        return rf"(?:\Z|(?={any_of(after)}))"
    if piece.startswith(("..", ",,")):
        barred = roles["break"] + (roles["comma"] + roles["colon"] if piece[0] == "." else "")
        return f"[^{barred}]{{0,{piece[2:]}}}?"
    macros: Mapping[str, list[str]] = data()["rules"]["macros"]
    names = piece.removesuffix("?").split("|")
    choices = [_compiled(p, roles) for name in names for p in macros.get(name, ())]
    plain = [name for name in names if name not in macros]
    if plain:
        choices.append(any_of(plain))
    return f"(?:{'|'.join(choices)})" + ("?" if piece.endswith("?") else "")
