"""The fitted network as the files that the package ships: the reader's, and the head's.

The head is small: its weights are kept in 16 bits, and the runtime widens them when it loads them.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor, nn

from citemark.judges.embedded.passages import ROLES
from training.export_reader import write_reader
from training.language_model import write_tokenizer
from training.network import Head, Network
from training.reader import WORDS

_OPSET = 20
_SMALL = 4096
"""Arrays with fewer numbers than this are left as they are."""


class _Weigher(nn.Module):
    """The head without its first step, which the reader has taken."""

    def __init__(self, head: Head) -> None:
        super().__init__()
        self.head = head

    def forward(self, vectors: Tensor, roles: Tensor, live: Tensor, features: Tensor) -> Tensor:
        """Passages, roles and features in, 25 levels out."""
        return self.head.weigh(vectors, roles, live, features)


def export(network: Network, folder: Path) -> None:
    """Write the files of a settled reader and its head."""
    folder.mkdir(parents=True, exist_ok=True)
    write_tokenizer(folder / "reader.json", WORDS)
    head = network.head
    write_reader(network.reader, head.sentence, folder)
    _write(
        _Weigher(head).eval(),
        (
            torch.zeros(2, 3, head.sentence.out_features),
            torch.zeros(2, 3, ROLES),
            torch.ones(2, 3, dtype=torch.bool),
            torch.zeros(2, len(head.centre)),
        ),
        folder / "head.onnx",
        {name: {0: "rows", 1: "passages"} for name in ("vectors", "roles", "live")}
        | {"features": {0: "rows"}},
        {"levels": {0: "rows"}},
    )


def _write(
    module: nn.Module,
    inputs: tuple[Tensor, ...],
    path: Path,
    axes: dict[str, dict[int, str]],
    found: dict[str, dict[int, str]],
) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        plain = Path(scratch) / "plain.onnx"
        torch.onnx.export(
            module,
            inputs,
            str(plain),
            input_names=list(axes),
            output_names=list(found),
            dynamic_axes={**axes, **found},
            opset_version=_OPSET,
            dynamo=False,
        )
        model = onnx.load(str(plain))
    _shrink(model.graph)
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString(deterministic=True))


def _shrink(graph: onnx.GraphProto) -> None:
    """Store large arrays in fewer bits; nodes that run when the file is loaded widen them."""
    for tensor in list(graph.initializer):
        values = numpy_helper.to_array(tensor)
        if values.dtype != np.float32 or values.size < _SMALL:
            continue
        graph.initializer.remove(tensor)
        small = numpy_helper.from_array(values.astype(np.float16), f"{tensor.name}.half")
        graph.initializer.append(small)
        widen = helper.make_node("Cast", [small.name], [tensor.name], to=TensorProto.FLOAT)
        graph.node.insert(0, widen)
