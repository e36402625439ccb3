"""What a run would ask, before anything is asked: calls and tokens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from citemark.judges.llm.judge import LLMJudge
from citemark.judges.llm.modes import units
from citemark.judges.llm.money import Price, shown
from citemark.judges.llm.request import Request, Usage, estimate
from citemark.judges.protocol import Work
from citemark.manifest import counted
from citemark.seen import Seen

_REPLY_TOKENS = {
    "subscores": 90,
    "panel": 440,
    "sheet": 440,
    "direct": 3,
    "weighted": 3,
    "sampled": 3,
}
"""What a reply takes in each mode, for each source asked about, without thinking aloud."""


@dataclass(slots=True)
class Plan:
    """Counts of what a run would do."""

    cases: int = 0
    judgments: int = 0
    calls: int = 0
    in_store: int = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0
    price: Price | None = None

    @property
    def cost(self) -> float | None:
        """About what the run would cost; None if the price is not known."""
        usage = Usage(self.prompt_tokens, self.reply_tokens)
        return None if self.price is None else self.price.of(usage)

    def line(self) -> str:
        """The plan in one line for people."""
        return (
            f"{counted(self.cases, 'case')}, {counted(self.judgments, 'judgment')}:"
            f" {counted(self.calls, 'call')} ({self.in_store} more are in the store),"
            f" about {self.prompt_tokens:,} tokens to send and {self.reply_tokens:,} to receive;"
            f" {shown(self.cost)}"
        )


def planned(judge: LLMJudge, work: Iterable[Work]) -> Plan:
    """Count the calls and estimate the tokens of a run; nothing is asked."""
    plan = Plan(price=judge.purse.price)
    seen = Seen()
    for item in work:
        plan.cases += 1
        plan.judgments += len(item.sources) * len(item.rubrics)
        for request, sources in _requests(judge, item):
            key = request.key(judge.endpoint)
            if not seen.add_key(key):  # the same case twice is asked once
                continue
            if judge.has(request):
                plan.in_store += 1
                continue
            plan.calls += 1
            plan.prompt_tokens += estimate(request)
            plan.reply_tokens += _REPLY_TOKENS[judge.mode] * sources
    return plan


def requests(judge: LLMJudge, work: Iterable[Work]) -> Iterator[Request]:
    """Every request of a run that can be made by what the store has, each once."""
    seen = Seen()
    for item in work:
        for request, _ in _requests(judge, item):
            key = request.key(judge.endpoint)
            if seen.add_key(key):
                yield request


def _requests(judge: LLMJudge, item: Work) -> Iterator[tuple[Request, int]]:
    for unit in units(item, judge.asking):
        sources = len({source for source, _ in unit.places})
        for request in (*unit.requests, *judge.follow_ups(unit)):
            yield request, sources
