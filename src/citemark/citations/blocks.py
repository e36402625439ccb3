"""The wider reading of a marker: one that closes a paragraph or list may speak for all of it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Protocol

from citemark.citations.answer import Sentence


class _Placed(Protocol):
    item: int
    closed: bool


def with_block_sources(pairs: Sequence[tuple[Sentence, _Placed]]) -> tuple[Sentence, ...]:
    """The sentences, each with the sources whose marker closes its block added.

    A block is a list item, a whole list or a paragraph of which only the last sentence is
    marked, and marked at its end. Headings stand outside; rows speak for themselves.
    """
    sentences = [sentence for sentence, _ in pairs]
    for _, group in groupby(range(len(pairs)), key=lambda i: sentences[i].paragraph):
        members = [i for i in group if sentences[i].kind in ("sentence", "item")]
        if len(members) < 2:
            continue
        _speak_for(sentences, members, pairs)
        for item, part in groupby(members, key=lambda i: pairs[i][1].item):
            if item:
                _speak_for(sentences, list(part), pairs)
    return tuple(sentences)


def _speak_for(
    sentences: list[Sentence], block: list[int], pairs: Sequence[tuple[Sentence, _Placed]]
) -> None:
    *others, last = block
    closing = pairs[last][0].sources
    if not others or not closing or not pairs[last][1].closed:
        return
    if any(pairs[i][0].sources for i in others):
        return
    for i in others:
        merged = tuple(sorted({*sentences[i].block_sources, *closing}))
        sentences[i] = sentences[i]._replace(block_sources=merged)
