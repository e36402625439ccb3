"""The HTTP API over a real server: what it gives, and what it says when it cannot."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import citemark
from web_server import CASE, Served, lines, problem, served


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("folder")) as server:
        yield server


def test_a_case_is_scored_as_the_library_scores_it(web: Served) -> None:
    body = web.post("/api/score", CASE).json()
    card = citemark.score(CASE)
    assert body["scorecard"] == card.to_dict()
    assert body["rows"] == card.rows()
    assert body["trust"]


def test_metrics_can_be_chosen(web: Served) -> None:
    body = web.post("/api/score?metrics=relevance,count", CASE).json()
    assert list(body["scorecard"]["sources"][0]["scores"]) == ["relevance", "count"]


@pytest.mark.parametrize(
    ("path", "where"),
    [
        ("/api/score?metrics=charm", None),
        ("/api/score?judge=openai:gpt-9", "query judge"),
        ("/api/score?format=exe", "query format"),
    ],
)
def test_wrong_parameters_are_refused(web: Served, path: str, where: str | None) -> None:
    assert problem(web.post(path, CASE), 422)["where"] == where


@pytest.mark.parametrize(
    ("case", "where"),
    [
        ({"query": "Why?", "answer": " "}, "answer"),
        ({"answer": "x"}, "query"),
        ({**CASE, "sources": [{"n": -1}]}, "sources[0].n"),
        ({**CASE, "tags": 3}, "tags"),
    ],
)
def test_a_bad_case_is_named_with_its_field(web: Served, case: object, where: str) -> None:
    found = problem(web.post("/api/score", case), 422)
    assert found["where"] == where
    assert found["next"] or "must be" in found["detail"]


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[" * 100_000, b'{"a": NaN}', b"\xff\xfe", b'{"a": ' + b"9" * 5000 + b"}"],
    ids=["empty", "cut", "deep", "nan", "latin", "long number"],
)
def test_what_is_no_json_is_a_bad_request(web: Served, body: bytes) -> None:
    with web.client() as client:
        response = client.post(
            "/api/score", content=body, headers={"content-type": "application/json"}
        )
    problem(response, 400)


def test_another_value_than_an_object_is_refused(web: Served) -> None:
    problem(web.post("/api/score", [CASE]), 422)


def test_a_long_answer_is_scored(web: Served) -> None:
    answer = (
        "Tea from China is grown on hills of 1,200 metres [1]. Rain falls there [2].\n\n" * 13_000
    )
    assert len(answer) > 1_000_000
    response = web.post("/api/score?metrics=count", {"query": "Where?", "answer": answer})
    assert response.status_code == 200
    assert len(response.json()["rows"]) == 2


def test_half_a_character_does_no_harm(web: Served) -> None:
    raw = b'{"query": "\\ud800?", "answer": "Half \\udfff of it [1]."}'
    with web.client() as client:
        response = client.post(
            "/api/score", content=raw, headers={"content-type": "application/json"}
        )
    assert response.status_code == 200
    assert json.loads(response.text)["scorecard"]["answer"] == "Half \udfff of it [1]."


def test_an_answer_is_parsed_without_its_question(web: Served) -> None:
    body = web.post(
        "/api/parse", {"answer": "It rains [1]. It pours [9].", "sources": [1, 2]}
    ).json()
    assert [s["sources"] for s in body["sentences"]] == [[1], []]
    assert [(s["source"], s["cited"]) for s in body["sources"]] == [(1, True), (2, False)]
    assert {p["code"]: p["severity"] for p in body["problems"]}["unknown_source"] == "error"


def test_lint_gives_line_and_column(web: Served) -> None:
    body = web.post("/api/lint", {"answer": "It rains [1].\nIt pours [9].", "sources": [1]}).json()
    (found,) = [p for p in body["problems"] if p["code"] == "unknown_source"]
    assert (found["line"], found["column"]) == (2, 10)


def test_rubrics_examples_and_judges(web: Served) -> None:
    rubrics = {r["name"]: r for r in web.get("/api/rubrics").json()["rubrics"]}
    assert list(rubrics)[:5] == ["relevance", "influence", "uniqueness", "diversity", "count"]
    assert all(len(s["levels"]) == 5 for r in rubrics.values() for s in r["subscores"])
    assert len(web.get("/api/examples").json()["examples"]) >= 5
    judges = {j["spec"]: j for j in web.get("/api/judges").json()["judges"]}
    assert judges["embedded"]["ready"]
    assert "OPENAI_API_KEY" in judges["openai:MODEL"]["note"]


def test_exports_hold_the_same_scores(web: Served) -> None:
    card = citemark.score(CASE)
    as_lines = web.post("/api/score?format=jsonl", CASE)
    assert json.loads(as_lines.text) == card.to_dict()
    assert as_lines.headers["content-disposition"] == 'attachment; filename="answer.jsonl"'
    table = list(csv.DictReader(io.StringIO(web.post("/api/score?format=csv", CASE).text)))
    assert [row["relevance"] for row in table] == [str(r["relevance"]) for r in card.rows()]
    assert list(table[0]) == list(card.rows()[0])
    page = web.post("/api/score?format=html", CASE)
    assert page.headers["content-type"].startswith("text/html")
    assert "What is tea?" in page.text


def test_a_table_is_that_of_the_command_line(web: Served, tmp_path: Path) -> None:
    from citemark.results import Csv

    tagged = {**CASE, "tags": {"domain": "drinks", "n": [1, 2]}, "sources": [1, 2, 3]}
    card = citemark.score(tagged)
    stream = io.BytesIO()
    writer = Csv(stream, card.rubrics)
    writer.write(card)
    writer.close()
    assert web.post("/api/score?format=csv", tagged).content == stream.getvalue()


def test_two_answers_are_compared(web: Served) -> None:
    after = {**CASE, "answer": "Tea is a drink made from leaves [1]. It is hot."}
    body = web.post("/api/compare", {"before": CASE, "after": after}).json()
    assert body["before"] == citemark.score(CASE).to_dict()
    assert body["after"]["answer"] == after["answer"]
    assert body["comparison"]["metrics"]
    kinds = {"csv": "text/csv", "html": "text/html", "jsonl": "application/x-ndjson"}
    for form, kind in kinds.items():
        response = web.post(f"/api/compare?format={form}", {"before": CASE, "after": after})
        assert response.status_code == 200
        assert response.headers["content-type"].startswith(kind)
    found = problem(web.post("/api/compare", {"before": CASE}), 422)
    assert found["where"] == "after"


def test_unknown_addresses_and_methods(web: Served) -> None:
    problem(web.get("/api/nothing"), 404)
    with web.client() as client:
        response = client.put("/api/runs", json={})
        assert set(response.headers["allow"].split(", ")) == {"GET", "HEAD", "POST"}
        problem(response, 405)


def test_results_are_kept_listed_and_opened(web: Served) -> None:
    card = web.post("/api/score?format=jsonl", CASE).content
    kind = {"content-type": "application/x-ndjson"}
    with web.client() as client:
        kept = client.post("/api/files?name=tea.jsonl", content=card, headers=kind)
        again = client.post("/api/files?name=tea.jsonl", content=card, headers=kind)
    assert kept.status_code == again.status_code == 201
    assert kept.json() == {"name": "tea.jsonl", "kind": "results"}
    assert again.json()["name"] == "tea-2.jsonl"
    assert (web.folder / "tea.jsonl").read_bytes() == card
    listed = {f["name"]: f["kind"] for f in web.get("/api/files").json()["files"]}
    assert listed["tea.jsonl"] == "results"
    assert web.get("/api/results/tea.jsonl?format=jsonl").content == card
    assert (
        web.get("/api/results/tea.jsonl?format=csv").content
        == web.post("/api/score?format=csv", CASE).content
    )
    assert web.get("/api/results/tea.jsonl").status_code == 200
    assert "What is tea?" in web.get("/api/results/tea.jsonl?format=html").text


def test_what_is_of_no_use_is_not_kept(web: Served) -> None:
    kind = {"content-type": "application/octet-stream"}
    before = sorted(web.folder.iterdir())
    with web.client() as client:
        for name in ("junk.jsonl", "junk.exe", "", ".env", "junk.jsonl.gz"):
            response = client.post(f"/api/files?name={name}", content=b"no\n", headers=kind)
            problem(response, 422)
    assert sorted(web.folder.iterdir()) == before


def test_a_line_that_is_no_scorecard_is_told(web: Served) -> None:
    card = web.post("/api/score?format=jsonl", CASE).text
    (web.folder / "mixed.jsonl").write_text(card + "oops\n" + json.dumps(CASE) + "\n")
    body = web.get("/api/results/mixed.jsonl").json()
    assert [text.split(": ")[0] for text in body["complaints"]] == [
        "mixed.jsonl:2",
        "mixed.jsonl:3",
    ]
    (web.folder / "bare.jsonl").write_text(json.dumps(CASE) + "\n")
    assert "not scored yet" in problem(web.get("/api/results/bare.jsonl"), 422)["detail"]


def test_a_file_is_scored_with_the_embedded_judge(web: Served) -> None:
    (web.folder / "cases.jsonl").write_text(f"{json.dumps(CASE)}\nbad\n{json.dumps(CASE)}\n")
    run = web.run_to_end({"file": "cases.jsonl", "judge": "embedded"})
    assert run["state"] == "done"
    assert run["cases"] == {"done": 2, "total": 2, "unreadable": 1}
    assert run["complaints"][0].startswith("cases.jsonl:2")
    saved = lines(web.folder / run["results"])
    assert saved == [citemark.score(CASE).to_dict()] * 2
    manifest = json.loads((web.folder / f"{run['results']}.manifest.json").read_text())
    assert manifest["judgments"]["scored"] == run["judgments"]["scored"] == 20


def test_the_docs_and_the_description_agree_with_the_application(web: Served) -> None:
    from citemark.web.app import ROUTES

    described = web.get("/openapi.json").json()
    assert described["openapi"] == "3.1.0"
    assert described["info"]["version"] == citemark.__version__
    told = {(path, method.upper()) for path, item in described["paths"].items() for method in item}
    pages = (
        *("/", "/compare", "/results", "/results/{name}", "/runs", "/docs"),
        *("/openapi.json", "/static/{path}"),
    )
    there = {
        (route.path.replace(":path", ""), method)
        for route in ROUTES
        for method in (route.methods or set()) - {"HEAD"}
    }
    assert told == {entry for entry in there if entry[0] not in pages}
    assert web.get("/docs").status_code == 200
