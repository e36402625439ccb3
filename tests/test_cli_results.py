"""What ``citemark score`` prints and writes, and how it ends."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest
from pyarrow import parquet
from rich.cells import cell_len

from citemark._version import __version__
from running import BAD, A, B, file, run


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return file(tmp_path_factory.mktemp("two"), "two.jsonl", A, B)


def test_the_table(two: Path) -> None:
    done = run("score", two)
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == "a  What is tea?  (15 words, 2 of 3 sources cited)"
    assert lines[1].split() == "# source relev. infl. uniq. divers. count overall share".split()
    rows = {line.split()[0]: line for line in lines[2:5]}
    assert set(rows) == {"1", "2", "3"}
    assert "All about tea" in rows["1"]
    assert "news.farm.com" in rows["2"]
    assert "not cited: Coffee" in rows["3"]
    assert rows["3"].split()[-2:] == ["1.0", "0%"]
    signature = " ".join(lines).split("Signature: ")[1].strip()
    assert signature.startswith("judge:embedded/")
    assert any(line.startswith("Judge: embedded - ") for line in lines)


@pytest.mark.parametrize("width", [50, 64, 80, 120])
def test_the_table_fits_its_terminal(tmp_path: Path, width: int) -> None:
    done = run("demo", cwd=tmp_path, COLUMNS=str(width))
    assert done.code == 0
    lines = done.out.splitlines()
    assert max(cell_len(line) for line in lines) <= width
    headings = [line.split() for line in lines if line.startswith("#")]
    assert len(headings) == 10
    assert all(h[-1] == "share" and h[-2] in ("overall", "all") for h in headings)
    shares = [line for line in lines if re.match(r"\s?\d+ .*\s\d+%$", line)]
    assert len(shares) > 40


def test_formats_on_standard_output(two: Path) -> None:
    cards = run("score", two, "--format", "jsonl").cards
    assert [(c["case"], len(c["sources"])) for c in cards] == [("a", 3), ("b", 1)]
    rows = run("score", two, "--format", "rows").cards
    assert [(r["case"], r["source"]) for r in rows] == [("a", 1), ("a", 2), ("a", 3), ("b", 1)]
    table = list(csv.DictReader(io.StringIO(run("score", two, "--format", "csv").out)))
    assert [(r["case"], r["source"]) for r in table] == [
        ("a", "1"),
        ("a", "2"),
        ("a", "3"),
        ("b", "1"),
    ]
    assert [float(r["overall"]) for r in table] == [r["overall"] for r in rows]


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
def test_results_in_a_file(two: Path, tmp_path: Path, ending: str) -> None:
    out = tmp_path / f"out.{ending}"
    done = run("score", two, "-o", out)
    assert (done.code, done.out) == (0, "")
    assert done.err == f"citemark: {out}: 2 cases, 4 sources, 15 scores, 5 not cited\n"
    first = out.read_bytes()
    if ending == "parquet":
        cases = parquet.read_table(io.BytesIO(first))["case"].to_pylist()
    elif ending == "csv":
        cases = [row["case"] for row in csv.DictReader(io.StringIO(first.decode()))]
    else:
        assert first.decode() == run("score", two, "--format", "jsonl").out
        cases = ["a", "a", "a", "b"]
    assert cases == ["a", "a", "a", "b"]
    assert sorted(p.name for p in tmp_path.iterdir()) == [out.name, f"{out.name}.manifest.json"]
    assert run("score", two, "-o", out).code == 0
    assert out.read_bytes() == first


def test_the_manifest_beside_it(two: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    path = file(tmp_path, "c.jsonl", A, BAD)
    assert run("score", path, "-o", out, "--metrics", "count", "--sources", "1,3").code == 1
    manifest = json.loads((tmp_path / "out.jsonl.manifest.json").read_text())
    card = json.loads(out.read_text())
    assert manifest["citemark"] == __version__
    assert manifest["inputs"] == [str(path)]
    assert manifest["judge"] == "embedded"
    assert manifest["signature"] == card["signature"]
    assert list(manifest["rubrics"]) == ["count"]
    assert f"count@{manifest['rubrics']['count']}" in card["signature"]
    assert manifest["settings"] == {"sources": ["1", "3"]}
    assert manifest["cases"] == {"scored": 1, "unreadable": 1}
    assert manifest["judgments"] == {"scored": 1, "not_cited": 1, "failed": {}}
    assert 0 <= manifest["duration_s"] < 60
    same = run("score", file(tmp_path, "d.jsonl", A), "-o", tmp_path / "d.csv")
    assert same.code == 0
    other = json.loads((tmp_path / "d.csv.manifest.json").read_text())
    assert other["input_sha256"] == manifest["input_sha256"]
    assert re.fullmatch("[0-9a-f]{64}", other["input_sha256"])
    run("score", two, "-o", tmp_path / "e.csv")
    third = json.loads((tmp_path / "e.csv.manifest.json").read_text())
    assert third["input_sha256"] != manifest["input_sha256"]


def test_a_file_and_standard_output_together(two: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    done = run("score", two, "-o", out, "--format", "jsonl")
    assert [card["case"] for card in done.cards] == ["a", "b"]
    assert out.exists()


def test_metrics_and_sources_are_chosen(two: Path) -> None:
    card = run("score", two, "--metrics", "count, relevance", "--format", "jsonl").cards[0]
    assert list(card["sources"][0]["scores"]) == ["count", "relevance"]

    def shown(sources: str) -> list[tuple[str, int]]:
        rows = run("score", two, "--sources", sources, "--format", "rows").cards
        return [(row["case"], row["source"]) for row in rows]

    assert shown("1,3") == [("a", 1), ("a", 3), ("b", 1)]
    assert shown("1|farm.com") == [("a", 1), ("a", 2), ("b", 1)]
    assert shown("WWW.Tea.org") == [("a", 1)]
    assert shown("https://tea.org/other") == [("a", 1)]
    none = run("score", two, "--sources", "9")
    assert none.code == 0
    assert "citemark: notice: no case has a source 9; nothing was scored\n" in none.err


def test_an_answer_without_citations_is_scored(tmp_path: Path) -> None:
    path = file(tmp_path, "c.jsonl", {**A, "answer": "Tea is a hot drink."})
    done = run("score", path, "--format", "jsonl")
    assert done.code == 0
    assert done.err == "citemark: notice: no source is cited in 1 of 1 answer; shares are 0 there\n"
    (card,) = done.cards
    assert [source["cited"] for source in card["sources"]] == [False] * 3
    assert {v for s in card["sources"] for v in s["impression"]["share"].values()} == {0}
    assert [problem["code"] for problem in card["problems"]] == ["no_citations"]
    bare = run("score", file(tmp_path, "d.jsonl", {**B, "answer": "It rains."}))
    assert bare.code == 0
    assert "b  Why?  (2 words, 0 of 0 sources cited)" in bare.out
    assert "the answer cites no known source, so every share is 0" in bare.out


def test_unknown_sources_are_reported_and_not_scored(tmp_path: Path) -> None:
    path = file(tmp_path, "c.jsonl", {**A, "answer": "Tea is hot [1][7]. It is wet [8]."})
    done = run("score", path, "--format", "jsonl")
    (card,) = done.cards
    assert done.code == 0
    assert [source["source"] for source in card["sources"]] == [1, 2, 3]
    assert card["sources"][0]["impression"]["share"]["word"] == 1.0
    assert [p["code"] for p in card["problems"]].count("unknown_source") == 2
    table = run("score", path).out
    assert "error: [7] names source 7, which the case does not list; not counted" in table


PLUGIN = """
from citemark import Judgment
from citemark.errors import JudgeError
from citemark.judges import Outcome

class Moody:
    name = "moody"
    signature = "moody/1"
    trust = "for tests"

    async def judge(self, work):
        async for item in work:
            if "quota" in item.case.query:
                raise JudgeError("the quota is used up")
            for source in item.sources:
                for rubric in item.rubrics:
                    judgment = Judgment.of(rubric, dict.fromkeys(rubric.ids, 3))
                    if source == 2 and rubric.name == "count":
                        judgment = Judgment.failed("refused")
                    yield Outcome(item.number, source, rubric.name, judgment)
"""


@pytest.fixture(scope="module")
def plugins(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("plugins")
    (folder / "moody.py").write_text(PLUGIN)
    info = folder / "moody-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: moody\nVersion: 1\n")
    judges = ["moody = moody:Moody", "broken = no_such_module:Judge", "str = builtins:str"]
    points = "\n".join(["[citemark.judges]", *judges])
    (info / "entry_points.txt").write_text(points)
    return str(folder)


def test_failed_judgments_exit_1_and_the_rest_is_written(
    two: Path, tmp_path: Path, plugins: str
) -> None:
    out = tmp_path / "out.jsonl"
    done = run("score", two, "--judge", "moody", "-o", out, PYTHONPATH=plugins)
    assert done.code == 1
    summary = "2 cases, 4 sources, 14 scores, 5 not cited, 1 failed (refused 1)"
    assert done.err == f"citemark: {out}: {summary}\n"
    first = json.loads(out.read_text().splitlines()[0])
    assert first["judge"] == "moody"
    assert [source["overall"] for source in first["sources"]] == [15.0, None, 1.0]
    manifest = json.loads((tmp_path / "out.jsonl.manifest.json").read_text())
    assert manifest["judgments"] == {"scored": 14, "not_cited": 5, "failed": {"refused": 1}}


def test_failed_judgments_in_the_table(two: Path, plugins: str) -> None:
    for width in (50, 80):
        done = run("score", two, "-j", "moody", PYTHONPATH=plugins, COLUMNS=str(width))
        assert done.code == 1
        assert max(map(cell_len, done.out.splitlines())) <= width
        row = next(line for line in done.out.splitlines() if line.startswith("2 "))
        assert row.split()[-3:] == ["fail", "-", row.split()[-1]]
        assert "  failed: 1 (refused)" in done.out.splitlines()
        assert done.err.endswith("14 scores, 5 not cited, 1 failed (refused 1)\n")


def test_a_judge_that_cannot_be_used_exits_3(tmp_path: Path, plugins: str) -> None:
    path = file(tmp_path, "c.jsonl", B, {**B, "id": "c", "query": "quota?"})
    done = run("score", path, "-j", "moody", "-o", tmp_path / "o.jsonl", PYTHONPATH=plugins)
    assert (done.code, done.err) == (3, "citemark: the quota is used up\n")
    assert [p.name for p in tmp_path.iterdir()] == ["c.jsonl"]
    broken = run("score", path, "-j", "broken", PYTHONPATH=plugins)
    assert broken.code == 3
    assert 'judge "broken" cannot be loaded: No module named' in broken.err
    wrong = run("score", path, "-j", "str", PYTHONPATH=plugins)
    assert wrong.code == 3
    assert "does not follow the protocol" in wrong.err
    unknown = run("score", path, "-j", "oracle", PYTHONPATH=plugins)
    assert unknown.code == 2
    expected = 'citemark: no judge "oracle"; there are: embedded, embedded:fast, broken, moody, str'
    assert unknown.err.startswith(expected)


def test_a_printed_rubric_is_a_start_for_ones_own(two: Path, tmp_path: Path, plugins: str) -> None:
    own = tmp_path / "own.toml"
    text = run("rubrics", "count", "--toml").out
    own.write_text(text.replace('name = "count"', 'name = "my_count"', 1), encoding="utf-8")
    done = run("score", two, "--rubric", own, "-j", "moody", "--format", "rows", PYTHONPATH=plugins)
    assert done.code == 0
    assert done.cards[0]["my_count"] == 15
    assert done.cards[0]["overall"] is None
    assert "relevance" not in done.cards[0]
