"""The reference list at the end of an answer: where it begins and what it says."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

from citemark.citations.answer import Reference

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
_BULLET = r"(?:[-*+•][ \t]+)?"
_ENTRY = re.compile(
    rf"[ \t]*{_BULLET}(?:\[\^?(?P<b>\d{{1,4}})\^?\][:.]?|(?P<n>\d{{1,3}})[.):]"
    r"|【(?P<l>\d{1,4})[^】\n]{0,40}】"
    r"|<sup>(?P<s>\d{1,3})</sup>|\[\^[^\]\n]{1,40}\]:)[ \t]*(?P<rest>\S[^\n]*)"
)
_DEFINITION = re.compile(r"[ \t]*\[\^?[^\]\n]{1,40}\]:[ \t]*\S")
_URL = re.compile(r"https?://[^\s<>\"\])】]+|www\.[^\s<>\"\])】]+", re.IGNORECASE)
_BULLET_ENTRY = re.compile(r"[ \t]*[-*+•][ \t]+\S")
_RUN_TOGETHER = re.compile(
    r"(?:(?<=[.\])/]\s)|(?<=[.\])/])|(?<=\n))\[(\d{1,3})\](?=[ \t]?[^\s\[.,;)]|\s*$)"
)
_BIBLIOGRAPHIC = re.compile(r"https?://|www\.|\[Online\]|\bAvailable:")
_MOST_ENTRIES = 300
_INLINE_ENTRY = re.compile(r"\[\^?(\d{1,4})\^?\]:?[ \t]*([^\[\n]{2,400})")


class ReferenceList(NamedTuple):
    """Where the list begins (the answer's length if there is none) and its entries."""

    start: int
    entries: dict[int, Reference]


def find_reference_list(answer: str) -> ReferenceList:
    """The trailing reference list of an answer: its text is not answer text."""
    start = _labelled_start(answer)
    if start is None:
        start = _unlabelled_start(answer)
    if start is None and "[" in answer and any(sign in answer for sign in ("http", "[Online]")):
        start = _run_together_start(answer)
    if start is None:
        return ReferenceList(len(answer), {})
    return ReferenceList(start, _entries(answer[start:]))


def _labelled_start(answer: str) -> int | None:
    starts = [start for start, end in _label_lines(answer) if _holds_entries(answer[end:])]
    for match in _FIRST_INLINE.finditer(answer) if ":" in answer or "：" in answer else ():
        before = answer[max(0, match.start() - _LABEL_LENGTH) : match.start()]
        if label := _LABEL_BEFORE.search(before):
            starts.append(match.start() - len(label["label"]))
            break
    return min(starts, default=None)


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
    if not lines or not (_is_entry(lines[0]) or _is_citation_text(lines[0])):
        return False
    listed = sum(_is_entry(line) or _is_citation_text(line) for line in lines)
    headings = sum(line.lstrip().startswith("#") for line in lines)
    return listed * 2 >= len(lines) and headings == 0


def _is_entry(line: str) -> bool:
    match = _ENTRY.match(line)
    if not match:
        return bool(_BULLET_ENTRY.match(line) and _is_citation_text(line))
    return bool(re.search(r"[^\W\d_]", match["rest"]))  # bare markers are no reference list


def _is_citation_text(line: str) -> bool:
    return bool(
        _URL.search(line) or re.search(r"\((?:1[89]|20)\d\d[a-z]?\)|\bet al\b|\bdoi\b", line)
    )


def _unlabelled_start(answer: str) -> int | None:
    """Where trailing lines such as ``[1]: https://…`` or ``[2] Title …`` begin, if they do."""
    end, start, numbers, urls, definitions = len(answer), None, [], 0, 0
    while end > 0:
        begin = answer.rfind("\n", 0, end) + 1
        line = answer[begin:end]
        end = begin - 1
        if not line.strip():
            continue
        match = _ENTRY.match(line)
        if not match or not (match["b"] or match["l"] or match["n"] or _DEFINITION.match(line)):
            break
        if match["n"] and not _URL.search(line):
            break  # a numbered list is answer text unless it is a list of links
        start = begin
        definitions += bool(_DEFINITION.match(line))
        urls += bool(_URL.search(line))
        numbers.append(int(match["b"] or match["l"] or match["n"] or 0))
    if start is None:
        return None
    if definitions == len(numbers):
        return start
    ascending = all(a > b for a, b in pairwise(numbers))
    if len(numbers) < 2 or not ascending:
        return None
    if urls * 2 > len(numbers) or all(f"[{n}]" in answer[:start] for n in numbers):
        return start
    return None


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
    return end if entries > 1 and expected in (0, 1) else None


def _entries(text: str) -> dict[int, Reference]:
    entries: dict[int, Reference] = {}
    for line in text.split("\n"):
        pieces = _INLINE_ENTRY.findall(line) if line.count("[") > 1 else []
        if len(pieces) < 2:
            match = _ENTRY.match(line)
            number = match and (match["b"] or match["n"] or match["l"] or match["s"])
            pieces = [(number, match["rest"])] if match and number else []
        for number, rest in pieces:
            entries.setdefault(int(number), _reference(rest))
    return entries


def _reference(text: str) -> Reference:
    link = re.search(r"\[([^\]\n]{1,300})\]\((https?://[^\s)]+)\)", text)
    if link:
        return Reference(link[2], link[1])
    url = _URL.search(text)
    title = (text[: url.start()] + text[url.end() :] if url else text).strip(" \t-–—:|.<>()[]*_")
    return Reference(url[0].rstrip(".,;") if url else None, title[:300] or None)
