"""``citemark rubrics``: the rubrics, in a list or one in full."""

from __future__ import annotations

from importlib.resources import files

import click

from citemark.errors import UsageError
from citemark.rubrics import Rubric, rubric, rubric_names


@click.command(short_help="List the rubrics, or show one in full.")
@click.argument("name", required=False)
@click.option("--toml", is_flag=True, help="Print the rubric's file: a start for one of your own.")
def rubrics(name: str | None, toml: bool) -> None:
    """List the rubrics, or show the one called NAME in full."""
    if name is None:
        if toml:
            raise UsageError(f"name the rubric to print: {', '.join(rubric_names())}")
        for each in rubric_names():
            click.echo(_line(rubric(each)))
        return
    given = rubric(name)
    if toml:
        resource = files("citemark.rubrics") / f"{name}.toml"
        click.echo(resource.read_text(encoding="utf-8"), nl=False)
    else:
        click.echo(_in_full(given))


def _line(given: Rubric) -> str:
    kind = "" if given.default else " (extra)"
    return f"{given.name:<11} {given.ids[0]}-{given.ids[-1]}  {given.hash}  {given.summary}{kind}"


def _bold(text: str) -> str:
    return click.style(text, bold=True)


def _in_full(given: Rubric) -> str:
    lines = [_bold(f"{given.title} (1-20)") + f"  {given.signature}", "", given.definition]
    lines += [text for text in (given.is_not, given.test, given.method) if text]
    lines += ["", _bold("Bands")]
    lines += [f"  {f'{b.low}-{b.high}':<6} {b.name}: {b.meaning}" for b in given.bands]
    for subscore in given.subscores:
        gist = f" ({subscore.gist})" if subscore.gist else ""
        lines += ["", _bold(f"{subscore.id} {subscore.name}") + gist]
        lines += [f"  {n}  {level}" for n, level in enumerate(subscore.levels)]
    lines += ["", _bold("Steps")]
    for number, step in enumerate(given.steps, start=1):
        lines.append(f"  {number}. {step.text}")
        lines += [f"     - {point}" for point in step.points]
    if given.exclusions:
        lines += ["", _bold("Exclusions"), *(f"  - {line}" for line in given.exclusions)]
    lines += ["", _bold("Output rule"), *(f"  - {line}" for line in given.output_rule)]
    return "\n".join(lines)
