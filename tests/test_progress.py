"""Progress: figures that are true, in words that fit, for terminals and for logs."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citemark.cli.standing import Asked, Standing, lasting, total_of, wrapped
from loopback import Loopback, Say, completion
from running import COMMAND, all_of, environment
from test_llm_interrupt import cases

MIDWAY = Standing(
    scored=900, failed=100, wanted=1400, total=11_000, exact=False, rate=12.5,
    asked=Asked(from_store=250, in_flight=16, tokens=1_234_567, cost="cost unknown"),
)  # fmt: skip


def test_the_figures_in_words() -> None:
    assert ", ".join(MIDWAY.parts()) == (
        "1,000 of about 11,000 judgments, 900 scored, 100 failed, 250 from store, 12.5/s, "
        "16 in flight, 1,234,567 tokens, cost unknown, 13 min 20 s left"
    )


def test_what_nobody_can_know_is_not_told() -> None:
    piped = Standing(900, 0, 1400, None, exact=False, rate=None)
    assert ", ".join(piped.parts()) == "900 of the 1,400 judgments read so far, 900 scored"
    assert Standing(0, 0, 0, None, exact=False, rate=None).parts() == ["starting"]
    stuck = Standing(5, 0, 10, 10, exact=True, rate=0.0)
    assert stuck.seconds_left is None


def test_the_total() -> None:
    assert total_of(120, 10, 100, ended=False) == (1200, False)
    assert total_of(120, 10, 100, ended=True) == (120, True)
    assert total_of(120, 10, None, ended=False) == (None, False)
    assert total_of(120, 10, None, ended=True) == (120, True)
    assert total_of(0, 0, 100, ended=False) == (None, False)
    assert total_of(120, 10, 5, ended=False)[0] == 120  # a file that grew


def test_durations() -> None:
    assert [lasting(s) for s in (0.2, 59.4, 59.6, 3599.4, 3600, 400_000)] == [
        "0 s", "59 s", "1 min 0 s", "59 min 59 s", "1 h 0 min", "111 h 6 min",
    ]  # fmt: skip


@given(st.lists(st.text("abc ", min_size=1, max_size=30), min_size=1), st.integers(5, 100))
def test_lines_fit(parts: list[str], width: int) -> None:
    lines = wrapped(parts, width)
    assert max(map(len, lines)) <= width


@pytest.mark.parametrize("width", [40, 80, 200])
def test_nothing_is_lost_in_a_narrow_terminal(width: int) -> None:
    lines = wrapped(MIDWAY.parts(), width)
    assert " ".join(lines) == ", ".join(MIDWAY.parts())
    assert len(lines) <= 5


def in_terminal(columns: int, *arguments: str, **env: str) -> str:
    """What a command prints into a terminal of this width."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 30, columns, 0, 0))
    process = subprocess.Popen(
        [*COMMAND, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env=environment(**{"TERM": "xterm-256color", **env}),
    )
    os.close(theirs)
    printed = all_of(ours)
    assert process.wait(60) == 0
    return printed


@pytest.mark.parametrize("columns", [40, 80])
def test_a_bar_with_figures_in_a_terminal(endpoint: Loopback, tmp_path: Path, columns: int) -> None:
    endpoint.respond = lambda _: Say(completion("14"), delay=0.1)
    given = cases(tmp_path / "cases.jsonl", 60)
    arguments = ("score", str(given), "-j", "openai:m", "--base-url", endpoint.url, "--mode",
                 "direct", "-m", "count", "--concurrency", "4", "-o", str(tmp_path / "o.jsonl"))  # fmt: skip
    shown = in_terminal(columns, *arguments, NO_COLOR="1")
    assert not re.search(r"\x1b\[(?:\d+;)*(?:3[0-8]|4[0-8]|9[0-7])[;m]", shown)
    plain = re.sub(r"\x1b\[[\d;?]*\w", "", shown)
    lines = [line for part in plain.split("\r") for line in part.split("\n")]
    bars = [line for line in lines if not line.startswith("citemark:")]
    assert max(len(line) for line in bars) <= columns
    text = " ".join(" ".join(bars).split())
    assert re.search(r"\d+ of (about )?60 judgments, \d+ scored, 0 from store,", text)
    assert re.search(r"\d/s, [1-4] in flight, [\d,]+ tokens, cost unknown, \d+ s left", text)
    assert "failed" not in text


QUICK_LINES = """
from citemark.cli import progress
progress.LINE_EVERY = 0.3
from citemark.cli import main
main()
"""


@pytest.mark.parametrize("piped", [False, True])
def test_lines_where_nobody_watches(endpoint: Loopback, tmp_path: Path, piped: bool) -> None:
    """They come although no case is finished: the first reply takes the longest."""
    endpoint.respond = lambda _: Say(completion("14"), delay=2.0 if len(endpoint.asked) == 1 else 0)
    given = cases(tmp_path / "cases.jsonl", 30)
    arguments = ["score", "-" if piped else str(given), "-j", "openai:m", "--base-url",
                 endpoint.url, "--mode", "direct", "-m", "count", "-o", str(tmp_path / "o.csv")]  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", QUICK_LINES, *arguments],
        input=given.read_bytes(),
        capture_output=True,
        env=environment(),
        timeout=60,
    )
    assert done.returncode == 0
    lines = [line for line in done.stderr.decode().splitlines() if " judgments, " in line]
    assert len(lines) >= 2
    assert all("\x1b" not in line for line in lines)
    assert re.fullmatch(
        r"citemark: 29 of 30 judgments, 29 scored, 0 from store, [\d.]+/s, 1 in flight, "
        r"3,045 tokens, cost unknown(, .* left)?",
        lines[-1],
    ), lines
