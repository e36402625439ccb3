"""Reading one score from a reply: what models really send, and nothing that is no score.

A reply that cannot be read for certain is never turned into a number; it comes back as
:class:`Unreadable` with its reason.
"""

from __future__ import annotations

from functools import lru_cache

from citemark.judges.llm.unreadable import Unreadable

__all__ = ["READER_VERSION", "Unreadable", "read_score"]

READER_VERSION = 1
"""Changes whenever the same reply may be read differently; it is part of the signature."""

_SHORT = 32


def read_score(text: str, *, low: int = 1, high: int = 20) -> int | Unreadable:
    """Read the one score that a reply gives; when in doubt, say why there is none.

    >>> read_score("The source is central to the answer.\\n\\n**Score: 14/20**")
    14
    >>> read_score("12-14").reason, read_score("21").reason
    ('not_a_score', 'off_scale')
    """
    bare = text.strip()
    if len(bare) <= 2 and bare.isascii() and bare.isdecimal() and bare[0] != "0":
        number = int(bare)  # what a model is asked for, and mostly sends
        if low <= number <= high:
            return number
    return (_read_short if len(text) <= _SHORT else _read)(text, low, high)


def _read(text: str, low: int, high: int) -> int | Unreadable:
    from citemark.judges.llm.prose_reply import read_prose  # many a run never needs it

    return read_prose(text, low, high)


_read_short = lru_cache(maxsize=4096)(_read)
"""The same few words come back in thousands of replies; they are read once."""
