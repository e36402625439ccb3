"""The API against its own description: whatever is sent, no crash, and answers as described."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from web_server import CASE, Served, served

EXAMPLES = 200 if os.environ.get("CITEMARK_SOAK") else 12
CHECKS = (
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
)


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("folder")
    os.environ["CITEMARK_STORE"] = str(folder / "store.sqlite")
    (folder / "cases.jsonl").write_text(json.dumps(CASE) + "\n")
    with served(folder) as server:
        card = server.post("/api/score?format=jsonl", CASE).content
        (folder / "results.jsonl").write_bytes(card)
        yield server


DESCRIBED = json.loads(
    (Path(__file__).parents[1] / "src/citemark/web/openapi.json").read_text(encoding="utf-8")
)
OPERATIONS = [
    (path, method, mode)
    for path, item in DESCRIBED["paths"].items()
    for method, operation in item.items()
    for mode in ("positive", "negative")
    # Where nothing is sent, nothing can be sent wrongly.
    if mode == "positive" or operation.keys() & {"parameters", "requestBody"}
]


@pytest.mark.parametrize(("path", "method", "mode"), OPERATIONS)
def test_no_crash_and_as_described(web: Served, path: str, method: str, mode: str) -> None:
    schema: Any = schemathesis.openapi.from_dict(DESCRIBED)
    operation = schema[path][method.upper()]
    strategy = operation.as_strategy(generation_mode=schemathesis.GenerationMode(mode))

    @given(case=strategy)
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def send(case: Any) -> None:
        case.call_and_validate(base_url=web.url, checks=CHECKS, timeout=30)

    send()
