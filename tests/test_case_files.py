"""Reading cases: every format, every way in which a file can be broken."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import sys
from pathlib import Path
from typing import Any

import pyarrow as arrow
import pytest
from pyarrow import parquet

from citemark import Case, CaseError, Source, load_cases

A: dict[str, Any] = {"id": "a", "query": "Why?", "answer": "Because [1]."}
B: dict[str, Any] = {"id": "b", "query": "How?", "answer": "Like this [2]."}
RICH: dict[str, Any] = {
    "id": "r",
    "query": "What?",
    "answer": "That, and this [1].",
    "sources": [{"n": 1, "url": "https://a.org", "title": "Ä, “q”"}],
    "citations": [{"start": 0, "end": 4, "sources": [1]}],
    "tags": {"field": "x", "n": 2},
    "group": "g",
    "variant": "v",
    "repeat": 3,
}


def lines(*cases: object) -> bytes:
    return b"".join(json.dumps(case).encode() + b"\n" for case in cases)


def write(folder: Path, name: str, content: bytes) -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def read(path: Path | str, query: str | None = None) -> tuple[list[Case], list[str]]:
    """The cases of a file, and what was said about the others, with the bare file name."""
    errors: list[str] = []
    cases = list(load_cases(path, query=query, on_error=lambda e: errors.append(str(e))))
    folder = f"{Path(path).parent}{os.sep}"
    return cases, [error.replace(folder, "") for error in errors]


def ids(path: Path | str) -> tuple[list[str], list[str]]:
    cases, errors = read(path)
    return [case.id for case in cases], errors


def as_csv(rows: list[dict[str, Any]]) -> bytes:
    text = io.StringIO(newline="")
    names = list(dict.fromkeys(name for row in rows for name in row))
    table = csv.DictWriter(text, names)
    table.writeheader()
    for row in rows:
        cells = {k: json.dumps(v) if isinstance(v, dict | list) else v for k, v in row.items()}
        table.writerow(cells)
    return text.getvalue().encode()


def as_parquet(rows: list[dict[str, Any]]) -> bytes:
    stream = io.BytesIO()
    names = dict.fromkeys(name for row in rows for name in row)
    whole = [{name: row.get(name) for name in names} for row in rows]
    parquet.write_table(arrow.Table.from_pylist(whole), stream)
    return stream.getvalue()


FORMS = {
    "c.jsonl": lines(A, RICH),
    "c.ndjson": lines(A, RICH),
    "C.JSONL": lines(A, RICH),
    "c.jsonl.gz": gzip.compress(lines(A, RICH)),
    "c.json": json.dumps([A, RICH], indent=1).encode(),
    "c.json.gz": gzip.compress(json.dumps([A, RICH]).encode()),
    "list.jsonl": json.dumps([A, RICH], indent=1).encode(),
    "c.csv": as_csv([A, RICH]),
    "c.csv.gz": gzip.compress(as_csv([A, RICH])),
    "c.parquet": as_parquet([A, RICH]),
}


@pytest.mark.parametrize("name", FORMS)
def test_every_format_gives_the_same_cases(tmp_path: Path, name: str) -> None:
    cases, errors = read(write(tmp_path, name, FORMS[name]))
    assert errors == []
    assert cases == [Case.from_dict(A), Case.from_dict(RICH)]


def test_json_columns_of_a_parquet_file_may_be_text_too(tmp_path: Path) -> None:
    row = {**RICH, **{k: json.dumps(RICH[k]) for k in ("sources", "citations", "tags")}}
    assert read(write(tmp_path, "c.parquet", as_parquet([row])))[0] == [Case.from_dict(RICH)]


def test_one_json_object_is_one_case(tmp_path: Path) -> None:
    pretty = json.dumps(RICH, indent=2).encode()
    for name in ("c.json", "c.jsonl"):
        assert read(write(tmp_path, name, pretty)) == ([Case.from_dict(RICH)], [])
    assert ids(write(tmp_path, "d.jsonl", b"\n\n" + pretty)) == (["r"], [])


@pytest.mark.parametrize("name", ["answer.md", "answer.txt", "ANSWER.MD", "answer"])
def test_a_plain_answer_needs_its_query(tmp_path: Path, name: str) -> None:
    path = write(tmp_path, name, "Tea is a drink [1].\r\nÄ.\n".encode())
    (case,), errors = read(path, "What is tea?")
    assert (case.query, case.answer) == ("What is tea?", "Tea is a drink [1].\r\nÄ.\n")
    assert (case.place, errors) == (str(path), [])
    _, (error,) = read(path)
    assert error == (
        f"{name}: not a file of cases (.jsonl .jsonl.gz .json .csv .parquet); "
        'for a plain answer add --query "the question"'
    )


def test_a_query_beside_cases_is_refused(tmp_path: Path) -> None:
    cases, errors = read(write(tmp_path, "c.jsonl", lines(A)), "Why?")
    assert cases == []
    assert errors == [
        "c.jsonl: --query goes with a plain answer; these cases hold their own",
    ]


def stdin(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    stream = io.TextIOWrapper(io.BufferedReader(io.BytesIO(content)))
    monkeypatch.setattr(sys, "stdin", stream)


@pytest.mark.parametrize(
    "content",
    [
        lines(A, B),
        b"\xef\xbb\xbf" + lines(A, B),
        json.dumps([A, B], indent=2).encode(),
        b"\n[\n" + json.dumps(A).encode() + b",\n" + json.dumps(B).encode() + b"]",
    ],
)
def test_standard_input_holds_cases(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    stdin(monkeypatch, content)
    assert ids("-") == (["a", "b"], [])


def test_standard_input_may_be_a_plain_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    stdin(monkeypatch, b"[1] says so.\nSo does [2].\n")
    assert read("-", "Who?")[0][0].answer == "[1] says so.\nSo does [2].\n"
    stdin(monkeypatch, b"[1] says so.\nSo does [2].\n")
    message = '<stdin>: holds no cases in JSON; for a plain answer add --query "the question"'
    assert read("-") == ([], [message])


def test_places_on_standard_input_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    stdin(monkeypatch, lines(A) + b"{broken\n")
    cases, errors = read("-")
    assert [case.place for case in cases] == ["<stdin>:1"]
    assert errors == [
        "<stdin>:2: not valid JSON: Expecting property name enclosed in double quotes (column 2)"
    ]
    stdin(monkeypatch, b"")
    assert read("-") == ([], [])


def test_byte_order_mark_crlf_and_empty_lines_do_no_harm(tmp_path: Path) -> None:
    text = b"\xef\xbb\xbf" + lines(A).replace(b"\n", b"\r\n") + b"\r\n  \r\n\n" + lines(B)[:-1]
    cases, errors = read(write(tmp_path, "c.jsonl", text))
    assert errors == []
    assert [(Path(c.place).name, c.id) for c in cases] == [("c.jsonl:1", "a"), ("c.jsonl:5", "b")]
    bom = b"\xef\xbb\xbf"
    assert ids(write(tmp_path, "c.json", bom + json.dumps(A).encode())) == (["a"], [])
    assert ids(write(tmp_path, "c.csv", bom + as_csv([A, B]))) == (["a", "b"], [])
    assert read(write(tmp_path, "c.md", bom + b"Tea [1]."), "?")[0][0].answer == "Tea [1]."


def test_broken_json_in_line_17_of_20(tmp_path: Path) -> None:
    rows = [json.dumps({**A, "id": n}) for n in range(1, 21)]
    rows[16] = rows[16][:-1]
    found, errors = ids(write(tmp_path, "cases.jsonl", "\n".join(rows).encode()))
    assert found == [str(n) for n in range(1, 21) if n != 17]
    column = len(rows[16]) + 1
    assert errors == [f"cases.jsonl:17: not valid JSON: Expecting ',' delimiter (column {column})"]


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (b'{"query": "\xff", "answer": "x"}', "not valid UTF-8 at byte 11; save it as UTF-8"),
        (b'{"query": "a\x00b"}', "not valid JSON: Invalid control character at (column 13)"),
        (b'{"query": NaN}', "not valid JSON: NaN is no number in JSON; use null"),
        (b'{"a": -Infinity}', "not valid JSON: -Infinity is no number in JSON; use null"),
        (b"[" * 100_000, "not valid JSON: nested too deeply"),
        (b'["a"]', "a case must be an object with query and answer, not a list"),
        (b'"text"', "a case must be an object with query and answer, not text"),
        (b"null", "a case must be an object with query and answer, not null"),
        (b'{"query": "q"}', '"answer" is missing; give the generated text'),
        (b'{"query": "q", "answer": ""}', '"answer" is empty; give the generated text'),
    ],
)
def test_a_bad_line_does_not_stop_the_others(tmp_path: Path, bad: bytes, message: str) -> None:
    path = write(tmp_path, "c.jsonl", lines(A) + bad + b"\n" + lines(B))
    assert ids(path) == (["a", "b"], [f"c.jsonl:2: {message}"])


def test_numbers_beyond_all_bounds_are_refused(tmp_path: Path) -> None:
    rows = b'{"query":"q","answer":"a","tags":{"x":1e999}}\n{"query":"q","answer":"a","z":%s}\n'
    _, errors = read(write(tmp_path, "c.jsonl", rows % (b"1" * 5000)))
    assert errors[0] == 'c.jsonl:1: "tags.x" must be a finite number; leave out what is not known'
    assert errors[1].startswith("c.jsonl:2: not valid JSON: Exceeds the limit")


def test_lone_surrogates_and_nul_in_escapes_are_kept(tmp_path: Path) -> None:
    row = rb'{"query": "q\ud800", "answer": "nul \u0000 half \udc00 pair \ud83d\ude00 [1]."}'
    (case,), errors = read(write(tmp_path, "c.jsonl", row))
    assert errors == []
    assert case.query == "q\ud800"
    assert case.answer == "nul \x00 half \udc00 pair 😀 [1]."


def test_a_huge_line_is_read(tmp_path: Path) -> None:
    answer = "Long words [1]. " * 400_000
    (case,), _ = read(write(tmp_path, "c.jsonl", lines({"query": "q", "answer": answer})))
    assert case.answer == answer
    (case,), _ = read(write(tmp_path, "c.csv", as_csv([{"query": "q", "answer": answer}])))
    assert case.answer == answer


@pytest.mark.parametrize("name", ["c.jsonl", "c.json", "c.csv", "c.md"])
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_named_once(tmp_path: Path, name: str, encoding: str) -> None:
    path = write(tmp_path, name, "\ufeff".encode(encoding) + ("{}\n" * 9).encode(encoding))
    query = "q" if name == "c.md" else None
    assert read(path, query) == ([], [f"{name}: is UTF-16; save it as UTF-8"])


@pytest.mark.parametrize("name", ["c.jsonl", "c.json", "c.jsonl.gz", "c.csv", "c.parquet", "c.md"])
def test_directory_missing_and_unreadable_file(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    assert read(path) == ([], [f"{name}: no such file"])
    path.mkdir()
    assert read(path) == ([], [f"{name}: is a directory; name a file in it"])


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file(tmp_path: Path) -> None:
    path = write(tmp_path, "c.jsonl", lines(A))
    path.chmod(0)
    assert read(path) == ([], ["c.jsonl: cannot be read (Permission denied)"])


def test_a_file_that_cannot_be_opened_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    assert read(tmp_path / "c.jsonl") == ([], ["c.jsonl: cannot be read (Permission denied)"])


def test_a_damaged_gzip_gives_what_can_be_read(tmp_path: Path) -> None:
    many = b"".join(lines({**A, "id": f"{n}-{n * 7919 % 9973}"}) for n in range(5000))
    packed = gzip.compress(many)
    found, errors = ids(write(tmp_path, "cut.jsonl.gz", packed[: len(packed) // 2]))
    assert 1000 < len(found) < 4000
    assert errors == [
        "cut.jsonl.gz: cannot be read (Compressed file ended before the end-of-stream marker "
        "was reached)"
    ]
    middle = len(packed) // 2
    broken = packed[:middle] + b"\xff" * 40 + packed[middle + 40 :]
    _, errors = ids(write(tmp_path, "broken.jsonl.gz", broken))
    assert len([e for e in errors if e.startswith("broken.jsonl.gz: cannot be read (")]) == 1
    _, errors = ids(write(tmp_path, "not.jsonl.gz", lines(A)))
    assert errors == ["not.jsonl.gz: cannot be read (Not a gzipped file (b'{\"'))"]


@pytest.mark.parametrize("name", ["c.jsonl", "c.json", "c.csv", "c.jsonl.gz"])
def test_an_empty_file_holds_no_cases(tmp_path: Path, name: str) -> None:
    content = gzip.compress(b"") if name.endswith("gz") else b""
    assert read(write(tmp_path, name, content)) == ([], [])
    if name == "c.json":
        assert read(write(tmp_path, name, b"[]")) == ([], [])


def test_an_empty_plain_answer_is_named(tmp_path: Path) -> None:
    _, errors = read(write(tmp_path, "a.md", b" \n"), "q")
    assert errors == ['a.md: "answer" is empty; give the generated text']
    _, errors = read(write(tmp_path, "a.md", b"Tea [1]."), " ")
    assert errors == ['a.md: "query" is empty; give the question that was asked']
    _, errors = read(write(tmp_path, "a.md", b"Caf\xe9 [1]."), "q")
    assert errors == ["a.md: not valid UTF-8 at byte 3; save it as UTF-8"]


def test_json_says_line_or_number_of_the_case(tmp_path: Path) -> None:
    _, errors = read(write(tmp_path, "c.json", b'[\n{"query": "q",\n}]'))
    assert errors[0].startswith("c.json:3: not valid JSON: ")
    _, errors = read(write(tmp_path, "c.jsonl", b'\n\n[\n{"query": "q",\n}]'))
    assert errors[0].startswith("c.jsonl:5: not valid JSON: ")
    _, errors = read(write(tmp_path, "d.json", lines(A, B)))
    assert errors == [
        "d.json:2: not valid JSON: Extra data (column 1); is it one object per line? name it .jsonl"
    ]
    cases, errors = read(write(tmp_path, "e.json", json.dumps([A, {"query": "q"}]).encode()))
    assert len(cases) == 1
    assert errors == ['e.json: case 2: "answer" is missing; give the generated text']
    _, errors = read(write(tmp_path, "f.json", b"[NaN]"))
    assert errors == ["f.json: not valid JSON: NaN is no number in JSON; use null"]


def test_csv_places_are_the_lines_where_rows_begin(tmp_path: Path) -> None:
    rows = b'id,query,answer\n1,q,"two\nlines [1]"\n\n2,q,\n3,,a\n4,q,a [1]\n'
    cases, errors = read(write(tmp_path, "c.csv", rows))
    assert [(c.id, Path(c.place).name, c.answer) for c in cases] == [
        ("1", "c.csv:2", "two\nlines [1]"),
        ("4", "c.csv:7", "a [1]"),
    ]
    assert errors == [
        'c.csv:5: "answer" is empty; give the generated text',
        'c.csv:6: "query" is empty; give the question that was asked',
    ]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (b"2,q,a [1],[],extra,more", "has 6 cells, but the header has 5 columns"),
        (b"2,q", '"answer" is missing; give the generated text'),
        (b"2,q,Caf\xe9 [1]", '"answer" is not valid UTF-8; save the file as UTF-8'),
        (b'2,q,"a" b,', "not valid CSV: ',' expected after '\"'"),
        (
            b"2,q,a [1],not json",
            '"sources" must be JSON text (not valid JSON: Expecting value (column 1))',
        ),
        (
            b"2,q,a [1],[NaN]",
            '"sources" must be JSON text (not valid JSON: NaN is no number in JSON; use null)',
        ),
        (b"2,q,a [1],{}", '"sources" must be a list, not an object'),
        (b"2,q,a [1],,x", '"repeat" must be a whole number, 0 or more, not text'),
    ],
)
def test_a_bad_row_of_csv_does_not_stop_the_others(
    tmp_path: Path, row: bytes, message: str
) -> None:
    text = b"id,query,answer,sources,repeat\n1,q,a [1]\n" + row + b"\n3,q,a [1]\n"
    assert ids(write(tmp_path, "c.csv", text)) == (["1", "3"], [f"c.csv:3: {message}"])


def test_a_csv_without_its_columns_says_so_once(tmp_path: Path) -> None:
    _, errors = read(write(tmp_path, "c.csv", b"id,question,answer\n1,q,a\n2,q,a\n"))
    assert errors == ["c.csv: has no column query; it needs query and answer"]
    _, errors = read(write(tmp_path, "c.csv", b"id;query;answer\n1;q;a\n"))
    assert errors == [
        "c.csv: has no column query and answer; it needs query and answer; "
        "separate the columns by commas"
    ]
    _, errors = read(write(tmp_path, "c.csv", b'"query,answer\n1,2\n'))
    assert errors == ["c.csv:1: not valid CSV: unexpected end of data"]


def test_csv_header_with_spaces_and_columns_of_ones_own(tmp_path: Path) -> None:
    rows = b' id , query ,answer,sources,engine\n7,q,a [1],"[""https://a.org""]",x\n'
    (case,), _ = read(write(tmp_path, "c.csv", rows))
    assert (case.id, case.sources, case.extra) == (
        "7",
        (Source(1, "https://a.org"),),
        {"engine": "x"},
    )


def test_a_quote_that_is_never_closed_ends_in_one_message(tmp_path: Path) -> None:
    rows = b'id,query,answer\n1,q,a [1]\n2,q,"never closed\n3,q,a\n'
    assert ids(write(tmp_path, "c.csv", rows)) == (
        ["1"],
        ["c.csv:3: not valid CSV: unexpected end of data"],
    )


def test_parquet_rows_that_are_bad_are_named(tmp_path: Path) -> None:
    rows = [A, {**B, "answer": None}, {**B, "id": "c", "tags": "{"}]
    found, errors = ids(write(tmp_path, "c.parquet", as_parquet(rows)))
    assert found == ["a"]
    assert errors[0] == 'c.parquet: row 2: "answer" is missing; give the generated text'
    assert errors[1].startswith('c.parquet: row 3: "tags" must be JSON text (not valid JSON: ')
    _, errors = read(write(tmp_path, "d.parquet", as_parquet([{"q": 1}])))
    assert errors == ["d.parquet: has no column query and answer; it needs query and answer"]
    _, errors = read(write(tmp_path, "e.parquet", b"PAR1 but no more"))
    assert errors[0].startswith("e.parquet: not a Parquet file that can be read (")


def test_parquet_absences_are_absent(tmp_path: Path) -> None:
    rows = [
        {**A, "tags": {"x": 1, "y": None}, "rank": float("nan"), "sources": None},
        {**B, "tags": {"x": None, "y": "z"}, "rank": 2.5, "sources": [{"n": 2, "url": None}]},
    ]
    cases, errors = read(write(tmp_path, "c.parquet", as_parquet(rows)))
    assert errors == []
    assert [(dict(c.tags), dict(c.extra)) for c in cases] == [
        ({"x": 1}, {}),
        ({"y": "z"}, {"rank": 2.5}),
    ]
    assert cases[1].sources == (Source(2),)


def test_without_on_error_the_first_bad_case_is_raised(tmp_path: Path) -> None:
    path = write(tmp_path, "c.jsonl", lines(A) + b"{}\n" + lines(B))
    cases = load_cases(path)
    assert next(cases).id == "a"
    with pytest.raises(CaseError) as caught:
        next(cases)
    assert (caught.value.place, caught.value.field) == (f"{path}:2", "query")
    with pytest.raises(CaseError, match="no such file"):
        next(load_cases(tmp_path / "none.jsonl"))


def test_files_are_read_no_further_than_asked(tmp_path: Path) -> None:
    path = write(tmp_path, "c.jsonl", lines(A) + b"{broken\n" * 3)
    errors: list[CaseError] = []
    cases = load_cases(path, on_error=errors.append)
    assert next(cases).id == "a"
    assert errors == []
    cases.close()  # type: ignore[attr-defined]
