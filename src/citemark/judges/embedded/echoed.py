"""Echoes of the query: an answer that quotes what was asked says nothing by it."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from citemark.citations import ParsedAnswer

_QUOTED = re.compile(r"[“\"«]([^“”\"«»]{3,600})[”\"»]")
_WORD = re.compile(r"[^\W_]+")
_OWN = 0.9
"""So much of a quotation must be the query's words,"""
_WHOLE = 0.6
"""and so much of the query must be in it, for it to be an echo."""


def without_echo(answer: ParsedAnswer, query: str) -> ParsedAnswer:
    """The answer without quotations of the query, which no source is to be credited with.

    >>> from citemark.citations import parse_answer
    >>> answer = parse_answer("As to “Is tin soft?”, tin is soft [1].")
    >>> without_echo(answer, "Is tin soft?").sentences[0].text
    'As to , tin is soft.'
    """
    asked = Counter(_WORD.findall(query.casefold()))
    if not asked:
        return answer

    def echo(quoted: re.Match[str]) -> str:
        said = Counter(_WORD.findall(quoted[1].casefold()))
        common = (said & asked).total()
        is_echo = common >= _OWN * said.total() and common >= _WHOLE * asked.total()
        return "" if is_echo else quoted[0]

    sentences = tuple(
        sentence._replace(text=text)
        if (text := _QUOTED.sub(echo, sentence.text)) != sentence.text
        else sentence
        for sentence in answer.sentences
    )
    return answer if sentences == answer.sentences else replace(answer, sentences=sentences)
