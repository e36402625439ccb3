"""Requests: what is sent, and what it is kept under."""

from __future__ import annotations

import json
from typing import Any

import pytest

from citemark.judges.llm.endpoint import Endpoint, Provider
from citemark.judges.llm.request import Request, canonical, read_body

PLAIN = Provider("openai", "OpenAI", "https://a/v1", seed="seed")
ODD = Provider(
    "local",
    "Local",
    "http://b/v1",
    schema=False,
    tokens="max_completion_tokens",
    prefill="continue_final_message",
)
FIRST = Request("Judge.", ("<answer>", "Rate it."), 20)
REQUESTS = [
    FIRST,
    FIRST._replace(system=None),
    FIRST._replace(system=""),
    FIRST._replace(
        parts=("", 'quoted "text" \\ / \t\r\n\x00\x7f', "é 漢字 🙂", "\ud83d", "\ude42")
    ),
    FIRST._replace(temperature=None),
    FIRST._replace(temperature=0),
    FIRST._replace(temperature=0.0),
    FIRST._replace(temperature=1e-7, seed=5, sample=2),
    FIRST._replace(schema=canonical({"type": "object", "title": "é"}), top_logprobs=20),
    FIRST._replace(grammar='root ::= "1"', prefill="1"),
    FIRST._replace(prefill="", top_logprobs=5, max_tokens=1),
]


@pytest.mark.parametrize("provider", [PLAIN, ODD], ids=lambda provider: str(provider.name))
@pytest.mark.parametrize("request_", REQUESTS, ids=range(len(REQUESTS)))
def test_what_is_sent_is_the_body(request_: Request, provider: Provider) -> None:
    endpoint = Endpoint(provider, 'org/"model" é')
    body = request_.body(endpoint)
    assert request_.payload(endpoint) == json.dumps(body).encode()
    assert [m["role"] for m in body["messages"]][-1] == (
        "user" if request_.prefill is None else "assistant"
    )
    assert body[provider.tokens] == request_.max_tokens


@pytest.mark.parametrize("order", [1, -1])
def test_equal_numbers_of_another_kind_are_told_apart(order: int) -> None:
    endpoint = Endpoint(PLAIN, f"m{order}")
    given: list[Any] = [0, 0.0, 1, 1.0, True, False][::order]
    requests = [FIRST._replace(temperature=value) for value in given]
    assert len({request.key(endpoint) for request in requests}) == len(given)
    for request, value in zip(requests, given, strict=True):
        text = f'"temperature": {json.dumps(value)}'
        assert text in request.payload(endpoint).decode()
    signs = [FIRST._replace(temperature=value) for value in (0.0, -0.0)]
    assert signs[0].key(endpoint) != signs[1].key(endpoint)


def test_keys_stay_what_they_were() -> None:
    """A key that changed would make everybody pay again for what they have."""
    endpoint = Endpoint(PLAIN, "m")
    assert FIRST.key(endpoint).hex() == "106d4516d164d13b3bc045dbd739bbb4"
    other = FIRST._replace(system=None, schema="{}", grammar="root", prefill="x", seed=3, sample=1)
    assert other.key(endpoint).hex() == "c92e498459dbd78045dd54790fbd80e2"


@pytest.mark.parametrize(
    ("choice", "failure"),
    [
        ({"message": {"content": "14"}}, None),
        ({"message": {"content": None, "refusal": "No."}}, "refused"),
        ({"message": {"content": "1"}, "finish_reason": "content_filter"}, "refused"),
        ({"message": {"content": "1"}, "finish_reason": "length"}, "truncated"),
    ],
)
@pytest.mark.parametrize("stored", [False, True])
def test_a_reply_says_where_it_came_from(choice: Any, failure: str | None, stored: bool) -> None:
    usage = {"prompt_tokens": 7, "completion_tokens": "many"}
    reply = read_body({"choices": [choice], "usage": usage}, wants_logprobs=True, stored=stored)
    assert (reply.failure, reply.stored, reply.usage) == (failure, stored, (7, 0))
