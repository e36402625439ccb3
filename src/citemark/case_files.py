"""Reading cases from files: JSON Lines, JSON, CSV, Parquet, or one plain answer."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NoReturn, cast

from citemark.case import Case
from citemark.errors import CaseError

OnError = Callable[[CaseError], None]
FORMATS = ".jsonl .jsonl.gz .json .csv .parquet"
_KINDS = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".csv": "csv",
    ".parquet": "parquet",
}
_JSON_COLUMNS = ("sources", "citations", "tags")
_BOM = b"\xef\xbb\xbf"
_CASES = re.compile(rb"\s*(?:\{|\[\s*(?:[{\]]|$))")
"""How cases in JSON begin; an answer hardly ever begins with a brace."""
_ADD_QUERY = 'for a plain answer add --query "the question"'


def load_cases(
    path: str | Path, *, query: str | None = None, on_error: OnError | None = None
) -> Iterator[Case]:
    """The cases of a file, one after the other; a plain ``.md`` or ``.txt`` needs its ``query``.

    ``-`` is standard input. A case that cannot be read raises :class:`CaseError`; with
    ``on_error`` it is handed over instead, and reading goes on.
    """
    report = _raise if on_error is None else on_error
    try:
        yield from _cases(str(path), query, report)
    except CaseError as error:
        report(error)


def _raise(error: CaseError) -> None:
    raise error


def _cases(name: str, query: str | None, report: OnError) -> Iterator[Case]:
    shown = "<stdin>" if name == "-" else name
    with _opened(name) as stream:
        kind = _kind(name, query)
        if kind != "parquet" and _start(stream)[:2] in (b"\xff\xfe", b"\xfe\xff"):
            raise CaseError("is UTF-16; save it as UTF-8", place=shown)
        if kind == "text":
            answer = _text(stream.read(), shown)
            yield Case.from_dict({"query": query, "answer": answer}, place=shown)
            return
        if query is not None:
            raise CaseError(
                "--query goes with a plain answer; these cases hold their own",
                place=shown,
                field="query",
            )
        readers = {"jsonl": _json_lines, "json": _json, "csv": _csv, "parquet": _parquet}
        for place, data in readers[kind](stream, shown, report):
            try:
                yield Case.from_dict(data, place=place)
            except CaseError as error:
                report(error)


def is_plain(name: str) -> bool:
    """Whether an input is a plain answer rather than a file of cases."""
    if name == "-":
        start = _start(sys.stdin.buffer).removeprefix(_BOM)
        return bool(start.strip()) and not _CASES.match(start)
    return _suffix(name) not in _KINDS


def _start(stream: IO[bytes]) -> bytes:
    """The first bytes of a stream, which stay to be read."""
    peek: Callable[[int], bytes] = getattr(stream, "peek", lambda _: b"")
    return peek(256)


def _suffix(name: str) -> str:
    return Path(name.lower().removesuffix(".gz")).suffix


def _kind(name: str, query: str | None) -> str:
    if name == "-":
        if query is None and is_plain(name):
            raise CaseError(f"holds no cases in JSON; {_ADD_QUERY}", place="<stdin>")
        return "jsonl" if query is None else "text"
    if kind := _KINDS.get(_suffix(name)):
        return kind
    if query is None:
        raise CaseError(f"not a file of cases ({FORMATS}); {_ADD_QUERY}", place=name)
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
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise CaseError(f"cannot be read ({reason})", place=name) from None


def _text(raw: bytes, place: str) -> str:
    try:
        return raw.removeprefix(_BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        raise CaseError(
            f"not valid UTF-8 at byte {error.start}; save it as UTF-8", place=place
        ) from None


_Rows = Iterator[tuple[str, Any]]


def _parsed(text: str) -> Any:
    """JSON, without the numbers that JSON does not have."""
    return json.loads(text, parse_constant=_no_number)


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number in JSON; use null")


def _not_json(error: Exception, place: str) -> CaseError:
    if isinstance(error, RecursionError):
        return CaseError("not valid JSON: nested too deeply", place=place)
    if isinstance(error, json.JSONDecodeError):
        return CaseError(f"not valid JSON: {error.msg} (column {error.colno})", place=place)
    return CaseError(f"not valid JSON: {error}", place=place)


def _json_lines(stream: IO[bytes], name: str, report: OnError) -> _Rows:
    lines = enumerate(stream, start=1)
    first = True
    for number, raw in lines:
        if number == 1:
            raw = raw.removeprefix(_BOM)
        if not raw.strip():
            continue
        if first and (raw.lstrip().startswith(b"[") or raw.strip() == b"{"):
            # JSON over several lines; the blank ones keep the numbers in messages right
            rest = b"\n" * (number - 1) + raw + b"".join(line for _, line in lines)
            yield from _json(io.BytesIO(rest), name, report)
            return
        first = False
        place = f"{name}:{number}"
        try:
            yield place, _parsed(_text(raw.rstrip(b"\r\n"), place))
        except CaseError as error:
            report(error)
        except (ValueError, RecursionError) as error:
            report(_not_json(error, place))


def _json(stream: IO[bytes], name: str, report: OnError) -> _Rows:  # noqa: ARG001
    text = _text(stream.read(), name)
    if not text.strip():
        return
    try:
        data = _parsed(text)
    except json.JSONDecodeError as error:
        hint = "; is it one object per line? name it .jsonl" if error.msg == "Extra data" else ""
        place = f"{name}:{error.lineno}"
        raise CaseError(f"{_not_json(error, '')}{hint}", place=place) from None
    except (ValueError, RecursionError) as error:
        raise _not_json(error, name) from None
    if not isinstance(data, list):
        yield name, data
        return
    for number, entry in enumerate(data, start=1):
        yield f"{name}: case {number}", entry


def _csv(stream: IO[bytes], name: str, report: OnError) -> _Rows:
    csv.field_size_limit(2**31 - 1)  # an answer may be longer than the module's 128 KiB
    text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="", errors="surrogateescape")
    try:
        yield from _csv_rows(text, name, report)
    finally:
        text.detach()  # the stream is closed where it was opened


def _csv_rows(text: io.TextIOWrapper, name: str, report: OnError) -> _Rows:
    reader = csv.reader(text, strict=True)
    header: list[str] | None = None
    while True:
        place = f"{name}:{reader.line_num + 1}"
        try:
            cells = next(reader)
            if header is None:
                header = _header(cells, name)
            elif cells:
                yield place, _row(header, cells)
        except StopIteration:
            return
        except csv.Error as error:
            report(CaseError(f"not valid CSV: {error}", place=place))
            if header is None:
                return
        except CaseError as error:
            if header is None:
                raise
            report(error.at(place))


def _header(cells: list[str], name: str) -> list[str]:
    header = [cell.strip() for cell in cells]
    missing = [column for column in ("query", "answer") if column not in header]
    if missing:
        separated = len(cells) == 1 and any(mark in cells[0] for mark in ";\t")
        hint = "; separate the columns by commas" if separated else ""
        columns = " and ".join(missing)
        raise CaseError(f"has no column {columns}; it needs query and answer{hint}", place=name)
    return header


def _row(header: list[str], cells: list[str]) -> dict[str, Any]:
    if len(cells) > len(header):
        raise CaseError(f"has {len(cells)} cells, but the header has {len(header)} columns")
    data: dict[str, Any] = {}
    for column, cell in zip(header, cells, strict=False):
        if cell == "" and column not in ("query", "answer"):
            continue
        if not cell.isascii() and any("\udc80" <= character <= "\udcff" for character in cell):
            raise CaseError(f'"{column}" is not valid UTF-8; save the file as UTF-8', field=column)
        data[column] = _cell(column, cell)
    return data


def _cell(column: str, cell: str) -> Any:
    if column == "repeat" and cell.isdecimal():
        return int(cell)
    if column not in _JSON_COLUMNS:
        return cell
    try:
        return _parsed(cell)
    except (ValueError, RecursionError) as error:
        problem = _not_json(error, "").problem
        raise CaseError(f'"{column}" must be JSON text ({problem})', field=column) from None


def _parquet(stream: IO[bytes], name: str, report: OnError) -> _Rows:
    try:
        import pyarrow as arrow
        from pyarrow import parquet
    except ImportError:
        raise CaseError('needs pyarrow: pip install "citemark[parquet]"', place=name) from None
    try:
        table = parquet.ParquetFile(stream)
        _header(table.schema_arrow.names, name)
        number = 0
        for batch in table.iter_batches(batch_size=256):
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
    # A table writes NaN, and a struct writes null, for what a row does not have.
    data = {column: value for column, value in row.items() if value is not None and value == value}
    for column in _JSON_COLUMNS:
        if isinstance(data.get(column), str):
            data[column] = _cell(column, data[column])
    tags = data.get("tags")
    if isinstance(tags, dict):
        data["tags"] = {name: tag for name, tag in tags.items() if tag is not None}
    return data
