"""What a response of an endpoint means: for the request, and for the run."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from citemark.errors import JudgeError
from citemark.judges.llm.endpoint import Endpoint
from citemark.judges.llm.limits import Room, exhausted_for, retry_after, rooms
from citemark.judges.llm.request import Reply, read_body
from citemark.scorecard import Reason

_TOO_LONG = re.compile(
    r"context.?length|maximum context|too many tokens|too long|context.?size|context window"
    r"|exceeds? the available|exceeds the maximum number of tokens|reduce the length"
    r"|request too large|tokens.{0,30} must be <=",
    re.IGNORECASE,
)
_QUOTA = re.compile(
    r"insufficient.?(?:quota|balance|credit|funds)|exceeded your current quota|credit balance"
    r"|billing.?(?:hard|not|limit)|payment required",
    re.IGNORECASE,
)
_WRONG_KEY = re.compile(
    r"api.?key not valid|(?:invalid|incorrect|missing).{0,12}api.?key", re.IGNORECASE
)
_NO_MODEL = re.compile(
    r"invalid model|not a valid model|unknown model|no such model"
    r"|model.{0,80}(?:not exist|not found|not available)",
    re.IGNORECASE,
)
_PASSING = re.compile(r"retry.?delay|(?:retry|try again) in ", re.IGNORECASE)
_FLAGGED = re.compile(r"moderation|flagged|content.?(?:filter|policy|management)", re.IGNORECASE)
_LEAST_SECRET = 8
"""A key shorter than this is a placeholder that local servers are given, not a secret."""
_LONGEST_ERROR = 1000


@dataclass(frozen=True, slots=True)
class Answered:
    """The endpoint sent a completion: its JSON text as it came."""

    raw: str
    body: Any
    reply: Reply
    """What it says, without token probabilities."""
    rooms: tuple[Room, ...] = ()
    """What the endpoint said of its limits."""

    @property
    def tokens(self) -> int:
        """How many tokens it took, if the endpoint says."""
        return sum(read_body(self.body, wants_logprobs=False).usage)


@dataclass(frozen=True, slots=True)
class Failed:
    """This request cannot be answered, and asking again would not help."""

    reason: Reason
    detail: str


@dataclass(frozen=True, slots=True)
class Again:
    """Worth another try; ``wait`` is what the endpoint asked for, if it did.

    Being told to slow down (``limited``) is no failed attempt.
    """

    reason: Reason
    detail: str
    wait: float | None = None
    limited: bool = False
    overloaded: bool = False
    """It has too much to do: ask less at once, though this was an attempt."""
    unreachable: bool = False
    """Nobody took the connection."""
    foreign: bool = False
    """Whoever answered did not speak OpenAI's protocol."""
    rooms: tuple[Room, ...] = ()
    """What the endpoint said of its limits."""

    @property
    def is_fault(self) -> bool:
        """Whether the endpoint itself may be down; being slow or busy does not say so."""
        return self.unreachable or not (self.limited or self.reason == "timeout")


Result = Answered | Failed | Again


def meaning(
    status: int, raw: bytes, headers: Mapping[str, str], endpoint: Endpoint, weighs: bool
) -> Result:
    """What a response means for the request and for the run."""
    text = _without_key(raw.decode("utf-8", "replace"), endpoint)
    if status == 200:
        return _completion(text, endpoint, rooms(headers))
    said = _said(text)
    told = _told(text)
    if status == 413 or (status in (400, 422, 429) and _TOO_LONG.search(told)):
        return Failed("too_long", said)
    if status == 403 and _FLAGGED.search(told):
        return Failed("refused", said)
    if status in (400, 422):
        _stop_if_setting(told.lower(), said, endpoint, weighs=weighs)
    _stop_if_hopeless(status, told, said, endpoint)
    if status == 429:
        found = rooms(headers)
        wait = retry_after(headers)
        wait = exhausted_for(found) if wait is None else wait
        return Again("provider_error", said, wait, limited=True, rooms=found)
    if status < 500 and status not in (408, 409, 425):
        return Failed("provider_error", f"HTTP {status}: {said}")
    return Again(
        "provider_error",
        f"HTTP {status}: {said}",
        retry_after(headers),
        overloaded=status in (503, 529),
    )


def _stop_if_hopeless(status: int, told: str, said: str, endpoint: Endpoint) -> None:
    """What is wrong with the key, the model, the address or the account fails every request."""
    provider = endpoint.provider
    bad = status in (400, 422)
    if status == 402 or (
        status in (400, 403, 429) and _QUOTA.search(told) and not _PASSING.search(told)
    ):
        raise JudgeError(
            f"{provider.title}: the quota is used up ({said}); add credit, then run the same "
            "command again: what was answered is in the store"
        )
    if status in (401, 403) or (bad and _WRONG_KEY.search(told)):
        variable = provider.key or "the key"
        what = "refused the key" if endpoint.key else "wants a key"
        raise JudgeError(f"{provider.title} {what} (HTTP {status}: {said}); check {variable}")
    if status in (404, 405) or (bad and _NO_MODEL.search(said)):
        raise JudgeError(
            f'{endpoint.url} has no model "{endpoint.model}", or it is not an endpoint that speaks '
            f"OpenAI's protocol ({said}); check the model's name and --base-url"
        )
    if status < 400:
        raise JudgeError(
            f"{endpoint.url} sends its callers elsewhere (HTTP {status}); check --base-url"
        )


def _stop_if_setting(lowered: str, said: str, endpoint: Endpoint, *, weighs: bool) -> None:
    """A setting that the endpoint does not take fails every request alike: say which it is."""
    instead = "use --mode sampled" if weighs else "add --no-logprobs"
    remedies = {
        "logprobs": f"it gives no token probabilities; {instead}",
        "response_format": "it takes no JSON schema; add --no-schema",
        "json_schema": "it takes no JSON schema; add --no-schema",
        "temperature": "it takes no temperature; add --temperature none",
    }
    for sign, remedy in remedies.items():
        if sign in lowered:
            raise JudgeError(f"{endpoint.provider.title} refused the request ({said}): {remedy}")


def _completion(text: str, endpoint: Endpoint, found: tuple[Room, ...]) -> Result:
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        foreign = text.lstrip()[:1] == "<"
        return Again("provider_error", "the reply is not JSON, or was cut", foreign=foreign)
    if isinstance(body, dict) and body.get("error") and not body.get("choices"):
        return Again("provider_error", _said(text))
    if isinstance(body, dict) and body.get("choices") == []:
        return Again("provider_error", "the reply has an empty list of choices")
    try:
        reply = read_body(body, wants_logprobs=False)
    except ValueError:
        detail = f"the reply of {endpoint.url} is no chat completion"
        return Again("provider_error", detail, foreign=True)
    return Answered(text, body, reply, found)


def _without_key(text: str, endpoint: Endpoint) -> str:
    """What an endpoint sent, without the key: some quote it, and it must not be kept."""
    key = endpoint.key
    return text.replace(key, "***") if key and len(key) >= _LEAST_SECRET else text


def _said(text: str) -> str:
    """What the endpoint said went wrong, in one short line."""
    error = _error(text)
    message = error.get("message", error) if isinstance(error, dict) else error
    return " ".join(str(message).split())[:200] or "no explanation"


def _told(text: str) -> str:
    """What tells one error from another; not the whole response, which may quote the request."""
    error = _error(text)
    if not isinstance(error, dict) or "message" not in error:
        return str(error)[:_LONGEST_ERROR]
    parts = [error.get(name) for name in ("message", "type", "code", "param")]
    return " ".join(str(part)[:_LONGEST_ERROR] for part in parts if part)


def _error(text: str) -> Any:
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return text
    body = body[0] if isinstance(body, list) and body else body
    return body.get("error", body) if isinstance(body, dict) else body
