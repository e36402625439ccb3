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
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional

from citemark.citations import parse_answer
from citemark.judges.embedded.passages import passages_of
from citemark.judges.embedded.tokens import Text, layout_of
from training.judged import JudgedCase, load
from training.language_model import LAYERS, SIZE, language_model
from training.reader import Seen, level

Floats = NDArray[np.float32]
Surprises = Mapping[str, Sequence[Floats]]
"""Of each case, the surprise at each token of each of its passages."""

_LONGEST = 110
_EVERY = 20


@cache
def _layers() -> list[dict[str, Tensor]]:
    """The weights of all layers, in 16 bits: the file had fewer still."""
    found: list[dict[str, Tensor]] = [{} for _ in range(LAYERS)]
    for name, weight in language_model().weights.items():
        if name.startswith("blk."):
            _, number, part, _ = name.split(".")
            found[int(number)][part] = weight if weight.ndim < 2 else weight.bfloat16()
    return found


@cache
def _tokenizer() -> Tokenizer:
    return language_model().tokenizer()


def surprises(lead: str, texts: Sequence[str]) -> list[Floats]:
    """Minus the log probability of each token of each text after the lead."""
    encoded = _tokenizer().encode_batch([lead, *(f" {text}" for text in texts)])
    before, *said = (tuple(one.ids) for one in encoded)
    layout = layout_of([Text(before, tuple(ids[:_LONGEST] for ids in said))])
    seen, table = Seen(layout), language_model().weights["token_embd.weight"]
    with torch.no_grad():
        ids = torch.from_numpy(layout.ids)
        x = table[ids]
        for layer in _layers():
            x = _next(x, seen, layer)
        hidden = level(x, language_model().weights["output_norm.weight"])
        # The lead itself is not asked about.
        own = slice(len(before), None)
        chances = functional.linear(hidden[torch.from_numpy(layout.before)][own], _table())
        costs = -chances.float().log_softmax(-1).gather(1, ids[own][:, None])[:, 0].numpy()
    return np.split(costs, np.cumsum(layout.lengths[1:])[:-1])


@cache
def _table() -> Tensor:
    return language_model().weights["token_embd.weight"].bfloat16()


def _next(x: Tensor, seen: Seen, layer: Mapping[str, Tensor]) -> Tensor:
    normal = level(x, layer["attn_norm"])
    asked = (functional.linear(normal, layer[name]) for name in ("attn_q", "attn_k", "attn_v"))
    query, key, value = asked
    query, key = (seen.turn(t.view(len(x), -1, SIZE)).reshape(len(x), -1) for t in (query, key))
    x = x + functional.linear(seen.look(query, torch.cat([key, value], 1)), layer["attn_output"])
    normal = level(x, layer["ffn_norm"])
    gate = functional.silu(functional.linear(normal, layer["ffn_gate"]))
    up = functional.linear(normal, layer["ffn_up"])
    return x + functional.linear(gate * up, layer["ffn_down"])


def per_piece(text: str, costs: Floats, ends: Sequence[int]) -> Floats:
    """The surprise at a text's tokens, summed over the pieces of another tokenizer.

    ``ends`` is where each of those pieces ends in the text; NaN where nothing is known.
    """
    offsets = _tokenizer().encode(text).offsets[: len(costs)]
    found = np.full(len(ends), np.nan, dtype=np.float32)
    at = 0
    for piece, end in enumerate(ends):
        total, any_token = 0.0, False
        while at < len(offsets) and offsets[at][1] <= end:
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
            costs = surprises(f"Question: {case.query}\nAnswer:", new)
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
