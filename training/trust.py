"""How far each tier can be trusted: the figures that the judge states of itself in one line."""

from __future__ import annotations

import tomllib
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "src" / "citemark" / "judges" / "embedded" / "model"
ITSELF = 0.92
"""The rank correlation of the LLM's second pass with its first."""
_OPENING = """\
# Written by training: the mean Spearman correlation over the five metrics with the LLM judge,
# cross-validated by query; "itself" is that of the LLM's second pass with its first.
"""


def write(
    tier: str,
    spearman: float,
    *,
    itself: float = ITSELF,
    folder: Path = FOLDER,
) -> None:
    """Set the figures of one tier and keep those of the others."""
    path = folder / "trust.toml"
    tiers = tomllib.loads(path.read_text(encoding="utf-8"))["tiers"] if path.is_file() else {}
    tiers[tier] = {"spearman": round(spearman, 2), "itself": round(itself, 2)}
    parts = [_OPENING]
    for name in sorted(tiers):
        figures = tiers[name]
        head = f"[tiers.{name}]" if name.isidentifier() else f'[tiers."{name}"]'
        parts.append(f"{head}\nspearman = {figures['spearman']}\nitself = {figures['itself']}\n")
    path.write_text("\n".join(parts), encoding="utf-8")
