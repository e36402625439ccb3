"""The cases that a command is given: read once, the bad lines told."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from citemark.case import Case
from citemark.case_files import is_plain, load_cases
from citemark.cli.talk import say
from citemark.errors import CaseError
from citemark.manifest import counted
from citemark.notices import notice
from citemark.seen import SeenAt

_MOST_TWINS = 5
"""How many ids that were used before are told one by one."""


@dataclass(slots=True)
class Inputs:
    """The cases of all inputs, read once; keeps count of what could not be read."""

    names: tuple[str, ...]
    query: str | None = None
    needs_query: bool = True
    bad: int = 0
    cases: int = 0
    twins: int = 0
    ended: bool = False
    """Whether all of it was read."""
    _digest: "hashlib._Hash" = field(default_factory=hashlib.sha256)  # noqa: UP037
    _seen: SeenAt = field(default_factory=SeenAt)

    def __iter__(self) -> Iterator[Case]:
        for name in self.names:
            query = self.query
            if query is None and not self.needs_query and is_plain(name):
                query = "(not given)"
            before = self.cases + self.bad
            for case in load_cases(name, query=query, on_error=self._report):
                self._note(case)
                yield case
            if before == self.cases + self.bad:
                notice(f"{name}: holds no cases")
        self.ended = True
        if self.twins > _MOST_TWINS:
            notice(f"{self.twins} cases have an id that was used before; all are kept")

    @property
    def total(self) -> int | None:
        """How many cases there are, where a glance at the files tells."""
        total = 0
        for name in self.names:
            if name == "-":
                return None
            if is_plain(name):
                total += 1
            elif name.endswith((".jsonl", ".ndjson")) and Path(name).is_file():
                try:
                    with Path(name).open("rb") as stream:
                        total += sum(1 for line in stream if line.strip())
                except OSError:
                    return None  # reading it will tell why
            else:
                return None
        return total

    @property
    def sha256(self) -> str:
        """A hash of all cases as they were read."""
        return self._digest.hexdigest()

    def _report(self, error: CaseError) -> None:
        self.bad += 1
        say(str(error))

    def _note(self, case: Case) -> None:
        self.cases += 1
        place = case.place
        content = replace(case, place="")
        self._digest.update(repr(content).encode("utf-8", "surrogatepass"))
        first = self._seen.first_at(hash(case.identity), place)
        if first is not None:
            self.twins += 1
            if self.twins <= _MOST_TWINS:
                notice(f'{place}: id "{case.id}" was used before, at {first}; both are kept')

    def finish(self) -> None:
        """End with exit code 2 if there was nothing to work on, with 1 if some was bad."""
        if not self.cases:
            say("nothing to work on")
            sys.exit(2)
        if self.bad:
            say(f"{counted(self.bad, 'case')} could not be read; the others are done")
            sys.exit(1)
