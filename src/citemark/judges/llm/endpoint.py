"""Where an LLM judge lives: provider presets, keys, and what an endpoint supports."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from urllib.parse import urlsplit

from citemark.errors import JudgeError, UsageError


@dataclass(frozen=True, slots=True)
class Provider:
    """An endpoint that speaks the OpenAI chat-completions protocol, and what it takes."""

    name: str
    title: str
    base_url: str
    key: str | None = None
    """The environment variable that holds the key; None if no key is needed."""
    logprobs: bool = True
    schema: bool = True
    seed: str | None = None
    n: bool = False
    tokens: str = "max_tokens"
    """Its name for the limit on the length of a reply."""
    prefill: str | None = None
    """How it goes on with a reply that was begun for it: "plain", or the parameter it needs."""
    grammar: bool = False
    """It can be held to a grammar, so that a small model gives a number and nothing else."""
    address: str | None = None
    """What stands for the endpoint in keys where its URL changes from run to run."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One model at one provider. The key never shows: not in repr, not in what is hashed."""

    provider: Provider
    model: str
    key: str | None = field(default=None, repr=False, compare=False)

    @property
    def url(self) -> str:
        """Where chat completions are asked for."""
        return f"{self.provider.base_url.rstrip('/')}/chat/completions"

    @property
    def identity(self) -> tuple[str, str, str]:
        """What a stored reply belongs to: provider, address and model."""
        provider = self.provider
        return (provider.name, provider.address or provider.base_url.rstrip("/"), self.model)


@cache
def providers() -> Mapping[str, Provider]:
    """The presets by name."""
    text = (files("citemark.judges.llm") / "providers.toml").read_text(encoding="utf-8")
    tables = tomllib.loads(text)
    return {
        name: Provider(name=name, **table)
        for name, table in tables.items()
        if isinstance(table, dict)
    }


def find_endpoint(spec: str, base_url: str | None = None, *, needs_key: bool = True) -> Endpoint:
    """The endpoint that a spec such as ``openai:gpt-4.1-mini`` stands for, with its key.

    With ``base_url`` any compatible server can be used; its key is that of the named
    provider, if it is set, because many such servers want none. ``needs_key`` is false
    where nothing will be asked.
    """
    name, _, model = spec.partition(":")
    provider = providers().get(name)
    if provider is None:
        raise UsageError(f'no provider "{name}"; there are: {", ".join(providers())}')
    if not model:
        raise UsageError(f'name a model: "{name}:MODEL"')
    key = find_key(provider.key) if provider.key else None
    if key and not key.isprintable():
        raise JudgeError(f"{provider.key} holds characters that no key has; set it again")
    if base_url:
        url = _checked(base_url)
        elsewhere = replace(provider, base_url=url)
        if provider.name == "openai":  # then it stands for any server, of which little is known
            elsewhere = replace(elsewhere, n=False, tokens="max_tokens")
        return Endpoint(elsewhere, model, key)
    if provider.key and not key and needs_key:
        raise JudgeError(
            f"{provider.title} needs a key: set {provider.key} in the environment or in a .env file"
        )
    return Endpoint(provider, model, key)


def _checked(base_url: str) -> str:
    """A base URL as it goes into calls, errors and the manifest: so it may hold no secret."""
    if not base_url.startswith(("http://", "https://")):
        # Not quoted: what was given by mistake may be a key.
        raise UsageError("--base-url must begin with http:// or https://")
    try:
        parts = urlsplit(base_url)
        named = bool(parts.hostname) and parts.port != 0
    except ValueError:
        named = False
    if not named:
        raise UsageError("--base-url names no server, such as http://localhost:8000/v1")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise UsageError(
            "--base-url may hold no password and no parameters; a key belongs into the environment"
        )
    return base_url.rstrip("/").removesuffix("/chat/completions")


def find_key(variable: str) -> str | None:
    """A key from the environment, or else from a ``.env`` file here or above."""
    if value := os.environ.get(variable, "").strip():
        return value
    for folder in (Path.cwd(), *Path.cwd().parents):
        path = folder / ".env"
        if path.is_file():
            return _read_env(path).get(variable) or None
    return None


def _read_env(path: Path) -> dict[str, str]:
    values: dict[str, str] = {}
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError):
        return values
    for line in lines:
        name, equals, value = line.strip().removeprefix("export ").partition("=")
        if equals and not name.startswith("#"):
            values[name.strip()] = _unquoted(value.strip())
    return values


def _unquoted(value: str) -> str:
    if value[:1] in ("'", '"'):
        return value[1:].partition(value[0])[0]
    return value.partition(" #")[0].strip()
