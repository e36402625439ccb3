"""The shipped network: a small language model reads each passage, a head weighs them.

The head also knows what the feature table says of a source.

A passage is read after the query and by itself, and every token is rounded by its own scale: its
vector does not depend on the other passages. Leaving one out, to see what rests on it, costs no
more than another run of the head.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from citemark.judges.embedded.passages import Passage
from citemark.judges.embedded.reader_weights import bundled
from citemark.judges.embedded.tokens import Layout, Text, layout_of, text_of

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

Floats = NDArray[np.float32]
_AT_ONCE = 1_500
"""Tokens that the reader takes in one go, more or less: long answers need no more memory."""
_TURN = 100_000.0
_SHARED = 3
"""So many heads share what they look at."""
_HALF = 32
"""So many numbers of each head are turned against as many others."""
_ROOM = 4_000
"""Passages, counted once for each source, that the head weighs in one go."""


@dataclass(frozen=True, slots=True)
class Read:
    """The passages of an answer as the reader has read them."""

    vectors: Floats
    """(passages, width)."""
    surprise: tuple[Floats, ...]
    """How surprising each token of each passage is."""


class Network:
    """Both parts of the network, ready to run; several threads may share it."""

    def __init__(self) -> None:
        self._reader = _session("reader.onnx", bundled())
        self._head = _session("head.onnx")

    def read(self, query: str, passages: Sequence[Passage]) -> Read:
        """Read every passage after the query."""
        text = text_of(query, passages)
        # Passages of like length together: they look at each other's gaps otherwise.
        order = sorted(range(len(passages)), key=lambda i: len(text.passages[i]))
        vectors: dict[int, Floats] = {}
        surprise: dict[int, Floats] = {}
        for some in _parts(order, text):
            part = Text(text.lead, tuple(text.passages[i] for i in some))
            found, costs = self._reader.run(None, inputs_of(layout_of([part])))
            ends = np.cumsum([len(part.lead), *map(len, part.passages)])[:-1]
            vectors |= dict(zip(some, np.asarray(found, dtype=np.float32)[1:], strict=True))
            surprise |= dict(zip(some, np.split(np.asarray(costs), ends)[1:], strict=True))
        every = range(len(passages))
        return Read(np.stack([vectors[i] for i in every]), tuple(surprise[i] for i in every))

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
    """Passages that are read in one go."""
    parts: list[list[int]] = [[]]
    tokens = 0
    for i in order:
        if parts[-1] and tokens + len(text.passages[i]) > _AT_ONCE:
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
        "before": layout.before,
        "pooled": pooled,
    }


def _session(name: str, arrays: Mapping[str, NDArray[Any]] | None = None) -> InferenceSession:
    """A file of the package, ready to run; large arrays may be brought along."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = min(2, os.cpu_count() or 1)
    # Threads that wait by spinning take the core from whoever counts features meanwhile.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
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
