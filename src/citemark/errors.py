"""What can go wrong, said so that a user knows what to do next."""

from __future__ import annotations


class CitemarkError(Exception):
    """The base of every error that Citemark raises on purpose."""

    exit_code = 2


class CaseError(CitemarkError):
    """A case cannot be read: the message names the place, the field and the remedy."""

    def __init__(self, message: str, *, place: str = "", field: str = "") -> None:
        self.place = place
        self.field = field
        self.problem = message
        super().__init__(f"{place}: {message}" if place else message)

    def at(self, place: str) -> CaseError:
        """The same error, with the file and line where the case stands."""
        return CaseError(self.problem, place=place, field=self.field)


class RubricError(CitemarkError):
    """A rubric is unknown, incomplete or not in a form that Citemark reads."""


class UsageError(CitemarkError):
    """What was asked for does not make sense; nothing was done."""


class JudgeError(CitemarkError):
    """The judge cannot be used at all: missing, without a key, unreachable."""

    exit_code = 3
