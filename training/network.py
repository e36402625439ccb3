"""The network: the reader, and a head that weighs the clauses that it has read.

Each clause is read after the query and by itself, so its vector does not depend on where it stands
or on what else is said. The head sees the answer as a set of such vectors, each with the role it
has for the source in question and beside what the feature table says of it, and gives the
25 levels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from citemark.judges.embedded.passages import ROLES
from citemark.judges.embedded.tokens import layout_of
from training.examples import Example, feature_names
from training.judged import SUBSCORES
from training.reader import KEPT, VECTOR, Reader, dropped

State = Mapping[str, Tensor]
"""The weights of a network, or some of them, by name."""

_COUNTS = 6
_FEATURES = 96
"""So many numbers the head makes of a source's features."""
_FAR = 3.0
"""Features count up to so many standard deviations from the mean."""
_UNSEEN = 0.3
"""The part of the features that is hidden while the head is fitted."""


class Dropout(nn.Module):
    """Sets some of the values to 0 while the network is fitted."""

    def __init__(self, part: float) -> None:
        super().__init__()
        self.part = part

    def forward(self, x: Tensor) -> Tensor:
        """The values that are left, larger by as much as the others were."""
        return dropped(x, self.part) if self.training else x


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


class Network(nn.Module):
    """Reader and head together."""

    def __init__(self, dropout: float = 0.0) -> None:
        super().__init__()
        self.reader = Reader(dropout)
        self.head = Head(len(feature_names()))
        self._lower: dict[int, Tensor] = {}

    def together(
        self, examples: Sequence[Example], vectors: Sequence[Tensor]
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """What the head takes: one row for each source."""
        length = max(len(v) for v in vectors)
        rows, roles, live = [], [], []
        for example, own in zip(examples, vectors, strict=True):
            gap = length - len(own)
            for role in torch.from_numpy(example.roles):
                rows.append(functional.pad(own, (0, 0, 0, gap)))
                roles.append(functional.pad(role, (0, 0, 0, gap)))
                live.append(torch.arange(length) < len(own))
        features = torch.from_numpy(np.concatenate([example.features for example in examples]))
        return torch.stack(rows), torch.stack(roles), torch.stack(live), features

    def read(self, examples: Sequence[Example]) -> tuple[list[Tensor], list[Tensor]]:
        """The vectors of each example's passages, and the surprise at the passages' tokens."""
        lower = torch.cat([self._read(example) for example in examples])
        layout = layout_of([example.text for example in examples])
        with torch.autocast("cpu", enabled=False):
            vectors, surprise = self.reader.upper(lower, layout)
        rows = [1 + len(example.text.passages) for example in examples]
        tokens = [example.text.length for example in examples]
        return (
            [own[1:] for own in vectors.split(rows)],
            [
                own[len(example.text.lead) :]
                for own, example in zip(surprise.split(tokens), examples, strict=True)
            ],
        )

    def _read(self, example: Example) -> Tensor:
        """The tokens of an example after the lower layers, which never change: read once."""
        known = self._lower.get(id(example))
        if known is None:
            known = self.reader.lower(layout_of([example.text]))
            self._lower[id(example)] = known
        return known

    def taught(self) -> State:
        """The weights that fitting changes."""
        fixed = tuple(f"reader.layers.{i}." for i in range(KEPT))
        return {k: v for k, v in self.state_dict().items() if not k.startswith(fixed)}

    def go_on_from(self, taught: State) -> None:
        """Take over the weights that an earlier fit changed: all of them, and no others."""
        own = self.taught().keys()
        if taught.keys() != own:
            odd = ", ".join(sorted(taught.keys() ^ own))
            raise ValueError(f"the weights are those of another network: {odd}")
        self.load_state_dict(taught, strict=False)

    def forget(self) -> None:
        """Drop what was read; examples are known by their identity, which may be used again."""
        self._lower.clear()
