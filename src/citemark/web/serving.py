"""Running the server: bind, tell where it is, serve until Ctrl-C, end cleanly."""

from __future__ import annotations

import errno
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import FrameType
from typing import Any

import uvicorn

from citemark.errors import UsageError
from citemark.web.app import make_app
from citemark.web.service import Service
from citemark.web.setup import Setup

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_LAST_WORDS = 2
"""Seconds that requests under way are given when the server ends."""


def bound(host: str, port: int) -> socket.socket:
    """A socket at this address; says what to do if it cannot be had."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (OSError, UnicodeError):
        raise UsageError(f"--host {host}: this machine has no such address") from None
    taken = socket.socket(family, kind, protocol)
    try:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(address)
        taken.listen(socket.SOMAXCONN)
    except OSError as error:
        taken.close()
        if error.errno == errno.EADDRINUSE:
            raise UsageError(
                f"port {port} is taken; choose another with --port, or --port 0 for any free one"
            ) from None
        raise UsageError(f"cannot listen at {host} port {port}: {error.strerror}") from None
    return taken


def address_of(taken: socket.socket, host: str) -> str:
    """The URL of a bound socket."""
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{taken.getsockname()[1]}/"


class Server(uvicorn.Server):
    """The server; told to end, it lets go of whoever watches a run."""

    def __init__(self, setup: Setup) -> None:
        self.service = Service.of(setup)
        config = uvicorn.Config(
            make_app(self.service),
            access_log=False,
            log_level="warning",
            server_header=False,
            proxy_headers=False,
            ws="none",
            lifespan="on",
            timeout_keep_alive=10,
            timeout_graceful_shutdown=_LAST_WORDS,
        )
        super().__init__(config)

    def end(self) -> None:
        """Take no more requests, finish what is under way, stop."""
        self.service.runs.closing = True
        self.should_exit = True

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """The first Ctrl-C ends the server, the second one at once; neither is an error."""
        try:
            before = {number: signal.signal(number, self._take) for number in _SIGNALS}
        except ValueError:  # not in the main thread: whoever started us ends us
            yield
            return
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _take(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002
        self.force_exit = self.should_exit
        self.end()


def serve(setup: Setup, tell: Callable[[str], Any]) -> None:
    """Serve until told to end; ``tell`` gets the URL once requests are taken."""
    with bound(setup.host, setup.port) as taken:
        url = address_of(taken, setup.host)
        server = Server(replace(setup, port=taken.getsockname()[1]))
        tell(url)
        server.run(sockets=[taken])
