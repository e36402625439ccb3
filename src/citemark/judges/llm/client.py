"""The thin HTTP client: one POST, and what its outcome means for the run."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from citemark.errors import JudgeError
from citemark.judges.llm.endpoint import Endpoint
from citemark.judges.llm.request import Request
from citemark.scorecard import Reason

if TYPE_CHECKING:
    from types import TracebackType

    from aiohttp import ClientSession

_TOO_LONG = re.compile(
    r"context.?length|maximum context|too many tokens|too long|context size|context window"
    r"|exceeds? the available|reduce the length",
    re.IGNORECASE,
)
_QUOTA = re.compile(
    r"insufficient.?quota|exceeded your current quota|billing|insufficient balance|credit balance"
    r"|payment required",
    re.IGNORECASE,
)
_LONGEST_BODY = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Answered:
    """The endpoint sent a completion: its JSON text as it came."""

    raw: str
    body: Any


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
    unreachable: bool = False


Result = Answered | Failed | Again


class Client:
    """One HTTP client for a whole run."""

    def __init__(self, endpoint: Endpoint, *, timeout: float, connections: int) -> None:
        self.endpoint = endpoint
        self._timeout = timeout
        self._connections = connections
        self._session: ClientSession | None = None

    async def __aenter__(self) -> Client:
        import aiohttp  # only when a judge is really asked

        headers = {"Content-Type": "application/json"}
        if self.endpoint.key:
            headers["Authorization"] = f"Bearer {self.endpoint.key}"
        self._session = aiohttp.ClientSession(
            headers=headers,
            connector=aiohttp.TCPConnector(limit=self._connections),
            timeout=aiohttp.ClientTimeout(total=self._timeout),
        )
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._session:
            await self._session.close()

    async def post(self, request: Request) -> Result:
        """Ask once; raises :class:`JudgeError` where no request of this run can succeed."""
        import aiohttp

        assert self._session is not None, "use the client in an async with block"  # noqa: S101
        payload = json.dumps(request.body(self.endpoint)).encode()
        try:
            async with self._session.post(self.endpoint.url, data=payload) as response:
                raw = await response.content.read(_LONGEST_BODY)
                return _meaning(response.status, raw, dict(response.headers), self.endpoint)
        except TimeoutError:
            return Again("timeout", f"no answer within {self._timeout:g} s")
        except aiohttp.ClientConnectorError as error:
            detail = f"{self.endpoint.provider.base_url} cannot be reached ({_short(error)})"
            return Again("provider_error", detail, unreachable=True)
        except (aiohttp.ClientError, asyncio.IncompleteReadError, OSError) as error:
            return Again("provider_error", f"the connection broke ({_short(error)})")


def _short(error: BaseException) -> str:
    return " ".join(str(error).split())[:160] or type(error).__name__


def _meaning(status: int, raw: bytes, headers: dict[str, str], endpoint: Endpoint) -> Result:
    """What a response means for the request and for the run."""
    text = raw.decode("utf-8", "replace")
    if status == 200:
        return _completion(text, endpoint)
    said = _said(text, endpoint)
    lowered = text.lower()
    if status in (401, 403):
        variable = endpoint.provider.key or "the key"
        raise JudgeError(f"{endpoint.provider.title} refused the key ({said}); check {variable}")
    if status == 404:
        raise JudgeError(
            f'{endpoint.url} has no model "{endpoint.model}", or it is not an endpoint that speaks '
            f"OpenAI's protocol ({said}); check the model's name and --base-url"
        )
    if status == 402 or (status == 429 and _QUOTA.search(text)):
        raise JudgeError(f"{endpoint.provider.title}: the quota is used up ({said}); add credit")
    if status == 429:
        return Again("provider_error", said, _retry_after(headers), limited=True)
    if status == 413 or (status in (400, 422) and _TOO_LONG.search(text)):
        return Failed("too_long", said)
    if status in (400, 422) or (300 <= status < 500 and status not in (408, 409, 425)):
        _stop_if_setting(lowered, said, endpoint)
        return Failed("provider_error", f"HTTP {status}: {said}")
    return Again("provider_error", f"HTTP {status}: {said}", _retry_after(headers))


def _stop_if_setting(lowered: str, said: str, endpoint: Endpoint) -> None:
    """A setting that the endpoint does not take fails every request alike: say which it is."""
    remedies = {
        "logprobs": "it gives no token probabilities; use --mode sampled",
        "response_format": "it takes no JSON schema; add --no-schema",
        "json_schema": "it takes no JSON schema; add --no-schema",
        "temperature": "it takes no temperature; add --temperature none",
    }
    for sign, remedy in remedies.items():
        if sign in lowered:
            raise JudgeError(f"{endpoint.provider.title} refused the request ({said}): {remedy}")


def _completion(text: str, endpoint: Endpoint) -> Result:
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return Again("provider_error", "the reply is not JSON, or was cut")
    if isinstance(body, dict) and body.get("choices"):
        return Answered(text, body)
    if isinstance(body, dict) and "choices" in body:
        return Again("provider_error", "the reply has an empty list of choices")
    if isinstance(body, dict) and body.get("error"):
        return Again("provider_error", _said(text, endpoint))
    return Again("provider_error", "the reply is no chat completion")


def _said(text: str, endpoint: Endpoint) -> str:
    """What the endpoint said went wrong, in one short line, without the key."""
    try:
        body = json.loads(text)
        error = body.get("error", body) if isinstance(body, dict) else body
        message = error.get("message", error) if isinstance(error, dict) else error
    except (ValueError, RecursionError):
        message = text
    line = " ".join(str(message).split())[:200] or "no explanation"
    return line.replace(endpoint.key, "***") if endpoint.key else line


def _retry_after(headers: dict[str, str]) -> float | None:
    lowered = {name.lower(): value for name, value in headers.items()}
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return max(0.0, float(lowered[name]) * unit)
        except (KeyError, ValueError):
            continue
    return None
