"""The commands as a new user runs them: help, wrong use, every kind of input."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from ftfy import fix_encoding

from citemark._version import __version__
from running import BAD, ROOT, RUBRICS, A, B, file, run


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return file(tmp_path_factory.mktemp("two"), "two.jsonl", A, B)


COMMANDS = [
    "score",
    "parse",
    "lint",
    "rubrics",
    "prompt",
    "judges",
    "report",
    "compare",
    "serve",
    "batch",
    "store",
    "demo",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str) -> None:
    done = run(command, "--help")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"Usage: citemark {command} ")
    assert all(len(line) <= 80 for line in done.out.splitlines())


def test_the_help_lists_the_commands_and_where_to_start() -> None:
    done = run("--help")
    assert (done.code, done.err) == (0, "")
    assert run("-h").out == done.out
    commands = re.findall(r"^  (\w+) {2,}\S", done.out.split("Commands:")[1], re.MULTILINE)
    assert commands == COMMANDS
    assert done.out.rstrip().endswith("Start with: citemark demo")


def test_version() -> None:
    done = run("--version")
    assert (done.code, done.out, done.err) == (0, f"citemark {__version__}\n", "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--nonsense"], "No such option"),
        (["scores"], "No such command 'scores'"),
        (["score"], "Missing argument 'INPUT...'"),
        (["score", "--nonsense", "x.jsonl"], "No such option"),
        (["score", "two", "--format", "xml"], "'xml' is not one of"),
        (["score", "two", "--judge", "oracle"], 'no judge "oracle"; there are: embedded'),
        (
            ["score", "two", "--metrics", "beauty"],
            'no rubric "beauty"; there are: relevance, influence, uniqueness',
        ),
        (["score", "two", "--metrics", " , "], "no metric to score by; name at least one"),
        (["score", "two", "--mode", "weighted"], "--mode is for judges that ask a model"),
        (["score", "two", "--metrics", "position"], "the embedded judge knows the five metrics"),
        (["score", "two", "--sources", "tea"], "numbers or domains, such as 1,3 or example.com"),
        (["score", "two", "--sources", ""], "numbers or domains, such as 1,3 or example.com"),
        (["score", "two", "-o", "out.xlsx"], "out.xlsx: cannot write this ending; use .jsonl"),
        (["score", "two", "-o", "-"], "for standard output use --format"),
        (["score", "two", "-o", "none/out.csv"], "there is no directory none; make it first"),
        (["score", "two", "-o", "two.jsonl"], "is an input; write the results to another file"),
        (["score", "two", "--rubric", "none.toml"], "none.toml: cannot be read (No such file"),
        (["rubrics", "beauty"], 'no rubric "beauty"; there are: relevance'),
        (["rubrics", "--toml"], "name the rubric to print: relevance"),
        (["prompt", "two", "--source", "1"], "name one rubric: --metric NAME or --rubric FILE"),
        (["prompt", "two", "--metric", "count"], "Missing option '--source'"),
        (["prompt", "two", "--metric", "count", "--source", "x"], "is not a valid integer"),
        (["prompt", "two", "--metric", "count", "--source", "1"], "say which with --case (a, b)"),
        (
            ["prompt", "two", "--case", "c", "--metric", "count", "--source", "1"],
            'no case "c" in two.jsonl',
        ),
        (
            ["prompt", "two", "--case", "b", "--metric", "count", "--source", "2"],
            "the answer does not cite source 2; it cites: 1",
        ),
    ],
)
def test_wrong_use_is_told_and_exits_2(two: Path, arguments: list[str], message: str) -> None:
    arguments = ["two.jsonl" if part == "two" else part for part in arguments]
    before = sorted(two.parent.iterdir())
    done = run(*arguments, cwd=two.parent)
    assert (done.code, done.out) == (2, "")
    assert message in " ".join(done.err.split())
    assert sorted(two.parent.iterdir()) == before


@pytest.mark.parametrize("name", ["relevance.txt", "subjective_count.txt"])
def test_the_embedded_judge_refuses_rubrics_of_ones_own(two: Path, name: str) -> None:
    if not RUBRICS.is_dir():
        pytest.skip("shared/rubrics is not here")
    done = run("score", two, "--rubric", RUBRICS / name)
    assert (done.code, done.out) == (2, "")
    assert "the embedded judge" in done.err


def test_a_plain_answer_with_its_query(tmp_path: Path) -> None:
    answer = tmp_path / "answer.md"
    answer.write_text(A["answer"], encoding="utf-8")
    done = run("score", answer, "--query", A["query"], "--format", "jsonl")
    assert (done.code, done.err) == (0, "")
    (card,) = done.cards
    assert (card["query"], card["answer"]) == (A["query"], A["answer"])
    assert [source["source"] for source in card["sources"]] == [1, 2]
    missing = run("score", answer)
    assert (missing.code, missing.out) == (2, "")
    assert 'for a plain answer add --query "the question"' in missing.err
    assert [run(command, answer).code for command in ("parse", "lint")] == [0, 0]


def test_standard_input() -> None:
    cases = run("score", "-", "--format", "jsonl", stdin=json.dumps(A).encode())
    assert (cases.code, [card["case"] for card in cases.cards]) == (0, ["a"])
    plain = run("score", "-", "-q", "What?", "--format", "jsonl", stdin=b"Tea is hot [1].")
    assert (plain.code, plain.cards[0]["answer"]) == (0, "Tea is hot [1].")
    forgotten = run("score", "-", stdin=b"Tea is hot [1].\nSo it is.\n")
    assert forgotten.code == 2
    assert '<stdin>: holds no cases in JSON; for a plain answer add --query "the' in forgotten.err
    parsed = run("parse", "-", stdin=b"[1] says that tea is hot.")
    assert (parsed.code, parsed.cards[0]["sentences"][0]["sources"]) == (0, [1])
    pretty = json.dumps([A, B], indent=2).encode()
    assert [card["case"] for card in run("parse", "-", stdin=pretty).cards] == ["a", "b"]
    nothing = run("score", "-", stdin=b"")
    assert nothing.code == 2
    assert nothing.err.splitlines() == [
        "citemark: notice: -: holds no cases",
        "citemark: nothing to work on",
    ]


def test_several_inputs_in_order(tmp_path: Path) -> None:
    first = file(tmp_path, "1.jsonl", B)
    second = file(tmp_path, "2.json", json.dumps([A, {**B, "id": "c"}]))
    empty = file(tmp_path, "3.jsonl", "")
    done = run("score", second, empty, first, "--format", "jsonl")
    assert [card["case"] for card in done.cards] == ["a", "c", "b"]
    assert (done.code, done.err) == (0, f"citemark: notice: {empty}: holds no cases\n")


def test_bad_cases_are_told_and_the_others_scored(tmp_path: Path) -> None:
    path = file(tmp_path, "c.jsonl", A, BAD, "{broken", B)
    for command in (["score", "--format", "jsonl"], ["parse"], ["lint"]):
        done = run(command[0], path, *command[1:])
        assert done.code == 1
        talk = done.err.splitlines()
        assert talk[0] == f'citemark: {path}:2: "answer" is empty; give the generated text'
        assert talk[1].startswith(f"citemark: {path}:3: not valid JSON: ")
        assert talk[-1] == "citemark: 2 cases could not be read; the others are done"
        if command[0] != "lint":
            assert [card["case"] for card in done.cards] == ["a", "b"]


@pytest.mark.parametrize("command", ["score", "parse", "lint"])
def test_nothing_but_bad_input_exits_2(tmp_path: Path, command: str) -> None:
    missing = run(command, tmp_path / "none.jsonl")
    assert (missing.code, missing.out) == (2, "")
    assert missing.err == (
        f"citemark: {tmp_path}/none.jsonl: no such file\ncitemark: nothing to work on\n"
    )
    folder = run(command, tmp_path)
    assert (folder.code, folder.out) == (2, "")
    assert f"citemark: {tmp_path}: is a directory; name a file in it\n" in folder.err
    assert run(command, file(tmp_path, "bad.jsonl", BAD)).code == 2
    assert run(command, file(tmp_path, "empty.jsonl", "")).code == 2


def test_duplicate_ids_are_noticed_and_kept(tmp_path: Path) -> None:
    path = file(tmp_path, "c.jsonl", B, B, {**B, "variant": "after"})
    done = run("score", path, "--format", "jsonl")
    assert (done.code, len(done.cards)) == (0, 3)
    notice = f'citemark: notice: {path}:2: id "b" was used before, at {path}:1; both are kept\n'
    assert done.err == notice
    many = run("parse", file(tmp_path, "many.jsonl", *[B] * 50))
    assert (len(many.cards), len(many.err.splitlines())) == (50, 6)
    assert many.err.endswith("notice: 49 cases have an id that was used before; all are kept\n")


@pytest.mark.skipif(not RUBRICS.is_dir(), reason="shared/rubrics is not here")
@pytest.mark.parametrize("name", ["relevance", "influence", "uniqueness", "diversity", "count"])
def test_a_text_rubric_comes_out_letter_by_letter(tmp_path: Path, name: str) -> None:
    path = RUBRICS / ("subjective_count.txt" if name == "count" else f"{name}.txt")
    case = {
        "id": "p",
        "query": "What of {answer} and \\1 and Source [1]?",
        "answer": "See {query}, {0}, \\g<0> and [1] [3].\r\nSource [1] “says” userâ€™s so [3].",
    }
    done = run("prompt", file(tmp_path, "c.jsonl", case), "--rubric", path, "--source", "3")
    assert done.code == 0
    original = path.read_bytes().decode("utf-8-sig")
    text = "".join(fix_encoding(line) for line in original.splitlines(keepends=True))
    parts = re.split(r"(\{query\}|\{answer\}|Source \[1\])", text)
    values = {
        "{query}": case["query"],
        "{answer}": case["answer"],
        "Source [1]": "Source [3]",
    }
    assert done.out == "".join(values.get(part, part) for part in parts)
    assert done.out.count(case["query"]) == text.count("{query}") > 0
    notice = f"citemark: notice: {path}: broken characters were repaired"
    assert done.err.startswith(notice) == (text != original)
    assert bool(done.err) == (text != original)


@pytest.mark.skipif(not RUBRICS.is_dir(), reason="shared/rubrics is not here")
def test_two_of_the_shared_rubrics_are_repaired() -> None:
    texts = [path.read_text(encoding="utf-8-sig") for path in sorted(RUBRICS.glob("*.txt"))]
    assert sum("â€" in text for text in texts) == 2
    assert not any("â€" in fix_encoding(text) for text in texts)


def test_prompt_prints_the_message_and_nothing_else(two: Path) -> None:
    from citemark import parse, rubric
    from citemark.case import Case
    from citemark.prompts import prompt, system_message

    case = Case.from_dict(A)
    options = ["--case", "a", "--metric", "count", "--source", "2"]
    for mode in ("subscores", "direct"):
        done = run("prompt", two, *options, "--mode", mode)
        expected = prompt(rubric("count"), case, parse(case.answer, case.sources), 2, mode)
        assert (done.code, done.out, done.err) == (0, expected.text, "")
        assert "Source [2]" in done.out
        assert "Source [1]" not in done.out
    assert (
        run("prompt", two, *options).out == run("prompt", two, *options, "--mode", "subscores").out
    )
    system = run("prompt", two, *options, "--system")
    assert (system.code, system.out) == (0, system_message(rubric("count")))


def test_prompt_tells_twins_apart(tmp_path: Path) -> None:
    path = file(tmp_path, "c.jsonl", B, B)
    done = run("prompt", path, "--case", "b", "--metric", "count", "--source", "1")
    assert (done.code, done.out) == (2, "")
    assert done.err.endswith(f'citemark: 2 cases have the id "b": {path}:1, {path}:2\n')
    missing = run("prompt", tmp_path / "no.jsonl", "--metric", "count", "--source", "1")
    assert missing.code == 2
    assert "no such file" in missing.err


def test_parse_prints_case_sentences_and_problems(two: Path) -> None:
    done = run("parse", two)
    assert (done.code, done.err) == (0, "")
    assert [list(card) for card in done.cards] == [["case", "sentences", "problems"]] * 2
    assert done.cards[1] == {
        "case": "b",
        "sentences": [
            {
                "n": 0,
                "start": 0,
                "end": 21,
                "text": "Because it rains.",
                "sources": [1],
                "block_sources": [1],
                "paragraph": 0,
                "kind": "sentence",
            }
        ],
        "problems": [],
    }


def test_lint_says_where_and_how_bad(tmp_path: Path) -> None:
    path = file(tmp_path, "c.jsonl", {**A, "answer": "Tea is hot [1].\nIt is wet [2][9]."}, B)
    done = run("lint", path)
    assert done.code == 1
    assert done.out.splitlines() == [
        "a:2:14: error unknown_source: [9] names source 9, which the case does not list; "
        "not counted",
        "a:2:18: note uncited_source: listed but never cited: source 3",
    ]
    assert done.err == "1 error, 1 note in 2 cases\n"
    data = run("lint", path, "--format", "jsonl")
    assert [(d["case"], d["severity"], d["code"], d["start"]) for d in data.cards] == [
        ("a", "error", "unknown_source", 29),
        ("a", "note", "uncited_source", 33),
    ]
    clean = run("lint", file(tmp_path, "d.jsonl", B))
    assert (clean.code, clean.out, clean.err) == (0, "", "no problems in 1 case\n")


def test_rubrics_in_a_list_and_in_full() -> None:
    listed = run("rubrics")
    assert (listed.code, listed.err) == (0, "")
    names = [line.split()[0] for line in listed.out.splitlines()]
    assert names == "relevance influence uniqueness diversity count position follow_up".split()
    full = run("rubrics", "influence")
    assert full.code == 0
    assert "\x1b" not in full.out
    assert re.findall(r"^(I\d) ", full.out, re.MULTILINE) == ["I1", "I2", "I3", "I4", "I5"]
    assert len(re.findall(r"^  [0-4]  \S", full.out, re.MULTILINE)) == 25
    toml = run("rubrics", "influence", "--toml")
    assert toml.out == (ROOT / "src/citemark/rubrics/influence.toml").read_text(encoding="utf-8")


def test_the_demo_scores_the_bundled_examples(tmp_path: Path) -> None:
    done = run("demo", cwd=tmp_path)
    assert done.code == 0
    assert done.err == (
        "\nThe same to look at, in a browser: citemark-demo.html\n"
        'Now your own: citemark score answer.md --query "the question"\n'
    )
    assert len(re.findall(r"\d+\s+of\s+\d+\s+sources\s+cited\)", done.out)) == 10
    assert done.out == run("demo", cwd=tmp_path).out
