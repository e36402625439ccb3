"""``citemark demo``: the bundled examples, scored on the spot."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path

import click

from citemark.case_files import load_cases
from citemark.cli.table import Table
from citemark.judges import find_judge
from citemark.report.page import Report
from citemark.results import written_whole
from citemark.scoring import score_many


@click.command(short_help="Score the bundled examples: no key, no network.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=Path("citemark-demo.html"),
    show_default=True,
    help="Where to write the report.",
)
def demo(output: Path) -> None:
    """Score the ten bundled examples with the embedded judge, offline, and write a report."""
    judge = find_judge("embedded")
    table = Table(judge.trust)
    report = Report(title="Ten examples")
    with as_file(files("citemark.examples") / "cases.jsonl") as path, written_whole(output) as page:
        for card in score_many(load_cases(path), judge=judge):
            table.write(card)
            report.add(card.to_dict())
        table.close()
        report.write(page)
    click.echo(f"\nThe same to look at, in a browser: {output}", err=True)
    click.echo('Now your own: citemark score answer.md --query "the question"', err=True)
