"""A chat-completions server on loopback that gives every source 14, at once or after a while.

    python benchmarks/judge_server.py

Prints its port and serves until its standard input is closed. The path says how it answers:
``/MILLISECONDS/FORM/v1/chat/completions``, where FORM is ``number`` (the text ``14``) or
``json`` (an object with a score and a reason, which the frameworks want). It does as little as
it can, so that what is measured is the client.
"""

from __future__ import annotations

import asyncio
import json
import sys

from aiohttp import web

_OBJECT = json.dumps({"reason": "good", "reasoning": "good", "score": 14, "value": 14})


def _completion(text: str) -> bytes:
    message = {"role": "assistant", "content": text}
    body = {
        "id": "bench",
        "object": "chat.completion",
        "created": 1700000000,
        "model": "bench",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1500, "completion_tokens": 1, "total_tokens": 1501},
    }
    return json.dumps(body).encode()


_REPLIES = {"number": _completion("14"), "json": _completion(_OBJECT)}


async def _answer(request: web.BaseRequest) -> web.Response:
    await request.read()
    _, milliseconds, form, _ = request.path.split("/", 3)
    if milliseconds != "0":
        await asyncio.sleep(int(milliseconds) / 1000)
    return web.Response(body=_REPLIES[form], content_type="application/json")


async def main() -> None:
    """Serve until standard input ends."""
    # Neither routes nor an application: they would cost more than the answer does.
    server = web.Server(_answer, access_log=None)
    listening = await asyncio.get_running_loop().create_server(server, "127.0.0.1", 0, backlog=512)
    print(listening.sockets[0].getsockname()[1], flush=True)
    await asyncio.to_thread(sys.stdin.read)
    listening.close()
    await server.shutdown(1)


if __name__ == "__main__":
    asyncio.run(main())
