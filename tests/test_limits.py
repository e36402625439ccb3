"""What endpoints say about their limits: read in every form, and kept to."""

from __future__ import annotations

import math
import threading
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from citemark.judges.llm.limits import Room, exhausted_for, retry_after, rooms
from loopback import Body, Loopback, Say, completion, error
from running import run
from test_llm_interrupt import cases

NOW = datetime(2026, 5, 4, 12, 0, 0, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1s", 1.0),
        ("120ms", 0.12),
        ("6m0s", 360.0),
        ("1h2m3.5s", 3723.5),
        ("1d", 86400.0),
        ("7.66s", 7.66),
        ("20", 20.0),
        ("0.5", 0.5),
        (f"{NOW + 30:.0f}", 30.0),
        (f"{1000 * (NOW + 30):.0f}", 30.0),
        ("2026-05-04T12:00:09Z", 9.0),
        ("2026-05-04T14:00:09.5+02:00", 9.5),
        ("2026-05-04T11:00:00Z", 0.0),
    ],
)
def test_a_reset_in_every_form(text: str, seconds: float) -> None:
    headers = {"x-ratelimit-remaining-requests": "3", "x-ratelimit-reset-requests": text}
    [room] = rooms(headers, NOW)
    assert (room.tokens, room.left) == (False, 3.0)
    assert room.resets_in == pytest.approx(seconds)


@pytest.mark.parametrize(
    ("remaining", "reset", "tokens"),
    [
        ("X-RateLimit-Remaining-Requests", "X-RateLimit-Reset-Requests", False),
        ("x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens", True),
        ("anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset", False),
        ("Anthropic-Ratelimit-Tokens-Remaining", "Anthropic-Ratelimit-Tokens-Reset", True),
        ("anthropic-ratelimit-input-tokens-remaining", "anthropic-ratelimit-input-tokens-reset",
         True),
        ("RateLimit-Remaining", "RateLimit-Reset", False),
    ],
)  # fmt: skip
def test_the_headers_of_all_kinds(remaining: str, reset: str, tokens: bool) -> None:
    assert rooms({remaining: "0", reset: "2"}, NOW) == (Room(tokens, 0.0, 2.0),)


@pytest.mark.parametrize(
    "text", ["", "soon", "-1", "nan", "inf", "1e9", "5x", "1s ago", "٣", "9" * 50]
)
@pytest.mark.parametrize("broken", ["remaining", "reset"])
def test_what_cannot_be_read_is_not_there(text: str, broken: str) -> None:
    good = {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1s"}
    assert rooms({**good, f"x-ratelimit-{broken}-requests": text}, NOW) == ()
    assert rooms({name: value for name, value in good.items() if broken not in name}) == ()


def test_how_long_to_wait() -> None:
    assert retry_after({"Retry-After": "2"}) == 2.0
    assert retry_after({"retry-after-ms": "250", "Retry-After": "9"}) == 0.25
    assert retry_after({"retry-after": "Mon, 04 May 2026 12:00:07 GMT"}, NOW) == 7.0
    assert retry_after({"retry-after": "Mon, 04 May 2020 12:00:07 GMT"}, NOW) == 0.0
    for nonsense in ("", "soon", "nan", "inf"):
        assert retry_after({"Retry-After": nonsense}) is None
    assert exhausted_for((Room(False, 0, 3.0), Room(True, 9, 60.0))) == 3.0
    assert exhausted_for((Room(False, 1, 3.0),)) is None


class Metered:
    """An endpoint that takes so many requests in each stretch of time, and says so."""

    def __init__(self, style: str, most: int = 6, stretch: float = 0.5) -> None:
        self.style = style
        self.most = most
        self.stretch = stretch
        self.refused = 0
        self._used = 0
        self._ends = 0.0
        self._lock = threading.Lock()

    def __call__(self, _: Body) -> Say:
        with self._lock:
            now = time.time()
            if now >= self._ends:
                self._used, self._ends = 0, now + self.stretch
            self._used += 1
            headers = self._headers(max(0, self.most - self._used), self._ends - now)
            if self._used > self.most:
                self.refused += 1
                return Say(error("slow down"), 429, headers)
        return Say(completion("14"), headers=headers, delay=0.02)

    def _headers(self, left: int, wait: float) -> dict[str, str]:
        if self.style == "openai":
            reset = f"{math.ceil(wait * 1000)}ms"
            return {"x-ratelimit-remaining-requests": str(left), "x-ratelimit-reset-requests": reset,
                    "x-ratelimit-remaining-tokens": "90000", "x-ratelimit-reset-tokens": "1s"}  # fmt: skip
        if self.style == "anthropic":
            date = datetime.fromtimestamp(self._ends + 0.001, UTC).isoformat()
            return {
                "anthropic-ratelimit-requests-remaining": str(left),
                "anthropic-ratelimit-requests-reset": date,
            }
        if self.style == "tokens":  # about a hundred tokens for each request
            reset = f"{math.ceil(wait * 1000)}ms"
            return {
                "x-ratelimit-remaining-tokens": str(left * 100),
                "x-ratelimit-reset-tokens": reset,
            }
        return {"RateLimit-Remaining": str(left), "RateLimit-Reset": f"{wait + 0.001:.3f}"}


@pytest.mark.parametrize("style", ["openai", "anthropic", "draft", "tokens"])
def test_no_request_runs_into_a_limit_that_was_told(
    endpoint: Loopback, tmp_path: Path, style: str
) -> None:
    endpoint.respond = metered = Metered(style)
    given = cases(tmp_path / "cases.jsonl", 20)
    done = run("score", given, "-j", "openai:m", "--base-url", endpoint.url, "--mode", "direct",
               "-m", "count", "--concurrency", "4", "-o", tmp_path / "out.jsonl")  # fmt: skip
    assert done.code == 0, done.err
    assert metered.refused == 0
    assert len(endpoint.asked) == 20


def test_a_reset_that_never_comes_does_not_hold_up_for_ever(endpoint: Loopback) -> None:
    from loopback import ask

    headers = {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "20h"}
    endpoint.respond = lambda _: Say(completion("14"), headers=headers)
    card = ask(endpoint, concurrency=1, deadline=0.3)
    assert [source.relevance.score for source in card] == [14, 14]


def test_a_refusal_without_retry_after_waits_for_the_reset(endpoint: Loopback) -> None:
    from loopback import ask

    endpoint.respond = Metered("openai", most=1, stretch=0.4)
    card = ask(endpoint, retries=0)
    assert [source.relevance.score for source in card] == [14, 14]
    assert len(endpoint.asked) <= 3
