"""The store: what is put in comes out, whatever happened to the file is said in one line."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import citemark
from citemark.judges import JudgeOptions, find_judge
from citemark.judges.llm.endpoint import Endpoint, Provider
from citemark.judges.llm.request import Request
from citemark.store import KEYS_AT_ONCE, MIGRATIONS, ROWS_IN_MEMORY, Store, StoreError, default_path
from loopback import Loopback
from running import A, file, run

KEY = bytes(16)


def test_what_is_put_comes_out(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "store.sqlite"
    store = Store(path)
    assert store.get(KEY) is None
    store.put(KEY, "openai", "m", '{"é": 1}')
    assert store.get(KEY) == '{"é": 1}'  # before it is on disk, too
    other = Store(path)
    assert other.get(KEY) is None
    store.flush()
    assert other.get(KEY) == '{"é": 1}'
    other.close()
    store.put(KEY, "openai", "m", "newer")
    store.close()
    again = Store(path)
    assert again.get(KEY) == "newer"
    assert [(kept.key, kept.raw) for kept in again] == [(KEY, "newer")]
    info = again.info()
    assert (info.replies, info.by_model, info.version) == (1, {"openai:m": 1}, len(MIGRATIONS))
    again.close()


def test_many_are_written_without_being_told(tmp_path: Path) -> None:
    store, other = Store(tmp_path / "s"), Store(tmp_path / "s")
    for n in range(ROWS_IN_MEMORY):
        store.put(n.to_bytes(16, "big"), "p", "m", str(n))
    assert other.get((7).to_bytes(16, "big")) == "7"
    store.close()
    other.close()


def test_many_are_found_in_one_go(tmp_path: Path) -> None:
    store = Store(tmp_path / "s")
    keys = [n.to_bytes(16, "big") for n in range(2 * KEYS_AT_ONCE + 7)]
    for n, key in enumerate(keys[::2]):
        store.put(key, "p", "m", f"reply {n}")
    assert 0 < len(store._pending) < ROWS_IN_MEMORY  # some are on disk, some are not yet
    expected = {key: f"reply {n}" for n, key in enumerate(keys[::2])}
    assert store.get_many(keys) == expected
    assert store.get_many([*keys, *keys]) == expected
    assert store.get_many(keys[1::2]) == store.get_many([]) == {}
    assert {key: store.get(key) for key in keys[::2]} == expected
    store.put(keys[0], "p", "m", "newer")
    assert store.get_many(keys[:1]) == {keys[0]: "newer"}
    store.close()


def test_many_in_a_damaged_file(tmp_path: Path) -> None:
    store = Store(damaged(tmp_path / "s"))
    with pytest.raises(StoreError, match="cannot be read"):
        store.get_many([n.to_bytes(16, "little") for n in range(500)])


def test_where_it_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert default_path().name == "store.sqlite"
    monkeypatch.delenv("CITEMARK_STORE")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert default_path() == tmp_path / "citemark" / "store.sqlite"


def test_one_that_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no store here yet"):
        Store(tmp_path / "none", create=False)
    assert not (tmp_path / "none").exists()


def damaged(path: Path) -> Path:
    store = Store(path)
    for n in range(500):
        store.put(n.to_bytes(16, "little"), "p", "m", "x" * 300)
    store.close()
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xaa" * (len(data) - 4096)
    path.write_bytes(data)
    return path


def newer(path: Path) -> Path:
    Store(path).close()
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version=99")
    db.close()
    return path


def foreign(path: Path, version: int = 0) -> Path:
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE bookmarks (url)")
        db.execute(f"PRAGMA user_version={version}")
    db.close()
    return path


def no_database(path: Path) -> Path:
    path.write_text("Dear diary, " * 100)
    return path


def read_through(path: Path) -> None:
    store = Store(path)
    try:
        for n in range(500):
            store.get(n.to_bytes(16, "little"))
    finally:
        store.close()


def in_a_file(path: Path) -> Path:
    path.write_text("a file")
    return path / "store.sqlite"


def a_folder(path: Path) -> Path:
    path.mkdir()
    return path


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (damaged, "cannot be read|not a store"),
        (newer, "newer Citemark .version 99.; update Citemark"),
        (foreign, "another program"),
        (lambda path: foreign(path, 1), "another program"),
        (no_database, "not a store that can be used"),
        (in_a_file, "cannot be opened"),
        (a_folder, "not a store that can be used"),
        (lambda _: Path("/proc/citemark/store.sqlite"), "cannot be opened"),
    ],
)
def test_a_file_that_cannot_be_used(tmp_path: Path, make: Any, said: str) -> None:
    path = make(tmp_path / "it")
    before = path.read_bytes() if path.is_file() else b""
    with pytest.raises(StoreError, match=said) as caught:
        read_through(path)
    assert str(path) in str(caught.value)
    assert not before or path.read_bytes()[:16] == before[:16]
    inputs = file(tmp_path, "a.jsonl", A)
    judge = ("--judge", "openai:m", "--base-url", "http://127.0.0.1:1", "--store", path)
    done = run("score", inputs, *judge, "--offline")
    # Of a damaged file all may be well that this run needs.
    assert done.code == 2 or make is damaged
    assert not done.out or make is damaged


def test_a_folder_that_cannot_be_written_to(tmp_path: Path) -> None:
    folder = tmp_path / "closed"
    Store(folder / "s").close()
    folder.chmod(0o500)
    try:
        (folder / "try").touch()
    except OSError:
        with pytest.raises(StoreError):
            Store(folder / "new")
    else:
        pytest.skip("this user may write everywhere")
    finally:
        folder.chmod(0o700)


OPEN = """
import sys
from pathlib import Path
from citemark.store import Store
store = Store(Path(sys.argv[1]))
for n in range(50):
    store.put(bytes([int(sys.argv[2])]) * 15 + bytes([n]), "p", "m", "x")
    store.flush()
store.close()
"""


def test_several_runs_at_once_can_begin_a_store(tmp_path: Path) -> None:
    path = tmp_path / "s"
    command = [sys.executable, "-c", OPEN, str(path)]
    runs = [
        subprocess.Popen([*command, str(n)], stderr=subprocess.PIPE, text=True) for n in range(6)
    ]
    for process in runs:
        assert process.communicate(timeout=60)[1] == ""
        assert process.returncode == 0
    store = Store(path)
    assert store.info().replies == 300
    store.close()


def test_a_judge_made_in_one_thread_works_in_another(endpoint: Loopback) -> None:
    judge = find_judge("openai:m", JudgeOptions(mode="direct", base_url=endpoint.url))

    async def notebook() -> citemark.Scorecard:
        return citemark.score(A, judge=judge)

    assert asyncio.run(notebook())[1].relevance.score == 10


# Keys

REQUEST = Request("system", ("shared ", "own"), 100)
PROVIDER = Provider("openai", "OpenAI", "https://a/v1", seed="seed")
ENDPOINT = Endpoint(PROVIDER, "m", "key")


@pytest.mark.parametrize(
    "change",
    [
        {"system": None}, {"system": "other"}, {"parts": ("shared ", "other")}, {"max_tokens": 99},
        {"temperature": None}, {"temperature": 1.0}, {"seed": 0}, {"seed": 1}, {"schema": "{}"},
        {"top_logprobs": 20}, {"grammar": "root"}, {"prefill": ""}, {"prefill": "1"}, {"sample": 1},
    ],
)  # fmt: skip
def test_what_can_change_a_reply_is_in_its_key(change: dict[str, Any]) -> None:
    assert REQUEST._replace(**change).key(ENDPOINT) != REQUEST.key(ENDPOINT)


def test_who_is_asked_is_in_the_key() -> None:
    keys = {
        REQUEST.key(endpoint)
        for endpoint in (
            ENDPOINT,
            replace(ENDPOINT, model="n"),
            replace(ENDPOINT, provider=replace(PROVIDER, base_url="https://b/v1")),
            replace(ENDPOINT, provider=replace(PROVIDER, name="groq")),
            replace(ENDPOINT, provider=replace(PROVIDER, address="gguf:1234")),
        )
    }
    assert len(keys) == 5
    same = replace(ENDPOINT, key="another", provider=replace(PROVIDER, base_url="https://a/v1/"))
    assert REQUEST.key(same) == REQUEST.key(ENDPOINT)


def test_texts_cannot_run_into_each_other() -> None:
    keys = {
        Request(system, parts, 1, schema=schema).key(ENDPOINT)
        for system, schema, parts in [
            ("ab", None, ("c",)), ("a", "b", ("c",)), ("a", None, ("bc",)), (None, "ab", ("c",)),
        ]
    }  # fmt: skip
    assert len(keys) == 4


def test_how_hard_to_try_changes_no_key(endpoint: Loopback) -> None:
    settings: dict[str, Any] = {"judge": "openai:m", "base_url": endpoint.url, "mode": "direct"}
    first = citemark.score(A, **settings)
    count = len(endpoint.asked)
    again = citemark.score(A, **settings, timeout=5.0, retries=0, concurrency=2, deadline=9.0)
    assert len(endpoint.asked) == count == 10
    assert again.to_dict() == first.to_dict()
    citemark.score(A, **settings, temperature=0.5)
    assert len(endpoint.asked) == 2 * count
