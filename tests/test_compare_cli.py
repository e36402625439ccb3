"""``citemark compare`` as a user runs it."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest

from compared import card, not_cited, source
from running import A, file, run

BEFORE = [card(f"q{i}", source(1, 5 + i % 3), source(2, 9), not_cited(3)) for i in range(6)]
AFTER = [card(f"q{i}", source(1, 9 + i % 2), source(2, 9), source(4, 7)) for i in range(6)]


@pytest.fixture
def sides(tmp_path: Path) -> tuple[Path, Path]:
    return file(tmp_path, "old.jsonl", *BEFORE), file(tmp_path, "new.jsonl", *AFTER)


def test_scores_of_the_command_itself_are_compared(tmp_path: Path) -> None:
    longer = A["answer"].replace("[2].", "[2]. Kenya grew 0.5 million tonnes [2].")
    results = []
    for name, case in (("old", A), ("new", {**A, "answer": longer})):
        cases = file(tmp_path, f"{name}-cases.jsonl", case)
        results.append(tmp_path / f"{name}.jsonl")
        assert run("score", cases, "-o", results[-1]).code == 0
    done = run("compare", *results, "--format", "jsonl")
    assert done.code == 0
    assert done.err == (
        "citemark: note: 1 source without key or URL matched by number, case by case\n"
    )
    count = {row["key"]: row for row in done.cards if row["metric"] == "count"}
    assert count["news.farm.com/b"]["difference"] > 0
    coffee = count["a [3]"]
    assert (coffee["before"], coffee["difference"], coffee["not_cited_before"]) == (1, 0, 1)
    share = {row["key"]: row for row in done.cards if row["metric"] == "share"}
    assert share["tea.org/a"]["difference"] < 0 < share["news.farm.com/b"]["difference"]


def test_the_table_says_what_changed_without_colour(sides: tuple[Path, Path]) -> None:
    done = run("compare", *sides)
    assert (done.code, done.err) == (0, "")
    assert "\x1b" not in done.out
    assert "old.jsonl → new.jsonl" in done.out
    assert "6 cases matched by id; sources on both sides: 12, gone 6, new 6" in done.out
    assert "▲ +3.5*" in done.out
    assert "= 0.0" in done.out
    assert "new: site4.example/page" in done.out
    assert "gone: site3.example/page" in done.out
    assert "in 6 queries, not cited: 6 before, 0 after" in done.out
    assert "* the 95 % interval (bootstrap over queries) leaves out 0" in done.out
    assert "Judge: embedded" in done.out


@pytest.mark.parametrize("width", [30, 40, 80, 100, 120, 200])
def test_the_table_fits_the_terminal(sides: tuple[Path, Path], width: int) -> None:
    done = run("compare", *sides, COLUMNS=str(width))
    assert max(len(line.rstrip()) for line in done.out.splitlines()) <= width
    assert "+3.5*" in done.out
    assert "6.0 → 9.5" in done.out
    for metric in ("relevance", "diversity", "overall", "share %"):
        assert metric in done.out


def test_csv_and_json_lines_hold_the_same(sides: tuple[Path, Path], tmp_path: Path) -> None:
    lines = run("compare", *sides, "--format", "jsonl").cards
    text = run("compare", *sides, "--format", "csv").out
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == len(lines) == (4 + 1) * 7
    for row, line in zip(rows, lines, strict=True):
        assert row["key"] == line["key"]
        assert row["difference"] == ("" if line["difference"] is None else str(line["difference"]))
    first = rows[0]
    assert (first["kind"], first["metric"], first["n"], first["of"]) == (
        "source",
        "relevance",
        "6",
        "6",
    )
    assert (first["before"], first["after"], first["clear"]) == ("6.0", "9.5", "true")
    assert float(first["low"]) > 0
    for ending, printed in (("csv", text), ("jsonl", None)):
        out = tmp_path / f"out.{ending}"
        done = run("compare", *sides, "-o", out)
        assert done.out == ""
        assert "4 rows compared" in done.err
        if printed:
            assert out.read_text(encoding="utf-8") == printed


def test_metrics_and_rows_can_be_chosen(sides: tuple[Path, Path]) -> None:
    done = run("compare", *sides, "--format", "jsonl", "-m", "share,count", "--by", "case")
    assert [row["kind"] for row in done.cards] == ["case"] * 12 + ["total"] * 2
    assert {row["metric"] for row in done.cards} == {"share", "count"}
    assert {row["n"] for row in done.cards if row["kind"] == "case"} == {2}
    few = run("compare", *sides, "--min-n", "7", "--format", "jsonl")
    assert {row["kind"] for row in few.cards} == {"total"}
    assert "4 rows over fewer than 7 left out" in few.err


def test_two_variants_of_one_file(tmp_path: Path) -> None:
    cards = [
        card(f"{i}-{variant}", source(1, score), group=f"g{i}", query="Q?", variant=variant)
        for i in range(2)
        for variant, score in (("before", 5), ("after", 8))
    ]
    path = file(tmp_path, "both.jsonl", *cards)
    done = run("compare", path, "--variant", "before,after", "-m", "count", "--format", "jsonl")
    assert done.code == 0
    assert done.cards[0]["difference"] == 3
    assert "before → after" in run("compare", path, path, "--variant", "before,after").out
    wrong = run("compare", path, "--variant", "before,later")
    assert wrong.code == 2
    assert 'has no variant "later"; it has: after, before' in wrong.err
    assert run("compare", path, "--variant", "before").code == 2
    alone = run("compare", path)
    assert alone.code == 2
    assert "give two results files" in alone.err


def test_packed_results_are_read(sides: tuple[Path, Path], tmp_path: Path) -> None:
    packed = tmp_path / "old.jsonl.gz"
    packed.write_bytes(gzip.compress(sides[0].read_bytes()))
    assert run("compare", packed, sides[1], "--format", "csv").out.count("\n") == 36
    packed.write_bytes(packed.read_bytes()[:-20])
    cut = run("compare", packed, sides[1])
    assert cut.code == 2
    assert "cannot be read" in cut.err


def test_failed_judgments_are_said_and_give_exit_code_1(tmp_path: Path) -> None:
    old = file(tmp_path, "old.jsonl", card("a", source(1, None)), card("b", source(1, 3)))
    new = file(tmp_path, "new.jsonl", card("a", source(1, 9)), card("b", source(1, 4)))
    done = run("compare", old, new, "--format", "jsonl", "-m", "count")
    assert done.code == 1
    assert "failed judgments: 1 before, 0 after" in done.err
    row = done.cards[0]
    assert (row["before"], row["after"], row["n"], row["of"]) == (3, 4, 1, 2)
    assert (row["failed_before"], row["failed_after"]) == (1, 0)


def test_other_judges_are_warned_of(sides: tuple[Path, Path], tmp_path: Path) -> None:
    other = file(tmp_path, "o.jsonl", *({**c, "judge": "openai:gpt"} for c in AFTER))
    done = run("compare", sides[0], other)
    assert done.code == 0
    assert "citemark: warning: the scores were not made in the same way" in done.err
    assert "judge embedded before, openai:gpt after" in done.err
    assert "Judge: embedded before, openai:gpt after" in done.out


def test_bad_lines_are_told_and_the_rest_is_compared(
    sides: tuple[Path, Path], tmp_path: Path
) -> None:
    bad = file(tmp_path, "bad.jsonl", "{nonsense", *AFTER)
    done = run("compare", sides[0], bad)
    assert done.code == 1
    assert f"{bad}:1: is not JSON" in done.err
    assert "6 cases matched" in done.out


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("cases.jsonl", json.dumps(A), "is a case that was not scored yet"),
        ("rows.jsonl", json.dumps({"case": "a", "source": 1}), "is a flat row"),
        ("empty.jsonl", "", "holds no scorecards"),
        ("scores.csv", "case,source\n", "is not a results file (.jsonl, .jsonl.gz)"),
        ("gone.jsonl", None, "no such file"),
    ],
)
def test_wrong_files_are_refused_with_what_to_do(
    sides: tuple[Path, Path], tmp_path: Path, name: str, content: str | None, told: str
) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_text(content, encoding="utf-8")
    done = run("compare", sides[0], path)
    assert (done.code, done.out) == (2, "")
    assert told in done.err
    assert name in done.err


def test_nothing_in_common_says_what_to_do(sides: tuple[Path, Path], tmp_path: Path) -> None:
    other = file(tmp_path, "other.jsonl", card("z9", source(1)))
    done = run("compare", sides[0], other)
    assert (done.code, done.out) == (2, "")
    assert 'nothing matches: 6 cases before (such as "q0") and 1 after (such as "z9")' in done.err
    assert 'same "id"' in done.err


def test_no_file_is_overwritten_or_left_half(sides: tuple[Path, Path], tmp_path: Path) -> None:
    kept = sides[0].read_bytes()
    assert "is an input" in run("compare", *sides, "-o", sides[0]).err
    assert sides[0].read_bytes() == kept
    assert "cannot write this ending" in run("compare", *sides, "-o", tmp_path / "x.txt").err
    assert "beauty" in run("compare", *sides, "-m", "beauty", "-o", tmp_path / "x.csv").err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["new.jsonl", "old.jsonl"]


def test_text_from_cases_does_not_reach_the_terminal_raw(tmp_path: Path) -> None:
    def nasty(score: int) -> dict[str, Any]:
        return card("a\x1b[31m", source(1, score, title="red \x1b[31m title\nnew line"))

    old, new = file(tmp_path, "o.jsonl", nasty(3)), file(tmp_path, "n.jsonl", nasty(4))
    done = run("compare", old, new)
    assert "\x1b" not in done.out + done.err
    assert "red [31m title new line" in done.out
