"""Finding the markers of an answer: which stretches of it cite which sources."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from citemark.citations.answer import Reference
from citemark.citations.context import is_array_or_interval, is_exponent, is_subscript
from citemark.citations.numbers import Group, read_group
from citemark.citations.urls import normalised_url


class Found(NamedTuple):
    """A stretch that looks like a marker, before it is known which sources exist."""

    start: int
    end: int
    numbers: tuple[int, ...] = ()
    url: str | None = None
    title: str | None = None
    prose: tuple[int, int] | None = None
    """Where the text of a link stands, if a reader reads it as part of the sentence."""
    style: str = "bracket"


class Scan(NamedTuple):
    """What the markers are looked for in."""

    answer: str
    end: int
    listed: frozenset[int] | None
    by_url: Mapping[str, int]
    """The listed sources by their normalised URL."""


_URL = r"(?:https?://|www\.)[^\s<>\"'`【】\[\]|\\^{}]+"
_TARGET = r"\((?:<[^<>\n]{1,2000}>|[^\s()<>]{1,2000}(?:\([^\s()<>]{0,400}\)[^\s()<>]{0,400}){0,8})"
_BRACKET = re.compile(
    r"\[(\[?)(?P<inside>[^\[\]\n]{1,300})\](\]?)"
    rf"({_TARGET}(?:[ \t]+(?:\"[^\"\n]{{0,300}}\"|'[^'\n]{{0,300}}'))?\))?"
)
_WIDE_BRACKET = re.compile(r"[【［]([^【】［］\n]{1,160})[】］]")
_PAREN = re.compile(
    r"[(（](?P<inside>(?:(?:reference\s+from\s+)?(?:sources?|refs?\.?|references?|citations?|docs?|documents?"
    r"|passages?(?:\s+id)?|fuentes?|quellen?|来源|出典)\s*[:：.]?\s*#?\d[^()（）\n]{0,60}"
    r"|\d{1,4}\s*,\s*[^\W\d_][^()（）\n]{0,160}?,\s*(?:(?:1[89]|20)\d\d[a-z]?|0|n\.d\.)"
    r"(?:\s*,\s*pp?\.\s*[\d–-]{1,12})?))[)）]",
    re.IGNORECASE,
)
_SUP_TAG = re.compile(r"<sup[^<>]{0,60}>\s*(?P<inside>[^<>]{1,40})\s*</sup>", re.IGNORECASE)
_SUP_LINK = re.compile(
    r"<sup[^<>]{0,60}>\s*<a\b[^<>]{0,400}>(?P<inside>[^<>]{1,40})</a>\s*</sup>", re.IGNORECASE
)
_ANCHOR = re.compile(
    r"<a\b[^<>]{0,400}?\bhref\s*=\s*[\"']?(?P<url>[^\s\"'<>]{1,2000})[^<>]{0,400}>"
    r"(?P<inside>[^<>]{0,400})</a>",
    re.IGNORECASE,
)
_BARE_URL = re.compile(rf"<?({_URL})>?", re.IGNORECASE)
_SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_SUPERSCRIPT = re.compile(rf"[{_SUPERSCRIPTS}]+(?:[ ]?[,˒⁻⁽⁾][ ]?[{_SUPERSCRIPTS}]+)*")
_ASCII_DIGITS = str.maketrans(_SUPERSCRIPTS + "˒⁻", "0123456789,-", "⁽⁾")
_HOSTLIKE = re.compile(r"(?:https?://)?(?:[\w-]+\.)+[a-z]{2,}(?:/\S*)?", re.IGNORECASE)
_CITED_IN_WORDS = re.compile(
    r"\b(?:(?i:according\s+to|per|from|in|by|see|as|as\s+in|and)\s+(?P<lead>(?i:source"
    r"|passage(?:\s+id)?|document|reference)\s*\#?\d{1,3})"
    r"|(?P<name>(?:Source|Passage(?:\s+ID)?|Document)\s+\#?\d{1,3}))\b(?!\s*[-–.]\d)"
)
MEMORY = re.compile(r"\[\[?(?:LLM|MODEL)\s+MEMORY\b[^\[\]\n]{0,60}\]", re.IGNORECASE)
"""A model's own word for "I cite nothing": no words of the answer, and no source."""


_NONE: frozenset[int] = frozenset()


def _brackets(scan: Scan) -> Iterator[Found]:
    for match in _BRACKET.finditer(scan.answer, 0, scan.end):
        doubled, inside, closed_twice, target = match.groups()
        start, end = match.span()
        if target and scan.answer[start - 1 : start] == "!":
            yield Found(start - 1, end, style="image")
            continue
        if doubled and not closed_twice:
            start += 1
        elif closed_twice and not (doubled or target):
            end -= 1
        url = _target_url(target) if target else None
        group = read_group(inside)
        if group is None and not url:
            if MEMORY.fullmatch(match[0]):
                yield Found(start, end, style="memory")
            continue
        if target and url is None:
            end -= len(target)  # "[1](see below)": a marker and then a remark
        if group and _cites(scan, group, start, end):
            yield Found(start, end, group.numbers, url)
        elif url and not group:
            yield _link(scan, start, end, url, match.span("inside"))


def _target_url(target: str) -> str | None:
    place = target[1:-1].strip().split(" ", 1)[0].strip("<>")
    linked = re.match(r"[a-z][a-z0-9+.-]*:|www\.|[#/.]|[\w-]+\.[a-z]{2,}", place, re.IGNORECASE)
    return place if linked else None


def _cites(scan: Scan, group: Group, start: int, end: int) -> bool:
    """Whether a bracket with numbers is a citation, by what it holds and what stands around it."""
    if group.labelled:
        return True
    listed = scan.listed or _NONE
    if max(group.numbers) > 999 and all(n > 999 and n not in listed for n in group.numbers):
        return False  # a year, or a number that counts something else
    if group.compound and is_array_or_interval(scan.answer, start, end, group.numbers, listed):
        return False
    return not is_subscript(scan.answer, start, known=listed.issuperset(group.numbers))


def _link(scan: Scan, start: int, end: int, url: str, inside: tuple[int, int]) -> Found:
    answer = scan.answer
    title = answer[inside[0] : inside[1]].strip()
    before = answer[max(0, start - 3) : start].rstrip(" ")
    aside = before.endswith(("(", "（")) or not before or before[-1] in ".!?。\n|]）:："
    after = answer[end : end + 2].strip()
    trailing = aside and (not after or after[0] in ")）.,;。，|\n[")
    prose = None if trailing or _HOSTLIKE.fullmatch(title) else inside
    return Found(start, end, url=url, title=title or None, prose=prose, style="link")


def _wide_brackets(scan: Scan) -> Iterator[Found]:
    for match in _WIDE_BRACKET.finditer(scan.answer, 0, scan.end):
        group = read_group(match[1])
        if group and _cites(scan, group, *match.span()):
            yield Found(match.start(), match.end(), group.numbers)


def _parentheses(scan: Scan) -> Iterator[Found]:
    for match in _PAREN.finditer(scan.answer, 0, scan.end):
        if group := read_group(match["inside"]):
            yield Found(match.start(), match.end(), group.numbers)


def _anchors(scan: Scan) -> Iterator[Found]:
    for match in _ANCHOR.finditer(scan.answer, 0, scan.end):
        start, end = match.span()
        group = read_group(match["inside"].strip().strip("[]"))
        if group:
            yield Found(start, end, group.numbers, url=match["url"])
        else:
            yield _link(scan, start, end, match["url"], match.span("inside"))


def _sup_tags(scan: Scan) -> Iterator[Found]:
    for form in (_SUP_LINK, _SUP_TAG):
        for match in form.finditer(scan.answer, 0, scan.end):
            inside = match["inside"].strip()
            group = read_group(inside.strip("[]"))
            bracketed = inside.startswith("[")
            if group and (bracketed or not is_exponent(scan.answer, *match.span())):
                style = "bracket" if bracketed else "superscript"
                yield Found(match.start(), match.end(), group.numbers, style=style)


def _superscripts(scan: Scan) -> Iterator[Found]:
    found = []
    for match in _SUPERSCRIPT.finditer(scan.answer, 0, scan.end):
        if is_exponent(scan.answer, *match.span()):
            continue
        if group := read_group(match[0].translate(_ASCII_DIGITS)):
            found.append((match, group.numbers))
    seen = scan.listed or frozenset(n for _, numbers in found for n in numbers if n < 10)
    for match, numbers in found:
        apart = tuple(dict.fromkeys(n for number in numbers for n in _digits(number, seen)))
        yield Found(match.start(), match.end(), apart, style="superscript")


def _digits(number: int, known: frozenset[int]) -> tuple[int, ...]:
    """``¹²`` is source 12 where there is one, and else the sources 1 and 2 side by side."""
    digits = tuple(int(digit) for digit in str(number))
    if number < 10 or number in known or 0 in digits:
        return (number,)
    return digits if known.issuperset(digits) or not known else (number,)


def _bare_urls(scan: Scan) -> Iterator[Found]:
    for match in _BARE_URL.finditer(scan.answer, 0, scan.end):
        url = match[1].rstrip(".,;:!?*_~")
        while url.endswith(")") and url.count(")") > url.count("("):
            url = url[:-1].rstrip(".,;:!?*_~")
        whole = match[0].startswith("<") and match[0].endswith(">")
        start, end = match.span() if whole else (match.start(1), match.start(1) + len(url))
        yield Found(start, end, url=url, style="url")


def _in_words(scan: Scan) -> Iterator[Found]:
    for match in _CITED_IN_WORDS.finditer(scan.answer, 0, scan.end):
        inside = "lead" if match["lead"] else "name"
        group = read_group(match[inside])
        if group and scan.listed and scan.listed.issuperset(group.numbers):
            start, end = match.span(inside)
            yield Found(start, end, group.numbers, prose=(start, end), style="words")


_Scanners = tuple[tuple[tuple[str, ...], Callable[[Scan], Iterator[Found]]], ...]
_SCANNERS: _Scanners = (
    (("[",), _brackets),
    (("(", "（"), _parentheses),
    (("<a", "<A"), _anchors),
    (("<sup", "<SUP"), _sup_tags),
    (("://", "www."), _bare_urls),
    (("ource", "assage", "ocument", "eference", "OURCE"), _in_words),
)
_WIDE_SCANNERS: _Scanners = (
    (("【", "［"), _wide_brackets),
    (tuple(_SUPERSCRIPTS), _superscripts),
)
"""Each form of marker with the letters that must be there for it to be worth a look."""


def find_markers(scan: Scan) -> list[Found]:
    """Everything in an answer that looks like a citation, in order and without overlap.

    Where two forms claim the same stretch, the one that begins earlier and is longer wins:
    a numbered link is one marker, not a number and a URL.
    """
    found: list[Found] = []
    answer = scan.answer
    for signs, scanner in _SCANNERS if answer.isascii() else _SCANNERS + _WIDE_SCANNERS:
        for sign in signs:
            if sign in answer:
                found.extend(scanner(scan))
                break
    found.sort(key=lambda f: (f.start, -f.end))
    kept: list[Found] = []
    reached = 0
    for candidate in found:
        if candidate.start >= reached:
            kept.append(candidate)
            reached = candidate.end
    if "![" in answer:
        kept = [f for f in kept if f.style != "image"]
    if any(f.style == "superscript" for f in kept) and any(f.style == "bracket" for f in kept):
        # An answer cites in one style: with brackets around, raised figures are exponents.
        kept = [f for f in kept if f.style != "superscript"]
    return kept


def resolve(found: Found, scan: Scan) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The numbers that a marker names, and those of them that are sources of the case.

    A URL that belongs to a listed source says more than the number in front of it, because
    some engines count their links anew in every paragraph.
    """
    if found.url and (by_url := scan.by_url.get(normalised_url(found.url))) is not None:
        return (by_url,), (by_url,)
    named = found.numbers
    listed = scan.listed
    if len(named) == 1:
        known = named[0] > 0 if listed is None else named[0] in listed
        return named, named if known else ()
    return named, tuple(sorted(n for n in named if (n > 0 if listed is None else n in listed)))


def references_in_links(found: list[Found], scan: Scan) -> dict[int, Reference]:
    """The pages that numbered links point to."""
    entries: dict[int, Reference] = {}
    for marker in found:
        if marker.url and len(marker.numbers) == 1 and "://" in marker.url:
            named, _ = resolve(marker, scan)
            entries.setdefault(named[0], Reference(marker.url, None))
    return entries
