"""The event loop that judges are asked in."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from importlib.util import find_spec

import pytest

import citemark
from citemark.judges import Outcome, Work
from test_api import Middling, cases


class Looking(Middling):
    """Notes which event loop it is asked in."""

    async def judge(self, work: AsyncIterator[Work]) -> AsyncIterator[Outcome]:
        self.trust = type(asyncio.get_running_loop()).__module__
        async for outcome in super().judge(work):
            yield outcome


def test_judges_that_are_asked_over_the_network_get_the_quick_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    judge = Looking()
    list(citemark.score_many(cases(1), judge=judge))
    assert judge.trust == ("asyncio.unix_events" if find_spec("uvloop") is None else "uvloop")
    monkeypatch.setitem(sys.modules, "uvloop", None)  # as where there is none
    list(citemark.score_many(cases(1), judge=judge))
    assert judge.trust.startswith("asyncio.")
