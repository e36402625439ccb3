"""``citemark judges``: who can judge here, and what is missing for the others."""

from __future__ import annotations

from importlib.util import find_spec

import click

from citemark.errors import JudgeError
from citemark.judges.llm.endpoint import Provider, find_key, providers
from citemark.judges.registry import plugin_names


@click.command(short_help="List the judges that can be used here, and what others need.")
def judges() -> None:
    """List the judges that can be used here, and what is missing for the others."""
    rows = [
        ("embedded", True, "offline, no key: the default"),
        ("embedded:fast", True, "offline, no key: a fitted model, for bulk work"),
    ]
    rows += [(f"{name}:MODEL", *_state(provider)) for name, provider in providers().items()]
    rows += [_local("gguf:PATH", "a GGUF file in this process"), _smollm()]
    rows += [(name, True, "a plugin that is installed here") for name in plugin_names()]
    width = max(len(name) for name, _, _ in rows)
    for name, ready, note in sorted(rows, key=lambda row: not row[1]):
        mark = click.style("ready  ", fg="green") if ready else click.style("missing", fg="yellow")
        click.echo(f"{mark}  {name:<{width}}  {note}")
    click.echo(
        "\nAny other server that speaks OpenAI's protocol: --judge openai:MODEL --base-url URL"
    )


def _state(provider: Provider) -> tuple[bool, str]:
    gives = [
        word
        for word, there in (
            ("token probabilities", provider.logprobs),
            ("JSON schema", provider.schema),
        )
        if there
    ]
    able = f"; gives {' and '.join(gives)}" if gives else ""
    if provider.key is None:
        return True, f"{provider.title}, if it runs at {provider.base_url}{able}"
    if find_key(provider.key):
        return True, f"{provider.title}, key from {provider.key}{able}"
    return False, f"{provider.title}: set {provider.key}{able}"


def _local(name: str, note: str) -> tuple[str, bool, str]:
    if find_spec("xllamacpp") is None:
        return name, False, f'{note}: pip install "citemark[local]"'
    return name, True, note


def _smollm() -> tuple[str, bool, str]:
    from citemark.judges.llm.local import find_gguf

    name, ready, note = _local("gguf:smollm2", "a tiny model to try the path with; no real judge")
    if not ready:
        return name, ready, note
    try:
        find_gguf("gguf:smollm2")
    except JudgeError as error:
        return name, False, str(error)
    return name, True, note
