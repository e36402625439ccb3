"""Trust: one line for people on how far the scores of an embedded judge agree with an LLM's.

The figures stand in ``model/trust.toml``, which training writes with the model.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

GUIDE = "docs/embedded-judge.md"


@cache
def _tiers() -> dict[str, dict[str, float]]:
    place = files("citemark.judges.embedded") / "model" / "trust.toml"
    found: dict[str, dict[str, float]] = tomllib.loads(place.read_text(encoding="utf-8"))["tiers"]
    return found


def trust_of(tier: str) -> str:
    """How far to trust a tier, in one line.

    >>> trust_of("embedded:fast").endswith("see docs/embedded-judge.md")
    True
    """
    figures = _tiers()[tier]
    with_it, itself = _short(figures["spearman"]), _short(figures["itself"])
    agreement = f"rank agreement with it {with_it} on new queries (its own: {itself})"
    return f"fitted to a frontier LLM; {agreement}; see {GUIDE}"


def _short(figure: float) -> str:
    """A correlation as papers print it: .66."""
    return f"{figure:.2f}".replace("0.", ".", 1)
