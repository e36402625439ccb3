"""The embedded judge under changes of an answer: what must stay, must not rise, must fall.

Few answers here; with ``CITEMARK_SOAK=1``, 200 real answers for every law.
"""

from __future__ import annotations

import os
import re
from collections.abc import AsyncIterator
from functools import cache
from itertools import chain, zip_longest

import pytest
from training.discipline.answers import REAL, made_cases, real_cases
from training.discipline.laws import ALL, Law, asked, floors, laws
from training.discipline.reading import lines, read
from training.discipline.report import Row, markdown, rows
from training.discipline.run import main
from training.discipline.transformations import NAMES, OF_THE_ANSWER, transformed
from training.discipline.trials import findings

from citemark import Case, Judgment, UsageError, rubric
from citemark.judges import find_judge
from citemark.judges.protocol import Outcome, Work
from citemark.rubrics import DEFAULT_METRICS

SOAK = bool(os.environ.get("CITEMARK_SOAK"))
JUDGES = ("embedded", "embedded:fast")
ANSWERS = dict.fromkeys(JUDGES, 200) if SOAK else {"embedded": 12, "embedded:fast": 40}
"""For each law; the judge that reads takes longer."""
RARE = {
    "split_up": 10,
    "vague": 20,
    "bulleted": 20,
    "reordered": 15,
    "moved_forward": 12,
    "moved_back": 12,
}
"""Changes that few of the made answers allow, and how many do."""


@cache
def cases() -> tuple[Case, ...]:
    """Made and real answers by turns; in a soak the real ones alone, where they are there."""
    real = real_cases()
    if SOAK and real:
        return tuple(real)
    by_turns = chain.from_iterable(zip_longest(made_cases(), real))
    return tuple(case for case in by_turns if case is not None)


@cache
def table(judge: str) -> dict[Law, Row]:
    try:
        find_judge(judge)
    except UsageError as error:
        pytest.skip(f"{judge}: {error}")
    found, _ = findings(laws(), cases(), judge=judge, count=ANSWERS[judge])
    return {row.law: row for row in rows(laws(), found)}


@pytest.mark.parametrize("judge", JUDGES)
@pytest.mark.parametrize("law", laws(), ids=lambda law: law.name)
def test_a_law_is_kept(law: Law, judge: str) -> None:
    row = table(judge)[law]
    assert len(row.findings) >= (ANSWERS[judge] * 0.8 if REAL.is_file() else 5)
    worst = row.worst
    least = asked(law, judge)
    assert row.rate >= least - slack(least, ANSWERS[judge]), worst and (
        worst.change,
        worst.trial.case.id,
    )


def slack(rate: float, answers: int) -> float:
    """How far a small sample may fall below the rate of a large one: two standard errors."""
    return 0.0 if SOAK else max(0.05, 2 * (rate * (1 - rate) / answers) ** 0.5)


def test_floors_are_for_laws_that_there_are() -> None:
    known = {(law.transformation, law.measure) for law in laws()}
    for judge in JUDGES:
        assert floors(judge).keys() <= known


def test_every_exclusion_of_every_rubric_has_its_law() -> None:
    lines_with_laws = {law.line for law in laws() if law.line}
    texts = []
    for metric in DEFAULT_METRICS:
        known = rubric(metric)
        texts += [known.is_not or "", *known.exclusions]
        assert lines_with_laws >= set(known.exclusions)
    assert all(any(line in text for text in texts) for line in lines_with_laws)
    relevance = re.split(r",\s+(?:or\s+)?", (rubric("relevance").is_not or "").split(". ")[0])
    assert len(relevance) == 4
    assert all(any(line in part for line in lines_with_laws) for part in relevance)


def test_every_transformation_serves_a_law_and_every_metric_has_laws() -> None:
    assert {law.transformation for law in laws()} == set(NAMES)
    assert {law.measure for law in laws()} >= {*DEFAULT_METRICS, "R3", "U3", "I4", ALL}


@pytest.mark.parametrize("name", NAMES)
def test_a_transformation_can_be_made_on_most_made_answers_and_repeats(name: str) -> None:
    queries = [case.query for case in made_cases()]
    made = 0
    for case in made_cases():
        for source in sorted(read(case).cited):
            variant = transformed(name, case, source, 3, queries)
            assert variant == transformed(name, case, source, 3, queries)
            if variant is not None:
                assert variant.case != case
                assert variant.case.id == case.id
                made += 1
                break
    least = RARE.get(name, 25)
    assert made >= least


@pytest.mark.parametrize("name", OF_THE_ANSWER)
def test_appearance_leaves_the_sentences_and_whom_they_cite(name: str) -> None:
    for case in made_cases():
        variant = transformed(name, case, 0, 5)
        if variant is not None:
            assert lines(read(variant.case)) == lines(read(case), variant.renamed)


def changed(name: str, answer: str, source: int = 1, seed: int = 0, query: str = "Why?") -> str:
    case = Case.from_dict({"id": "x", "query": query, "answer": answer})
    variant = transformed(name, case, source, seed, ["How do whales sleep at night?"])
    assert variant is not None
    return variant.case.answer


def test_repeating_says_the_same_sentence_again() -> None:
    again = changed("repeated", "Copper melts at 1085 degrees [1]. Gold melts earlier [2].")
    assert again.count("Copper melts at 1085 degrees [1].") == 2
    assert again.count("Gold") == 1


def test_halving_takes_away_one_of_two_and_leaves_the_others() -> None:
    rest = changed(
        "halved",
        "It rained in May for days [1]. Snow fell in June [2]. Hail hit the wheat hard [1].",
    )
    assert "Snow fell in June [2]." in rest
    assert rest.count("[1]") == 1


def test_moving_brings_the_sentence_or_its_paragraph_to_the_front() -> None:
    torn = changed("torn_forward", "Snow fell in June [2]. It rained in May for days [1].")
    assert torn == "It rained in May for days [1]. Snow fell in June [2]."
    moved = changed(
        "moved_forward", "Snow fell in June [2].\n\nMay is mild. It rained for days [1]."
    )
    assert moved == "May is mild. It rained for days [1].\n\nSnow fell in June [2]."


def test_vague_words_leave_no_number_and_no_name_but_what_was_asked_about() -> None:
    vague = changed(
        "vague",
        "In 1911 the team of Roald Amundsen reached the South Pole with 52 dogs and 4 sledges [1].",
        query="Who reached the South Pole first?",
    )
    assert not re.search(r"\d(?!\])|Amundsen|Roald", vague)
    assert "South Pole" in vague
    assert vague.endswith("[1].")


def test_an_echo_is_cited_to_a_source_that_was_not_there() -> None:
    for seed in range(6):
        echo = changed("echoed", "Many people use copper in cables and in roofs [1].", seed=seed)
        after = read(Case.from_dict({"query": "?", "answer": echo}))
        assert [s.sources for s in after.sentences] == [(1,), (2,)]
        assert "copper" in after.sentences[1].text


@pytest.mark.parametrize("name", ["padded", "praised", "persuasive", "called_new", "emphasised"])
def test_dressing_keeps_every_word_in_its_order(name: str) -> None:
    answer = "Snow fell in June [2]. The rain was heavy in May and it lasted for days [1]."
    for seed in range(10):
        dressed = iter(re.findall(r"\w+", changed(name, answer, seed=seed).lower()))
        assert all(word in dressed for word in re.findall(r"\w+", answer.lower()))


def test_markers_in_words_and_reference_lists_are_let_alone() -> None:
    answer = "Copper melts late, as passage 1 says. Gold does not [2].\n\nReferences\n[1] A\n[2] B"
    case = Case.from_dict({"query": "?", "answer": answer})
    assert transformed("renumbered", case, 0) is None
    assert changed("remarked", answer).endswith("\n\nReferences\n[1] A\n[2] B")


def test_the_command_writes_a_row_per_law(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--answers", "3", "--only", "halved", "--only", "reordered"]) == 0
    out = capsys.readouterr().out
    assert out.count("\n| halved |") == 1 + 3  # what it does, and three measures
    assert out.count("\n| reordered |") == 1 + 1
    assert main(["--only", "nonsense"]) == 2


def test_a_judge_that_counts_words_is_found_out() -> None:
    """The laws can fail: the rate of a judge that is paid by the word is low."""
    chosen = tuple(law for law in laws() if law.transformation in ("padded", "repeated"))
    found, tried = findings(chosen, made_cases(), judge=_ByTheWord(), count=10)
    made = rows(chosen, found)
    assert all(row.rate <= 0.1 for row in made)
    assert "0.0 %" in markdown("by the word", made, tried)


class _ByTheWord:
    name = "by the word"
    signature = "by-the-word/1"
    trust = "none"

    async def judge(self, work: AsyncIterator[Work]) -> AsyncIterator[Outcome]:
        async for item in work:
            for source in item.sources:
                words = sum(s.words for s in item.answer.attributed(source))
                expected = 1 + 19 * words / (words + 100)
                for known in item.rubrics:
                    judgment = Judgment.of(known, dict.fromkeys(known.ids, 2), expected=expected)
                    yield Outcome(item.number, source, known.name, judgment)
