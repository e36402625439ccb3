"""What tests share: loopback endpoints, a store of their own, cases for tests of faults."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from browser import chromium as chromium
from faulty import JUDGMENTS, Endpoint, cases
from faulty import endpoint as faulty_endpoint
from loopback import Loopback, serving


@pytest.fixture
def endpoint() -> Iterator[Loopback]:
    """A real server on loopback that can be told what to send."""
    with serving() as server:
        yield server


@pytest.fixture
def server() -> Iterator[Endpoint]:
    """A real server on loopback that misbehaves as it is told."""
    with faulty_endpoint() as it:
        yield it


@pytest.fixture
def given(tmp_path: Path) -> Path:
    """A file of cases that make a run of some hundred judgments."""
    return cases(tmp_path / "cases.jsonl", JUDGMENTS)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """Where a run writes to."""
    return tmp_path / "out.jsonl"


@pytest.fixture(autouse=True)
def own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test ever touches the user's store."""
    path = tmp_path / "store.sqlite"
    monkeypatch.setenv("CITEMARK_STORE", str(path))
    return path
