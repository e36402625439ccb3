"""The store: one SQLite file that keeps every reply an LLM judge ever gave.

A reply is kept raw, under the hash of the whole request, so that running the same command
again costs nothing and a better reader can read old replies anew.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import time
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

from citemark.errors import CitemarkError

MIGRATIONS = (
    """
    CREATE TABLE replies (
        key BLOB PRIMARY KEY,
        provider TEXT NOT NULL,
        model TEXT NOT NULL,
        raw TEXT NOT NULL,
        created REAL NOT NULL
    ) WITHOUT ROWID;
    """,
    "ALTER TABLE replies ADD COLUMN crc INTEGER;",
)
"""Each brings the file from its index to the next version; never changed, only added to."""

ROWS_IN_MEMORY = 100
PAGES_IN_LOG = 4000
"""How many pages the log may hold before they are written into the file itself: as keys are
spread over the whole file, every few replies change the same pages again."""
KEYS_AT_ONCE = 500
"""How many replies are looked for in one statement; SQLite has a limit."""
KEY_LENGTH = 16
DAMAGED = ""
"""What stands for a reply whose checksum is wrong: no reply can be read from it."""
_REMEDY = "move it away to begin a new one, or name another with --store"


class StoreError(CitemarkError):
    """The store cannot be used; nothing in it was changed."""


class Kept(NamedTuple):
    """One reply as it is kept."""

    key: bytes
    provider: str
    model: str
    raw: str
    created: float
    crc: int | None = None
    """A checksum of key and reply; replies that were kept before there were any have none."""

    @property
    def is_sound(self) -> bool:
        """Whether the reply is what was kept, as far as anybody can tell."""
        return self.crc is None or self.crc == _crc(self.key, self.raw.encode())


@dataclass(frozen=True, slots=True)
class StoreInfo:
    """What a store holds."""

    path: Path
    version: int
    size: int
    replies: int
    by_model: dict[str, int]


def path_of(given: str | Path | None) -> Path:
    """Where the store is kept: as the user says, or in the usual place."""
    return Path(given) if given else default_path()


def default_path() -> Path:
    """Where the store is kept unless the user says otherwise."""
    if given := os.environ.get("CITEMARK_STORE"):
        return Path(given)
    home = Path.home()
    if sys.platform == "darwin":
        folder = home / "Library" / "Application Support"
    elif sys.platform == "win32":
        folder = Path(os.environ.get("LOCALAPPDATA", home / "AppData" / "Local"))
    else:
        folder = Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share")
    return folder / "citemark" / "store.sqlite"


class Store:
    """Replies by key. Writes are gathered and committed in small batches by one writer."""

    def __init__(self, path: Path, *, create: bool = True) -> None:
        self.path = path
        self._pending: dict[bytes, Kept] = {}
        self._behind = False
        """Whether the last commit failed: then the next reply must not wait for its own."""
        try:
            if create:
                path.parent.mkdir(parents=True, exist_ok=True)
            elif not path.exists():
                raise StoreError(f"{path}: no store here yet; score with an LLM judge first")
            # In a notebook the judge is made in one thread and used in another, in turns.
            self._db = sqlite3.connect(
                path, timeout=30, isolation_level=None, check_same_thread=False
            )
            unclean = _has_log(path)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.execute(f"PRAGMA wal_autocheckpoint={PAGES_IN_LOG}")
            self._migrate()
            crc = "crc" if self.version > 1 else "NULL"
            # As bytes: damage that is no text any more must not keep the others from being read.
            raw = "CAST(raw AS BLOB)"
            self._select = f"SELECT key, {raw}, {crc} FROM replies WHERE key"  # noqa: S608
            self._rows = f"SELECT key, provider, model, {raw}, created, {crc} FROM replies"  # noqa: S608
            if unclean:
                self._check()
        except sqlite3.Error as error:
            raise StoreError(f"{path}: not a store that can be used ({error})") from None
        except OSError as error:
            raise StoreError(f"{path}: cannot be opened ({error.strerror})") from None

    def _migrate(self) -> None:
        version = self.version
        if version > len(MIGRATIONS):
            raise StoreError(
                f"{self.path}: written by a newer Citemark (version {version}); update Citemark"
            )
        names = self._tables()
        if (version or (names and not self.version)) and "replies" not in names:
            raise StoreError(f"{self.path}: the database of another program; name another file")
        for number in range(version, len(MIGRATIONS)):
            try:
                self._db.executescript(
                    f"BEGIN IMMEDIATE; {MIGRATIONS[number]}"
                    f" PRAGMA user_version={number + 1}; COMMIT;"
                )
            except sqlite3.OperationalError as error:
                with suppress(sqlite3.Error):
                    self._db.execute("ROLLBACK")
                if number and "readonly" in str(error):
                    return  # an old one that may not be changed can still be read
                if self.version <= number:  # or another run was quicker
                    raise

    def _check(self) -> None:
        """A quick check, for a file whose last run did not close it, or that is in use."""
        found = str(self._db.execute("PRAGMA quick_check(1)").fetchone()[0])
        if found != "ok":
            raise StoreError(f"{self.path}: damaged ({' '.join(found.split())}); {_REMEDY}")

    def _tables(self) -> set[str]:
        return {str(row[0]) for row in self._db.execute("SELECT name FROM sqlite_master")}

    @property
    def version(self) -> int:
        """The version of the file's form."""
        return int(self._db.execute("PRAGMA user_version").fetchone()[0])

    def get(self, key: bytes) -> str | None:
        """The raw reply under a key, if there is one."""
        if kept := self._pending.get(key):
            return kept.raw
        try:
            row = self._db.execute(f"{self._select} = ?", (key,)).fetchone()
        except sqlite3.Error as error:
            raise self._unreadable(error) from None
        if row is None:
            return None
        if row[0] != key:  # in a file with pages out of place, SQLite can find a wrong row
            raise self._unreadable("a reply stands in the wrong place")
        return _raw(*row)

    def get_many(self, keys: Collection[bytes]) -> dict[bytes, str]:
        """The raw replies under those of some keys that there are any for, in one go."""
        found = {key: self._pending[key].raw for key in keys if key in self._pending}
        wanted = list(set(keys).difference(found))
        try:
            for start in range(0, len(wanted), KEYS_AT_ONCE):
                some = wanted[start : start + KEYS_AT_ONCE]
                marks = ",".join("?" * len(some))
                rows = self._db.execute(
                    f"{self._select} IN ({marks})",
                    some,
                ).fetchall()
                found.update((row[0], _raw(*row)) for row in rows)
        except sqlite3.Error as error:
            raise self._unreadable(error) from None
        if not found.keys() <= set(keys):
            raise self._unreadable("a reply stands in the wrong place")
        return found

    def _unreadable(self, error: sqlite3.Error | str) -> StoreError:
        return StoreError(f"{self.path}: cannot be read ({error}); {_REMEDY}")

    def must_be_writable(self) -> None:
        """Raise :class:`StoreError` if nothing can be kept, before anything is paid for."""
        try:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.execute(f"PRAGMA user_version={self.version}")
        except sqlite3.Error as error:
            raise self._unwritable(error) from None
        finally:
            with suppress(sqlite3.Error):
                self._db.execute("ROLLBACK")

    def _unwritable(self, error: sqlite3.Error) -> StoreError:
        return StoreError(f"{self.path}: cannot be written ({error})")

    def put(self, key: bytes, provider: str, model: str, raw: str) -> None:
        """Keep a reply; it is on disk after the next flush, at the latest when enough gathered."""
        crc = _crc(key, raw.encode())
        self._pending[key] = Kept(key, provider, model, raw, time.time(), crc)
        if self._behind or len(self._pending) >= ROWS_IN_MEMORY:
            self.flush()

    def flush(self) -> None:
        """Commit what was gathered."""
        if not self._pending:
            return
        rows = list(self._pending.values())
        try:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany("INSERT OR REPLACE INTO replies VALUES (?, ?, ?, ?, ?, ?)", rows)
            self._db.execute("COMMIT")
        except sqlite3.Error as error:
            with suppress(sqlite3.Error):
                self._db.execute("ROLLBACK")
            self._behind = True
            raise self._unwritable(error) from None
        self._behind = False
        self._pending.clear()

    def __iter__(self) -> Iterator[Kept]:
        self.flush()
        try:
            rows = self._db.execute(f"{self._rows} ORDER BY created, key")
            for key, provider, model, raw, created, crc in rows:
                yield Kept(key, provider, model, raw.decode("utf-8", "replace"), created, crc)
        except sqlite3.Error as error:
            raise self._unreadable(error) from None

    def info(self) -> StoreInfo:
        """How much is in the store, by model."""
        self.flush()
        try:
            rows = self._db.execute(
                "SELECT provider || ':' || model, count(*) FROM replies GROUP BY 1 ORDER BY 1"
            ).fetchall()
        except sqlite3.Error as error:
            raise self._unreadable(error) from None
        by_model = {str(name): int(count) for name, count in rows}
        size = self.path.stat().st_size
        return StoreInfo(self.path, self.version, size, sum(by_model.values()), by_model)

    def prune(self, *, before: float | None, model: str | None, really: bool) -> int:
        """Remove replies older than a time, of a model, or both; returns how many they are."""
        self.flush()
        chosen = "(:before IS NULL OR created < :before) AND (:model IS NULL OR model = :model)"
        values = {"before": before, "model": model}
        try:
            count = self._db.execute(f"SELECT count(*) FROM replies WHERE {chosen}", values)  # noqa: S608
            found = int(count.fetchone()[0])
            if really and found:
                self._db.execute(f"DELETE FROM replies WHERE {chosen}", values)  # noqa: S608
                self._db.execute("VACUUM")
        except sqlite3.Error as error:
            raise StoreError(f"{self.path}: cannot be pruned ({error})") from None
        return found

    def verify(self) -> list[str]:
        """What is wrong with the file or with replies in it; an empty list if nothing is."""
        self.flush()
        problems: list[str] = []
        try:
            for (line,) in self._db.execute("PRAGMA integrity_check(100)"):
                if line != "ok":
                    problems.append(f"{self.path}: {line}")
            problems.extend(
                f"{self.path}: the reply under {kept.key.hex()} is damaged"
                for kept in self
                if len(kept.key) != KEY_LENGTH or not kept.is_sound or not _is_json(kept.raw)
            )
        except sqlite3.Error as error:
            problems.append(f"{self.path}: {error}")
        except StoreError as error:
            problems.append(str(error))
        return problems

    def close(self) -> None:
        """Commit and close."""
        try:
            self.flush()
        finally:
            self._db.close()


def _has_log(path: Path) -> bool:
    """Whether there are changes beside the file: it was not closed, or is in use."""
    try:
        return Path(f"{path}-wal").stat().st_size > 0
    except OSError:
        return False


def _crc(key: bytes, raw: bytes) -> int:
    return crc32(raw, crc32(key))


def _raw(key: bytes, raw: bytes, crc: int | None) -> str:
    """A reply as it was kept, if it still is what was kept."""
    if crc is not None and crc != _crc(key, raw):
        return DAMAGED
    return raw.decode("utf-8", "replace")


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
