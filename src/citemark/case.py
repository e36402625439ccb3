"""A case: one query, the answer to it, and the sources it had. What is scored."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from citemark.citations import SpanCitation
from citemark.errors import CaseError

_FIELDS = {"id", "query", "answer", "sources", "citations", "tags", "group", "variant", "repeat"}
_SCORECARD = {"schema", "case", "sentences", "signature"}
_MOST = 2**53
"""No count, offset or source number is larger: up to here every JSON reader keeps it exact."""
_DEPTH = 64
"""How deeply tags and unknown keys may nest."""


@dataclass(frozen=True, slots=True)
class Source:
    """A page that the answer had: its number in the answer and what is known of it."""

    n: int
    url: str | None = None
    title: str | None = None
    text: str | None = None
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """One query and the generated answer to it, with its sources where they are known.

    >>> Case.from_dict({"query": "Why?", "answer": "Because [1]."}).id
    'e0f34d2f6d'
    """

    id: str
    query: str
    answer: str
    sources: tuple[Source, ...] | None = None
    citations: tuple[SpanCitation, ...] = ()
    tags: Mapping[str, Any] = field(default_factory=dict)
    group: str | None = None
    variant: str | None = None
    repeat: int | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Keys of the input that Citemark does not know; passed through to the scorecard."""
    place: str = field(default="", compare=False)
    """Where the case was read from, such as ``cases.jsonl:17``."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], *, place: str = "") -> Case:
        """A case from plain data; raises :class:`CaseError` naming the field that is wrong."""
        try:
            return cls._checked(data, place)
        except CaseError as error:
            raise error.at(place) from None

    @classmethod
    def _checked(cls, data: Mapping[str, Any], place: str) -> Case:
        if not isinstance(data, Mapping):
            raise CaseError(f"a case must be an object with query and answer, not {_kind(data)}")
        if data.keys() >= _SCORECARD:
            raise CaseError("is a scorecard, not a case; give the cases that it was made from")
        query = _required(data, "query", "give the question that was asked")
        answer = _required(data, "answer", "give the generated text")
        return cls(
            id=_identifier(data.get("id"), query, answer),
            query=query,
            answer=answer,
            sources=read_sources(data.get("sources")),
            citations=read_citations(data.get("citations")),
            tags=_tags(data.get("tags")),
            group=_label(data, "group"),
            variant=_label(data, "variant"),
            repeat=_repeat(data.get("repeat")),
            extra={key: _plain(value, key) for key, value in data.items() if key not in _FIELDS},
            place=place,
        )

    def ties(self) -> dict[str, Any]:
        """What ties this case to others that it is compared with; only what is set."""
        ties = {"group": self.group, "variant": self.variant, "repeat": self.repeat}
        return {name: value for name, value in ties.items() if value is not None}

    @property
    def identity(self) -> tuple[str, str | None, int | None]:
        """What should be there only once in a file."""
        return (self.id, self.variant, self.repeat)


def _bad(name: str, message: str) -> CaseError:
    return CaseError(f'"{name}" {message}', field=name)


def _required(data: Mapping[str, Any], name: str, remedy: str) -> str:
    value = data.get(name)
    if value is None:
        raise _bad(name, f"is missing; {remedy}")
    if not isinstance(value, str):
        raise _bad(name, f"must be text, not {_kind(value)}")
    if not value.strip():
        raise _bad(name, f"is empty; {remedy}")
    return value


def _identifier(value: Any, query: str, answer: str) -> str:
    if value is None or (isinstance(value, str) and not value.strip()):
        digest = hashlib.sha256(f"{query}\0{answer}".encode("utf-8", "surrogatepass"))
        return digest.hexdigest()[:10]
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool) and value % 1 == 0:
        return str(int(value))
    raise _bad("id", f"must be text or a whole number, not {_kind(value)}")


def read_sources(value: Any) -> tuple[Source, ...] | None:
    """The sources of a case from plain data: objects, URLs or bare numbers."""
    if value is None:
        return None
    if not isinstance(value, list | tuple):
        raise _bad("sources", f"must be a list, not {_kind(value)}")
    sources = tuple(_source(entry, i) for i, entry in enumerate(value))
    seen: set[int] = set()
    for source in sources:
        if source.n in seen:
            raise _bad("sources", f"lists number {source.n} twice; give each source its own n")
        seen.add(source.n)
    return sources


def _source(entry: Any, index: int) -> Source:
    name = f"sources[{index}]"
    if isinstance(entry, Source):
        return entry
    if isinstance(entry, str):
        return Source(n=index + 1, url=entry)
    if (number := _count(entry)) is not None:
        return Source(n=number)
    if not isinstance(entry, Mapping):
        raise _bad(name, f"must be an object with n, url or title, not {_kind(entry)}")
    n = index + 1 if entry.get("n") is None else _count(entry["n"])
    if n is None:
        raise _bad(f"{name}.n", "must be a whole number, 0 or more: as the markers count")
    texts: dict[str, str | None] = {}
    for part in ("url", "title", "text", "key"):
        text = entry.get(part)
        if text is not None and not isinstance(text, str):
            raise _bad(f"{name}.{part}", f"must be text, not {_kind(text)}")
        texts[part] = text or None
    return Source(n=n, **texts)


def read_citations(value: Any) -> tuple[SpanCitation, ...]:
    """The reported spans of a case from plain data."""
    if value is None:
        return ()
    if not isinstance(value, list | tuple):
        raise _bad("citations", f"must be a list of spans, not {_kind(value)}")
    return tuple(_citation(entry, i) for i, entry in enumerate(value))


def _citation(entry: Any, index: int) -> SpanCitation:
    name = f"citations[{index}]"
    if isinstance(entry, SpanCitation):
        return entry
    if not isinstance(entry, Mapping):
        raise _bad(name, "must be an object with start, end and sources")
    start, end = _count(entry.get("start")), _count(entry.get("end"))
    for part, offset in (("start", start), ("end", end)):
        if offset is None:
            raise _bad(f"{name}.{part}", "must be a whole number: a character offset")
    given = entry.get("sources")
    numbers = [_count(n) for n in given] if isinstance(given, list | tuple) else [None]
    if start is None or end is None or None in numbers:
        raise _bad(f"{name}.sources", "must be a list of source numbers")
    return SpanCitation(start, end, tuple(n for n in numbers if n is not None))


def _tags(value: Any) -> Mapping[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise _bad("tags", f"must be an object, not {_kind(value)}")
    return {str(name): _plain(tag, f"tags.{name}") for name, tag in value.items()}


def _plain(value: Any, name: str, depth: int = 0) -> Any:
    """A value that is passed through, once it is sure that it can be written again."""
    if depth > _DEPTH:
        raise _bad(name, f"is nested more than {_DEPTH} deep")
    if isinstance(value, float) and not math.isfinite(value):
        raise _bad(name, "must be a finite number; leave out what is not known")
    if isinstance(value, Mapping):
        return {str(key): _plain(inner, name, depth + 1) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner, name, depth + 1) for inner in value]
    return value


def _label(data: Mapping[str, Any], name: str) -> str | None:
    value = data.get(name)
    if value is None or isinstance(value, str):
        return value or None
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise _bad(name, f"must be text, not {_kind(value)}")


def _repeat(value: Any) -> int | None:
    number = _count(value)
    if value is not None and number is None:
        raise _bad("repeat", f"must be a whole number, 0 or more, not {_kind(value)}")
    return number


def _count(value: Any) -> int | None:
    """A whole number from 0 on, also where a table wrote it as 3.0; None if it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if 0 <= value <= _MOST and value % 1 == 0 else None


def _kind(value: Any) -> str:
    names = {
        dict: "an object",
        list: "a list",
        bool: "true/false",
        int: "a number",
        float: "a number",
        str: "text",
        type(None): "null",
    }
    return names.get(type(value), f"a {type(value).__name__}")
