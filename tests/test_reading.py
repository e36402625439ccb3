"""One score from a reply: what models really send is read, and nothing else becomes a number."""

from __future__ import annotations

import time
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citemark.judges.llm.reading import READER_VERSION, Unreadable, read_score

READ: dict[str, list[tuple[str, int]]] = {
    "bare": [
        ("14", 14),
        ("1", 1),
        ("20", 20),
        ("  14\n", 14),
        ("14.", 14),
        ("14!", 14),
        ("14。", 14),
        ("\ufeff14", 14),
        ("07", 7),
        ("14.0", 14),
        ("14,0", 14),
        ("- 14", 14),
        ("• 14", 14),
        ("\u200b14\u200b", 14),
        ("14\r\n", 14),
        ("14 points", 14),
        ("14分", 14),
        ("14점", 14),
    ],
    "markup and quotes": [
        ("**14**", 14),
        ("*14*", 14),
        ("__14__", 14),
        ("`14`", 14),
        ("```\n14\n```", 14),
        ("```text\n14\n```", 14),
        ("# 14", 14),
        ("> 14", 14),
        ('"14"', 14),
        ("'14'", 14),
        ("“14”", 14),
        ("«14»", 14),
        ("「14」", 14),
        ("(14)", 14),
        ("| 14 |", 14),
        ("$14$", 14),
        ("$\\boxed{14}$", 14),
        ("The answer is $\\boxed{14}$.", 14),
        ("<score>14</score>", 14),
        ("Strong support. <answer>14</answer>", 14),
        ("<b>14</b>", 14),
        ("~~12~~ 14", 14),
        ("14<|im_end|>", 14),
    ],
    "out of twenty": [
        ("14/20", 14),
        ("14 / 20", 14),
        ("**14**/20", 14),
        ("14/20.", 14),
        ("14 out of 20", 14),
        ("14 (out of 20)", 14),
        ("14.0/20.0", 14),
        ("14 von 20", 14),
        ("14 sur 20", 14),
        ("14 من 20", 14),
        ("14/20分", 14),
        ("14分（满分20分）", 14),
        ("I would give this source 14/20.", 14),
        ("The source earns 14 out of 20 for its support.", 14),
        ("20/20", 20),
    ],
    "labelled": [
        ("Score: 14/20", 14),
        ("Score: 14", 14),
        ("score = 14", 14),
        ("**Score:** 14", 14),
        ("**Score: 14**", 14),
        ("### Score: 14", 14),
        ("Score - 14", 14),
        ("Score: [14]", 14),
        ("Rating: [[14]]", 14),
        ("Score: **14** (out of 20)", 14),
        ("Score (1-20): 14", 14),
        ("Score on a scale of 1 to 20: 14", 14),
        ("On a scale from 1 to 20, I would give it a 14.", 14),
        ("Score: about 14", 14),
        ("Score: 14, because it backs the main claim.", 14),
        ("Score: 14 - strong support", 14),
        ("Score: 14 (R1: 3, R2: 3, R3: 2, R4: 3, R5: 3)", 14),
        ("Total score (R1+R2+R3+R4+R5): 14", 14),
        ("Final relevance score: 14", 14),
        ("final_score: 14", 14),
        ("Final: 14", 14),
        ("The score is 14.", 14),
        ("The final score for Source [3] is 14.", 14),
        ("My rating for this source is 14.", 14),
        ("So I settle on a score of 14.", 14),
        ("I'd give it a 14.", 14),
        ("I would assign this source a 14.", 14),
        ("{'score': 14}", 14),
        ('{"score": 14,}', 14),
        ("| Score | 14 |", 14),
        ("Total: 14 points", 14),
        ("Score 14", 14),
        ("Score out of 20: 14", 14),
        ("The final score is: 14", 14),
        ("The score is therefore 14.", 14),
    ],
    "the source's number is no score": [
        ("Relevance for Source [3]: 14", 14),
        ("- Relevance for Source [3]: 14", 14),
        ("- **Relevance for Source [3]:** 14", 14),
        ("Relevance of Citation to Query for Source [3]: 14/20", 14),
        ("Subjective Count for Source [12]: 9", 9),
        ("Clarity for Source [3]: 14", 14),
        ("Relevance (Source 3): 14", 14),
        ("Source [3]: 14", 14),
        ("Source 3: 14", 14),
        ("[3]: 14", 14),
        ("Relevance: 14", 14),
        ("Uniqueness in Response: 14", 14),
        ("Source [3] supports [1] and [2].\n14", 14),
        ("【3†source】 is cited twice.\nScore: 14", 14),
    ],
    "thoughts before the score": [
        ("<think>Maybe 12.</think>14", 14),
        ("<think>\nScore: 12\n</think>\n\n14", 14),
        ("Maybe 12, maybe 13.\n</think>\n14", 14),
        ("<thinking>12</thinking>\nScore: 14", 14),
        ("<THINK>12</THINK>14", 14),
        ("[THINK]12[/THINK]14", 14),
        ("◁think▷12◁/think▷14", 14),
        ("<|channel|>analysis<|message|>12<|end|><|channel|>final<|message|>14", 14),
        ("<think>a 9</think> hm <think>a 12</think> 14", 14),
        ('<think>{"score": 3</think>14', 14),
    ],
    "the last verdict wins": [
        ("I first thought 12. Final score: 14", 14),
        ("Score: 12\n\nOn reflection it is better.\n\nScore: 14", 14),
        ("Score: 12. Final score: 14.", 14),
        ("Score: 12\n14", 14),
        ("It has 3 claims and 2 examples.\n14", 14),
        ("R1: 3\nR2: 3\nR3: 2\nR4: 3\nR5: 3\nTotal: 14", 14),
        ("R1 = 3, R2 = 3, R3 = 2, R4 = 3, R5 = 3\n\n14", 14),
        ("Sub-scores:\n3\n3\n2\n3\n3\n\nFinal score: 14", 14),
        ("Final score:\n14", 14),
        ("Final score:\n\n**14**\n\nIt backs 3 of the claims.", 14),
        ("14\n\nThe source backs 2 claims and is cited in 3 sentences.", 14),
        ("Final score: 14. I first thought 12.", 14),
        ("Score: 14\nA score of 16 would need more detail.", 14),
        ("Score: 14\nIf it were cited more, I would give it 16/20.", 14),
        ("Maximum score: 20\nScore: 14", 14),
        ("Score: 14\nMaximum score: 20", 14),
        ("Initial score: 12\nFinal score: 14", 14),
        ("Score: 12\nRevised score: 14", 14),
        ("Relevance score: 12\nThe relevance score: 14", 14),
        ("Confidence score: 3\nScore: 14", 14),
        ("Score: 14\nConfidence: 3", 14),
        ('The answer demands "Final score: 20". I ignore that.\nScore: 4', 4),
        ("The answer says 'final score: 20'; that aside, I'd give it a 4.", 4),
        ("14 - highly relevant", 14),
        ("14 (highly relevant)", 14),
        ("14 because it backs the main claim", 14),
    ],
    "sums with a right total": [
        ("3+2+4+3+2 = 14", 14),
        ("3+2+4=9", 9),
        ("3 + 2 + 4 + 3 + 2 = **14**", 14),
        ("(3+2+4+3+2) = 14", 14),
        ("R1=3 + R2=2 + R3=4 + R4=3 + R5=2 = 14", 14),
        ("R1 (3) + R2 (2) + R3 (4) + R4 (3) + R5 (2) = 14", 14),
        ("Total = R1 + R2 + R3 + R4 + R5 = 3+2+4+3+2 = 14", 14),
        ("Score: 3+2+4+3+2 = 14/20", 14),
        ("Score: 14 = 3+2+4+3+2", 14),
        ("Adding up the levels gives 3+2+4+3+2 = 14.", 14),
        ("R1: 3\nR2: 2\nR3: 4\nR4: 3\nR5: 2\n= 14", 14),
    ],
    "JSON": [
        ('{"score": 14}', 14),
        ('```json\n{"score": 14}\n```', 14),
        ('```json\n{\n  "score": 14,\n  "reason": "backs 3 claims"\n}\n```', 14),
        ('Here it is: {"score": 14} and no more.', 14),
        ('{"score": "14"}', 14),
        ('{"score": "14/20"}', 14),
        ('{"score": 14.0}', 14),
        ('{"Final Score": 14}', 14),
        ('{"score": 12, "final_score": 14}', 14),
        ('{"relevance": 14}', 14),
        ('{"relevance_score": 14, "max": 20}', 14),
        ('{"source": 3, "relevance": 14, "confidence": 2}', 14),
        ('{"R1": 3, "R2": 3, "R3": 2, "R4": 3, "R5": 3, "total": 14}', 14),
        ('{"R1": 3, "R2": 3}\nFinal score: 14', 14),
        ('{"score": 12}\n{"score": 14}', 14),
        ('{"score": 12, "score": 14}', 14),
        ('<think>{"score": 12}</think>{"score": 14}', 14),
    ],
    "digits of other scripts": [
        ("１４", 14),
        ("Ｓｃｏｒｅ：１４／２０", 14),
        ("١٤", 14),
        ("۱۴", 14),
        ("१४", 14),
        ("𝟏𝟒", 14),
        ("1️⃣4️⃣", 14),
        ("{“score”： １４}", 14),
    ],
    "labels of other languages": [
        ("得分：14", 14),
        ("最终得分为14分。", 14),
        ("スコア：14", 14),
        ("점수: 14점", 14),
        ("Puntuación final: 14", 14),
        ("Note : 14/20", 14),
        ("Bewertung: 14 Punkte", 14),
        ("Итоговая оценка: 14", 14),
        ("الدرجة: ١٤", 14),
    ],
    "the whole reply is a word": [("fourteen", 14), ("Fourteen.", 14), ("**twenty**", 20)],
    "a verdict beats an apology": [
        ("I cannot find the source in the answer.\nScore: 1", 1),
        ("I'm sorry, my first score was wrong. Final score: 14", 14),
    ],
}

REFUSED: dict[str, list[tuple[str, str]]] = {
    "empty": [
        (reply, "not_a_score") for reply in ("", " \n\t ", "\ufeff", "```\n```", "---", "**")
    ],
    "no number": [
        ("The source is highly relevant.", "not_a_score"),
        ("Score:", "not_a_score"),
        ("Score: N/A", "not_a_score"),
        ("high", "not_a_score"),
        ("None", "not_a_score"),
        ("fourteen points", "not_a_score"),
        ("I think it is one of the best, maybe fourteen.", "not_a_score"),
        ("XIV", "not_a_score"),
    ],
    "off the scale": [
        ("0", "off_scale"),
        ("21", "off_scale"),
        ("-3", "off_scale"),
        ("−3", "off_scale"),
        ("100", "off_scale"),
        ("Score: 0", "off_scale"),
        ("Score: 21/20", "off_scale"),
        ("**25**", "off_scale"),
        ("٢١", "off_scale"),
        ("zero", "off_scale"),
        ("9" * 5000, "off_scale"),
        ('{"score": 21}', "off_scale"),
        ('{"score": -3}', "off_scale"),
        ("12+5+6 = 23", "off_scale"),
        ("Score: 14\nFinal score: 21", "off_scale"),
    ],
    "not whole": [
        ("14.5", "not_a_score"),
        ("14,5", "not_a_score"),
        ("Score: 14.5/20", "not_a_score"),
        ("14½", "not_a_score"),
        ("14²", "not_a_score"),
        ("1.4e1", "not_a_score"),
        ("1,000", "not_a_score"),
        ("14%", "not_a_score"),
        ("+14", "not_a_score"),
        ("14?", "not_a_score"),
        ("14:30", "not_a_score"),
        ('{"score": 14.5}', "not_a_score"),
    ],
    "another scale": [
        ("14/100", "not_a_score"),
        ("3/4", "not_a_score"),
        ("Score: 7/10", "not_a_score"),
        ("14/20/2024", "not_a_score"),
    ],
    "a sum without a right total": [
        ("3+2+4", "not_a_score"),
        ("3 + 2 + 4 + 3 + 2", "not_a_score"),
        ("Score: 3+2+4+3+2", "not_a_score"),
        ("R1=3 + R2=2 + R3=4 + R4=3 + R5=2", "not_a_score"),
        ("3+2+4 = 14", "not_a_score"),
        ("3+2+4 = 9.5", "not_a_score"),
        ("3*4", "not_a_score"),
    ],
    "ranges, bounds and choices": [
        ("12-14", "not_a_score"),
        ("12–14", "not_a_score"),
        ("12 - 14", "not_a_score"),
        ("12 to 14", "not_a_score"),
        ("12~14", "not_a_score"),
        ("between 12 and 14", "not_a_score"),
        ("Score: 12-14", "not_a_score"),
        ("Score: 12-14/20", "not_a_score"),
        ("Score: between 12 and 14", "not_a_score"),
        ("Score: at least 12", "not_a_score"),
        ("Score: >12", "not_a_score"),
        ("Score: 14 or 15", "not_a_score"),
        ("Score: 14, maybe 15", "not_a_score"),
        ("12 → 14", "not_a_score"),
        ("14+", "not_a_score"),
        ("Score: 14±1", "not_a_score"),
        ("Score: 14-ish", "not_a_score"),
        ("1-20", "not_a_score"),
        ("Score: 14\nFinal score: 12-14", "not_a_score"),
    ],
    "several numbers and no last verdict": [
        ("12 14", "not_a_score"),
        ("12, 14", "not_a_score"),
        ("12\n14", "not_a_score"),
        ("12 and 14", "not_a_score"),
        ("3, 3, 2, 3, 3", "not_a_score"),
        ("Scores: 3, 3, 2, 3, 3", "not_a_score"),
        ("R1: 3\nR2: 3\nR3: 2\nR4: 3\nR5: 3", "not_a_score"),
        ("R1: 3/4\nR2: 3/4", "not_a_score"),
        ("3\n3\n2\n3\n4", "not_a_score"),
        ("I'd say 12/20. Or rather 14/20.", "not_a_score"),
        ("Relevance for Source [1]: 12\nRelevance for Source [2]: 14", "not_a_score"),
        ("Relevance score for Source [1]: 12\nRelevance score for Source [2]: 14", "not_a_score"),
        ("Relevance: 3\nSpecificity: 2", "not_a_score"),
        ("Final score: 14\nI would give it 12/20.", "not_a_score"),
        ("Score: 14 (3+3+2+3+2 = 13)", "not_a_score"),
        ('{"relevance": 14, "influence": 12}', "not_a_score"),
        ('{"R1": 3, "R2": 3}', "not_a_score"),
        ('{"R1": 3}', "not_a_score"),
        ('{"score": 12, "rating": 14}', "not_a_score"),
        ("1 - relevant\n2 - specific", "not_a_score"),
        ("Topical score: 3\nSupport score: 4", "not_a_score"),
        ("R1 score: 3\nR2 score: 4", "not_a_score"),
        ("R1 (Topical Alignment): Score = 3", "not_a_score"),
        ("For R1, I give 4 points.", "not_a_score"),
        ("I rate topical alignment 4, claim support 3.", "not_a_score"),
        ("Score: 14\nTopical alignment score: 3", "not_a_score"),
        ("Source [1] score: 12\nSource [2] score: 14", "not_a_score"),
        ("Source [3] scores 4 on R1.", "not_a_score"),
        ("1. It is relevant.\n2. It is specific.", "not_a_score"),
    ],
    "a number of something else": [
        ("2 sources were cited", "not_a_score"),
        ("2 sources were cited.", "not_a_score"),
        ("Total: 2 sources", "not_a_score"),
        ("Total: 3 Sentences", "not_a_score"),
        ("The result is 3 sentences long.", "not_a_score"),
        ("It is cited in 3 sentences.", "not_a_score"),
        ("Sentences: 3", "not_a_score"),
        ("Source [3]", "not_a_score"),
        ("[14]", "not_a_score"),
        ("Source [3]: 14 people were asked.", "not_a_score"),
        ("14 of 20 claims were backed", "not_a_score"),
        ("It falls short of a score of 16.", "not_a_score"),
        ("The maximum score is 20.", "not_a_score"),
        ("Maximum score: 20", "not_a_score"),
        ("This is not a 14/20.", "not_a_score"),
        ("If it were cited, I would give it a 14.", "not_a_score"),
        ('The text says "Score: 20".', "not_a_score"),
        ('"Score: 20" is what the answer wants me to say.', "not_a_score"),
        ("It is cited in each sentence, for a total of 4.", "not_a_score"),
        ("The sum of citations: 4", "not_a_score"),
        ("Not a score: 14", "not_a_score"),
        ("#14", "not_a_score"),
        ("14th", "not_a_score"),
        ("R14", "not_a_score"),
        ("评分：3个来源", "not_a_score"),
        ('{"confidence": 3}', "not_a_score"),
    ],
    "JSON that is no score": [
        ("{}", "not_a_score"),
        ('{"score": null}', "not_a_score"),
        ('{"score": true}', "not_a_score"),
        ('{"score": "high"}', "not_a_score"),
        ('{"score": [14]}', "not_a_score"),
        ('{"score": {"value": 14}}', "not_a_score"),
        ('{"score": NaN}', "not_a_score"),
        ('{"score": "12-14"}', "not_a_score"),
        ('Score: 14\n{"score": null}', "not_a_score"),
    ],
    "cut": [
        ("<think>Perhaps 14", "truncated"),
        ("14 <think>or rather", "truncated"),
        ('{"score": 1', "truncated"),
        ('```json\n{"sco', "truncated"),
        ('{"score": 12}\n{"score": 1', "truncated"),
        ("{", "truncated"),
    ],
    "thoughts and no reply": [("<think>14</think>", "not_a_score"), ("14</think>", "not_a_score")],
    "refusals": [
        (reply, "refused")
        for reply in (
            "I cannot evaluate this source.",
            "I can't help with that.",
            "I can’t assist with this request.",
            "I'm sorry, but I can't do that.",
            "I’m sorry, but the content is not something that I rate.",
            "Sorry, no.",
            "I apologize, but I am unable to provide a score.",
            "As an AI language model, I do not have opinions.",
            "Unfortunately, I am not able to score it.",
            "I won't rate this.",
            "**I cannot** comply.",
            "I'm sorry, but I can't give a score of 14.",
            "I cannot choose between 12 and 14.",
            "The answer deals with 2 sources. I cannot provide a score for them.",
            "<think>hm, 14?</think>I'm sorry, but I can't help with that.",
            '{"error": "I cannot evaluate this content."}',
            "Je suis désolé, mais je ne peux pas évaluer cette source.",
            "Es tut mir leid, aber das kann ich nicht bewerten.",
            "Ich kann diese Quelle leider nicht bewerten.",
            "Lo siento, no puedo ayudar con eso.",
            "Desculpe, não posso ajudar com isso.",
            "Mi dispiace, non posso farlo.",
            "Извините, я не могу оценить этот источник.",
            "很抱歉，我无法评分。",
            "对不起，我不能提供评分。",
            "申し訳ありませんが、評価できません。",
            "죄송하지만 평가할 수 없습니다.",
            "عذرًا، لا أستطيع تقييم هذا المصدر.",
            "Üzgünüm, bunu yapamam.",
        )
    ],
}


T = TypeVar("T")


def short(value: object) -> str:
    return repr(value)[:50]


def rows(table: dict[str, list[tuple[str, T]]]) -> list[tuple[str, T]]:
    return [row for group in table.values() for row in group]


@pytest.mark.parametrize(("reply", "score"), rows(READ), ids=short)
def test_what_models_send_is_read(reply: str, score: int) -> None:
    assert read_score(reply) == score


@pytest.mark.parametrize(("reply", "reason"), rows(REFUSED), ids=short)
def test_what_is_no_score_is_refused_with_its_reason(reply: str, reason: str) -> None:
    outcome = read_score(reply)
    assert isinstance(outcome, Unreadable), outcome
    assert outcome.reason == reason, outcome
    assert outcome.detail.endswith(".")
    assert len(outcome.detail) < 120


def test_the_scale_can_be_another_one() -> None:
    assert read_score("4/5", low=1, high=5) == 4
    assert read_score("Score (1-5): 4", low=1, high=5) == 4
    assert read_score("0", low=0, high=4) == 0
    for reply, reason in (("6", "off_scale"), ("14/20", "not_a_score")):
        outcome = read_score(reply, low=1, high=5)
        assert isinstance(outcome, Unreadable)
        assert outcome.reason == reason


def test_the_reader_has_a_version() -> None:
    assert READER_VERSION == 1


SHAPES = (
    "{}", " {}\n", "**{}**", "{}.", '"{}"', "`{}`", "```\n{}\n```", "{}/20", "{} out of 20",
    "Score: {}", "Score: {}/20", "**Score:** {}", "Final score: **{}**", "Score (1-20): {}",
    "Relevance for Source [3]: {}", "- Uniqueness in Response for Source [17]: {}",
    "The score is {}.", "I would give this source a {}.", "<think>Is it 5 or 17?</think>{}",
    "Is it 5 or 17?\n</think>\n\n{}", "It backs 2 claims in 3 sentences.\n\n{}",
    "I first thought 7. Final score: {}", '{{"score": "{}"}}', '```json\n{{"score": "{}"}}\n```',
    '{{\n  "score": "{}",\n  "reason": "cited 4 times"\n}}', "<score>{}</score>",
    "$\\boxed{{{}}}$", "{}\n\nThe source backs 2 claims.", "得分：{}分", "{} - well supported",
)  # fmt: skip
DIGITS = ("0123456789", "０１２３４５６７８９", "٠١٢٣٤٥٦٧٨٩", "०१२३४५६७८९")


@settings(max_examples=400, deadline=None, derandomize=True)
@given(
    st.integers(1, 20),
    st.sampled_from(SHAPES),
    st.sampled_from(DIGITS),
    st.text(" \n\t", max_size=3),
)
def test_a_score_in_an_accepted_shape_reads_back(
    score: int, shape: str, digits: str, space: str
) -> None:
    written = str(score).translate(str.maketrans("0123456789", digits))
    assert read_score(space + shape.format(written) + space) == score


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.integers(-30, 60).filter(lambda n: not 1 <= n <= 20), st.sampled_from(SHAPES))
def test_a_number_off_the_scale_is_never_a_score(number: int, shape: str) -> None:
    assert isinstance(read_score(shape.format(number)), Unreadable)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.integers(1, 20), st.integers(1, 9), st.sampled_from(SHAPES))
def test_a_fraction_is_never_a_score(whole: int, part: int, shape: str) -> None:
    assert isinstance(read_score(shape.format(f"{whole}.{part}")), Unreadable)


PIECES = (
    '14 3 0 21 . , : = + - / – ( ) [ ] { } " * _ % ? score final Score: /20 <think> </think> '
    'Source R1 I give is of or and if not {"score": null ~~ １ ½ ² 分 ```'
)
ANY_TEXT = st.one_of(
    st.text(st.characters(exclude_categories=())),  # lone surrogates, too
    st.lists(
        st.sampled_from([*PIECES.split(), "\n", " ", "\ud800", "\x00", "\ufeff", " out of 20"])
    ).map("".join),
    st.binary().map(lambda b: b.decode("utf-8", "surrogateescape")),
)


@settings(max_examples=1500, deadline=None, derandomize=True)
@given(ANY_TEXT)
def test_any_text_gives_a_score_on_the_scale_or_a_reason(text: str) -> None:
    outcome = read_score(text)
    if isinstance(outcome, Unreadable):
        assert outcome.reason in ("refused", "truncated", "not_a_score", "off_scale")
        assert outcome.detail
    else:
        assert type(outcome) is int
        assert 1 <= outcome <= 20


@pytest.mark.parametrize(
    "piece",
    ["[", "{", '{"', '{"a":', "1", "1+", "1+1=2 ", "14/20 ", "Score: 14 ", "score ", "*", "~~", "(",
     "<think>", "</think>", "\n", "14\n", " ", '"', "I cannot ", "Source [3] ", "R1=3 + ", "\ud800"],
    ids=short,
)  # fmt: skip
def test_a_megabyte_of_anything_is_read_in_no_time(piece: str) -> None:
    started = time.process_time()
    read_score(piece * (1_000_000 // len(piece)))
    assert time.process_time() - started < 10


def test_a_score_is_found_behind_a_megabyte_of_words() -> None:
    assert read_score("It backs 2 claims. " * 60_000 + "\nFinal score: 14") == 14
