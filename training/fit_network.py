"""Fitting the network to the LLM's levels."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from training.examples import (
    Example,
    asked_otherwise,
    feature_names,
    judged,
    usable,
    variants,
)
from training.judged import JudgedCase
from training.network import Encoder, Head
from training.surprise import Surprises

_CHUNK = 3000
"""Tokens, padding included, that are read at once."""


SURPRISE = 4.0
"""What the network's guesses of surprise are multiplied by: they are near 1."""
_MADE_FROM = 12
"""Variants are made of every twelfth case: more would never be used."""
State = Mapping[str, Tensor]
"""The weights of a network, or some of them, by name."""
Place = tuple[int, int]
"""An example and one of its sentences."""


@dataclass(frozen=True, slots=True)
class Setting:
    """How the network is fitted."""

    epochs: int = 3
    batch: int = 8
    kept: int = 3
    dropout: float = 0.1
    """In the encoder; the head has its own."""
    encoder_rate: float = 1e-4
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


SCHOOLING = Setting(epochs=2)
"""How it is first fitted to made cases, whose words the language model is not asked about."""


class Network(nn.Module):
    """Encoder and head together."""

    def __init__(self, weights: Path, setting: Setting) -> None:
        super().__init__()
        self.encoder = Encoder(weights, kept=setting.kept, dropout=setting.dropout)
        self.head = Head(len(feature_names()))
        self._lower: dict[int, list[Tensor]] = {}

    def together(
        self, examples: Sequence[Example], vectors: Sequence[Tensor]
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """What the head reads: one row for each source."""
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

    def read(self, examples: Sequence[Example]) -> tuple[list[Tensor], dict[Place, Tensor]]:
        """The vectors of each example's passages, and the surprise at each passage's tokens."""
        lower = [self._read(example) for example in examples]
        flat = [(i, j) for i, rows in enumerate(lower) for j in range(len(rows))]
        flat.sort(key=lambda place: len(lower[place[0]][place[1]]))
        found: dict[Place, Tensor] = {}
        surprises: dict[Place, Tensor] = {}
        for chunk in _chunks(flat, [len(lower[i][j]) for i, j in flat]):
            length = len(lower[chunk[-1][0]][chunk[-1][1]])
            x = torch.stack([_lengthened(lower[i][j].float(), length) for i, j in chunk])
            live = np.stack([_fit(examples[i].pairs.live[j], length) for i, j in chunk])
            own = np.stack([_fit(examples[i].pairs.passage[j], length) for i, j in chunk])
            vectors, surprise = self.encoder.upper(x, torch.from_numpy(live), torch.from_numpy(own))
            found |= dict(zip(chunk, vectors, strict=True))
            surprises |= dict(zip(chunk, surprise, strict=True))
        vectors_of = [
            torch.stack([found[i, j] for j in range(len(rows))]) for i, rows in enumerate(lower)
        ]
        return vectors_of, surprises

    def _read(self, example: Example) -> list[Tensor]:
        """The tokens of an example after the lower layers, which never change: read once."""
        known = self._lower.get(id(example))
        if known is None:
            pairs = example.pairs
            was, _ = self.encoder.training, self.encoder.eval()
            with torch.no_grad():
                x = self.encoder.lower(torch.from_numpy(pairs.ids), torch.from_numpy(pairs.live))
            self.encoder.train(was)
            known = [row[: int(n)].half() for row, n in zip(x, pairs.live.sum(1), strict=True)]
            self._lower[id(example)] = known
        return known

    def taught(self) -> State:
        """The weights that fitting changes."""
        fixed = tuple(f"encoder.layers.{i}." for i in range(self.encoder.kept))
        fixed += ("encoder.words", "encoder.places", "encoder.kind", "encoder.norm")
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


def _lengthened(rows: Tensor, length: int) -> Tensor:
    return functional.pad(rows, (0, 0, 0, length - len(rows)))


def _fit(row: NDArray[np.bool_], length: int) -> NDArray[np.bool_]:
    return np.pad(row[:length], (0, max(0, length - len(row))))


def _chunks(places: Sequence[Place], lengths: Sequence[int]) -> list[list[Place]]:
    chunks: list[list[Place]] = [[]]
    for place, length in zip(places, lengths, strict=True):
        if chunks[-1] and length * (len(chunks[-1]) + 1) > _CHUNK:
            chunks.append([])
        chunks[-1].append(place)
    return chunks


def fit(
    lesson: Lesson,
    weights: Path,
    setting: Setting,
    say: Callable[[str], None] = lambda _: None,
    schooled: State | None = None,
) -> Network:
    """A network fitted to a lesson, from scratch or from what it was taught before."""
    torch.manual_seed(setting.seed)
    torch.use_deterministic_algorithms(True)
    rng = np.random.default_rng(setting.seed)
    network = Network(weights, setting)
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
        for start in range(0, len(order), setting.batch):
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
        say(f"epoch {epoch + 1} of {setting.epochs}: loss {total / len(order):.3f}")
    network.forget()
    return network.eval()


def _optimizer(
    network: Network, setting: Setting, steps: int
) -> tuple[torch.optim.Optimizer, torch.optim.lr_scheduler.LRScheduler]:
    upper = network.encoder.layers[setting.kept :]
    for parameter in network.encoder.parameters():
        parameter.requires_grad_(False)
    upper.requires_grad_(True)
    groups = [
        {"params": list(upper.parameters()), "lr": setting.encoder_rate, "weight_decay": 0.01},
        {"params": list(network.head.parameters()), "lr": setting.head_rate, "weight_decay": 0.05},
    ]
    optimizer = torch.optim.AdamW(groups)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer,
        [setting.encoder_rate, setting.head_rate],
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


def _surprise_loss(batch: Sequence[Example], surprises: Mapping[Place, Tensor]) -> Tensor:
    said, asked = [torch.zeros(1)], [torch.zeros(1)]
    for (i, j), own in surprises.items():
        known = batch[i].surprise
        if known is not None:
            wanted = torch.from_numpy(known[j, : len(own)])
            there = ~wanted.isnan()
            said.append(own[: len(wanted)][there])
            asked.append(wanted[there] / SURPRISE)
    return functional.mse_loss(torch.cat(said), torch.cat(asked))


def _totals(levels: Tensor) -> Tensor:
    return levels.view(len(levels), 5, 5).sum(-1) / 4
