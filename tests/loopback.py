"""A real HTTP server on loopback that speaks OpenAI's protocol and says what it is told to."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

Body = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Say:
    """A response of the server: a status with a body, after a delay, or a broken connection."""

    body: Body | str | bytes = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    drop: bool = False


def completion(
    text: str,
    *,
    logprobs: list[Body] | None = None,
    finish: str = "stop",
    refusal: str | None = None,
) -> Body:
    """A chat completion with this text."""
    message: Body = {"role": "assistant", "content": text}
    if refusal:
        message["refusal"] = refusal
    choice: Body = {"index": 0, "message": message, "finish_reason": finish}
    if logprobs is not None:
        choice["logprobs"] = {"content": logprobs}
    usage = {"prompt_tokens": 100, "completion_tokens": 5}
    return {"id": "x", "object": "chat.completion", "choices": [choice], "usage": usage}


class Loopback:
    """The server while it runs: where it is, what it was asked, and what it should say."""

    def __init__(self) -> None:
        self.asked: list[Body] = []
        self.headers: list[dict[str, str]] = []
        self.respond: Callable[[Body], Say | Body | str] = lambda _: "10"
        self.url = ""

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        body = json.loads(await request.text())
        self.asked.append(body)
        self.headers.append(dict(request.headers))
        said = self.respond(body)
        if isinstance(said, str):
            said = completion(said)
        say = said if isinstance(said, Say) else Say(said)
        if say.delay:
            await asyncio.sleep(say.delay)
        if say.drop:
            transport = request.transport
            assert transport is not None
            transport.close()
            return web.Response()
        payload = say.body
        if isinstance(payload, dict):
            payload = json.dumps(payload)
        data = payload.encode() if isinstance(payload, str) else payload
        headers = {"Content-Type": "application/json", **say.headers}
        return web.Response(status=say.status, body=data, headers=headers)


@contextmanager
def serving() -> Iterator[Loopback]:
    """Run the server in a thread of its own for as long as the block lasts."""
    server = Loopback()
    loop = asyncio.new_event_loop()
    ready = threading.Event()

    async def start() -> None:
        app = web.Application()
        app.router.add_post("/v1/chat/completions", server._handle)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        host, port = runner.addresses[0][:2]
        server.url = f"http://{host}:{port}/v1"
        stop.append(runner.cleanup)
        ready.set()

    stop: list[Callable[[], Any]] = []

    def run() -> None:
        asyncio.set_event_loop(loop)
        loop.run_until_complete(start())
        loop.run_forever()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    if not ready.wait(10):
        raise RuntimeError("the loopback server did not start")
    try:
        yield server
    finally:
        asyncio.run_coroutine_threadsafe(stop[0](), loop).result(5)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(5)
        loop.close()
