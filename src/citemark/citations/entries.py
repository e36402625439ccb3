"""The entries of a reference list: how one looks, and what it says about its source."""

from __future__ import annotations

import re

from citemark.citations.answer import Reference

_BULLET = r"(?:[-*+•][ \t]+)?"
_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_PLAIN = str.maketrans(_RAISED, "0123456789")
ENTRY = re.compile(
    rf"[ \t]*{_BULLET}(?:\[\^?(?P<bracket>\d{{1,4}})\^?\][:.]?|(?P<plain>\d{{1,3}})[.):]"
    r"|【(?P<wide>\d{1,4})[^】\n]{0,40}】"
    rf"|<sup>(?P<tag>\d{{1,3}})</sup>|(?P<raised>[{_RAISED}]{{1,3}})(?=[ \t:])"
    r"|\[\^[^\]\n]{1,40}\]:)[ \t]*(?P<rest>\S[^\n]*)"
)
DEFINITION = re.compile(r"[ \t]*\[\^?[^\]\n]{1,40}\]:[ \t]*\S")
URL = re.compile(r"https?://[^\s<>\"\])】]+|www\.[^\s<>\"\])】]+", re.IGNORECASE)
LINK = re.compile(r"\[([^\]\n]{1,300})\]\((https?://[^\s)]+)\)")
_BULLET_ENTRY = re.compile(r"[ \t]*[-*+•][ \t]+\S")
_CITED_WORK = re.compile(r"\((?:1[89]|20)\d\d[a-z]?\)|\bet al\b|\bdoi\b")
_INLINE_ENTRY = re.compile(r"\[\^?(\d{1,4})\^?\]:?[ \t]*([^\[\n]{2,400})")
_EMPTIED = re.compile(r"\([ \t]*\)|\[[ \t]*\]|<[ \t]*>")


def number_of(entry: re.Match[str]) -> int:
    """The number of an entry; 0 for a footnote that has a name instead."""
    found = entry["bracket"] or entry["plain"] or entry["wide"] or entry["tag"] or entry["raised"]
    return int(found.translate(_PLAIN)) if found else 0


def is_entry(line: str) -> bool:
    """Whether a line under a label such as ``References`` names a work."""
    match = ENTRY.match(line)
    if not match:
        return bool(_BULLET_ENTRY.match(line) and is_citation_text(line))
    return bool(re.search(r"[^\W\d_]", match["rest"]))  # bare markers are no reference list


def is_citation_text(line: str) -> bool:
    """Whether a line holds a URL, a year in parentheses or the like."""
    return bool(URL.search(line) or _CITED_WORK.search(line))


def read_entries(text: str) -> dict[int, Reference]:
    """What a reference list says about each numbered source."""
    entries: dict[int, Reference] = {}
    for line in text.split("\n"):
        pieces = _INLINE_ENTRY.findall(line) if line.count("[") > 1 else []
        if len(pieces) < 2:
            match = ENTRY.match(line)
            pieces = [(number_of(match), match["rest"])] if match and number_of(match) else []
        for number, rest in pieces:
            entries.setdefault(int(number), _reference(rest))
    return entries


def _reference(text: str) -> Reference:
    link = LINK.search(text)
    if link:
        return Reference(link[2], link[1])
    url = URL.search(text)
    title = text[: url.start()] + text[url.end() :] if url else text
    title = _EMPTIED.sub("", title).strip(" \t-–—:|.<>[]*_")
    return Reference(url[0].rstrip(".,;") if url else None, title[:300] or None)
