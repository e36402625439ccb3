"""Reading cases from files: JSON Lines, JSON, CSV, Parquet, or one plain answer."""

from __future__ import annotations

import csv
import gzip
import io
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from citemark.case import Case
from citemark.errors import CaseError

OnError = Callable[[CaseError], None]
FORMATS = ".jsonl .jsonl.gz .json .csv .parquet .md .txt"
_KINDS = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".csv": "csv",
    ".parquet": "parquet",
}
_JSON_COLUMNS = ("sources", "citations", "tags")
_BOM = b"\xef\xbb\xbf"


def load_cases(
    path: str | Path, *, query: str | None = None, on_error: OnError | None = None
) -> Iterator[Case]:
    """The cases of a file, one after the other; a plain ``.md`` or ``.txt`` needs its ``query``.

    ``-`` is standard input. A case that cannot be read raises :class:`CaseError`; with
    ``on_error`` it is handed over instead, and reading goes on.
    """
    name = str(path)
    report = _raise if on_error is None else on_error
    try:
        yield from _cases(name, query, report)
    except CaseError as error:
        report(error)


def _raise(error: CaseError) -> None:
    raise error


def _cases(name: str, query: str | None, report: OnError) -> Iterator[Case]:
    kind = _kind(name, query)
    with _opened(name) as stream:
        if kind == "text":
            yield Case.from_dict({"query": query, "answer": _text(stream.read(), name)}, place=name)
            return
        if query is not None:
            raise CaseError(
                f"--query goes with a plain answer; {name} holds its own", field="query"
            )
        readers = {"jsonl": _json_lines, "json": _json, "csv": _csv, "parquet": _parquet}
        for place, data in readers[kind](stream, name, report):
            try:
                yield Case.from_dict(data, place=place)
            except CaseError as error:
                report(error)


def is_plain(name: str) -> bool:
    """Whether an input is a plain answer rather than a file of cases."""
    if name == "-":
        # A peek: cases are objects, an answer hardly ever begins with a brace.
        start: bytes = getattr(sys.stdin.buffer, "peek", lambda _: b"{")(64)
        return not start.removeprefix(_BOM).lstrip().startswith((b"{", b"[{"))
    return _suffix(name) not in _KINDS


def _suffix(name: str) -> str:
    return Path(name.lower().removesuffix(".gz")).suffix


def _kind(name: str, query: str | None) -> str:
    if name == "-":
        return "jsonl" if query is None else "text"
    if kind := _KINDS.get(_suffix(name)):
        return kind
    if query is None and Path(name).exists() and not Path(name).is_dir():
        raise CaseError(
            f'not a case file ({FORMATS}); for a plain answer add --query "the question"',
            place=name,
        )
    return "text"


@contextmanager
def _opened(name: str) -> Iterator[IO[bytes]]:
    if name == "-":
        yield sys.stdin.buffer
        return
    path = Path(name)
    if path.is_dir():
        raise CaseError("is a directory; name a file in it", place=name)
    try:
        stream: IO[bytes]
        if name.lower().endswith(".gz"):
            stream = cast(IO[bytes], gzip.open(path, "rb"))  # noqa: SIM115 - closed below
        else:
            stream = path.open("rb")
        with stream:
            yield stream
    except FileNotFoundError:
        raise CaseError("no such file", place=name) from None
    except (OSError, EOFError) as error:
        raise CaseError(f"cannot be read ({error})", place=name) from None


def _text(raw: bytes, place: str) -> str:
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise CaseError("is UTF-16; save it as UTF-8", place=place)
    try:
        return raw.removeprefix(_BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        raise CaseError(
            f"not valid UTF-8 at byte {error.start}; save it as UTF-8", place=place
        ) from None


_Rows = Iterator[tuple[str, Any]]


def _json_lines(stream: IO[bytes], name: str, report: OnError) -> _Rows:
    shown = "<stdin>" if name == "-" else name
    lines = enumerate(stream, start=1)
    for number, raw in lines:
        if number == 1:
            raw = raw.removeprefix(_BOM)
        if not raw.strip():
            continue
        place = f"{shown}:{number}"
        if (number == 1 and raw.lstrip()[:1] == b"[") or (number == 1 and raw.strip() == b"{"):
            rest = raw + b"".join(line for _, line in lines)
            yield from _json(io.BytesIO(rest), shown, report)
            return
        try:
            yield place, json.loads(_text(raw, place))
        except CaseError as error:
            report(error)
        except (ValueError, RecursionError) as error:
            report(_not_json(error, place))


def _not_json(error: Exception, place: str) -> CaseError:
    if isinstance(error, json.JSONDecodeError):
        return CaseError(f"not valid JSON: {error.msg} (column {error.colno})", place=place)
    return CaseError(f"not valid JSON: {error}", place=place)


def _json(stream: IO[bytes], name: str, report: OnError) -> _Rows:
    text = _text(stream.read(), name)
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise CaseError(f"not valid JSON: {error.msg}", place=f"{name}:{error.lineno}") from None
    except (ValueError, RecursionError) as error:
        raise _not_json(error, name) from None
    if not isinstance(data, list):
        yield name, data
        return
    if not data:
        report(CaseError("holds no cases", place=name))
    for number, entry in enumerate(data, start=1):
        yield f"{name}: case {number}", entry


def _csv(stream: IO[bytes], name: str, report: OnError) -> _Rows:
    csv.field_size_limit(2**31 - 1)  # an answer may be longer than the module's 128 KiB
    text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="", errors="surrogateescape")
    reader = csv.DictReader(text, strict=True)
    missing = {"query", "answer"} - set(reader.fieldnames or ())
    if missing:
        columns = " and ".join(sorted(missing))
        raise CaseError(f"has no column {columns}; it needs id, query, answer", place=name)
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise CaseError(f"not valid CSV: {error}", place=f"{name}:{reader.line_num}") from None
        place = f"{name}:{reader.line_num}"
        try:
            yield place, _row(row)
        except CaseError as error:
            report(error.at(place))


def _row(row: dict[Any, Any]) -> dict[str, Any]:
    if None in row:
        raise CaseError("has more cells than the header has columns")
    data: dict[str, Any] = {}
    for column, cell in row.items():
        if cell is None or (cell == "" and column not in ("query", "answer")):
            continue
        if not cell.isascii() and any("\udc80" <= character <= "\udcff" for character in cell):
            raise CaseError(f'"{column}" is not valid UTF-8; save the file as UTF-8', field=column)
        data[column] = _cell(column, cell)
    return data


def _cell(column: str, cell: str) -> Any:
    if column == "repeat" and cell.isdigit():
        return int(cell)
    if column not in _JSON_COLUMNS:
        return cell
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):
        raise CaseError(f'"{column}" must be JSON text', field=column) from None


def _parquet(stream: IO[bytes], name: str, report: OnError) -> _Rows:
    try:
        import pyarrow as arrow
        from pyarrow import parquet
    except ImportError:
        raise CaseError('needs pyarrow: pip install "citemark[parquet]"', place=name) from None
    try:
        batches: Iterable[Any] = parquet.ParquetFile(stream).iter_batches(batch_size=256)
        number = 0
        for batch in batches:
            for row in batch.to_pylist():
                number += 1
                place = f"{name}: row {number}"
                try:
                    yield place, _parquet_row(row)
                except CaseError as error:
                    report(error.at(place))
    except arrow.ArrowException as error:
        raise CaseError(f"not a Parquet file that can be read ({error})", place=name) from None


def _parquet_row(row: dict[str, Any]) -> dict[str, Any]:
    """A row as a case: lists and structs as they are, JSON text as in CSV."""
    data = {column: value for column, value in row.items() if value is not None}
    for column in _JSON_COLUMNS:
        if isinstance(data.get(column), str):
            data[column] = _cell(column, data[column])
    return data
