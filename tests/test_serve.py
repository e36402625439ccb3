"""``citemark serve`` in a process of its own, as a user starts it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from running import COMMAND, environment, run
from web_server import CASE


@contextmanager
def started(*arguments: str | Path, **env: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The command while it serves, and its URL."""
    command = [*COMMAND, "serve", "--port", "0", *map(str, arguments)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(**env)
    ) as process:
        try:
            assert process.stdout is not None
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


def test_it_tells_its_url_serves_and_ends_cleanly(tmp_path: Path) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        with started("--folder", tmp_path) as (process, url):
            assert url.startswith("http://127.0.0.1:")
            assert httpx.get(f"{url}healthz").json()["status"] == "ok"
            assert httpx.post(f"{url}api/score", json=CASE).status_code == 200
            process.send_signal(number)
            _, talk = process.communicate(timeout=20)
            assert process.returncode == 0
            assert "Traceback" not in talk
            assert talk.rstrip().endswith("ended")


def test_the_folder_is_the_one_it_was_started_with(tmp_path: Path) -> None:
    (tmp_path / "cases.jsonl").write_text(json.dumps(CASE) + "\n")
    with started("--folder", tmp_path) as (_, url):
        files = httpx.get(f"{url}api/files").json()["files"]
        assert [file["name"] for file in files] == ["cases.jsonl"]
    done = run("serve", "--folder", tmp_path / "nowhere")
    assert done.code == 2
    assert "no such folder" in done.err


def test_a_taken_port_is_told() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = run("serve", "--port", str(port))
    assert done.code == 2
    assert f"port {port} is taken" in done.err
    assert "--port" in done.err


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.invalid"])
def test_another_address_needs_a_token(host: str) -> None:
    done = run("serve", "--host", host, "--port", "0")
    assert done.code == 2
    assert "--token" in done.err


def test_an_address_that_this_machine_has_not() -> None:
    done = run("serve", "--host", "192.0.2.1", "--token", "x" * 20, "--port", "0")
    assert done.code == 2
    assert "cannot listen" in done.err


def test_the_token_from_the_environment(tmp_path: Path) -> None:
    token = "a-long-token-from-the-environment"
    with started(
        "--folder", tmp_path, "--host", "0.0.0.0", CITEMARK_TOKEN=token
    ) as (process, url):  # fmt: skip
        url = url.replace("0.0.0.0", "127.0.0.1")
        assert httpx.get(f"{url}api/rubrics").status_code == 401
        given = {"Authorization": f"Bearer {token}"}
        assert httpx.get(f"{url}api/rubrics", headers=given).status_code == 200
        process.send_signal(signal.SIGINT)
        output, talk = process.communicate(timeout=20)
    assert token not in output + talk


@pytest.mark.parametrize("url", ["ftp://x", "http://user:pw@host/v1", "nonsense"])
def test_a_bad_base_url_is_told_at_once(url: str) -> None:
    done = run("serve", "--base-url", url)
    assert done.code == 2
    assert "--base-url" in done.err
    assert "pw" not in done.err


@pytest.mark.parametrize("missing", ["starlette", "uvicorn"])
def test_without_its_packages_it_says_what_to_install(missing: str) -> None:
    script = f"import sys; sys.modules['{missing}'] = None; from citemark.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", script, "serve"], capture_output=True, text=True, env=os.environ
    )
    assert done.returncode == 2
    assert "pip install 'citemark[web]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_library_does_not_import_the_web() -> None:
    script = (
        "import sys, citemark; citemark.score(query='q', answer='A [1].');"
        "print([m for m in ('starlette', 'uvicorn', 'citemark.web') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
