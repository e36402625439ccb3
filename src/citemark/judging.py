"""The stream: hands cases to a judge, and puts its outcomes together into scorecards."""

from __future__ import annotations

import asyncio
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Iterable,
    Iterator,
    Mapping,
)
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from citemark.case import Case
from citemark.citations import ParsedAnswer, Problem, parse_answer
from citemark.citations.urls import domain_of, normalised_url
from citemark.errors import CitemarkError, JudgeError
from citemark.impression import impressions
from citemark.judges import Judge, Outcome, Work
from citemark.prompts.injection import injection_problem
from citemark.rubrics import Rubric
from citemark.scorecard import Judgment, Scorecard, Settings, SourceCard

Cases = Iterable[Case | Mapping[str, Any]] | AsyncIterable[Case | Mapping[str, Any]]


def read_answer(case: Case) -> ParsedAnswer:
    """The answer of a case taken apart, with what the case says about its sources."""
    urls = None if case.sources is None else {s.n: s.url for s in case.sources}
    answer = parse_answer(case.answer, urls, case.citations)
    if (found := injection_problem(case.answer)) is not None:
        answer = replace(answer, problems=(found, *answer.problems))
    return answer


def wanted_sources(
    case: Case, answer: ParsedAnswer, only: frozenset[str] | None
) -> tuple[int, ...]:
    """The sources of an answer, or those of them that ``only`` names by number or domain."""
    if only is None:
        return answer.sources
    return tuple(n for n in answer.sources if _is_wanted(n, case, answer, only))


def _is_wanted(source: int, case: Case, answer: ParsedAnswer, only: frozenset[str]) -> bool:
    if str(source) in only:
        return True
    url = page_of(source, case, answer)[1]
    domain = domain_of(url) if url else ""
    return any(domain == name or domain.endswith(f".{name}") for name in only if "." in name)


def work_on(
    cases: Iterable[Case], rubrics: tuple[Rubric, ...], only: Iterable[str] | None = None
) -> Iterator[Work]:
    """The work that cases make for a judge: the wanted sources that are cited, by all rubrics."""
    wanted = None if only is None else frozenset(only)
    for number, case in enumerate(cases):
        answer = read_answer(case)
        shown = wanted_sources(case, answer, wanted)
        yield Work(number, case, answer, tuple(n for n in shown if n in answer.cited), rubrics)


@dataclass(slots=True)
class _Open:
    """A case whose judgments are still coming in."""

    case: Case
    answer: ParsedAnswer
    shown: tuple[int, ...]
    missing: set[tuple[int, str]]
    judgments: dict[tuple[int, str], Judgment]
    problems: list[Problem]


class Run:
    """One pass over a stream of cases with one judge.

    The judge takes as many cases as it wants. What is bounded is how many finished cards
    may wait for a reader, or for an earlier case that is not finished.
    """

    def __init__(
        self,
        judge: Judge,
        rubrics: tuple[Rubric, ...],
        only: frozenset[str] | None,
        most_waiting: int,
    ) -> None:
        self.judge = judge
        self.rubrics = rubrics
        self.only = only
        self.settings = Settings(judge.signature, getattr(judge, "mode", None), rubrics)
        self.signature = self.settings.signature
        self.open: dict[int, _Open] = {}
        self.most_waiting = most_waiting
        self.waiting = 0
        self.ended = False
        self.error: Exception | None = None
        self.news = asyncio.Event()
        self.room = asyncio.Event()

    async def cards(self, cases: Cases) -> AsyncGenerator[Scorecard, None]:
        """The scorecards, in the order of the cases."""
        asking = asyncio.create_task(self._ask(cases))
        number = 0
        try:
            while True:
                while (head := self.open.get(number)) and (self.ended or not head.missing):
                    del self.open[number]
                    number += 1
                    self.waiting -= not head.missing
                    self.room.set()
                    if head.missing and self.error:
                        break  # what stopped the judge left this case unfinished
                    yield self._card(head)
                if self.ended:
                    if self.error:
                        raise self.error
                    return
                self.news.clear()
                await self.news.wait()
        finally:
            asking.cancel()
            with suppress(asyncio.CancelledError):
                await asking

    async def _ask(self, cases: Cases) -> None:
        """Hand the cases to the judge and note what it says, to the end or the first error."""
        try:
            async for outcome in self.judge.judge(self._work(cases)):
                self._take(outcome)
        except CitemarkError as error:
            self.error = self.error or error
        except Exception as error:
            if self.error is None:
                self.error = JudgeError(f'judge "{self.judge.name}" broke down: {error!r}')
                self.error.__cause__ = error
        finally:
            self.ended = True
            self.news.set()

    async def _work(self, cases: Cases) -> AsyncIterator[Work]:
        number = 0
        stream = _stream(cases)
        while True:
            while self.waiting >= self.most_waiting:
                self.room.clear()
                await self.room.wait()
            try:
                given = await anext(stream, None)
                case = given if isinstance(given, Case | None) else Case.from_dict(given)
            except Exception as error:  # of whoever made the cases: not the judge's doing
                self.error = error
                return
            if case is None:
                return
            answer = read_answer(case)
            shown = wanted_sources(case, answer, self.only)
            asked = tuple(n for n in shown if n in answer.cited)
            missing = {(n, r.name) for n in asked for r in self.rubrics}
            self.open[number] = _Open(case, answer, shown, missing, {}, [])
            if asked:
                yield Work(number, case, answer, asked, self.rubrics)
            else:
                self.waiting += 1
                self.news.set()
            number += 1

    def _take(self, outcome: Outcome) -> None:
        place = (outcome.source, outcome.metric)
        entry = self.open.get(outcome.number)
        if entry is None or place not in entry.missing:
            raise JudgeError(
                f'judge "{self.judge.name}" gave an outcome that was not asked for: '
                f"source {outcome.source}, {outcome.metric}"
            )
        entry.missing.discard(place)
        entry.judgments[place] = outcome.judgment
        entry.problems.extend(outcome.problems)
        if not entry.missing:
            self.waiting += 1
            self.news.set()

    def _card(self, entry: _Open) -> Scorecard:
        figures = impressions(entry.answer)
        sources = []
        for n in entry.shown:
            cited = n in entry.answer.cited
            key, url, title = page_of(n, entry.case, entry.answer)
            scores = {r.name: self._judgment(entry, n, r, cited=cited) for r in self.rubrics}
            sources.append(SourceCard(n, key, url, title, cited, scores, figures[n]))
        return Scorecard(
            case=entry.case,
            answer=entry.answer,
            sources=tuple(sources),
            rubrics=self.rubrics,
            judge=self.judge.name,
            mode=self.settings.mode,
            signature=self.signature,
            found=tuple(sorted(entry.problems, key=lambda p: (p.start, p.code, p.message))),
        )

    def _judgment(self, entry: _Open, source: int, rubric: Rubric, *, cited: bool) -> Judgment:
        if not cited:
            return Judgment.not_cited(rubric)
        # A judge that ends without a word about a source has failed; it did not score it 0.
        return entry.judgments.get((source, rubric.name)) or Judgment.failed("provider_error")


def page_of(
    source: int, case: Case, answer: ParsedAnswer
) -> tuple[str | None, str | None, str | None]:
    """Key, URL and title of a source: as listed, or else as the answer itself gives them."""
    listed = next((s for s in case.sources or () if s.n == source), None)
    reference = answer.references.get(source)
    if listed is None and reference is None:
        return None, None, None
    url = (listed.url if listed else None) or (reference.url if reference else None)
    title = (listed.title if listed else None) or (reference.title if reference else None)
    key = listed.key if listed and listed.key else (normalised_url(url) if url else None)
    return key, url, title


async def _stream(cases: Cases) -> AsyncIterator[Case | Mapping[str, Any]]:
    if isinstance(cases, AsyncIterable):
        async for case in cases:
            yield case
        return
    for number, case in enumerate(cases):
        yield case
        if number % 16 == 15:
            await asyncio.sleep(0)  # a long file must not keep other tasks from running
