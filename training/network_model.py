"""The network's part in the tier ``embedded``: fitted, and asked about every judged source."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from citemark.judges.embedded.surprise import FACTS, surprise_facts
from training.examples import judged
from training.fit_network import SCHOOLING, SURPRISE, Lesson, Network, Setting, State, fit
from training.judged import SUBSCORES, Array, JudgedCase
from training.kept import Arrays
from training.reader import BLOCK, in_four_bits

Floats = NDArray[np.float32]

_LARGE = 4096
_SCALE, _SHAPE = ".blocks.scale", ".blocks.shape"

__all__ = ["FACTS", "NetworkRows", "fit_rows", "rows_of", "schooled"]


@dataclass(frozen=True, slots=True)
class NetworkRows:
    """What a network says of every judged source, in the order of ``judged.rows``."""

    levels: Array
    """(rows, 25)."""
    facts: Floats
    """(rows, FACTS)."""


def schooled(made: Sequence[JudgedCase], say: Callable[[str], None] = lambda _: None) -> Arrays:
    """What a network learns from made cases: the weights that it begins with on judged ones."""
    return packed(fit(Lesson(made), SCHOOLING, say).taught())


def packed(taught: State) -> Arrays:
    """Weights as they are kept: those that are read in 4 bits in as many, the head's in 16."""
    found: dict[str, NDArray[np.generic]] = {}
    for name, weight in taught.items():
        if not name.startswith("reader.layers") or weight.ndim < 2:
            large = weight.numel() >= _LARGE
            found[name] = (weight.half() if large else weight).numpy()
            continue
        whole, scale = in_four_bits(weight)
        half = (whole.to(torch.int16) + 8).to(torch.uint8).view(-1, 2)
        found[name] = (half[:, 0] | half[:, 1] << 4).numpy()
        found[f"{name}{_SCALE}"] = scale.half().numpy()
        found[f"{name}{_SHAPE}"] = np.array(weight.shape)
    return found


def unpacked(kept: Arrays) -> State:
    """Weights as they are read and fitted."""
    found: dict[str, Tensor] = {}
    for name, array in kept.items():
        if name.endswith((_SCALE, _SHAPE)):
            continue
        if f"{name}{_SCALE}" not in kept:
            found[name] = torch.from_numpy(array).float()
            continue
        both = np.stack([array & 15, array >> 4], -1).astype(np.float32).reshape(-1, BLOCK) - 8
        weight = both * kept[f"{name}{_SCALE}"].astype(np.float32)
        found[name] = torch.from_numpy(weight.reshape(kept[f"{name}{_SHAPE}"]))
    return found


def fit_rows(
    lesson: Lesson,
    every: Sequence[JudgedCase],
    school: Arrays,
    say: Callable[[str], None] = lambda _: None,
) -> tuple[Network, NetworkRows]:
    """A schooled network fitted to some cases, and what it says of every case."""
    network = fit(lesson, Setting(), say, unpacked(school))
    return network, rows_of(network, every)


def rows_of(network: Network, cases: Sequence[JudgedCase]) -> NetworkRows:
    """What a network says of the judged sources of some cases."""
    levels, facts = [], []
    with torch.no_grad():
        for case in cases:
            example = judged(case)
            if not example.text.passages:
                levels.append(np.zeros((len(case.sources), SUBSCORES)))
                facts.append(np.zeros((len(case.sources), len(FACTS)), dtype=np.float32))
                continue
            vectors, surprises = network.read([example])
            seen = network.head(*network.together([example], vectors))
            levels.append(seen.double().numpy())
            ends = np.cumsum([len(ids) for ids in example.text.passages])[:-1]
            costs = np.split(SURPRISE * surprises[0].numpy(), ends)
            facts.append(surprise_facts(costs, example.roles[..., 0] + example.roles[..., 1]))
            network.forget()
    return NetworkRows(np.concatenate(levels), np.concatenate(facts))
