"""Fitting the network to the LLM's levels."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from training.examples import (
    Example,
    asked_otherwise,
    judged,
    usable,
    variants,
)
from training.judged import JudgedCase
from training.network import Network, State
from training.reader import CHANCE
from training.surprise import Surprises

SURPRISE = 4.0
"""What the network's guesses of surprise are multiplied by: they are near 1."""
_LOST = 0.2
"""Levels that are to fall by less than this need not fall."""
_TOLD = 50
"""After so many steps a word is said."""


@dataclass(frozen=True, slots=True)
class Setting:
    """How the network is fitted."""

    epochs: int = 3
    batch: int = 8
    dropout: float = 0.1
    """In the reader; the head has its own."""
    reader_rate: float = 1e-4
    head_rate: float = 6e-4
    ranking: float = 0.5
    surprise: float = 1.0
    made: float = 0.35
    """So many made variants in a round, as a part of the judged cases."""
    made_from: int = 3
    """Variants are made of every third case: more would hardly be used."""
    beside: float = 0.5
    """How much it counts what variants lose and must not gain beside what they were made from."""
    asked: float = 0.35
    """So many judged answers to other queries, likewise."""
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Lesson:
    """What the network is fitted to."""

    cases: Sequence[JudgedCase]
    asked: Sequence[JudgedCase] = ()
    """The same answers with other queries: they teach relevance and influence."""
    surprises: Surprises | None = None


SCHOOLING = Setting(epochs=1, made=0.1, made_from=12, beside=0.0)
"""How it is first fitted to made cases, whose words the language model is not asked about.

Few variants are made of them: what the rubrics say of these it learns later, from real answers.
"""


def fit(
    lesson: Lesson,
    setting: Setting,
    say: Callable[[str], None] = lambda _: None,
    schooled: State | None = None,
    hands: int = 1,
) -> Network:
    """A network fitted to a lesson, from scratch or from what it was taught before.

    Every batch is read in two halves. Two hands read them at once; the digits are the same.
    """
    torch.manual_seed(setting.seed)
    torch.use_deterministic_algorithms(True)
    # Nothing here reads memory before it is written, and filling it takes time.
    torch.utils.deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]
    rng = np.random.default_rng(setting.seed)
    network = Network(setting.dropout)
    costs = lesson.surprises
    real = usable(judged(case, costs[case.id] if costs else None) for case in lesson.cases)
    _prepare(network, real, schooled)
    extra = _extra(lesson, setting, len(real))
    per_round = len(real) + sum(count for _, count in extra)
    optimizer, schedule = _optimizer(network, setting, math.ceil(per_round / setting.batch))
    network.train()
    taught = [p for p in network.parameters() if p.requires_grad]
    with ThreadPoolExecutor(max(1, hands)) as pool:
        for epoch in range(1, setting.epochs + 1):
            cases = list(real)
            for some, count in extra:
                cases += [some[i] for i in rng.choice(len(some), size=count, replace=False)]
            total = 0.0
            order = rng.permutation(len(cases))
            for step, start in enumerate(range(0, len(order), setting.batch), 1):
                batch = [cases[i] for i in order[start : start + setting.batch]]
                halves = [half for half in (batch[::2], batch[1::2]) if half]
                seeds = rng.integers(2**62, size=len(halves)).tolist()
                told = pool.map(partial(_lesson, network, setting, taught), halves, seeds)
                total += _take(taught, list(told)) * len(batch)
                nn.utils.clip_grad_norm_(taught, 1.0)
                optimizer.step()
                schedule.step()
                if step % _TOLD == 0:
                    say(f"round {epoch}, {start + len(batch)} of {len(order)} cases")
            say(f"round {epoch} of {setting.epochs}: loss {total / len(order):.3f}")
    network.forget()
    return network.eval()


def _prepare(network: Network, real: Sequence[Example], schooled: State | None) -> None:
    """Tell the network what is usual: of features at the beginning, of levels every time."""
    head = network.head
    if schooled is not None:
        network.go_on_from(schooled)
    else:
        features = np.concatenate([example.features for example in real])
        head.centre.copy_(torch.from_numpy(features.mean(0)))
        head.scale.copy_(torch.from_numpy(1 / (features.std(0) + 1e-6)))
    levels = np.concatenate([example.levels for example in real])
    head.middle.copy_(torch.from_numpy(levels.mean(0)))
    head.spread.copy_(torch.from_numpy(levels.std(0) + 1e-3))


def _extra(lesson: Lesson, setting: Setting, real: int) -> list[tuple[list[Example], int]]:
    """What is read beside the real cases, and how many of each kind in a round."""
    every = lesson.cases[:: setting.made_from]
    made = list(variants(every, setting.seed, beside=setting.beside > 0)) if setting.made else []
    others = usable(asked_otherwise(case) for case in lesson.asked)
    return [
        (some, min(int(part * real), len(some)))
        for some, part in ((made, setting.made), (others, setting.asked))
    ]


def _lesson(
    network: Network,
    setting: Setting,
    taught: Sequence[Tensor],
    batch: Sequence[Example],
    seed: int,
) -> tuple[float, Sequence[Tensor | None]]:
    """The loss on some examples and its gradients; several threads may do this at a time."""
    CHANCE.generator = torch.Generator().manual_seed(seed)
    # In half as many bits it takes less time.
    with torch.autocast("cpu", torch.bfloat16):
        loss = _loss(network, batch, setting)
    return loss.item(), torch.autograd.grad(loss, taught, allow_unused=True)


def _take(taught: Sequence[Tensor], told: Sequence[tuple[float, Sequence[Tensor | None]]]) -> float:
    """Give every weight the mean of its gradients, always added in one order; the mean loss."""
    for weight, *gradients in zip(taught, *(gradients for _, gradients in told), strict=True):
        found = [gradient for gradient in gradients if gradient is not None]
        weight.grad = sum(found[1:], found[0]).div_(len(told)) if found else None
    return sum(loss for loss, _ in told) / len(told)


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
    batch, family = _families(batch)
    read, surprises = network.read(batch)
    said = network.head(*network.together(batch, read)).float()
    asked = torch.from_numpy(np.concatenate([example.levels for example in batch])).float()
    weight = torch.from_numpy(np.concatenate([example.weights for example in batch])).float()
    case = torch.from_numpy(np.repeat(family, [len(e.levels) for e in batch]))
    spread = network.head.spread
    error = functional.smooth_l1_loss(said / spread, asked / spread, reduction="none")
    loss = (weight * error).mean()
    # Totals in quarters of a point, near the size of the standardised levels above.
    ours, theirs = _totals(said), _totals(asked)
    whole = weight.view(len(weight), 5, 5).amin(-1)
    loss = loss + (whole * functional.smooth_l1_loss(ours, theirs, reduction="none")).mean()
    gap = theirs[:, None] - theirs[None]
    both = (case[:, None] == case[None])[..., None] & (gap > 0.25)
    both = both & (whole[:, None] > 0) & (whole[None] > 0)
    wrong = functional.softplus(-4 * (ours[:, None] - ours[None])) / 2
    loss = loss + setting.ranking * (both * wrong).sum() / both.sum().clamp(min=1)
    loss = loss + setting.beside * _beside_loss(batch, said, asked, weight)
    return loss + setting.surprise * _surprise_loss(batch, surprises)


def _families(batch: Sequence[Example]) -> tuple[list[Example], list[int]]:
    """The examples, what some were made from beside them, and which belong together."""
    pairs = [(e,) if e.origin is None else (e, e.origin) for e in batch]
    every = [example for pair in pairs for example in pair]
    return every, [number for number, pair in enumerate(pairs) for _ in pair]


def _beside_loss(batch: Sequence[Example], said: Tensor, asked: Tensor, weight: Tensor) -> Tensor:
    """What variants fail to lose, and what they gain, beside what they were made from."""
    first = np.cumsum([0, *(len(example.levels) for example in batch)])
    places = [first[i] for i, example in enumerate(batch) if example.origin is not None]
    made = torch.tensor(places, dtype=torch.int64)
    origin = made + 1  # a variant has one source, and what it was made from comes next
    falls = (asked[origin] - asked[made] > _LOST) & (weight[made] > 0)
    kept = functional.softplus(-6 * (said[origin] - said[made] - 0.1)) / 6
    gained = functional.relu(_totals(said[made]) - _totals(said[origin]))
    same = ~falls.any(-1, keepdim=True)
    return ((falls * kept).sum() + (same * gained).sum()) / len(batch)


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
