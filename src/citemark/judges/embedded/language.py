"""Whether a text is English: the embedded judge was fitted to English answers only."""

from __future__ import annotations

import re
from itertools import islice

from citemark.judges.embedded.lexicon import lexicon

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_LOOKED_AT = 400
_LETTERS = 8000
"""Where there are nearly always as many words as are looked at."""
_ENOUGH = 8
"""With fewer words than this, only the letters are looked at."""
_GRAMMAR = 0.2
"""English texts have twice as many of the lexicon's empty words; others that use some, half."""
_FOREIGN = 0.2


def is_english(text: str) -> bool:
    """Whether a text looks English.

    >>> is_english("The bridge was built in 1932 and is 503 metres long.")
    True
    >>> is_english("Die Brücke wurde 1932 gebaut und ist 503 Meter lang.")
    False
    """
    words = _first_words(text)
    if not words:
        return True
    foreign = 0 if text.isascii() else sum(not w.replace("’", "'").isascii() for w in words)
    if foreign > _FOREIGN * len(words):
        return False
    empty = lexicon().empty
    return len(words) < _ENOUGH or sum(map(empty.__contains__, words)) >= _GRAMMAR * len(words)


def _first_words(text: str) -> list[str]:
    """The words that are looked at, in small letters."""
    found = _WORD.findall(text[:_LETTERS])
    if len(found) <= _LOOKED_AT and len(text) > _LETTERS:  # few and long words
        found = [match[0] for match in islice(_WORD.finditer(text), _LOOKED_AT)]
    return list(map(str.casefold, found[:_LOOKED_AT]))
