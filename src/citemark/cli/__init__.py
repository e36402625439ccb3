"""The command line: ``citemark score``, ``parse``, ``lint``, ``rubrics``, ``prompt``, ``demo``."""

from __future__ import annotations

import os
import signal
import sys
import warnings
from typing import Any, TextIO

import click

from citemark._version import __version__
from citemark.errors import CitemarkError
from citemark.notices import CitemarkNotice

_COMMANDS = ("score", "parse", "lint", "rubrics", "prompt", "demo")


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


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with: citemark demo",
)
@click.version_option(__version__, prog_name="citemark", message="%(prog)s %(version)s")
def citemark() -> None:
    """Tell how much each cited source really matters to an AI answer."""


def main() -> None:
    """Run the command line; every expected failure ends in one line and an exit code."""
    _behave()
    try:
        code = citemark.main(standalone_mode=False)
    except click.exceptions.Exit as stop:
        code = stop.exit_code
    except click.Abort:
        code = _interrupted()
    except KeyboardInterrupt:
        code = _interrupted()
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except CitemarkError as error:
        click.echo(f"citemark: {error}", err=True)
        code = error.exit_code
    sys.stdout.flush()
    sys.exit(code if isinstance(code, int) else 0)


def _behave() -> None:
    """Be a good neighbour in a pipe, and speak UTF-8 whatever the locale says."""
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
    warnings.simplefilter("always", CitemarkNotice)
    warnings.showwarning = _show_notice
    os.environ.setdefault("PYTHONUTF8", "1")


def _show_notice(
    message: Warning | str,
    category: type[Warning],
    filename: str,  # noqa: ARG001
    lineno: int,  # noqa: ARG001
    file: TextIO | None = None,  # noqa: ARG001
    line: str | None = None,  # noqa: ARG001
) -> None:
    label = "notice" if issubclass(category, CitemarkNotice) else "warning"
    click.echo(f"citemark: {label}: {message}", err=True)


def _interrupted() -> int:
    click.echo("citemark: interrupted; nothing was written", err=True)
    return 130


__all__: list[Any] = ["citemark", "main"]
