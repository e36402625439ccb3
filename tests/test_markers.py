"""Which stretches of an answer are citations, of which sources, and what text is left."""

from __future__ import annotations

from typing import Any

import pytest

from citemark import parse

Read = list[tuple[tuple[int, ...], str]]


def read(answer: str, sources: Any = None) -> Read:
    """Every sentence as (sources, text)."""
    return [(s.sources, s.text) for s in parse(answer, sources=sources).sentences]


FORMS = [
    ("Bees dance [1].", (1,)),
    ("Bees dance [1][2].", (1, 2)),
    ("Bees dance [1] [2].", (1, 2)),
    ("Bees dance [1],[2].", (1, 2)),
    ("Bees dance [1], [2].", (1, 2)),
    ("Bees dance [1, 2].", (1, 2)),
    ("Bees dance [1,2,5].", (1, 2, 5)),
    ("Bees dance [3; 4].", (3, 4)),
    ("Bees dance [1 and 3].", (1, 3)),
    ("Bees dance [1 2 3].", (1, 2, 3)),
    ("Bees dance [1-3].", (1, 2, 3)),
    ("Bees dance [1–3].", (1, 2, 3)),
    ("Bees dance [1, 3-5].", (1, 3, 4, 5)),
    ("Bees dance [ 1 ].", (1,)),
    ("Bees dance [[1]].", (1,)),
    ("Bees dance [^1].", (1,)),
    ("Bees dance[^1][^2].", (1, 2)),
    ("Bees dance[^1^].", (1,)),
    ("Bees dance [^1^][^2^].", (1, 2)),
    ("Bees dance 【1】.", (1,)),
    ("Bees dance【4†source】.", (4,)),
    ("Bees dance【4:2†source】.", (4,)),
    ("Bees dance【4:2†bees.pdf】【5:0†source】.", (4, 5)),
    ("Bees dance [12†L3-L9].", (12,)),
    ("Bees dance ［2］.", (2,)),
    ("Bees dance [Source 2].", (2,)),
    ("Bees dance [source: 2].", (2,)),
    ("Bees dance [Sources 1, 2].", (1, 2)),
    ("Bees dance [Reference from Source 2].", (2,)),
    ("Bees dance (Source 2).", (2,)),
    ("Bees dance (Sources 1 and 4).", (1, 4)),
    ("Bees dance [doc 3].", (3,)),
    ("Bees dance [citation:3].", (3,)),
    ("Bees dance [cite: 1, 2].", (1, 2)),
    ("Bees dance [#5].", (5,)),
    ("Bees dance<sup>1</sup>.", (1,)),
    ("Bees dance.<sup>1,2</sup>", (1, 2)),
    ("Bees dance<sup>[2]</sup>.", (2,)),
    ('Bees dance<sup><a href="#r3">3</a></sup>.', (3,)),
    ("Bees dance¹.", (1,)),
    ("Bees dance.²", (2,)),
    ("Bees dance.¹,³", (1, 3)),
    ("Bees dance [1](https://bees.example/a).", (1,)),
    ("Bees dance [[2]](https://bees.example/a).", (2,)),
    ("Bees dance [[3](https://bees.example/a)].", (3,)),
    ("Bees dance [1](https://bees.example/a 'Bees').", (1,)),
    ('Bees dance <a href="https://bees.example/a">[4]</a>.', (4,)),
    ("Bees dance (1, Mir et al., 2021).", (1,)),
    ("Bees dance (7, Frisch, 1967a).", (7,)),
    ("Bees dance (7, 修, 2001).", (7,)),
    ("Bees dance (7, Frisch, n.d.).", (7,)),
    ("Bees dance [3, p. 68].", (3,)),
    ("Bees dance [3, pp. 68-70].", (3,)),
    ("Bees dance [15 | 2204 | Perez et al. | 2020 | Citations: 35].", (15,)),
    ("Bees dance ([1]).", (1,)),
    ("Bees dance ([1], [2]).", (1, 2)),
    ("Bees dance ([1] and [2]).", (1, 2)),
    ("Bees dance (see [1]).", (1,)),
    ("Bees dance (Source: [2]).", (2,)),
    ("Bees dance **[1]**.", (1,)),
    ("Bees dance *[1][2]*.", (1, 2)),
]


@pytest.mark.parametrize(("answer", "sources"), FORMS)
def test_every_form_of_marker_cites_and_leaves_no_trace_in_the_text(
    answer: str, sources: tuple[int, ...]
) -> None:
    assert read(answer) == [(sources, "Bees dance.")]
    assert read(answer, list(range(1, 20))) == [(sources, "Bees dance.")]


PLACES = [
    ("Bees dance [1]. Ants walk [2].", "before the stop"),
    ("Bees dance[1]. Ants walk[2].", "glued before the stop"),
    ("Bees dance. [1] Ants walk. [2]", "after the stop"),
    ("Bees dance.[1] Ants walk.[2]", "glued after the stop"),
    ("Bees dance.[1]Ants walk.[2]", "glued to both"),
    ("Bees dance [1].Ants walk [2].", "no space after the stop"),
    ("Bees dance. ([1]) Ants walk. (Source: [2])", "an aside after the stop"),
    ("Bees dance.  [1]  Ants walk.  [2]", "wide spaces"),
    ("Bees dance.\u00a0[1] Ants walk.\u00a0[2]", "no-break spaces"),
    ("[1] Bees dance. [2] Ants walk.", "leading"),
    ("[1] Bees dance. Ants walk [2].", "leading, then trailing"),
    ("Bees dance.\n[1]\nAnts walk.\n[2]", "on a line of their own"),
    ("Bees dance.\n\n[1]\n\nAnts walk.\n\n[2]", "in a paragraph of their own"),
    ("Bees dance. ¹ Ants walk. ²", "raised, after the stop"),
]


@pytest.mark.parametrize(("answer", "why"), PLACES)
def test_a_marker_belongs_to_its_sentence_wherever_it_stands(answer: str, why: str) -> None:
    assert read(answer) == [((1,), "Bees dance."), ((2,), "Ants walk.")], why


MORE_PLACES = [
    ("Bees [1] dance, ants [2] walk.", [((1, 2), "Bees dance, ants walk.")]),
    ("Really? [1] Yes! [2]", [((1,), "Really?"), ((2,), "Yes!")]),
    ('"Bees dance." [1] Ants walk.', [((1,), '"Bees dance."'), ((), "Ants walk.")]),
    ('"Bees dance [1]." Ants walk.', [((1,), '"Bees dance."'), ((), "Ants walk.")]),
    ('Who asks "why?[1]" Ants walk [2].', [((1,), 'Who asks "why?"'), ((2,), "Ants walk.")]),
    ('Ask "why?[1]" or "how?[2]" of it.', [((1, 2), 'Ask "why?" or "how?" of it.')]),
    ("Bees, ants, etc.[1], all work.", [((1,), "Bees, ants, etc., all work.")]),
    ("Insects (bees, etc.[1]) work [2].", [((1, 2), "Insects (bees, etc.) work.")]),
    ("(Bees dance [1].) Ants walk.", [((1,), "(Bees dance.)"), ((), "Ants walk.")]),
    ("Bees dance [1]; ants walk [2].", [((1, 2), "Bees dance; ants walk.")]),
    ("Bees dance [1] .", [((1,), "Bees dance.")]),
    ("Tin is _light_[1].", [((1,), "Tin is _light_.")]),
    ("Tin is __very light__[2].", [((2,), "Tin is __very light__.")]),
    ("**Cost**: [3] Hives are dear [1].", [((3,), "**Cost**:"), ((1,), "Hives are dear.")]),
    (
        "It is hard. [4] propose a way. They test it.",
        [((), "It is hard."), ((4,), "propose a way."), ((), "They test it.")],
    ),
    (
        "as they warm and melt [1] The first of them broke [2].",
        [((1,), "as they warm and melt"), ((2,), "The first of them broke.")],
    ),
]


@pytest.mark.parametrize(("answer", "expected"), MORE_PLACES)
def test_markers_in_the_midst_of_quotes_asides_and_clauses(answer: str, expected: Read) -> None:
    assert read(answer) == expected


NOT_CITATIONS = [
    "In [2024] it rained.",
    "The salt [EMIM][TfO] melts.",
    "Seen in 2020 [Online].",
    "Seen there [Accessed: 4 May 2021].",
    "He said that [sic].",
    "She [the queen] flies.",
    "my_list = [1, 2, 3] holds three numbers.",
    "The array [1, 2, 3] is short.",
    "It lies in the interval [0, 1].",
    "The rate was 4% (95% CI [2, 6]).",
    "Let x ∈ [1, 2].",
    "Loop for x in [1, 2].",
    "f([1, 2]) gives 3.",
    "The call returns [1, 2].",
    "Take x = [2] here.",
    "The value of my_list[2] is 7.",
    "Then x[1] follows.",
    "Pages [100-900] are lost.",
    "Down from [5-3].",
    "Use `rows[1]` here.",
    "Use ``rows[1]`` here.",
    "The sum $a_{[1]} + b$ is known.",
    "The sum \\(a[1]\\) is known.",
    "The sum \\[ a[1] + [2] \\] is known.",
    "The sum $$ [1] $$ is known.",
    "Escaped \\[1\\] brackets.",
    "The area is 5 m² or 3 km².",
    "Here x² + y³ is 10⁶.",
    "So E = mc² holds.",
    "Write 2<sup>31</sup> for it.",
    "Write m<sup>2</sup> for it.",
    "The isotope ¹⁴C decays.",
    "The prompt 【1st prompt】 is next.",
    "See ![1](https://bees.example/a.png) there.",
    "Point (1) and point (2, 3).",
    "Footnote [*] and [a] and [i].",
    "It cites (Smith et al., 2020) twice.",
    "Reported (Source: Reuters).",
    "Marker [1 never closes.",
    "A note [citation needed].",
]


@pytest.mark.parametrize("answer", NOT_CITATIONS)
def test_what_only_looks_like_a_citation_stays_in_the_text(answer: str) -> None:
    parsed = parse(answer)
    assert parsed.sources == ()
    assert " ".join(s.text for s in parsed.sentences) == answer


@pytest.mark.parametrize(
    "block",
    ["```\nx = rows[1]\n```", "~~~ python\nx = [1]\n~~~", "    x = f([1])\n    y = x[2];"],
)
def test_a_code_block_holds_neither_sentences_nor_markers(block: str) -> None:
    assert read(f"Bees dance [3].\n\n{block}\n\nAnts walk.") == [
        ((3,), "Bees dance."),
        ((), "Ants walk."),
    ]


def test_a_code_fence_that_never_closes_runs_to_the_end() -> None:
    assert read("Bees dance [3].\n```\nx = [1]\n\ny [2].") == [((3,), "Bees dance.")]


def test_prices_are_no_formula() -> None:
    assert read("It costs $5 [1] or $7 [2].") == [((1, 2), "It costs $5 or $7.")]


def test_a_year_is_a_citation_only_where_a_source_has_that_number() -> None:
    assert read("It rained [2024].", [1, 2024]) == [((2024,), "It rained.")]
    assert read("It rained [2024].", [1]) == [((), "It rained [2024].")]


def test_an_array_of_listed_numbers_after_the_word_values_is_a_citation() -> None:
    assert read("They share few values [1, 4].") == [((1, 4), "They share few values.")]
    assert read("They are the values: [1, 4].") == [((), "They are the values: [1, 4].")]


def test_zero_is_a_source_only_where_the_case_lists_it() -> None:
    assert read("Bees dance [0]. Ants walk [1].") == [((), "Bees dance."), ((1,), "Ants walk.")]
    assert read("Bees dance [0]. Ants walk [1].", [0, 1]) == [
        ((0,), "Bees dance."),
        ((1,), "Ants walk."),
    ]
    assert [p.code for p in parse("Bees dance [0] [1].").problems] == ["zero_marker"]


def test_duplicates_count_once_and_sources_are_sorted() -> None:
    assert read("Bees dance [3][1][1], and again [3].") == [((1, 3), "Bees dance, and again.")]


def test_an_unknown_source_is_taken_out_of_the_text_but_never_credited() -> None:
    parsed = parse("Bees dance [2, 9]. Ants walk [9].", sources=[1, 2])
    assert [(s.sources, s.text) for s in parsed.sentences] == [
        ((2,), "Bees dance."),
        ((), "Ants walk."),
    ]
    assert parsed.sources == (1, 2)
    assert [(p.code, p.start, p.end) for p in parsed.problems] == [
        ("unknown_source", 11, 17),
        ("unknown_source", 29, 32),
        ("uncited_source", 33, 33),
    ]


def test_two_raised_figures_are_one_number_only_where_that_source_exists() -> None:
    assert read("Bees¹ dance² well. Ants walk.¹²") == [
        ((1, 2), "Bees dance well."),
        ((1, 2), "Ants walk."),
    ]
    assert read("Ants walk.¹²", [1, 2, 12]) == [((12,), "Ants walk.")]


def test_with_brackets_around_raised_figures_are_exponents() -> None:
    assert read("Bees dance.² Ants walk [1].") == [((), "Bees dance.²"), ((1,), "Ants walk.")]


def test_a_model_that_cites_its_memory_cites_no_source() -> None:
    parsed = parse("Bees dance [LLM MEMORY | 2024]. Ants walk [1].")
    assert [(s.sources, s.text) for s in parsed.sentences] == [
        ((), "Bees dance."),
        ((1,), "Ants walk."),
    ]
    assert [p.code for p in parsed.problems] == ["model_memory"]


def test_citations_in_words_count_where_the_case_lists_the_source() -> None:
    answer = "According to Source 2, bees dance. Passage ID 1 agrees. Source 9 does not."
    texts = ["According to Source 2, bees dance.", "Passage ID 1 agrees.", "Source 9 does not."]
    assert read(answer, [1, 2]) == list(zip([(2,), (1,), ()], texts, strict=True))
    assert [sources for sources, _ in read(answer)] == [(), (), ()]
