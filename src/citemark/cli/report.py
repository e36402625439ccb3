"""``citemark report``: results as one page to look at, send and print."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from citemark.cli.talk import say
from citemark.errors import UsageError
from citemark.manifest import counted
from citemark.report.page import Report
from citemark.report.reading import read_results
from citemark.results import written_whole
from citemark.rubrics import load_rubric

_MOST_COMPLAINTS = 5


@click.command(short_help="Make a page to look at from results.")
@click.argument("results", metavar="RESULTS")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="Where to write the page [default: RESULTS with the ending .html].",
)
@click.option("--title", help="What the page is called [default: the name of the file].")
@click.option(
    "--rubric",
    "rubric_files",
    multiple=True,
    metavar="FILE",
    help="A rubric of your own that the results were scored by, for its wording.",
)
def report(
    results: str, output: Path | None, title: str | None, rubric_files: tuple[str, ...]
) -> None:
    """Make one self-contained HTML page from a results file (.jsonl, .jsonl.gz).

    The page opens from disk, loads nothing and can be sent to anybody.

    \b
      citemark score cases.jsonl -o results.jsonl
      citemark report results.jsonl -o report.html

    Exit code: 0 done, 1 some lines could not be read, 2 nothing to show.
    """
    stem = _stem(results)
    target = output or Path(results).with_name(f"{stem}.html")
    if target.suffix.lower() not in (".html", ".htm"):
        raise UsageError(f"{target}: a report is written as .html; name it so")
    page = Report(title=title or stem, rubrics=[load_rubric(path) for path in rubric_files])
    complaints: list[str] = []
    for card in read_results(results, complaints.append):
        page.add(card)
    for complaint in complaints[:_MOST_COMPLAINTS]:
        say(complaint)
    if len(complaints) > _MOST_COMPLAINTS:
        say(f"and {len(complaints) - _MOST_COMPLAINTS} more lines like these")
    if not len(page):
        reason = "no line of it is a scorecard" if complaints else "is empty"
        raise UsageError(f"{results}: {reason}; there is nothing to show")
    with written_whole(target) as stream:
        page.write(stream, _facts(Path(results)))
    say(f"{target}: {counted(len(page), 'case')}; open it in a browser")
    if complaints:
        sys.exit(1)


def _stem(results: str) -> str:
    name = Path(results).name.removesuffix(".gz")
    return name.rsplit(".", 1)[0] or name


def _facts(results: Path) -> Mapping[str, Any]:
    """What the manifest beside the results says of the run, if it is there."""
    try:
        facts = json.loads(results.with_name(f"{results.name}.manifest.json").read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return facts if isinstance(facts, dict) else {}
