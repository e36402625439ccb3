"""The network's part in the tier ``embedded``: fitted, and asked about every judged source."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from citemark.judges.embedded.tokens import Text
from training.examples import judged
from training.fit_network import SCHOOLING, Lesson, Setting, fit
from training.judged import SUBSCORES, Array, JudgedCase
from training.kept import Arrays
from training.network import Network, State
from training.rounding import settle
from training.second_judge import made_cases

_LARGE = 4096
_SHOWN = 40
_FINE = 2.0
"""Steps in the root mean square of what a matrix learned."""
_LEAST = 1e-9
_STEP = ".step"


def schooled(made: Sequence[JudgedCase], say: Callable[[str], None] = lambda _: None) -> Arrays:
    """What a network learns from made cases: the weights that it begins with on judged ones."""
    return packed(fit(Lesson(made), SCHOOLING, say, hands=2).taught())


def packed(taught: State) -> Arrays:
    """Weights as they are kept: the reader's as what was learned on top of the language model.

    That differs little from nothing, so that few bits of it are enough.
    """
    found: dict[str, NDArray[np.generic]] = {}
    for name, weight, before in _with_origin(taught):
        if before is None:
            large = weight.numel() >= _LARGE
            found[name] = (weight.half() if large else weight).numpy()
            continue
        learned = weight - before
        step = (learned.square().mean().sqrt() / _FINE).clamp(min=_LEAST)
        found[name] = (learned / step).round().clamp(-127, 127).to(torch.int8).numpy()
        found[f"{name}{_STEP}"] = step.numpy()
    return found


def unpacked(kept: Arrays) -> State:
    """Weights as they are fitted."""
    arrays = {k: torch.from_numpy(v).float() for k, v in kept.items() if not k.endswith(_STEP)}
    return {
        name: weight if before is None else before + weight * float(kept[f"{name}{_STEP}"])
        for name, weight, before in _with_origin(arrays)
    }


def _with_origin(taught: State) -> Iterator[tuple[str, Tensor, Tensor | None]]:
    """Weights by name, and those of the language model that the reader's matrices began as."""
    origin = Network().taught()
    for name, weight in taught.items():
        matrix = name.startswith("reader.layers") and weight.ndim > 1
        yield name, weight, origin[name] if matrix else None


def fitted(
    lesson: Lesson, school: Arrays, say: Callable[[str], None] = lambda _: None, hands: int = 1
) -> State:
    """What a schooled network learns from some cases."""
    return fit(lesson, Setting(), say, unpacked(school), hands).taught()


def settled(taught: State, cases: Sequence[JudgedCase]) -> Network:
    """A network with the weights that it was taught, as it ships."""
    network = Network().eval()
    network.go_on_from(taught)
    settle(network.reader, shown(cases))
    return network


def shown(cases: Sequence[JudgedCase]) -> list[Text]:
    """Made texts that show how large the inputs of the reader's matrices are."""
    return [judged(case).text for case in made_cases(cases, _SHOWN)]


def rows_of(network: Network, cases: Sequence[JudgedCase]) -> Array:
    """What a network says of the judged sources of some cases, as ``judged.rows`` has them."""
    found = []
    with torch.no_grad():
        for case in cases:
            example = judged(case)
            if not example.text.passages:
                found.append(np.zeros((len(case.sources), SUBSCORES)))
                continue
            vectors, _ = network.read([example])
            found.append(network.head(*network.together([example], vectors)).double().numpy())
            network.forget()
    return np.concatenate(found)
