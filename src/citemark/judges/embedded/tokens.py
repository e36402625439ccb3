"""Texts as the numbers that the reader takes: the query once, and each passage after it.

A passage is read after the query and knows nothing of the other passages. Tokens stand one after
another without padding; only where they look at each other are they laid out in rows, one for the
query and one for each passage.
"""

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

Whole = NDArray[np.int64]
QUERY_TOKENS = 48
PASSAGE_TOKENS = 110
_ASKED, _ANSWERED = "Question:", "\nAnswer:"
_HIDDEN = -1e4


@cache
def tokenizer() -> Tokenizer:
    """The tokenizer of the reader."""
    from tokenizers import Tokenizer

    data = (files("citemark.judges.embedded") / "model" / "reader.json").read_text("utf-8")
    return Tokenizer.from_str(data)


@dataclass(frozen=True, slots=True)
class Text:
    """A query and the passages that are read after it, as tokens."""

    lead: tuple[int, ...]
    passages: tuple[tuple[int, ...], ...]

    @property
    def length(self) -> int:
        """How many tokens there are."""
        return len(self.lead) + sum(map(len, self.passages))


def text_of(query: str, passages: Sequence[Passage]) -> Text:
    """A query and passages as tokens, each cut to what is read of it."""
    asked = f" {plain(query) or query}"
    texts = [_whole(t) for t in (_ASKED, asked, _ANSWERED, *(f" {p.text}" for p in passages))]
    before, query_ids, after, *said = (
        encoding.ids for encoding in tokenizer().encode_batch_fast(texts, add_special_tokens=False)
    )
    lead = (*before, *query_ids[:QUERY_TOKENS], *after)
    return Text(lead, tuple(tuple(ids[:PASSAGE_TOKENS]) for ids in said))


def _whole(text: str) -> str:
    """A text with a mark in place of half a character, which no tokenizer takes."""
    return text.encode("utf-8", "replace").decode("utf-8")


@dataclass(frozen=True, slots=True)
class Layout:
    """Tokens of one or more texts, and how they look at each other.

    A token that is not there is the one after the last: it is hidden wherever it would be seen.
    """

    ids: Whole
    """(tokens,)."""
    places: Whole
    """(tokens,): the place of each token after the beginning of its query."""
    own: Whole
    """(rows, width): the tokens of each row."""
    keys: Whole
    """(rows, lead + width): the tokens that they may look at, the query's first."""
    hidden: NDArray[np.float32]
    """(rows, width, lead + width): 0 where a token looks at another, else far below."""
    back: Whole
    """(tokens,): where each token stands among the rows' tokens."""
    rows: Whole
    """(tokens,): its row."""
    lengths: Whole
    """(rows,): how many tokens each row has."""
    last: Whole
    """(rows,): each row's last token."""
    before: Whole
    """(tokens,): the token before each: before the first of a passage, the last of the query."""
    lead: Whole
    """(rows,): the row of the query that each is read after; a query's own is itself."""


def layout_of(texts: Sequence[Text]) -> Layout:
    """The tokens of some texts laid out."""
    flat = [row for text in texts for row in (text.lead, *text.passages)]
    lengths = np.array([len(row) for row in flat], dtype=np.int64)
    starts = np.cumsum(lengths) - lengths
    size = int(lengths.sum())
    per_text = np.array([1 + len(text.passages) for text in texts], dtype=np.int64)
    leads = np.cumsum(per_text) - per_text
    lead_of = np.repeat(leads, per_text)
    before = np.where(np.arange(len(flat)) == lead_of, 0, lengths[lead_of])
    width, depth = int(lengths.max()), int(before.max(initial=0))
    step, back_step = np.arange(width), np.arange(depth)
    live, seen = step < lengths[:, None], back_step < before[:, None]
    own = np.where(live, starts[:, None] + step, size)
    asked = np.where(seen, starts[lead_of][:, None] + back_step, size)
    earlier = (step[None, None] <= step[None, :, None]) & live[:, None]
    looks = np.concatenate(
        [np.broadcast_to(seen[:, None], (len(flat), width, depth)), earlier], axis=2
    )
    rows = np.repeat(np.arange(len(flat)), lengths)
    within, last = np.arange(size) - starts[rows], starts + lengths - 1
    return Layout(
        ids=np.array([i for row in flat for i in row], dtype=np.int64),
        places=before[rows] + within,
        own=own,
        keys=np.concatenate([asked, own], axis=1),
        hidden=np.where(looks, np.float32(0), np.float32(_HIDDEN)),
        back=rows * width + within,
        rows=rows,
        lengths=lengths,
        last=last,
        before=np.where(within > 0, np.arange(size) - 1, last[lead_of][rows]),
        lead=lead_of,
    )
