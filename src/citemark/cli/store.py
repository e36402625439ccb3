"""``citemark store``: what the store holds, and its upkeep."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import click

from citemark.cli.talk import say
from citemark.errors import UsageError
from citemark.results import json_line, written_whole
from citemark.store import Store, path_of

_PLACE = click.option("--store", metavar="PATH", help="The store (or CITEMARK_STORE).")


@click.group(short_help="Look at the store of replies, and keep it in order.")
def store() -> None:
    """Every reply that a model gave is kept in one file; see what is in it."""


def _opened(place: str | None) -> Store:
    return Store(path_of(place), create=False)


@store.command(short_help="Say how much is in the store.")
@_PLACE
def info(store: str | None) -> None:
    """Say where the store is and how many replies it has of each model."""
    opened = _opened(store)
    found = opened.info()
    opened.close()
    click.echo(f"{found.path}: {found.replies:,} replies, {found.size / 1e6:.1f} MB")
    for model, count in found.by_model.items():
        click.echo(f"{count:>10,}  {model}")


@store.command(short_help="Write all replies as JSON Lines.")
@_PLACE
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True)
def export(store: str | None, output: Path) -> None:
    """Write all replies as JSON Lines, oldest first: key, provider, model, time, reply."""
    opened = _opened(store)
    count = 0
    with written_whole(output) as stream:
        for kept in opened:
            line = {
                "key": kept.key.hex(),
                "provider": kept.provider,
                "model": kept.model,
                "created": round(kept.created, 3),
                "reply": _reply(kept.raw),
            }
            stream.write(json_line(line).encode())
            count += 1
    opened.close()
    say(f"{output}: {count:,} replies")


def _reply(raw: str) -> object:
    """The reply as data, or as the text it is where it was damaged."""
    try:
        return json.loads(raw)
    except ValueError:
        return raw


@store.command(short_help="Remove replies that are no longer wanted.")
@_PLACE
@click.option("--older-than", metavar="DAYS", type=float, help="Only replies older than this.")
@click.option("--model", help="Only replies of this model.")
@click.option("--yes", is_flag=True, help="Really remove them.")
def prune(store: str | None, older_than: float | None, model: str | None, yes: bool) -> None:
    """Remove replies by age or model. Without --yes it only says how many they are."""
    if older_than is None and model is None:
        raise UsageError("say which replies: --older-than DAYS, --model NAME, or both")
    before = None if older_than is None else time.time() - older_than * 86400
    opened = _opened(store)
    count = opened.prune(before=before, model=model, really=yes)
    opened.close()
    say(f"{count:,} replies {'removed' if yes else 'would be removed; add --yes'}")


@store.command(short_help="Check the store for damage.")
@_PLACE
def verify(store: str | None) -> None:
    """Check the whole file, and that every reply in it can be read. Exit code 1 on damage."""
    opened = _opened(store)
    problems = opened.verify()
    opened.close()
    for problem in problems[:20]:
        say(problem)
    if problems:
        say(f"{len(problems)} problems; what can be read can be saved with citemark store export")
        sys.exit(1)
    click.echo(f"{opened.path}: no damage found")
