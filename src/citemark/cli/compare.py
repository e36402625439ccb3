"""``citemark compare``: what changed between two results files."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, cast

import click

from citemark.cli.talk import say
from citemark.comparison import Card, Comparison, compare_cards, flat_rows, read_cards
from citemark.comparison.matching import By, Matches, match_cases
from citemark.comparison.plain import COLUMNS
from citemark.errors import UsageError
from citemark.manifest import counted
from citemark.results import json_line, written_whole

_ENDINGS = (".csv", ".jsonl", ".html")
_MOST_BAD = 5
"""How many bad lines are told one by one."""


@click.command(short_help="Compare two results files: differences with n and intervals.")
@click.argument("before")
@click.argument("after", required=False)
@click.option("--metrics", "-m", help="Only these, such as relevance,overall,share [default: all].")
@click.option(
    "--by",
    type=click.Choice(["source", "domain", "case"]),
    default="source",
    show_default=True,
    help="What a row is.",
)
@click.option(
    "--min-n",
    type=click.IntRange(0),
    default=0,
    help="Leave out rows over fewer queries (with --by case: sources) [default: none].",
)
@click.option(
    "--variant",
    metavar="BEFORE,AFTER",
    help="Compare these variants of the cases; with one file, both are taken from it.",
)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="Write .csv, .jsonl or .html."
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "csv", "jsonl"]),
    help="What to print on standard output [default: table, or nothing with -o].",
)
def compare(
    before: str,
    after: str | None,
    metrics: str | None,
    by: By,
    min_n: int,
    variant: str | None,
    output: Path | None,
    form: str | None,
) -> None:
    """Compare two results files, source by source and metric by metric.

    BEFORE and AFTER are scorecards as "citemark score -o results.jsonl" writes them. Cases
    are matched by id, else by group, else by query; sources by key or URL, else by number.

    \b
      citemark compare before.jsonl after.jsonl
      citemark compare results.jsonl --variant before,after -o compare.html

    Exit code: 0 everything compared, 1 some lines could not be read or some judgments had
    failed, 2 bad usage or nothing to compare.
    """
    ending = _ending(output, (before, after))
    sides = _Sides(before, after, variant)
    old, new = sides.read()
    matches = match_cases(old, new)
    if not matches.pairs:
        raise UsageError(_no_match(matches))
    comparison = compare_cards(
        old, new, metrics=_names(metrics), by=by, min_n=min_n, matches=matches
    )
    for remark in comparison.remarks:
        say(f"{remark.level}: {remark.text}")
    if form or not output:
        _print(comparison, sides.labels, form or "table")
    if output:
        _write(comparison, sides.labels, output, ending)
        say(f"{output}: {counted(len(comparison.rows), 'row')} compared")
    sys.exit(1 if sides.bad or any(comparison.failed) else 0)


class _Sides:
    """The two sides as they were asked for: two files, two variants, or both."""

    def __init__(self, before: str, after: str | None, variant: str | None) -> None:
        self.variants = _names(variant)
        if self.variants is not None and len(self.variants) != 2:
            raise UsageError("--variant takes two names, such as before,after")
        if after is None and not self.variants:
            raise UsageError(
                "give two results files, or one with --variant BEFORE,AFTER that holds both"
            )
        self.paths = (before, after or before)
        self.bad = 0

    @property
    def labels(self) -> tuple[str, str]:
        """How the sides are called in the output."""
        if self.variants and self.paths[0] == self.paths[1]:
            return (self.variants[0], self.variants[1])
        return (Path(self.paths[0]).name, Path(self.paths[1]).name)

    def read(self) -> tuple[list[Card], list[Card]]:
        """The cards of both sides; an empty side ends the command."""
        old = list(read_cards(self.paths[0], self._report))
        same = self.paths[0] == self.paths[1]
        new = old if same else list(read_cards(self.paths[1], self._report))
        if self.bad > _MOST_BAD:
            say(f"{self.bad} lines could not be read")
        for path, cards in zip(self.paths, (old, new), strict=True):
            if not cards:
                raise UsageError(f"{path}: holds no scorecards to compare")
        if self.variants:
            return self._variant(old, 0), self._variant(new, 1)
        return old, new

    def _variant(self, cards: Sequence[Card], side: int) -> list[Card]:
        wanted = cast(list[str], self.variants)[side]
        found = [card for card in cards if card.variant == wanted]
        if not found:
            known = ", ".join(sorted({card.variant for card in cards if card.variant})) or "none"
            raise UsageError(f'{self.paths[side]}: has no variant "{wanted}"; it has: {known}')
        return found

    def _report(self, message: str) -> None:
        self.bad += 1
        if self.bad <= _MOST_BAD:
            say(message)


def _names(text: str | None) -> list[str] | None:
    if text is None:
        return None
    names = list(dict.fromkeys(name for part in text.split(",") if (name := part.strip())))
    if not names:
        raise UsageError("an empty list of names; leave the option out for the default")
    return names


def _ending(output: Path | None, inputs: Iterable[str | None]) -> str:
    if output is None:
        return ""
    ending = output.suffix.lower()
    if ending not in _ENDINGS:
        raise UsageError(f"{output}: cannot write this ending; use {', '.join(_ENDINGS)}")
    for name in inputs:
        if name and output.exists() and Path(name).exists() and output.samefile(name):
            raise UsageError(f"{output} is an input; write the comparison to another file")
    return ending[1:]


def _no_match(matches: Matches) -> str:
    old, new = matches.only_before[0], matches.only_after[0]
    return (
        f"nothing matches: {len(matches.only_before)} cases before "
        f'(such as "{old.case}") and {len(matches.only_after)} after (such as "{new.case}") '
        'have no id, group or query in common; give both sides the same "id" or the same '
        '"group" in the cases, and score them again'
    )


def _print(comparison: Comparison, labels: tuple[str, str], form: str) -> None:
    if form != "table":
        _write_rows(comparison, form, sys.stdout.buffer)
        return
    from rich.console import Console  # takes a moment to import

    from citemark.comparison.terminal import print_comparison

    console = Console(file=sys.stdout, highlight=False, emoji=False, markup=False)
    with console.capture() as printed:  # so that a closed pipe ends as it does elsewhere
        print_comparison(comparison, labels, console)
    sys.stdout.write(printed.get())


def _write(comparison: Comparison, labels: tuple[str, str], output: Path, ending: str) -> None:
    with written_whole(output) as stream:
        if ending == "html":
            from citemark.comparison.page import comparison_page

            stream.write(comparison_page(comparison, labels).encode("utf-8", "replace"))
        else:
            _write_rows(comparison, ending, stream)


def _write_rows(comparison: Comparison, form: str, stream: IO[bytes]) -> None:
    lines = _csv_lines if form == "csv" else _json_lines
    for line in lines(flat_rows(comparison)):
        stream.write(line.encode("utf-8", "replace"))


def _json_lines(rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    return map(json_line, rows)


def _csv_lines(rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    text = io.StringIO(newline="")
    table = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    table.writeheader()
    for row in rows:
        table.writerow({name: _cell(value) for name, value in row.items()})
    yield text.getvalue()


def _cell(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else value
