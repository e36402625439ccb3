"""Clauses: a sentence taken apart where its writer could as well have made several of it.

So it is the same to the network whether two things are said in one sentence or in two.
"""

from __future__ import annotations

import re

from citemark.judges.embedded.plain_words import is_opener

_AUXILIARY = (
    r"(?:is|are|was|were|can|cannot|could|has|have|had|will|would|may|might|shall|should|must|does"
    r"|do|did|isn't|aren't|wasn't|weren't|can't|doesn't|don't|didn't|won't)"
)
_JOINT = re.compile(
    r";\s+"
    r"|,\s+(?:and|but|so|yet|or|while|whereas|although|though|because|since)\s+"
    r"(?=(?:it|they|he|she|there|we|you|this|these|that|those|its|their)\b"
    rf"|(?:[\w'’-]+\s+){{1,6}}{_AUXILIARY}\b)"
    r"|(?P<relative>,\s+which\s+)",
    re.IGNORECASE,
)
_BARE = re.compile(r"^(?:and|but|or|so|yet)\b,?\s*", re.IGNORECASE)
_LEAST = 3
"""A clause of fewer words than this stays with its neighbour."""


def clauses_in(text: str) -> list[str]:
    """The clauses of a sentence, each as a sentence of its own.

    >>> clauses_in("However, tin melts at 232 °C, which is low, and lead is soft and heavy.")
    ['Tin melts at 232 °C.', 'This is low, and lead is soft and heavy.']
    >>> clauses_in("Copper conducts heat well; silver does so even better.")
    ['Copper conducts heat well.', 'Silver does so even better.']
    """
    parts: list[str] = []
    start = 0
    lead = ""
    for joint in _JOINT.finditer(text):
        if min(_words(text[start : joint.start()]), _words(text[joint.end() :])) >= _LEAST:
            parts.append(lead + text[start : joint.start()])
            start, lead = joint.end(), "This " if joint["relative"] else ""
    alone = map(_alone, (*parts, lead + text[start:]))
    return [clause for clause in alone if clause]


def _words(text: str) -> int:
    return len(text.split())


def _alone(clause: str) -> str:
    """A clause as a sentence: without what tied it to another, with a capital and a stop."""
    clause = clause.strip(" ,;")
    head, comma, rest = clause.partition(",")
    if comma and is_opener(head):
        clause = rest.lstrip()
    clause = _BARE.sub("", clause)
    if clause and clause[-1] not in ".!?…":
        clause += "."
    return clause[:1].upper() + clause[1:]
