"""The network: a MiniLM that reads query and clause, and a head that weighs the clauses.

Each clause is read with the query alone, so its vector does not depend on where it stands or
on what else is said. The head sees the answer as a set of such vectors, each with the role it
has for the source in question and beside what the feature table says of it, and gives the
25 levels.
"""

from __future__ import annotations

from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

from citemark.judges.embedded.passages import ROLES
from training.judged import SUBSCORES

WIDTH, HEADS, INNER, LAYERS = 384, 12, 1536, 6
VECTOR = 3 * WIDTH
"""A clause's vector: opening mark, mean over the clause, mean over the query."""
_COUNTS = 6
_FEATURES = 96
"""So many numbers the head makes of a source's features."""
_FAR = 3.0
"""Features count up to so many standard deviations from the mean."""
_UNSEEN = 0.3
"""The part of the features that is hidden while the head is fitted."""
_NAMES = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "mixed": "attention.output.dense",
    "first": "attention.output.LayerNorm",
    "inner": "intermediate.dense",
    "outer": "output.dense",
    "second": "output.LayerNorm",
}


class Layer(nn.Module):
    """One layer of BERT."""

    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.query, self.key, self.value, self.mixed = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.first, self.second = (nn.LayerNorm(WIDTH, 1e-12) for _ in range(2))
        self.inner, self.outer = nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH)
        self.dropout = dropout

    def forward(self, x: Tensor, live: Tensor) -> Tensor:
        """The next layer's tokens; ``live`` tells tokens from padding."""
        rows, length, _ = x.shape

        def heads(t: Tensor) -> Tensor:
            return t.view(rows, length, HEADS, WIDTH // HEADS).transpose(1, 2)

        query, key, value = heads(self.query(x)), heads(self.key(x)), heads(self.value(x))
        weights = query @ key.transpose(-1, -2) / (WIDTH // HEADS) ** 0.5
        weights = weights.masked_fill(~live[:, None, None, :], -1e4).softmax(-1)
        seen = (self._drop(weights) @ value).transpose(1, 2).reshape(rows, length, WIDTH)
        x = self.first(x + self._drop(self.mixed(seen)))
        said = self.second(x + self._drop(self.outer(functional.gelu(self.inner(x)))))
        return torch.as_tensor(said)

    def _drop(self, x: Tensor) -> Tensor:
        return dropped(x, self.dropout) if self.training else x


class Dropout(nn.Module):
    """Sets some of the values to 0 while the network is fitted."""

    def __init__(self, part: float) -> None:
        super().__init__()
        self.part = part

    def forward(self, x: Tensor) -> Tensor:
        """The values that are left, larger by as much as the others were."""
        return dropped(x, self.part) if self.training else x


def dropped(x: Tensor, part: float) -> Tensor:
    """Some values, by chance, set to 0 and the others raised to make up for it.

    One byte is drawn for each value, eight bytes at a time: torch's own dropout, which draws a
    number for each, took much of the time that fitting takes.
    """
    drawn = torch.empty(-(-x.numel() // 8), dtype=torch.int64).random_(-(2**63), None)
    limit = round(part * 256)
    kept = drawn.view(torch.uint8)[: x.numel()].view(x.shape) >= limit
    return torch.as_tensor(x * (kept.to(x.dtype) * (256 / (256 - limit))))


class Encoder(nn.Module):
    """MiniLM, in two parts: the lower layers stay as they are, the upper ones are trained."""

    def __init__(self, weights: Path, *, kept: int, dropout: float = 0.0) -> None:
        super().__init__()
        state = {k.removeprefix("bert."): v for k, v in load_file(str(weights)).items()}
        self.words = nn.Embedding.from_pretrained(state["embeddings.word_embeddings.weight"])
        self.places = nn.Embedding.from_pretrained(state["embeddings.position_embeddings.weight"])
        self.kind = nn.Parameter(state["embeddings.token_type_embeddings.weight"][0], False)
        self.norm = nn.LayerNorm(WIDTH, 1e-12)
        self.layers = nn.ModuleList(Layer(dropout) for _ in range(LAYERS))
        self.surprise = nn.Linear(WIDTH, 1)
        self.kept = kept
        self.norm.load_state_dict(_part(state, "embeddings.LayerNorm"))
        for i, layer in enumerate(self.layers):
            for own, theirs in _NAMES.items():
                getattr(layer, own).load_state_dict(_part(state, f"encoder.layer.{i}.{theirs}"))

    def lower(self, ids: Tensor, live: Tensor) -> Tensor:
        """Tokens after the layers that stay as they are."""
        place = torch.arange(ids.shape[1])
        x = self.norm(self.words(ids) + self.places(place)[None] + self.kind)
        for layer in self.layers[: self.kept]:
            x = layer(x, live)
        return torch.as_tensor(x)

    def upper(self, x: Tensor, live: Tensor, passage: Tensor) -> tuple[Tensor, Tensor]:
        """The vector of every clause, and how surprising each of its tokens is."""
        for layer in self.layers[self.kept :]:
            x = layer(x, live)
        own = passage.float()[..., None]
        asked = (live & ~passage).float()[..., None]
        vectors = [
            x[:, 0],
            (x * own).sum(1) / own.sum(1).clamp(min=1),
            (x * asked).sum(1) / asked.sum(1).clamp(min=1),
        ]
        return torch.cat(vectors, -1), self.surprise(x)[..., 0]


def _part(state: dict[str, Tensor], name: str) -> dict[str, Tensor]:
    return {kind: state[f"{name}.{kind}"] for kind in ("weight", "bias")}


class Block(nn.Module):
    """Clauses look at each other; their order means nothing."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.all = nn.Linear(width, 3 * width)
        self.mixed = nn.Linear(width, width)
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.inner, self.outer = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)
        self.heads, self.drop = heads, Dropout(dropout)

    def forward(self, x: Tensor, live: Tensor) -> Tensor:
        """The clauses after one look at each other."""
        rows, length, width = x.shape
        size = width // self.heads
        both = self.all(self.first(x)).view(rows, length, 3, self.heads, size)
        query, key, value = both.permute(2, 0, 3, 1, 4).unbind(0)
        weights = query @ key.transpose(-1, -2) / size**0.5
        weights = weights.masked_fill(~live[:, None, None, :], -1e4).softmax(-1)
        seen = (self.drop(weights) @ value).transpose(1, 2).reshape(rows, length, width)
        x = x + self.mixed(seen)
        inner = self.drop(functional.gelu(self.inner(self.second(x))))
        return torch.as_tensor(x + self.drop(self.outer(inner)))


class Head(nn.Module):
    """Clause vectors, roles and features in, 25 levels out, for one source a row."""

    def __init__(
        self, features: int, width: int = 192, blocks: int = 2, dropout: float = 0.15
    ) -> None:
        super().__init__()
        self.sentence = nn.Linear(VECTOR, width)
        self.role = nn.Linear(ROLES, width)
        self.source = nn.Parameter(torch.randn(width) * 0.02)
        self.blocks = nn.ModuleList(Block(width, 6, dropout) for _ in range(blocks))
        self.norm = nn.LayerNorm(3 * width)
        self.counted = nn.Linear(features, _FEATURES)
        self.first = nn.Linear(3 * width + _COUNTS + _FEATURES, width)
        self.last = nn.Linear(width, SUBSCORES)
        self.drop, self.hide = Dropout(dropout), Dropout(_UNSEEN)
        self.register_buffer("centre", torch.zeros(features))
        self.register_buffer("scale", torch.ones(features))
        self.register_buffer("middle", torch.zeros(SUBSCORES))
        self.register_buffer("spread", torch.ones(SUBSCORES))

    def forward(self, vectors: Tensor, roles: Tensor, live: Tensor, features: Tensor) -> Tensor:
        """(rows, n, VECTOR), (rows, n, ROLES), (rows, n), (rows, features) -> (rows, 25)."""
        return self.weigh(self.sentence(self.drop(vectors)), roles, live, features)

    def weigh(self, passages: Tensor, roles: Tensor, live: Tensor, features: Tensor) -> Tensor:
        """The same from passages that have been brought to the head's width."""
        x = passages + self.role(roles)
        x = torch.cat([self.source.expand(x.shape[0], 1, -1), x], 1)
        seen = torch.cat([torch.ones_like(live[:, :1]), live], 1)
        for block in self.blocks:
            x = block(x, seen)
        here = live.float()
        own = (roles[..., 0] + roles[..., 1]) * here
        rest = here * (own == 0).float()
        summary = self.norm(torch.cat([x[:, 0], _mean(x, own), _mean(x, rest)], -1))
        counts = torch.log1p(
            torch.stack(
                [
                    own.sum(1),
                    (own > 0).float().sum(1),
                    here.sum(1),
                    own.sum(1) / here.sum(1).clamp(min=1),
                    rest.sum(1),
                    (roles[..., 5] * here).sum(1),
                ],
                1,
            )
        )
        near = ((features - self.centre) * self.scale).clamp(-_FAR, _FAR)
        facts = self.hide(functional.gelu(self.counted(self.hide(near))))
        inner = self.drop(functional.gelu(self.first(torch.cat([summary, counts, facts], -1))))
        return torch.as_tensor(self.last(inner) * self.spread + self.middle)


def _mean(x: Tensor, weight: Tensor) -> Tensor:
    return (x[:, 1:] * weight[..., None]).sum(1) / (weight.sum(1, keepdim=True) + 0.1)
