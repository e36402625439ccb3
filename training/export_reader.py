"""The reader as files for the runtime: what is done (reader.onnx) and with what (reader.npz.z).

Every token is rounded by a scale of its own, so what a passage gives does not depend on what is
read beside it.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor, nn

from training.kept import archive_arrays
from training.language_model import HEADS, KEYS, SIZE, WIDTH
from training.reader import Layer, Reader
from training.rounding import INPUT, Rounded, words_in_bytes

_OPSET = 20
_RUNTIME = "com.microsoft"
"""Whose operators do several steps at once."""
_ZERO = INPUT + 1
_PARTS = 2 * INPUT + 1
"""What is left of a token is a number of such parts of a step."""
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
    "pooled": (TensorProto.FLOAT, ["rows", "tokens"]),
}


def write_reader(reader: Reader, sentence: nn.Linear, folder: Path) -> None:
    """Write the files of a settled reader: tokens in, a vector for each row out."""
    graph = _Graph()
    x = _words(graph, reader)
    for number, layer in enumerate(reader.layers):
        x = _layer(graph, f"layer{number}", cast(Layer, layer), x)
    x = graph.level(x, "norm", reader.norm)
    ends = graph.do("Gather", x, "last")
    mean = graph.do("MatMul", "pooled", x)
    vectors = graph.do("Concat", ends, mean, graph.do("Gather", ends, "lead"), axis=1)
    graph.linear("vectors", vectors, sentence.weight, sentence.bias)
    found = graph.serialised({"vectors": ["rows", sentence.out_features]})
    (folder / "reader.onnx").write_bytes(found)
    (folder / "reader.npz.z").write_bytes(_packed(graph.kept))


def _packed(arrays: dict[str, NDArray[Any]]) -> bytes:
    """Arrays with few bits for frequent numbers; looking for repetition would only cost room."""
    plain = io.BytesIO()
    archive_arrays(plain, arrays, zipfile.ZIP_STORED)
    packing = zlib.compressobj(9, memLevel=9, strategy=zlib.Z_HUFFMAN_ONLY)
    return packing.compress(plain.getbuffer()) + packing.flush()


class _Graph:
    """Nodes, and the arrays that they need."""

    def __init__(self) -> None:
        self.kept: dict[str, NDArray[Any]] = {}
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

    def beside(self, name: str, values: NDArray[Any]) -> str:
        """An array that the runtime brings along."""
        self.kept[name] = values
        found = onnx.TensorProto(name=name, dims=values.shape)
        found.data_type = helper.np_dtype_to_tensor_dtype(values.dtype)
        found.data_location = TensorProto.EXTERNAL
        found.external_data.add(key="location", value="reader.npz.z")
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
        kept = self.beside(name, weight.detach().numpy().astype(np.float16))
        return self.do("Cast", kept, to=TensorProto.FLOAT)

    def linear(self, out: str, x: str, weight: Tensor, bias: Tensor) -> str:
        """A small layer in full precision."""
        matrix, less = self.half(f"{out}.weight", weight), self.half(f"{out}.bias", bias)
        return self.do("Gemm", x, matrix, less, out=out, transB=1)

    def level(self, x: str, name: str, weight: Tensor) -> str:
        """Tokens brought to one size."""
        scale = self.beside(name, weight.detach().numpy())
        return self.do("SimplifiedLayerNormalization", x, scale, axis=-1, epsilon=_LEAST)

    def through(self, x: str, name: str, matrix: Rounded) -> str:
        """Tokens times a matrix, in whole numbers.

        A token is rounded, and what was left over is rounded again: if it were not, digits that
        differ from one processor to the next would become scores that do.
        """
        whole = self.beside(f"{name}.whole", np.ascontiguousarray(matrix.whole.numpy().T))
        step = self.beside(f"{name}.step", matrix.step.numpy())
        most = self.do("ReduceMax", self.do("Abs", x), self.whole([-1]))
        most = self.do("Max", most, self.number(INPUT * 1e-6))
        near = self.do("Mul", x, self.do("Div", self.number(INPUT), most))
        near = self.do("Add", near, self.number(_ZERO + 0.5))
        # What is cast loses what follows the point.
        first = self.do("Cast", near, to=TensorProto.UINT8)
        left = self.do("Sub", near, self.do("Cast", first, to=TensorProto.FLOAT))
        rest = self.do("Mul", left, self.number(_PARTS))
        rest = self.do("Cast", rest, to=TensorProto.UINT8)

        def times(given: str, size: float, zero: int) -> str:
            numbers = (given, whole, self.number(size), step, self.byte(zero))
            return self.do("MatMulIntegerToFloat", *numbers, domain=_RUNTIME)

        sizes = 1 / INPUT, 1 / (INPUT * _PARTS)
        found = self.do("Add", times(first, sizes[0], _ZERO), times(rest, sizes[1], _PARTS // 2))
        return self.do("Mul", found, most)

    def serialised(self, results: dict[str, list[object]]) -> bytes:
        """The graph as a file."""
        graph = helper.make_graph(
            self._nodes,
            "reader",
            [helper.make_tensor_value_info(n, t, s) for n, (t, s) in _INPUTS.items()],
            [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in results.items()],
            list(self._known.values()),
        )
        opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_RUNTIME, 1)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=9)
        return bytes(model.SerializeToString(deterministic=True))


def _words(graph: _Graph, reader: Reader) -> str:
    """The tokens' vectors: only those that occur are widened."""
    table = words_in_bytes(reader.words)
    whole = graph.do("Gather", graph.beside("words", table.whole.numpy()), "ids")
    step = graph.do("Gather", graph.beside("words.step", table.step[:, None].numpy()), "ids")
    return graph.do("Mul", graph.do("Cast", whole, to=TensorProto.FLOAT), step)


def _layer(graph: _Graph, name: str, layer: Layer, x: str) -> str:
    def through(given: str, matrix: str) -> str:
        return graph.through(given, f"{name}.{matrix}", cast(Rounded, layer.settled[matrix]))

    both = through(graph.level(x, f"{name}.first", layer.first), "asked")
    x = graph.do("Add", x, through(_look(graph, both), "mixed"))
    gate, up = graph.split(through(graph.level(x, f"{name}.second", layer.second), "inner"), 2)
    inner = graph.do("Mul", graph.do("QuickGelu", gate, domain=_RUNTIME, alpha=1.0), up)
    return graph.do("Add", x, through(inner, "outer"))


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
