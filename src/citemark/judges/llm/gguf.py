"""A local GGUF model as an endpoint: the same path as any other, on loopback."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from citemark.judges.llm.endpoint import Endpoint, Provider
from citemark.judges.llm.local import LocalServer

_SAMPLE = 1 << 20


@dataclass(frozen=True, slots=True)
class LocalModel:
    """A GGUF file that is served in this process while it judges."""

    path: Path

    @property
    def endpoint(self) -> Endpoint:
        """The endpoint as it stands in keys: the file's content, not the port of the day."""
        provider = Provider(
            name="gguf",
            title="the local model",
            base_url="http://127.0.0.1/v1",
            seed="seed",
            prefill="plain",
            grammar=True,
            address=f"gguf:{_fingerprint(self.path)}",
        )
        return Endpoint(provider, self.path.stem)

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[Endpoint]:
        """The endpoint as it can be reached, for as long as the block lasts."""
        async with LocalServer(self.path) as server:
            endpoint = self.endpoint
            provider = replace(endpoint.provider, base_url=server.base_url)
            yield Endpoint(provider, endpoint.model)


def _fingerprint(path: Path) -> str:
    """What tells one model file from another without reading gigabytes: size, head and tail."""
    size = path.stat().st_size
    digest = hashlib.sha256(str(size).encode())
    with path.open("rb") as file:
        digest.update(file.read(_SAMPLE))
        file.seek(max(0, size - _SAMPLE))
        digest.update(file.read(_SAMPLE))
    return digest.hexdigest()[:16]
