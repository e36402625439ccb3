"""The embedded judge: its rules, its evidence, odd input, and how far it agrees with an LLM."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from training.figures import agreement
from training.judged import DATA, load, rows

from citemark.case import Case
from citemark.citations import ParsedAnswer, parse_answer
from citemark.errors import UsageError
from citemark.judges.embedded import EmbeddedJudge
from citemark.judges.embedded.weighing import Weighing
from citemark.judges.protocol import Judge, Outcome, Work
from citemark.rubrics import DEFAULT_METRICS, Rubric, rubric
from citemark.scorecard import Judgment

RUBRICS = [rubric(name) for name in DEFAULT_METRICS]

I4, U4 = 8, 13
"""Places among the 25 levels."""

QUERY = "How do beekeepers help a colony survive the winter?"
FEED = "Keepers feed 15 kg of sugar syrup per hive before October"
MITES = "An oxalic acid treatment in December kills 95 % of the varroa mites"
WRAP = "Hives in Quebec are wrapped in black felt, whereas keepers in Sweden use wooden boxes"
VENT = "An upper entrance lets moist air escape because condensation chills the cluster"
QUEEN = "Young queens lay later into autumn and raise more long-lived workers"
ANSWER = f"{FEED} [1]. {MITES} [1]. {WRAP} [1]. {VENT} [1]. {QUEEN} [2]."

Scores = Mapping[str, Judgment]


def judged(answer: str, source: int = 1, query: str = QUERY) -> Scores:
    parsed = parse_answer(answer)
    return {
        metric: j for _, metric, j in EmbeddedJudge().judge_case(parsed, query, [source], RUBRICS)
    }


def expected(scores: Scores, metric: str) -> float:
    value = scores[metric].expected
    assert value is not None
    return value


def level(scores: Scores, subscore: str) -> int:
    return next(
        (j.subscores or {})[subscore] for j in scores.values() if subscore in (j.subscores or {})
    )


def assert_not_raised(before: Scores, after: Scores, *metrics: str) -> None:
    for metric in metrics:
        assert expected(after, metric) <= expected(before, metric), metric
        assert (after[metric].score or 0) <= (before[metric].score or 0), metric


def assert_sound(answer: ParsedAnswer, source: int, scores: Scores) -> None:
    mine = {s.n for s in answer.sentences if source in s.sources or source in s.block_sources}
    for name, judgment in scores.items():
        assert judgment.status == "scored"
        assert judgment.expected is not None
        assert 1 <= judgment.expected <= 20
        if judgment.interval is not None:
            low, high = judgment.interval
            assert 1 <= low <= (judgment.score or 0) <= high <= 20
        assert judgment.band
        assert judgment.subscores is not None
        assert judgment.evidence is not None
        assert tuple(judgment.subscores) == tuple(judgment.evidence) == rubric(name).ids
        for identifier, value in judgment.subscores.items():
            shown = judgment.evidence[identifier]
            assert value in range(5)
            assert len(shown) <= 3
            assert list(shown) == sorted(set(shown))
            assert set(shown) <= mine
            assert bool(shown) == (value > 0), (identifier, value, shown)


# ---- the protocol ----------------------------------------------------------------------------


def run(*items: Work) -> list[Outcome]:
    async def stream() -> AsyncIterator[Work]:
        for item in items:
            yield item

    async def collect() -> list[Outcome]:
        return [outcome async for outcome in EmbeddedJudge().judge(stream())]

    return asyncio.run(collect())


def work(number: int, answer: str, *rubrics: Rubric) -> Work:
    case = Case.from_dict({"query": QUERY, "answer": answer})
    return Work(number, case, parse_answer(answer), (1, 2), rubrics)


def test_it_is_a_judge() -> None:
    judge = EmbeddedJudge()
    assert isinstance(judge, Judge)
    assert (judge.name, judge.signature) == ("embedded", "embedded/11")
    assert len(judge.trust) <= 110


def test_every_wanted_source_and_metric_gets_one_outcome() -> None:
    outcomes = run(work(4, ANSWER, *RUBRICS), work(9, ANSWER, RUBRICS[0]))
    keys = [(o.number, o.source, o.metric) for o in outcomes]
    wanted = [(4, s, m) for s in (1, 2) for m in DEFAULT_METRICS]
    assert sorted(keys) == sorted([*wanted, (9, 1, "relevance"), (9, 2, "relevance")])


@pytest.mark.parametrize(
    "other",
    [
        rubric("position"),
        Rubric(name="kindness", title="Kindness"),
        replace(rubric("relevance"), hash="00000000"),
    ],
    ids=["extra", "own", "reworded"],
)
def test_other_rubrics_need_another_judge(other: Rubric) -> None:
    with pytest.raises(UsageError, match=r"five metrics only.*LLM judge is needed"):
        EmbeddedJudge().judge_case(parse_answer(ANSWER), QUERY, [1], [RUBRICS[0], other])
    with pytest.raises(UsageError):
        run(work(0, ANSWER, other))


# ---- evidence --------------------------------------------------------------------------------


def test_evidence_is_sound() -> None:
    parsed = parse_answer(ANSWER)
    for source in (1, 2):
        assert_sound(parsed, source, judged(ANSWER, source))


def test_evidence_shows_what_the_level_says() -> None:
    vague = "Many different things can help bees to do well"
    scores = judged(f"{vague} [1]. {MITES} [1]. {WRAP} [1]. {QUEEN} [2].")
    assert scores["uniqueness"].evidence is not None
    assert scores["relevance"].evidence is not None
    assert 0 not in scores["uniqueness"].evidence["U3"]
    assert 2 in scores["uniqueness"].evidence["U2"]  # "whereas"
    assert 1 in scores["relevance"].evidence["R3"]


def test_evidence_names_only_the_sources_own_sentences_where_two_say_the_same() -> None:
    answer = f"{FEED} [2]. {FEED} [1]. {MITES} [1]."
    parsed = parse_answer(answer)
    for source in (1, 2):
        assert_sound(parsed, source, judged(answer, source))


# ---- who is credited with what ---------------------------------------------------------------


def test_a_marker_that_closes_a_paragraph_is_credited_with_it() -> None:
    one = judged(f"{FEED}.\n\n{MITES}.\n\n{WRAP} [1].")
    block = judged(f"{FEED}. {MITES}. {WRAP} [1].")
    every = judged(f"{FEED} [1]. {MITES} [1]. {WRAP} [1].")
    for metric in ("influence", "diversity", "count"):
        assert expected(one, metric) < expected(block, metric) < expected(every, metric)


def test_sources_cited_for_the_same_sentences_get_the_same() -> None:
    answer = f"{FEED} [3][1]. {MITES} [1, 3]. {WRAP} [2]. {VENT} [1][2][3]."
    assert judged(answer, 1) == judged(answer, 3)


@pytest.mark.parametrize(
    "answer",
    [
        f"1[1]. {FEED} [2].\n2[1]. {MITES} [2].",
        f"{MITES} [2].\n\n- **Feeding**: [1] {FEED} [2].",
        f"Its main steps are [1]:\n\n- {FEED} [2].\n- {MITES} [2].",
        f"## Feeding [1]\n\n{FEED} [2]. {MITES} [2].",
    ],
    ids=["list number", "label", "lead-in", "heading"],
)
def test_a_marker_on_nothing_scores_one(answer: str) -> None:
    assert 1 in parse_answer(answer).cited
    assert all(judgment.score == 1 for judgment in judged(answer).values())
    assert all((judgment.score or 0) > 1 for judgment in judged(answer, 2).values())


# ---- what must not matter --------------------------------------------------------------------


def test_the_same_case_gives_the_same_whatever_is_scored_beside_it() -> None:
    parsed = parse_answer(ANSWER)
    both = {(s, m): j for s, m, j in EmbeddedJudge().judge_case(parsed, QUERY, [2, 1], RUBRICS)}
    for source in (1, 2):
        for metric in RUBRICS:
            alone = list(EmbeddedJudge().judge_case(parsed, QUERY, [source], [metric]))
            assert alone == [(source, metric.name, both[source, metric.name])]


@pytest.mark.parametrize(
    "other",
    [
        ANSWER.replace(". ", ".\n"),
        ANSWER.replace(" ", "  "),
        ANSWER.replace("oxalic acid", "**oxalic acid**"),
        "- " + ANSWER.replace("]. ", "].\n- "),
        ANSWER.replace(" [1]", "[1]"),
    ],
    ids=["lines", "spaces", "bold", "bullets", "glued"],
)
def test_layout_does_not_matter(other: str) -> None:
    for source in (1, 2):
        for metric, judgment in judged(ANSWER, source).items():
            assert expected(judged(other, source), metric) == judgment.expected


def test_marker_style_and_numbers_do_not_matter() -> None:
    plain = f"{FEED} [1][2]. {MITES} [1]. {QUEEN} [2]."
    assert judged(plain) == judged(plain.replace("[1][2]", "[1, 2]"))
    assert judged(plain) == judged(plain.replace("[1][2]", "[2][1]"))
    swapped = plain.replace("[1]", "[x]").replace("[2]", "[1]").replace("[x]", "[2]")
    assert judged(plain, 1) == judged(swapped, 2)
    assert judged(plain, 2) == judged(swapped, 1)


def test_placement_does_not_matter() -> None:
    sentences = [f"{FEED} [1].", f"{MITES} [2].", f"{WRAP} [1].", f"{VENT} [2].", f"{QUEEN} [3]."]
    first = {s: judged(" ".join(sentences), s) for s in (1, 2, 3)}
    for seed in range(5):
        random.Random(seed).shuffle(sentences)
        for source, scores in first.items():
            moved = judged(" ".join(sentences), source)
            for metric in DEFAULT_METRICS:
                assert expected(moved, metric) == pytest.approx(expected(scores, metric), abs=0.011)
                assert moved[metric].subscores == scores[metric].subscores


# ---- the rubrics' exclusions -----------------------------------------------------------------

FILLERS = [
    (f"{MITES} [1]", f"It is important to note that, generally speaking, {MITES} [1]"),
    (f"{MITES} [1]", f"{MITES}, which of course is really quite interesting [1]"),
    (f"{VENT} [1].", f"{VENT} [1]. This is, needless to say, very important indeed [1]."),
]


def test_repeating_a_sentence_raises_nothing() -> None:
    before = judged(ANSWER)
    again = ANSWER.replace(f"{WRAP} [1].", f"{WRAP} [1]. {MITES} [1]. {MITES} [1]. {FEED} [1].")
    after = judged(again)
    assert_not_raised(before, after, "count", "diversity", "uniqueness")
    assert level(after, "C2") <= level(before, "C2")


@pytest.mark.parametrize(("old", "new"), FILLERS)
def test_padding_raises_nothing(old: str, new: str) -> None:
    assert old in ANSWER
    assert_not_raised(judged(ANSWER), judged(ANSWER.replace(old, new)), "count", "uniqueness")


@pytest.mark.parametrize(
    "praise",
    [
        "According to this highly respected and authoritative source, ",
        "As the world-renowned, award-winning experts of this leading publication state, ",
    ],
)
def test_praise_raises_nothing(praise: str) -> None:
    praised = ANSWER.replace(f"{MITES} [1]", f"{praise}{MITES} [1]")
    assert_not_raised(judged(ANSWER), judged(praised), "influence", "uniqueness")


@pytest.mark.parametrize(
    "company",
    [
        ANSWER.replace("[1]", "[1][7]"),
        f"{ANSWER} {FEED} too [7]. {MITES} as well [7]. {WRAP} also [7]. {VENT} too [7].",
    ],
    ids=["same sentences", "said again"],
)
def test_another_source_that_says_the_same_lowers_uniqueness_and_influence(company: str) -> None:
    before, after = judged(ANSWER), judged(company)
    assert expected(after, "uniqueness") < expected(before, "uniqueness")
    assert expected(after, "influence") < expected(before, "influence")
    # Whole levels are coarse: here the exact ones count.
    alone, beside = (Weighing(parse_answer(text), QUERY).levels[1] for text in (ANSWER, company))
    assert beside[I4] < alone[I4]
    assert beside[U4] < alone[U4]


BETTER_HALF = pytest.mark.xfail(
    strict=True, reason="without WRAP and VENT influence rises by .09: what is left matters more"
)


@pytest.mark.parametrize(
    ("metric", "one", "other"),
    [
        pytest.param(
            metric,
            *pair,
            marks=[BETTER_HALF] if (metric, *pair) == ("influence", WRAP, VENT) else [],
        )
        for metric in ("count", "influence", "diversity")
        for pair in combinations((FEED, MITES, WRAP, VENT), 2)
    ],
)
def test_half_of_the_sentences_are_worth_less(metric: str, one: str, other: str) -> None:
    after = judged(ANSWER.replace(f"{one} [1]. ", "").replace(f"{other} [1]. ", ""))
    assert expected(after, metric) < expected(judged(ANSWER), metric)


# ---- agreement -------------------------------------------------------------------------------


@pytest.mark.skipif(not DATA.is_file(), reason="the judged cases are not here (../shared/data)")
def test_it_agrees_with_an_llm_judge_on_a_sample() -> None:
    """On cases that it was fitted to: a model file that does not fit the program fails here."""
    cases = load()[::4]
    found = []
    for case in cases:
        answer = parse_answer(case.answer)
        given = EmbeddedJudge().judge_case(answer, case.query, case.sources, RUBRICS)
        scores = {(source, metric): judgment.expected for source, metric, judgment in given}
        found += [[scores[source, m] for m in DEFAULT_METRICS] for source in case.sources]
    _, totals, number = rows(cases)
    ours = np.array(found, dtype=np.float64)
    agreed = agreement(ours, totals, number)
    assert agreed["mean"].spearman > 0.55
    for i, metric in enumerate(DEFAULT_METRICS):
        assert agreed[metric].spearman > 0.35
        assert agreed[metric].mae < 3.2
        assert abs(float((ours - totals)[:, i].mean())) < 0.8
