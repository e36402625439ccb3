"""The reference list at the end of an answer: where it begins and what it says."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

from citemark.citations.answer import Reference
from citemark.citations.entries import (
    DEFINITION,
    ENTRY,
    LINK,
    URL,
    is_citation_text,
    is_entry,
    number_of,
    read_entries,
)

_LABELS = (
    r"references?|sources?|citations?|bibliography|works\s+cited|literature(?:\s+cited)?|footnotes?"
    r"|end\s?notes|further\s+reading|links|sources?\s+cited|list\s+of\s+(?:references|sources)"
    r"|references?\s+(?:and|&)\s+(?:sources|links|further\s+reading)|sources?\s+used"
    r"|referencias|fuentes|bibliograf[ií]a|r[ée]f[ée]rences|bibliographie|quellen(?:verzeichnis)?"
    r"|literatur(?:verzeichnis)?|einzelnachweise|referências|fontes|riferimenti|fonti|bronnen"
    r"|источники|литература|ссылки|参考文献|参考资料|参考來源|参考来源|資料來源|资料来源|引用来源|引用|来源"
    r"|出典|参考|脚注|참고\s?문헌|출처|المراجع|المصادر|संदर्भ|स्रोत"
)
_LABEL = re.compile(
    rf"[ \t]*(?:#{{1,6}}[ \t]*)?(?:[*_]{{1,3}})?(?:\d+\.[ \t]*)?(?:{_LABELS})"
    r"[ \t]*[:：]?[ \t]*(?:[*_]{1,3})?[ \t]*[:：]?[ \t\r]*",
    re.IGNORECASE,
)
_LABEL_LENGTH = 60
_FIRST_INLINE = re.compile(r"[:：][*_ \t]*(?=\[\^?\d{1,4}\^?\]:?[ \t]+[^\s\[,;.])")
_LABEL_BEFORE = re.compile(
    rf"(?:^|[.!?\]\n][ \t]*)[*_]{{0,3}}(?P<label>(?:{_LABELS})[*_ \t]*)$", re.IGNORECASE
)
_RUN_TOGETHER = re.compile(
    r"(?:(?<=[.\])/]\s)|(?<=[\w.\])/])|(?<=\n))\[(\d{1,3})\](?=[ \t]?[^\s\[.,;)]|\s*$)"
)
_BIBLIOGRAPHIC = re.compile(
    r"https?://|www\.|\[Online\]|\bAvailable:|\b(?:pp|vol)\.\s?\d|\bdoi:|\bISBN\b"
    r"|^[\s:]*(?:[A-Z]\.\s?){1,3}[A-Z][\w'’-]+(?:,|\sand\s|\set\sal)"
)
_SIGNS = ("http", "www.", "[Online]", "pp. ", "vol. ")
_MOST_ENTRIES = 300
_MARKER = re.compile(r"\[\^?\d{1,4}(?:\s*[,;–-]\s*\d{1,4}){0,20}\^?\]")
_LONGEST_ENTRY = 600
_BETWEEN_LINKS = re.compile(r"(?:[\s,;|·•.()<>*_–-]|\band\b)*")


class ReferenceList(NamedTuple):
    """Where the list begins (the answer's length if there is none) and its entries."""

    start: int
    entries: dict[int, Reference]


def find_reference_list(answer: str) -> ReferenceList:
    """The trailing reference list of an answer: its text is not answer text."""
    start = _labelled_start(answer)
    if start is None:
        start = _unlabelled_start(answer, len(answer))
    else:  # some engines write the definitions of their links above the labelled list
        above = _unlabelled_start(answer, start)
        start = start if above is None else above
    if start is None and "[" in answer and any(sign in answer for sign in _SIGNS):
        start = _run_together_start(answer)
    if start is None:
        return ReferenceList(len(answer), {})
    return ReferenceList(start, read_entries(answer[start:]))


def _labelled_start(answer: str) -> int | None:
    starts = [start for start, end in _label_lines(answer) if _holds_entries(answer[end:])]
    for match in _FIRST_INLINE.finditer(answer) if ":" in answer or "：" in answer else ():
        before = answer[max(0, match.start() - _LABEL_LENGTH) : match.start()]
        if label := _LABEL_BEFORE.search(before):
            starts.append(match.start() - len(label["label"]))
            break
    if not starts and (start := _line_of_links(answer)) is not None:
        return start
    return min(starts, default=None)


def _line_of_links(answer: str) -> int | None:
    """Where a last line such as ``Sources: https://a.org, https://b.org`` begins."""
    text = answer.rstrip()
    begin = text.rfind("\n") + 1
    label, colon, rest = text[begin:].replace("：", ":", 1).partition(":")
    if not colon or len(label) > _LABEL_LENGTH or not _LABEL.fullmatch(label):
        return None
    left, links = LINK.subn(" ", rest)
    left, urls = URL.subn(" ", left)
    return begin if links + urls and _BETWEEN_LINKS.fullmatch(left) else None


def _label_lines(answer: str) -> list[tuple[int, int]]:
    """Where lines such as ``References:`` stand.

    Only the last few can begin a trailing list; looking at more would cost time on an
    answer made of nothing but labels.
    """
    found, position = [], 0
    for line in answer.split("\n"):
        if 0 < len(line) < _LABEL_LENGTH and _LABEL.fullmatch(line):
            found.append((position + len(line) - len(line.lstrip()), position + len(line)))
        position += len(line) + 1
    return found[-3:]


def _holds_entries(tail: str) -> bool:
    """Whether what follows a label is a list of references to the very end."""
    lines = [line for line in tail.split("\n") if line.strip()]
    if not lines or not (is_entry(lines[0]) or is_citation_text(lines[0])):
        return False
    listed = sum(is_entry(line) or is_citation_text(line) for line in lines)
    headings = sum(line.lstrip().startswith("#") for line in lines)
    return listed * 2 >= len(lines) and headings == 0


def _unlabelled_start(answer: str, end: int) -> int | None:
    """Where the lines before ``end`` such as ``[1]: https://…`` or ``[2] Title …`` begin."""
    start, numbers, urls, definitions = None, [], 0, 0
    entry: re.Match[str] | None = None
    while end > 0:
        begin = answer.rfind("\n", 0, end) + 1
        line = answer[begin:end]
        end = begin - 1
        if not line.strip():
            continue
        match = ENTRY.match(line)
        if not match or (match["plain"] and not URL.search(line)):
            break  # a numbered list is answer text unless it is a list of links
        start, entry = begin, match
        definitions += bool(DEFINITION.match(line))
        urls += bool(URL.search(line))
        numbers.append(number_of(match))
    if start is None or entry is None:
        return None
    if definitions == len(numbers):
        return start
    if len(numbers) == 1:
        sign = entry[0][: entry.start("rest")].strip(" \t-*+•:.")
        link = URL.match(entry["rest"]) or LINK.match(entry["rest"])
        return start if link and not entry["plain"] and sign in answer[:start] else None
    if not all(a > b for a, b in pairwise(numbers)):
        return None
    if urls * 2 > len(numbers) or _cited_before(answer, start).issuperset(numbers):
        return start
    return None


def _cited_before(answer: str, end: int) -> set[int]:
    return {int(number) for number in re.findall(r"\[(\d{1,4})\]", answer[:end])}


def _run_together_start(answer: str) -> int | None:
    """Where a list begins whose line breaks were lost: ``[1] Title. [Online]. [2] Title ...``"""
    end, entries, expected = len(answer), 0, None
    for match in reversed(list(_RUN_TOGETHER.finditer(answer))[-_MOST_ENTRIES:]):
        number = int(match[1])
        if expected not in (None, number):
            continue
        text = answer[match.end() : end]
        if not _BIBLIOGRAPHIC.search(text) and (entries or text.strip()):
            break
        end, expected, entries = match.start(), number - 1, entries + 1
        if number == 1:
            break
    if entries < 2 or expected not in (0, 1):
        return None
    if expected == 1:
        end = _before_first(answer, end)
    # Without a marker before it, this is no list but an answer with its links behind markers.
    return end if _MARKER.search(answer, 0, end) else None


def _before_first(answer: str, end: int) -> int:
    """Where the first entry begins if its number was lost: behind the last marker before it."""
    markers = list(_MARKER.finditer(answer, max(0, end - _LONGEST_ENTRY), end))
    if not markers or not _BIBLIOGRAPHIC.search(answer, markers[-1].end(), end):
        return end
    begin = markers[-1].end()
    while begin < end and answer[begin] in ".!?: \n":
        begin += 1
    return begin
