"""What the command line says to people: on standard error, safe for any terminal."""

from __future__ import annotations

import click

_JOINERS = "\u200c\u200d"
"""Without these some scripts and emoji fall apart; they do a terminal no harm."""


def say(message: str) -> None:
    """Tell the user something, beside the data."""
    click.echo(f"citemark: {visible(message)}", err=True)


def visible(text: str) -> str:
    r"""The text with control characters written out, so that a terminal does not obey them.

    >>> visible("red \x1b[31m")
    'red \\x1b[31m'
    """
    if text.isprintable():
        return text
    return "".join(c if _is_safe(c) else c.encode("unicode_escape").decode() for c in text)


def one_line(text: str, most: int) -> str:
    """The text on one line, without control characters, cut to a length."""
    line = " ".join("".join(c if _is_safe(c) else " " for c in text[: 4 * most]).split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _is_safe(character: str) -> bool:
    return character.isprintable() or character in _JOINERS
