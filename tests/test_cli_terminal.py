"""The command among pipes, terminals and signals, and with very large input."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from running import COMMAND, A, B, all_of, environment, file, run


def test_standard_output_may_be_closed_early(tmp_path: Path) -> None:
    cases = [{**A, "id": f"c{n}"} for n in range(2000)]
    path = file(tmp_path, "many.jsonl", *cases)
    fast = ["--judge", "embedded:fast"]
    for arguments in (
        ["score", *fast],
        ["score", *fast, "--format", "jsonl", "-o", "out.csv"],
        ["parse"],
    ):
        process = subprocess.Popen(
            [*COMMAND, arguments[0], str(path), *arguments[1:]],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=tmp_path,
            env=environment(),
        )
        assert process.stdout is not None
        assert process.stderr is not None
        assert b"c0" in process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        process.stderr.close()
        assert process.wait(60) == 141
    assert [p.name for p in tmp_path.iterdir()] == ["many.jsonl"]


def in_terminal(*arguments: str | Path, **env: str) -> str:
    """What a command prints into a terminal of 100 columns; standard error goes there too."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment(**{"TERM": "xterm-256color", "COLUMNS": "100", **env}),
    )
    os.close(theirs)
    printed = all_of(ours)
    assert process.wait(60) in (0, 1)
    return printed


COLOUR = re.compile(r"\x1b\[(?:\d+;)*(?:3[0-8]|4[0-8]|9[0-7])[;m]")


@pytest.mark.parametrize("command", ["score", "lint"])
def test_colour_only_where_it_is_wanted(tmp_path: Path, command: str) -> None:
    path = file(tmp_path, "c.jsonl", {**A, "answer": "Tea is a hot drink [1][7]."})
    assert COLOUR.search(in_terminal(command, path))
    assert not COLOUR.search(in_terminal(command, path, NO_COLOR="1"))
    assert "\x1b" not in run(command, path).out


def test_a_bar_for_many_cases_but_never_through_the_table(tmp_path: Path) -> None:
    many = file(tmp_path, "many.jsonl", *({**A, "id": f"c{n}"} for n in range(60)))
    bar = re.sub(r"\x1b\[[\d;?]*\w", "", in_terminal("score", many, "-o", tmp_path / "o.csv"))
    assert re.search(r"\d+ of (about )?600 judgments, \d+ scored", bar)
    assert " judgments, " not in in_terminal("score", many)
    few = file(tmp_path, "few.jsonl", A)
    assert " judgments, " not in in_terminal("score", few, "-o", tmp_path / "o.csv")


EVIL = "\x1b]0;owned\x07\x1b[31m\x9b2J \x00\x08\r\n\u202e"


def test_control_characters_do_not_reach_the_terminal(tmp_path: Path) -> None:
    case = {
        "id": f"x{EVIL}",
        "query": f"q{EVIL}",
        "answer": f"Tea is hot [1]. It is {EVIL} wet [7].",
        "sources": [{"n": 1, "title": f"t{EVIL}", "url": f"https://a.org/{EVIL}"}],
    }
    path = file(tmp_path, "c.jsonl", case, case, {**case, "answer": 1})
    raw = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]")
    for command in (
        ["score"],
        ["score", "--format", "jsonl"],
        ["score", "--format", "rows"],
        ["parse"],
        ["lint"],
        ["lint", "--format", "jsonl"],
    ):
        done = run(command[0], path, *command[1:])
        assert done.code == 1
        assert raw.sub("", done.err) == done.err, command
        shown = done.out if "--format" not in command and command != ["parse"] else ""
        assert raw.sub("", shown) == shown, command
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", done.out), command
    named = tmp_path / "a\x1b[31m.jsonl"
    assert "\x1b" not in run("score", named).err


def test_right_to_left_text(tmp_path: Path) -> None:
    case = {
        "id": "he",
        "query": "מהו תה?",
        "answer": "תה הוא משקה חם [1]. الشاي مشروب ساخن [2].",
        "sources": [{"n": 1, "title": "הכול על תה"}, {"n": 2, "title": "كل شيء عن الشاي"}],
    }
    path = file(tmp_path, "c.jsonl", case)
    done = run("score", path)
    assert done.code == 0
    assert "he  מהו תה?  (7 words, 2 of 2 sources cited)" in done.out
    assert "הכול על תה" in done.out
    ascii_locale = run("score", path, LC_ALL="C", PYTHONUTF8="0")
    assert ascii_locale.out == done.out


def test_a_case_of_any_size(tmp_path: Path) -> None:
    markers = file(tmp_path, "markers.jsonl", {**B, "answer": "It rains [1]. " * 10_000})
    long = file(tmp_path, "long.jsonl", {**B, "answer": "Rain falls on the plain [1]. " * 37_000})
    start = time.perf_counter()
    (card,) = run("parse", markers).cards
    assert len(card["sentences"]) == 10_000
    done = run("lint", long)
    assert done.code == 0
    assert time.perf_counter() - start < 10
    (card,) = run("score", markers, "--format", "jsonl").cards
    assert card["sources"][0]["impression"]["sentences"] == 10_000
    unknown = file(tmp_path, "u.jsonl", {**B, "answer": "It rains [7].\n" * 10_000, "sources": [1]})
    start = time.perf_counter()
    found = run("lint", unknown)
    assert time.perf_counter() - start < 5
    assert found.out.splitlines()[-1].startswith("b:10000:10: error unknown_source: [7] names")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_leaves_nothing_behind(tmp_path: Path, number: signal.Signals) -> None:
    path = file(tmp_path, "many.jsonl", *({**A, "id": f"c{n}"} for n in range(30_000)))
    for ending in ("jsonl", "parquet"):
        process = subprocess.Popen(
            [*COMMAND, "score", str(path), "--judge", "embedded:fast", "-o", f"out.{ending}"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=tmp_path,
            env=environment(),
        )
        deadline = time.monotonic() + 20
        while len(list(tmp_path.iterdir())) < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.2)
        process.send_signal(number)
        out, err = process.communicate(timeout=20)
        assert (process.returncode, out) == (128 + number, b"")
        assert err == b"citemark: interrupted; no file was written\n"
        assert [p.name for p in tmp_path.iterdir()] == ["many.jsonl"]


def test_a_full_disk_is_told_in_one_line(tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    with Path("/dev/full").open("wb") as full:
        command = [*COMMAND, "demo", "-o", str(tmp_path / "demo.html")]
        done = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, env=environment(), check=False
        )
    assert done.returncode == 2
    assert done.stderr == b"citemark: cannot go on: [Errno 28] No space left on device\n"


CHILD = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def peak_megabytes(*arguments: str | Path) -> float:
    command = [sys.executable, "-c", CHILD, *COMMAND, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment(), check=True)
    unit = 1024 if sys.platform != "darwin" else 1024 * 1024
    return int(done.stdout) / unit


def test_memory_does_not_grow_with_the_input(tmp_path: Path) -> None:
    answer = "The tide rises three metres [1]."
    bulk = ["score", "--judge", "embedded:fast", "-o", str(tmp_path / "x.jsonl")]
    for command in (["parse"], bulk):
        peaks = []
        for count in (500, 3000):
            cases = ({"id": n, "query": "Why?", "answer": f"{answer} {n}."} for n in range(count))
            path = file(tmp_path, f"{count}.jsonl", *cases)
            peaks.append(peak_megabytes(command[0], path, *command[1:]))
        assert peaks[1] - peaks[0] < 20, (command, peaks)


def test_output_comes_as_it_is_made() -> None:
    """A card is printed before the next case is even there."""
    process = subprocess.Popen(
        [*COMMAND, "parse", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment(),
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(A).encode() + b"\n")
    process.stdin.flush()
    ready, _, _ = select.select([process.stdout], [], [], 20)
    assert ready
    assert json.loads(process.stdout.readline())["case"] == "a"
    process.stdin.close()
    process.stdout.close()
    assert process.wait(20) == 0
