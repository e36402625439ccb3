"""What a run costs: prices as data, and a budget that is never passed."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from citemark.errors import UsageError
from citemark.judges.llm.endpoint import Endpoint
from citemark.judges.llm.request import Usage

_MILLION = 1_000_000
_DATED = re.compile(r"-(?:\d{4}-\d{2}-\d{2}|\d{8}|latest)$")


@dataclass(frozen=True, slots=True)
class Price:
    """What a model costs, in US dollars per million tokens."""

    prompt: float
    completion: float

    def of(self, usage: Usage) -> float:
        """The cost of so many tokens."""
        return (usage.prompt * self.prompt + usage.completion * self.completion) / _MILLION


FREE = Price(0.0, 0.0)


@cache
def _prices() -> dict[tuple[str, str], Price]:
    text = (files("citemark.judges.llm") / "prices.toml").read_text(encoding="utf-8")
    return {
        (entry["provider"], entry["model"]): Price(entry["prompt"], entry["completion"])
        for entry in tomllib.loads(text)["prices"]
    }


def price_of(endpoint: Endpoint, *, custom_url: bool = False) -> Price | None:
    """The price of a model; None if it is not known, which is not the same as free.

    A model in this process, or on this machine, costs nothing. A dated version costs what
    the model costs.
    """
    provider = endpoint.provider
    if provider.key is None:
        return FREE
    if custom_url:
        return None  # who knows whose server that is
    model = _DATED.sub("", endpoint.model)
    return _prices().get((provider.name, endpoint.model)) or _prices().get((provider.name, model))


def shown(cost: float | None) -> str:
    """A cost for people: ``$0.0123``, or ``cost unknown``."""
    if cost is None:
        return "cost unknown"
    return f"${cost:.2f}" if cost >= 1 else f"${cost:.4f}"


class Purse:
    """Keeps a run within its budget: every call reserves the most it can cost before it is sent."""

    def __init__(self, price: Price | None, budget: float | None = None) -> None:
        if budget is not None and price is None:
            raise UsageError("--budget needs a known price, and this model's price is unknown")
        self.price = price
        self.budget = budget
        self.spent = 0.0
        self._reserved = 0.0

    @property
    def cost(self) -> float | None:
        """What was spent so far; None if the price is not known."""
        return None if self.price is None else self.spent

    def reserve(self, most: Usage) -> bool:
        """Set the cost of a call aside; false if the budget does not allow it."""
        if self.price is None or self.budget is None:
            return True
        cost = self.price.of(most)
        if self.spent + self._reserved + cost > self.budget:
            return False
        self._reserved += cost
        return True

    def release(self, most: Usage) -> None:
        """Give back what was set aside for a call that is over."""
        if self.price is not None and self.budget is not None:
            self._reserved -= self.price.of(most)

    def pay(self, usage: Usage) -> None:
        """Note what a call really took."""
        if self.price is not None:
            self.spent += self.price.of(usage)
