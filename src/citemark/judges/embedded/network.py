"""The shipped network: a small language model reads each passage, a head weighs them.

The head also knows what the feature table says of a source.

A passage is read after the query and by itself, and every token is rounded by its own scale: its
vector does not depend on the other passages. Leaving one out, to see what rests on it, costs no
more than another run of the head.
"""

from __future__ import annotations

import io
import os
import zlib
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.resources import files
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from citemark.judges.embedded.passages import Passage
from citemark.judges.embedded.tokens import Layout, Text, layout_of, text_of

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

Floats = NDArray[np.float32]
_AT_ONCE = 400
"""Tokens that the reader takes in one go, more or less: long answers need no more memory."""
_TURN = 100_000.0
_SHARED = 3
"""So many heads share what they look at."""
_HALF = 32
"""So many numbers of each head are turned against as many others."""
_ROOM = 4_000
"""Passages, counted once for each source, that the head weighs in one go."""


class Network:
    """Both parts of the network, ready to run; several threads may share it."""

    def __init__(self) -> None:
        self._reader = _session("reader.onnx", _arrays("reader.npz.z"))
        self._head = _session("head.onnx")
        self._pool = ThreadPoolExecutor(min(2, os.cpu_count() or 1), "citemark-reader")

    def read(self, query: str, passages: Sequence[Passage]) -> Floats:
        """Read every passage after the query: (passages, width)."""
        text = text_of(query, passages)
        # Passages of like length together: they look at each other's gaps otherwise.
        order = sorted(range(len(passages)), key=lambda i: len(text.passages[i]))
        parts = _parts(order, text)
        texts = [Text(text.lead, tuple(text.passages[i] for i in part)) for part in parts]
        vectors: dict[int, Floats] = {}
        for part, found in zip(parts, self._pool.map(self._run, texts), strict=True):
            vectors |= dict(zip(part, found, strict=True))
        return np.stack([vectors[i] for i in range(len(passages))])

    def _run(self, text: Text) -> Floats:
        """The vectors of a text's passages; the query, which comes first, has one too."""
        (found,) = self._reader.run(None, inputs_of(layout_of([text])))
        return np.asarray(found, dtype=np.float32)[1:]

    def levels(
        self, vectors: Floats, roles: Floats, live: NDArray[np.bool_], features: Floats
    ) -> Floats:
        """The 25 levels of each row: a source with its features and what is there for it."""
        step = max(1, _ROOM // max(1, len(vectors)))
        found = []
        for i in range(0, len(roles), step):
            some = slice(i, i + step)
            every = np.broadcast_to(vectors, (len(roles[some]), *vectors.shape))
            inputs = {
                "vectors": np.ascontiguousarray(every),
                "roles": roles[some],
                "live": live[some],
                "features": features[some],
            }
            found.append(np.asarray(self._head.run(None, inputs)[0], dtype=np.float32))
        return np.concatenate(found)


def _parts(order: Sequence[int], text: Text) -> list[list[int]]:
    """Passages that are read in one go: half of them, in long answers fewer.

    It is the same on every machine, however many cores there are.
    """
    room = min(_AT_ONCE, sum(map(len, text.passages)) / 2)
    parts: list[list[int]] = []
    tokens = room
    for i in order:
        if tokens >= room:
            parts.append([])
            tokens = 0
        parts[-1].append(i)
        tokens += len(text.passages[i])
    return parts


def inputs_of(layout: Layout) -> dict[str, NDArray[np.generic]]:
    """What the reader's file takes."""
    pace = _TURN ** -(np.arange(_HALF) / _HALF)
    angle = layout.places[:, None, None] * pace
    pooled = np.zeros((len(layout.lengths), len(layout.ids)), dtype=np.float32)
    pooled[layout.rows, np.arange(len(layout.ids))] = 1 / layout.lengths[layout.rows]
    return {
        "ids": layout.ids,
        "cos": np.cos(angle).astype(np.float32),
        "sin": np.sin(angle).astype(np.float32),
        "own": layout.own,
        "keys": layout.keys,
        "hidden": np.tile(layout.hidden, (1, _SHARED, 1))[:, None],
        "back": layout.back,
        "last": layout.last,
        "lead": layout.lead,
        "pooled": pooled,
    }


def _arrays(name: str) -> dict[str, NDArray[Any]]:
    """The arrays of a packed file of the package."""
    plain = zlib.decompress((files("citemark.judges.embedded") / "model" / name).read_bytes())
    with np.load(io.BytesIO(plain), allow_pickle=False) as data:
        return {array: data[array] for array in data.files}


def _session(name: str, arrays: Mapping[str, NDArray[Any]] | None = None) -> InferenceSession:
    """A file of the package, ready to run; large arrays may be brought along."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    # Threads that share each small step of the work wait for each other most of the time.
    options.intra_op_num_threads = 1
    if arrays:
        values = [onnxruntime.OrtValue.ortvalue_from_numpy(array) for array in arrays.values()]
        options.add_external_initializers(list(arrays), values)
    data = (files("citemark.judges.embedded") / "model" / name).read_bytes()
    return onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])


_LOADING = Lock()


@cache
def _bundled() -> Network:
    return Network()


def network() -> Network:
    """The network in the package, loaded once, however many threads ask for it."""
    with _LOADING:
        return _bundled()
