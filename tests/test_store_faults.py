"""A store in trouble: one clear line, nothing lost or mixed up."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from citemark.store import Store
from faulty import (
    JUDGMENTS,
    Endpoint,
    assert_all_right,
    begun,
    cases,
    command,
    ended,
    judged,
    replies,
)
from running import run


def last(said: str) -> str:
    return said.strip().splitlines()[-1]


# Two at once


def test_two_runs_on_one_store(
    server: Endpoint, given: Path, tmp_path: Path, own_store: Path
) -> None:
    server.delay = 0.01
    outs = [tmp_path / "first.jsonl", tmp_path / "second.jsonl"]
    children = [begun(command(server, given, out)) for out in outs]
    for child in children:
        ended(child)
        assert child.returncode == 0
    for out in outs:
        assert_all_right(out, JUDGMENTS)
    assert outs[0].read_bytes() == outs[1].read_bytes()
    assert replies(own_store) == JUDGMENTS
    assert max(server.asked.values()) <= 2
    before = server.requests
    assert run(*command(server, given, outs[0])).code == 0
    assert server.requests == before
    assert outs[0].read_bytes() == outs[1].read_bytes()


def test_two_runs_that_share_half_of_it(server: Endpoint, tmp_path: Path, own_store: Path) -> None:
    """One begins while the other is under way, and finds what it has kept by then."""
    server.delay = 0.02
    small, large = cases(tmp_path / "small.jsonl", 150), cases(tmp_path / "large.jsonl", 300)
    first = begun(command(server, small, tmp_path / "small.out.jsonl"))
    while server.requests < 100:
        time.sleep(0.005)
    second = begun(command(server, large, tmp_path / "large.out.jsonl"))
    for child in (first, second):
        ended(child)
        assert child.returncode == 0
    assert_all_right(tmp_path / "small.out.jsonl", 150)
    assert_all_right(tmp_path / "large.out.jsonl", 300)
    assert replies(own_store) == 300
    assert server.requests < 400


# A full disk


@contextmanager
def small_disk(folder: Path, kilobytes: int) -> Iterator[Path]:
    """A disk of this size; skips where none may be mounted."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("no disk may be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def stopped_in_time(server: Endpoint, child: subprocess.Popen[str], store: Path) -> None:
    said = ended(child)
    assert child.returncode == 2
    assert f"{store}: cannot be written" in last(said)
    # It noticed at once: what was paid for in vain is what came within 50 ms or was under way.
    assert server.requests - replies(store) <= 5 * 16


def test_a_full_disk(server: Endpoint, given: Path, tmp_path: Path, out: Path) -> None:
    server.delay = 0.02
    with small_disk(tmp_path / "disk", 240) as disk:
        store = disk / "store.sqlite"
        arguments = command(server, given, out, "--store", store)
        stopped_in_time(server, begun(arguments), store)
        assert not out.exists()
        had = replies(store)
        assert 0 < had < JUDGMENTS
        subprocess.run(["mount", "-o", "remount,size=20m", str(disk)], check=True)
        before = server.requests
        done = run(*arguments)
        assert done.code == 0, done.err
        assert server.requests - before == JUDGMENTS - had
        assert_all_right(out, JUDGMENTS)


def test_a_file_that_may_not_grow(
    server: Endpoint, given: Path, tmp_path: Path, out: Path, own_store: Path
) -> None:
    """The same where no disk may be mounted: the system refuses to make a file any longer."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    server.delay = 0.02
    arguments = command(server, given, out)
    stopped_in_time(server, begun(arguments, limit), own_store)
    had = replies(own_store)
    assert 0 < had < JUDGMENTS
    before = server.requests
    assert run(*arguments).code == 0
    assert server.requests - before == JUDGMENTS - had
    assert_all_right(out, JUDGMENTS)


# A file that may not be written, or that is not what it was


def half_filled(server: Endpoint, tmp_path: Path) -> None:
    first = cases(tmp_path / "half.jsonl", JUDGMENTS // 2)
    assert run(*command(server, first, tmp_path / "half.out.jsonl")).code == 0


@contextmanager
def read_only(store: Path) -> Iterator[None]:
    """Nobody may write, not even root: the file is mounted over itself, to be read only."""
    store.chmod(0o444)
    mounted = False
    if os.access(store, os.W_OK):
        bind = subprocess.run(["mount", "--bind", str(store), str(store)], capture_output=True)
        if bind.returncode:
            pytest.skip("root may write everywhere, and nothing may be mounted here")
        mounted = True
        subprocess.run(["mount", "-o", "remount,ro,bind", str(store)], check=True)
    try:
        yield
    finally:
        if mounted:
            subprocess.run(["umount", "-l", str(store)], check=True)
        store.chmod(0o644)


def test_a_read_only_store(
    server: Endpoint, given: Path, tmp_path: Path, out: Path, own_store: Path
) -> None:
    half_filled(server, tmp_path)
    before = server.requests
    data = own_store.read_bytes()
    with read_only(own_store):
        done = run(*command(server, given, out))
        assert done.code == 2
        assert f"{own_store}: cannot be written" in last(done.err)
        assert server.requests == before  # nothing was paid for that cannot be kept
        assert not out.exists()
        # What it has can be used.
        half = tmp_path / "half.jsonl"
        for more in ((), ("--offline",)):
            done = run(*command(server, half, out, *more))
            assert done.code == 0, done.err
            assert_all_right(out, JUDGMENTS // 2)
        assert run("store", "info").code == 0
    assert own_store.read_bytes() == data
    assert run(*command(server, given, out)).code == 0
    assert server.requests == JUDGMENTS
    assert_all_right(out, JUDGMENTS)


def made_old(store: Path) -> None:
    """Bring a store back to its first form, which had no checksums."""
    db = sqlite3.connect(store)
    db.executescript("ALTER TABLE replies DROP COLUMN crc; PRAGMA user_version=1;")
    db.close()


def test_a_store_from_an_older_version(
    server: Endpoint, given: Path, tmp_path: Path, out: Path, own_store: Path
) -> None:
    half_filled(server, tmp_path)
    made_old(own_store)
    half, before = tmp_path / "half.jsonl", server.requests
    data = own_store.read_bytes()
    with read_only(own_store):
        assert run(*command(server, half, out, "--offline")).code == 0
        assert_all_right(out, JUDGMENTS // 2)
        assert run("store", "verify").code == 0
    assert own_store.read_bytes() == data
    assert run(*command(server, given, out)).code == 0
    assert server.requests == before + JUDGMENTS // 2
    assert_all_right(out, JUDGMENTS)
    db = sqlite3.connect(own_store)
    counts = db.execute("SELECT count(*), count(crc) FROM replies").fetchone()
    db.close()
    assert counts == (JUDGMENTS, JUDGMENTS // 2)  # old ones are taken as they are
    assert run("store", "verify").code == 0


def test_a_store_from_a_newer_version(
    server: Endpoint, given: Path, tmp_path: Path, out: Path, own_store: Path
) -> None:
    half_filled(server, tmp_path)
    before = server.requests
    db = sqlite3.connect(own_store)
    db.execute("PRAGMA user_version=99")
    db.close()
    data = own_store.read_bytes()
    for arguments in (command(server, given, out), ["store", "info"], ["store", "verify"]):
        done = run(*arguments)
        assert done.code == 2
        assert "newer Citemark (version 99); update Citemark" in last(done.err)
    assert own_store.read_bytes() == data
    assert server.requests == before
    assert not out.exists()


def torn(data: bytearray) -> bytearray:
    """Every second page is rubbish, but for the first."""
    for start in range(4096, len(data), 8192):
        data[start : start + 4096] = b"\xaa" * 4096
    return data


def cut(data: bytearray) -> bytearray:
    return data[: len(data) // 2]


def zeroed(data: bytearray) -> bytearray:
    data[-8192:] = bytes(8192)
    return data


def headless(data: bytearray) -> bytearray:
    data[:100] = b"\xaa" * 100
    return data


def swapped(data: bytearray) -> bytearray:
    """Two pages have changed places."""
    data[8192:12288], data[12288:16384] = data[12288:16384], data[8192:12288]
    return data


@pytest.mark.parametrize("harm", [torn, cut, zeroed, headless, swapped])
def test_a_damaged_store(
    server: Endpoint,
    tmp_path: Path,
    out: Path,
    own_store: Path,
    harm: Callable[[bytearray], bytearray],
) -> None:
    half_filled(server, tmp_path)
    half = tmp_path / "half.jsonl"
    assert len(own_store.read_bytes()) > 6 * 4096
    own_store.write_bytes(harm(bytearray(own_store.read_bytes())))
    done = run(*command(server, half, out))
    # Either it is said, or the damage lies where it does not matter: never a wrong score.
    if done.code:
        assert done.code == 2
        assert str(own_store) in last(done.err)
        assert not out.exists()
    else:
        assert_all_right(out, JUDGMENTS // 2)
    checked = run("store", "verify")
    assert checked.code in (1, 2)
    assert str(own_store) in checked.err
    # With the file out of the way all is well.
    own_store.rename(tmp_path / "damaged.sqlite")
    assert run(*command(server, half, out)).code == 0
    assert_all_right(out, JUDGMENTS // 2)


def test_damage_after_an_unclean_end_is_noticed_before_anything_is_asked(
    server: Endpoint, given: Path, out: Path, own_store: Path
) -> None:
    server.delay = 0.02
    child = begun(command(server, given, out))
    while server.requests < 200:
        time.sleep(0.005)
    child.send_signal(signal.SIGKILL)
    ended(child)
    wal = own_store.with_name(f"{own_store.name}-wal")
    copy = sqlite3.connect(own_store)  # what was in the log goes into the file, and stays logged
    copy.execute("PRAGMA wal_checkpoint(FULL)")
    kept_log = wal.read_bytes()
    copy.close()
    own_store.write_bytes(torn(bytearray(own_store.read_bytes())))
    wal.write_bytes(kept_log[:100])
    before = server.requests
    done = run(*command(server, given, out))
    assert done.code == 2
    assert f"{own_store}: damaged" in last(done.err)
    assert server.requests == before


def test_a_damaged_reply_is_asked_for_again(
    server: Endpoint, tmp_path: Path, out: Path, own_store: Path
) -> None:
    half_filled(server, tmp_path)
    half = tmp_path / "half.jsonl"
    db = sqlite3.connect(own_store)
    # Cut; still JSON; no text any more; and one digit that is another, which only a sum can tell.
    changed = "replace(raw, '\"prompt_tokens\": 100', '\"prompt_tokens\": 101')"
    forms = ("substr(raw, 1, 40)", "'{}'", "CAST(x'7bff80' AS TEXT)", changed)
    keys = [key for (key,) in db.execute("SELECT key FROM replies LIMIT 8")]
    for n, key in enumerate(keys):
        db.execute(f"UPDATE replies SET raw = {forms[n % 4]} WHERE key = ?", (key,))
    db.commit()
    db.close()
    before = server.requests
    checked = run("store", "verify")
    assert checked.code == 1
    assert checked.err.count("is damaged") == 8
    assert run(*command(server, half, out, "--offline")).code == 1
    failed = [j for j in judged(out).values() if j["status"] == "failed"]
    assert len(failed) == 8
    assert run(*command(server, half, out)).code == 0
    assert server.requests == before + 8
    assert_all_right(out, JUDGMENTS // 2)
    assert run("store", "verify").code == 0


def test_a_failed_commit_is_tried_again_with_the_next_reply(tmp_path: Path) -> None:
    path = tmp_path / "s"
    store = Store(path)
    other = sqlite3.connect(path, isolation_level=None)
    store.put(bytes(16), "p", "m", "1")
    store._db.execute("PRAGMA busy_timeout=10")
    other.execute("BEGIN IMMEDIATE")
    for n in range(3):
        with pytest.raises(Exception, match="cannot be written"):
            store.flush() if not n else store.put(bytes([n]) * 16, "p", "m", "2")
    other.execute("COMMIT")
    other.close()
    store.put(b"x" * 16, "p", "m", "3")
    assert replies(path) == 4  # nothing was lost on the way
    store.close()
