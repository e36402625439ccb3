"""Reading results back: the scorecards of a ``.jsonl`` file, checked, as plain data."""

from __future__ import annotations

import gzip
import json
import math
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any, cast

from citemark.errors import CitemarkError, UsageError
from citemark.scorecard import SCHEMA

Plain = dict[str, Any]
"""A scorecard as it stands in a results file."""

_ENDINGS = (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz")
_SCORE_FIRST = "make results with: citemark score CASES -o results.jsonl"
_STATUSES = ("scored", "not_cited", "failed")


class ScorecardError(CitemarkError):
    """A line is no scorecard; the message says why and what to do."""


def read_results(path: str, on_error: Callable[[str], None] | None = None) -> Iterator[Plain]:
    """The scorecards of a results file, in its order.

    A line that is none is told to ``on_error`` with its place and left out; without
    ``on_error`` it is raised.
    """
    if not path.lower().endswith(_ENDINGS):
        raise UsageError(f"{path}: is not a results file (.jsonl, .jsonl.gz); {_SCORE_FIRST}")
    for number, line in enumerate(_lines(path), start=1):
        if not line.strip():
            continue
        try:
            yield checked(_parsed(line))
        except ScorecardError as error:
            message = f"{path}:{number}: {error}"
            if on_error is None:
                raise UsageError(message) from None
            on_error(message)


def _lines(path: str) -> Iterator[bytes]:
    place = Path(path)
    if place.is_dir():
        raise UsageError(f"{path}: is a directory; name a results file in it")
    try:
        stream: IO[bytes]
        if path.lower().endswith(".gz"):
            stream = cast(IO[bytes], gzip.open(place, "rb"))  # noqa: SIM115 - closed below
        else:
            stream = place.open("rb")
        with stream:
            yield from stream
    except FileNotFoundError:
        raise UsageError(f"{path}: no such file; {_SCORE_FIRST}") from None
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"{path}: cannot be read ({reason})") from None


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        raise ScorecardError("is not JSON; was the file cut off?") from None


def checked(data: Any) -> Plain:
    """The same scorecard if it is one that can be shown; else says what is wrong with it."""
    _check_kind(data)
    for name in ("case", "query", "answer"):
        if not isinstance(data.get(name), str):
            raise ScorecardError(f'has no "{name}"; score the case again')
    length = len(data["answer"])
    if not _is_list(data.get("sentences"), lambda item: _is_sentence(item, length)):
        raise ScorecardError('has no readable "sentences"; score the case again')
    if not _is_list(data.get("problems", []), lambda item: _is_problem(item, length)):
        raise ScorecardError('has no readable "problems"; score the case again')
    if not _is_list(data["sources"], _is_source):
        raise ScorecardError('has no readable "sources"; score the case again')
    return cast(Plain, data)


def _check_kind(data: Any) -> None:
    """Tell the files apart that are easily taken for results."""
    if not isinstance(data, dict):
        raise ScorecardError("is not a scorecard, which is a JSON object")
    if "schema" not in data and {"query", "answer"} <= data.keys():
        raise ScorecardError(f"is a case that was not scored yet; {_SCORE_FIRST}")
    if "source" in data and not isinstance(data.get("sources"), list):
        raise ScorecardError(f"is a flat row, not a scorecard; {_SCORE_FIRST}")
    if isinstance(data.get("schema"), int) and data["schema"] > SCHEMA:
        raise ScorecardError("was made by a newer Citemark; upgrade this one to read it")
    if data.get("schema") != SCHEMA or not isinstance(data.get("sources"), list):
        raise ScorecardError(f"is not a scorecard; {_SCORE_FIRST}")


def _is_list(value: Any, is_item: Callable[[Any], bool]) -> bool:
    return isinstance(value, list) and all(map(is_item, value))


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Whether a value is a number that can be counted with."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_span(item: Mapping[str, Any], length: int) -> bool:
    start, end = item.get("start"), item.get("end")
    return _is_whole(start) and _is_whole(end) and 0 <= cast(int, start) <= cast(int, end) <= length


def _is_sentence(item: Any, length: int) -> bool:
    return (
        isinstance(item, dict)
        and _is_span(item, length)
        and _is_list(item.get("sources"), _is_whole)
        and _is_list(item.get("block_sources", []), _is_whole)
    )


def _is_problem(item: Any, length: int) -> bool:
    named = isinstance(item, dict) and isinstance(item.get("code"), str)
    return named and _is_span(item, length)


def _is_source(item: Any) -> bool:
    if not isinstance(item, dict) or not _is_whole(item.get("source")):
        return False
    texts = (item.get(name) for name in ("key", "url", "title"))
    scores = item.get("scores")
    return (
        all(text is None or isinstance(text, str) for text in texts)
        and isinstance(scores, dict)
        and all(map(_is_judgment, scores.values()))
        and (item.get("overall") is None or is_number(item["overall"]))
    )


def _is_judgment(item: Any) -> bool:
    if not isinstance(item, dict) or item.get("status") not in _STATUSES:
        return False
    if item["status"] == "failed":
        return item.get("score") is None  # a failure never looks like a score
    levels, evidence, interval = (item.get(n) for n in ("subscores", "evidence", "interval"))
    return (
        _is_whole(item.get("score"))
        and 1 <= item["score"] <= 20
        and (levels is None or _are_levels(levels))
        and (evidence is None or _is_evidence(evidence))
        and (interval is None or (_is_list(interval, is_number) and len(interval) == 2))
    )


def _are_levels(levels: Any) -> bool:
    return isinstance(levels, dict) and all(
        _is_whole(level) and 0 <= level <= 4 for level in levels.values()
    )


def _is_evidence(evidence: Any) -> bool:
    return isinstance(evidence, dict) and all(
        _is_list(numbers, _is_whole) for numbers in evidence.values()
    )
