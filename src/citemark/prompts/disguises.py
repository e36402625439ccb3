"""Orders to the judge in disguise: spaced out, percent-encoded, base64, ROT13, unseen letters."""

from __future__ import annotations

import re
from base64 import b64decode
from codecs import decode
from collections.abc import Iterator
from functools import cache
from html import unescape
from itertools import pairwise
from urllib.parse import unquote

from citemark.prompts.wording import Span, data, lexicon, orders

ENCODED = re.compile(r"%[0-9A-Fa-f]{2}[%A-Za-z]|&#")
"""Cheap to search; where it finds nothing, no words are encoded."""
_CODES = re.compile(r"(?:%[0-9A-Fa-f]{2})+|&#(?:\d{1,7}|[xX][0-9A-Fa-f]{1,6});?|&[A-Za-z]{2,8};")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{24,}")
_SPACED = re.compile(r"(?<![^\W_])[^\W_](?:[ .\-_*·,/|\u00a0]{1,4}[^\W_](?![^\W_])){5,}")
_URL_SAFE = str.maketrans("-_", "+/")
_TAGS = {0xE0000 + code: code for code in range(32, 127)}
_TAG = re.compile("[\U000e0020-\U000e007e]")
_OPENING = re.compile(r"[“„«‘「『\"]|`+|\*+|(?<!\w)'")
_CLOSING = re.compile(r"[”“»’」』`\"*]|'(?!\w)")


def uncovered(text: str, *, deep: bool = True) -> list[Span]:
    """Where a text gives the judge an order, in the open or in a disguise.

    ``deep`` also opens base64; what is found inside is not opened again.
    """
    spans = _addressed(text)
    if not text.isascii() and _TAG.search(text):
        spans += orders(text.translate(_TAGS))
    if _rot13_words().search(text):
        spans += orders(decode(text, "rot13"))
    spans += _spaced(text)
    if "&" in text or "%" in text:
        spans += _decoded(text)
    if deep:
        spans += _base64(text)
    return _merged(spans)


def _merged(spans: list[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


@cache
def _rot13_words() -> re.Pattern[str]:
    words = (decode(word, "rot13") for word in data()["disguises"]["rot13"].split())
    return re.compile(rf"\b(?:{'|'.join(words)})\b", re.IGNORECASE)


def _spaced(text: str) -> Iterator[Span]:
    """Letters with something between them: wider gaps part the words, or else our own lists."""
    for match in _SPACED.finditer(text):
        start = match.start()
        places = [start + m.start() for m in re.finditer(r"[^\W_]", match[0])]
        steps = [after - before for before, after in pairwise(places)]
        usual = min(steps)
        view, at = [], []
        for place, step in zip(places, [usual, *steps], strict=True):
            if step > usual:
                view.append(" ")
                at.append(place)
            view.append(text[place])
            at.append(place)
        if max(steps) == usual:
            view, at = _segmented(view, at)
        for first, last in orders("".join(view)):
            yield at[first], at[last - 1] + 1


def _segmented(letters: list[str], at: list[int]) -> tuple[list[str], list[int]]:
    """The letters with a space around every word of the lists, the longest first."""
    known, joined = lexicon().words, "".join(letters).lower()
    beginnings = {word[:3] for word in known}
    view: list[str] = []
    places: list[int] = []
    i = 0
    while i < len(joined):
        length = 0
        if joined[i : i + 3] in beginnings:
            length = next((n for n in range(16, 2, -1) if joined[i : i + n] in known), 0)
        length = length or (2 if joined[i : i + 2] == "20" else 0)
        view += [" ", *joined[i : i + length], " "] if length else [joined[i]]
        places += [at[i], *at[i : i + length], at[i]] if length else [at[i]]
        i += max(length, 1)
    return view, places


def _decoded(text: str) -> Iterator[Span]:
    """What is written with percent signs or HTML entities."""
    view: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    reached = 0
    for match in _CODES.finditer(text):
        start, end = match.span()
        plain = unquote(match[0]) if match[0][0] == "%" else unescape(match[0])
        view += [text[reached:start], plain]
        starts += [*range(reached, start), *([start] * len(plain))]
        ends += [*range(reached + 1, start + 1), *([end] * len(plain))]
        reached = end
    if not view:
        return
    view.append(text[reached:])
    starts += range(reached, len(text))
    ends += range(reached + 1, len(text) + 1)
    for first, last in _addressed("".join(view)):
        yield starts[first], ends[last - 1]


def _base64(text: str) -> Iterator[Span]:
    """What is written in base64: the whole run is reported."""
    for match in _BASE64.finditer(text):
        run = match[0].translate(_URL_SAFE)
        run = run[: len(run) - (len(run) % 4 == 1)]
        try:
            plain = b64decode(run + "=" * (-len(run) % 4)).decode("utf-8")
        except ValueError:  # not base64, or not text
            continue
        if plain.replace("\n", " ").replace("\t", " ").isprintable() and uncovered(
            plain, deep=False
        ):
            yield match.span()


@cache
def _telling(*kinds: str) -> re.Pattern[str]:
    words = "|".join(re.escape(w) for kind in kinds for w in data()["telling"][kind].split())
    return re.compile(rf"(?<![a-z])(?:{words})(?![a-z])", re.IGNORECASE)


def _addressed(text: str) -> list[Span]:
    """The orders of a text without those that it only tells of."""
    spans = orders(text)
    if spans and _telling("strong", "weak").search(text):
        return [span for span in spans if not _told(text, *span)]
    return spans


def _told(text: str, start: int, end: int) -> bool:
    """Whether the text only tells of an order: it stands in quotation marks, as an example.

    The window is narrow, so that a text full of orders takes no longer.
    """
    before, after = text[max(0, start - 200) : start], text[end : end + 200]
    line = before.rpartition("\n")[2]
    opened = len(_OPENING.findall(line)) % 2 == 1 or before.count("```") % 2 == 1
    if opened and _CLOSING.search(after):
        return bool(_telling("strong", "weak").search(f"{before} … {after[:120]}"))
    return bool(_telling("strong").search(re.split(r"[.!?。！？\n]", before)[-1]))
