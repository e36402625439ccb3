"""A real HTTP server on loopback that speaks OpenAI's protocol and says what it is told to."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import log
from typing import Any

from aiohttp import web

import citemark

Body = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Say:
    """A response of the server: a status with a body, after a delay, or a broken connection."""

    body: Body | str | bytes = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    drop: bool = False
    """Close the connection instead of answering."""
    half: bool = False
    """Promise the whole body, send half of it and close the connection."""
    pieces: int = 1
    """Send the body in so many pieces, a moment apart."""


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


def token(text: str, p: float = 1.0, **others: float) -> Body:
    """A token of a reply, as it stands in logprobs; the names of others may begin with _."""
    top = [(text, p), *((name.removeprefix("_"), q) for name, q in others.items())]
    listed = [{"token": name, "logprob": log(q)} for name, q in top]
    return {"token": text, "logprob": log(p), "top_logprobs": listed}


def levels(ids: Sequence[str], given: Sequence[int], **sentences: list[int]) -> dict[str, Body]:
    """Sub-scores as a model sends them, with the sentences that some of them rest on."""
    return {
        i: {"level": level, "sentences": sentences.get(i, [])}
        for i, level in zip(ids, given, strict=True)
    }


def user_message(body: Body) -> str:
    """What the user says in a request."""
    [text] = [str(m["content"]) for m in body["messages"] if m["role"] == "user"]
    return text


class Loopback:
    """The server while it runs: where it is, what it was asked, and what it should say."""

    def __init__(self) -> None:
        self.asked: list[Body] = []
        self.headers: list[dict[str, str]] = []
        self.respond: Callable[[Body], Say | Body | str] = lambda _: "10"
        self.url = ""
        self.peers: set[object] = set()
        """One for each connection that was made."""
        self.busy = self.busiest = 0
        """How many requests are, and at most were, being answered at once."""

    @property
    def prompts(self) -> list[str]:
        """The user messages that came in."""
        return [user_message(body) for body in self.asked]

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        body = json.loads(await request.text())
        self.asked.append(body)
        self.headers.append(dict(request.headers))
        transport = request.transport
        assert transport is not None
        self.peers.add(transport.get_extra_info("peername"))
        self.busy += 1
        self.busiest = max(self.busy, self.busiest)
        try:
            return await self._answer(request, body)
        finally:
            self.busy -= 1

    async def _answer(self, request: web.Request, body: Body) -> web.StreamResponse:
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
        if not say.half and say.pieces == 1:
            return web.Response(status=say.status, body=data, headers=headers)
        headers["Content-Length"] = str(len(data))
        response = web.StreamResponse(status=say.status, headers=headers)
        await response.prepare(request)
        if say.half:
            await response.write(data[: len(data) // 2])
            transport = request.transport
            assert transport is not None
            transport.close()
            return response
        size = -(-len(data) // say.pieces)
        for start in range(0, len(data), size):
            await response.write(data[start : start + size])
            await asyncio.sleep(0.01)
        return response


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


CASE = {"query": "Why?", "answer": "Because it rains [1]. It pours [2]."}
SECRET = "sk-secret-0123456789abcdef"


def ask(
    endpoint: Loopback | str, case: dict[str, Any] = CASE, **options: Any
) -> citemark.Scorecard:
    """Score a case with the server as judge, in mode direct unless told otherwise."""
    url = endpoint if isinstance(endpoint, str) else endpoint.url
    settings: dict[str, Any] = {
        "mode": "direct", "metrics": ["relevance"], "first_wait": 0.01, "retries": 2,
    }  # fmt: skip
    return citemark.score(case, judge="openai:m", base_url=url, **(settings | options))


def error(message: str, **more: str) -> dict[str, Any]:
    """The body of an error as OpenAI words it."""
    return {"error": {"message": message, **more}}


def first_then(*says: Say | Body | str) -> Any:
    """A server that says these things first and then a score."""
    left: Iterator[Say | Body | str] = iter(says)
    return lambda _: next(left, "14")
