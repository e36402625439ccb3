"""Splitting a segment of the answer into sentences, in any script."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from citemark.citations.abbreviations import (
    ABBREVIATIONS,
    BEFORE_LOWER,
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

_CLOSERS = "\"'”’»)\\]」』）】*_~›⁰¹²³⁴-⁹"
_BLANKS = " \t\n\u3000\u00a0\u2009\u202f\u200b"
_WIDE = "。！？｡．‼⁇।॥؟۔።။។"
_STOP = re.compile(
    rf"([.!?…:：{_WIDE}]+)([{_CLOSERS}]*)([{_BLANKS}]*(?:{MARK}[{MARK} \t\u00a0,;、，]*)?)"
)
"""A stop, what closes behind it, and the markers that follow."""
_ASCII_STOP = re.compile(rf"([.!?:]+)([\"')\]*_~]*)([ \t\n]*(?:{MARK}[{MARK} \t,;]*)?)")
"""The same for a text that is all ASCII, where it is much faster."""
_NOT_WORD = re.compile(r"[()\[\]{}\"'“”‘’«»*_,;:/–—\x01\x02]")
_MARK_THEN_CAPITAL = re.compile(rf"{MARK}[ \t]+(?=[A-Z][a-z])")
_DOTTED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")
_WORD_AFTER = re.compile(r"[^\W\d_]+")
_NUMBER = re.compile(r"\d|[A-Z]{0,2}\d|[IVXLC]{2,}\b|[VX]\b")
_OPENERS = "\"'“‘«(（[「『*_¿¡‹#"
_BEFORE_FIRST = _BLANKS + _OPENERS
_LATE_CLOSERS = re.compile(r"[\"'”’»)\]*_]+(?=\s|$)")
"""What a marker was put in front of, although it closes the sentence."""
_QUOTE_ENDS = tuple("」』”）")
_BEFORE_GLUED = frozenset(f"{MARK})]")
_HASHES = re.compile(r"#{1,6}[ \t]+")
_STOPS = frozenset(".!?:…")
_SPOKEN_ON = "とっはがもをにのねよ"  # particles: the quotation goes on being part of the sentence
_INLINE_ITEM = re.compile(
    rf"(?:(?<=[.:;!?{MARK}])|(?<=[.:;!?{MARK}] )|(?<=[:.]\*\*)|(?P<loose>(?<=\S)))[ \t]+"
    rf"(?P<bullet>(?:[-*•▪●](?=[ \t])|(?P<number>\d{{1,2}})(?P<marks>{MARK}*)[.)](?=[ \t]))[ \t]+)"
    rf"(?=\*\*|[\"“'(]?[^\W\d_a-z]|[\"“'(]?\d)"
)
_MAY_BE_RUN_TOGETHER = re.compile(rf"[-*•▪●0-9](?:(?<=[ \t].)|{MARK}*[.)])[ \t]")


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
        if inner[:1] == "#" and (hashes := _HASHES.match(inner)):
            # A heading that lost its line: it ends at a marker, or is lost in what follows.
            kind = kind if inner[-1] in _STOPS else "heading"
            start += piece.index("#") + hashes.end()
            return Piece(start, start + len(inner) - hashes.end(), kind)
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
    unstopped = _MARK_THEN_CAPITAL.search(text, start, end) is not None
    reached = start
    for stop in stops.finditer(text, start, end):
        if stop.end() >= end:
            break
        if MARK in stop[3]:
            cut = _cut_behind_markers(text, stop, start=reached)
            if cut and leading:
                cut = stop.start(3)
        else:
            cut = stop.start(3) if _ends(text, stop, start=reached) else 0
        if cut:
            if unstopped:
                yield from _cuts_at_markers(text, reached, stop.start())
            reached = stop.end()
            yield cut
    if unstopped:
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


def _ends(text: str, stop: re.Match[str], *, start: int) -> bool:
    """Whether a stop without a marker behind it ends a sentence that began at ``start``."""
    sign, closed, between = stop.groups()
    wide = sign[0] in _WIDE
    if not between and not wide:
        return text[stop.start() - 1] in _BEFORE_GLUED and _is_glued(text, stop)
    if sign[-1] in ":：":
        return False
    after = stop.end()
    first = text[after]
    if wide:
        return bool(between) or not (closed[-1:] in _QUOTE_ENDS and first in _SPOKEN_ON)
    if first in _OPENERS:
        first = text[after : after + 24].lstrip(_OPENERS)[:1]
    if not first or first.islower():
        return False
    return sign != "." or not _abbreviates(text, stop, start=start, marked=False)


def _is_glued(text: str, stop: re.Match[str]) -> bool:
    """Whether the next sentence follows without a space: ``as they warm [1].The first``."""
    before = text[max(0, stop.start() - 2) : stop.start()].rstrip(")]")
    return before.endswith(MARK) and stop[1] in ".!?" and text[stop.end()].isupper()


def _cut_behind_markers(text: str, stop: re.Match[str], *, start: int) -> int:
    """Where a sentence ends whose stop is followed by markers; 0 if it goes on."""
    sign, _, between = stop.groups()
    cut = stop.start(3) + between.rindex(MARK) + 1
    if sign[0] in _WIDE:
        return cut
    if not text[cut : stop.end()].strip(_BLANKS):
        if late := _LATE_CLOSERS.match(text, cut):  # What is it?[7]" Then ...
            cut = late.end()
    else:
        return 0  # a comma: "stone, wood, etc.[3], and they ..."
    following = text[cut : cut + 24].lstrip(_BEFORE_FIRST)
    first = following[:1]
    if sign[-1] in ":：":  # a lead-in ends here if a marker closes it: "**Cost**: [3] Prices ..."
        return cut if first.isupper() else 0
    if not first or first in ")]":
        return 0
    if first.islower():
        return _cut_before_lower(text, stop, following, cut)
    ends = sign != "." or not _abbreviates(text, stop, start=start, marked=True)
    return cut if ends else 0


def _cut_before_lower(text: str, stop: re.Match[str], following: str, cut: int) -> int:
    """The same where a small letter follows the markers, and so perhaps the same sentence."""
    last = text[max(0, stop.start() - 24) : stop.start()].split()
    if stop[1] == "." and last and _NOT_WORD.split(last[-1])[-1].lower() in ABBREVIATIONS:
        return 0
    if text[cut - 1] != MARK:
        return 0  # a quotation or an aside was closed: Is it so?[7]" or ...
    word = _WORD_AFTER.match(following)
    apart = stop[3][0] != MARK
    if stop[1] == "." and apart and word and word[0].islower() and word[0] not in STARTERS:
        return stop.start(3)  # the marker is the subject: "It is hard. [10] propose a way."
    return cut


def _abbreviates(text: str, stop: re.Match[str], *, start: int, marked: bool) -> bool:
    """Whether a full stop belongs to an abbreviation, an initial or a list number."""
    end = stop.start()
    word = text[text.rfind(" ", max(start, end - 24), end) + 1 or max(start, end - 24) : end]
    word = word.rstrip(MARK)
    if not word or (len(word) > 1 and word.isalpha() and word.lower() not in ABBREVIATIONS):
        return False  # the usual cases, decided early: "text." and "text [1]."
    before = text[max(start, end - 24) : end].split()
    word = _NOT_WORD.split(before[-1])[-1] if before else ""
    if not word:  # a marker that a program put before the last stop of "e.g."
        word = _NOT_WORD.split(before[-1].rstrip(MARK))[-1] if before else ""
        return "." in word and word.lower() in BEFORE_MORE
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
    if bare in BEFORE_LOWER:
        return text[stop.end()] in "(["
    if bare in BEFORE_NUMBER and (len(word) > 1 or word == bare):
        return _NUMBER.match(following) is not None
    if bare in BEFORE_MORE:
        return marked or not starts
    if bare in MAYBE_LAST or _DOTTED.fullmatch(word):
        return not starts and not marked
    if len(word) == 1 and word.isupper() and word.isascii():
        named = len(before) > 1 and before[-2].lower() in NAMED
        return not (starts or marked or named)
    return False
