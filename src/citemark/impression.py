"""Impression figures: how much of the answer, and how early, a source speaks for.

Two definitions stand side by side: ``word`` and ``word_position`` are the GEO paper's
equations over the whole answer; ``share`` is what its reference code computes, relative
to the cited sources only.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import exp
from typing import Any, NamedTuple

from citemark.citations import ParsedAnswer


class Share(NamedTuple):
    """A source's part of what all cited sources have; over them it sums to 1."""

    word: float = 0.0
    position: float = 0.0
    word_position: float = 0.0


class Impression(NamedTuple):
    """How much of one answer a source speaks for."""

    sentences: int = 0
    words: float = 0.0
    word: float = 0.0
    word_position: float = 0.0
    share: Share = Share()

    def to_dict(self) -> dict[str, Any]:
        """The figures as they stand in a scorecard."""
        return {**self._asdict(), "share": self.share._asdict()}

    def to_row(self) -> dict[str, Any]:
        """The figures as flat columns."""
        return {
            "sentences": self.sentences,
            "words": self.words,
            "word": self.word,
            "word_position": self.word_position,
            "share_word": self.share.word,
            "share_position": self.share.position,
            "share_word_position": self.share.word_position,
        }


class _Sums:
    """What is added up for one source while the answer is read once."""

    __slots__ = ("decayed_share", "decayed_words", "position", "sentences", "words")

    def __init__(self) -> None:
        self.sentences = 0
        self.words = 0.0
        self.decayed_words = 0.0  # words with the paper's decay, exp(-i/N)
        self.decayed_share = 0.0  # words with the reference code's decay, exp(-i/(N-1))
        self.position = 0.0


def impressions(answer: ParsedAnswer) -> dict[int, Impression]:
    """The impression figures of every source of an answer, cited or not.

    >>> from citemark import parse
    >>> figures = impressions(parse("One two three. [1] Four. [1][2]"))
    >>> figures[1].words, figures[2].words, figures[1].share.word
    (3.5, 0.5, 0.875)
    """
    sums = {source: _Sums() for source in answer.sources}
    count = len(answer.sentences)
    all_words = 0
    for i, sentence in enumerate(answer.sentences):
        all_words += sentence.words
        if not sentence.sources:
            continue
        part = 1 / len(sentence.sources)
        words = sentence.words * part
        decay = exp(-i / (count - 1)) if count > 1 else 1.0
        decayed_words, decayed_share, position = (
            words * exp(-i / count),
            words * decay,
            part * decay,
        )
        for source in sentence.sources:
            entry = sums[source]
            entry.sentences += 1
            entry.words += words
            entry.decayed_words += decayed_words
            entry.decayed_share += decayed_share
            entry.position += position
    return _divided(sums, all_words)


def _divided(sums: dict[int, _Sums], all_words: int) -> dict[int, Impression]:
    def total(values: Iterable[float]) -> float:
        return sum(values) or 1.0  # nothing cited: every share is 0, not an equal part

    words = total(s.words for s in sums.values())
    position = total(s.position for s in sums.values())
    both = total(s.decayed_share for s in sums.values())
    answer_words = all_words or 1
    return {
        source: Impression(
            s.sentences,
            s.words,
            s.words / answer_words,
            s.decayed_words / answer_words,
            Share(s.words / words, s.position / position, s.decayed_share / both),
        )
        for source, s in sums.items()
    }
