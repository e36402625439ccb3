"""``citemark score``: the command and its options.

What does the work is imported once the options are known, so that help and a wrong option are
answered at once.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from citemark.cli.arguments import read_options, takes_cases, takes_judge


@click.command(short_help="Score every source that an answer cites.")
@takes_cases
@takes_judge(asks=True)
@click.option(
    "--metrics", "-m", help="Metrics to score by, such as relevance,count [default: all five]."
)
@click.option(
    "--rubric", "rubric_files", multiple=True, metavar="FILE", help="A rubric of your own."
)
@click.option(
    "--sources", help="Only these sources: numbers or domains, such as 1,3 or example.com."
)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="Write .jsonl, .csv, .parquet or .html."
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "jsonl", "rows", "csv"]),
    help="What to print on standard output [default: table, or nothing with -o].",
)
@click.option("--dry-run", is_flag=True, help="Count calls and tokens; ask nothing.")
def score(
    inputs: tuple[str, ...],
    query: str | None,
    judge: str,
    metrics: str | None,
    rubric_files: tuple[str, ...],
    sources: str | None,
    output: Path | None,
    form: str | None,
    dry_run: bool,
    **given: Any,
) -> None:
    """Score every source that an answer cites, by five rubrics, with evidence.

    INPUT is a file of cases (.jsonl .json .csv .parquet), a plain answer (.md .txt) together
    with --query, or - for standard input.

    \b
      citemark score answer.md --query "Do heat pumps work in old houses?"
      citemark score cases.jsonl -o scores.csv

    Exit code: 0 everything scored, 1 something failed, 2 bad usage or nothing to score,
    3 the judge cannot be used.
    """
    options = read_options(given, ask=not dry_run)
    from citemark.cli import scoring
    from citemark.judges.registry import find_judge

    rubrics = scoring.read_rubrics(metrics, rubric_files)
    only = scoring.read_sources(sources)
    scoring.keep_inputs(inputs, output)
    chosen = find_judge(judge, options)
    cases = scoring.Inputs(inputs, query)
    if dry_run:
        scoring.say_plan(chosen, cases, rubrics, only)
    else:
        scoring.Scoring(cases, chosen, rubrics, only, output, form).go()
