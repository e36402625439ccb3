"""What tests share: a loopback endpoint and a store of their own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from browser import chromium as chromium
from loopback import Loopback, serving


@pytest.fixture
def endpoint() -> Iterator[Loopback]:
    """A real server on loopback that can be told what to send."""
    with serving() as server:
        yield server


@pytest.fixture(autouse=True)
def own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test ever touches the user's store."""
    path = tmp_path / "store.sqlite"
    monkeypatch.setenv("CITEMARK_STORE", str(path))
    return path
