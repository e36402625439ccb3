"""Who is let in, and who is not: names, sites, tokens, sizes, numbers, paths."""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from citemark.web.folder import Folder
from citemark.web.guards import HEADERS
from citemark.web.problems import ApiError
from citemark.web.setup import Limits, Setup
from web_server import CASE, Served, problem, served

TOKEN = "correct-horse-battery-staple"
JSON = {"content-type": "application/json"}


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("folder")) as server:
        yield server


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("folder"), token=TOKEN) as server:
        yield server


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1.evil.example", "localhost@evil.example", "10.0.0.1", "", "[::1"],
)
def test_only_its_own_names(web: Served, host: str) -> None:
    for path in ("/", "/healthz", "/api/rubrics", "/static/app/styles/app.css"):
        problem(web.get(path, headers={"host": host}), 403)


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:9", "127.0.0.1:1", "[::1]:80"])
def test_its_own_names_with_any_port(web: Served, host: str) -> None:
    assert web.get("/healthz", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:1"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_no_other_site_can_ask(web: Served, headers: dict[str, str]) -> None:
    for path in ("/api/score", "/api/runs", "/api/files?name=x.jsonl", "/"):
        problem(web.post(path, CASE, headers=headers), 403)
    if "sec-fetch-site" in headers:
        problem(web.get("/api/rubrics", headers=headers), 403)
        assert web.get("/", headers=headers).status_code == 200  # a link to the page is fine


def test_its_own_page_can_ask(web: Served) -> None:
    headers = {"origin": web.url, "sec-fetch-site": "same-origin"}
    assert web.post("/api/score", CASE, headers=headers).status_code == 200


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""]
)
def test_a_form_cannot_ask(web: Served, kind: str) -> None:
    with web.client() as client:
        body = json.dumps(CASE)
        problem(client.post("/api/score", content=body, headers={"content-type": kind}), 415)


def test_every_response_has_safe_headers(web: Served) -> None:
    responses = [
        web.get("/"),
        web.get("/nothing"),
        web.get("/healthz", headers={"host": "evil.example"}),
        web.post("/api/score", CASE),
    ]
    for response in responses:
        for name in set(HEADERS) - {"Cache-Control"}:
            assert response.headers[name] == HEADERS[name]
        assert "server" not in response.headers
    policy = responses[0].headers["content-security-policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy


@pytest.mark.parametrize("path", ["/", "/docs", "/openapi.json", "/api/rubrics", "/nothing"])
def test_nothing_without_the_token(locked: Served, path: str) -> None:
    response = locked.get(path)
    problem(response, 401)
    assert response.headers["www-authenticate"].startswith("Bearer")
    for wrong in ("x", TOKEN[:-1], TOKEN + "x", "é"):
        given = {"authorization": f"Bearer {wrong}".encode()}
        problem(locked.get(path, headers=given), 401)
    problem(locked.get(path, headers={"cookie": f"citemark-{locked.url[-5:]}=x"}), 401)


def test_the_token_opens(locked: Served) -> None:
    given = {"authorization": f"Bearer {TOKEN}"}
    assert locked.get("/api/rubrics", headers=given).status_code == 200
    assert locked.post("/api/score", CASE, headers=given).status_code == 200
    assert locked.get("/healthz").status_code == 200


def test_a_browser_shows_the_token_once(locked: Served) -> None:
    with locked.client() as client:
        problem(client.get("/?token=wrong"), 401)
        answer = client.get(f"/?token={TOKEN}")
        assert answer.status_code == 303
        assert answer.headers["location"] == "/"
        cookie = answer.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert TOKEN not in cookie
        assert client.get("/").status_code == 200
        assert client.post("/api/score", json=CASE).status_code == 200
        # The cookie opens nothing for another site.
        problem(
            client.post("/api/score", json=CASE, headers={"origin": "http://evil.example"}), 403
        )


def test_a_person_without_the_token_gets_a_page(locked: Served) -> None:
    response = locked.get("/", headers={"sec-fetch-mode": "navigate"})
    assert response.status_code == 401
    assert response.headers["content-type"].startswith("text/html")


def test_elsewhere_an_address_is_fine_but_a_name_is_not(tmp_path: Path) -> None:
    with served(tmp_path, host="0.0.0.0", token=TOKEN) as web:
        given = {"authorization": f"Bearer {TOKEN}"}
        assert web.get("/", headers={**given, "host": "192.168.1.7:80"}).status_code == 200
        problem(web.get("/", headers={**given, "host": "evil.example"}), 403)


def test_a_long_body_is_refused(tmp_path: Path) -> None:
    with served(tmp_path, limits=Limits(body=1000)) as web:
        long = {**CASE, "answer": "x" * 2000}
        problem(web.post("/api/score", long), 413)

        def pieces() -> Iterator[bytes]:
            yield b'{"query": "q", "answer": "'
            for _ in range(50):
                yield b"x" * 100
            yield b'"}'

        with web.client() as client:
            problem(client.post("/api/score", content=pieces(), headers=JSON), 413)
        assert web.post("/api/score", CASE).status_code == 200


def test_a_slow_body_is_not_waited_for(tmp_path: Path) -> None:
    with served(tmp_path, limits=Limits(body_seconds=0.3)) as web:
        address = httpx.URL(web.url)
        with socket.create_connection((address.host, address.port or 80), timeout=10) as slow:
            slow.sendall(
                b"POST /api/score HTTP/1.1\r\nHost: localhost\r\n"
                b"Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
            )
            assert slow.recv(1000).startswith(b"HTTP/1.1 408")


def test_too_much_at_once_is_refused_politely(tmp_path: Path) -> None:
    slow = {"query": "Where?", "answer": "Tea is grown on hills of 1,200 metres [1]. " * 8000}
    with served(tmp_path, limits=Limits(workers=1, waiting=1)) as web:
        with ThreadPoolExecutor(8) as pool:
            responses = list(pool.map(lambda _: web.post("/api/score", slow), range(8)))
        codes = [response.status_code for response in responses]
        assert set(codes) == {200, 503}
        for response in responses:
            if response.status_code == 503:
                problem(response, 503)
                assert int(response.headers["retry-after"]) >= 1
        assert web.post("/api/score", CASE).status_code == 200


def test_too_many_connections_are_refused_politely(tmp_path: Path) -> None:
    with served(tmp_path, limits=Limits(requests=2, body_seconds=5)) as web:
        address = httpx.URL(web.url)
        held = []
        for _ in range(2):
            slow = socket.create_connection((address.host, address.port or 80), timeout=10)
            slow.sendall(
                b"POST /api/score HTTP/1.1\r\nHost: localhost\r\n"
                b"Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
            )
            held.append(slow)
        for _ in range(100):
            if (response := web.get("/healthz")).status_code == 503:
                break
            time.sleep(0.02)
        problem(response, 503)
        for slow in held:
            slow.close()


def test_a_crash_tells_nothing_about_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(_: object) -> None:
        raise ValueError("secret insides")

    monkeypatch.setattr("citemark.web.scores.linted", crash)
    with served(tmp_path) as web:
        response = web.post("/api/lint", CASE)
        assert "secret" not in json.dumps(problem(response, 500))
        assert response.headers["content-security-policy"] == HEADERS["Content-Security-Policy"]
        assert web.get("/healthz").status_code == 200


def test_the_page_answers_while_something_long_is_scored(tmp_path: Path) -> None:
    slow = {"query": "Where?", "answer": "Tea is grown on hills of 1,200 metres [1]. " * 15_000}
    with served(tmp_path, limits=Limits(workers=1)) as web:
        thread = threading.Thread(target=lambda: web.post("/api/score", slow))
        thread.start()
        answered = 0
        while thread.is_alive():
            answered += web.get("/healthz").status_code == 200
        thread.join()
        assert answered > 3


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    root = tmp_path / "served"
    (root / "deep").mkdir(parents=True)
    (tmp_path / "secret.jsonl").write_text("{}")
    for name in ("a.jsonl", "deep/b.jsonl", ".hidden.jsonl", "notes.txt"):
        (root / name).write_text(json.dumps(CASE) + "\n")
    (root / ".env").write_text("OPENAI_API_KEY=sk-secret")
    (root / "way-out.jsonl").symlink_to(tmp_path / "secret.jsonl")
    (root / "way-round.jsonl").symlink_to(root / "a.jsonl")
    (root / "key.jsonl").symlink_to(root / ".env")
    (root / "up").symlink_to(tmp_path)
    (root / "folder.jsonl").mkdir()
    os.mkfifo(root / "pipe.jsonl")
    (root / "loop.jsonl").symlink_to(root / "loop.jsonl")
    return Folder(root)


OUTSIDE = [
    "../secret.jsonl",
    "deep/../../secret.jsonl",
    "/etc/passwd",
    "/secret.jsonl",
    "way-out.jsonl",
    "up/secret.jsonl",
    "up/served/a.jsonl/../../secret.jsonl",
    "key.jsonl",
    ".env",
    ".hidden.jsonl",
    "notes.txt",
    "folder.jsonl",
    "pipe.jsonl",
    "loop.jsonl",
    "a.jsonl\0",
    "a.jsonl\0.jsonl",
    "..\\secret.jsonl",
    "a.jsonl/",
    "./a.jsonl",
    "//a.jsonl",
    "",
    ".",
    "x" * 5000 + ".jsonl",
    "\ud800.jsonl",
]


@pytest.mark.parametrize("name", OUTSIDE)
def test_nothing_outside_the_folder_is_opened(folder: Folder, name: str) -> None:
    with pytest.raises(ApiError) as caught:
        folder.open_path(name)
    assert caught.value.status in (404, 422)


def test_what_is_in_the_folder_is_opened(folder: Folder) -> None:
    assert folder.open_path("deep/b.jsonl").read_text()
    assert folder.open_path("way-round.jsonl") == folder.root / "a.jsonl"
    names = {entry.name for entry in folder.entries()}
    assert names == {"a.jsonl", "deep/b.jsonl", "way-round.jsonl"}


@pytest.mark.parametrize("name", ["../x.jsonl", "/tmp/x.jsonl", "a/b/x.jsonl", "..\\x.jsonl"])
def test_what_is_kept_lands_in_the_folder(folder: Folder, name: str) -> None:
    assert folder.new_path(name) == folder.root / "x.jsonl"


def test_nothing_is_ever_overwritten(folder: Folder) -> None:
    assert folder.new_path("a.jsonl") == folder.root / "a-2.jsonl"
    assert folder.new_path("way-out.jsonl") == folder.root / "way-out-2.jsonl"
    assert folder.new_path("loop.jsonl") == folder.root / "loop-2.jsonl"


def test_paths_over_http(folder: Folder) -> None:
    with served(folder.root) as web:
        address = httpx.URL(web.url)
        for name in ("../secret.jsonl", "%2e%2e/secret.jsonl", "..%2fsecret.jsonl", "way-out.jsonl",
                     "%2Fetc%2Fpasswd", ".env", "key.jsonl", "a.jsonl%00"):  # fmt: skip
            # By hand: a client would tidy the path before it sends it.
            with socket.create_connection((address.host, address.port or 80), timeout=10) as raw:
                request = f"GET /api/results/{name} HTTP/1.1\r\nHost: localhost\r\n"
                raw.sendall(f"{request}Connection: close\r\n\r\n".encode())
                answer = b""
                while part := raw.recv(65536):
                    answer += part
            assert answer.split(b" ")[1] in (b"404", b"422"), name
            assert b"sk-secret" not in answer
            run = web.post("/api/runs", {"file": name, "judge": "embedded"})
            assert run.status_code in (404, 422)


def test_a_setup_does_not_show_its_secrets(tmp_path: Path) -> None:
    setup = Setup(Folder(tmp_path), token=TOKEN)
    assert TOKEN not in repr(setup)
    assert setup.session not in repr(setup)
