"""Counting words the same way everywhere.

A word is a run of non-space characters with at least one letter or digit; in scripts
that are written without spaces it is a character.
"""

from __future__ import annotations

import re

# Letters of the scripts without spaces: Han, kana, bopomofo, Thai, Lao, Khmer, Burmese.
# Vowel signs and tone marks are left out: they belong to the letter before them.
UNSPACED = (
    "\u0e01-\u0e30\u0e32\u0e33\u0e40-\u0e46\u0e50-\u0e59"
    "\u0e81-\u0eb0\u0eb2\u0eb3\u0ebd\u0ec0-\u0ec6\u0ed0-\u0edf"
    "\u1000-\u102a\u103f-\u1049\u1780-\u17b3\u17e0-\u17e9"
    "\u3005-\u3007\u3021-\u3029\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"
    "\u3105-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\uff66-\uff9d\U00020000-\U0003134f"
)
_MARKS = (
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u17b4-\u17d3"
)
_SIGNS = {i: None for i in range(128) if not (chr(i).isalnum() or chr(i).isspace())}
"""Everything in ASCII that makes no word; without it, runs and words are the same."""
_ANY_WORD = re.compile(rf"[{UNSPACED}]|[^\W_{UNSPACED}{_MARKS}][^\s{UNSPACED}]*")


def count_words(text: str) -> int:
    """How many words a text has.

    >>> count_words("AI (2024) -- really?"), count_words("AI算法很快。")
    (3, 5)
    """
    if text.isascii():
        return len(text.translate(_SIGNS).split())
    return len(_ANY_WORD.findall(text))
