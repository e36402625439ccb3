"""An endpoint that can be stopped and started again, and that breaks replies on purpose."""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import sqlite3
import struct
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiohttp import web

from loopback import Body, completion, user_message
from running import COMMAND, environment

SOAK = bool(os.environ.get("CITEMARK_SOAK"))
JUDGMENTS = 300
"""In the file of cases that most tests of faults are given."""
"""Whether the full counts are wanted: make soak."""
SOURCES = 3

Asked = tuple[int, int]
"""A judgment: the number of its case and of its source. One metric is enough here."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What is sent instead of a good reply."""

    name: str
    status: int = 200
    body: bytes | Body = b""
    headers: dict[str, str] = field(default_factory=dict)
    hang: float = 0.0
    heals: bool = True


def right_score(asked: Asked) -> int:
    """The score that the endpoint gives, so that one in the wrong place shows."""
    case, source = asked
    return (7 * case + 5 * source + case // 20) % 20 + 1


def good_reply(asked: Asked) -> Body:
    """A completion with that score, and an id by which it is known in the store."""
    return {**completion(str(right_score(asked))), "id": f"{asked[0]}-{asked[1]}"}


class Endpoint:
    """A server in a thread of its own. It counts what it is asked, by judgment."""

    def __init__(self) -> None:
        self.fault: Callable[[Asked, int], Fault | None] = lambda *_: None
        self.delay = 0.0
        self.drip = 0.1
        """Seconds between two bytes of a reply that drips."""
        self.asked: Counter[Asked] = Counter()
        self.sent: dict[Asked, float] = {}
        """When each good reply left, by the monotonic clock."""
        self.faults: Counter[str] = Counter()
        self.unhealed: dict[Asked, str] = {}
        """The judgments that were sent a complete reply that is no score."""
        self.port = 0
        self._runner: web.AppRunner | None = None
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def running(self) -> bool:
        return self._runner is not None

    @property
    def requests(self) -> int:
        return self.asked.total()

    def start(self) -> None:
        """Listen; again on the same port if it was stopped."""
        asyncio.run_coroutine_threadsafe(self._start(), self._loop).result(10)

    def stop(self) -> None:
        """Break what is open and listen no more."""
        runner, self._runner = self._runner, None
        assert runner is not None
        asyncio.run_coroutine_threadsafe(runner.cleanup(), self._loop).result(10)

    def end(self) -> None:
        if self._runner:
            self.stop()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)
        self._loop.close()

    async def _start(self) -> None:
        app = web.Application()
        app.router.add_post("/v1/chat/completions", self._handle)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.05)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self.port, reuse_address=True).start()
        self.port = self._runner.addresses[0][1]

    async def _listen_no_more(self) -> None:
        """Take no more connections, from this moment on; those that there are stay open."""
        assert self._runner is not None
        for site in list(self._runner.sites):
            await site.stop()

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        asked = which(json.loads(await request.text()))
        self.asked[asked] += 1
        if self.delay:
            await asyncio.sleep(self.delay)
        if (fault := self.fault(asked, self.asked[asked])) is None:
            response = web.json_response(good_reply(asked))
            with suppress(ConnectionError):  # whoever asked may be gone
                await response.prepare(request)
                await response.write_eof()
                self.sent[asked] = time.monotonic()
            return response
        self.faults[fault.name] += 1
        if not fault.heals:
            self.unhealed[asked] = fault.name
        return await self._break(fault, request, asked)

    async def _break(self, fault: Fault, request: web.Request, asked: Asked) -> web.StreamResponse:
        transport = request.transport
        assert transport is not None
        data = fault.body if isinstance(fault.body, bytes) else json.dumps(fault.body).encode()
        data = data or json.dumps(good_reply(asked)).encode()
        headers = {"Content-Type": "application/json", **fault.headers}
        await asyncio.sleep(fault.hang)
        if fault.name == "reset":
            # With nothing to linger for, closing sends a reset instead of a polite end.
            connection = transport.get_extra_info("socket")
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            transport.abort()
            return web.Response()
        if fault.name == "gone":
            await self._listen_no_more()
            transport.abort()
            return web.Response()
        if fault.name not in ("half a body", "drip"):
            return web.Response(status=fault.status, body=data, headers=headers)
        response = web.StreamResponse(headers={**headers, "Content-Length": str(len(data))})
        await response.prepare(request)
        if fault.name == "half a body":
            await response.write(data[: len(data) // 2])
            transport.close()
            return response
        with suppress(ConnectionError):
            for byte in data:  # more slowly than anybody would wait for
                await response.write(bytes([byte]))
                await asyncio.sleep(self.drip)
        return response


@contextmanager
def endpoint() -> Iterator[Endpoint]:
    server = Endpoint()
    server.start()
    try:
        yield server
    finally:
        server.end()


def which(body: Body) -> Asked:
    """The judgment that a request is about."""
    text = user_message(body)
    case, source = re.search(r"What is tea (\d+)\?", text), re.search(r"Source \[(\d+)\]", text)
    assert case
    assert source
    return int(case[1]), int(source[1])


def cases(path: Path, judgments: int) -> Path:
    """So many judgments, as cases with three sources each."""
    answer = "Tea {0} is hot [1]. It grows in {0} gardens [2]. Some drink it cold [3]."
    with path.open("w", encoding="utf-8") as stream:
        for n in range(judgments // SOURCES):
            case = {"id": str(n), "query": f"What is tea {n}?", "answer": answer.format(n)}
            stream.write(json.dumps(case) + "\n")
    return path


def command(server: Endpoint, given: Path, out: Path, *more: str | Path) -> list[str]:
    """The arguments of a run that asks one question for each source."""
    fixed = ["score", given, "-j", "openai:m", "--base-url", server.url, "--mode", "direct"]
    return [str(part) for part in (*fixed, "-m", "relevance", "-o", out, *more)]


def judged(out: Path) -> dict[Asked, dict[str, Any]]:
    """Every judgment of an output; none may be in it twice."""
    found: dict[Asked, dict[str, Any]] = {}
    for line in out.read_text(encoding="utf-8").splitlines():
        card = json.loads(line)
        for source in card["sources"]:
            asked = int(card["case"]), int(source["source"])
            assert asked not in found
            found[asked] = source["scores"]["relevance"]
    return found


def everything(judgments: int) -> set[Asked]:
    return {(n, source + 1) for n in range(judgments // SOURCES) for source in range(SOURCES)}


def assert_all_right(out: Path, judgments: int) -> None:
    """Every judgment is there once, with its own score."""
    found = judged(out)
    assert found.keys() == everything(judgments)
    wrong = {a: j for a, j in found.items() if j.get("score") != right_score(a)}
    assert not wrong, wrong


def begun(arguments: list[str], before: Callable[[], None] | None = None) -> subprocess.Popen[str]:
    """A command under way, in a process of its own."""
    return subprocess.Popen(
        [*COMMAND, *arguments],
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
        preexec_fn=before,
    )


def ended(child: subprocess.Popen[str]) -> str:
    """What it said, in the end."""
    said = child.communicate(timeout=120)[1]
    assert "Traceback" not in said, said
    assert "exception" not in said.lower(), said
    return said


def replies(store: Path) -> int:
    """How many replies a store holds."""
    db = sqlite3.connect(store)
    try:
        return int(db.execute("SELECT count(*) FROM replies").fetchone()[0])
    finally:
        db.close()
