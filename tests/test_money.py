"""Money: prices are data, an unknown price is never 0, and a budget is never passed."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest

import citemark
from citemark.errors import UsageError
from citemark.judges.llm.endpoint import Endpoint, Provider, providers
from citemark.judges.llm.judge import LLMJudge
from citemark.judges.llm.money import FREE, Price, Purse, price_of, shown
from citemark.judges.llm.request import Usage
from citemark.judges.llm.units import Asking
from citemark.store import Store
from loopback import Loopback
from running import A, file, run


def test_every_price_has_a_source_and_a_date() -> None:
    text = (files("citemark.judges.llm") / "prices.toml").read_text(encoding="utf-8")
    entries = tomllib.loads(text)["prices"]
    assert len({(e["provider"], e["model"]) for e in entries}) == len(entries) >= 5
    for entry in entries:
        assert entry["provider"] in providers()
        assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", entry["as_of"])
        assert entry["source"].startswith("https://")
        assert 0 < entry["prompt"] < entry["completion"]


def test_the_price_of_a_model() -> None:
    openai = providers()["openai"]
    mini = price_of(Endpoint(openai, "gpt-4.1-mini"))
    assert mini is not None
    assert mini.of(Usage(1_000_000, 500_000)) == pytest.approx(mini.prompt + mini.completion / 2)
    assert price_of(Endpoint(openai, "gpt-4.1-mini-2025-04-14")) == mini
    assert price_of(Endpoint(openai, "unheard-of")) is None
    assert price_of(Endpoint(openai, "gpt-4.1-mini"), custom_url=True) is None
    assert price_of(Endpoint(providers()["ollama"], "any")) == FREE


def test_a_cost_for_people() -> None:
    assert [shown(None), shown(0.0), shown(0.01234), shown(12.345)] == [
        "cost unknown", "$0.0000", "$0.0123", "$12.35"
    ]  # fmt: skip


def test_a_purse_reserves_before_it_pays() -> None:
    purse = Purse(Price(1.0, 1.0), budget=10.0)
    most = Usage(4_000_000, 0)
    assert purse.reserve(most)
    assert purse.reserve(most)
    assert not purse.reserve(most)  # two are under way; a third might pass the cap
    purse.pay(Usage(1_000_000, 0))
    purse.release(most)
    assert purse.reserve(most)
    assert purse.cost == 1.0


def test_a_budget_without_a_price_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="price is unknown"):
        Purse(None, budget=1.0)
    case = file(tmp_path, "one.jsonl", A)
    done = run("score", str(case), "-j", "openai:m", "--base-url", "http://127.0.0.1:9/v1",
               "--budget", "1")  # fmt: skip
    assert (done.code, "price is unknown" in done.err) == (2, True)


def judge_with(endpoint: Loopback, store: Store, budget: float | None) -> LLMJudge:
    provider = Provider("openai", "OpenAI", endpoint.url, key="OPENAI_API_KEY")
    place = Endpoint(provider, "gpt-4.1-mini", "k")
    return LLMJudge("openai:gpt-4.1-mini", place, Asking(mode="direct"), store, budget=budget)


def test_a_run_stops_before_its_cap_and_goes_on_with_a_larger_one(
    endpoint: Loopback, own_store: Path
) -> None:
    endpoint.respond = lambda _: "14"
    answer = "One fact about tea [1]. Another fact about it [2]. A third one [3]."
    store = Store(own_store)
    small = judge_with(endpoint, store, budget=0.012)
    card = citemark.score(query="What is tea?", answer=answer, judge=small)
    reasons = [j.reason for source in card for j in source.scores.values()]
    assert set(reasons) == {None, "budget"}
    assert 0 < (small.purse.cost or 0) <= 0.012
    asked = len(endpoint.asked)
    assert asked == reasons.count(None)
    large = judge_with(endpoint, store, budget=1.0)
    card = citemark.score(query="What is tea?", answer=answer, judge=large)
    assert card.failed == 0
    assert len(endpoint.asked) == 15  # what was paid for was not asked again
    store.close()


def test_a_dry_run_tells_the_cost(tmp_path: Path) -> None:
    case = file(tmp_path, "one.jsonl", A)
    known = run("score", str(case), "-j", "openai:gpt-4.1-mini", "--dry-run")
    assert re.search(r"; \$0\.\d{4}$", known.out.strip())
    unknown = run("score", str(case), "-j", "openai:new-model", "--dry-run")
    assert unknown.out.strip().endswith("; cost unknown")
