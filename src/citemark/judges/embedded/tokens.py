"""Texts as the numbers that the models read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from citemark.judges.embedded.passages import Passage
from citemark.judges.embedded.said import plain

if TYPE_CHECKING:
    from tokenizers import Tokenizer

QUERY_TOKENS = 28
PASSAGE_TOKENS = 100
_OPEN, _CLOSE = 101, 102


@cache
def tokenizer() -> Tokenizer:
    """The WordPiece tokenizer of the shipped models."""
    from tokenizers import Tokenizer

    data = (files("citemark.judges.embedded") / "model" / "tokenizer.json").read_text("utf-8")
    found = Tokenizer.from_str(data)
    found.no_truncation()
    found.no_padding()
    return found


@dataclass(frozen=True, slots=True)
class Pairs:
    """The query with each passage: one row of tokens per passage, padded at the end."""

    ids: NDArray[np.int64]
    live: NDArray[np.bool_]
    """Where a row holds tokens."""
    passage: NDArray[np.bool_]
    """Where a row holds tokens of the passage, its closing mark included."""


def pairs_of(query: str, passages: Sequence[Passage]) -> Pairs:
    """The query with each passage, as tokens."""
    texts = [_whole(t) for t in (plain(query) or query, *(p.text for p in passages))]
    asked, *said = (
        encoding.ids for encoding in tokenizer().encode_batch_fast(texts, add_special_tokens=False)
    )
    lead = [_OPEN, *asked[:QUERY_TOKENS], _CLOSE]
    rows = [[*lead, *ids[:PASSAGE_TOKENS], _CLOSE] for ids in said]
    return padded(rows, len(lead))


def _whole(text: str) -> str:
    """A text with a mark in place of half a character, which no tokenizer takes."""
    return text.encode("utf-8", "replace").decode("utf-8")


def padded(rows: Sequence[Sequence[int]], lead: int) -> Pairs:
    """Rows of tokens side by side; the passage begins after the lead."""
    width = max(map(len, rows), default=0)
    ids = np.zeros((len(rows), width), dtype=np.int64)
    live = np.zeros((len(rows), width), dtype=np.bool_)
    for i, row in enumerate(rows):
        ids[i, : len(row)] = row
        live[i, : len(row)] = True
    return Pairs(ids, live, live & (np.arange(width) >= lead))
