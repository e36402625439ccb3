"""Made-up answers for the benchmarks, as dense in sentences and markers as real ones.

Real answers have about 9 sentences and 12 markers in 200 words; so do these.
"""

from __future__ import annotations

import random

_WORDS = """
    solar panel output energy grid storage cost winter heat pump policy household measured average
    although because research shows between region climate model carbon market insulation radiator
    temperature efficiency survey owners report season electricity price supply demand building the
    a of in and to with for that it was were is are more than less about by from on this which
""".split()


def answer(rng: random.Random, *, words: int = 200, sources: int = 7) -> str:
    """One answer of about this many words that cites this many sources."""
    parts: list[str] = []
    count = 0
    while count < words:
        length = min(rng.randint(12, 32), max(6, words - count))
        text = " ".join(rng.choices(_WORDS, k=length)).capitalize()
        markers = "".join(f"[{n}]" for n in _cited(rng, sources))
        parts.append(f"{text} {markers}." if markers else f"{text}.")
        count += length
        if rng.random() < 0.2:
            parts.append("\n\n")
    return " ".join(parts)


def _cited(rng: random.Random, sources: int) -> list[int]:
    many = rng.choices((0, 1, 2, 3), weights=(15, 50, 25, 10))[0]
    return sorted(rng.sample(range(1, sources + 1), many))


def case(rng: random.Random, number: int, *, sources: int = 7) -> dict[str, object]:
    """One case with its sources listed."""
    return {
        "id": f"case-{number}",
        "query": "How well do heat pumps work in winter?",
        "answer": answer(rng, sources=sources),
        "sources": [
            {"n": n, "url": f"https://example.org/page-{n}", "title": f"Page {n}"}
            for n in range(1, sources + 1)
        ],
    }
