"""``citemark batch``: requests for a provider's batch API, and its replies into the store."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from citemark.batch import import_replies, request_line
from citemark.cli.arguments import read_options, takes_cases, takes_judge
from citemark.cli.inputs import Inputs
from citemark.errors import UsageError
from citemark.judges import find_judge
from citemark.judges.llm.judge import LLMJudge
from citemark.judges.llm.plan import requests
from citemark.judging import work_on
from citemark.results import written_whole
from citemark.rubrics import load_rubric
from citemark.scoring import choose_rubrics
from citemark.store import Store, path_of


@click.group(short_help="Requests for a provider's batch API, and its replies back.")
def batch() -> None:
    """Ask a model through a provider's batch API, another tool, or by hand.

    \b
      citemark batch export cases.jsonl -j openai:MODEL -o requests.jsonl
      ... have the requests answered ...
      citemark batch import replies.jsonl
      citemark score cases.jsonl -j openai:MODEL --offline
    """


@batch.command("export", short_help="Write the requests of a run, one line each.")
@takes_cases
@takes_judge(asks=False)
@click.option("--metrics", "-m", help="Metrics to score by [default: all five].")
@click.option(
    "--rubric", "rubric_files", multiple=True, metavar="FILE", help="A rubric of your own."
)
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True)
def export(
    inputs: tuple[str, ...],
    query: str | None,
    metrics: str | None,
    rubric_files: tuple[str, ...],
    output: Path,
    judge: str,
    **given: Any,
) -> None:
    """Write the requests that a run would send, in the OpenAI batch format.

    Requests whose replies are in the store already are left out.
    """
    chosen = find_judge(judge, read_options(given, ask=False))
    if not isinstance(chosen, LLMJudge):
        raise UsageError(f'judge "{judge}" asks no model; name one, such as openai:MODEL')
    rubrics = choose_rubrics(
        [name.strip() for name in metrics.split(",")] if metrics else None,
        [load_rubric(path) for path in rubric_files],
    )
    cases = Inputs(inputs, query)
    written = known = 0
    with written_whole(output) as stream:
        for request in requests(chosen, work_on(cases, rubrics)):
            if chosen.has(request):
                known += 1
                continue
            stream.write(request_line(request, chosen.endpoint).encode())
            written += 1
        if not cases.cases:
            cases.finish()
    chosen.close()
    click.echo(f"{output}: {written} requests ({known} more are in the store)", err=True)
    cases.finish()


@batch.command("import", short_help="Read replies into the store.")
@click.argument(
    "files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
@click.option("--store", metavar="PATH", help="Where replies are kept (or CITEMARK_STORE).")
def import_(files: tuple[Path, ...], store: str | None) -> None:
    """Read replies in the OpenAI batch format into the store, in any order.

    A line holds custom_id and response.body, or for replies by hand just custom_id and
    content.
    """
    place = Store(path_of(store))
    try:
        kept, failed = import_replies(files, place, lambda text: click.echo(text, err=True))
    finally:
        place.close()
    click.echo(f"{kept} replies kept, {failed} lines without one", err=True)
    if not kept:
        sys.exit(2)
    sys.exit(1 if failed else 0)
