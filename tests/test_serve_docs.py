"""The examples in docs/serve.md run, and what it lists is there."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from running import ROOT, run
from web_server import CASE, served

PAGE = (ROOT / "docs" / "serve.md").read_text(encoding="utf-8")
ADDRESS = "http://127.0.0.1:8765"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_every_curl_line_works(tmp_path: Path) -> None:
    if shutil.which("curl") is None:
        pytest.skip("needs curl")
    (tmp_path / "cases.jsonl").write_text(json.dumps(CASE) + "\n")
    lines = [block for block in blocks("sh") if block.startswith("curl")]
    assert len(lines) >= 5
    with served(tmp_path) as web:
        for line in lines:
            words = shlex.split(line.replace(ADDRESS, web.url).replace("\\\n", " "))
            done = subprocess.run(
                [*words, "--silent", "--show-error", "--fail-with-body"],
                capture_output=True,
                text=True,
            )
            assert done.returncode == 0, done.stdout + done.stderr
            assert done.stdout
        for run_id in (entry["id"] for entry in web.get("/api/runs").json()["runs"]):
            web.ended(run_id)


def test_the_problem_is_the_one_that_is_sent(tmp_path: Path) -> None:
    (shown,) = blocks("json")
    with served(tmp_path) as web:
        sent = web.post("/api/score", {"query": "Why?", "answer": ""}).json()
    assert sent == json.loads(shown)


def test_every_address_is_listed() -> None:
    described = json.loads((ROOT / "src/citemark/web/openapi.json").read_text(encoding="utf-8"))
    for path in described["paths"]:
        assert f"{path}`" in PAGE or f"{path}?name=`" in PAGE, path


def test_every_option_that_is_named_exists() -> None:
    known = run("serve", "--help").out
    for option in set(re.findall(r"--[a-z][a-z-]+", PAGE)):
        assert option in known
