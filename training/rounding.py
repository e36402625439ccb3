"""A fitted reader in whole numbers: as it ships, and as it is asked about the judged cases.

Weights become whole numbers of a byte that take some 4 bits each in the file, because most of them
are small. The runtime multiplies them with tokens in whole numbers too, by a scale for each token
(``export_reader``). A few inputs of every matrix are far larger than the others. They would spoil
that scale, and errors in their weights would weigh most, so inputs are brought to one size first:
what they are divided by is taken from the step before and given to the weights.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional
from torch.overrides import TorchFunctionMode

from citemark.judges.embedded.tokens import Text, layout_of
from training.language_model import HEADS, INNER, KEYS, SIZE
from training.reader import MATRICES, Layer, Reader

MOST = 127
"""The largest weight."""
INPUT = 63
"""The largest number of a token at run time: sums of two products then fit into 16 bits, which is
as much as older processors add up."""
_FINE = 3.6
"""Steps in the usual size of a weight."""
_NEAR, _FAR = 0.2, 16.0
"""What an input is divided by, in terms of the middle one."""
_ASK = (HEADS + KEYS) * SIZE
_TINY = 1e-6


@dataclass(frozen=True, slots=True)
class Rounded:
    """A matrix in whole numbers, and the step of each of its outputs."""

    whole: Tensor
    """(outputs, inputs), int8."""
    step: Tensor
    """(outputs,)."""

    def __call__(self, x: Tensor) -> Tensor:
        """Tokens times the matrix: (tokens, outputs)."""
        return (functional.linear(x, self.whole.bfloat16()) * self.step).bfloat16()


def rounded(weight: Tensor, apart: Tensor | float = 1.0) -> Rounded:
    """A matrix in whole numbers; its outputs are divided by a number of their own."""
    usual = weight.square().mean(0).median().sqrt() / _FINE
    step = torch.maximum(weight.abs().amax(1) / MOST, usual).clamp(min=_TINY)
    return Rounded((weight / step[:, None]).round().to(torch.int8), step / apart)


def words_in_bytes(table: Tensor) -> Rounded:
    """The table of words in whole numbers: each word has its own step."""
    step = torch.maximum(table.abs().amax(1) / MOST, table.square().mean(1).sqrt() / _FINE)
    return Rounded((table / step[:, None]).round().to(torch.int8), step)


def settle(reader: Reader, texts: Sequence[Text]) -> None:
    """Say that fitting is over: from now on everything is read in whole numbers.

    The texts show how large the inputs of each matrix are.
    """
    sizes = _sizes(reader, texts)
    with torch.no_grad():
        for number, layer in enumerate(reader.layers):
            if isinstance(layer, Layer):
                _settle(layer, {name: sizes[number, name] for name in MATRICES})
        words = words_in_bytes(reader.words)
        reader.words.copy_(words.whole * words.step[:, None])


def _settle(layer: Layer, sizes: Mapping[str, Tensor]) -> None:
    apart = {name: _apart(sizes[name]) for name in ("asked", "inner", "outer")}
    # Three heads look at one value, so what they find is divided by the same numbers.
    shared = sizes["mixed"].view(KEYS, -1, SIZE).square().mean(1, keepdim=True).sqrt()
    apart["mixed"] = _apart(shared.expand(-1, HEADS // KEYS, -1).flatten())
    found = apart["mixed"].view(KEYS, -1, SIZE)[:, 0].flatten()
    before = {
        "asked": torch.cat([torch.ones(_ASK), found]),
        "inner": torch.cat([torch.ones(INNER), apart["outer"]]),
    }
    layer.settled = {
        name: rounded(getattr(layer, name) * apart[name], before.get(name, 1.0))
        for name in MATRICES
    }
    layer.first.div_(apart["asked"])
    layer.second.div_(apart["inner"])


def _apart(size: Tensor) -> Tensor:
    return (size / size.median()).clamp(_NEAR, _FAR)


class _Watching(TorchFunctionMode):
    """Sees what is multiplied with a matrix, one after another."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Tensor] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Note how large each input is; the first token, which all look at, is unlike others."""
        if func is functional.linear:
            self.seen.append(args[0][1:].float().square().mean(0))
        return func(*args, **(kwargs or {}))


def _sizes(reader: Reader, texts: Sequence[Text]) -> dict[tuple[int, str], Tensor]:
    """The root mean square of each input of each matrix when some texts are read."""
    names = [(i, name) for i in range(len(reader.layers)) for name in MATRICES]
    total = {name: torch.zeros(1) for name in names}
    for text in texts:
        layout = layout_of([text])
        with torch.no_grad(), _Watching() as watching:
            reader.upper(reader.lower(layout), layout)
        # The last one is the guess of surprise.
        for name, size in zip(names, watching.seen[:-1], strict=True):
            total[name] = total[name] + size
    return {name: (size / len(texts)).sqrt() for name, size in total.items()}
