"""The reader: the lower layers of SmolLM2, which read the query and then each clause by itself."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping

import torch
from torch import Tensor, nn
from torch.nn import functional

from citemark.judges.embedded.tokens import Layout
from training.language_model import HEADS, INNER, KEYS, SIZE, WIDTH, language_model

LAYERS = 16
"""More would not fit into the file; each of them reads better than the one before."""
KEPT = 6
"""The lowest ones stay as they came."""
WORDS = 24_576
VECTOR = 3 * WIDTH
"""A clause's vector: its last token, the mean of its tokens, the last token of the query."""
MATRICES = ("asked", "mixed", "inner", "outer")
"""The matrices of a layer, in the order in which they are used."""
CHANCE = threading.local()
"""What chance draws from, for each thread its own, so that all draw the same in every run."""
_TURN = 100_000.0
_LEAST = 1e-5
_SHARED = HEADS // KEYS
_ASK = (HEADS + KEYS) * SIZE
"""Of queries, keys and values together, so many numbers are turned: queries and keys."""


class Layer(nn.Module):
    """One layer of SmolLM2."""

    def __init__(self, number: int, dropout: float) -> None:
        super().__init__()
        weights = language_model().weights

        def part(*names: str) -> Tensor:
            return torch.cat([weights[f"blk.{number}.{name}.weight"] for name in names]).clone()

        self.first, self.second = (nn.Parameter(part(n)) for n in ("attn_norm", "ffn_norm"))
        self.asked = nn.Parameter(part("attn_q", "attn_k", "attn_v"))
        self.mixed = nn.Parameter(part("attn_output"))
        self.inner = nn.Parameter(part("ffn_gate", "ffn_up"))
        self.outer = nn.Parameter(part("ffn_down"))
        self.dropout = dropout
        self.settled: Mapping[str, Callable[[Tensor], Tensor]] = {}
        """The matrices in whole numbers, once fitting is over."""

    def forward(self, x: Tensor, seen: Seen) -> Tensor:
        """The next layer's tokens: (tokens, WIDTH)."""
        x = x + self._drop(self._through(self._look(level(x, self.first), seen), "mixed"))
        gate, up = self._through(level(x, self.second), "inner").split(INNER, -1)
        return x + self._drop(self._through(functional.silu(gate) * up, "outer"))

    def _look(self, x: Tensor, seen: Seen) -> Tensor:
        both = self._through(x, "asked")
        turned = seen.turn(both[:, :_ASK].view(len(x), HEADS + KEYS, SIZE))
        query = turned[:, :HEADS].reshape(len(x), -1)
        known = torch.cat([turned[:, HEADS:].reshape(len(x), -1), both[:, _ASK:]], 1)
        return seen.look(query, known)

    def _through(self, x: Tensor, name: str) -> Tensor:
        if self.settled:
            return self.settled[name](x)
        weight: Tensor = getattr(self, name)
        return functional.linear(x, weight.bfloat16())

    def _drop(self, x: Tensor) -> Tensor:
        return dropped(x, self.dropout) if self.training and self.dropout else x


def level(x: Tensor, weight: Tensor) -> Tensor:
    """Tokens brought to one size, in 16 bits."""
    return functional.rms_norm(x, (WIDTH,), weight, _LEAST).bfloat16()


def dropped(x: Tensor, part: float) -> Tensor:
    """Some values, by chance, set to 0 and the others raised to make up for it.

    One byte is drawn for each value, eight bytes at a time: torch's own dropout, which draws a
    number for each, took much of the time that fitting takes.
    """
    chance: torch.Generator | None = getattr(CHANCE, "generator", None)
    drawn = torch.empty(-(-x.numel() // 8), dtype=torch.int64)
    drawn.random_(-(2**63), None, generator=chance)
    limit = round(part * 256)
    kept = drawn.view(torch.uint8)[: x.numel()].view(x.shape) >= limit
    return torch.as_tensor(x * (kept.to(x.dtype) * (256 / (256 - limit))))


class Seen:
    """A layout, ready for the layers: who looks at whom, and how far each token is turned."""

    def __init__(self, layout: Layout) -> None:
        self.own, self.keys, self.back = (
            torch.from_numpy(a).flatten() for a in (layout.own, layout.keys, layout.back)
        )
        self.rows, self.width = layout.own.shape
        self.hidden = torch.from_numpy(layout.hidden)[:, None, None]
        pace = _TURN ** -(torch.arange(0, SIZE, 2).float() / SIZE)
        angle = torch.from_numpy(layout.places).float()[:, None, None] * pace
        self.cos, self.sin = angle.cos().bfloat16(), angle.sin().bfloat16()

    def turn(self, x: Tensor) -> Tensor:
        """Heads turned by the place of their token: (tokens, heads, SIZE)."""
        left, right = x.split(SIZE // 2, -1)
        return torch.cat(
            [left * self.cos - right * self.sin, left * self.sin + right * self.cos], -1
        )

    def look(self, query: Tensor, known: Tensor) -> Tensor:
        """What each token sees: (tokens, WIDTH)."""
        rows, width = self.rows, self.width
        query = functional.pad(query, (0, 0, 0, 1)).index_select(0, self.own)
        query = query.view(rows, width, KEYS, _SHARED, SIZE).permute(0, 2, 3, 1, 4)
        known = functional.pad(known, (0, 0, 0, 1)).index_select(0, self.keys)
        key, value = known.view(rows, -1, 2, KEYS, SIZE).permute(2, 0, 3, 1, 4).flatten(1, 2)
        near = torch.bmm(query.reshape(rows * KEYS, -1, SIZE), key.transpose(1, 2))
        near = near.float().view(rows, KEYS, _SHARED, width, -1) * SIZE**-0.5 + self.hidden
        part = near.softmax(-1).bfloat16().view(rows * KEYS, _SHARED * width, -1)
        found = torch.bmm(part, value).view(rows, KEYS, _SHARED, width, SIZE)
        return found.permute(0, 3, 1, 2, 4).reshape(rows * width, WIDTH).index_select(0, self.back)


class Reader(nn.Module):
    """Reads texts: a vector for each clause, and a guess of how surprising each token is."""

    def __init__(self, dropout: float = 0.0) -> None:
        super().__init__()
        table = language_model().weights["token_embd.weight"][:WORDS].clone()
        self.register_buffer("words", table, persistent=False)
        self.layers = nn.ModuleList(Layer(i, dropout * (i >= KEPT)) for i in range(LAYERS))
        self.layers[:KEPT].requires_grad_(False)
        self.norm = nn.Parameter(torch.ones(WIDTH))
        self.surprise = nn.Linear(2 * WIDTH, 1)

    def lower(self, layout: Layout) -> Tensor:
        """Tokens after the layers that stay as they are."""
        with torch.no_grad():
            x, seen = self.words[torch.from_numpy(layout.ids)], Seen(layout)
            for layer in self.layers[:KEPT]:
                x = layer(x, seen)
        return x.bfloat16()

    def upper(self, x: Tensor, layout: Layout) -> tuple[Tensor, Tensor]:
        """The vector of every row, and the surprise at every token.

        The rows of queries have a vector too, which means nothing.
        """
        x, seen = x.float(), Seen(layout)
        for layer in self.layers[KEPT:]:
            x = layer(x, seen)
        x = functional.rms_norm(x, (WIDTH,), self.norm, _LEAST)
        rows, last = (torch.from_numpy(a) for a in (layout.rows, layout.last))
        lengths = torch.from_numpy(layout.lengths)
        mean = torch.zeros(len(last), WIDTH).index_add(0, rows, x) / lengths[:, None]
        ends = x.index_select(0, last)
        lead, before = (torch.from_numpy(a) for a in (layout.lead, layout.before))
        vectors = torch.cat([ends, mean, ends.index_select(0, lead)], -1)
        both = torch.cat([x, x.index_select(0, before)], -1)
        return vectors, self.surprise(both)[:, 0]
