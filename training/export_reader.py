"""The reader as files for the runtime: what is done (reader.onnx) and with what (reader.npz).

Every token is rounded by a scale of its own, so what a passage gives does not depend on what is
read beside it. A few inputs of each matrix are far larger than the others and would spoil that
scale: which ones is found on made cases, and they are multiplied in full precision.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor, nn
from torch.nn import functional
from torch.overrides import TorchFunctionMode

from citemark.judges.embedded.reader_weights import (
    BLOCK,
    BYTES,
    LARGE,
    PACKED,
    SCALE,
    SMALL,
    STEP,
    WIDE,
    as_multiplied,
    packed,
)
from citemark.judges.embedded.tokens import Text, layout_of
from training.fit_network import SURPRISE
from training.kept import write_arrays
from training.language_model import HEADS, KEYS, SIZE, WIDTH, language_model
from training.reader import LAYERS, MATRICES, WORDS, Layer, Reader, in_four_bits

Inputs = Mapping[str, Tensor]
"""How large each input of each matrix can be."""
_OPSET = 20
_LARGEST = 32
"""So many inputs of each matrix are multiplied in full precision."""
_ZERO = 128
_LEAST = 1e-5
_ASK = (HEADS + KEYS) * SIZE
_SHARED = HEADS // KEYS
_INPUTS = {
    "ids": (TensorProto.INT64, ["tokens"]),
    "cos": (TensorProto.FLOAT, ["tokens", 1, SIZE // 2]),
    "sin": (TensorProto.FLOAT, ["tokens", 1, SIZE // 2]),
    "own": (TensorProto.INT64, ["rows", "width"]),
    "keys": (TensorProto.INT64, ["rows", "seen"]),
    "hidden": (TensorProto.FLOAT, ["rows", 1, "heads", "seen"]),
    "back": (TensorProto.INT64, ["tokens"]),
    "last": (TensorProto.INT64, ["rows"]),
    "lead": (TensorProto.INT64, ["rows"]),
    "before": (TensorProto.INT64, ["tokens"]),
    "pooled": (TensorProto.FLOAT, ["rows", "tokens"]),
}


class _Watching(TorchFunctionMode):
    """Sees what is multiplied with a matrix, one after another."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Tensor] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Note the largest value of each input."""
        if func is functional.linear:
            self.seen.append(args[0].float().abs().amax(0))
        return func(*args, **(kwargs or {}))


def inputs_of(reader: Reader, texts: Sequence[Text]) -> Inputs:
    """How large the inputs of each matrix are when some texts are read."""
    names = [f"layer{i}.{part}" for i in range(LAYERS) for part in MATRICES]
    found: dict[str, Tensor] = {}
    for text in texts:
        layout = layout_of([text])
        with torch.no_grad(), _Watching() as watching:
            reader.upper(reader.lower(layout), layout)
        # The last one is the guess of surprise.
        for name, most in zip(names, watching.seen[:-1], strict=True):
            found[name] = torch.maximum(found[name], most) if name in found else most
    return found


def write_reader(reader: Reader, sentence: nn.Linear, inputs: Inputs, folder: Path) -> None:
    """Write reader.onnx and reader.npz: tokens in, a vector for each row and surprises out."""
    graph = _Graph(inputs)
    x = _words(graph)
    for number, layer in enumerate(reader.layers):
        x = _layer(graph, f"layer{number}", cast(Layer, layer), x)
    x = graph.level(x, "norm", reader.norm)
    ends = graph.do("Gather", x, "last")
    mean = graph.do("MatMul", "pooled", x)
    vectors = graph.do("Concat", ends, mean, graph.do("Gather", ends, "lead"), axis=1)
    graph.linear("vectors", vectors, sentence.weight, sentence.bias)
    both = graph.do("Concat", x, graph.do("Gather", x, "before"), axis=1)
    guess = reader.surprise
    graph.linear("guesses", both, guess.weight * SURPRISE, guess.bias * SURPRISE)
    graph.do("Reshape", "guesses", graph.whole([-1]), out="surprise")
    results: dict[str, list[object]] = {
        "vectors": ["rows", sentence.out_features],
        "surprise": ["tokens"],
    }
    (folder / "reader.onnx").write_bytes(graph.serialised(results))
    write_arrays(folder / "reader.npz", graph.kept)


class _Graph:
    """Nodes, and the arrays that they need."""

    def __init__(self, inputs: Inputs) -> None:
        self.kept: dict[str, NDArray[Any]] = {}
        self._inputs = inputs
        self._nodes: list[onnx.NodeProto] = []
        self._known: dict[str, onnx.TensorProto] = {}

    def do(self, kind: str, *given: str, out: str | None = None, **options: object) -> str:
        """A node with one result: its name."""
        name = out or f"n{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, list(given), [name], **options))
        return name

    def split(self, x: str, count: int) -> list[str]:
        """Equal parts along the last axis."""
        names = [f"n{len(self._nodes)}_{i}" for i in range(count)]
        self._nodes.append(helper.make_node("Split", [x], names, axis=-1, num_outputs=count))
        return names

    def _constant(self, values: NDArray[Any], name: str) -> str:
        """A small array that stands in the graph: its name."""
        self._known.setdefault(name, numpy_helper.from_array(values, name))
        return name

    def _beside(self, name: str, values: NDArray[Any]) -> str:
        """An array that the runtime brings along."""
        found = onnx.TensorProto(name=name, dims=values.shape)
        found.data_type = helper.np_dtype_to_tensor_dtype(values.dtype)
        found.data_location = TensorProto.EXTERNAL
        found.external_data.add(key="location", value="reader.npz")
        self._known[name] = found
        return name

    def whole(self, values: Sequence[int]) -> str:
        """A list of whole numbers, such as a shape."""
        return self._constant(np.array(values, dtype=np.int64), f"whole {values}")

    def number(self, value: float) -> str:
        """A single number."""
        return self._constant(np.array(value, dtype=np.float32), f"number {value}")

    def byte(self, value: int) -> str:
        """A whole number of 8 bits."""
        return self._constant(np.array(value, dtype=np.uint8), f"byte {value}")

    def nothing(self, width: int) -> str:
        """A row of zeros."""
        return self._constant(np.zeros((1, width), dtype=np.float32), f"nothing {width}")

    def half(self, name: str, weight: Tensor) -> str:
        """An array that is kept in 16 bits."""
        self.kept[name] = weight.detach().numpy().astype(np.float16)
        return self.do("Cast", self._beside(name, self.kept[name]), to=TensorProto.FLOAT)

    def linear(self, out: str, x: str, weight: Tensor, bias: Tensor) -> str:
        """A small layer in full precision."""
        matrix, less = self.half(f"{out}.weight", weight), self.half(f"{out}.bias", bias)
        return self.do("Gemm", x, matrix, less, out=out, transB=1)

    def level(self, x: str, name: str, weight: Tensor) -> str:
        """Tokens brought to one size."""
        mean = self.do("ReduceMean", self.do("Pow", x, self.number(2)), self.whole([-1]))
        size = self.do("Sqrt", self.do("Add", mean, self.number(_LEAST)))
        return self.do("Mul", self.do("Div", x, size), self.half(name, weight))

    def rounded(self, x: str) -> tuple[str, str]:
        """Tokens in whole numbers, and the scale of each."""
        most = self.do("ReduceMax", self.do("Abs", x), self.whole([-1]))
        scale = self.do("Mul", self.do("Max", most, self.number(1e-6)), self.number(1 / 127))
        near = self.do("Round", self.do("Div", x, scale))
        raised = self.do("Add", near, self.number(_ZERO))
        return self.do("Cast", raised, to=TensorProto.UINT8), scale

    def through(self, x: str, name: str, weight: Tensor) -> str:
        """Tokens times a matrix."""
        large = np.sort(self._inputs[name].topk(_LARGEST).indices.numpy())
        kept = {**_in_halves(name, weight), name + LARGE: large}
        self.kept |= kept
        for made, array in as_multiplied(name, kept).items():
            self._beside(made, array)
        small, scale = self.rounded(self.do("Mul", x, name + SMALL))
        product = self.do("MatMulInteger", small, name + BYTES, self.byte(_ZERO))
        found = self.do("Mul", self.do("Cast", product, to=TensorProto.FLOAT), scale)
        found = self.do("Mul", found, name + STEP)
        most = self.do("Gather", x, self._constant(large, name + LARGE), axis=1)
        return self.do("Add", found, self.do("MatMul", most, name + WIDE))

    def serialised(self, results: dict[str, list[object]]) -> bytes:
        """The graph as a file."""
        graph = helper.make_graph(
            self._nodes,
            "reader",
            [helper.make_tensor_value_info(n, t, s) for n, (t, s) in _INPUTS.items()],
            [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in results.items()],
            list(self._known.values()),
        )
        opset = helper.make_opsetid("", _OPSET)
        model = helper.make_model(graph, opset_imports=[opset], ir_version=9)
        return bytes(model.SerializeToString(deterministic=True))


def _in_halves(name: str, weight: Tensor) -> dict[str, NDArray[Any]]:
    """A matrix as it is kept: 4 bits and scales, inputs first."""
    rows, columns = weight.shape
    whole, scale = in_four_bits(weight.detach())
    scales = np.ascontiguousarray(scale.view(rows, -1).numpy().T)
    numbers = np.ascontiguousarray(whole.view(rows, columns).numpy().T)
    return {name + PACKED: packed(numbers), name + SCALE: scales.astype(np.float16)}


def _words(graph: _Graph) -> str:
    """The tokens' vectors: only those that occur are unpacked."""
    whole, scale = in_four_bits(language_model().weights["token_embd.weight"][:WORDS])
    rows = packed(np.ascontiguousarray(whole.view(WORDS, WIDTH).numpy().T)).T
    graph.kept |= {
        "words": np.ascontiguousarray(rows),
        "words.scales": scale.view(WORDS, -1).half().numpy(),
    }
    found = graph.do("Gather", graph._beside("words", graph.kept["words"]), "ids")
    low = graph.do("BitwiseAnd", found, graph.byte(15))
    high = graph.do("BitShift", found, graph.byte(4), direction="RIGHT")
    both = graph.do("Cast", graph.do("Concat", low, high, axis=-1), to=TensorProto.FLOAT)
    parts = graph.do("Sub", both, graph.number(8))
    parts = graph.do("Reshape", parts, graph.whole([0, WIDTH // BLOCK, BLOCK]))
    scales = graph._beside("words.scales", graph.kept["words.scales"])
    scales = graph.do("Cast", graph.do("Gather", scales, "ids"), to=TensorProto.FLOAT)
    scaled = graph.do("Mul", parts, graph.do("Unsqueeze", scales, graph.whole([2])))
    return graph.do("Reshape", scaled, graph.whole([0, WIDTH]))


def _layer(graph: _Graph, name: str, layer: Layer, x: str) -> str:
    both = graph.through(graph.level(x, f"{name}.first", layer.first), f"{name}.asked", layer.asked)
    x = graph.do("Add", x, graph.through(_look(graph, both), f"{name}.mixed", layer.mixed))
    level = graph.level(x, f"{name}.second", layer.second)
    gate, up = graph.split(graph.through(level, f"{name}.inner", layer.inner), 2)
    inner = graph.do("Mul", graph.do("Mul", gate, graph.do("Sigmoid", gate)), up)
    return graph.do("Add", x, graph.through(inner, f"{name}.outer", layer.outer))


def _look(graph: _Graph, both: str) -> str:
    """Tokens look at the query and at what stands before them in their passage."""
    axis = graph.whole([1])

    def columns(x: str, start: int, stop: int) -> str:
        return graph.do("Slice", x, graph.whole([start]), graph.whole([stop]), axis)

    def with_none(x: str, width: int) -> str:
        return graph.do("Concat", x, graph.nothing(width), axis=0)

    heads = graph.do("Reshape", columns(both, 0, _ASK), graph.whole([0, HEADS + KEYS, SIZE]))
    left, right = graph.split(heads, 2)
    turned = graph.do(
        "Concat",
        graph.do("Sub", graph.do("Mul", left, "cos"), graph.do("Mul", right, "sin")),
        graph.do("Add", graph.do("Mul", left, "sin"), graph.do("Mul", right, "cos")),
        axis=-1,
    )
    flat = graph.do("Reshape", turned, graph.whole([0, _ASK]))
    query = with_none(columns(flat, 0, WIDTH), WIDTH)
    query = graph.do("Gather", query, "own")
    query = graph.do("Reshape", query, graph.whole([0, 0, KEYS, _SHARED, SIZE]))
    query = graph.do("Transpose", query, perm=[0, 2, 3, 1, 4])
    query = graph.do("Reshape", query, graph.whole([0, 0, -1, SIZE]))

    def known(x: str, *order: int) -> str:
        rows = graph.do("Gather", with_none(x, KEYS * SIZE), "keys")
        apart = graph.do("Reshape", rows, graph.whole([0, 0, KEYS, SIZE]))
        return graph.do("Transpose", apart, perm=list(order))

    key = known(columns(flat, WIDTH, _ASK), 0, 2, 3, 1)
    value = known(columns(both, _ASK, _ASK + KEYS * SIZE), 0, 2, 1, 3)
    near = graph.do("Mul", graph.do("MatMul", query, key), graph.number(SIZE**-0.5))
    part = graph.do("Softmax", graph.do("Add", near, "hidden"), axis=-1)
    found = graph.do("MatMul", part, value)
    found = graph.do("Reshape", found, graph.whole([0, 0, _SHARED, -1, SIZE]))
    found = graph.do("Transpose", found, perm=[0, 3, 1, 2, 4])
    flat_found = graph.do("Reshape", found, graph.whole([-1, WIDTH]))
    return graph.do("Gather", flat_found, "back")
