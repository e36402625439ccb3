"""Finished parts of a long computation, kept in files, so that it can be stopped and resumed.

A part's file is named by a fingerprint of everything that its content follows from: the data, the
settings and the program text. If one of these changes, the part is computed again.
"""

from __future__ import annotations

import ast
import hashlib
import os
import re
import zipfile
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

Arrays = Mapping[str, NDArray[Any]]

ROOT = Path(__file__).resolve().parents[1]
WORK = Path(__file__).resolve().parent / ".work"
_LIBRARIES = tuple(ROOT / "training" / name for name in ("requirements.txt", "weights.txt"))
_PLACES = {"training": ROOT, "citemark": ROOT / "src"}
_DATA_FILE = re.compile(r"""["']([\w-]+\.(?:toml|txt|npz|json|jsonl))["']""")
_WRITTEN = {"fast.npz", "mixture.npz", "intervals.toml", "trust.toml"}
"""What training writes: results, on which nothing else may depend."""


def write_arrays(path: Path, arrays: Arrays) -> None:
    """Write arrays beside the file and put them in its place, so that it is never half there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f"{path.name}.{os.getpid()}.new")
    archive_arrays(beside, arrays, zipfile.ZIP_DEFLATED)
    beside.replace(path)


def archive_arrays(file: Path | BinaryIO, arrays: Arrays, packing: int) -> None:
    """Arrays as an archive that numpy reads.

    The same arrays give the same bytes: the archive says nothing of when it was written.
    """
    with zipfile.ZipFile(file, "w") as archive:
        for name in sorted(arrays):
            entry = zipfile.ZipInfo(f"{name}.npy")
            entry.compress_type = packing
            with archive.open(entry, "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asanyarray(arrays[name]), allow_pickle=False)


def read_arrays(path: Path) -> Arrays | None:
    """The arrays of a file; None if it is not there or not whole."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as data:
            return {name: data[name] for name in data}
    except (FileNotFoundError, zipfile.BadZipFile, EOFError, ValueError):
        return None


def fingerprint(settings: str, data: Path, follow: Iterable[str], only: Iterable[str] = ()) -> str:
    """Twelve digits that change with the settings, the data, the program or its libraries.

    ``follow`` names modules that count with everything that they import from this project,
    ``only`` such that count by themselves.
    """
    sources = {path for module in follow for path in closure(module)}
    sources |= {path for module in only if (path := _file_of(module)) is not None}
    found = hashlib.sha256(f"{settings}\0{_digest(data)}\0".encode())
    for path in sorted(sources | set(_LIBRARIES)):
        found.update(f"{path.relative_to(ROOT).as_posix()} {_digest(path)}\0".encode())
    return found.hexdigest()[:12]


@cache
def closure(module: str) -> frozenset[Path]:
    """The files that a module follows from: its own, those it imports, data files they name."""
    found: set[Path] = set()
    wanted = [module]
    while wanted:
        path = _file_of(wanted.pop())
        if path is None or path in found:
            continue
        found.add(path)
        text = path.read_text(encoding="utf-8")
        wanted += _imported(ast.parse(text))
        named = set(_DATA_FILE.findall(text)) - _WRITTEN
        found |= {data for name in named for data in path.parent.rglob(name)}
    return frozenset(found)


def _imported(tree: ast.Module) -> list[str]:
    """The modules of this project that a program text imports.

    The front page of the package forwards every public name: it is not followed, or everything
    would depend on everything.
    """
    found: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            found += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
    return [name for name in found if name.split(".")[0] in _PLACES and name != "citemark"]


def _file_of(module: str) -> Path | None:
    root = _PLACES.get(module.split(".")[0])
    if root is None:
        return None
    place = root.joinpath(*module.split("."))
    for path in (place.with_suffix(".py"), place / "__init__.py"):
        if path.is_file():
            return path
    return None


@cache
def _digest(path: Path) -> str:
    """A digest of a file; of a program, without what does nothing: comments and docstrings."""
    if path.suffix != ".py":
        return hashlib.sha256(path.read_bytes()).hexdigest()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [line for line in body if not _only_text(line)]  # type: ignore[attr-defined]
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest()


def _only_text(line: ast.AST) -> bool:
    return (
        isinstance(line, ast.Expr)
        and isinstance(line.value, ast.Constant)
        and isinstance(line.value.value, str)
    )
