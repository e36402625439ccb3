"""What stands around a bracket or a raised figure and shows that it is no citation."""

from __future__ import annotations

import re

_MATH_BEFORE = re.compile(
    r"(?:[=∈∉⊂⊆∪∩×→]|\w\(|\b[b-z]\s+in|\bintervals?|\bCI:?|\bIQR:?"
    r"|\b(?:in|within|over|on)\s+the\s+(?:closed\s+|open\s+)?(?:range|domain|scale)"
    r"|\branges?\s+(?:of|from)|\bbetween|\bprints?|\breturns?)\s*$"
)
_DATA_BEFORE = re.compile(
    r"\b(?:(?:sub)?(?:array|list|matrix|vector|tuple|indices|coordinates)\s*:?\s*"
    r"|(?:elements|values)\s*:\s*)$"
)
_MATH_AFTER = re.compile(r"\s*[=∈⊂×∪∩^]|\.(?:append|sort|shape|map|pop|index)\b|\[(?!\^?\d)")
_ASSIGNED = re.compile(r"(?:[\w\])]\s*|:)=\s*$")
_NO_NAME_ENDS_WITH = frozenset(" .,;:!?)]\"'”’。\n*")
_CODE_NAME = re.compile(r"(?:\b\w+_\w*|(?<![\w'’.])[b-z])$")
_EMPHASIS = re.compile(r"(?<!\w)(_{1,3})(?=\S)[^_\n]*[^_\s]\1$")
_WORD_BEFORE = re.compile(r"[^\W\d_]+$")
_CLOSED_WORD = re.compile(r"(?:[^\W\d_]{3,}|\d{4})[)\]]$")
_STOPS = tuple(".!?")
_UNITS = re.compile(
    r"[cdmnkµμ]?m|ft|yd|mi|ha|ms|[km]?g|ml|mol|[kmh]?pa|bar|[km]?wh?|inch|px|chi", re.IGNORECASE
)


def is_array_or_interval(
    answer: str, start: int, end: int, numbers: tuple[int, ...], listed: frozenset[int]
) -> bool:
    """Whether ``[0, 1]`` or ``[1, 2, 3]`` is mathematics or code rather than a citation."""
    before = answer[max(0, start - 40) : start]
    if _MATH_BEFORE.search(before) or _MATH_AFTER.match(answer, end):
        return True
    if not listed.issuperset(numbers) and _DATA_BEFORE.search(before):
        return True
    return 0 in numbers and 0 not in listed and len(numbers) == 2 and "[0]" not in answer


def is_subscript(answer: str, start: int, *, known: bool) -> bool:
    """Whether a bracket is an index as in ``my_list[2]`` or the right side of ``x = [2]``."""
    before = answer[start - 3 : start] if start > 2 else answer[:start]
    if before.isspace() or (before[-1:] in _NO_NAME_ENDS_WITH and "=" not in before):
        return False
    if before[-1:] == "^" or _ASSIGNED.search(answer, max(0, start - 8), start):
        return True
    if before[-1:] == "_" and _EMPHASIS.search(answer[max(0, start - 120) : start]):
        return False
    name = _CODE_NAME.search(answer[max(0, start - 30) : start])
    return name is not None and ("_" in name[0] or not known)


def is_exponent(answer: str, start: int, end: int) -> bool:
    """Whether a raised figure is an exponent, a unit or an isotope rather than a citation."""
    if start == 0:
        return True
    before = answer[start - 1]
    if before in " (" and answer[end : end + 1].isalpha():
        return answer[start - 2 : start - 1] not in _STOPS  # an isotope, unless it is "end. ¹Next"
    if before in ".,;:!?\"'”’»。，！？」*_" or before.isspace() or before > "\u2e7f":
        return False
    if before in ")]":
        return not _CLOSED_WORD.search(answer, max(0, start - 20), start)
    if not before.isalpha():
        return True
    match = _WORD_BEFORE.search(answer, max(0, start - 20), start)
    word = match[0] if match else before
    joined = start > len(word) and answer[start - len(word) - 1] in "/·*0123456789"
    return joined or len(word) < 3 or _UNITS.fullmatch(word) is not None
