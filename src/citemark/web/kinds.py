"""What a file of the folder holds, told from its beginning: results, cases or something else."""

from __future__ import annotations

import csv
import gzip
import json
import zlib
from pathlib import Path
from typing import IO, Any, Literal, cast

Kind = Literal["results", "cases", "other"]
_ENOUGH = 4_000_000
"""A first line is hardly ever longer; a file without an end of line is not read whole."""


def kind_of(path: Path) -> Kind:
    """What the file holds, as far as its first record tells."""
    if path.name.lower().endswith(".parquet"):
        return "cases"
    try:
        with _opened(path) as stream:
            return kind_of_start(stream, table=path.name.lower().endswith(".csv"))
    except (OSError, EOFError, zlib.error):
        return "other"


def kind_of_start(stream: IO[bytes], *, table: bool = False) -> Kind:
    """What a stream holds, as far as its first record tells."""
    line = b""
    while not line.strip():
        line = stream.readline(_ENOUGH)
        if not line:
            return "other"
    text = line.decode("utf-8-sig", "replace").strip()
    if table:
        names = next(csv.reader([text]), [])
        return "cases" if {"query", "answer"} <= set(names) else "other"
    if text in ("[", "{") or text.startswith("["):
        return "cases"  # JSON over several lines; reading it will tell
    try:
        first: Any = json.loads(text)
    except (ValueError, RecursionError):
        return "other"
    if not isinstance(first, dict):
        return "other"
    if {"schema", "sources", "signature"} <= first.keys():
        return "results"
    return "cases" if {"query", "answer"} <= first.keys() else "other"


def _opened(path: Path) -> IO[bytes]:
    if path.name.lower().endswith(".gz"):
        return cast(IO[bytes], gzip.open(path, "rb"))
    return path.open("rb")
