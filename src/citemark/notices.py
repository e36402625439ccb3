"""Notices: what a user should know although nothing failed.

In Python they are warnings of the category :class:`CitemarkNotice`, so that a program can
silence or collect them; the command line prints them on standard error.
"""

from __future__ import annotations

import warnings


class CitemarkNotice(UserWarning):
    """Something was noticed that does not stop the work."""


def notice(message: str) -> None:
    """Tell the user about something that does not stop the work."""
    warnings.warn(message, CitemarkNotice, stacklevel=3)
