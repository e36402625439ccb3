"""What an LLM is asked and what it replies, as plain values; and the key of a request."""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from typing import Any, NamedTuple

from citemark.judges.llm.endpoint import Endpoint, Provider
from citemark.scorecard import Reason


class Request(NamedTuple):
    """One question to a model. ``parts`` make up the user message, the shared part first."""

    system: str | None
    parts: tuple[str, ...]
    max_tokens: int
    temperature: float | None = 0.0
    seed: int | None = None
    schema: str | None = None
    """A JSON schema, as canonical JSON text."""
    top_logprobs: int = 0
    grammar: str | None = None
    """A GBNF grammar for the reply, where the endpoint takes one."""
    prefill: str | None = None
    """What the reply is made to begin with, to look at what would come next."""
    weighs: bool = False
    """Without token probabilities the reply would be of no use."""
    sample: int = 0
    """Tells repeated questions apart: each sample is a reply of its own."""

    @property
    def user(self) -> str:
        """The user message."""
        return "".join(self.parts)

    def body(self, endpoint: Endpoint) -> dict[str, Any]:
        """The JSON body of the call."""
        messages = [{"role": "system", "content": self.system}] if self.system else []
        messages.append({"role": "user", "content": self.user})
        if self.prefill is not None:
            messages.append({"role": "assistant", "content": self.prefill})
        settings = json.loads("{" + self._settings(endpoint.provider))
        return {"model": endpoint.model, "messages": messages, **settings}

    def payload(self, endpoint: Endpoint) -> bytes:
        """The body as it is sent: the same JSON, put together from texts that many share."""
        pieces = [_before(endpoint.model, self.system), *map(_quoted, self.parts)]
        if self.prefill is not None:
            pieces += [b'"}, {"role": "assistant", "content": "', _quoted(self.prefill)]
        pieces += [b'"}], ', self._settings(endpoint.provider).encode()]
        return b"".join(pieces)

    def _settings(self, provider: Provider) -> str:
        """What stands in a body behind the messages."""
        return _settings(
            (provider.tokens, self.max_tokens),
            self.temperature,
            (provider.seed, self.seed + self.sample) if self.seed is not None else None,
            self.schema if provider.schema else None,
            self.grammar,
            self.top_logprobs,
            self.prefill is not None and provider.prefill == "continue_final_message",
        )

    def key(self, endpoint: Endpoint) -> bytes:
        """What this request is stored under: everything that can change the reply, no more."""
        settings = (
            *endpoint.identity,
            self.max_tokens,
            self.temperature,
            self.seed,
            self.top_logprobs,
            self.prefill,
            self.sample,
        )
        texts = (self.system or "", self.schema or "", self.grammar or "", *self.parts)
        opening = _opening(repr(self.temperature), *settings)
        return hashlib.sha256(opening + b"".join(map(_digest, texts))).digest()[:16]


# Parts are shared among many requests: each is hashed and written as JSON once while it is used.


@lru_cache(maxsize=512)
def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


@lru_cache(maxsize=256)
def _quoted(text: str) -> bytes:
    """A text as it stands in JSON, without the quotes."""
    return json.dumps(text)[1:-1].encode()


@lru_cache(maxsize=64)
def _before(model: str, system: str | None) -> bytes:
    """What stands in a body before the text of the user message."""
    opening = b'{"model": "%s", "messages": [' % _quoted(model)
    if system:
        opening += b'{"role": "system", "content": "%s"}, ' % _quoted(system)
    return opening + b'{"role": "user", "content": "'


# Typed, because 0 and 0.0 are equal and not the same text; 0.0 and -0.0 need more than that.
@lru_cache(maxsize=256, typed=True)
def _opening(spelled: str, *settings: str | float | None) -> bytes:  # noqa: ARG001
    """The settings as they go into the key."""
    return repr(settings).encode("utf-8", "surrogatepass")


@lru_cache(maxsize=256, typed=True)
def _settings(
    tokens: tuple[str, int],
    temperature: float | None,
    seed: tuple[str | None, int] | None,
    schema: str | None,
    grammar: str | None,
    top_logprobs: int,
    goes_on: bool,
) -> str:
    settings: dict[str, Any] = {}
    if goes_on:
        settings.update(continue_final_message=True, add_generation_prompt=False)
    settings[tokens[0]] = tokens[1]
    if temperature is not None:
        settings["temperature"] = temperature
    if seed and seed[0]:
        settings[seed[0]] = seed[1]
    if schema:
        form = {"name": "scores", "strict": True, "schema": json.loads(schema)}
        settings["response_format"] = {"type": "json_schema", "json_schema": form}
    if grammar:
        settings["grammar"] = grammar
    if top_logprobs:
        settings.update(logprobs=True, top_logprobs=top_logprobs)
    return json.dumps(settings)[1:]


class Token(NamedTuple):
    """One token of a reply with its likeliest alternatives (text, log probability)."""

    text: str
    logprob: float
    alternatives: tuple[tuple[str, float], ...]


class Usage(NamedTuple):
    """What a call cost in tokens."""

    prompt: int = 0
    completion: int = 0


NO_USAGE = Usage()
CHARACTERS_PER_TOKEN = 4
"""A rule of thumb for English text and JSON; other scripts need more tokens."""


class Reply(NamedTuple):
    """What came back: a text, or the reason why there is none."""

    text: str = ""
    failure: Reason | None = None
    detail: str = ""
    tokens: tuple[Token, ...] | None = None
    usage: Usage = NO_USAGE
    stored: bool = False
    """It came from the store; nothing was paid for it now."""


def read_body(body: Any, *, wants_logprobs: bool, stored: bool = False) -> Reply:
    """A reply from the JSON that an endpoint sent; raises ValueError if it is no completion."""
    choices = body.get("choices") if isinstance(body, dict) else None
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise ValueError("no choices in the reply")
    choice = choices[0]
    message = choice.get("message")
    if not isinstance(message, dict):
        raise ValueError("no message in the reply")
    content = message.get("content")
    text = content if isinstance(content, str) else _joined(content)
    usage = _usage(body.get("usage"))
    tokens = _tokens(choice.get("logprobs")) if wants_logprobs else None
    if message.get("refusal"):
        detail = str(message["refusal"])[:200]
        return Reply(text, "refused", detail, None, usage, stored)
    finish = choice.get("finish_reason")
    if finish == "content_filter":
        detail = "stopped by the provider's content filter"
        return Reply(text, "refused", detail, None, usage, stored)
    if finish == "length":
        detail = "the reply was cut at its length limit"
        return Reply(text, "truncated", detail, tokens, usage, stored)
    return Reply(text, None, "", tokens, usage, stored)


def _joined(content: Any) -> str:
    """Some servers send the text in parts."""
    if not isinstance(content, list):
        return ""
    texts = [part.get("text") for part in content if isinstance(part, dict)]
    return "".join(text for text in texts if isinstance(text, str))


def _usage(data: Any) -> Usage:
    if not isinstance(data, dict):
        return NO_USAGE
    prompt, completion = data.get("prompt_tokens"), data.get("completion_tokens")
    return Usage(
        prompt if isinstance(prompt, int) else 0, completion if isinstance(completion, int) else 0
    )


def _tokens(data: Any) -> tuple[Token, ...] | None:
    content = data.get("content") if isinstance(data, dict) else None
    if not isinstance(content, list) or not content:
        return None
    try:
        return tuple(
            Token(
                entry["token"],
                float(entry["logprob"]),
                tuple((a["token"], float(a["logprob"])) for a in entry.get("top_logprobs") or ()),
            )
            for entry in content
        )
    except (KeyError, TypeError, ValueError):
        return None


def canonical(schema: object) -> str:
    """A JSON schema as the text that goes into the key."""
    return json.dumps(schema, sort_keys=True, separators=(",", ":"))


def estimate(request: Request, *, careful: bool = False) -> int:
    """About how many tokens a request takes to send; ``careful``, rather too many."""
    texts = (request.user, request.system or "", request.schema or "")
    characters = sum(len(text) for text in texts)
    if not careful:
        return -(-characters // CHARACTERS_PER_TOKEN)
    wide = 0 if all(text.isascii() for text in texts) else sum(c > "\u02ff" for c in texts[0])
    return -(-characters // 3) + wide  # a letter of a rarer script may take more than a token
