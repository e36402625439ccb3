"""What is said: the clauses of an answer that tell something, in plain words.

Both tiers read an answer like this. A sentence is taken apart where it could have been two,
layout and style go, and so does empty talk: none of these can move a score.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from citemark.citations import ParsedAnswer, Sentence
from citemark.judges.embedded.clauses import clauses_in
from citemark.judges.embedded.empty_talk import LOOSE, stands_alone, without_empty_talk
from citemark.judges.embedded.plain_words import plain_words
from citemark.judges.embedded.stretches import in_stretches
from citemark.judges.embedded.units import is_lead_in

_LAYOUT = re.compile(r"<[/a-zA-Z][^<>]{0,300}>|[*_`#>|~]+")
_BULLET = re.compile(r"^\s*(?:[-•–—‣◦]\s*|\(?\d{1,2}[.)]\s+)+")
_LIST_NUMBER = re.compile(r"\W*(?:\d{1,2}|[a-zA-Z])\W*")


class Said(NamedTuple):
    """A clause that tells something, and the sentence that it stands in."""

    text: str
    sentence: Sentence


def said_in(answer: ParsedAnswer, query: str = "") -> Iterator[Said]:
    """The clauses of an answer to a query that tell something, each as a sentence of its own.

    >>> from citemark.citations import parse_answer
    >>> answer = parse_answer("- **Tin** melts at 232 °C; lead really melts at 327 °C.")
    >>> [said.text for said in said_in(answer)]
    ['Tin melts at 232 °C.', 'Lead melts at 327 °C.']
    """
    every = [
        Said(clause, sentence)
        for sentence in in_stretches(answer)
        if not says_nothing(sentence)
        for clause in map(plain_words, clauses_in(bare(sentence.text)))
    ]
    texts = without_empty_talk([said.text for said in every], query)
    left = zip(every, texts, strict=True)
    heard = {source for said, text in left if text for source in said.sentence.block_sources}
    for said, text in zip(every, texts, strict=True):
        if text:
            yield said._replace(text=text)
        elif not heard.issuperset(said.sentence.sources) and stands_alone(said.text):
            # Advice in everyday words sounds empty ("Stay with him until he feels better"), but it
            # may be all that a source is cited for.
            yield said


def plain(text: str) -> str:
    """A text without layout, in plain words, but whole."""
    return plain_words(bare(text))


def says_nothing(sentence: Sentence) -> bool:
    """Whether a sentence is a heading, a lead-in or a bare list number."""
    text = sentence.text
    return sentence.kind == "heading" or is_lead_in(text) or bool(_LIST_NUMBER.fullmatch(text))


def bare(text: str) -> str:
    """A text without layout."""
    found = LOOSE.sub("", " ".join(_BULLET.sub("", _LAYOUT.sub(" ", text)).split()))
    return found[:1].upper() + found[1:]
