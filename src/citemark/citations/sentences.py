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
_WIDE = "。！？｡．‼⁇।॥؟۔።။។"
_STOP = re.compile(
    rf"([.!?…:：{_WIDE}]+)([{_CLOSERS}]*)([ \t\n\u3000]*(?:{MARK}[{MARK} \t,;、，]*)?)"
)
"""A stop, what closes behind it, and the markers that follow."""
_ASCII_STOP = re.compile(rf"([.!?:]+)([\"')\]*_~]*)([ \t\n]*(?:{MARK}[{MARK} \t,;]*)?)")
"""The same for a text that is all ASCII, where it is much faster."""
_NOT_WORD = re.compile(r"[()\[\]{}\"'“”‘’«»*_,;:/–—\x01\x02]")
_LONGEST_ABBREVIATION = 6
_MARK_THEN_CAPITAL = re.compile(rf"{MARK}[ \t]+(?=[A-Z][a-z])")
_DOTTED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")
_WORD_AFTER = re.compile(r"[^\W\d_]+")
_OPENERS = "\"'“‘«(（[「『*_¿¡‹#"
_SPOKEN_ON = "とっはがもをにのねよ"  # particles: the quotation goes on being part of the sentence
_INLINE_ITEM = re.compile(
    rf"(?:(?<=[.:;!?{MARK}])|(?<=[.:;!?{MARK}] )|(?<=[:.]\*\*)|(?P<loose>(?<=\S)))[ \t]+"
    rf"(?P<bullet>(?:[-*•▪●](?=[ \t])|(?P<number>\d{{1,2}})(?P<marks>{MARK}*)[.)](?=[ \t]))[ \t]+)"
    rf"(?=\*\*|[\"“'(]?[^\W\d_a-z]|[\"“'(]?\d)"
)


_MAY_BE_RUN_TOGETHER = re.compile(rf"[-*•▪●](?<=[ \t].)[ \t]|[0-9]{MARK}*[.)][ \t]")


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
        if piece := _trimmed(text, start, end, kind):
            yield piece
        return
    for part_start, part_end, part_kind, number in _inline_items(text, start, end, kind):
        if number:
            yield Piece(*number, "item", bare=True)
        begin = part_start
        for cut in (*_cuts(text, part_start, part_end), part_end):
            if piece := _trimmed(text, begin, cut, part_kind):
                yield piece
            begin = cut


def _trimmed(text: str, start: int, end: int, kind: Kind) -> Piece | None:
    piece = text[start:end]
    if kind == "row":
        inner = piece.strip(" \t\n\r|")
    elif kind == "heading":
        inner = piece.strip(" \t\n\r").rstrip("#").rstrip()
    else:
        inner = piece.strip()
    if not inner:
        return None
    begin = start + piece.index(inner[0])
    return Piece(begin, begin + len(inner), kind)


_Part = tuple[int, int, Kind, tuple[int, int] | None]


def _inline_items(text: str, start: int, end: int, kind: Kind) -> Iterator[_Part]:
    """Cut a line at list items that were run together: ``include: - One - Two``."""
    if not _MAY_BE_RUN_TOGETHER.search(text, start, end):
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
    stops = _ASCII_STOP if text.isascii() else _STOP
    reached = start
    for match in stops.finditer(text, start, end):
        after = match.end()
        if after >= end:
            break
        between = match[3]
        marked = MARK in between
        if not _ends(text, match, marked=marked, start=reached):
            continue
        yield from _cuts_at_markers(text, reached, match.start())
        reached = after
        if marked and not leading:
            yield match.start(3) + between.rindex(MARK) + 1
        else:
            yield match.start(3)
    yield from _cuts_at_markers(text, reached, end)


def _cuts_at_markers(text: str, start: int, end: int) -> Iterator[int]:
    """Where a marker stands in for a full stop: ``as they warm [1] The first of them``."""
    for match in _MARK_THEN_CAPITAL.finditer(text, start, end):
        word = _WORD_AFTER.match(text, match.end(), end)
        before = text[max(start, match.start() - 60) : match.start()]
        if word and word[0].lower() in STARTERS and before.count(" ") > 3:
            start = match.end()
            yield match.start() + 1


def _leads_with_markers(text: str, start: int, end: int) -> bool:
    """Whether markers stand before their sentences here: ``[1] One. [2] Two.``"""
    piece = text[start:end].strip()
    return piece.startswith(MARK) and not piece.rstrip("\"'”’)*_ .!?。").endswith(MARK)


def _ends(text: str, stop: re.Match[str], *, marked: bool, start: int) -> bool:
    """Whether a stop ends a sentence that began at ``start``."""
    sign, closed, between = stop.groups()
    if not between and sign[0] not in _WIDE:
        return False
    after = stop.end()
    first = text[after]
    if first in _OPENERS:
        first = text[after : after + 24].lstrip(_OPENERS)[:1]
    if sign[-1] in ":：":  # a lead-in ends here if a marker closes it: "**Cost**: [3] Prices ..."
        return marked and first.isupper()
    if sign[0] in _WIDE:
        return bool(between) or not (closed[-1:] in tuple("」』”）") and first in _SPOKEN_ON)
    if not first or (first.islower() and not marked):
        return False
    return sign != "." or not _abbreviates(text, stop, start=start, marked=marked)


def _abbreviates(text: str, stop: re.Match[str], *, start: int, marked: bool) -> bool:
    """Whether a full stop belongs to an abbreviation, an initial or a list number."""
    end = stop.start()
    word = text[text.rfind(" ", max(start, end - 24), end) + 1 or max(start, end - 24) : end]
    if len(word) > _LONGEST_ABBREVIATION and "." not in word and word.isalpha():
        return False
    before = text[max(start, end - 24) : end].split()
    word = _NOT_WORD.split(before[-1])[-1] if before else ""
    if not word:
        return False
    bare = word.lower()
    following = text[stop.end() : stop.end() + 24].lstrip(_OPENERS)
    next_match = _WORD_AFTER.match(following)
    next_word = next_match[0] if next_match else ""
    starts = next_word.lower() in STARTERS
    if word.isdigit():
        list_number = len(word) < 3 and len(before) == 1 and not marked
        return list_number or next_word in MONTHS_AFTER_ORDINAL
    if bare in TITLES:
        return not marked
    if bare in BEFORE_NUMBER:
        return following[:1].isdigit()
    if bare in BEFORE_MORE:
        return marked or not starts
    if bare in MAYBE_LAST or _DOTTED.fullmatch(word):
        return not starts and not marked
    if len(word) == 1 and word.isupper() and word.isascii():
        named = len(before) > 1 and before[-2].lower() in NAMED
        return not (starts or marked or named)
    return False
