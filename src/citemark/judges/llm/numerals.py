"""Reading one number where a verdict may stand: which score it is, or why it is none."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from citemark.judges.llm.unreadable import Unreadable


class Scale(NamedTuple):
    """The scores that may be given."""

    low: int
    high: int


class Figure(NamedTuple):
    """A number that was meant as a verdict, and where it ends in its line."""

    value: int | Unreadable
    end: int


_LEAD = re.compile(
    r"[\s\"'(\[{$|]*+(?:(?:about|around|approximately|approx\.|roughly|exactly|only|just|an?)\s)?"
    r"[~≈\s\"'(\[]*+",
    re.IGNORECASE,
)
_BOUND = re.compile(
    r"(?:(?:at\s(?:least|most)|(?:more|less|higher|lower)\sthan|over|under|above|below|up\sto|between"
    r"|from|zwischen|entre|между)\s|[<>≥≤]=?\s?|介于)(?=-?\d)",
    re.IGNORECASE,
)
_NOTHING = re.compile(
    r"(?:n/?a|none|null|nan|unknown|undefined|unclear|undetermined|tbd|not\s(?:applicable|available)"
    r"|\?+)(?!\w)",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?P<sign>[-–+]?)(?P<whole>\d++)(?P<part>(?:[.,]\d++)*+)")
_OUT_OF = re.compile(
    r"\s?\(?(?:/|out\sof\s(?:a\s(?:possible|maximum(?:\sof)?)\s)?|of\s|over\s|von\s|sur\s|sobre\s|de\s|su\s"
    r"|из\s|من\s|分?\(?(?:满分|滿分)(?:为)?)\s?(?P<top>\d++)(?:[.,]00?(?!\d))?(?P<more>[/.,]\d)?分?\)?",
    re.IGNORECASE,
)
_POINTS = re.compile(
    r"\s?(?:points?|pts?|marks?|puntos?|pontos?|punti|punkte?n?|баллов|балла|балл|分|点|點|점)(?!\w)\.?",
    re.IGNORECASE,
)
_SECOND = re.compile(  # a range, a choice, a list, a calculation, a time of day
    r"[)\]\"']*\s?(?:[-–~→^×*+=:±|&]|->|=>|\.\.\.?|…|[,;、/]|to|or|and|bis|und|oder|ou|o|y|至|到|或|и|или)"
    r"\s?(?:maybe|perhaps|possibly|even|or|to)?\s?\d|,?\s(?:maybe|perhaps|possibly)\s\d|\s?[%‰°+±]|\s\d|\?"
    r"|-?ish\b",
    re.IGNORECASE,
)
# "R5 = 3" is a term, "R5 = 14" is a term and the total.
_TERM = r"(?:[A-Za-z]\d(?!\d)(?:\s?[:=]?\s?\(?[0-4](?!\d)\)?)?|\(?\d{1,4}\)?)"
_SUM = rf"\(?{_TERM}(?:\s?\+\s?{_TERM})++\)?"
_EQUALS = r"\s?(?:=|→|->|=>)\s?"
_CHAIN = re.compile(
    rf"(?:{_SUM}|\d{{1,4}}(?={_EQUALS}\(?[\dA-Za-z]))(?:{_EQUALS}(?:{_SUM}|\d++(?!\+)))*+"
)
_CHAIN_IN_TEXT = re.compile(rf"(?<![\w.,+/-])(?P<chain>{_CHAIN.pattern})")
_CRITERION = re.compile(r"[A-Za-z]\d(?!\d)(?:\s?[:=](?=\s?\(?[0-4](?!\d)))?")
# Words that may follow a score; any other word that starts small says what the number counts.
_GOES_ON = re.compile(
    r"(?:because|since|as|for|on|based|given|due|with|which|reflecting|indicating|points?)(?!\w)|因为|因為",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"(?:sources?|sentences?|claims?|citations?|times|facts?|paragraphs?|words?|mentions?|stars?|percent"
    r"|units?|points?\sof|aspects?|statements?|references?)(?!\w)",
    re.IGNORECASE,
)


def read_figure(line: str, at: int, scale: Scale) -> Figure | None:
    """Read the number at a place in a line; None if there is none or it counts something.

    >>> read_figure("Score: 14/20, strong", 6, Scale(1, 20)).value
    14
    >>> read_figure("Total: 2 sources", 6, Scale(1, 20)) is None
    True
    """
    lead = _LEAD.match(line, at)
    at = lead.end() if lead else at
    if bound := _BOUND.match(line, at):
        return _no(bound.end(), "The reply gives a bound or a range, not one number.")
    if nothing := _NOTHING.match(line, at):
        return _no(nothing.end(), "The reply says that there is no score.")
    chain = _CHAIN.match(line, at)
    if chain and "+" in chain[0]:
        return _sum(line, chain, scale)
    number = _NUMBER.match(line, at)
    return _number(line, number, scale) if number else None


def on_scale(digits: str, scale: Scale) -> int | Unreadable:
    """The score that some digits stand for, if the scale has it."""
    # int() refuses very long numbers with an exception; none of them is a score.
    if len(digits) > 9 or not scale.low <= int(digits) <= scale.high:
        return Unreadable(
            "off_scale", f"{digits[:12]} is not between {scale.low} and {scale.high}."
        )
    return int(digits)


def sums_with_total(line: str) -> Iterator[int]:
    """Where in a line the sums stand that are followed by their total."""
    for chain in _CHAIN_IN_TEXT.finditer(line):
        if "+" in chain["chain"] and _total(_sides(chain["chain"])):
            yield chain.start("chain")


def _no(end: int, detail: str) -> Figure:
    return Figure(Unreadable("not_a_score", detail), end)


def _number(line: str, number: re.Match[str], scale: Scale) -> Figure | None:
    end = number.end()
    if number["part"] and not re.fullmatch(r"[.,]00?", number["part"]):
        return _no(end, f"{number[0][:20]} is not a whole number.")
    if number["sign"] == "+":
        return _no(end, f"{number[0][:20]} is a difference, not a score.")
    out_of = _OUT_OF.match(line, end)
    end = out_of.end() if out_of else end
    if out_of and (out_of["more"] or out_of["top"].lstrip("0") != str(scale.high)):
        return _no(
            end, f"{line[number.start() : end][:20]} is not on the scale that was asked for."
        )
    if points := _POINTS.match(line, end):
        end = points.end()
    if _SECOND.match(line, end) or _goes_on_as_number(line, end):
        return _no(end, "The reply gives more than one number and no single verdict.")
    if _counts(line, end):
        return None
    if number["sign"] and int(number["whole"][:9]):
        return Figure(Unreadable("off_scale", f"{number[0][:20]} is below the scale."), end)
    return Figure(on_scale(number["whole"], scale), end)


def _sum(line: str, chain: re.Match[str], scale: Scale) -> Figure | None:
    """A sum counts if its total is given and right: which of two numbers is meant, else?"""
    end = chain.end()
    sides = _sides(chain[0])
    total = _total(sides)
    if not total:
        return _no(end, "The reply shows a sum without its total.")
    terms = [re.findall(r"\d+", side) for side in sides if "+" in side]
    added = {sum(map(int, found)) for found in terms if found}
    if added - {int(total[:9])}:
        return _no(end, "The sum in the reply does not add up to its total.")
    if out_of := re.compile(rf"\s?/\s?{scale.high}(?![\d/])").match(line, end):
        end = out_of.end()
    if _SECOND.match(line, end) or _goes_on_as_number(line, end):
        return _no(end, "The reply gives more than one number and no single verdict.")
    return None if _counts(line, end) else Figure(on_scale(total, scale), end)


def _sides(chain: str) -> list[str]:
    return [side.strip() for side in re.split(_EQUALS, _CRITERION.sub(" ", chain))]


def _total(sides: list[str]) -> str:
    """The only number among the sides of an equation that is no sum; empty if there is none."""
    totals = {side for side in sides if side.isdigit()}
    return totals.pop() if len(totals) == 1 else ""


def _goes_on_as_number(line: str, end: int) -> bool:
    """A fraction or an exponent right behind a number makes it another number: 14½."""
    behind = line[end : end + 2]
    if behind[:1] in (".", ","):
        return behind[1:].isdigit()
    return behind != "" and unicodedata.category(behind[0]).startswith("N")


def _counts(line: str, end: int) -> bool:
    """Whether the word behind a number says that it is a number of something."""
    gap = 1 if line[end : end + 1] == " " else 0
    word = line[end + gap : end + gap + 40]
    if re.match(r"(?:on|for|in) [A-Z]\d(?!\w)", word):
        return True  # "3 on R1"
    if not word[:1].isalpha() or _GOES_ON.match(word):
        return False
    return not (gap and word[0].isupper()) or _COUNTED.match(word) is not None
