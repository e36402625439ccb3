"""Reading sub-scores from a JSON reply, each level with its place in the text.

Where a level stands matters: the probabilities that a model gives belong to tokens, and a
token is found by its place. A bad part of a reply never spoils the other parts.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from citemark.judges.llm.json_scan import Node, find_objects
from citemark.judges.llm.plain_text import after_thoughts
from citemark.judges.llm.refusals import opens_as_refusal
from citemark.judges.llm.unreadable import Unreadable
from citemark.rubrics.rubric import LEVELS

__all__ = ["Level", "Levels", "Panel", "read_levels", "read_panel", "read_sheet"]


@dataclass(frozen=True, slots=True)
class Level:
    """One sub-score: its level, the sentences it rests on, and where its digit stands."""

    level: int
    sentences: tuple[int, ...]
    span: tuple[int, int]


Levels = Mapping[str, Level] | Unreadable
"""The sub-scores of one metric by id, or why there are none."""
Panel = Mapping[str, Levels]
"""The sub-scores of one source by metric."""

_NUMBER = re.compile(r"(?P<whole>-?(?:0|[1-9][0-9]*+))(?:\.0+)?")
_QUOTED = re.compile(r'"(?P<whole>-?(?:0|[1-9][0-9]*+))"')


def read_levels(text: str, ids: Sequence[str]) -> Levels:
    """Read the sub-scores of one metric from a reply.

    >>> found = read_levels('{"R1": {"level": 3, "sentences": [2, 5]}, "R2": 4}', ["R1", "R2"])
    >>> found["R1"]
    Level(level=3, sentences=(2, 5), span=(17, 18))
    >>> read_levels('{"R1": 3}', ["R1", "R2"]).detail
    'The reply gives no level for R2.'
    """
    found = _object(text, ids)
    return found if isinstance(found, Unreadable) else _levels(found, ids)


def read_panel(text: str, metrics: Mapping[str, Sequence[str]]) -> Panel | Unreadable:
    """Read the sub-scores of several metrics from one reply; a bad metric fails alone.

    >>> found = read_panel('{"a": {"A1": 3}, "b": {"B1": 7}}', {"a": ["A1"], "b": ["B1"]})
    >>> found["a"]["A1"].level, found["b"].reason
    (3, 'off_scale')
    """
    found = _object(text, metrics)
    return found if isinstance(found, Unreadable) else _panel(found, metrics)


def read_sheet(
    text: str, sources: Sequence[int], metrics: Mapping[str, Sequence[str]]
) -> Mapping[int, Panel] | Unreadable:
    """Read the sub-scores of several sources from one reply; a bad source fails alone.

    >>> found = read_sheet('{"sources": {"2": {"a": {"A1": 3}}}}', [1, 2], {"a": ["A1"]})
    >>> found[2]["a"]["A1"].level, found[1]["a"].reason
    (3, 'not_a_score')
    """
    found = _object(text, [str(source) for source in sources])
    if isinstance(found, Unreadable):
        return found
    missing = Node({}, found.start, found.end)
    return {source: _panel(found.members.get(str(source), missing), metrics) for source in sources}


def _object(text: str, wanted: Collection[str]) -> Node | Unreadable:
    """The last object of a reply that holds one of the wanted keys."""
    start = after_thoughts(text)
    if start is None:
        return Unreadable("truncated", "The reply ends in the middle of the model's thoughts.")
    objects = find_objects(text, start)
    # A draft in front of an object that was cut off is not the model's last word.
    if objects.cut:
        return Unreadable("truncated", "The reply ends in the middle of a JSON object.")
    for found in reversed(objects.found):
        if holder := _holder(found, wanted):
            return holder
    if opens_as_refusal(text[start:]):
        return Unreadable("refused", "The model declined to give scores.")
    if objects.found:
        return Unreadable("not_a_score", "The JSON in the reply holds nothing that was asked for.")
    if not text[start:].strip("\ufeff \t\r\n"):
        return Unreadable("not_a_score", "The reply is empty.")
    return Unreadable("not_a_score", "The reply holds no complete JSON object.")


def _holder(found: Node, wanted: Collection[str]) -> Node | None:
    """The object itself, or the only object in it: models like to wrap what they send."""
    if not found.members.keys().isdisjoint(wanted) or not wanted:
        return found
    inner = [node for node in found.members.values() if not node.members.keys().isdisjoint(wanted)]
    return inner[0] if len(inner) == 1 else None


def _panel(found: Node, metrics: Mapping[str, Sequence[str]]) -> Panel:
    panel: dict[str, Levels] = {}
    for metric, ids in metrics.items():
        if metric in found.members:
            panel[metric] = _levels(found.members[metric], ids)
        else:
            panel[metric] = Unreadable("not_a_score", f"The reply gives nothing for {metric}.")
    return panel


def _levels(found: Node, ids: Sequence[str]) -> Levels:
    levels: dict[str, Level] = {}
    for identifier in ids:
        if identifier not in found.members:
            return Unreadable("not_a_score", f"The reply gives no level for {identifier}.")
        level = _level(identifier, found.members[identifier])
        if isinstance(level, Unreadable):
            return level
        levels[identifier] = level
    return levels


def _level(identifier: str, found: Node) -> Level | Unreadable:
    """A level with its sentences, or, in the short form, alone."""
    members = found.members
    node = members.get("level") if isinstance(found.content, dict) else found
    written = _whole(node) if node else None
    if node is None or written is None:
        return Unreadable("not_a_score", f"The level for {identifier} is not a whole number.")
    if len(written) != 1 or int(written) >= LEVELS:
        detail = f"The level for {identifier} is {written[:12]}, not one of 0 to {LEVELS - 1}."
        return Unreadable("off_scale", detail)
    start = node.start + (node.raw[0] == '"')
    cited = members["sentences"].items if "sentences" in members else []
    return Level(int(written), _sentences(cited), (start, start + 1))


def _whole(node: Node) -> str | None:
    """A whole number as it is written: 3, "3" or 3.0."""
    match = _NUMBER.fullmatch(node.raw) or _QUOTED.fullmatch(node.raw)
    return match["whole"] if match else None


def _sentences(cited: Sequence[Node]) -> tuple[int, ...]:
    """The sentence numbers among some values; what cannot be one is left out."""
    return tuple(
        int(n.raw) for n in cited if n.raw.isascii() and n.raw.isdigit() and len(n.raw) < 10
    )
