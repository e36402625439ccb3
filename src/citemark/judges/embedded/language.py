"""Whether a text is English: the embedded judge was fitted to English answers only."""

from __future__ import annotations

import re
from itertools import islice

from citemark.judges.embedded.lexicon import lexicon

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_LOOKED_AT = 400
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
    words = [match[0].casefold() for match in islice(_WORD.finditer(text), _LOOKED_AT)]
    if not words:
        return True
    foreign = sum(1 for word in words if not word.replace("’", "'").isascii())
    if foreign > _FOREIGN * len(words):
        return False
    empty = lexicon().empty
    return len(words) < _ENOUGH or sum(w in empty for w in words) >= _GRAMMAR * len(words)
