"""The layout of an answer: paragraphs, headings, list items, table rows.

It reads a *masked* copy of the answer, of the same length, in which every character of a
marker is MARK and every character of code, a formula or a link target is OPAQUE. So no
full stop inside a URL ends a sentence, and offsets stay those of the answer. Both are
control characters, which keeps a masked ASCII answer ASCII and so fast to search.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from citemark.citations.answer import Kind

MARK = "\x01"
OPAQUE = "\x02"
_TAKEN = {ord(MARK): "\x03", ord(OPAQUE): "\x03"}

_HEADING = re.compile(r"[ \t]*#{1,6}(?=[ \t])[ \t]*")
_RULE = re.compile(r"[ \t]*(?:[-*_=][ \t]*){3,}$")
_TABLE_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-{1,}:?[ \t]*(?:\|[ \t]*:?-{1,}:?[ \t]*)*\|?[ \t]*$")
_QUOTE = re.compile(r"[ \t]*(?:>[ \t]?)+")
_ITEM = re.compile(
    r"[ \t]*(?:[-*+•‣▪●○◦∙·–—][ \t]+"
    rf"|(?P<number>\d{{1,3}})(?:[ \t]*{MARK}+)?[.)]{MARK}*(?=[ \t]|$)[ \t]*"
    r"|\(\d{1,2}\)[ \t]+|[A-Za-z]\)[ \t]+|\d{1,3}[、．][ \t]*)"
)
_BREAK = re.compile(r"<br[ \t]*/?>", re.IGNORECASE)
_BOLD_LINE = re.compile(rf"[ \t]*(\*\*|__)(?!\s)[^*_\n]{{1,120}}(?<!\s)\1[:：]?[ \t{MARK}]*$")
_ENDS = re.compile(rf"[.!?…:;。！？：；।॥؟۔|][\"'”’»)\]」』）*_]*[ \t]*[{MARK}, \t]*$")
_INDENTED_CODE = re.compile(r"(?: {4}|\t)[^\n]*(?:[={}<>]|;$|\w\(|^\s*[@#$])")
_SHORT_LINE = 60
_TITLE_WORDS = 12
_TITLE_LENGTH = 80
_CAPITALS = re.compile(r"[A-Z][^\n]*[ \t][A-Z]")
_HEADING_WORDS = 30
_LEADS_ON = frozenset(
    "are is were was be include includes including following as by for with to of in on that and or"
    " can may should must you we they it".split()
)


@dataclass(slots=True)
class Segment:
    """A stretch that is split into sentences by itself; ``item`` counts the list's items."""

    start: int
    end: int
    kind: Kind
    paragraph: int
    item: int
    number: tuple[int, int] | None = None
    """Where a list number stands that has a marker glued to it: ``1[2].``"""


def masked(answer: str, spans: Iterable[tuple[int, int, str]]) -> str:
    """The answer with stretches of it filled by MARK, OPAQUE or, for code blocks, line breaks."""
    text = answer.translate(_TAKEN) if MARK in answer or OPAQUE in answer else answer
    parts, reached = [], 0
    for start, end, fill in sorted(spans):
        start = max(start, reached)
        if start >= end:
            continue
        parts.append(text[reached:start])
        parts.append(fill * (end - start))
        reached = end
    parts.append(text[reached:])
    text = "".join(parts)
    if "\r" in text:
        text = text.replace("\r", " ") if "\n" in text else text.replace("\r", "\n")
    if "<" in text:
        text = _BREAK.sub(lambda m: " " * (len(m[0]) - 1) + "\n", text)
    return text


class _Reader:
    """Reads line after line and hands out segments; a paragraph is numbered when it begins."""

    def __init__(self, text: str, end: int) -> None:
        self.text = text
        self.end = end
        self.paragraph = -1
        self.item = 0
        self.handed_out = 0  # segments of this paragraph so far
        self.block: str | None = None  # what the lines so far belong to: text, list, table
        self.open: Segment | None = None
        self.in_code = False  # the line before was indented code

    def _begin(self, block: str) -> None:
        self.paragraph += 1
        self.block = block
        self.item = 0
        self.handed_out = 0

    def _close(self, *, last: bool = False) -> Iterator[Segment]:
        if self.open:
            if not last and self._is_title(self.open, alone=True):
                self.open.kind = "heading"
            yield self.open
            self.open = None
            self.handed_out += 1

    def segments(self) -> Iterator[Segment]:
        position, text = 0, self.text
        blank = True
        while position < self.end:
            stop = text.find("\n", position, self.end)
            stop = self.end if stop < 0 else stop
            start = position
            position = stop + 1
            if ">" in text[start : start + 4] and (quote := _QUOTE.match(text, start, stop)):
                start = quote.end()
            if not text[start:stop].strip():
                yield from self._close()
                if self.block != "list":  # items may be set apart by blank lines
                    self.block = None
                blank = True
                continue
            self.in_code = False
            yield from self._line(start, stop, after_blank=blank)
            blank = self.in_code
        yield from self._close(last=True)

    def _line(self, start: int, stop: int, *, after_blank: bool) -> Iterator[Segment]:
        text = self.text
        first = text[start:stop].lstrip()[0]
        if first == "#" and (heading := _HEADING.match(text, start, stop)):
            # A line this long is a whole answer whose line breaks were lost.
            long = len(text[start:stop].split(None, _HEADING_WORDS)) > _HEADING_WORDS
            yield from self._alone(heading.end(), stop, "sentence" if long else "heading")
        elif first in "-*_=" and _RULE.match(text, start, stop):
            yield from self._rule(first)
        elif first == "|" or (self.block == "table" and "|" in text[start:stop]):
            yield from self._row(start, stop)
        elif first in "-:" and "|" in text[start:stop] and _TABLE_RULE.match(text, start, stop):
            yield from self._header_of_bare_table()
        elif (item := _ITEM.match(text, start, stop)) and item.end() <= stop:
            yield from self._item(item, stop)
        elif first in "*_" and _BOLD_LINE.match(text, start, stop) and not self.open:
            yield from self._alone(start, stop, "heading")
        else:
            yield from self._text(start, stop, after_blank=after_blank)

    def _alone(self, start: int, stop: int, kind: Kind) -> Iterator[Segment]:
        yield from self._close()
        self._begin("heading")
        yield Segment(start, stop, kind, self.paragraph, 0)
        self.block = None

    def _rule(self, sign: str) -> Iterator[Segment]:
        """A line of dashes sets things apart; under a short line it makes that a heading."""
        above = self.open
        if above and above.kind == "sentence" and not self.handed_out and sign in "=-":
            one_line = "\n" not in self.text[above.start : above.end]
            if one_line and (sign == "=" or self._is_title(above, alone=False)):
                above.kind = "heading"
        yield from self._close()
        self.block = None

    def _row(self, start: int, stop: int) -> Iterator[Segment]:
        yield from self._close()
        if self.block != "table":
            self._begin("table")
        if not _TABLE_RULE.match(self.text, start, stop):
            self.item += 1
            yield Segment(start, stop, "row", self.paragraph, self.item)

    def _header_of_bare_table(self) -> Iterator[Segment]:
        """A rule under a line makes that line a table's header, even without outer bars."""
        header, self.open = self.open, None
        if header is None:
            return
        if "|" in self.text[header.start : header.end] and header.kind == "sentence":
            self.block = "table"
            self.item = 1
            yield Segment(header.start, header.end, "row", header.paragraph, 1)
        else:
            yield header

    def _item(self, item: re.Match[str], stop: int) -> Iterator[Segment]:
        if self.open and self._is_title(self.open, alone=False) and self._names(self.open):
            self.open.kind = "heading"
        yield from self._close()
        if self.block != "list":
            self._begin("list")
        self.item += 1
        number = (item.start("number"), item.end()) if MARK in item[0] else None
        self.open = Segment(item.end(), stop, "item", self.paragraph, self.item, number)

    def _text(self, start: int, stop: int, *, after_blank: bool) -> Iterator[Segment]:
        if self.block == "list":
            indented = self.text[start : start + 2].isspace()
            wraps = self.open is not None and not self._breaks(self.open, start)
            if indented or wraps:
                yield from self._continue(start, stop, "item", self.item)
                return
            yield from self._close()
            self.block = None
        if after_blank and self.block is None and _INDENTED_CODE.match(self.text, start, stop):
            self.in_code = True
            return
        if self.block != "text":
            yield from self._close()
            self._begin("text")
        yield from self._continue(start, stop, "sentence", 0)

    def _continue(self, start: int, stop: int, kind: Kind, item: int) -> Iterator[Segment]:
        """Add a line to the open segment, or begin a new one where the line break is meant."""
        segment = self.open
        if segment is not None:
            if not self._breaks(segment, start):
                segment.end = stop
                return
            if self._is_title(segment, alone=False):
                segment.kind = "heading"
            yield from self._close()
        self.open = Segment(start, stop, kind, self.paragraph, item)

    def _breaks(self, segment: Segment, start: int) -> bool:
        """Whether the line break before ``start`` is meant, or only wraps a long line."""
        text = self.text
        last = text.rfind("\n", segment.start, segment.end) + 1 or segment.start
        line = text[last : segment.end]
        if _ENDS.search(line) or line.endswith("  "):
            return True
        following = text[start : start + 40].lstrip(" \t*_\"'“‘(")
        return len(line) < _SHORT_LINE and bool(following) and not following[0].islower()

    def _is_title(self, segment: Segment, *, alone: bool) -> bool:
        """A short line without a stop that begins a paragraph, such as ``Key findings``.

        A line that stands alone must also look like a title: capitals, and no marker. So
        must one with a marker, or every line of a list without bullets would be a heading.
        """
        if segment.kind != "sentence" or self.handed_out:
            return False
        line = self.text[segment.start : segment.end].strip()
        marked = MARK in line
        strict = alone or marked
        if strict and (len(line) > _TITLE_LENGTH or not _CAPITALS.match(line)):
            return False
        if alone and marked:
            return False
        line = line.replace(MARK, "").strip()
        words = line.split()
        if not words or len(words) > _TITLE_WORDS or _ENDS.search(line):
            return False
        long = [word for word in words if len(word) > 3 and word.isalpha()]
        return not strict or (len(words) > 1 and all(word[0].isupper() for word in long))

    def _names(self, segment: Segment) -> bool:
        """Whether a line above a list names it; ``The causes are`` rather leads into it."""
        last = self.text[segment.start : segment.end].split()[-1]
        return last.lower() not in _LEADS_ON


def segments(text: str, end: int) -> Iterator[Segment]:
    """The segments of a masked answer, up to ``end``, in order."""
    return _Reader(text, end).segments()
