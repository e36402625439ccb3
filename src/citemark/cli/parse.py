"""``citemark parse``: the parsed answer alone."""

from __future__ import annotations

import click

from citemark.cli.arguments import takes_cases
from citemark.cli.inputs import Inputs
from citemark.judging import read_answer
from citemark.results import json_line


@click.command(short_help="Show how an answer is read: its sentences and whom they cite.")
@takes_cases
def parse(inputs: tuple[str, ...], query: str | None) -> None:
    """Show how answers are read: one JSON object per case with its sentences and problems.

    INPUT is a file of cases (.jsonl .json .csv .parquet), a plain answer (.md .txt), or -.
    """
    cases = Inputs(inputs, query, needs_query=False)
    for case in cases:
        answer = read_answer(case)
        click.echo(json_line({"case": case.id, **answer.to_dict()}), nl=False)
    cases.finish()
