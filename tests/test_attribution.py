"""Who is credited for what: blocks, reported spans, links, reference lists."""

from __future__ import annotations

from typing import Any

import pytest

from citemark import parse

Blocks = list[tuple[tuple[int, ...], tuple[int, ...]]]

PAGES = [
    {"n": 1, "url": "https://www.bees.example/dance?utm_source=mail"},
    {"n": 2, "url": "http://ants.example/Walk/"},
    {"n": 3, "url": "https://wasps.example/nest?id=7#top"},
]


def read(answer: str, **case: Any) -> list[tuple[tuple[int, ...], str]]:
    return [(s.sources, s.text) for s in parse(answer, **case).sentences]


def codes(answer: str, **case: Any) -> list[str]:
    return [p.code for p in parse(answer, **case).problems]


BLOCKS: list[tuple[str, Blocks]] = [
    ("One. Two. Three [1].", [((), (1,)), ((), (1,)), ((1,), (1,))]),
    ("One. Two. Three. [1][2]", [((), (1, 2)), ((), (1, 2)), ((1, 2), (1, 2))]),
    ("One [2]. Two. Three [1].", [((2,), (2,)), ((), ()), ((1,), (1,))]),
    ("One [1]. Two. Three.", [((1,), (1,)), ((), ()), ((), ())]),
    ("One. Two [1] goes on.", [((), ()), ((1,), (1,))]),
    ("One.\n\nTwo [1].", [((), ()), ((1,), (1,))]),
    ("One. Two.\n\n[1]", [((), (1,)), ((1,), (1,))]),
    ("- One\n- Two\n- Three [1]", [((), (1,)), ((), (1,)), ((1,), (1,))]),
    ("- One [2]\n- Two\n- Three [1]", [((2,), (2,)), ((), ()), ((1,), (1,))]),
    ("- One. Two [1].\n- Three", [((), (1,)), ((1,), (1,)), ((), ())]),
    ("- One. Two [1].\n- Three. Four [2].", [((), (1,)), ((1,), (1,)), ((), (2,)), ((2,), (2,))]),
    ("# Head\nOne. Two [1].", [((), ()), ((), (1,)), ((1,), (1,))]),
    ("| A | B |\n|---|---|\n| c | d [1] |", [((), ()), ((1,), (1,))]),
    ("Intro:\n\n- One\n- Two [1]", [((), ()), ((), (1,)), ((1,), (1,))]),
    ('One. "Two [1]."', [((), (1,)), ((1,), (1,))]),
    ("One. Two (see [1]).", [((), (1,)), ((1,), (1,))]),
]


@pytest.mark.parametrize(("answer", "expected"), BLOCKS)
def test_a_marker_that_closes_an_unmarked_block_may_speak_for_it(
    answer: str, expected: Blocks
) -> None:
    assert [(s.sources, s.block_sources) for s in parse(answer).sentences] == expected


def test_attributed_sentences_by_both_readings() -> None:
    parsed = parse("One. Two [1]. Three.\n\nFour. Five [1].")
    assert [s.text for s in parsed.attributed(1)] == ["Two.", "Five."]
    assert [s.text for s in parsed.attributed(1, block=True)] == ["Two.", "Four.", "Five."]
    assert parsed.cited == {1}


ANSWER = "First here. Second there. Third one."
SPANS = [
    ((0, 11), [(1,), (), ()], "a whole sentence"),
    ((2, 4), [(1,), (), ()], "a part of one"),
    ((5, 15), [(1,), (1,), ()], "two of them"),
    ((0, 36), [(1,), (1,), (1,)], "all"),
    ((11, 11), [(1,), (), ()], "a point at the end of a sentence"),
    ((25, 25), [(), (1,), ()], "a point between two"),
    ((0, 0), [(1,), (), ()], "a point at the very start"),
    ((36, 36), [(), (), (1,)], "a point at the very end"),
]


@pytest.mark.parametrize(("span", "expected", "why"), SPANS)
def test_reported_spans(span: tuple[int, int], expected: list[tuple[int, ...]], why: str) -> None:
    citation = {"start": span[0], "end": span[1], "sources": [1]}
    parsed = parse(ANSWER, citations=[citation])
    assert [s.sources for s in parsed.sentences] == expected, why
    assert [s.text for s in parsed.sentences] == ["First here.", "Second there.", "Third one."]


@pytest.mark.parametrize("span", [(0, 37), (37, 37), (9, 3), (99, 120)])
def test_a_span_outside_the_answer_is_reported_and_ignored(span: tuple[int, int]) -> None:
    citation = {"start": span[0], "end": span[1], "sources": [1]}
    assert codes(ANSWER, citations=[citation]) == ["no_citations", "bad_span"]
    assert parse(ANSWER, citations=[citation]).sources == ()


def test_a_span_over_nothing_but_space_or_code_is_reported() -> None:
    citation = {"start": 11, "end": 12, "sources": [1]}
    assert codes(ANSWER, citations=[citation]) == ["no_citations", "marker_without_text"]
    code = {"start": 0, "end": 6, "sources": [1]}
    assert "marker_without_text" in codes("```\ncode\n```\nText.", citations=[code])


def test_a_span_with_an_unknown_source_credits_the_known_ones() -> None:
    citations = [{"start": 12, "end": 20, "sources": [7, 1, 1]}]
    parsed = parse(ANSWER, sources=[1], citations=citations)
    assert [s.sources for s in parsed.sentences] == [(), (1,), ()]
    assert [(p.code, p.start, p.end) for p in parsed.problems] == [("unknown_source", 12, 20)]
    assert codes(ANSWER, citations=[{"start": 0, "end": 5, "sources": [0, 1]}]) == [
        "unknown_source"
    ]


def test_spans_and_markers_add_up_without_counting_twice() -> None:
    citations = [{"start": 0, "end": 4, "sources": [2]}, {"start": 0, "end": 4, "sources": [1, 2]}]
    assert read("Bees dance [1]. Ants.", citations=citations) == [
        ((1, 2), "Bees dance."),
        ((), "Ants."),
    ]


LINKS = [
    ("Bees dance [a page](https://bees.example/dance).", [((1,), "Bees dance a page.")]),
    ("Bees dance. [A page](https://bees.example/dance)", [((1,), "Bees dance.")]),
    ("Bees dance ([bees.example](https://bees.example/dance)).", [((1,), "Bees dance.")]),
    ("Bees dance (https://bees.example/dance?utm_campaign=x&fbclid=1).", [((1,), "Bees dance.")]),
    ("Bees dance http://www.bees.example/dance/. So.", [((1,), "Bees dance."), ((), "So.")]),
    ("Bees dance <https://bees.example/dance>.", [((1,), "Bees dance.")]),
    ("The <a href='http://ants.example/Walk'>ants</a> walk.", [((2,), "The ants walk.")]),
    ("The [ants](https://ants.example/Walk?gclid=5#a) walk.", [((2,), "The ants walk.")]),
    ("Wasps nest [w](https://wasps.example/nest?id=7&utm_id=1).", [((3,), "Wasps nest w.")]),
    ("Bees dance [3](https://bees.example/dance).", [((1,), "Bees dance.")]),
]


@pytest.mark.parametrize(("answer", "expected"), LINKS)
def test_links_cite_the_listed_source_with_that_url(
    answer: str, expected: list[tuple[tuple[int, ...], str]]
) -> None:
    assert read(answer, sources=PAGES) == expected


@pytest.mark.parametrize(
    "answer",
    [
        "Wasps nest [w](https://wasps.example/nest?id=8).",
        "Ants [walk](http://ants.example/walk2).",
        "See https://other.example/dance for it.",
    ],
)
def test_a_link_to_another_page_stays_text(answer: str) -> None:
    assert read(answer, sources=PAGES) == [((), answer)]


def test_an_answer_that_cites_by_link_alone_numbers_its_links() -> None:
    parsed = parse(
        "[Bees](https://a.example/x?utm_source=y) dance. Ants (https://b.example). [B](http://www.a.example/x)"
    )
    assert [(s.sources, s.text) for s in parsed.sentences] == [
        ((1,), "Bees dance."),
        ((1, 2), "Ants."),
    ]
    assert {n: (r.url, r.title) for n, r in parsed.references.items()} == {
        1: ("https://a.example/x?utm_source=y", "Bees"),
        2: ("https://b.example", None),
    }


def test_with_numbered_markers_around_a_link_is_no_citation() -> None:
    assert read("Bees dance [1]. See [this](https://a.example).") == [
        ((1,), "Bees dance."),
        ((), "See [this](https://a.example)."),
    ]


BODY = "Bees dance [1]. Ants walk [2]."
LISTS = [
    "References:\n[1] https://a.example\n[2] https://b.example",
    "## Sources\n\n1. [A](https://a.example)\n2. [B](https://b.example)",
    "**References**\n- Frisch, K. (1967). Dance.\n- Moore et al. Walks.",
    "Citations:\n[1] https://a.example\n[2] A title without address",
    "[1]: https://a.example\n[2]: https://b.example",
    "[1] https://a.example\n[2] https://b.example",
    "[1] The dance of bees\n[2] The walk of ants",
    "[^1]: The dance of bees\n[^2]: The walk of ants",
    "1. https://a.example\n2. https://b.example",
    "【1】 A https://a.example\n【2】 B https://b.example",
    "¹ https://a.example\n² https://b.example",
    "[1]: https://a.example\n\nCitations:\n[1] https://a.example\n[2] https://b.example",
    "[1] https://a.example",
    "Sources: https://a.example, https://b.example",
    "Sources: [A](https://a.example) and [B](https://b.example)",
    "Quellen:\n[1] Frisch (1967)\n[2] Moore (1980)",
    "Referencias\n- [1] Uno https://a.example\n- [2] Dos",
    "Références :\n[1] Un. https://a.example\n[2] Deux.",
    "Источники:\n1. https://a.example\n2. https://b.example",
    "参考文献：\n[1] 标题 https://a.example\n[2] 二",
    "出典:\n[1] https://a.example\n[2] https://b.example",
    "출처:\n[1] https://a.example\n[2] https://b.example",
    "المراجع:\n[1] https://a.example\n[2] https://b.example",
    "संदर्भ:\n[1] https://a.example\n[2] https://b.example",
]  # fmt: skip


@pytest.mark.parametrize("references", LISTS)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_trailing_reference_list_is_not_answer_text(references: str, newline: str) -> None:
    answer = f"{BODY}\n\n{references}\n".replace("\n", newline)
    assert read(answer) == [((1,), "Bees dance."), ((2,), "Ants walk.")]
    assert read(answer, sources=[1, 2]) == [((1,), "Bees dance."), ((2,), "Ants walk.")]


@pytest.mark.parametrize(
    "tail",
    [
        "References: [1] A title https://a.example [2] B https://b.example",
        "[1] K. Frisch, Dance. [Online]. Available: https://a.example.[2] B. https://b.example.[3]",
        "K. Frisch, Dance. [Online]. Available: https://a.example.[2] B. https://b.example.[3]",
        '[1] K. Frisch, "Dance," vol. 3, pp. 5-9.[2] L. Moore and A. Ant, "Walks," vol. 4, 1980.',
    ],
)
def test_a_reference_list_run_together_on_one_line(tail: str) -> None:
    assert read(f"{BODY} {tail}") == [((1,), "Bees dance."), ((2,), "Ants walk.")]


def test_what_a_reference_list_says_about_the_sources() -> None:
    answer = f"{BODY}\n\nReferences:\n[1] Frisch (1967). <https://a.example/x>\n[2] [Walks](https://b.example)"
    assert {n: (r.url, r.title) for n, r in parse(answer).references.items()} == {
        1: ("https://a.example/x", "Frisch (1967)"),
        2: ("https://b.example", "Walks"),
    }


NO_LISTS = [
    (
        "Bees dance [1].\n\n## Sources\nThe springs are many [2].",
        ["Bees dance.", "Sources", "The springs are many."],
    ),
    ("Bees dance [1].\n\n1. Go out [2]\n2. Come back [3]", ["Bees dance.", "Go out", "Come back"]),
    (
        "Bees dance [1].\n\n## Sources\n\n- https://a.example\n\n## More\nAnts walk [2].",
        ["Bees dance.", "Sources", "https://a.example", "More", "Ants walk."],
    ),
    ("[1] Bees dance.\n[2] Ants walk.", ["Bees dance.", "Ants walk."]),
    (
        "[1] Bees dance, see https://a.example. [2] Ants walk, see https://b.example.",
        ["Bees dance, see https://a.example.", "Ants walk, see https://b.example."],
    ),
    ("Bees dance [1].\n\nReferences: none.", ["Bees dance.", "References: none."]),
]


@pytest.mark.parametrize(("answer", "expected"), NO_LISTS)
def test_what_only_looks_like_a_reference_list_is_answer_text(
    answer: str, expected: list[str]
) -> None:
    assert [s.text for s in parse(answer).sentences] == expected


def test_bare_markers_under_a_label_cite_the_label_only() -> None:
    assert read("Bees dance.\n\nSources:\n[1]\n[2]") == [((), "Bees dance."), ((1, 2), "Sources:")]
