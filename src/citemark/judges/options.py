"""What a user can set about a judge that asks a model; the defaults are those of the CLI."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from citemark.errors import UsageError

MODES = ("subscores", "direct", "weighted", "sampled", "panel", "sheet")
"""How a model can be asked; ``weighted`` and ``sampled`` ask as ``direct`` does."""


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """How an LLM is asked, where its replies are kept, and how hard to try."""

    mode: str | None = None
    base_url: str | None = None
    samples: int = 8
    temperature: float | str | None = None
    """A number, ``"none"`` to send none, or None for the mode's own."""
    seed: int | None = None
    schema: bool = True
    logprobs: bool = True
    """Whether token probabilities are asked for where the mode can do without them."""
    concurrency: int = 16
    timeout: float = 60.0
    retries: int = 5
    rpm: float | None = None
    tpm: float | None = None
    budget: float | None = None
    """US dollars that this run may cost at the most."""
    store: str | Path | None = None
    fresh: bool = False
    retry_failed: bool = False
    offline: bool = False
    ask: bool = True
    """False where requests are only made, not sent: then no key is needed."""
    first_wait: float = 0.5
    """Seconds before the second attempt, unless the endpoint says; it doubles from there."""
    deadline: float | None = None
    """Seconds that all attempts at one request may take together; None: 600, or as long as all
    attempts may take if that is more."""

    def __post_init__(self) -> None:
        for name, least in (("samples", 1), ("concurrency", 1), ("retries", 0)):
            if getattr(self, name) < least:
                raise UsageError(f"--{name} must be {least} or more")
        for name in ("rpm", "tpm", "budget"):
            limit = getattr(self, name)
            if limit is not None and not limit > 0:
                raise UsageError(f"--{name} must be more than 0")
        for name in ("timeout", "deadline"):
            seconds = getattr(self, name)
            if seconds is not None and not seconds > 0:
                raise UsageError(f"--{name} must be more than 0 seconds")
        if self.fresh and self.offline:
            raise UsageError("--fresh asks everything anew and --offline nothing; choose one")
        if isinstance(self.temperature, str) and self.temperature != "none":
            raise UsageError('--temperature must be a number or "none"')
        if isinstance(self.temperature, int | float) and not 0 <= self.temperature <= 2:
            raise UsageError("--temperature must lie between 0 and 2")
