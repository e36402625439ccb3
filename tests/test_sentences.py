"""Where sentences begin and end: in English, in other scripts, and in odd text."""

from __future__ import annotations

import pytest

from citemark import parse


def texts(answer: str) -> list[str]:
    return [s.text for s in parse(answer).sentences]


def join(answer: str) -> str:
    """The sentences with a bar between them, which is short to write down."""
    return " | ".join(texts(answer))


ENGLISH = [
    "Dr. Ito met Mr. J. K. Lee at 5 p.m. on Jan. 5. | It rained.",
    "It rose by 3.5 percent, e.g. in Fig. 2. | Then it fell.",
    "He works for Acme Inc. | The firm is large.",
    "He works for Acme Inc. in Ohio. | It is near.",
    "The U.S. Congress met. | It is in Washington, D.C. | The city is old.",
    "See No. 5 for more. | The answer is no. | I think so.",
    "See Vol. III and Fig. S1 there. | Then stop.",
    "Homer (c. 800 BC) sang. | He was blind.",
    "J. C. Penney opened it. | J.R.R. Tolkien did not.",
    "Smith et al. found it. | Others did not.",
    "Take vitamin C. | It helps. | Plan B. | There is none.",
    "Bees, ants, etc. | Spiders are no insects.",
    "Bees, ants, etc. are insects. | Fruit etc. (Smith) is food.",
    "It is 5 ft. 3 in. tall. | It came from St. Louis.",
    "Version 2.0 is out. | Node.js is fast. | Visit example.com. | Now.",
    "It costs $3.50. | That is cheap.",
    "What is it? | A thing! | Really?! | Yes... | And so on.",
    '"Is it?" he asked. | "Yes." | She left.',
    "He said “No.” | Then he left.",
    "(It is so.) | It stays so.",
    "It grew 5% vs. 3% before. | Good.",
    "The rate was 3.14. | 5 of them left.",
]


@pytest.mark.parametrize("marked", ENGLISH)
def test_english_abbreviations_decimals_initials_and_quotes(marked: str) -> None:
    assert join(marked.replace(" | ", " ")) == marked


LANGUAGES = [
    ("这是第一句。|这是第二句！|第三句？", "Chinese"),
    ("他说：“好。”|然后走了。", "Chinese with quotes"),
    ("これは文です。|次の文です。", "Japanese"),
    ("「はい。」と言った。|それで終わり。", "Japanese: the speech is part of the sentence"),
    ("한국어 문장입니다. |다음 문장이다. |끝.", "Korean"),
    ("هذه جملة. |هل هذا سؤال؟ |نعم، هو كذلك.", "Arabic"),
    ("یہ جملہ ہے۔ |یہ دوسرا ہے۔", "Urdu"),
    ("यह वाक्य है। |यह दूसरा है।", "Hindi"),
    ("El Sr. García vive aquí. |¿Quién es? |¡Hola!", "Spanish"),
    ("Das ist z.B. ein Satz. |Am 3. Oktober war es. |Nr. 5 ist da.", "German"),
    ("M. Dupont est là. |C'est vrai, p. ex. ici. |Oui !", "French"),
    ("Это предложение. |См. рис. 5. |Он ушёл.", "Russian"),
]


@pytest.mark.parametrize(("marked", "language"), LANGUAGES)
def test_other_languages(marked: str, language: str) -> None:
    expected = [text.strip() for text in marked.split("|")]
    assert texts(marked.replace("|", "")) == expected, language


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("第一句。[1]第二句[2]。", [((1,), "第一句。"), ((2,), "第二句。")]),
        ("第一句[1]。第二句。[2]", [((1,), "第一句。"), ((2,), "第二句。")]),
        ("主张（来源：[1]）。其他（[2]）。", [((1,), "主张。"), ((2,), "其他。")]),
        (
            "文です。[1]「はい。」[2]次です。",
            [((1,), "文です。"), ((2,), "「はい。」"), ((), "次です。")],
        ),
        ("문장입니다. [1] 다음이다[2].", [((1,), "문장입니다."), ((2,), "다음이다.")]),
        ("هذه جملة. [1] هل هذا؟ [2]", [((1,), "هذه جملة."), ((2,), "هل هذا؟")]),
        ("यह वाक्य है। [1] यह दूसरा है[2]।", [((1,), "यह वाक्य है।"), ((2,), "यह दूसरा है।")]),
        ("Das ist so.[1] Ja, z.B. hier [2].", [((1,), "Das ist so."), ((2,), "Ja, z.B. hier.")]),
        ("Это так. [1] Он ушёл [2].", [((1,), "Это так."), ((2,), "Он ушёл.")]),
    ],
)
def test_markers_in_other_scripts(answer: str, expected: list[tuple[tuple[int, ...], str]]) -> None:
    assert [(s.sources, s.text) for s in parse(answer).sentences] == expected


def test_what_is_counted_as_a_word_in_each_script() -> None:
    words = {s.text: s.words for s in parse("AI算法很快。\n\nهذه جملة.\n\nA -- b (c).").sentences}
    assert words == {"AI算法很快。": 5, "هذه جملة.": 2, "A -- b (c).": 3}


LAYOUT = [
    ("# Title\nText here.", [("heading", "Title"), ("sentence", "Text here.")]),
    ("## Title ##\n\nText.", [("heading", "Title"), ("sentence", "Text.")]),
    ("Title\n=====\nText.", [("heading", "Title"), ("sentence", "Text.")]),
    ("Key facts\n---\nText.", [("heading", "Key facts"), ("sentence", "Text.")]),
    ("Text.\n---\nMore.", [("sentence", "Text."), ("sentence", "More.")]),
    ("**Title**\nText.", [("heading", "**Title**"), ("sentence", "Text.")]),
    ("Key Facts\nText here.", [("heading", "Key Facts"), ("sentence", "Text here.")]),
    ("What bees eat\n- Pollen\n- Nectar",
     [("heading", "What bees eat"), ("item", "Pollen"), ("item", "Nectar")]),
    ("The foods are\n- Pollen", [("sentence", "The foods are"), ("item", "Pollen")]),
    ("Foods:\n* Pollen\n* Nectar",
     [("sentence", "Foods:"), ("item", "Pollen"), ("item", "Nectar")]),
    ("1. Pollen\n2) Nectar\n(3) Honey",
     [("item", "Pollen"), ("item", "Nectar"), ("item", "Honey")]),
    ("• Pollen\n– Nectar", [("item", "Pollen"), ("item", "Nectar")]),
    ("- One. Two.\n- Three", [("item", "One."), ("item", "Two."), ("item", "Three")]),
    ("- A long item\n  that wraps.\n- B", [("item", "A long item\n  that wraps."), ("item", "B")]),
    ("> Quoted text.\n> More.", [("sentence", "Quoted text."), ("sentence", "More.")]),
    ("| A | B |\n|---|:-:|\n| c | d |", [("row", "A | B"), ("row", "c | d")]),
    ("A | B\n--- | ---\nc | d", [("row", "A | B"), ("row", "c | d")]),
    ("a line that is\nwrapped here.", [("sentence", "a line that is\nwrapped here.")]),
    ("One<br>Two<br/>Three.", [("heading", "One"), ("sentence", "Two"), ("sentence", "Three.")]),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "expected"), LAYOUT)
def test_headings_items_rows_and_quotes(answer: str, expected: list[tuple[str, str]]) -> None:
    assert [(s.kind, s.text) for s in parse(answer).sentences] == expected


FLATTENED = [
    (
        "Foods include: - Pollen [1] - Nectar [2] - Honey",
        [("sentence", (), "Foods include:"), ("item", (1,), "Pollen"), ("item", (2,), "Nectar"),
         ("item", (), "Honey")],
    ),
    (
        "Steps: 1. Go out [1]. 2. Come back [2].",
        [("sentence", (), "Steps:"), ("item", (1,), "Go out."), ("item", (2,), "Come back.")],
    ),
    (
        "Steps: 1[2]. Go out. 2[3]. Come back.",
        [("sentence", (), "Steps:"), ("item", (2,), "Go out."), ("item", (3,), "Come back.")],
    ),
    (
        "1[2]. Go out [4].\n2[3]. Come back.",
        [("item", (2,), "1."), ("item", (4,), "Go out."), ("item", (3,), "Come back.")],
    ),
    (
        "Bees dance [1]. ## The Hive in Winter [2] The hive is warm all year [3].",
        [("sentence", (1,), "Bees dance."), ("heading", (2,), "The Hive in Winter"),
         ("sentence", (3,), "The hive is warm all year.")],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "expected"), FLATTENED)
def test_lists_and_headings_that_lost_their_line_breaks(
    answer: str, expected: list[tuple[str, tuple[int, ...], str]]
) -> None:
    assert [(s.kind, s.sources, s.text) for s in parse(answer).sentences] == expected


def test_paragraphs_are_numbered_without_gaps() -> None:
    answer = "One. Two.\n\n```\ncode\n```\n\n# Head\n\nThree.\n\n- a\n\n- b"
    assert [(s.paragraph, s.text) for s in parse(answer).sentences] == [
        (0, "One."), (0, "Two."), (1, "Head"), (2, "Three."), (3, "a"), (3, "b"),
    ]  # fmt: skip


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_every_kind_of_line_break(newline: str) -> None:
    answer = f"Bees dance [1].{newline}{newline}- Ants [2]{newline}- Wasps"
    parsed = [(s.kind, s.sources, s.text, s.paragraph) for s in parse(answer).sentences]
    assert parsed == [
        ("sentence", (1,), "Bees dance.", 0),
        ("item", (2,), "Ants", 1),
        ("item", (), "Wasps", 1),
    ]


ODD = [
    ("\ufeffBees dance [1].", "\ufeffBees dance."),
    ("Bees\x00 dance [1].", "Bees\x00 dance."),
    ("Bees\x07 dance\x7f [1].", "Bees\x07 dance\x7f."),
    ("\x01Bees \x02dance [1].", "\x01Bees \x02dance."),
    ("🐝 dance 👩‍👩‍👧 [1].", "🐝 dance 👩‍👩‍👧."),
    ("Cafe\u0301 bees [1].", "Cafe\u0301 bees."),
    ("\u202bנחלים\u202c [1].", "\u202bנחלים\u202c."),
    ("Bees \ud800 dance [1].", "Bees \ud800 dance."),
]


@pytest.mark.parametrize(("answer", "text"), ODD)
def test_odd_characters_stay_in_the_text_and_offsets_stay_right(answer: str, text: str) -> None:
    (sentence,) = parse(answer).sentences
    assert (sentence.sources, sentence.text) == ((1,), text)
    assert answer[sentence.start : sentence.end] == answer


def test_control_characters_are_reported_once() -> None:
    problems = parse("Bees\x00 dance\x07 [1].").problems
    assert [(p.code, p.start, p.end) for p in problems] == [("control_characters", 4, 5)]


def test_offsets_point_into_the_answer_whatever_was_stripped() -> None:
    answer = "\r\n  - **Bees** dance. [1]  \r\n\r\n> Ants [2] walk.\r\n"
    spans = [answer[s.start : s.end] for s in parse(answer).sentences]
    assert spans == ["**Bees** dance. [1]", "Ants [2] walk."]


@pytest.mark.parametrize(
    "answer", ["", " \n\t", "...", "---", "[1]", "```\ncode\n```", "|---|", "\ufeff"]
)
def test_an_answer_without_words_has_no_sentences(answer: str) -> None:
    assert parse(answer).sentences == ()
