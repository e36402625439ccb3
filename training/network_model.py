"""The network's part in the tier ``embedded``: fitted, and asked about every judged source."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from citemark.judges.embedded.surprise import FACTS, surprise_facts
from training.examples import Example, judged
from training.fit_network import SCHOOLING, SURPRISE, Lesson, Network, Setting, fit
from training.judged import SUBSCORES, Array, JudgedCase
from training.kept import Arrays
from training.static_embeddings import minilm_folder

Floats = NDArray[np.float32]

_LARGE = 4096

__all__ = ["FACTS", "NetworkRows", "fit_rows", "rows_of", "schooled"]


@dataclass(frozen=True, slots=True)
class NetworkRows:
    """What a network says of every judged source, in the order of ``judged.rows``."""

    levels: Array
    """(rows, 25)."""
    facts: Floats
    """(rows, FACTS)."""


def schooled(made: Sequence[JudgedCase], say: Callable[[str], None] = lambda _: None) -> Arrays:
    """What a network learns from made cases: the weights that it begins with on judged ones.

    Large ones in 16 bits, because they are kept beside the program.
    """
    network = fit(Lesson(made), weights_file(), SCHOOLING, say)
    return {
        name: (weight.half() if weight.numel() >= _LARGE else weight).numpy()
        for name, weight in network.taught().items()
    }


def fit_rows(
    lesson: Lesson,
    every: Sequence[JudgedCase],
    school: Arrays,
    say: Callable[[str], None] = lambda _: None,
) -> tuple[Network, NetworkRows]:
    """A schooled network fitted to some cases, and what it says of every case."""
    begun = {name: torch.from_numpy(weight).float() for name, weight in school.items()}
    network = fit(lesson, weights_file(), Setting(), say, begun)
    return network, rows_of(network, every)


def weights_file() -> Path:
    """The weights of MiniLM as they were before."""
    return minilm_folder() / "model.safetensors"


def rows_of(network: Network, cases: Sequence[JudgedCase]) -> NetworkRows:
    """What a network says of the judged sources of some cases."""
    levels, facts = [], []
    with torch.no_grad():
        for case in cases:
            example = judged(case)
            if not len(example.pairs.ids):
                levels.append(np.zeros((len(case.sources), SUBSCORES)))
                facts.append(np.zeros((len(case.sources), len(FACTS)), dtype=np.float32))
                continue
            vectors, surprises = network.read([example])
            seen = network.head(*network.together([example], vectors))
            levels.append(seen.double().numpy())
            costs = [
                _tokens(example, row, SURPRISE * surprises[0, row].numpy())
                for row in range(len(example.pairs.ids))
            ]
            facts.append(surprise_facts(costs, example.roles[..., 0] + example.roles[..., 1]))
            network.forget()
    return NetworkRows(np.concatenate(levels), np.concatenate(facts))


def _tokens(example: Example, row: int, costs: Floats) -> Floats:
    """The costs of a passage's own tokens, without its closing mark."""
    where = np.flatnonzero(example.pairs.passage[row])[:-1]
    return costs[where[where < len(costs)]]
