"""Finding the JSON objects in a reply, with the place of every value in the text.

The standard parser says neither where a value stands nor where a cut reply ends, and it
recurses: a reply of a hundred thousand brackets would bring it down. This one walks the text
once with a stack of its own.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Final

# Possessive throughout (*+), so that no text, however odd, is gone over twice.
_BODY = r'[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+'
_TOKEN = re.compile(
    r"[ \t\n\r]*+(?:"
    r"(?P<open>[{\[])|(?P<close>[}\]])|(?P<comma>,)|(?P<colon>:)"
    rf'|(?P<string>"{_BODY}")'
    r"|(?P<scalar>-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][-+]?[0-9]++)?"
    # NaN and Infinity are no JSON, but some servers write them; they never count as a level,
    # and refusing them here would take the good parts of the object along.
    r"|true|false|null|NaN|-?Infinity))"
)
_HALF_ESCAPE = r"(?:\\(?:u[0-9a-fA-F]{0,3})?)?"
_CUT = re.compile(
    rf'[ \t\n\r]*+(?:"{_BODY}{_HALF_ESCAPE}|-|\.|[eE][-+]?'
    r"|t|tr|tru|f|fa|fal|fals|n|nu|nul)?\Z"
)
# What an object can start with; all other braces are passed over without a walk.
_START = re.compile(
    r"\{(?=[ \t\n\r]*+(?:\}|\Z"
    rf'|"{_BODY}(?:"[ \t\n\r]*+(?::|\Z)|{_HALF_ESCAPE}\Z)))'
)

_VALUE: Final = frozenset({"open", "string", "scalar"})
_VALUE_OR_END: Final = _VALUE | {"close"}
_KEY: Final = frozenset({"string"})
_KEY_OR_END: Final = frozenset({"string", "close"})
_COLON: Final = frozenset({"colon"})
_NEXT_OR_END: Final = frozenset({"comma", "close"})


@dataclass(slots=True, eq=False, repr=False)
class Node:
    """A JSON value and where it stands in the text: ``text[start:end]``.

    An object's content is a dict, an array's a list, and that of anything else the text
    itself, quotes included.
    """

    content: dict[str, Node] | list[Node] | str
    start: int
    end: int

    @property
    def members(self) -> dict[str, Node]:
        """The members of an object; nothing for any other value."""
        return self.content if isinstance(self.content, dict) else {}

    @property
    def items(self) -> list[Node]:
        """The items of an array; nothing for any other value."""
        return self.content if isinstance(self.content, list) else []

    @property
    def raw(self) -> str:
        """A number, word or string as it was written; empty for objects and arrays."""
        return self.content if isinstance(self.content, str) else ""


@dataclass(frozen=True, slots=True)
class Objects:
    """The complete objects of a text in order, and whether another one was cut off."""

    found: tuple[Node, ...]
    cut: bool


@dataclass(frozen=True, slots=True)
class _Stop:
    resume: int
    cut: bool


def find_objects(text: str, start: int = 0) -> Objects:
    """Find every outermost JSON object in a text, whatever stands around it.

    >>> text = 'Here: {"a": 1} and ```{"b": {"c": 2}}```'
    >>> [text[node.start : node.end] for node in find_objects(text).found]
    ['{"a": 1}', '{"b": {"c": 2}}']
    """
    found = []
    brace = _START.search(text, start)
    while brace:
        outcome = _Walk(text, brace.start()).outcome()
        if isinstance(outcome, Node):
            found.append(outcome)
            brace = _START.search(text, outcome.end)
        elif outcome.cut:
            return Objects(tuple(found), cut=True)
        else:
            brace = _START.search(text, outcome.resume)
    return Objects(tuple(found), cut=False)


class _Walk:
    """One walk from an opening brace to the end of its object, or to where it goes wrong."""

    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.start = start
        self.open: list[Node] = []
        self.keys: list[str] = []
        self.expected: frozenset[str] = _VALUE

    def outcome(self) -> Node | _Stop:
        at = last = self.start
        while True:
            token = _TOKEN.match(self.text, at)
            kind = token.lastgroup if token else None
            if token is None or kind is None or kind not in self.expected:
                # Nothing around the error can be JSON any more. The last token is gone over
                # again, because a stray quotation mark may have hidden a brace in it.
                return _Stop(last + 1, cut=token is None and bool(_CUT.match(self.text, at)))
            at, last = token.end(), token.start(kind)
            if kind == "close":
                closed = self._close(token[kind], at)
                if closed is None:
                    return _Stop(last + 1, cut=False)
                if not self.open:
                    return closed
            elif kind == "comma":
                self.expected = _KEY if self.open[-1].members else _VALUE
            elif kind == "colon":
                self.expected = _VALUE
            elif self.expected is _KEY or self.expected is _KEY_OR_END:
                self.keys.append(_key(token[kind]))
                self.expected = _COLON
            else:
                self._add(kind, token[kind], last, at)

    def _close(self, bracket: str, end: int) -> Node | None:
        node = self.open[-1]
        if (bracket == "}") != isinstance(node.content, dict):
            return None
        node.end = end
        self.open.pop()
        self.expected = _NEXT_OR_END
        return node

    def _add(self, kind: str, written: str, start: int, end: int) -> None:
        """Put a value into the container that is open; of equal keys the last one stays."""
        if kind != "open":
            node = Node(written, start, end)
        else:
            node = Node({} if written == "{" else [], start, end)
        if self.open:
            holder = self.open[-1].content
            if isinstance(holder, dict):
                holder[self.keys.pop()] = node
            elif isinstance(holder, list):
                holder.append(node)
        if kind == "open":
            self.open.append(node)
            self.expected = _KEY_OR_END if written == "{" else _VALUE_OR_END
        else:
            self.expected = _NEXT_OR_END


def _key(written: str) -> str:
    return str(json.loads(written)) if "\\" in written else written[1:-1]
