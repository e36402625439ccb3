"""How a server is set up: what it may touch, who may talk to it, and how much at once."""

from __future__ import annotations

import ipaddress
import os
import secrets
from dataclasses import dataclass, field

from citemark.judges.options import JudgeOptions
from citemark.web.folder import Folder

MEGABYTE = 1_000_000
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one server takes on; beyond it, it says so at once instead of growing slow."""

    body: int = 4 * MEGABYTE
    upload: int = 64 * MEGABYTE
    body_seconds: float = 30.0
    """How long a client may take to send its body."""
    requests: int = 128
    """Requests under way at once, streams of events included."""
    workers: int = max(2, min(4, os.cpu_count() or 2))
    waiting: int = 64
    """Pieces of CPU work that may wait for a worker."""
    runs: int = 2
    """Runs under way at once."""
    runs_kept: int = 50
    streams: int = 32
    """Streams of events at once."""


@dataclass(frozen=True, slots=True)
class Setup:
    """One server: its folder, its address, its token and its limits."""

    folder: Folder
    host: str = "127.0.0.1"
    port: int = 0
    token: str | None = field(default=None, repr=False)
    names: frozenset[str] = LOOPBACK_NAMES
    """The names by which a request may call this server."""
    options: JudgeOptions = field(default_factory=JudgeOptions)
    """What holds for every run, such as the base URL: never chosen by a page."""
    limits: Limits = field(default_factory=Limits)
    session: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    """What the cookie of a browser holds once it has shown the token."""

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the server."""
        return is_loopback(self.host)

    def goes_by(self, name: str) -> bool:
        """Whether a request may call this server by this name.

        Elsewhere than on loopback an address as such is fine: rebinding needs a name.
        """
        return name in self.names or (not self.is_local and is_address(name))


def is_address(name: str) -> bool:
    """Whether this is an IP address rather than a name."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def is_loopback(host: str) -> bool:
    """Whether an address to bind to can be reached from this machine alone.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    if host == "localhost":
        return True
    return is_address(host) and ipaddress.ip_address(host).is_loopback
