"""A case: one query, the answer to it, and the sources it had. What is scored."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from citemark.citations import SpanCitation
from citemark.errors import CaseError

_FIELDS = {"id", "query", "answer", "sources", "citations", "tags", "group", "variant", "repeat"}


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
    '2b8ae83e1d'
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
            raise CaseError("a case must be an object with query and answer")
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
            extra={key: value for key, value in data.items() if key not in _FIELDS},
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
    if value is None or value == "":
        digest = hashlib.sha256(f"{query}\0{answer}".encode("utf-8", "surrogatepass"))
        return digest.hexdigest()[:10]
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
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
    if _is_count(entry):
        return Source(n=entry)
    if not isinstance(entry, Mapping):
        raise _bad(name, f"must be an object with n, url or title, not {_kind(entry)}")
    n = entry.get("n", index + 1)
    if not isinstance(n, int) or isinstance(n, bool) or n < 0:
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
    for part in ("start", "end"):
        if not _is_count(entry.get(part)):
            raise _bad(f"{name}.{part}", "must be a whole number: a character offset")
    numbers = entry.get("sources")
    if not isinstance(numbers, list | tuple) or not all(_is_count(n) for n in numbers):
        raise _bad(f"{name}.sources", "must be a list of source numbers")
    return SpanCitation(entry["start"], entry["end"], tuple(numbers))


def _tags(value: Any) -> Mapping[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise _bad("tags", f"must be an object, not {_kind(value)}")
    return dict(value)


def _label(data: Mapping[str, Any], name: str) -> str | None:
    value = data.get(name)
    if value is None or isinstance(value, str):
        return value or None
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise _bad(name, f"must be text, not {_kind(value)}")


def _repeat(value: Any) -> int | None:
    if value is None or (isinstance(value, int) and _is_count(value)):
        return value
    raise _bad("repeat", "must be a whole number, 0 or more")


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _kind(value: Any) -> str:
    names = {
        dict: "an object",
        list: "a list",
        bool: "true/false",
        int: "a number",
        float: "a number",
    }
    return names.get(type(value), f"a {type(value).__name__}")
