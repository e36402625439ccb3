"""The reader's weights, unpacked: they are kept in 4 bits and multiplied in 8.

A matrix is kept as whole numbers from -8 to 7, in blocks of 32 with a scale each. The few inputs
of it that are far larger than the others are multiplied in full precision, all others in whole
numbers of 8 bits, of which weights use 7: more could run over on older processors.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import as_file, files
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Arrays = dict[str, NDArray[Any]]
BLOCK = 32
MOST = 63
"""The largest weight in 8 bits."""
PACKED, SCALE, LARGE = ".packed", ".scale", ".large"
"""What is kept of a matrix: two numbers a byte, the scales of its blocks, its large inputs."""
BYTES, STEP, WIDE, SMALL = ".bytes", ".step", ".wide", ".small"
"""What is made of it: all but the large inputs in bytes, the step of each output, the large
inputs' weights, and 1 where an input is not large."""


def packed(whole: NDArray[Any]) -> NDArray[np.uint8]:
    """Numbers from -8 to 7, two a byte: the first half of the rows in the lower bits."""
    raised = (whole + 8).astype(np.uint8)
    half = len(raised) // 2
    return np.asarray(raised[:half] | raised[half:] << 4, dtype=np.uint8)


def unpacked(data: NDArray[np.uint8], scale: NDArray[np.floating[Any]]) -> Floats:
    """The matrix again."""
    whole = np.empty((2, *data.shape), dtype=np.int8)
    np.bitwise_and(data, 15, out=whole[0], casting="unsafe")
    np.right_shift(data, 4, out=whole[1], casting="unsafe")
    whole -= 8
    blocks = whole.reshape(len(scale), BLOCK, -1)
    return (blocks * scale.astype(np.float32)[:, None]).reshape(-1, data.shape[1])


def as_multiplied(name: str, kept: Arrays) -> Arrays:
    """What is multiplied of a matrix that is kept."""
    weight, large = unpacked(kept[name + PACKED], kept[name + SCALE]), kept[name + LARGE]
    wide, small = weight[large], np.ones(len(weight), dtype=np.float32)
    weight[large] = small[large] = 0
    step = np.maximum(np.maximum(weight.max(0), -weight.min(0)), 1e-9) / np.float32(MOST)
    weight /= step
    np.rint(weight, out=weight)
    return {
        name + BYTES: weight.astype(np.int8),
        name + STEP: step,
        name + WIDE: wide,
        name + SMALL: small,
    }


def bundled() -> Arrays:
    """All arrays of the reader that the package ships, ready to be multiplied."""
    place = files("citemark.judges.embedded") / "model" / "reader.npz"
    with as_file(place) as path, np.load(path, allow_pickle=False) as data:
        matrices = [name.removesuffix(PACKED) for name in data.files if name.endswith(PACKED)]
        rest = {n: data[n] for n in data.files if not n.endswith((PACKED, SCALE, LARGE))}

        def read() -> Iterator[Arrays]:
            for name in matrices:
                yield {name + kind: data[name + kind] for kind in (PACKED, SCALE, LARGE)}

        with ThreadPoolExecutor(2) as pool:
            for found in pool.map(as_multiplied, matrices, read()):
                rest |= found
    return rest
