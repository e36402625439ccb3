"""What an LLM is asked and what it replies, as plain values; and the key of a request."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from citemark.judges.llm.endpoint import Endpoint
from citemark.scorecard import Reason


@dataclass(frozen=True, slots=True)
class Request:
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
        provider = endpoint.provider
        messages = [{"role": "system", "content": self.system}] if self.system else []
        messages.append({"role": "user", "content": self.user})
        body: dict[str, Any] = {"model": endpoint.model, "messages": messages}
        if self.prefill is not None:
            messages.append({"role": "assistant", "content": self.prefill})
            if provider.prefill == "continue_final_message":
                body.update(continue_final_message=True, add_generation_prompt=False)
        body[provider.tokens] = self.max_tokens
        if self.temperature is not None:
            body["temperature"] = self.temperature
        if self.seed is not None and provider.seed:
            body[provider.seed] = self.seed + self.sample
        if self.schema and provider.schema:
            form = {"name": "scores", "strict": True, "schema": json.loads(self.schema)}
            body["response_format"] = {"type": "json_schema", "json_schema": form}
        if self.grammar:
            body["grammar"] = self.grammar
        if self.top_logprobs:
            body.update(logprobs=True, top_logprobs=self.top_logprobs)
        return body

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
        whole = hashlib.sha256(repr(settings).encode("utf-8", "surrogatepass"))
        for text in (self.system, self.schema, self.grammar, *self.parts):
            whole.update(_digest(text or ""))
        return whole.digest()[:16]


@lru_cache(maxsize=2048)
def _digest(text: str) -> bytes:
    """The hash of one part; parts are shared among many requests and hashed once."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


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


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back: a text, or the reason why there is none."""

    text: str = ""
    failure: Reason | None = None
    detail: str = ""
    tokens: tuple[Token, ...] | None = None
    usage: Usage = NO_USAGE
    stored: bool = False
    """It came from the store; nothing was paid for it now."""


def read_body(body: Any, *, wants_logprobs: bool) -> Reply:
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
        return Reply(text, "refused", str(message["refusal"])[:200], usage=usage)
    finish = choice.get("finish_reason")
    if finish == "content_filter":
        return Reply(text, "refused", "stopped by the provider's content filter", usage=usage)
    if finish == "length":
        return Reply(text, "truncated", "the reply was cut at its length limit", tokens, usage)
    return Reply(text, tokens=tokens, usage=usage)


def _joined(content: Any) -> str:
    """Some servers send the text in parts."""
    if not isinstance(content, list):
        return ""
    texts = [part.get("text") for part in content if isinstance(part, dict)]
    return "".join(text for text in texts if isinstance(text, str))


def _usage(data: Any) -> Usage:
    if not isinstance(data, dict):
        return NO_USAGE
    counts = (data.get("prompt_tokens"), data.get("completion_tokens"))
    return Usage(*(count if isinstance(count, int) else 0 for count in counts))


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
