"""The one folder that a server may read from and write to, and nothing outside it."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Container, Iterator
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path

from citemark.errors import UsageError
from citemark.web.problems import ApiError

ENDINGS = (".jsonl", ".jsonl.gz", ".ndjson", ".json", ".csv", ".parquet")
"""What is ever opened: results and cases. A file such as .env never is."""
_MANIFEST = ".manifest.json"
_MOST_FILES = 500
_DEPTH = 4
_LONGEST = 240
_UNSAFE = re.compile(r"[^\w.\- ()+,=@]+")


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of the folder."""

    name: str
    size: int
    modified: float


class Folder:
    """A folder whose files are named by paths within it.

    Hidden files, other endings, and whatever lies outside once links are followed do not
    exist for it.
    """

    def __init__(self, root: Path) -> None:
        try:
            self.root = root.resolve(strict=True)
        except OSError:
            raise UsageError(f"{root}: there is no such folder; make it first") from None
        if not self.root.is_dir():
            raise UsageError(f"{root}: is not a folder; name the folder to work in")

    def open_path(self, name: str) -> Path:
        """The path of a file that is there."""
        path = self._inside(name)
        try:
            regular = stat.S_ISREG(path.stat().st_mode)
        except (OSError, ValueError):
            regular = False
        if not regular:
            then = "see what there is: the page Results, or GET /api/files"
            raise ApiError(
                404, "there is no such file in the folder", where=name[:_LONGEST], then=then
            )
        return path

    def new_path(self, name: str, taken: Container[str] = ()) -> Path:
        """The path of a file that is not there yet; a number is added to a name that is taken."""
        cleaned = _UNSAFE.sub("_", name.replace("\\", "/").rpartition("/")[2]).strip(" .")
        ending = _ending(cleaned)
        if ending is None:
            raise _no_ending(name)
        stem = cleaned[: -len(ending)][: _LONGEST - 20].strip(" .") or "results"
        for number in count(1):
            tried = f"{stem}{ending}" if number == 1 else f"{stem}-{number}{ending}"
            path = self.root / tried  # one name without a separator: nowhere else
            if tried not in taken and not os.path.lexists(path):
                return path
        raise AssertionError("unreachable: there is always another number")

    def name_of(self, path: Path) -> str:
        """A path as the folder names it."""
        return path.relative_to(self.root).as_posix()

    def shown(self, text: str) -> str:
        """A message without the place of the folder on this machine."""
        return text.replace(f"{self.root}{os.sep}", "").replace(str(self.root), "the folder")

    def entries(self) -> list[Entry]:
        """The files that can be opened, the newest first."""
        found = list(islice(self._walk(self.root, 0), _MOST_FILES))
        return sorted(found, key=lambda entry: (-entry.modified, entry.name))

    def _walk(self, folder: Path, depth: int) -> Iterator[Entry]:
        try:
            listed = sorted(os.scandir(folder), key=lambda item: item.name)
        except OSError:
            return
        for item in listed:
            if item.name.startswith("."):
                continue
            if item.is_dir(follow_symlinks=False):
                if depth < _DEPTH:
                    yield from self._walk(Path(item.path), depth + 1)
            elif _ending(item.name) and not item.name.endswith(_MANIFEST):
                name = self.name_of(Path(item.path))
                try:
                    about = self.open_path(name).stat()
                    name.encode("utf-8")
                except (ApiError, OSError, UnicodeEncodeError):
                    continue  # a link that leads outside, a file just gone, a name in no encoding
                yield Entry(name, about.st_size, about.st_mtime)

    def _inside(self, name: str) -> Path:
        parts = name.split("/")
        strange = not name.isprintable() or "\\" in name or len(name) > 4 * _LONGEST
        if strange or any(not part or part.startswith(".") for part in parts):
            raise _outside(name)
        if _ending(name) is None:
            raise _no_ending(name)
        try:
            path = (self.root / name).resolve()
        except (OSError, RuntimeError, ValueError):
            raise _outside(name) from None
        # Only now it is known where links lead; what they lead to must be fit to open, too.
        if not path.is_relative_to(self.root) or _ending(path.name) is None:
            raise _outside(name)
        if any(part.startswith(".") for part in path.relative_to(self.root).parts):
            raise _outside(name)
        return path


def _ending(name: str) -> str | None:
    lowered = name.lower()
    return next(
        (end for end in sorted(ENDINGS, key=len, reverse=True) if lowered.endswith(end)), None
    )


def _outside(name: str) -> ApiError:
    return ApiError(
        404,
        "this is no file that can be opened here",
        where=name[:_LONGEST],
        then="name a file by its path within the folder that the server was started with",
    )


def _no_ending(name: str) -> ApiError:
    then = f"use a file that ends in {', '.join(ENDINGS)}"
    return ApiError(422, "files of this kind are not opened here", where=name[:_LONGEST], then=then)
