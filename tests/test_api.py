"""The Python interface as the contract states it: sync, async, lazy, with any judge."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import citemark
from citemark import Case, CaseError, JudgeError, Judgment, RubricError, UsageError
from citemark.judges import Judge, Outcome, Work
from citemark.rubrics import DEFAULT_METRICS
from citemark.scoring import MOST_WAITING

QUERY = "What is tea?"
ANSWER = "Tea is a hot drink made from leaves [1]. China grew 3 million tonnes in 2020 [2]."


class Middling:
    """The example of ``judges/protocol.py``: every sub-score gets the level 2."""

    name = "middling"
    signature = "middling/1"
    trust = "an example: it has not read the answer"

    async def judge(self, work: AsyncIterator[Work]) -> AsyncIterator[Outcome]:
        async for item in work:
            for source in item.sources:
                for rubric in item.rubrics:
                    levels = {s.id: 2 for s in rubric.subscores}
                    yield Outcome(item.number, source, rubric.name, Judgment.of(rubric, levels))


class Changed(Middling):
    """The same, where the outcomes pass through a function that may drop, change or add some."""

    def __init__(self, change: Callable[[Outcome], list[Outcome]]) -> None:
        self.change = change

    async def judge(self, work: AsyncIterator[Work]) -> AsyncIterator[Outcome]:
        async for outcome in super().judge(work):
            for changed in self.change(outcome):
                yield changed


class Backwards(Middling):
    """Takes some cases before it answers, then answers the last one first."""

    async def judge(self, work: AsyncIterator[Work]) -> AsyncIterator[Outcome]:
        outcomes = [outcome async for outcome in super().judge(work)]
        await asyncio.sleep(0)
        for outcome in reversed(outcomes):
            yield outcome


def cases(count: int) -> list[dict[str, Any]]:
    return [{"id": n, "query": QUERY, "answer": f"{ANSWER} Number {n}."} for n in range(count)]


def ids(cards: Any) -> list[str]:
    return [card.case.id for card in cards]


def test_the_contracts_example() -> None:
    card = citemark.score(query=QUERY, answer=ANSWER)
    assert card.judge == "embedded"
    judgment = card[2].relevance
    assert judgment.subscores is not None
    assert judgment.score == max(1, sum(judgment.subscores.values()))
    assert set(judgment.subscores) == {"R1", "R2", "R3", "R4", "R5"}
    scores = [getattr(card[2], metric).score for metric in DEFAULT_METRICS]
    assert card[2].overall == round(sum(scores) / 5, 2)
    assert card.problems == ()
    assert [source.source for source in card] == [1, 2]
    assert len(card) == 2
    assert card.to_dict()["case"] == card.case.id
    assert [row["source"] for row in card.rows()] == [1, 2]


def test_parse_load_cases_and_rubric(tmp_path: Path) -> None:
    parsed = citemark.parse("A [1]. B [7].", sources=["https://a.org"])
    assert [sentence.sources for sentence in parsed.sentences] == [(1,), ()]
    assert [problem.code for problem in parsed.problems] == ["unknown_source"]
    spans = citemark.parse("It is so. Or not.", citations=[{"start": 0, "end": 9, "sources": [3]}])
    assert spans.sentences[0].sources == (3,)
    with pytest.raises(CaseError, match='"sources" must be a list'):
        citemark.parse("A [1].", sources="https://a.org")
    path = tmp_path / "cases.jsonl"
    path.write_text("\n".join(map(json.dumps, cases(3))), encoding="utf-8")
    assert ids(citemark.score_many(citemark.load_cases(path))) == ["0", "1", "2"]
    assert citemark.rubric("relevance").ids == ("R1", "R2", "R3", "R4", "R5")
    with pytest.raises(RubricError, match='no rubric "beauty"; there are: relevance, influence'):
        citemark.rubric("beauty")


def test_a_case_is_given_whole_or_in_parts() -> None:
    case = Case.from_dict({"query": QUERY, "answer": ANSWER, "sources": [1, 2, 3]})
    parts = citemark.score(query=QUERY, answer=ANSWER, sources=[1, 2, 3])
    assert citemark.score(case).to_dict() == parts.to_dict()
    assert [source.cited for source in parts] == [True, True, False]
    with pytest.raises(UsageError, match="not both"):
        citemark.score(case, query=QUERY)
    with pytest.raises(CaseError, match='"answer" is missing'):
        citemark.score(query=QUERY)
    with pytest.raises(CaseError, match='"query" is missing'):
        citemark.score()


def test_wrong_names_say_which_there_are() -> None:
    card = citemark.score(query=QUERY, answer=ANSWER, metrics=["count"])
    with pytest.raises(KeyError, match="no source 5 in this case; it has: 1, 2"):
        card[5]
    with pytest.raises(AttributeError, match="no metric 'relevance' on this card; it has: count"):
        _ = card[1].relevance
    with pytest.raises(UsageError, match='no judge "oracle"; there are: embedded'):
        citemark.score(query=QUERY, answer=ANSWER, judge="oracle")
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        citemark.nothing  # noqa: B018
    assert set(citemark.__all__) == set(dir(citemark))
    assert all(getattr(citemark, name) is not None for name in citemark.__all__)


def test_only_some_metrics_and_sources() -> None:
    sources = ["https://www.a.org/x", "https://news.b.org", "https://c.org"]
    answer = "One thing is so [1]. Another is not [2]. A third may be [3]."

    def shown(only: list[str | int]) -> list[int]:
        card = citemark.score(query=QUERY, answer=answer, sources=sources, only=only)
        return [source.source for source in card]

    assert shown([2]) == [2]
    assert shown(["1", "c.org"]) == [1, 3]
    assert shown(["b.org"]) == [2]
    assert shown(["org"]) == []
    whole = citemark.score(query=QUERY, answer=answer, sources=sources)
    part = citemark.score(query=QUERY, answer=answer, sources=sources, only=[2], metrics=["count"])
    assert part[2].count == whole[2].count
    assert part[2].impression == whole[2].impression
    assert part[2].overall == part[2].count.score
    assert list(part[2].scores) == ["count"]


def test_score_works_inside_a_running_event_loop() -> None:
    async def notebook() -> tuple[Any, list[str], Any, list[str]]:
        plain = citemark.score(query=QUERY, answer=ANSWER)
        many = ids(citemark.score_many(cases(100), judge="embedded:fast"))
        with pytest.raises(CaseError):
            citemark.score(query="", answer=ANSWER)
        with pytest.raises(CaseError):
            list(citemark.score_many([{"query": "q"}]))
        awaited = await citemark.ascore(query=QUERY, answer=ANSWER)
        more = citemark.ascore_many(cases(100), judge="embedded:fast")
        return plain, many, awaited, [c.case.id async for c in more]

    plain, many, awaited, amany = asyncio.run(notebook())
    assert plain.to_dict() == awaited.to_dict()
    assert plain.to_dict() == citemark.score(query=QUERY, answer=ANSWER).to_dict()
    assert many == amany == [str(n) for n in range(100)]


async def stream(count: int) -> AsyncIterator[dict[str, Any]]:
    for case in cases(count):
        yield case


def test_ascore_many_takes_an_async_stream() -> None:
    async def run() -> list[str]:
        return [
            card.case.id async for card in citemark.ascore_many(stream(200), judge="embedded:fast")
        ]

    assert asyncio.run(run()) == [str(n) for n in range(200)]


def test_a_long_list_lets_other_tasks_run() -> None:
    async def run() -> int:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                ticks += 1
                await asyncio.sleep(0)

        ticking = asyncio.create_task(tick())
        assert (
            len([card async for card in citemark.ascore_many(cases(200), judge="embedded:fast")])
            == 200
        )
        ticking.cancel()
        return ticks

    assert asyncio.run(run()) >= 5


class Counting:
    """Cases that know how far they were read."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.read = 0
        self.closed = False

    def __iter__(self) -> Iterator[dict[str, Any]]:
        try:
            for case in cases(self.count):
                self.read += 1
                yield case
        finally:
            self.closed = True


@pytest.mark.parametrize("judge", ["embedded:fast", Middling()])
def test_score_many_is_lazy_and_keeps_the_order(judge: str | Judge) -> None:
    source = Counting(1000)
    cards = citemark.score_many(source, judge=judge)
    assert source.read == 0
    assert next(cards).case.id == "0"
    assert 1 <= source.read <= MOST_WAITING + 1
    for n in range(1, 500):
        assert next(cards).case.id == str(n)
        assert source.read <= n + MOST_WAITING + 2
    rest = ids(cards)
    assert rest == [str(n) for n in range(500, 1000)]
    assert source.closed


def test_a_generator_may_be_closed_early() -> None:
    source = Counting(1000)
    cards = citemark.score_many(source)
    next(cards)
    cards.close()  # type: ignore[attr-defined]
    assert source.read <= MOST_WAITING + 2
    assert list(cards) == []
    never = citemark.score_many(Counting(3))
    never.close()  # type: ignore[attr-defined]

    async def early() -> int:
        inside = Counting(1000)
        async for _ in citemark.ascore_many(inside):
            break
        other = citemark.score_many(inside)
        next(other)
        other.close()  # type: ignore[attr-defined]
        return inside.read

    assert asyncio.run(early()) <= 2 * (MOST_WAITING + 2)


def test_an_error_in_the_middle_is_raised_after_what_came_before() -> None:
    def broken() -> Iterator[dict[str, Any]]:
        yield from cases(3)
        raise LookupError("the disk is gone")

    cards = citemark.score_many(broken())
    assert [next(cards).case.id for _ in range(3)] == ["0", "1", "2"]
    with pytest.raises(LookupError, match="the disk is gone"):
        next(cards)
    bad = [*cases(2), {"query": "", "answer": "x"}, *cases(2)]
    cards = citemark.score_many(bad)
    assert [next(cards).case.id for _ in range(2)] == ["0", "1"]
    with pytest.raises(CaseError, match='"query" is empty'):
        next(cards)


def test_a_judge_of_ones_own() -> None:
    judge = Middling()
    assert isinstance(judge, Judge)
    card = citemark.score(query=QUERY, answer=ANSWER, judge=judge)
    assert (card.judge, card.mode) == ("middling", None)
    assert card.signature.startswith("judge:middling/1|rubrics:relevance@")
    assert [source.overall for source in card] == [10.0, 10.0]
    assert card[1].uniqueness.subscores == {"U1": 2, "U2": 2, "U3": 2, "U4": 2, "U5": 2}


def test_a_judge_is_not_asked_about_what_is_not_cited() -> None:
    asked: list[tuple[int, str]] = []

    def note(outcome: Outcome) -> list[Outcome]:
        asked.append((outcome.source, outcome.metric))
        return [outcome]

    given = {"query": QUERY, "answer": "It is so [2].", "sources": [1, 2, 3]}
    card = citemark.score(given, judge=Changed(note), metrics=["count"])
    assert asked == [(2, "count")]
    assert [source.count.status for source in card] == ["not_cited", "scored", "not_cited"]
    bare = citemark.score(query=QUERY, answer="Nothing is cited.", judge=Changed(note))
    assert list(bare) == []
    assert len(asked) == 1


def test_a_judge_may_answer_in_any_order() -> None:
    given = cases(40)
    cards = list(citemark.score_many(given, judge=Backwards()))
    assert ids(cards) == [str(n) for n in range(40)]
    assert all(card.failed == 0 and card[2].overall == 10.0 for card in cards)


def test_a_judge_that_forgets_a_source_has_failed_on_it() -> None:
    def forget(outcome: Outcome) -> list[Outcome]:
        forgotten = (outcome.source, outcome.metric) == (2, "count")
        return [] if forgotten else [outcome]

    cards = list(citemark.score_many(cases(3), judge=Changed(forget)))
    assert ids(cards) == ["0", "1", "2"]
    for card in cards:
        assert card[2].count == Judgment("failed", reason="provider_error")
        assert card[2].overall is None
        assert card[2].relevance.score == 10
        assert card[1].overall == 10.0
        assert card.failed == 1


def test_a_judge_that_says_nothing_at_all_has_failed() -> None:
    card = citemark.score(query=QUERY, answer=ANSWER, judge=Changed(lambda _: []))
    assert card.failed == 10
    assert {j.reason for s in card for j in s.scores.values()} == {"provider_error"}


def test_a_judge_that_raises_is_heard() -> None:
    def fall(outcome: Outcome) -> list[Outcome]:
        if outcome.number == 2:
            raise JudgeError("the key was refused")
        return [outcome]

    cards = citemark.score_many(cases(5), judge=Changed(fall))
    assert [next(cards).case.id, next(cards).case.id] == ["0", "1"]
    with pytest.raises(JudgeError, match="the key was refused"):
        next(cards)
    with pytest.raises(JudgeError, match="broke down: ZeroDivisionError") as caught:
        citemark.score(query=QUERY, answer=ANSWER, judge=Changed(lambda _: [1 // 0]))  # type: ignore[list-item]
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_a_judge_may_read_everything_before_it_answers() -> None:
    class Slow(Middling):
        async def judge(self, work: AsyncIterator[Work]) -> AsyncIterator[Outcome]:
            items = [item async for item in work]

            async def again() -> AsyncIterator[Work]:
                for item in items:
                    yield item

            async for outcome in super().judge(again()):
                yield outcome

    assert len(list(citemark.score_many(cases(200), judge=Slow()))) == 200


@pytest.mark.parametrize(
    "extra",
    [
        lambda o: [o, o],
        lambda o: [o, Outcome(o.number, 9, o.metric, o.judgment)],
        lambda o: [o, Outcome(o.number, o.source, "beauty", o.judgment)],
        lambda o: [o, Outcome(77, o.source, o.metric, o.judgment)],
    ],
)
def test_a_judge_that_answers_what_was_not_asked_is_refused(
    extra: Callable[[Outcome], list[Outcome]],
) -> None:
    with pytest.raises(JudgeError, match='judge "middling" gave an outcome that was not asked for'):
        list(citemark.score_many(cases(1), judge=Changed(extra)))


def test_scores_do_not_depend_on_the_company() -> None:
    alone = [citemark.score(case).to_dict() for case in cases(5)]
    together = [card.to_dict() for card in citemark.score_many(cases(5))]
    assert alone == together


HEAVY = ("rich", "click", "pyarrow", "asyncio", "numpy", "ftfy", "importlib.metadata", "httpx")


def test_import_is_quick_and_light() -> None:
    code = f"import sys, citemark; print([m for m in {HEAVY} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

    # It takes a tenth of what is allowed, so that a busy machine makes no difference.
    code = "import time; t = time.perf_counter(); import citemark; print(time.perf_counter() - t)"
    times = [subprocess.check_output([sys.executable, "-c", code], text=True) for _ in range(5)]
    assert min(map(float, times)) < 0.2
