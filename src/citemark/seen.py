"""Telling what was there before, in little memory: for inputs of a million cases and more."""

from __future__ import annotations

import re
from array import array

_FIRST_SLOTS = 1 << 10
_FULL = 0.7
_ODD = 0x9E3779B97F4A7C15
_MASK = (1 << 64) - 1
_NUMBER = re.compile(r"(?<![0-9])(?:0|[1-9][0-9]{0,11})(?=[^0-9]*$)")
"""The last number in a place, if it can be written again from its value."""
_NUMBER_BITS = 40


class Seen:
    """A set of 64-bit numbers, such as hashes, in one flat table.

    It takes 12 to 23 bytes for each (half as much again for a moment while it grows), where a
    set of Python's takes about 70 and more. Among a million hashes, the chance that any two
    are equal by accident is about one in 40 million.

    >>> seen = Seen()
    >>> seen.add(17), seen.add(17), 17 in seen, 18 in seen
    (True, False, True, False)
    """

    def __init__(self) -> None:
        self._slots = array("Q", [0]) * _FIRST_SLOTS
        self._used = 0

    def __len__(self) -> int:
        return self._used

    def __contains__(self, number: int) -> bool:
        number = number & _MASK or _ODD
        return self._slots[self._find(number)] == number

    def add(self, number: int) -> bool:
        """Put a number in; false if it was there."""
        return self._put(number) >= 0

    def has_key(self, key: bytes) -> bool:
        """Whether a key is in, by its first 8 bytes."""
        return int.from_bytes(key[:8]) in self

    def add_key(self, key: bytes) -> bool:
        """Put a key in, by its first 8 bytes; false if it was there."""
        return self.add(int.from_bytes(key[:8]))

    def _put(self, number: int) -> int:
        """The slot that was taken for a number, or if it was there, the other way round (~slot)."""
        number = number & _MASK or _ODD  # 0 marks what is free
        slot = self._find(number)
        if self._slots[slot] == number:
            return ~slot
        if self._used >= _FULL * len(self._slots):
            self._grow()
            slot = self._find(number)
        self._slots[slot] = number
        self._used += 1
        return slot

    def _find(self, number: int) -> int:
        """Where a number is, or where it would go."""
        slots = self._slots
        last = len(slots) - 1
        # The highest bits of the product are the ones that every bit of the number has a say in.
        slot = (number * _ODD & _MASK) >> (64 - last.bit_length())
        while (there := slots[slot]) and there != number:
            slot = (slot + 1) & last
        return slot

    def _grow(self) -> None:
        old = self._slots
        self._slots = array("Q", [0]) * (2 * len(old))
        for number in old:
            if number:
                self._slots[self._find(number)] = number


class SeenAt(Seen):
    """A set that also remembers a place such as ``cases.jsonl:17`` for each: 8 bytes a slot more.

    >>> seen = SeenAt()
    >>> seen.first_at(5, "a.jsonl:1"), seen.first_at(5, "a.jsonl:9"), seen.first_at(6, "b")
    (None, 'a.jsonl:1', None)
    """

    def __init__(self) -> None:
        super().__init__()
        self._places = array("Q", [0]) * _FIRST_SLOTS
        self._forms: dict[str, int] = {}

    def first_at(self, number: int, place: str) -> str | None:
        """Note a number with its place; returns the place at which it was before, if it was."""
        slot = self._put(number)
        if slot < 0:
            return self._shown(self._places[~slot])
        self._places[slot] = self._packed(place)
        return None

    def _packed(self, place: str) -> int:
        """A place as a number: that of its form, which all lines of a file share, and its line."""
        found = _NUMBER.search(place)
        form = place if found is None else f"{place[: found.start()]}\0{place[found.end() :]}"
        number = self._forms.setdefault(form, len(self._forms))
        return number << _NUMBER_BITS | (int(found[0]) if found else 0)

    def _shown(self, packed: int) -> str:
        form = list(self._forms)[packed >> _NUMBER_BITS]
        return form.replace("\0", str(packed & ((1 << _NUMBER_BITS) - 1)))

    def _grow(self) -> None:
        old, places = self._slots, self._places
        self._slots = array("Q", [0]) * (2 * len(old))
        self._places = array("Q", [0]) * (2 * len(old))
        for number, place in zip(old, places, strict=True):
            if number:
                slot = self._find(number)
                self._slots[slot] = number
                self._places[slot] = place
