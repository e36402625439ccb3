"""``citemark store``: looking at the file of replies and keeping it in order."""

from __future__ import annotations

import json
import sqlite3
import time
from pathlib import Path

import pytest

from citemark.store import Store
from running import run


@pytest.fixture
def path(tmp_path: Path) -> Path:
    place = tmp_path / "replies.sqlite"
    store = Store(place)
    for n in range(5):
        store.put(n.to_bytes(16, "big"), "openai", "old" if n < 2 else "new", f'{{"n": {n}}}')
    store.close()
    with sqlite3.connect(place) as database:
        database.execute("UPDATE replies SET created = ? WHERE model = 'old'", (time.time() - 1e7,))
    database.close()
    return place


def test_info_counts_by_model(path: Path) -> None:
    done = run("store", "info", "--store", str(path))
    assert done.code == 0
    first, *rest = done.out.splitlines()
    assert first.startswith(f"{path}: 5 replies, ")
    assert [line.split() for line in rest] == [["3", "openai:new"], ["2", "openai:old"]]


def test_export_writes_every_reply_oldest_first(path: Path, tmp_path: Path) -> None:
    out = tmp_path / "all.jsonl"
    done = run("store", "export", "--store", str(path), "-o", str(out))
    assert done.code == 0
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [line["model"] for line in lines] == ["old", "old", "new", "new", "new"]
    assert lines[0]["reply"] == {"n": 0}
    assert lines[0]["key"] == "00" * 16


def test_prune_asks_before_it_removes(path: Path) -> None:
    asked = run("store", "prune", "--store", str(path), "--older-than", "30")
    assert (asked.code, "2 replies would be removed; add --yes" in asked.err) == (0, True)
    assert "5 replies" in run("store", "info", "--store", str(path)).out
    done = run("store", "prune", "--store", str(path), "--older-than", "30", "--yes")
    assert "2 replies removed" in done.err
    assert "3 replies" in run("store", "info", "--store", str(path)).out
    assert run("store", "prune", "--store", str(path)).code == 2
    run("store", "prune", "--store", str(path), "--model", "new", "--yes")
    assert "0 replies" in run("store", "info", "--store", str(path)).out


def test_verify_finds_no_damage_where_there_is_none(path: Path) -> None:
    done = run("store", "verify", "--store", str(path))
    assert (done.code, done.out) == (0, f"{path}: no damage found\n")


def test_verify_tells_a_damaged_reply_and_a_damaged_file(path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute("UPDATE replies SET raw = '{cut' WHERE model = 'old'")
    database.close()
    done = run("store", "verify", "--store", str(path))
    assert done.code == 1
    assert done.err.count("is damaged") == 2
    raw = bytearray(path.read_bytes())
    raw[4096:] = b"\xff" * (len(raw) - 4096)
    path.write_bytes(raw)
    done = run("store", "verify", "--store", str(path))
    assert done.code in (1, 2)
    assert "Traceback" not in done.err


def test_a_store_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    missing = tmp_path / "none.sqlite"
    for command in ("info", "verify"):
        done = run("store", command, "--store", str(missing))
        assert done.code == 2
        assert "no store here yet" in done.err
    assert not missing.exists()
