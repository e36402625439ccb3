"""Writing results: scorecards as JSON Lines, flat rows as CSV or Parquet, a report as HTML."""

from __future__ import annotations

import csv
import io
import json
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import IO, Any, Protocol

from citemark.errors import UsageError
from citemark.rubrics import Rubric
from citemark.scorecard import Scorecard
from citemark.whole_files import written_whole as written_whole

FILE_FORMATS = (".jsonl", ".csv", ".parquet", ".html")
_FIRST = ("case", "source", "key", "url", "title", "cited")
_FIGURES = ("overall", "sentences", "words", "word", "word_position")
_SHARES = ("share_word", "share_position", "share_word_position")
_LAST = ("judge", "mode", "signature")
_INTEGERS = frozenset({"source", "sentences"})
_PARQUET_BATCH = 5000
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""What JSON would leave raw but terminals obey, some readers take for a line break, or
UTF-8 cannot carry (half a surrogate pair)."""


def json_line(data: Mapping[str, Any]) -> str:
    """One line of JSON: readable letters, and escapes for what could do harm in a line."""
    line = json.dumps(data, ensure_ascii=False, allow_nan=False, default=str)
    if not line.isascii() or "\x7f" in line:
        line = _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", line)
    return line + "\n"


def columns(rubrics: Iterable[Rubric], tags: Iterable[str] = ()) -> list[str]:
    """The columns of the flat form, in the contract's order."""
    rubrics = tuple(rubrics)
    scores = [
        f"{r.name}{part}" for r in rubrics for part in ("", "_expected", "_status", "_reason")
    ]
    ids = [identifier for r in rubrics for identifier in r.ids]
    return [*_FIRST, *scores, *ids, *_FIGURES, *_SHARES, *_LAST, *tags]


Facts = Callable[[], Mapping[str, Any]]
"""Gives what is known of a run when it is over: its manifest as plain data."""


class Writer(Protocol):
    """Takes scorecards one after the other; ``close`` completes what they make up."""

    def write(self, card: Scorecard) -> None:
        """Take one scorecard."""

    def close(self) -> None:
        """Complete the output."""


class JsonLines:
    """Scorecards, or with ``rows`` their flat rows, as JSON Lines."""

    def __init__(self, stream: IO[bytes], *, rows: bool = False) -> None:
        self._stream = stream
        self._rows = rows

    def write(self, card: Scorecard) -> None:
        """Write one card, as one line or as one line per source."""
        for data in card.rows() if self._rows else [card.to_dict()]:
            self._stream.write(json_line(data).encode("utf-8"))

    def close(self) -> None:
        """Nothing is left to do."""


class _Spooled:
    """Rows kept on disk until all their columns are known: a tag may turn up in any case."""

    def __init__(self, stream: IO[bytes], rubrics: tuple[Rubric, ...]) -> None:
        self._stream = stream
        self._rubrics = rubrics
        self._spool = tempfile.TemporaryFile()  # noqa: SIM115 - closed when it was read
        self._tags: dict[str, None] = {}

    def write(self, card: Scorecard) -> None:
        """Keep the rows of one card."""
        self._tags.update((f"tag_{name}", None) for name in card.case.tags)
        for row in card.rows():
            self._spool.write(json_line(row).encode("utf-8"))

    def _columns(self) -> list[str]:
        return columns(self._rubrics, self._tags)

    def _rows(self) -> Iterator[dict[str, Any]]:
        self._spool.seek(0)
        for line in self._spool:
            yield json.loads(line)
        self._spool.close()


class Csv(_Spooled):
    """Flat rows as CSV, UTF-8, with a header."""

    def close(self) -> None:
        """Write header and rows."""
        text = io.TextIOWrapper(self._stream, encoding="utf-8", errors="replace", newline="")
        try:
            table = csv.DictWriter(text, self._columns(), restval=None, lineterminator="\n")
            table.writeheader()
            for row in self._rows():
                table.writerow({name: _cell(value) for name, value in row.items()})
            text.flush()
        finally:
            text.detach()  # the stream is not ours to close


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value


class Parquet(_Spooled):
    """Flat rows as Parquet, for which pyarrow is needed."""

    def __init__(self, stream: IO[bytes], rubrics: tuple[Rubric, ...]) -> None:
        super().__init__(stream, rubrics)
        try:
            import pyarrow
        except ImportError:
            raise UsageError(
                'writing .parquet needs pyarrow: pip install "citemark[parquet]"'
            ) from None
        self._arrow = pyarrow

    def close(self) -> None:
        """Write the rows in batches."""
        from pyarrow import parquet

        names, schema = self._columns(), self._schema()
        with parquet.ParquetWriter(self._stream, schema) as table:
            rows = self._rows()
            while batch := list(islice(rows, _PARQUET_BATCH)):
                cells = [[_value(name, row.get(name)) for row in batch] for name in names]
                table.write_table(self._arrow.table(cells, schema=schema))

    def _schema(self) -> Any:
        arrow = self._arrow
        whole = _INTEGERS | {r.name for r in self._rubrics}
        whole |= {identifier for r in self._rubrics for identifier in r.ids}
        numbers = {*_FIGURES, *_SHARES, *(f"{r.name}_expected" for r in self._rubrics)}
        types = []
        for name in self._columns():
            if name == "cited":
                kind = arrow.bool_()
            elif name in whole:
                kind = arrow.int64()
            else:
                kind = arrow.float64() if name in numbers else arrow.string()
            types.append((_utf8(name), kind))
        return arrow.schema(types)


def _value(name: str, value: Any) -> Any:
    if name.startswith("tag_") and value is not None and not isinstance(value, str):
        value = json.dumps(value, ensure_ascii=False)
    return _utf8(value) if isinstance(value, str) else value


def _utf8(text: str) -> str:
    """The text as UTF-8 can carry it; half a surrogate pair becomes ``?``."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


class Html:
    """The report: one page with everything in it."""

    def __init__(
        self, stream: IO[bytes], rubrics: tuple[Rubric, ...], title: str, facts: Facts
    ) -> None:
        from citemark.report.page import Report  # only who wants a page pays for it

        self._stream = stream
        self._facts = facts
        self._report = Report(title=title, rubrics=rubrics)

    def write(self, card: Scorecard) -> None:
        """Take one card into the page."""
        self._report.add(card.to_dict())

    def close(self) -> None:
        """Write the page."""
        self._report.write(self._stream, self._facts())


def writer_for(
    form: str,
    stream: IO[bytes],
    rubrics: tuple[Rubric, ...],
    *,
    title: str = "Citation report",
    facts: Facts = dict,
) -> Writer:
    """The writer of a format: ``jsonl``, ``rows``, ``csv``, ``parquet`` or ``html``.

    ``title`` and ``facts`` (what the manifest says, asked for at the end) are for a report.
    """
    if form == "html":
        return Html(stream, rubrics, title, facts)
    if form == "csv":
        return Csv(stream, rubrics)
    if form == "parquet":
        return Parquet(stream, rubrics)
    return JsonLines(stream, rows=form == "rows")


def format_of(path: Path) -> str:
    """The format that the ending of a file asks for."""
    if path.suffix.lower() not in FILE_FORMATS:
        hint = "; for standard output use --format" if str(path) == "-" else ""
        raise UsageError(f"{path}: cannot write this ending; use {', '.join(FILE_FORMATS)}{hint}")
    return path.suffix.lower()[1:]
