"""What every command that reads cases shares: the argument, the option, the bad lines."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TypeVar

import click

from citemark.case import Case
from citemark.case_files import is_plain, load_cases
from citemark.errors import CaseError
from citemark.notices import notice

_Command = TypeVar("_Command", bound=Callable[..., object])


def takes_cases(command: _Command) -> _Command:
    """Give a command the ``INPUT...`` argument and ``--query``."""
    command = click.option(
        "--query", "-q", help="The question, for a plain .md or .txt answer (or - for one)."
    )(command)
    return click.argument("inputs", metavar="INPUT...", nargs=-1, required=True)(command)


@dataclass(slots=True)
class Inputs:
    """The cases of all inputs, read once; keeps count of what could not be read."""

    names: tuple[str, ...]
    query: str | None = None
    needs_query: bool = True
    bad: int = 0
    cases: int = 0
    _digest: "hashlib._Hash" = field(default_factory=hashlib.sha256)  # noqa: UP037
    _seen: dict[object, str] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Case]:
        for name in self.names:
            query = self.query
            if query is None and not self.needs_query and is_plain(name):
                query = "(not given)"
            for case in load_cases(name, query=query, on_error=self._report):
                self._note(case)
                yield case

    @property
    def total(self) -> int | None:
        """How many cases there are, where a glance at the files tells."""
        total = 0
        for name in self.names:
            if is_plain(name) and name != "-":
                total += 1
            elif name.endswith((".jsonl", ".ndjson")) and Path(name).is_file():
                with Path(name).open("rb") as stream:
                    total += sum(1 for line in stream if line.strip())
            else:
                return None
        return total

    @property
    def sha256(self) -> str:
        """A hash of all cases as they were read."""
        return self._digest.hexdigest()

    def _report(self, error: CaseError) -> None:
        self.bad += 1
        click.echo(f"citemark: {error}", err=True)

    def _note(self, case: Case) -> None:
        self.cases += 1
        content = asdict(case)
        place = content.pop("place")
        self._digest.update(
            json.dumps(content, sort_keys=True, default=str).encode("utf-8", "surrogatepass")
        )
        first = self._seen.setdefault(hash(case.identity), place)
        if first is not place:
            notice(f'{place}: id "{case.id}" was used before, at {first}; both are kept')

    def finish(self) -> None:
        """End with exit code 2 if there was nothing to work on, with 1 if some was bad."""
        if not self.cases:
            if not self.bad:
                click.echo(f"citemark: no cases in {', '.join(self.names)}", err=True)
            sys.exit(2)
        if self.bad:
            lines = "one case" if self.bad == 1 else f"{self.bad} cases"
            click.echo(f"citemark: {lines} could not be read; the others are done", err=True)
            sys.exit(1)
