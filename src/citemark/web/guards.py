"""What stands before every request: who may ask, from where, how much; and safe headers.

The order matters. A request under a wrong name is not looked at any further; a request that
another site makes a browser send is refused whatever it asks for; only then is the token
looked at, and only then the body.
"""

from __future__ import annotations

import asyncio
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citemark.web.access import Access
from citemark.web.problems import ApiError, busy
from citemark.web.setup import Setup

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; font-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}
_READING = ("GET", "HEAD", "OPTIONS")
_OWN_SITE = ("same-origin", "none")
_JSON = ("application/json",)
_FILES = ("application/octet-stream", "application/x-ndjson", "application/json")
UPLOADS = "/api/files"


class Guards:
    """The application behind its guards."""

    def __init__(self, app: ASGIApp, setup: Setup) -> None:
        self.app = app
        self.setup = setup
        self.access = Access(setup)
        self._under_way = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        self._under_way += 1
        try:
            await self._guarded(scope, receive, _with_headers(send))
        finally:
            self._under_way -= 1

    async def _guarded(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers, method, path = Headers(scope=scope), scope["method"], scope["path"]
        try:
            self._check_name(headers)
            self._check_site(headers, method, path)
            if self._under_way > self.setup.limits.requests:
                raise busy("too many requests at once")
            if (answer := self.access.answer(scope, headers)) is not None:
                await answer(scope, receive, send)
                return
            if method not in _READING:
                receive = self._limited(headers, path, receive)
        except ApiError as problem:
            await problem.response()(scope, receive, send)
            return
        await self.app(scope, receive, send)

    def _check_name(self, headers: Headers) -> None:
        """Only our own names: a page that had its name rebound to us still calls us by its own."""
        given = headers.getlist("host")
        if len(given) != 1 or not self.setup.goes_by(name_of(given[0])):
            raise ApiError(
                403,
                "the request calls this server by a name that is not its own",
                where="header Host",
                then="use the address that citemark serve printed, or start it with --allow-host",
            )

    def _check_site(self, headers: Headers, method: str, path: str) -> None:
        """Nothing that another site makes a browser send, however harmless it looks."""
        if method in _READING and not path.startswith("/api/"):
            return
        site = headers.get("sec-fetch-site")
        origin = headers.get("origin")
        foreign = site is not None and site not in _OWN_SITE
        if origin is not None:
            own = headers["host"].lower()
            foreign = foreign or origin.lower() not in (f"http://{own}", f"https://{own}")
        if foreign:
            raise ApiError(
                403,
                "the request comes from another site",
                where="header Origin" if origin is not None else "header Sec-Fetch-Site",
                then="use the page that this server shows, or a program that is no browser",
            )

    def _limited(self, headers: Headers, path: str, receive: Receive) -> Receive:
        """The body, as far as it is of the right kind, not too long and not too slow."""
        limits = self.setup.limits
        upload = path == UPLOADS
        most = limits.upload if upload else limits.body
        length = headers.get("content-length", "")
        there = length not in ("", "0") or "transfer-encoding" in headers
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        wanted = _FILES if upload else _JSON
        if there and kind not in wanted:
            raise ApiError(
                415,
                f"the body must be {' or '.join(wanted)}",
                where="header Content-Type",
                then=f"send it with Content-Type: {wanted[0]}",
            )
        if length.isdecimal() and int(length) > most:
            raise _too_long(most)
        return _Counted(receive, most, limits.body_seconds)


class _Counted:
    """A body that is counted and timed while it comes in."""

    def __init__(self, receive: Receive, most: int, seconds: float) -> None:
        self._receive = receive
        self._most = most
        self._left = most
        self._seconds = seconds
        self._complete = False

    async def __call__(self) -> Message:
        """The next part of the body."""
        if self._complete:  # from now on only the end of the connection can come
            return await self._receive()
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            message = await asyncio.wait_for(self._receive(), self._seconds)
        except TimeoutError:
            raise ApiError(408, "the body did not come in time", then="send it again") from None
        self._seconds -= loop.time() - began
        self._left -= len(message.get("body", b""))
        self._complete = not message.get("more_body", False)
        if self._left < 0:
            raise _too_long(self._most)
        return message


def _too_long(most: int) -> ApiError:
    return ApiError(
        413,
        f"the body is longer than {most:,} bytes",
        then="send less at once; for many cases use citemark score",
        headers={"Connection": "close"},
    )


def name_of(host: str) -> str:
    """The name in a Host header, without its port.

    >>> name_of("localhost:8000"), name_of("[::1]:80"), name_of("evil.example@127.0.0.1")
    ('localhost', '::1', '')
    """
    if any(c in host for c in "@/?#\\ ") or not host.isascii():
        return ""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return sending
