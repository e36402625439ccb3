"""Which feature belongs to which group, for leaving a group out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from citemark.citations import parse_answer
from citemark.judges.embedded.content import Content, content_of
from citemark.judges.embedded.detail import detail
from citemark.judges.embedded.fit import fit
from citemark.judges.embedded.likeness import likeness
from citemark.judges.embedded.statements import read
from citemark.judges.embedded.static import static_embedder
from citemark.judges.embedded.variety import variety
from citemark.judges.embedded.vectors import Floats
from citemark.judges.embedded.vocabulary import vocabulary
from citemark.judges.embedded.voice import voice

_OWN: Mapping[str, Callable[[Content], dict[str, Floats]]] = {
    "voice": voice,
    "variety": variety,
    "vocabulary": vocabulary,
    "likeness": likeness,
    "fit": fit,
    "detail": detail,
}
_BESIDE = ("_gap", "_rank", "_all", "_top")
GROUPS: Mapping[str, str] = {
    "voice": "how much of the answer is said on the source's word",
    "variety": "how many things it says, and how many different ones",
    "vocabulary": "the terms that it brings",
    "likeness": "how near the other sources come",
    "fit": "the match with the query",
    "detail": "how particular it is, and how hard to guess",
    "question": "what kind of thing the query asks for",
    "answer": "what is the same for all sources of an answer",
    "beside": "the source against the others of its answer",
}


def in_group(name: str, group: str) -> bool:
    """Whether a feature belongs to a group; one set against the others belongs to two.

    >>> in_group("share_gap", "voice"), in_group("share_gap", "beside"), in_group("share", "fit")
    (True, True, False)
    """
    known = _columns()
    beside = name not in known and name.endswith(_BESIDE) and name.rpartition("_")[0] in known
    if group == "beside":
        return beside
    if group == "question":
        return name.startswith(("q_", "match_"))
    if group == "answer":
        return name.startswith("a_")
    return known.get(name.rpartition("_")[0] if beside else name) == group


@cache
def _columns() -> dict[str, str]:
    """The group of each column that describes a source by itself."""
    answer = parse_answer("Tea cools in ten minutes [1]. Coffee keeps warm for longer [2].")
    content = content_of(read(answer), "How fast does tea cool?", static_embedder())
    return {name: group for group, columns in _OWN.items() for name in columns(content)}
