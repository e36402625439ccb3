"""Stretches of an answer in which a bracket is never a citation: code, formulas, escapes."""

from __future__ import annotations

import re
from typing import NamedTuple

_FENCE = re.compile(r"^[ \t>]*(?:[-*+]\s+|\d+[.)]\s+)?(`{3,}|~{3,})([^\n]*)$", re.MULTILINE)
_TICKS = re.compile(r"`+")
_ESCAPE = re.compile(r"\\(?:[()\[\]]|begin\{|end\{)")
_DOLLARS = re.compile(r"(?<!\\)\$\$?")
_FORMULA_SIGN = re.compile(r"[\\^_={}<>]")
_LETTERS = re.compile(r"[^\W\d_]{2}")
_MAX_INLINE = 600
"""Inline code and formulas are short; a stray delimiter must not swallow the answer."""


class Region(NamedTuple):
    """A stretch that is not prose: code or a formula. A code block holds no sentences."""

    start: int
    end: int
    code: bool = False
    block: bool = False


def find_regions(answer: str) -> list[Region]:
    """The code and formulas of an answer, in order and without overlap."""
    regions: list[Region] = []
    if "```" in answer or "~~~" in answer:
        regions += _fences(answer)
    if "`" in answer:
        regions = _merged(regions, _inline_code(answer))
    if "\\" in answer:
        regions = _merged(regions, _escapes(answer))
    if "$" in answer:
        regions = _merged(regions, _dollars(answer))
    return regions


def _merged(kept: list[Region], more: list[Region]) -> list[Region]:
    """Both lists in order, dropping of the second what touches the first."""
    if not kept:
        return more
    merged, index = [], 0
    for region in more:
        while index < len(kept) and kept[index].end <= region.start:
            merged.append(kept[index])
            index += 1
        if index == len(kept) or region.end <= kept[index].start:
            merged.append(region)
    return merged + kept[index:]


def _fences(answer: str) -> list[Region]:
    regions = []
    opened: tuple[int, str] | None = None
    for match in _FENCE.finditer(answer):
        fence, info = match[1], match[2].strip()
        if opened is None:
            if "`" not in info:
                opened = (match.start(), fence)
        elif fence.startswith(opened[1]) and not info:
            regions.append(Region(opened[0], match.end(), code=True, block=True))
            opened = None
    if opened:  # a fence that is never closed runs to the end, as Markdown has it
        regions.append(Region(opened[0], len(answer), code=True, block=True))
    return regions


def _inline_code(answer: str) -> list[Region]:
    regions = []
    waiting: dict[int, int] = {}  # length of a run of ticks -> where it opened
    for match in _TICKS.finditer(answer):
        length = match.end() - match.start()
        start = waiting.pop(length, None)
        if start is not None and _is_inline(answer, start, match.end()):
            regions.append(Region(start, match.end(), code=True))
            waiting.clear()
        else:
            waiting[length] = match.start()
    return regions


def _is_inline(answer: str, start: int, end: int) -> bool:
    return end - start <= _MAX_INLINE and answer.find("\n\n", start, end) < 0


def _escapes(answer: str) -> list[Region]:
    r"""LaTeX in ``\( \)`` or ``\[ \]``, whole environments, and escaped brackets."""
    regions = []
    opened: tuple[int, str] | None = None
    closers = {"\\(": "\\)", "\\[": "\\]", "\\begin{": "\\end{"}
    for match in _ESCAPE.finditer(answer):
        sign = match[0]
        if opened and sign == closers[opened[1]]:
            end = match.end()
            if sign == "\\end{":
                end = max(answer.find("}", end, end + 60) + 1, end)
            regions.append(Region(opened[0], end))
            opened = None
        elif sign in closers and (opened is None or match.start() - opened[0] > 4 * _MAX_INLINE):
            opened = (match.start(), sign)
        elif opened is None:
            regions.append(Region(match.start(), match.end()))
    if opened:
        regions.append(Region(opened[0], opened[0] + len(opened[1])))
    return regions


def _dollars(answer: str) -> list[Region]:
    """LaTeX between dollar signs; prices are not formulas."""
    regions = []
    opened: re.Match[str] | None = None
    for match in _DOLLARS.finditer(answer):
        if opened and opened[0] == match[0] and _is_formula(answer, opened, match):
            regions.append(Region(opened.start(), match.end()))
            opened = None
        else:
            opened = match
    return regions


def _is_formula(answer: str, opened: re.Match[str], closed: re.Match[str]) -> bool:
    start, end = opened.end(), closed.start()
    if start >= end or not _is_inline(answer, start, end):
        return False
    if opened[0] == "$$":
        return True
    if answer[start].isspace() or answer[end - 1].isspace() or answer[end + 1 : end + 2].isdigit():
        return False
    body = answer[start:end]
    return bool(_FORMULA_SIGN.search(body)) or not _LETTERS.search(body)
