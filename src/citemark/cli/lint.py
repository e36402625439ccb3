"""``citemark lint``: what is wrong with an answer's citations."""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence

import click

from citemark.case import Case
from citemark.citations import SEVERITIES, Problem
from citemark.cli.arguments import takes_cases
from citemark.cli.inputs import Inputs
from citemark.cli.talk import visible
from citemark.judging import read_answer
from citemark.manifest import counted
from citemark.results import json_line

_COLOURS = {"error": "red", "warning": "yellow", "note": "cyan"}


@click.command(short_help="Report citation problems: unknown sources, duplicates, uncited text ...")
@takes_cases
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "jsonl"]),
    default="text",
    show_default=True,
    help="One line or one JSON object per problem.",
)
def lint(inputs: tuple[str, ...], query: str | None, form: str) -> None:
    """Report what is wrong with the citations of answers.

    Every finding is an error (it changes or hides a score), a warning or a note. Exit code 1
    if there is an error or a case could not be read, else 0.
    """
    cases = Inputs(inputs, query, needs_query=False)
    found: Counter[str] = Counter()
    for case in cases:
        starts = _line_starts(case.answer)
        for problem in read_answer(case).problems:
            severity = SEVERITIES[problem.code]
            found[severity] += 1
            if form == "jsonl":
                line = {"case": case.id, "severity": severity, **problem.to_dict()}
                click.echo(json_line(line), nl=False)
            else:
                click.echo(_line(case, problem, starts))
    if cases.cases:
        click.echo(_summary(found, cases.cases), err=True)
    cases.finish()
    sys.exit(1 if found["error"] else 0)


def _line_starts(answer: str) -> list[int]:
    starts = [0]
    while found := answer.find("\n", starts[-1]) + 1:
        starts.append(found)
    return starts


def _line(case: Case, problem: Problem, starts: Sequence[int]) -> str:
    """Place, severity, code and message: the place is line and column in the answer."""
    line = bisect_right(starts, problem.start)
    column = problem.start - starts[line - 1] + 1
    severity = SEVERITIES[problem.code]
    label = click.style(severity, fg=_COLOURS[severity])
    place = f"{visible(case.id)}:{line}:{column}"
    return f"{place}: {label} {problem.code}: {visible(problem.message)}"


def _summary(found: Counter[str], cases: int) -> str:
    counts = ", ".join(counted(found[s], s) for s in _COLOURS if found[s])
    return f"{counts or 'no problems'} in {counted(cases, 'case')}"
