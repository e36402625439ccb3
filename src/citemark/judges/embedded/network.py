"""The shipped network: a small transformer reads each passage with the query, a head weighs them.

The head also knows what the feature table says of a source.

The passages of one case are read together and no others, so that a case always gets the same
numbers. A passage's vector does not depend on the other passages: leaving one out, to see what
rests on it, costs no more than another run of the head.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from citemark.judges.embedded.passages import Passage
from citemark.judges.embedded.tokens import Pairs, pairs_of

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

Floats = NDArray[np.float32]
_AT_ONCE = 24
"""Passages that the encoder reads in one go: long answers need no more memory."""
_ROOM = 4_000
"""Passages, counted once for each source, that the head weighs in one go."""


@dataclass(frozen=True, slots=True)
class Read:
    """The passages of an answer as the encoder has read them."""

    vectors: Floats
    """(passages, width)."""
    surprise: tuple[Floats, ...]
    """How surprising each token of each passage is."""


class Network:
    """Both parts of the network, ready to run; several threads may share it."""

    def __init__(self) -> None:
        self._encoder = _session("encoder.onnx")
        self._head = _session("head.onnx")

    def read(self, query: str, passages: Sequence[Passage]) -> Read:
        """Read every passage with the query."""
        pairs = pairs_of(query, passages)
        # Passages of like length together: padding costs as much as text.
        order = np.argsort(pairs.live.sum(1), kind="stable")
        vectors: list[Floats] = []
        surprise: dict[int, Floats] = {}
        for some in _parts(order):
            found, costs = self._encode(pairs, some)
            vectors.append(found)
            for row, where in zip(some, costs, strict=True):
                own = np.flatnonzero(pairs.passage[row])[:-1]
                surprise[int(row)] = where[own]
        ordered = np.empty((len(order), vectors[0].shape[1]), dtype=np.float32)
        ordered[order] = np.concatenate(vectors)
        return Read(ordered, tuple(surprise[i] for i in range(len(order))))

    def _encode(self, pairs: Pairs, some: NDArray[np.intp]) -> tuple[Floats, Floats]:
        width = int(pairs.live[some].sum(1).max())
        inputs = {
            "ids": pairs.ids[some, :width],
            "live": pairs.live[some, :width],
            "passage": pairs.passage[some, :width],
        }
        vectors, surprise = self._encoder.run(None, inputs)
        return np.asarray(vectors, dtype=np.float32), np.asarray(surprise, dtype=np.float32)

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


def _parts(order: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    return np.array_split(order, max(1, -(-len(order) // _AT_ONCE)))


def _session(name: str) -> InferenceSession:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = min(2, os.cpu_count() or 1)
    # Threads that wait by spinning take the core from whoever counts features meanwhile.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
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
