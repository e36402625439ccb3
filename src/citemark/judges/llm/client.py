"""The thin HTTP client: one POST, and what its outcome means for the run."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from citemark.judges.llm.endpoint import Endpoint
from citemark.judges.llm.request import Request
from citemark.judges.llm.responses import Again, Result, meaning

if TYPE_CHECKING:
    from types import TracebackType

    from aiohttp import ClientResponse, ClientSession

_LONGEST_BODY = 64 * 1024 * 1024
_LONGEST_CONNECT = 15.0


class Client:
    """One HTTP client for a whole run."""

    def __init__(self, endpoint: Endpoint, *, timeout: float, connections: int) -> None:
        self.endpoint = endpoint
        self._timeout = timeout
        self._connections = connections
        self._session: ClientSession | None = None
        self._url = endpoint.url

    async def __aenter__(self) -> Client:
        return self

    def _opened(self) -> ClientSession:
        """The session, made when the first request is sent: often the store has every reply."""
        import aiohttp  # which takes a while

        headers = {"Content-Type": "application/json"}
        if self.endpoint.key:
            headers["Authorization"] = f"Bearer {self.endpoint.key}"
        self._session = aiohttp.ClientSession(
            headers=headers,
            connector=aiohttp.TCPConnector(limit=self._connections),
            timeout=aiohttp.ClientTimeout(total=self._timeout, sock_connect=_LONGEST_CONNECT),
            cookie_jar=aiohttp.DummyCookieJar(),  # no endpoint needs any
        )
        return self._session

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

        session = self._session or self._opened()
        payload = aiohttp.BytesPayload(request.payload(self.endpoint))  # not to be guessed at
        try:
            # Following a redirect would turn the POST into a GET.
            response = await session.post(self._url, data=payload, allow_redirects=False)
            raw = await _whole(response)
        except aiohttp.ServerTimeoutError:
            detail = f"{self.endpoint.provider.base_url} cannot be reached (no connection in time)"
            return Again("timeout", detail, unreachable=True)
        except TimeoutError:
            return Again("timeout", f"no answer within {self._timeout:g} s")
        except aiohttp.ClientConnectorError as error:
            detail = f"{self.endpoint.provider.base_url} cannot be reached ({_short(error)})"
            return Again("provider_error", detail, unreachable=True)
        except (aiohttp.ClientError, asyncio.IncompleteReadError, OSError) as error:
            return Again("provider_error", f"the connection broke ({_short(error)})")
        return meaning(response.status, raw, response.headers, self.endpoint, request.weighs)


async def _whole(response: ClientResponse) -> bytes:
    """A body to its end, or to where no completion is that long.

    With its end the connection is free for the next request; otherwise it is closed.
    """
    stream = response.content
    parts: list[bytes] = []
    size = 0
    if stream.is_eof():  # a short one is often there with its headers
        parts.append(stream.read_nowait())
        if stream.at_eof():
            return parts[0]
        size = len(parts[0])
    try:
        while size < _LONGEST_BODY and (part := await stream.read(_LONGEST_BODY - size)):
            parts.append(part)
            size += len(part)
    finally:
        if not stream.at_eof():
            response.close()
    return b"".join(parts)


def _short(error: BaseException) -> str:
    return " ".join(str(error).split())[:160] or type(error).__name__
