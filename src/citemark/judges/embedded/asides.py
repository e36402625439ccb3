"""Asides: sentences that have nothing to do with the rest of the answer.

A source gains nothing by being cited for trivia, whatever they are about. Where all that a source
is cited for is like this, it is judged by that: only what stands beside something else goes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Set
from dataclasses import replace

from citemark.citations import ParsedAnswer, Sentence
from citemark.judges.embedded.emptiness import emptiness
from citemark.judges.embedded.empty_talk import is_about_media
from citemark.judges.embedded.said import says_nothing
from citemark.judges.embedded.topic import Topic, stems_of

_BEARING = 0.8
"""A sentence that bears on the others less than this,"""
_EMPTY = -6.0
"""and sounds at least so empty (one with names or numbers in it does not), is an aside."""
_LEAST_WORDS = 3
_SHARED = 0.5
"""A sentence that has more of its words in common with others than this is none."""


def without_asides(answer: ParsedAnswer, query: str) -> ParsedAnswer:
    """The answer without the asides of sources that are cited for something else as well.

    What takes up a word of the query is no aside, and where web pages or writing are asked about,
    nothing is.

    >>> from citemark.citations import parse_answer
    >>> answer = parse_answer(
    ...     "Tin melts at 232 degrees [1]. Lead melts at 327 degrees [2]. Its author keeps two "
    ...     "dogs in a small village [1]. Copper needs more heat than lead or tin to melt [3].")
    >>> [s.text for s in without_asides(answer, "When does tin melt?").sentences][2]
    ''
    """
    if is_about_media(query):
        return answer
    telling = [s for s in answer.sentences if not says_nothing(s)]
    stems = [stems_of(s.text) for s in telling]
    # What a source says twice is still an aside; what two sources say is none.
    said = {(words, s.block_sources) for words, s in zip(stems, telling, strict=True)}
    held = Counter(stem for words, _ in said for stem in words)
    asked = stems_of(query)
    topic = Topic([s.text for s in telling])
    strays = {
        s.n
        for i, s in enumerate(telling)
        if s.block_sources and _may_stray(stems[i], asked, held) and _strays(s, i, topic)
    }
    if not strays:
        return answer
    settled = {source for s in telling if s.n not in strays for source in s.block_sources}
    asides = {s.n for s in telling if s.n in strays and settled.issuperset(s.block_sources)}
    sentences = tuple(s._replace(text="") if s.n in asides else s for s in answer.sentences)
    return replace(answer, sentences=sentences)


def _may_stray(words: Set[str], asked: Set[str], held: Mapping[str, int]) -> bool:
    """Whether a sentence takes up nothing of the query and little of the other sentences."""
    if len(words) < _LEAST_WORDS or not asked.isdisjoint(words):
        return False
    return sum(held[word] > 1 for word in words) <= _SHARED * len(words)


def _strays(sentence: Sentence, place: int, topic: Topic) -> bool:
    sound = emptiness(sentence.text.rstrip(".!?… "))
    return sound > _EMPTY and topic.bearing(sentence.text, place) < _BEARING
