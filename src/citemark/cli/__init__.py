"""The command line: ``citemark score`` and its companions."""

from __future__ import annotations

import gc
import os
import sys
import warnings
from typing import Any, TextIO

import click

from citemark._version import __version__
from citemark.cli.ending import ended_well
from citemark.cli.talk import say
from citemark.notices import CitemarkNotice

_COMMANDS = (
    "score",
    "parse",
    "lint",
    "rubrics",
    "prompt",
    "judges",
    "report",
    "compare",
    "serve",
    "batch",
    "store",
    "demo",
)

_COLLECT = (50_000, 20, 50)
"""How seldom to look for cycles: hardly anything here makes any, and Python's own pace takes an
eighth of a run that asks a model."""


class _Commands(click.Group):
    """The commands by name, each imported only when it is run."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _COMMANDS:
            return None
        from importlib import import_module

        module = import_module(f"citemark.cli.{cmd_name}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        if os.environ.get("NO_COLOR"):
            ctx.color = False
        with ended_well():
            return super().invoke(ctx)


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with: citemark demo",
)
@click.version_option(__version__, prog_name="citemark", message="%(prog)s %(version)s")
def citemark() -> None:
    """Tell how much each cited source really matters to an AI answer."""


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # UTF-8, whatever the locale says
            stream.reconfigure(encoding="utf-8", errors="replace")
    warnings.simplefilter("always", CitemarkNotice)
    warnings.showwarning = _show_notice
    gc.set_threshold(*_COLLECT)
    citemark(prog_name="citemark")


def _show_notice(
    message: Warning | str,
    category: type[Warning],
    filename: str,  # noqa: ARG001
    lineno: int,  # noqa: ARG001
    file: TextIO | None = None,  # noqa: ARG001
    line: str | None = None,  # noqa: ARG001
) -> None:
    label = "notice" if issubclass(category, CitemarkNotice) else "warning"
    say(f"{label}: {message}")


__all__ = ["citemark", "main"]
