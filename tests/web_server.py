"""A real server of the web app on loopback, in a thread of the test."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from citemark.web.folder import Folder
from citemark.web.serving import Server, address_of, bound
from citemark.web.setup import Setup

CASE = {"query": "What is tea?", "answer": "Tea is a drink made from leaves [1]. It is hot [2]."}


@dataclass
class Served:
    """The server while it runs."""

    url: str
    server: Server
    folder: Path

    def client(self, **options: Any) -> httpx.Client:
        return httpx.Client(base_url=self.url, timeout=60, **options)

    def post(self, path: str, data: Any, **options: Any) -> httpx.Response:
        with self.client() as client:
            return client.post(path, json=data, **options)

    def get(self, path: str, **options: Any) -> httpx.Response:
        with self.client() as client:
            return client.get(path, **options)

    def run_to_end(self, wish: dict[str, Any]) -> dict[str, Any]:
        """Start a run and wait for its end."""
        started = self.post("/api/runs", wish)
        assert started.status_code == 201, started.text
        return self.ended(started.json()["id"])

    def ended(self, identifier: str) -> dict[str, Any]:
        for _ in range(600):
            run: dict[str, Any] = self.get(f"/api/runs/{identifier}").json()
            if run["state"] in ("done", "failed", "cancelled"):
                return run
            time.sleep(0.05)
        raise AssertionError(f"the run did not end: {run}")


@contextmanager
def served(folder: Path, **setup: Any) -> Iterator[Served]:
    """Serve a folder for as long as the block lasts."""
    host = setup.pop("bind", "127.0.0.1")
    taken = bound(host, 0)
    port = taken.getsockname()[1]
    server = Server(Setup(Folder(folder), port=port, **setup))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [taken]}, daemon=True)
    thread.start()
    for _ in range(200):
        if server.started:
            break
        time.sleep(0.02)
    try:
        yield Served(address_of(taken, host).rstrip("/"), server, folder)
    finally:
        server.end()
        thread.join(20)
        taken.close()
        assert not thread.is_alive()


def problem(response: httpx.Response, status: int) -> dict[str, Any]:
    """The problem that a response is, checked for its form."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    body: dict[str, Any] = response.json()
    assert body["status"] == status
    assert body["detail"]
    assert set(body) == {"type", "title", "status", "detail", "where", "next"}
    return body


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
