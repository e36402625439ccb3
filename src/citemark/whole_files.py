"""Files that are written whole or not at all, and leave nothing behind.

Everything goes to a temporary file beside the real one, which takes its name at the very end.
Whoever writes keeps its temporary file locked; a lock dies with its process, so a file that
nobody locks was left behind by one that was killed, and the next run takes it away.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from citemark.errors import UsageError

try:
    import fcntl
except ImportError:  # Windows: what a killed process leaves behind is left there
    fcntl = None  # type: ignore[assignment]

_ENDING = ".part"
_LONGEST_NAME = 100


@contextmanager
def written_whole(path: Path) -> Iterator[IO[bytes]]:
    """A stream that becomes the file when all went well, and leaves nothing when not."""
    target = path.resolve()  # a link stays a link to the file that is written
    if target.is_dir():
        raise UsageError(f"{path}: is a directory; name a file")
    if not target.parent.is_dir():
        raise UsageError(f"{path}: there is no directory {path.parent}; make it first")
    try:
        _tidy(target)
        handle, part = _begun(target)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror})") from None
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(handle)  # or a power cut could leave the name with nothing in it
            part.chmod(0o666 & ~_umask())
            if fcntl:  # with the lock still held: between two steps nobody can take it away
                part.replace(target)
        if not fcntl:
            part.replace(target)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise


def _prefix(target: Path) -> str:
    return f".{target.name[:_LONGEST_NAME]}."


def _begun(target: Path) -> tuple[int, Path]:
    """A temporary file beside the target, locked; as an open file and by its name."""
    while True:
        handle, name = tempfile.mkstemp(_ENDING, _prefix(target), target.parent)
        part = Path(name)
        if fcntl:
            with suppress(OSError):  # not every file system can lock
                fcntl.flock(handle, fcntl.LOCK_EX)
        if _is_at(handle, part):
            return handle, part
        os.close(handle)  # another run took it for a left one before it was locked


def _tidy(target: Path) -> None:
    """Remove what killed runs left beside this target."""
    if fcntl is None:
        return
    ours = re.compile(rf"{re.escape(_prefix(target))}[a-z0-9_]{{8}}{re.escape(_ENDING)}")
    with os.scandir(target.parent) as entries:
        left = [Path(entry.path) for entry in entries if ours.fullmatch(entry.name)]
    for part in left:
        with suppress(OSError):  # it is not ours to remove, or is gone
            _remove_if_left(part)


def _remove_if_left(part: Path) -> None:
    handle = os.open(part, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)  # fails while its writer lives
        if _is_at(handle, part):
            part.unlink()
    finally:
        os.close(handle)


def _is_at(handle: int, path: Path) -> bool:
    """Whether an open file is the one that has this name."""
    try:
        return os.path.samestat(os.fstat(handle), path.lstat())
    except FileNotFoundError:
        return False


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
