"""Runs of the web app with a real judge on loopback: progress, results, cancel, failures."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import citemark
from citemark.judges import JudgeOptions
from citemark.web.setup import Limits
from loopback import SECRET, Loopback, Say, completion, error
from web_server import CASE, Served, lines, problem, served

WISH = {"file": "cases.jsonl", "judge": "openai:m", "mode": "direct", "metrics": ["relevance"]}


@pytest.fixture
def web(endpoint: Loopback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    folder = tmp_path / "folder"
    folder.mkdir()
    cases = [{**CASE, "id": f"c{n}", "query": f"What is tea, {n}?"} for n in range(20)]
    (folder / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    options = JudgeOptions(base_url=endpoint.url, concurrency=4, retries=1, first_wait=0.01)
    with served(folder, options=options, limits=Limits(runs=1)) as server:
        yield server


def events(web: Served, identifier: str) -> list[tuple[str, dict[str, Any]]]:
    """The events of a run, to their end."""
    found = []
    with web.client() as client, client.stream("GET", f"/api/runs/{identifier}/events") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        name = ""
        for line in stream.iter_lines():
            if line.startswith("event: "):
                name = line.removeprefix("event: ")
            elif line.startswith("data: "):
                found.append((name, json.loads(line.removeprefix("data: "))))
    return found


def test_a_run_is_watched_to_its_end(web: Served, endpoint: Loopback) -> None:
    endpoint.respond = lambda _: Say(completion("14"), delay=0.15)
    started = web.post("/api/runs", WISH)
    assert started.status_code == 201
    assert started.headers["location"] == f"/api/runs/{started.json()['id']}"
    seen = events(web, started.json()["id"])
    assert [name for name, _ in seen][-1] == "end"
    assert {name for name, _ in seen[:-1]} == {"progress"}
    done = [run["judgments"]["done"] for _, run in seen]
    assert done == sorted(done)
    assert len(set(done)) >= 3
    last = seen[-1][1]
    assert last["state"] == "done"
    assert last["judgments"] == {"done": 40, "total": 40, "scored": 40, "failed": {}}
    assert (last["calls"], last["from_store"]) == (40, 0)
    assert last["cost_usd"] is None  # whose server that is, and its price, nobody knows
    cards = lines(web.folder / last["results"])
    assert [card["case"] for card in cards] == [f"c{n}" for n in range(20)]
    assert all(card["sources"][0]["scores"]["relevance"]["score"] == 14 for card in cards)
    assert web.get(f"/api/results/{last['results']}").status_code == 200


def test_the_second_run_is_read_from_the_store(web: Served, endpoint: Loopback) -> None:
    first = web.run_to_end(WISH)
    again = web.run_to_end(WISH)
    assert (again["calls"], again["from_store"]) == (0, 40)
    assert again["results"] != first["results"]
    assert len(endpoint.asked) == 40


def test_a_cancelled_run_keeps_what_was_answered(web: Served, endpoint: Loopback) -> None:
    release = threading.Event()

    def respond(_: Any) -> Any:
        if len(endpoint.asked) > 8:
            release.wait(0.2)  # holds the endpoint's loop for a moment: the rest comes slowly
        return "14"

    endpoint.respond = respond
    identifier = web.post("/api/runs", WISH).json()["id"]
    while web.get(f"/api/runs/{identifier}").json()["judgments"]["done"] < 4:
        time.sleep(0.02)
    with web.client() as client:
        cancelled = client.delete(f"/api/runs/{identifier}")
    assert cancelled.status_code == 202
    release.set()
    run = web.ended(identifier)
    assert run["state"] == "cancelled"
    assert run["results"] is None
    assert run["judgments"]["failed"] == {}
    assert sorted(path.name for path in web.folder.iterdir()) == ["cases.jsonl"]
    asked = len(endpoint.asked)
    assert asked < 40
    again = web.run_to_end(WISH)
    assert again["state"] == "done"
    assert again["from_store"] >= run["judgments"]["scored"] > 0
    assert again["from_store"] + again["calls"] == 40


def test_cancelling_twice_does_not_wait(web: Served, endpoint: Loopback) -> None:
    endpoint.respond = lambda _: Say(completion("14"), delay=30)
    identifier = web.post("/api/runs", WISH).json()["id"]
    while not endpoint.asked:
        time.sleep(0.02)
    with web.client() as client:
        for _ in range(2):
            client.delete(f"/api/runs/{identifier}")
    assert web.ended(identifier)["state"] == "cancelled"


def test_a_server_that_ends_ends_its_runs(
    endpoint: Loopback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    endpoint.respond = lambda _: Say(completion("14"), delay=60)
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "cases.jsonl").write_text(json.dumps(CASE) + "\n")
    with served(folder, options=JudgeOptions(base_url=endpoint.url)) as web:
        identifier = web.post("/api/runs", WISH).json()["id"]
        watcher = threading.Thread(target=lambda: events(web, identifier))
        watcher.start()
        while not endpoint.asked or not web.server.service.runs.streams:
            time.sleep(0.02)
    watcher.join(5)
    assert not watcher.is_alive()
    assert web.server.service.runs.find(identifier).state == "cancelled"
    assert [path.name for path in folder.iterdir()] == ["cases.jsonl"]


def test_one_run_at_a_time_if_so_limited(web: Served, endpoint: Loopback) -> None:
    endpoint.respond = lambda _: Say(completion("14"), delay=0.2)
    identifier = web.post("/api/runs", WISH).json()["id"]
    refused = web.post("/api/runs", WISH)
    problem(refused, 429)
    assert refused.headers["retry-after"]
    with web.client() as client:
        client.delete(f"/api/runs/{identifier}")
    web.ended(identifier)


def test_failures_are_counted_by_reason(web: Served, endpoint: Loopback) -> None:
    endpoint.respond = lambda body: "I cannot tell." if ", 3?" in str(body) else "14"
    run = web.run_to_end(WISH)
    assert run["state"] == "done"
    assert run["judgments"]["scored"] == 38
    assert sum(run["judgments"]["failed"].values()) == 2


def test_no_key_in_anything_that_is_sent(web: Served, endpoint: Loopback) -> None:
    endpoint.respond = lambda _: Say(error(f"Incorrect API key provided: {SECRET}"), status=401)
    identifier = web.post("/api/runs", WISH).json()["id"]
    run = web.ended(identifier)
    assert run["state"] == "failed"
    assert "401" in run["error"] or "key" in run["error"]
    assert endpoint.headers[0]["Authorization"] == f"Bearer {SECRET}"
    for path in ("/api/runs", f"/api/runs/{identifier}", "/api/judges", "/openapi.json", "/"):
        assert SECRET not in web.get(path).text
    assert SECRET not in json.dumps(events(web, identifier))


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"judge": "nobody"}, "judge"),
        ({"judge": "nobody:m"}, "judge"),
        ({"judge": "gguf:/etc/passwd"}, "judge"),
        ({"judge": "embedded", "mode": "direct"}, "judge"),
        ({"judge": "anthropic:m"}, "judge"),
        ({"judge": ""}, "judge"),
        ({"mode": "magic"}, "mode"),
        ({"metrics": "relevance"}, "metrics"),
        ({"samples": 1000}, "samples"),
        ({"budget": "all"}, "budget"),
        ({"base_url": "http://169.254.169.254/"}, "base_url"),
        ({"store": "/tmp/x"}, "store"),
        ({"output": "x.html"}, "output"),
        ({"file": ""}, "file"),
    ],
)
def test_what_cannot_be_run_is_refused(
    web: Served, change: dict[str, Any], where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    assert problem(web.post("/api/runs", {**WISH, **change}), 422)["where"] == where
    assert web.get("/api/runs").json()["runs"] == []


def test_a_file_without_cases_fails_the_run(web: Served) -> None:
    (web.folder / "empty.jsonl").write_text("\n")
    run = web.run_to_end({"file": "empty.jsonl", "judge": "embedded"})
    assert run["state"] == "failed"
    assert "holds no case" in run["error"]
    assert str(web.folder) not in run["error"]


def test_only_the_latest_runs_are_kept(tmp_path: Path) -> None:
    (tmp_path / "cases.jsonl").write_text(json.dumps(CASE) + "\n")
    with served(tmp_path, limits=Limits(runs_kept=2)) as web:
        ids = [web.run_to_end({"file": "cases.jsonl", "judge": "embedded"})["id"] for _ in range(4)]
        assert [run["id"] for run in web.get("/api/runs").json()["runs"]] == ids[:1:-1]
        problem(web.get(f"/api/runs/{ids[0]}"), 404)
        results = [lines(path) for path in tmp_path.glob("*.embedded*.jsonl")]
        assert results == [[citemark.score(CASE).to_dict()]] * 4


def test_only_so_many_can_watch(tmp_path: Path) -> None:
    (tmp_path / "cases.jsonl").write_text(json.dumps(CASE) + "\n")
    with served(tmp_path, limits=Limits(streams=0)) as web:
        run = web.run_to_end({"file": "cases.jsonl", "judge": "embedded"})
        problem(web.get(f"/api/runs/{run['id']}/events"), 503)
