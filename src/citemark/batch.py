"""Requests and replies as files: the OpenAI batch format, which other tools can fill in too."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from citemark.errors import UsageError
from citemark.judges.llm.endpoint import Endpoint
from citemark.judges.llm.request import Request, read_body
from citemark.results import json_line
from citemark.store import KEY_LENGTH, Store

_PREFIX = "citemark-"


def request_line(request: Request, endpoint: Endpoint) -> str:
    """One request as a line; its id is its key, so replies may come back in any order."""
    return json_line(
        {
            "custom_id": _PREFIX + request.key(endpoint).hex(),
            "method": "POST",
            "url": "/v1/chat/completions",
            "body": request.body(endpoint),
        }
    )


def import_replies(
    files: Iterable[Path], store: Store, say: Callable[[str], None]
) -> tuple[int, int]:
    """Keep every reply of these files; returns how many were kept and how many lines had none."""
    kept = failed = 0
    for path in files:
        for number, line in _lines(path):
            try:
                key, body = _reply(line)
                model = str(body.get("model", "")).encode("utf-8", "replace").decode()
                store.put(key, "batch", model, json.dumps(body))
                kept += 1
            except ValueError as error:
                failed += 1
                say(f"{path}:{number}: {error}")
    return kept, failed


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a file that are not empty, with their numbers, one at a time."""
    try:
        # In bytes: a reply may hold characters that only Python takes for line ends.
        with path.open("rb") as stream:
            for number, raw in enumerate(stream, start=1):
                line = raw.decode("utf-8-sig" if number == 1 else "utf-8")
                if line.strip():
                    yield number, line
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read ({error})") from None


def _reply(line: str) -> tuple[bytes, dict[str, Any]]:
    """The key and the completion in one line; ValueError says why there is none."""
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        raise ValueError("not valid JSON") from None
    if not isinstance(data, dict):
        raise ValueError("not an object with custom_id and response")
    key = _key(data.get("custom_id"))
    if isinstance(data.get("content"), str):
        choice = {"message": {"content": data["content"]}, "finish_reason": "stop"}
        return key, {"model": "by hand", "choices": [choice]}
    response = data.get("response")
    if data.get("error") or not isinstance(response, dict):
        raise ValueError(f"no reply: {_said(data.get('error'))}")
    body = response.get("body")
    if response.get("status_code", 200) != 200 or not isinstance(body, dict):
        said = body.get("error") if isinstance(body, dict) else None
        raise ValueError(f"no reply: HTTP {response.get('status_code')}, {_said(said)}")
    read_body(body, wants_logprobs=False)
    return key, body


def _key(custom_id: Any) -> bytes:
    if not isinstance(custom_id, str) or not custom_id.startswith(_PREFIX):
        raise ValueError('"custom_id" is not one of Citemark\'s; was it changed on the way?')
    try:
        key = bytes.fromhex(custom_id.removeprefix(_PREFIX))
    except ValueError:
        key = b""
    if len(key) != KEY_LENGTH:
        raise ValueError('"custom_id" is not one of Citemark\'s; was it changed on the way?')
    return key


def _said(error: Any) -> str:
    message = error.get("message") if isinstance(error, dict) else error
    return " ".join(str(message or "no explanation").split())[:160]
