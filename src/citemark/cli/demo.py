"""``citemark demo``: the bundled examples, scored on the spot."""

from __future__ import annotations

from importlib.resources import as_file, files

import click

from citemark.case_files import load_cases
from citemark.cli.table import Table
from citemark.judges import find_judge
from citemark.scoring import score_many


@click.command(short_help="Score the bundled examples: no key, no network.")
def demo() -> None:
    """Score the ten bundled examples with the embedded judge, offline."""
    judge = find_judge("embedded")
    table = Table(judge.trust)
    with as_file(files("citemark.examples") / "cases.jsonl") as path:
        for card in score_many(load_cases(path), judge=judge):
            table.write(card)
    table.close()
    click.echo('\nNow your own: citemark score answer.md --query "the question"', err=True)
