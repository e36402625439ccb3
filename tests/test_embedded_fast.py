"""The bulk tier of the embedded judge: sound, repeatable, and clear about how far to trust it."""

from __future__ import annotations

import random
import re
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Barrier

import pytest
from hypothesis import given
from hypothesis import strategies as st

import citemark
from citemark import Judgment
from citemark.citations import parse_answer
from citemark.errors import UsageError
from citemark.judges import find_judge
from citemark.judges.embedded.fast import FastJudge
from citemark.judges.embedded.intervals import spreads, whole
from citemark.judges.embedded.judgments import apportioned
from citemark.judges.embedded.language import is_english
from citemark.judges.embedded.totals import total_of
from citemark.judges.protocol import Judge
from citemark.rubrics import DEFAULT_METRICS, Rubric, rubric
from test_embedded_judge import ANSWER, QUERY, RUBRICS
from test_embedded_odd import LANGUAGES, ODD


def judged(answer: str, source: int = 1, query: str = QUERY) -> Mapping[str, Judgment]:
    parsed = parse_answer(answer)
    return {metric: j for _, metric, j in FastJudge().judge_case(parsed, query, [source], RUBRICS)}


def test_it_is_a_judge_that_can_be_asked_for() -> None:
    judge = find_judge("embedded:fast")
    assert isinstance(judge, Judge)
    card = citemark.score(query=QUERY, answer=ANSWER, judge="embedded:fast")
    assert card.judge == "embedded:fast"
    assert "judge:embedded:fast/8" in card.signature
    assert card[1].count.score > card[2].count.score  # type: ignore[operator]


@pytest.mark.parametrize(
    "other",
    [rubric("position"), replace(rubric("relevance"), hash="00000000")],
    ids=["extra", "reworded"],
)
def test_other_rubrics_need_another_judge(other: Rubric) -> None:
    with pytest.raises(UsageError, match=r"five metrics only.*LLM judge is needed"):
        citemark.score(query=QUERY, answer=ANSWER, judge="embedded:fast", rubrics=[other])


def assert_sound(answer: str, source: int, scores: Mapping[str, Judgment]) -> None:
    parsed = parse_answer(answer)
    mine = {s.n for s in parsed.sentences if source in s.sources or source in s.block_sources}
    for name, judgment in scores.items():
        assert judgment.status == "scored"
        assert judgment.expected is not None
        assert 1 <= judgment.expected <= 20
        assert judgment.expected == round(judgment.expected, 2)
        assert judgment.subscores is not None
        assert judgment.evidence is not None
        assert tuple(judgment.subscores) == tuple(judgment.evidence) == rubric(name).ids
        assert judgment.score == max(1, sum(judgment.subscores.values()))
        assert judgment.score == whole(judgment.expected)
        assert set().union(*judgment.evidence.values()) <= mine
        if judgment.interval is not None:
            low, high = judgment.interval
            assert 1 <= low <= high <= 20


def test_sub_scores_evidence_and_interval_are_sound() -> None:
    for source in (1, 2):
        scores = judged(ANSWER, source)
        assert_sound(ANSWER, source, scores)
        assert all(j.interval is not None for j in scores.values())
        assert all(
            bool(shown) == bool(j.subscores[name])  # type: ignore[index]
            for j in scores.values()
            for name, shown in (j.evidence or {}).items()
        )


@pytest.mark.parametrize("answer", ODD)
@pytest.mark.parametrize("query", [QUERY, "?", "  "])
def test_odd_input_is_scored(answer: str, query: str) -> None:
    for source in (1, 2, 99):
        assert_sound(answer, source, judged(answer, source, query))


@pytest.mark.parametrize("language", LANGUAGES)
def test_other_languages_have_no_interval_and_say_so(language: str) -> None:
    query, answer = LANGUAGES[language]
    card = citemark.score(query=query, answer=answer, judge="embedded:fast")
    assert card[1].relevance.status == "scored"
    assert all(getattr(card[1], metric).interval is None for metric in DEFAULT_METRICS)
    assert [p.code for p in card.problems].count("uncalibrated") == 1


def test_english_is_told_from_other_languages() -> None:
    assert is_english(ANSWER)
    assert is_english("")
    assert not any(is_english(answer) for _, answer in LANGUAGES.values())


def test_the_same_case_gives_the_same_whatever_is_scored_beside_it() -> None:
    cases = [{"id": str(i), "query": QUERY, "answer": ANSWER + " More [3]." * i} for i in range(4)]
    together = [card.to_dict() for card in citemark.score_many(cases, judge="embedded:fast")]
    alone = [citemark.score(case, judge="embedded:fast").to_dict() for case in reversed(cases)]
    assert together == alone[::-1]


def test_threads_at_once_get_the_scores_of_one_after_the_other() -> None:
    chance = random.Random(11)
    sentences = [sentence.strip() for sentence in ANSWER.split(".") if sentence.strip()]
    cases = [
        {
            "id": str(i),
            "query": f"{QUERY} {i}",
            "answer": " ".join(
                f"{chance.choice(sentences)} in {1900 + i} {chance.random():.3f} [{n}]."
                for n in chance.choices(range(1, 6), k=8)
            ),
        }
        for i in range(40)
    ]
    judge = find_judge("embedded:fast")
    start = Barrier(8)

    def score(lane: int) -> list[dict[str, object]]:
        start.wait()
        return [citemark.score(case, judge=judge).to_dict() for case in cases[lane::8]]

    with ThreadPoolExecutor(8) as threads:
        together = list(threads.map(score, range(8)))
    alone = [citemark.score(case, judge="embedded:fast").to_dict() for case in cases]
    assert [together[i % 8][i // 8] for i in range(40)] == alone


def test_threads_that_start_at_once_read_the_model_once() -> None:
    script = (
        "from concurrent.futures import ThreadPoolExecutor\n"
        "from citemark.judges.embedded import fast_model, static\n"
        "with ThreadPoolExecutor(8) as threads:\n"
        "    models = list(threads.map(lambda _: fast_model.fast_model(), range(8)))\n"
        "    words = list(threads.map(lambda _: static.static_embedder(), range(8)))\n"
        "print(len({id(m) for m in models}), len({id(w) for w in words}))\n"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1", "1"]


def test_it_says_in_one_line_how_far_to_trust_it() -> None:
    trust = find_judge("embedded:fast").trust
    assert re.search(r"fitted to a frontier LLM; rank agreement with it \.\d\d ", trust)
    assert len(trust) <= 120
    assert "\n" not in trust


def test_training_sets_the_figures_of_one_tier_and_keeps_the_others(tmp_path: Path) -> None:
    write = pytest.importorskip("training.trust").write
    write("embedded:fast", 0.664, folder=tmp_path)
    write("embedded", 0.701, folder=tmp_path)
    write("embedded:fast", 0.712, folder=tmp_path)
    tiers = tomllib.loads((tmp_path / "trust.toml").read_text(encoding="utf-8"))["tiers"]
    assert {name: figures["spearman"] for name, figures in tiers.items()} == {
        "embedded": 0.7,
        "embedded:fast": 0.71,
    }


@given(st.lists(st.floats(-2, 4), min_size=5, max_size=5))
def test_whole_levels_add_up_to_the_score(exact: list[float]) -> None:
    total = whole(total_of(exact))
    levels = apportioned(exact, total)
    assert sum(levels) == total
    assert all(0 <= level <= 4 for level in levels)
    if min(exact) >= 0 and total > 1:
        assert all(abs(level - x) < 1.51 for level, x in zip(levels, exact, strict=True))


@given(st.lists(st.floats(-2, 4), min_size=5, max_size=5), st.floats(0.01, 1))
def test_a_higher_level_never_gives_a_lower_score(exact: list[float], more: float) -> None:
    before, after = total_of(exact), total_of([exact[0] + more, *exact[1:]])
    assert 1 <= before <= after <= 20
    assert before < after or before < 1.001 or after == 20
    assert abs(before - min(20.0, max(1.0, sum(exact)))) < 0.42


def test_intervals_are_known_for_every_metric() -> None:
    assert tuple(spreads("embedded:fast")) == DEFAULT_METRICS
    for spread in spreads("embedded:fast").values():
        assert len(spread.down) == len(spread.up) == len(spread.edges) + 1
        assert all(low <= 0 <= high for low, high in zip(spread.down, spread.up, strict=True))
