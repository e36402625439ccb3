"""``citemark prompt``: the exact message that a judge is sent."""

from __future__ import annotations

import sys

import click

from citemark.case import Case
from citemark.cli.arguments import takes_cases
from citemark.cli.inputs import Inputs
from citemark.cli.talk import say
from citemark.errors import UsageError
from citemark.judges.options import MODES
from citemark.judging import read_answer
from citemark.prompts import prompt as render
from citemark.prompts import system_message
from citemark.rubrics import Rubric, load_rubric
from citemark.rubrics import rubric as bundled


@click.command(short_help="Print the exact message that a judge is sent.")
@takes_cases
@click.option("--case", "case_id", help="The id of the case [default: the only one].")
@click.option("--metric", help="A bundled rubric by name.")
@click.option("--rubric", "rubric_file", metavar="FILE", help="A rubric of your own.")
@click.option("--source", type=int, required=True, help="The number of the source.")
@click.option("--mode", type=click.Choice(MODES), help="How the judge is asked.")
@click.option("--system", is_flag=True, help="Print the system message instead.")
def prompt(
    inputs: tuple[str, ...],
    query: str | None,
    case_id: str | None,
    metric: str | None,
    rubric_file: str | None,
    source: int,
    mode: str | None,
    system: bool,
) -> None:
    """Print the exact user message that a judge is sent about one source, and nothing else."""
    given = _rubric(metric, rubric_file)
    case = _case(Inputs(inputs, query), case_id)
    answer = read_answer(case)
    if source not in answer.cited:
        cited = ", ".join(map(str, sorted(answer.cited))) or "none"
        raise UsageError(f"the answer does not cite source {source}; it cites: {cited}")
    mode = mode or ("direct" if given.text is not None else "subscores")
    text = system_message(given) if system else render(given, case, answer, source, mode).text
    if text is None:
        say(f"{given.name} is a text rubric: it is sent without a system message")
    sys.stdout.write(text or "")
    if text and sys.stdout.isatty() and not text.endswith("\n"):
        sys.stdout.write("\n")


def _rubric(metric: str | None, rubric_file: str | None) -> Rubric:
    if (metric is None) == (rubric_file is None):
        raise UsageError("name one rubric: --metric NAME or --rubric FILE")
    return bundled(metric) if metric is not None else load_rubric(rubric_file or "")


def _case(cases: Inputs, case_id: str | None) -> Case:
    found = [case for case in cases if case_id in (None, case.id)]
    if len(found) == 1:
        return found[0]
    if not cases.cases:
        cases.finish()
    if not found:
        raise UsageError(f'no case "{case_id}" in {", ".join(cases.names)}')
    if case_id is not None:
        places = ", ".join(case.place for case in found[:8])
        raise UsageError(f'{len(found)} cases have the id "{case_id}": {places}')
    ids = ", ".join(dict.fromkeys(case.id for case in found[:8]))
    more = " ..." if len(found) > 8 else ""
    raise UsageError(f"{len(found)} cases; say which with --case ({ids}{more})")
