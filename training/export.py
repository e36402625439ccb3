"""The fitted network as the two files that the package ships.

Only the storage is small: weights are kept in 16 bits and the word table in 8, and the runtime
widens them when it loads them. All arithmetic is in 32 bits, so a score depends neither on what
else is read beside a sentence nor on the kind of processor, as with 8-bit arithmetic it would.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor, nn

from citemark.judges.embedded.passages import ROLES
from training.fit_network import SURPRISE
from training.network import Encoder, Head

_OPSET = 20
_SMALL = 4096
"""Arrays with fewer numbers than this are left as they are."""


class _Reader(nn.Module):
    """The encoder from tokens to what the head needs of each passage: once, for all sources."""

    def __init__(self, encoder: Encoder, head: Head) -> None:
        super().__init__()
        self.encoder, self.sentence = encoder, head.sentence

    def forward(self, ids: Tensor, live: Tensor, passage: Tensor) -> tuple[Tensor, Tensor]:
        """Tokens in; out come a vector per passage and the surprise at each token."""
        vectors, surprise = self.encoder.upper(self.encoder.lower(ids, live), live, passage)
        return self.sentence(vectors), surprise * SURPRISE


class _Weigher(nn.Module):
    """The head without its first step, which the reader has taken."""

    def __init__(self, head: Head) -> None:
        super().__init__()
        self.head = head

    def forward(self, vectors: Tensor, roles: Tensor, live: Tensor, features: Tensor) -> Tensor:
        """Passages, roles and features in, 25 levels out."""
        return self.head.weigh(vectors, roles, live, features)


def export(encoder: Encoder, head: Head, folder: Path) -> None:
    """Write encoder.onnx and head.onnx into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    ids, live = torch.zeros((2, 9), dtype=torch.int64), torch.ones((2, 9), dtype=torch.bool)
    _write(
        _Reader(encoder, head).eval(),
        (ids, live, live),
        folder / "encoder.onnx",
        {name: {0: "rows", 1: "tokens"} for name in ("ids", "live", "passage")},
        {"vectors": {0: "rows"}, "surprise": {0: "rows", 1: "tokens"}},
    )
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
    looked_up = {node.input[0] for node in graph.node if node.op_type == "Gather"}
    nodes: list[onnx.NodeProto] = []
    for tensor in list(graph.initializer):
        values = numpy_helper.to_array(tensor)
        if values.dtype != np.float32 or values.size < _SMALL:
            continue
        graph.initializer.remove(tensor)
        if tensor.name in looked_up:
            _as_bytes(graph, nodes, tensor.name, values)
        else:
            small = numpy_helper.from_array(values.astype(np.float16), f"{tensor.name}.half")
            graph.initializer.append(small)
            nodes.append(_widened(small.name, tensor.name))
    for node in reversed(nodes):
        graph.node.insert(0, node)


def _widened(small: str, wide: str) -> onnx.NodeProto:
    return helper.make_node("Cast", [small], [wide], to=TensorProto.FLOAT)


def _as_bytes(
    graph: onnx.GraphProto, nodes: list[onnx.NodeProto], name: str, values: NDArray[np.float32]
) -> None:
    """A table of vectors: each row as bytes and a scale."""
    scale = np.abs(values).max(1, keepdims=True) / 127 + 1e-12
    rows = np.rint(values / scale).astype(np.int8)
    graph.initializer.append(numpy_helper.from_array(rows, f"{name}.bytes"))
    graph.initializer.append(numpy_helper.from_array(scale.astype(np.float32), f"{name}.scale"))
    nodes.append(_widened(f"{name}.bytes", f"{name}.wide"))
    nodes.append(helper.make_node("Mul", [f"{name}.wide", f"{name}.scale"], [name]))
