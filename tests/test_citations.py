"""The parsed answer as a whole: places of markers, lint, bad input, sizes."""

from __future__ import annotations

import time
from typing import Any

import pytest

from citemark import parse
from citemark.citations import SEVERITIES

PLACES = [
    ("- Bees dance [1]\n- Ants walk. [2]",
     [("item", (1,), "Bees dance"), ("item", (2,), "Ants walk.")]),
    ("# Bees [1]\nThey dance [2].", [("heading", (1,), "Bees"), ("sentence", (2,), "They dance.")]),
    ("**Bees** [1]\nThey dance.", [("heading", (1,), "**Bees**"), ("sentence", (), "They dance.")]),
    ("> Bees dance [1].", [("sentence", (1,), "Bees dance.")]),
    ("| Who | What |\n|---|---|\n| Bees [1] | dance [2] |\n| Ants | walk |",
     [("row", (), "Who | What"), ("row", (1, 2), "Bees | dance"), ("row", (), "Ants | walk")]),
    ("1. Bees [1].\n   They dance [2].", [("item", (1,), "Bees."), ("item", (2,), "They dance.")]),
    ("No stop [1]\nNo stop either [2]",
     [("sentence", (1,), "No stop"), ("sentence", (2,), "No stop either")]),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "expected"), PLACES)
def test_markers_in_bullets_headings_quotes_and_rows(
    answer: str, expected: list[tuple[str, tuple[int, ...], str]]
) -> None:
    assert [(s.kind, s.sources, s.text) for s in parse(answer).sentences] == expected


def test_the_parsed_answer_as_plain_data() -> None:
    assert parse("Bees dance. Ants walk [2].", sources=[2]).to_dict() == {
        "sentences": [
            {"n": 0, "start": 0, "end": 11, "text": "Bees dance.", "sources": [],
             "block_sources": [2], "paragraph": 0, "kind": "sentence"},
            {"n": 1, "start": 12, "end": 26, "text": "Ants walk.", "sources": [2],
             "block_sources": [2], "paragraph": 0, "kind": "sentence"},
        ],
        "problems": [],
    }  # fmt: skip


LINT: list[tuple[str, Any, list[tuple[str, str]]]] = [
    ("Bees dance [1].", None, []),
    ("Bees dance.", None, [("no_citations", "")]),
    ("Bees dance [3].", [1], [("no_citations", ""), ("unknown_source", "[3]")]),
    ("Bees dance [0][1].", None, [("zero_marker", "[0]")]),
    ("Bees dance [1][1].", None, [("duplicate_marker", "[1]")]),
    ("Bees dance [1, 2] [2].", None, [("duplicate_marker", "[2]")]),
    ("Bees [1] dance [1].", None, []),
    ("# Bees [1]\nThey dance [2].", None, [("marker_in_heading", "Bees [1]")]),
    ("Run `a [2]` on it [1].", None, [("marker_in_code", "[2]")]),
    ("1[2]. Bees dance [1].", None, [("marker_on_list_number", "1[2]. ")]),
    ("[1]", None, [("no_citations", ""), ("marker_without_text", "[1]")]),
    ("Bees dance [1] and go [2.", None, [("unclosed_marker", "[2")]),
    ("Bees dance [1]. Ants walk.", [1, 2], [("uncited_source", "")]),
    ("Bees [LLM MEMORY | 2024] dance [1].", None, [("model_memory", "[LLM MEMORY | 2024]")]),
    ("Bees\x07 dance [1].", None, [("control_characters", "\x07")]),
]


@pytest.mark.parametrize(("answer", "sources", "expected"), LINT)
def test_lint_names_the_problem_and_its_place(
    answer: str, sources: Any, expected: list[tuple[str, str]]
) -> None:
    problems = parse(answer, sources=sources).problems
    assert [(p.code, answer[p.start : p.end]) for p in problems] == expected
    assert all(p.message and p.code in SEVERITIES for p in problems)


def test_a_long_paragraph_without_a_citation_is_noted_and_a_lead_in_is_not() -> None:
    long = "Twelve small words stand here so that this one paragraph is long enough."
    problems = parse(f"Bees dance [1].\n\n{long}\n\n{long[:-1]}:\n\n- Ants walk [2].").problems
    assert [(p.code, p.start, p.end) for p in problems] == [
        ("uncited_paragraph", 17, 17 + len(long))
    ]


def test_without_a_list_the_sources_are_those_that_the_markers_name() -> None:
    assert parse("Bees [7] dance [2]. [0]").sources == (2, 7)
    assert parse("Bees [7] dance [2].", sources=[1, 2]).sources == (1, 2)
    assert parse("Bees dance.", sources=[]).sources == ()


SIZES = [
    ("[" * 200_000, 0),
    ("[1" * 200_000, 0),
    ("【" * 200_000, 0),
    ("`" * 200_000, 0),
    ("$" * 200_000, 0),
    ("Bees dance [1]. " * 10_000, 10_000),
    ("A hive of bees, e.g. wild ones, holds 3.5 kg of honey [1, 2]. " * 16_200, 16_200),
    ("蜜蜂跳舞[1]。" * 40_000, 40_000),
    ("- Bees dance [1]\n" * 20_000, 20_000),
    ("| bees | dance [1] |\n" * 20_000, 20_000),
]


@pytest.mark.parametrize(("answer", "count"), SIZES, ids=[a[:12] for a, _ in SIZES])
def test_large_answers_parse_in_seconds(answer: str, count: int) -> None:
    start = time.process_time()
    parsed = parse(answer)
    assert time.process_time() - start < 10  # a second at most; more only if it is not linear
    assert sum(bool(s.sources) for s in parsed.sentences) == count


def test_ten_thousand_markers_in_one_sentence() -> None:
    (sentence,) = parse("Bees dance" + "[7][3]" * 5_000 + ".").sentences
    assert (sentence.sources, sentence.text) == ((3, 7), "Bees dance.")


def test_many_reported_spans() -> None:
    answer = "Bees dance. " * 2_000
    spans = [{"start": 12 * i, "end": 12 * i + 5, "sources": [i % 9 + 1]} for i in range(2_000)]
    parsed = parse(answer, citations=spans)
    assert [s.sources for s in parsed.sentences] == [(i % 9 + 1,) for i in range(2_000)]
