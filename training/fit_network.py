"""Fitting the network to the LLM's levels."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from citemark.judges.embedded.tokens import layout_of
from training.examples import (
    Example,
    asked_otherwise,
    feature_names,
    judged,
    usable,
    variants,
)
from training.judged import JudgedCase
from training.network import Head
from training.reader import KEPT, Reader
from training.surprise import Surprises

SURPRISE = 4.0
"""What the network's guesses of surprise are multiplied by: they are near 1."""
_TOLD = 50
"""After so many steps a word is said."""
_MADE_FROM = 12
"""Variants are made of every twelfth case: more would never be used."""
State = Mapping[str, Tensor]
"""The weights of a network, or some of them, by name."""


@dataclass(frozen=True, slots=True)
class Setting:
    """How the network is fitted."""

    epochs: int = 2
    batch: int = 8
    dropout: float = 0.1
    """In the reader; the head has its own."""
    reader_rate: float = 1e-4
    head_rate: float = 6e-4
    ranking: float = 0.5
    surprise: float = 1.0
    made: float = 0.1
    """So many made variants in a round, as a part of the judged cases."""
    asked: float = 0.5
    """So many judged answers to other queries, likewise."""
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Lesson:
    """What the network is fitted to."""

    cases: Sequence[JudgedCase]
    asked: Sequence[JudgedCase] = ()
    """The same answers with other queries: they teach relevance and influence."""
    surprises: Surprises | None = None


SCHOOLING = Setting(epochs=1)
"""How it is first fitted to made cases, whose words the language model is not asked about."""


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


def fit(
    lesson: Lesson,
    setting: Setting,
    say: Callable[[str], None] = lambda _: None,
    schooled: State | None = None,
) -> Network:
    """A network fitted to a lesson, from scratch or from what it was taught before."""
    torch.manual_seed(setting.seed)
    torch.use_deterministic_algorithms(True)
    rng = np.random.default_rng(setting.seed)
    network = Network(setting.dropout)
    costs = lesson.surprises
    real = usable(judged(case, costs[case.id] if costs else None) for case in lesson.cases)
    if schooled is not None:
        network.go_on_from(schooled)
    else:
        features = np.concatenate([example.features for example in real])
        network.head.centre.copy_(torch.from_numpy(features.mean(0)))
        network.head.scale.copy_(torch.from_numpy(1 / (features.std(0) + 1e-6)))
    made = list(variants(lesson.cases[::_MADE_FROM], setting.seed)) if setting.made else []
    others = usable(asked_otherwise(case) for case in lesson.asked)
    extra = [
        (some, min(int(part * len(real)), len(some)))
        for some, part in ((made, setting.made), (others, setting.asked))
    ]
    levels = np.concatenate([example.levels for example in real])
    network.head.middle.copy_(torch.from_numpy(levels.mean(0)))
    network.head.spread.copy_(torch.from_numpy(levels.std(0) + 1e-3))
    per_round = len(real) + sum(count for _, count in extra)
    optimizer, schedule = _optimizer(network, setting, math.ceil(per_round / setting.batch))
    for epoch in range(setting.epochs):
        network.train()
        pool = list(real)
        for some, count in extra:
            pool += [some[i] for i in rng.choice(len(some), size=count, replace=False)]
        total = 0.0
        order = rng.permutation(len(pool))
        for step, start in enumerate(range(0, len(order), setting.batch), 1):
            batch = [pool[i] for i in order[start : start + setting.batch]]
            # In half as many bits it takes less time.
            with torch.autocast("cpu", torch.bfloat16):
                loss = _loss(network, batch, setting)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            total += loss.item() * len(batch)
            if step % _TOLD == 0:
                say(f"round {epoch + 1}, {start + len(batch)} of {len(order)} cases")
        say(f"round {epoch + 1} of {setting.epochs}: loss {total / len(order):.3f}")
    network.forget()
    network.reader.settle()
    return network.eval()


def _optimizer(
    network: Network, setting: Setting, steps: int
) -> tuple[torch.optim.Optimizer, torch.optim.lr_scheduler.LRScheduler]:
    reader = [p for p in network.reader.parameters() if p.requires_grad]
    groups = [
        {"params": reader, "lr": setting.reader_rate, "weight_decay": 0.01},
        {"params": list(network.head.parameters()), "lr": setting.head_rate, "weight_decay": 0.05},
    ]
    optimizer = torch.optim.AdamW(groups, fused=True)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer,
        [setting.reader_rate, setting.head_rate],
        total_steps=steps * setting.epochs,
        pct_start=0.15,
    )
    return optimizer, schedule


def _loss(network: Network, batch: Sequence[Example], setting: Setting) -> Tensor:
    read, surprises = network.read(batch)
    said = network.head(*network.together(batch, read)).float()
    asked = torch.from_numpy(np.concatenate([example.levels for example in batch])).float()
    weight = torch.from_numpy(np.concatenate([example.weights for example in batch])).float()
    case = torch.from_numpy(np.repeat(np.arange(len(batch)), [len(e.levels) for e in batch]))
    spread = network.head.spread
    error = functional.smooth_l1_loss(said / spread, asked / spread, reduction="none")
    loss = (weight * error).mean()
    # Totals in quarters of a point, near the size of the standardised levels above.
    ours, theirs = _totals(said), _totals(asked)
    whole = weight.view(len(weight), 5, 5).amin(-1)
    loss = loss + (whole * functional.smooth_l1_loss(ours, theirs, reduction="none")).mean()
    gap = theirs[:, None] - theirs[None]
    both = (case[:, None] == case[None])[..., None] & (gap > 0.25) & (whole[:, None] > 0)
    wrong = functional.softplus(-4 * (ours[:, None] - ours[None])) / 2
    loss = loss + setting.ranking * (both * wrong).sum() / both.sum().clamp(min=1)
    return loss + setting.surprise * _surprise_loss(batch, surprises)


def _surprise_loss(batch: Sequence[Example], surprises: Sequence[Tensor]) -> Tensor:
    said, asked = [torch.zeros(1)], [torch.zeros(1)]
    for example, own in zip(batch, surprises, strict=True):
        if example.surprise is not None:
            wanted = torch.from_numpy(example.surprise)
            there = ~wanted.isnan()
            said.append(own[there].float())
            asked.append(wanted[there] / SURPRISE)
    return functional.mse_loss(torch.cat(said), torch.cat(asked))


def _totals(levels: Tensor) -> Tensor:
    return levels.view(len(levels), 5, 5).sum(-1) / 4
