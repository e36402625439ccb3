"""The arguments that several commands share: cases, the judge, how a model is asked.

Nothing heavy is imported here, so that help and a wrong argument are answered at once.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields
from typing import Any, TypeVar

import click

from citemark.judges.options import MODES, JudgeOptions

_Command = TypeVar("_Command", bound=Callable[..., object])

_HOW = (
    click.option(
        "--mode", type=click.Choice(MODES), help="How a model is asked [default: subscores]."
    ),
    click.option("--base-url", metavar="URL", help="Any server that speaks OpenAI's protocol."),
    click.option(
        "--samples", type=int, default=8, show_default=True, help="Replies in mode sampled."
    ),
    click.option("--temperature", help="A number, or none to send none [default: 0; sampled: 1]."),
    click.option("--seed", type=int, help="Passed on where the endpoint takes it."),
    click.option("--no-schema", is_flag=True, help="Do not send a JSON schema."),
    click.option("--no-logprobs", is_flag=True, help="Do not ask for token probabilities."),
    click.option("--store", metavar="PATH", help="Where replies are kept (or CITEMARK_STORE)."),
)
_HARD = (
    click.option(
        "--concurrency", type=int, default=16, show_default=True, help="The most requests at once."
    ),
    click.option("--rpm", type=float, help="The most requests a minute."),
    click.option("--budget", metavar="USD", type=float, help="The most that this run may cost."),
    click.option("--tpm", type=float, help="The most tokens a minute (estimated)."),
    click.option(
        "--timeout", type=float, default=60, show_default=True, help="Seconds per attempt."
    ),
    click.option(
        "--deadline",
        metavar="SECONDS",
        type=float,
        help="Seconds that all attempts at one judgment may take [default: 600].",
    ),
    click.option(
        "--retries", type=int, default=5, show_default=True, help="Attempts after the first."
    ),
    click.option("--fresh", is_flag=True, help="Ask anew; what the store has is replaced."),
    click.option("--retry-failed", is_flag=True, help="Ask again where a kept reply was no score."),
    click.option("--offline", is_flag=True, help="Use only what the store has."),
)


def takes_cases(command: _Command) -> _Command:
    """Give a command the ``INPUT...`` argument and ``--query``."""
    command = click.option(
        "--query", "-q", help="The question, for a plain .md or .txt answer (or - for one)."
    )(command)
    return click.argument("inputs", metavar="INPUT...", nargs=-1, required=True)(command)


def takes_judge(*, asks: bool) -> Callable[[_Command], _Command]:
    """Give a command ``--judge`` and the options that say how a model is asked."""

    def decorate(command: _Command) -> _Command:
        for option in reversed(_HOW + (_HARD if asks else ())):
            command = option(command)
        return click.option(
            "--judge", "-j", default="embedded", show_default=True, help="Who gives the scores."
        )(command)

    return decorate


def read_options(given: dict[str, Any], *, ask: bool = True) -> JudgeOptions:
    """The judge's options from the command's; takes them out of ``given``."""
    names = [setting.name for setting in fields(JudgeOptions)]
    settings = {name: given.pop(name) for name in names if name in given}
    if settings.get("temperature") is not None:
        with suppress(ValueError):
            settings["temperature"] = float(settings["temperature"])
    settings["schema"] = not given.pop("no_schema", False)
    settings["logprobs"] = not given.pop("no_logprobs", False)
    return JudgeOptions(**{**settings, "ask": ask})
