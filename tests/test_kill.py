"""kill -9 at any moment: the same command goes on, and no reply that was kept is asked again."""

from __future__ import annotations

import random
import shutil
import sqlite3
import subprocess
import time
from pathlib import Path

from faulty import SOAK, Asked, Endpoint, assert_all_right, cases, command, endpoint
from running import COMMAND, environment, run

KILLS = 30 if SOAK else 4
SEED = 9
IN_MEMORY = 0.05
"""Seconds for which a reply may be in memory only."""
SLACK = 0.25
"""For a busy machine: the time that a reply takes to be read, and a commit to be made."""
DELAY = 0.03
CONCURRENCY = 8
PER_RUN = 90
"""Judgments that are asked about between two kills, roughly."""
JUDGMENTS = (KILLS + 1) * PER_RUN


def kept(store: Path, scratch: Path) -> set[Asked]:
    """What is on disk, looked at in a copy: opening the store itself would tidy it up."""
    scratch.mkdir()
    for path in store.parent.glob(f"{store.name}*"):
        if not path.name.endswith("-shm"):
            shutil.copy(path, scratch / path.name)
    if not (scratch / store.name).exists():
        return set()
    db = sqlite3.connect(scratch / store.name)
    rows: list[tuple[str]] = []
    if db.execute("SELECT * FROM sqlite_master").fetchall():  # else it was only being made
        rows = db.execute("SELECT json_extract(raw, '$.id') FROM replies").fetchall()
    db.close()
    pairs = [str(row[0]).split("-") for row in rows]
    return {(int(case), int(source)) for case, source in pairs}


def killed_when(server: Endpoint, requests: int, later: float, arguments: list[str]) -> float:
    """Run, kill a moment after so many more requests; returns when it was killed."""
    wanted = server.requests + requests
    child = subprocess.Popen([*COMMAND, *arguments], stderr=subprocess.DEVNULL, env=environment())
    give_up = time.monotonic() + 60
    while server.requests < wanted and child.poll() is None and time.monotonic() < give_up:
        time.sleep(0.002)
    time.sleep(later)
    assert child.poll() is None, "it ended before it could be killed"
    at = time.monotonic()
    child.kill()
    child.wait(30)
    return at


def test_the_same_command_goes_on_after_any_kill(tmp_path: Path, own_store: Path) -> None:
    draw = random.Random(SEED)
    given = cases(tmp_path / "cases.jsonl", JUDGMENTS)
    calm, out = tmp_path / "calm.jsonl", tmp_path / "out.jsonl"
    asked_again = 0
    with endpoint() as server:
        calm_store = tmp_path / "calm.sqlite"
        assert run(*command(server, given, calm, "--store", calm_store)).code == 0
        assert server.requests == JUDGMENTS
        assert_all_right(calm, JUDGMENTS)

        server.asked.clear()
        server.delay = DELAY
        arguments = command(server, given, out, "--concurrency", str(CONCURRENCY))
        before: set[Asked] = set()
        for number in range(KILLS):
            asked_before = server.asked.copy()
            server.sent.clear()  # what an earlier kill took may not have been asked for again yet
            later, requests = draw.uniform(0, 0.08), draw.randrange(PER_RUN)
            if number % 4 == 0:  # while it starts, opens the store or asks its first questions
                later, requests = draw.uniform(0.2, 0.7), 0
            at = killed_when(server, requests, later, arguments)
            assert not out.exists()
            # Nothing that was kept before this run was asked in it.
            asked = set(server.asked - asked_before)
            assert not asked & before
            now = kept(own_store, tmp_path / f"look{number}")
            assert now >= before
            # What was answered in good time before the kill is kept.
            early = {a for a, sent in server.sent.items() if sent < at - IN_MEMORY - SLACK}
            assert early <= now
            asked_again += len(server.asked.keys() - now)
            before = now
        asked_before = server.asked.copy()
        done = run(*arguments)
        assert done.code == 0, done.err
        assert not set(server.asked - asked_before) & before
    assert out.read_bytes() == calm.read_bytes()
    assert_all_right(out, JUDGMENTS)
    twice = server.requests - JUDGMENTS
    print(f"{KILLS} kills, {JUDGMENTS} judgments, {server.requests} requests, {twice} asked again")
    assert 0 <= twice <= asked_again
    # On the whole no more than what was under way or just being kept, at every kill.
    assert twice <= KILLS * CONCURRENCY * (2 + (IN_MEMORY + SLACK) / DELAY)
