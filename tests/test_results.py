"""What is written: the scorecard, the flat forms, the manifest; whole or not at all."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

import citemark
from citemark import Judgment, Scorecard, UsageError
from citemark._version import __version__
from citemark.judges import Outcome, Work
from citemark.manifest import Manifest, Tally
from citemark.results import columns, format_of, json_line, writer_for, written_whole
from citemark.rubrics import DEFAULT_METRICS, rubric

RUBRICS = tuple(rubric(name) for name in DEFAULT_METRICS)
CASE: dict[str, Any] = {
    "id": "q17",
    "query": "What is tea?",
    "answer": "Tea is a drink [1]. It is made from leaves [2][9]. It is hot.",
    "sources": [
        {"n": 1, "url": "https://www.tea.org/a?utm_source=x", "title": "Tea"},
        {"n": 2, "key": "page-2"},
        {"n": 3, "url": "https://c.org"},
    ],
    "tags": {"field": "food"},
    "group": "g",
    "engine": "e1",
}
CONTRACT_COLUMNS = (
    "case source key url title cited "
    "relevance relevance_expected relevance_status relevance_reason "
    "influence influence_expected influence_status influence_reason "
    "uniqueness uniqueness_expected uniqueness_status uniqueness_reason "
    "diversity diversity_expected diversity_status diversity_reason "
    "count count_expected count_status count_reason "
    "R1 R2 R3 R4 R5 I1 I2 I3 I4 I5 U1 U2 U3 U4 U5 D1 D2 D3 D4 D5 C1 C2 C3 C4 C5 "
    "overall sentences words word word_position share_word share_position share_word_position "
    "judge mode signature"
).split()


class Steady:
    """Gives every sub-score the level 2; fails on source 2's influence."""

    name = "steady"
    signature = "steady/1"
    trust = "for tests"

    async def judge(self, work: AsyncIterator[Work]) -> AsyncIterator[Outcome]:
        async for item in work:
            for source in item.sources:
                for given in item.rubrics:
                    judgment = Judgment.of(given, dict.fromkeys(given.ids, 2))
                    if (source, given.name) == (2, "influence"):
                        judgment = Judgment.failed("refused")
                    yield Outcome(item.number, source, given.name, judgment)


def card(**changes: Any) -> Scorecard:
    return citemark.score({**CASE, **changes}, judge=Steady())


def written(form: str, *cards: Scorecard) -> bytes:
    stream = io.BytesIO()
    writer = writer_for(form, stream, RUBRICS)
    for each in cards:
        writer.write(each)
    writer.close()
    return stream.getvalue()


def table(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode(), newline="")))


def test_the_scorecard_has_the_contracts_form() -> None:
    data = json.loads(written("jsonl", card()))
    contract = "schema case query answer tags sentences problems sources judge mode signature"
    assert [key for key in data if key not in ("group", "engine")] == contract.split()
    assert (data["schema"], data["case"], data["tags"]) == (1, "q17", {"field": "food"})
    assert (data["query"], data["answer"]) == (CASE["query"], CASE["answer"])
    assert (data["judge"], data["mode"]) == ("steady", None)
    assert (data["group"], data["engine"]) == ("g", "e1")
    assert "variant" not in data
    hashes = "+".join(r.signature for r in RUBRICS)
    assert data["signature"].startswith(f"judge:steady/1|rubrics:{hashes}|")
    assert data["signature"].endswith(f"|citemark:{__version__}")


def test_sentences_and_problems_in_the_contracts_form() -> None:
    data = json.loads(written("jsonl", card()))
    assert data["sentences"][1] == {
        "n": 1,
        "start": 20,
        "end": 50,
        "text": "It is made from leaves.",
        "sources": [2],
        "block_sources": [2],
        "paragraph": 0,
        "kind": "sentence",
    }
    assert CASE["answer"][20:50] == "It is made from leaves [2][9]."
    problem = next(p for p in data["problems"] if p["code"] == "unknown_source")
    assert problem == {
        "code": "unknown_source",
        "start": 46,
        "end": 49,
        "message": "[9] names source 9, which the case does not list; not counted",
    }


def test_a_scored_source_in_the_contracts_form() -> None:
    first = json.loads(written("jsonl", card()))["sources"][0]
    assert list(first) == "source key url title cited scores overall impression".split()
    assert (first["source"], first["key"], first["title"]) == (1, "tea.org/a", "Tea")
    assert first["url"] == "https://www.tea.org/a?utm_source=x"
    assert first["cited"] is True
    assert list(first["scores"]) == list(DEFAULT_METRICS)
    assert first["scores"]["relevance"] == {
        "status": "scored",
        "score": 10,
        "expected": 10.0,
        "interval": None,
        "band": rubric("relevance").band(10),
        "subscores": {"R1": 2, "R2": 2, "R3": 2, "R4": 2, "R5": 2},
        "evidence": None,
        "samples": None,
        "coverage": None,
        "reason": None,
    }
    assert first["overall"] == 10.0
    impression = first["impression"]
    assert list(impression) == ["sentences", "words", "word", "word_position", "share"]
    assert list(impression["share"]) == ["word", "position", "word_position"]
    # 4 of 12 words, in the first of 3 sentences; the cited sentences have 4 and 5 words
    assert (impression["sentences"], impression["words"]) == (1, 4.0)
    assert impression["word"] == pytest.approx(4 / 12)
    assert impression["word_position"] == pytest.approx(4 / 12)
    assert impression["share"]["word"] == pytest.approx(4 / 9)


def test_a_failed_judgment_has_no_number_anywhere() -> None:
    second = json.loads(written("jsonl", card()))["sources"][1]
    failed = second["scores"]["influence"]
    assert failed == {**dict.fromkeys(failed), "status": "failed", "reason": "refused"}
    assert len(failed) == 10
    assert second["overall"] is None
    assert second["scores"]["relevance"]["score"] == 10
    assert (second["key"], second["url"]) == ("page-2", None)
    row = table(written("csv", card()))[1]
    assert (row["influence"], row["influence_expected"], row["overall"]) == ("", "", "")
    assert (row["influence_status"], row["influence_reason"]) == ("failed", "refused")
    assert [row[f"I{n}"] for n in range(1, 6)] == [""] * 5


def test_a_source_that_is_never_cited_gets_the_lowest_score_unasked() -> None:
    third = json.loads(written("jsonl", card()))["sources"][2]
    assert (third["cited"], third["overall"]) == (False, 1.0)
    count = third["scores"]["count"]
    assert (count["status"], count["score"], count["expected"]) == ("not_cited", 1, 1.0)
    assert count["subscores"] == {"C1": 0, "C2": 0, "C3": 0, "C4": 0, "C5": 0}
    assert count["reason"] is None
    assert third["impression"] == {
        "sentences": 0,
        "words": 0.0,
        "word": 0.0,
        "word_position": 0.0,
        "share": {"word": 0.0, "position": 0.0, "word_position": 0.0},
    }


def test_keys_of_the_input_do_not_overwrite_the_scorecard() -> None:
    data = card(judge="mine", signature="mine", note=1).to_dict()
    assert (data["judge"], data["note"]) == ("steady", 1)
    assert data["signature"].startswith("judge:steady/1|")


def test_the_columns_are_the_contracts() -> None:
    assert columns(RUBRICS) == CONTRACT_COLUMNS
    assert list(card().rows()[0]) == [*CONTRACT_COLUMNS, "tag_field"]
    header = written("csv", card()).decode().splitlines()[0]
    assert header == ",".join([*CONTRACT_COLUMNS, "tag_field"])
    subset = columns((rubric("count"),))
    assert [c for c in subset if c not in CONTRACT_COLUMNS] == []
    assert "R1" not in subset
    assert "relevance" not in subset


def test_rows_are_one_json_line_per_source() -> None:
    rows = [json.loads(line) for line in written("rows", card()).splitlines()]
    assert [(r["case"], r["source"], r["cited"]) for r in rows] == [
        ("q17", 1, True),
        ("q17", 2, True),
        ("q17", 3, False),
    ]
    assert rows == card().rows()


def test_csv_values() -> None:
    first, second, third = table(written("csv", card()))
    assert (first["cited"], third["cited"]) == ("true", "false")
    assert (first["relevance"], first["relevance_expected"], first["R5"]) == ("10", "10.0", "2")
    assert (first["mode"], second["url"], first["tag_field"]) == ("", "", "food")
    assert float(first["share_word"]) == 4 / 9


def test_tags_that_appear_late_have_their_column() -> None:
    cards = [card(tags={}), card(tags={"late": [1, "ä"]}), card(tags={"a": True, "late": None})]
    rows = table(written("csv", *cards))
    assert list(rows[0])[-3:] == ["signature", "tag_late", "tag_a"]
    assert [(r["tag_late"], r["tag_a"]) for r in rows[::3]] == [
        ("", ""),
        ('[1, "ä"]', ""),
        ("", "true"),
    ]
    read = parquet.read_table(io.BytesIO(written("parquet", *cards)))
    assert read.schema.names == [*CONTRACT_COLUMNS, "tag_late", "tag_a"]
    assert read["tag_late"].to_pylist()[::3] == [None, '[1, "ä"]', None]
    assert read["tag_a"].to_pylist()[::3] == [None, None, "true"]


def test_parquet_has_the_same_rows_with_types() -> None:
    read = parquet.read_table(io.BytesIO(written("parquet", card())))
    kinds = {name: str(read.schema.field(name).type) for name in read.schema.names}
    assert kinds["cited"] == "bool"
    assert kinds["source"] == kinds["relevance"] == kinds["R1"] == kinds["sentences"] == "int64"
    assert kinds["relevance_expected"] == kinds["share_word"] == kinds["overall"] == "double"
    assert kinds["case"] == kinds["influence_reason"] == kinds["mode"] == "string"
    assert read.to_pylist() == card().rows()


def test_no_rows_still_make_a_table() -> None:
    bare = card(answer="Tea is a drink.", sources=None, tags=None)
    assert written("csv", bare).decode().splitlines() == [",".join(CONTRACT_COLUMNS)]
    assert parquet.read_table(io.BytesIO(written("parquet", bare))).num_rows == 0
    assert written("rows", bare) == b""


def test_every_form_carries_any_text() -> None:
    odd = card(
        id='q\ud800,"\n',
        sources=[{"n": 1, "title": "half \udc00 pair, “quote”, \x1b[31m, \u2028 end"}],
        tags={"x\ud800": "\udc00", "when": 3},
    )
    line = written("jsonl", odd)
    assert json.loads(line)["sources"][0]["title"] == odd[1].title
    assert len(line.decode().splitlines()) == 1
    assert b"\x1b" not in line
    assert table(written("csv", odd))[0]["title"].startswith("half ? pair, “quote”, \x1b[31m")
    row = parquet.read_table(io.BytesIO(written("parquet", odd))).to_pylist()[0]
    assert (row["case"], row["tag_x?"], row["tag_when"]) == ('q?,"\n', "?", "3")


def test_json_lines_are_safe_and_readable() -> None:
    assert json_line({"a": "ä 水 \x9b \x7f \x85 \u2029 \ud800 \n"}) == (
        '{"a": "ä 水 \\u009b \\u007f \\u0085 \\u2029 \\ud800 \\n"}\n'
    )
    assert json_line({"a": Path("b")}) == '{"a": "b"}\n'
    assert json.loads(json_line({"a": "\x7f\x9b\ud83d"})) == {"a": "\x7f\x9b\ud83d"}
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_line({"a": float("nan")})


@pytest.mark.parametrize("form", ["jsonl", "rows", "csv", "parquet"])
def test_the_same_cards_give_the_same_bytes(form: str) -> None:
    assert written(form, card(), card(id="b")) == written(form, card(), card(id="b"))


def test_a_file_is_written_whole(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    with written_whole(out) as stream:
        stream.write(b"one\n")
        assert not out.exists()
    assert out.read_bytes() == b"one\n"
    assert [p.name for p in tmp_path.iterdir()] == ["out.jsonl"]
    mask = os.umask(0)
    os.umask(mask)
    assert out.stat().st_mode & 0o777 == 0o666 & ~mask


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit, GeneratorExit])
@pytest.mark.parametrize("before", [None, b"old"])
def test_a_file_is_written_not_at_all(
    tmp_path: Path, error: type[BaseException], before: bytes | None
) -> None:
    out = tmp_path / "out.jsonl"
    if before is not None:
        out.write_bytes(before)

    def interrupted() -> None:
        with written_whole(out) as stream:
            stream.write(b"half")
            raise error

    with pytest.raises(error):
        interrupted()
    assert [p.read_bytes() for p in tmp_path.iterdir()] == ([] if before is None else [before])


def test_where_a_file_cannot_be_written(tmp_path: Path) -> None:
    def refusal(path: Path) -> str:
        with pytest.raises(UsageError) as caught, written_whole(path):
            pass
        return str(caught.value).replace(str(tmp_path), "TMP")

    assert refusal(tmp_path) == "TMP: is a directory; name a file"
    assert (
        refusal(tmp_path / "no" / "o.csv")
        == "TMP/no/o.csv: there is no directory TMP/no; make it first"
    )


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    link = tmp_path / "link.jsonl"
    link.symlink_to(tmp_path / "real" / "out.jsonl")
    with written_whole(link) as stream:
        stream.write(b"x")
    assert link.is_symlink()
    assert (tmp_path / "real" / "out.jsonl").read_bytes() == b"x"


@pytest.mark.parametrize(
    ("name", "form"),
    [("a.jsonl", "jsonl"), ("a.CSV", "csv"), ("a.b.parquet", "parquet")],
)
def test_the_ending_picks_the_format(name: str, form: str) -> None:
    assert format_of(Path(name)) == form


@pytest.mark.parametrize("name", ["a.xlsx", "a", "a.jsonl.gz", ".jsonl"])
def test_other_endings_are_refused(name: str) -> None:
    with pytest.raises(UsageError, match=r"use \.jsonl, \.csv, \.parquet"):
        format_of(Path(name))


def test_the_manifest_says_how_a_file_came_about(tmp_path: Path) -> None:
    tally = Tally()
    tally.add(card())
    tally.add(card(answer="Nothing."))
    manifest = Manifest(
        inputs=("a.jsonl", "b\udcff.jsonl"),
        input_sha256=hashlib.sha256(b"x").hexdigest(),
        bad_cases=3,
        rubrics=RUBRICS,
        judge="steady",
        mode=None,
        signature="s",
        settings={"sources": None},
        tally=tally,
        started=0.0,
    )
    place = manifest.write_beside(tmp_path / "out.csv")
    assert place == tmp_path / "out.csv.manifest.json"
    data = json.loads(place.read_text(encoding="utf-8"))
    duration = data.pop("duration_s")
    assert duration > 1e9
    assert data.pop("python").startswith("3.")
    assert data == {
        "schema": 1,
        "citemark": __version__,
        "inputs": ["a.jsonl", "b?.jsonl"],
        "input_sha256": hashlib.sha256(b"x").hexdigest(),
        "rubrics": {r.name: r.hash for r in RUBRICS},
        "judge": "steady",
        "mode": None,
        "signature": "s",
        "settings": {"sources": None},
        "cases": {"scored": 2, "unreadable": 3},
        "sources": 6,
        "judgments": {"scored": 9, "not_cited": 20, "failed": {"refused": 1}},
        "calls": None,
        "tokens": None,
        "cost_usd": None,
        "started": "1970-01-01T00:00:00Z",
    }
    assert tally.line() == "2 cases, 6 sources, 9 scores, 20 not cited, 1 failed (refused 1)"
    assert tally.uncited_cases == 1
