"""``citemark serve``: the local web app and the HTTP API."""

from __future__ import annotations

import socket
from pathlib import Path

import click

from citemark.cli.talk import say
from citemark.errors import UsageError
from citemark.judges.options import JudgeOptions
from citemark.notices import notice

_SHORT_TOKEN = 16


@click.command(short_help="Open the local web app and the HTTP API.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="0: any free."
)
@click.option(
    "--token",
    envvar="CITEMARK_TOKEN",
    help="Who has it may use the server; needed for any other host (or CITEMARK_TOKEN).",
)
@click.option(
    "--folder",
    type=click.Path(path_type=Path),
    default=".",
    show_default=True,
    help="The only folder that files are read from and written to.",
)
@click.option("--base-url", metavar="URL", help="Where runs with openai:MODEL are sent.")
@click.option("--store", metavar="PATH", help="Where replies are kept (or CITEMARK_STORE).")
@click.option(
    "--concurrency", type=int, default=16, show_default=True, help="Requests at once in a run."
)
@click.option(
    "--allow-host",
    "names",
    multiple=True,
    metavar="NAME",
    help="A name by which this server is called, besides its address.",
)
def serve(
    host: str,
    port: int,
    token: str | None,
    folder: Path,
    base_url: str | None,
    store: str | None,
    concurrency: int,
    names: tuple[str, ...],
) -> None:
    """Open the local web app and the HTTP API, for this machine alone unless told otherwise.

    \b
      citemark serve --folder results
      citemark serve --host 0.0.0.0 --token "$(openssl rand -hex 16)"

    The URL is printed on standard output. Ctrl-C ends the server.
    """
    try:
        from citemark.web.folder import Folder
        from citemark.web.serving import serve as run
        from citemark.web.setup import LOOPBACK_NAMES, Setup, is_loopback
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in ("starlette", "uvicorn"):
            raise
        raise UsageError("the web app needs two packages: pip install 'citemark[web]'") from None
    token = _checked(token, local=is_loopback(host))
    if base_url:
        _check_url(base_url)
    setup = Setup(
        folder=Folder(folder),
        host=host,
        port=port,
        token=token,
        names=LOOPBACK_NAMES | {name.lower() for name in (host, socket.gethostname(), *names)},
        options=JudgeOptions(base_url=base_url, store=store, concurrency=concurrency),
    )
    run(setup, lambda url: _tell(url, setup.folder.root, has_token=token is not None))
    say("ended")


def _checked(token: str | None, *, local: bool) -> str | None:
    token = (token or "").strip() or None
    if token is None and not local:
        raise UsageError(
            "others could reach this address: give a --token (or set CITEMARK_TOKEN), "
            "or leave out --host"
        )
    if token is not None and not (token.isascii() and token.isprintable()):
        raise UsageError("--token must be plain ASCII, because it travels in a header")
    if token is not None and len(token) < _SHORT_TOKEN:
        notice(f"a token of fewer than {_SHORT_TOKEN} characters can be guessed")
    return token


def _check_url(base_url: str) -> None:
    """Say now what is wrong with the URL, not when the first run is started."""
    from citemark.judges.llm.endpoint import find_endpoint

    find_endpoint("openai:any", base_url, needs_key=False)


def _tell(url: str, folder: Path, *, has_token: bool) -> None:
    click.echo(url)
    say(f"serving {folder}; Ctrl-C ends it")
    if has_token:
        say("open the URL once with ?token=... added, or send Authorization: Bearer ...")
