"""Abbreviations whose full stop does not end a sentence; the words stand in a TOML file."""

from __future__ import annotations

import tomllib
from importlib.resources import files

_WORDS = tomllib.loads((files("citemark.citations") / "abbreviations.toml").read_text("utf-8"))

TITLES = frozenset(_WORDS["titles"].split())
"""A name follows: never the end of a sentence."""
BEFORE_NUMBER = frozenset(_WORDS["before_number"].split())
"""A number follows: part of the sentence where one does."""
BEFORE_MORE = frozenset(_WORDS["before_more"].split())
"""Something follows that belongs to it: rarely the end of a sentence."""
MAYBE_LAST = frozenset(_WORDS["maybe_last"].split())
"""Can end a sentence: it does where a word follows that only begins one."""
BEFORE_LOWER = frozenset(_WORDS["before_lower"].split())
"""Ends a list: part of the sentence where a small letter follows, else its end."""
ABBREVIATIONS = TITLES | BEFORE_NUMBER | BEFORE_MORE | MAYBE_LAST | BEFORE_LOWER
"""All of them."""
STARTERS = frozenset(_WORDS["starters"].split())
"""Words that begin sentences and seldom follow an abbreviation within one."""
MONTHS_AFTER_ORDINAL = frozenset(_WORDS["months_after_ordinal"].split())
"""German dates: "am 3. Oktober"."""
NAMED = frozenset(_WORDS["named"].split())
"""A capital after one of these is its name, not an initial: "vitamin C." """
