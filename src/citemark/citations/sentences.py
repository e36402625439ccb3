"""Splitting a segment of the answer into sentences, in any script."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from citemark.citations.abbreviations import (
    BEFORE_MORE,
    BEFORE_NUMBER,
    MAYBE_LAST,
    MONTHS_AFTER_ORDINAL,
    NAMED,
    STARTERS,
    TITLES,
)
from citemark.citations.answer import Kind
from citemark.citations.layout import MARK, Segment

_CLOSERS = "\"'”’»)\\]」』）】*_~›"
_STOP = re.compile(
    rf"(?P<wide>[。！？｡．‼⁇]+)[{_CLOSERS}]*|(?P<other>[।॥؟۔።။។]+)[{_CLOSERS}]*"
    rf"|(?P<point>[.!?…]+)[{_CLOSERS}]*|(?P<colon>[:：])\*{{0,3}}(?=[ \t]?{MARK})"
)
_RUN = re.compile(rf"[ \t\n\u3000]*(?:{MARK}[{MARK} \t,;、，]*)?")
_WORD_BEFORE = re.compile(r"[^\s()\[\]{}\"'“”‘’«»*_,;:/–—\ue000\ue001]+$")
_DOTTED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")
_WORD_AFTER = re.compile(r"[^\W\d_]+")
_OPENERS = "\"'“‘«(（[「『*_¿¡‹#"
_SPOKEN_ON = "とっはがもをにのねよ"  # particles: the quotation goes on being part of the sentence
_INLINE_ITEM = re.compile(
    rf"(?:(?<=[.:;!?)\"”*{MARK}])|(?<=[.:;!?)\"”*{MARK}] )|(?P<loose>(?<=\S)))[ \t]+"
    rf"(?P<bullet>(?:[-–*•▪●](?=[ \t])|(?P<number>\d{{1,2}})(?P<marks>{MARK}*)[.)](?=[ \t]))[ \t]+)"
    rf"(?=\*\*|[\"“'(]?[^\W\d_a-z]|[\"“'(]?\d)"
)


class Piece(NamedTuple):
    """One sentence's place in the answer; ``bare`` if it is only a list number with a marker."""

    start: int
    end: int
    kind: Kind
    bare: bool = False


def split(text: str, segment: Segment) -> Iterator[Piece]:
    """The sentences of a segment, trimmed, in order; a heading or a row is one piece."""
    start, end, kind = segment.start, segment.end, segment.kind
    if segment.number:
        yield Piece(*segment.number, "item", bare=True)
    if kind in ("heading", "row"):
        yield from _trimmed(text, start, end, kind)
        return
    for part_start, part_end, part_kind, number in _inline_items(text, start, end, kind):
        if number:
            yield Piece(*number, "item", bare=True)
        begin = part_start
        for cut in _cuts(text, part_start, part_end):
            yield from _trimmed(text, begin, cut, part_kind)
            begin = cut
        yield from _trimmed(text, begin, part_end, part_kind)


def _trimmed(text: str, start: int, end: int, kind: Kind) -> Iterator[Piece]:
    piece = text[start:end]
    if kind == "row":
        inner = piece.strip(" \t\n\r|")
    elif kind == "heading":
        inner = piece.strip(" \t\n\r").rstrip("#").rstrip()
    else:
        inner = piece.strip()
    if inner:
        begin = start + piece.index(inner[0]) if len(inner) < len(piece) else start
        yield Piece(begin, begin + len(inner), kind)


_Part = tuple[int, int, Kind, tuple[int, int] | None]


def _inline_items(text: str, start: int, end: int, kind: Kind) -> Iterator[_Part]:
    """Cut a line at list items that were run together: ``include: - One - Two``."""
    if " - " not in text[start:end] and not re.search(r"[ \t](?:[•▪●*–]|\d)", text[start:end]):
        yield start, end, kind, None
        return
    begin, number, in_list, expected = start, None, False, 1
    for match in _INLINE_ITEM.finditer(text, start, end):
        if match["number"]:
            if int(match["number"]) != expected or (match["loose"] is not None and expected == 1):
                continue
            expected += 1
        elif match["loose"] is not None and not in_list:
            continue
        else:
            in_list = True
        yield begin, match.start("bullet"), kind, number
        begin, kind = match.end("bullet"), "item"
        glued = bool(match["number"] and match["marks"])
        number = (match.start("number"), match.end("bullet")) if glued else None
    yield begin, end, kind, number


def _cuts(text: str, start: int, end: int) -> Iterator[int]:
    """Where one sentence ends and the next begins, markers after the stop included."""
    leading = _leads_with_markers(text, start, end)
    reached = start
    for match in _STOP.finditer(text, start, end):
        if match.start() < reached:
            continue
        run = _RUN.match(text, match.end(), end)
        if run is None or run.end() >= end:
            return
        marked = MARK in run[0]
        if not _ends(text, match, run.end(), spaced=bool(run[0]), marked=marked, start=reached):
            continue
        reached = run.end()
        if marked and not leading:
            yield match.end() + run[0].rindex(MARK) + 1
        else:
            yield match.end()


def _leads_with_markers(text: str, start: int, end: int) -> bool:
    """Whether markers stand before their sentences here: ``[1] One. [2] Two.``"""
    piece = text[start:end].strip()
    return piece.startswith(MARK) and not piece.rstrip("\"'”’)*_ .!?。").endswith(MARK)


def _ends(
    text: str, stop: re.Match[str], after: int, *, spaced: bool, marked: bool, start: int
) -> bool:
    """Whether a stop ends a sentence; ``after`` is where the next one would begin."""
    following = text[after : after + 24].lstrip(_OPENERS)
    first = following[:1]
    if stop["wide"] or stop["other"]:
        return spaced or not (stop[0][-1] in "」』”）" and first in _SPOKEN_ON)
    if not spaced:
        return False
    if stop["colon"]:
        return first.isupper()
    if not first or (first.islower() and not marked):
        return False
    if stop["point"] != ".":
        return not first.islower() or marked
    return not _abbreviates(text, stop, following, start=start, marked=marked)


def _abbreviates(
    text: str, stop: re.Match[str], following: str, *, start: int, marked: bool
) -> bool:
    """Whether a full stop belongs to an abbreviation, an initial or a list number."""
    before = text[max(start, stop.start() - 24) : stop.start()]
    match = _WORD_BEFORE.search(before)
    if not match:
        return False
    word = match[0]
    bare = word.lower()
    next_word = _WORD_AFTER.match(following)
    starts = bool(next_word) and next_word[0].lower() in STARTERS
    if word.isdigit():
        list_number = len(word) < 3 and not before[: match.start()].strip() and not marked
        return list_number or (bool(next_word) and next_word[0] in MONTHS_AFTER_ORDINAL)
    if bare in TITLES:
        return not marked
    if bare in BEFORE_NUMBER:
        return following[:1].isdigit()
    if bare in BEFORE_MORE:
        return marked or not starts
    if bare in MAYBE_LAST or _DOTTED.fullmatch(word):
        return not starts and not marked
    if len(word) == 1 and word.isupper() and word.isascii():
        previous = before[: match.start()].rsplit(None, 1)
        return not starts and not marked and (not previous or previous[-1].lower() not in NAMED)
    return False

