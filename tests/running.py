"""How the tests run the command: in a process of its own, as a user does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RUBRICS = ROOT.parent / "shared" / "rubrics"
COMMAND = [sys.executable, "-m", "citemark"]
_UNSET = ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "PYTHONPATH")
A: dict[str, Any] = {
    "id": "a",
    "query": "What is tea?",
    "answer": "Tea is a hot drink made from leaves [1]. China grew 3 million tonnes in 2020 [2].",
    "sources": [
        {"n": 1, "url": "https://www.tea.org/a", "title": "All about tea"},
        {"n": 2, "url": "https://news.farm.com/b"},
        {"n": 3, "title": "Coffee"},
    ],
}
B: dict[str, Any] = {"id": "b", "query": "Why?", "answer": "Because it rains [1]."}
BAD = '{"query": "q", "answer": ""}'


class Done:
    """What a run printed and how it ended."""

    def __init__(self, done: subprocess.CompletedProcess[bytes]) -> None:
        self.code = done.returncode
        self.out = done.stdout.decode()
        self.err = done.stderr.decode()
        assert "Traceback" not in self.err, self.err

    @property
    def cards(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]


def environment(**changes: str) -> dict[str, str]:
    """The environment of a run: ours, but for what would change how output looks."""
    ours = {name: value for name, value in os.environ.items() if name not in _UNSET}
    return {**ours, **changes}


def run(*arguments: str | Path, stdin: bytes = b"", cwd: Path = ROOT, **env: str) -> Done:
    command = [*COMMAND, *map(str, arguments)]
    done = subprocess.run(
        command, input=stdin, capture_output=True, cwd=cwd, env=environment(**env), timeout=60
    )
    return Done(done)


def all_of(terminal: int) -> str:
    """All that is printed into a terminal until nobody holds its other end; closes it."""
    printed = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # how Linux tells that the other end is gone
            break
        if not part:
            break
        printed += part
    os.close(terminal)
    return printed.decode()


def file(folder: Path, name: str, *cases: dict[str, Any] | str) -> Path:
    path = folder / name
    rows = [case if isinstance(case, str) else json.dumps(case) for case in cases]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path
