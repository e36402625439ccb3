"""The embedded judge on odd input: scored, never a crash, in any language."""

from __future__ import annotations

import os
import random

import pytest

from citemark.citations import parse_answer
from citemark.judges.embedded import EmbeddedJudge
from citemark.judges.embedded.fast import FastJudge
from citemark.judges.embedded.judgments import Tier
from test_embedded_judge import QUERY, RUBRICS, assert_sound, expected, judged

SOAK = bool(os.environ.get("CITEMARK_SOAK"))
ODD = [
    "[1]",
    "[1][2][1]",
    "Yes [1]",
    "???[1]!!!",
    "1889 [1].",
    "the of and [1]. [2]",
    "😀😀 [1] \u200b\u200b [2]",
    "\ud800 [1].",
    "The sky \ud83d is blue in the north [1]. It rains \udc00 in the south [2].",
    "| a | b |\n|---|---|\n| x [1] | y [2] |",
    "$$x^2$$ [1]. `code` [2].",
    "<b></b> [1] <" + "a" * 500 + " [2]",
    "A" * 5000 + " [1]",
    ", ; : - " * 200 + "[1]",
]


@pytest.mark.parametrize("answer", ODD)
@pytest.mark.parametrize("query", [QUERY, "?", "the", "  ", "蓝色"])
def test_odd_input_is_scored(answer: str, query: str) -> None:
    parsed = parse_answer(answer)
    for source in (1, 2, 99):
        assert_sound(parsed, source, judged(answer, source, query))


LANGUAGES = {
    "German": (
        "Warum ist der Himmel blau?",
        "Luft streut blaues Licht zehnmal stärker als rotes [1]. Abends wird der Weg länger [1].",
    ),
    "Chinese": (
        "天空为什么是蓝色的？",
        "空气散射蓝光比红光强约十倍 [1]。傍晚光线穿过更厚的大气 [1]。",
    ),
    "Japanese": (
        "空はなぜ青い？",
        "空気は青い光を赤い光より強く散乱する [1]。夕方は光の道のりが長い [1]。",
    ),
    "Thai": (
        "ทำไมท้องฟ้าเป็นสีฟ้า",
        "อากาศกระเจิงแสงสีน้ำเงินมากกว่าสีแดง [1] ตอนเย็นแสงเดินทางไกล [1]",
    ),
    "Arabic": (
        "لماذا السماء زرقاء؟",
        "يشتت الهواء الضوء الأزرق أكثر من الأحمر [1]. في المساء الطريق أطول [1].",
    ),
    "Russian": (
        "Почему небо голубое?",
        "Воздух рассеивает синий свет сильнее красного [1]. Вечером путь длиннее [1].",
    ),
    "Korean": (
        "하늘은 왜 파란가요?",
        "공기는 붉은빛보다 푸른빛을 더 많이 산란시킨다 [1]. 저녁에는 길이 더 길다 [1].",
    ),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_other_languages_are_scored(language: str) -> None:
    query, answer = LANGUAGES[language]
    scores = judged(answer, 1, query)
    assert_sound(parse_answer(answer), 1, scores)
    assert expected(scores, "relevance") > 5
    more = judged(answer + " " + answer.replace("[1]", "[2]"), 1, query)
    assert expected(more, "uniqueness") < expected(scores, "uniqueness")


@pytest.mark.parametrize("judge", [EmbeddedJudge, FastJudge])
def test_a_huge_answer_with_many_sources_is_scored(judge: type[Tier]) -> None:
    chance = random.Random(5)
    stems = ["".join(chance.choices("abcdefghiklmnoprstu", k=6)) for _ in range(3000)]
    sentences = [
        f"The {' '.join(chance.choices(stems, k=12))} is {i} [{chance.randint(1, 500)}]."
        for i in range(10_000 if SOAK else 3_000)
    ]
    parsed = parse_answer(" ".join(sentences))
    outcomes = list(judge().judge_case(parsed, QUERY, parsed.sources, RUBRICS))
    assert len(outcomes) == 5 * len(parsed.sources)
    for _, _, judgment in outcomes:
        assert judgment.status == "scored"
        assert judgment.expected is not None
        assert 1 <= judgment.expected <= 20
