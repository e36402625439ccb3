"""Token probabilities: what a model would have said, weighted by how likely it was."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp

from citemark.judges.llm.request import Token

LOW, HIGH = 1, 20
MATTERS = 0.01
"""A branch less likely than this is not worth another call."""
_DIGITS = str.maketrans("０１２３４５６７８９", "0123456789")
_NUMBER = re.compile(r"[0-9]+")
_SCALE_END = re.compile(r"(?:/|\bof|\bvon|\bde|\bsur)\s*\Z", re.IGNORECASE)
"""What stands before the 20 of ``14/20``, which is no score."""


@dataclass(frozen=True, slots=True)
class Weighted:
    """The probabilities of the scores that could be seen.

    ``open`` are first digits that may go on (``1`` may become ``17``) and whose
    continuation is not known yet, with their probability.
    """

    mass: Mapping[int, float]
    open: Mapping[int, float]

    @property
    def coverage(self) -> float:
        """How much probability lies on scores that were seen."""
        return min(1.0, sum(self.mass.values()))

    @property
    def expected(self) -> float:
        """The probability-weighted score over what was seen."""
        return sum(score * p for score, p in self.mass.items()) / sum(self.mass.values())


def score_at(text: str, score: int) -> int | None:
    """Where a reply's score stands: the last time it is said, not the end of a scale.

    >>> score_at("Score: 2/20", 2), score_at("20/20", 20), score_at("１４", 14)
    (7, 0, 0)
    >>> score_at("fourteen", 14) is None
    True
    """
    plain = text.translate(_DIGITS)
    places = [found.start() for found in _NUMBER.finditer(plain) if found[0] == str(score)]
    said = [start for start in places if not _SCALE_END.search(plain[:start])]
    return (said or places)[-1] if places else None


def place_in(tokens: Sequence[Token], text: str, start: int) -> int | None:
    """Where a character of a reply's text stands in the text of its tokens.

    The two may differ: some servers hand out JSON without the fence that the tokens still
    have around it, and a token can be half a character. Then the rest of the text from
    ``start`` on is looked for.
    """
    joined = "".join(token.text for token in tokens)
    if joined == text:
        return start
    if (shift := joined.find(text)) >= 0:
        return shift + start
    found = joined.rfind(text[start:])
    return found if found >= 0 else None


def weigh(
    tokens: Sequence[Token], score: int, start: int, *, held: bool = False
) -> Weighted | None:
    """The probabilities of the scores, given the reply's tokens and where its score stands.

    Right where ``17`` is one token and where it is ``1`` and ``7``: then the second token's
    alternatives say how the first digit may go on. ``held`` says that a grammar held the
    reply to a score, although the probabilities were taken before it applied.
    """
    index = _token_at(tokens, start)
    if index is None:
        return None
    said = _digits(tokens[index].text)
    if said is None or not str(score).startswith(said):
        return None
    first = _numbers(tokens[index])
    # Where two digits can be one token, they are: there a digit alone stands for itself.
    whole = any(len(digits) == 2 and LOW <= int(digits) <= HIGH for digits in first)
    if held:
        first = _given_a_score(first, tokens[index])
    following = tokens[index + 1] if index + 1 < len(tokens) else None
    mass: dict[int, float] = {}
    unknown: dict[int, float] = {}
    for digits, p in first.items():
        if not _may_go_on(digits):
            _add(mass, digits, p)
        elif digits == said and following is not None:
            for number, q in continued(digits, following).items():
                _add(mass, number, p * q)
        elif whole or (digits == said and len(str(score)) == 1):
            _add(mass, digits, p)  # or the reply ended here
        else:
            unknown[int(digits)] = p
    return Weighted(mass, unknown)


def _given_a_score(first: Mapping[str, float], token: Token) -> dict[str, float]:
    """The probabilities of first digits, given that there had to be one.

    A digit that is not among the alternatives is at most as likely as the least of them;
    what that may add up to stays uncovered.
    """
    seen = {d: p for d, p in first.items() if d[0] != "0" and LOW <= int(d) <= HIGH}
    least = min(exp(logprob) for _, logprob in _alternatives(token))
    unseen = least * len(set("123456789") - {digits[0] for digits in seen})
    whole = sum(seen.values()) + unseen
    return {digits: p / whole for digits, p in seen.items()}


def continued(digit: str, following: Token) -> dict[str, float]:
    """How a first digit goes on, by the alternatives of the token after it."""
    numbers: dict[str, float] = {}
    for text, logprob in _alternatives(following):
        more = _NUMBER.match(text.translate(_DIGITS))  # " 7" begins a new number
        number = digit + more[0] if more else digit
        numbers[number] = numbers.get(number, 0.0) + exp(logprob)
    return numbers


def with_branch(seen: Weighted, digit: int, following: Token) -> Weighted:
    """The same with one open branch resolved by what the model says after that digit."""
    mass, unknown = dict(seen.mass), dict(seen.open)
    p = unknown.pop(digit, 0.0)
    for number, q in continued(str(digit), following).items():
        _add(mass, number, p * q)
    return Weighted(mass, unknown)


def level_expectation(tokens: Sequence[Token], start: int, level: int) -> float:
    """The expected value of one sub-score's digit; the digit itself where too little was seen."""
    index = _token_at(tokens, start)
    if index is None or _digits(tokens[index].text) != str(level):
        return float(level)
    mass = {int(d): p for d, p in _numbers(tokens[index]).items() if d in tuple("01234")}
    seen = sum(mass.values())
    if seen < 0.5:
        return float(level)
    return sum(value * p for value, p in mass.items()) / seen


def _add(mass: dict[int, float], digits: str, p: float) -> None:
    number = int(digits)
    if LOW <= number <= HIGH and not digits.startswith("0"):
        mass[number] = mass.get(number, 0.0) + p


def _may_go_on(digits: str) -> bool:
    """Whether a token's digits may be the beginning of a longer score."""
    return digits in ("1", "2")


def _token_at(tokens: Sequence[Token], start: int) -> int | None:
    """The token that holds the character at ``start`` of the reply."""
    position = 0
    for index, token in enumerate(tokens):
        position += len(token.text)
        if position > start:
            return index
    return None


def _alternatives(token: Token) -> list[tuple[str, float]]:
    """The likeliest tokens at a place; the one that was said is always among them."""
    listed = list(token.alternatives)
    if all(text != token.text for text, _ in listed):
        listed.append((token.text, token.logprob))
    return listed


def _numbers(token: Token) -> dict[str, float]:
    """The probabilities of the digit strings that could stand at a token's place."""
    numbers: dict[str, float] = {}
    for text, logprob in _alternatives(token):
        digits = _digits(text)
        if digits is not None:
            numbers[digits] = numbers.get(digits, 0.0) + exp(logprob)
    return numbers


def _digits(text: str) -> str | None:
    """The digits of a token such as `` 17`` or ``"3``; None if there is not exactly one number."""
    found = _NUMBER.findall(text.translate(_DIGITS))
    return found[0] if len(found) == 1 and len(found[0]) <= 2 else None
