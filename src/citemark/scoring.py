"""From cases to scorecards: parses each answer, asks the judge, puts the outcomes together.

There is one implementation, :func:`ascore_many`; the others are thin fronts to it.
"""

from __future__ import annotations

import asyncio
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Callable,
    Iterable,
    Iterator,
    Mapping,
)
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from citemark.case import Case, read_citations, read_sources
from citemark.citations import ParsedAnswer, parse_answer
from citemark.citations.urls import domain_of, normalised_url
from citemark.errors import JudgeError, UsageError
from citemark.impression import impressions
from citemark.judges import Judge, Outcome, Work, find_judge
from citemark.rubrics import DEFAULT_METRICS, Rubric, rubric
from citemark.scorecard import Judgment, Scorecard, Settings, SourceCard

IN_PROGRESS = 64
"""How many cases may be under way at once; the rest of the input waits unread."""

Cases = Iterable[Case | Mapping[str, Any]] | AsyncIterable[Case | Mapping[str, Any]]


def parse(answer: str, sources: Any = None, citations: Any = None) -> ParsedAnswer:
    """Take an answer apart: its sentences, whom they cite, and what looks wrong.

    ``sources`` and ``citations`` are as in a case.

    >>> parse("Rain is wet [1]. Snow is cold [4].", sources=[1, 2]).problems[0].message
    '[4] names source 4, which the case does not list; not counted'
    """
    listed = read_sources(sources)
    urls = None if listed is None else {source.n: source.url for source in listed}
    return parse_answer(answer, urls, read_citations(citations))


def score(
    case: Case | Mapping[str, Any] | None = None,
    *,
    query: str | None = None,
    answer: str | None = None,
    sources: Any = None,
    citations: Any = None,
    **options: Any,
) -> Scorecard:
    """Score one case; give it whole, or as ``query`` and ``answer``.

    Works inside a running event loop too. ``options`` are those of :func:`ascore_many`.

    >>> card = score(query="What is tea?", answer="Tea is a drink made from leaves [1].")
    >>> card[1].cited, card.judge
    (True, 'embedded')
    """
    given = _case(case, query, answer, sources, citations)
    return next(iter(score_many([given], **options)))


async def ascore(
    case: Case | Mapping[str, Any] | None = None,
    *,
    query: str | None = None,
    answer: str | None = None,
    sources: Any = None,
    citations: Any = None,
    **options: Any,
) -> Scorecard:
    """Score one case, without blocking the event loop while a judge is asked."""
    given = _case(case, query, answer, sources, citations)
    async for card in ascore_many([given], **options):
        return card
    raise AssertionError("unreachable: one case gives one card")


def score_many(cases: Iterable[Case | Mapping[str, Any]], **options: Any) -> Iterator[Scorecard]:
    """Score many cases, lazily and in order; ``options`` are those of :func:`ascore_many`."""
    loop = asyncio.new_event_loop()
    cards = ascore_many(cases, **options)
    pool = ThreadPoolExecutor(max_workers=1) if _loop_is_running() else None

    def wait(step: Callable[[], Any]) -> Any:
        def run() -> Any:
            return loop.run_until_complete(step())

        # Two loops cannot run in one thread: within a notebook, ours runs in a thread of its own.
        return pool.submit(run).result() if pool else run()

    try:
        while True:
            try:
                yield wait(partial(anext, cards))
            except StopAsyncIteration:
                return
    finally:
        wait(cards.aclose)
        wait(loop.shutdown_asyncgens)
        if pool:
            pool.shutdown()
        loop.close()


async def ascore_many(
    cases: Cases,
    *,
    judge: str | Judge = "embedded",
    metrics: Iterable[str] | None = None,
    rubrics: Iterable[Rubric] = (),
    only: Iterable[str | int] | None = None,
    in_progress: int = IN_PROGRESS,
) -> AsyncGenerator[Scorecard, None]:
    """Score many cases, lazily and in order.

    ``judge`` is a spec or a judge; ``metrics`` names bundled rubrics (default: the five);
    ``rubrics`` are one's own, in place of the five unless ``metrics`` names some too;
    ``only`` restricts the sources to these numbers or domains.
    """
    chosen = find_judge(judge)
    wanted = choose_rubrics(metrics, rubrics)
    run = _Run(chosen, wanted, frozenset(map(str, only)) if only is not None else None)
    async for card in run.cards(cases, in_progress):
        yield card


def choose_rubrics(metrics: Iterable[str] | None, own: Iterable[Rubric] = ()) -> tuple[Rubric, ...]:
    """The rubrics to score by: bundled ones by name, and one's own, which win by name."""
    own = tuple(own)
    names = tuple(metrics) if metrics is not None else (() if own else DEFAULT_METRICS)
    chosen = {name: rubric(name) for name in names}
    for given in own:
        chosen[given.name] = given
    if not chosen:
        raise UsageError("no metric to score by; name at least one")
    ids: dict[str, str] = {}
    for given in chosen.values():
        for identifier in given.ids:
            if ids.setdefault(identifier, given.name) != given.name:
                other = ids[identifier]
                raise UsageError(
                    f"{given.name} and {other} both have a sub-score {identifier}; rename one"
                )
    return tuple(chosen.values())


@dataclass(slots=True)
class _Open:
    """A case whose judgments are still coming in."""

    case: Case
    answer: ParsedAnswer
    shown: tuple[int, ...]
    missing: set[tuple[int, str]]
    judgments: dict[tuple[int, str], Judgment]


class _Run:
    """One pass over a stream of cases with one judge."""

    def __init__(self, judge: Judge, rubrics: tuple[Rubric, ...], only: frozenset[str] | None):
        self.judge = judge
        self.rubrics = rubrics
        self.only = only
        mode = getattr(judge, "mode", None)
        self.settings = Settings(judge=judge.signature, mode=mode, rubrics=rubrics)
        self.signature = self.settings.signature
        self.open: dict[int, _Open] = {}
        self.events: asyncio.Queue[Outcome | BaseException | None] = asyncio.Queue()

    async def cards(self, cases: Cases, in_progress: int) -> AsyncIterator[Scorecard]:
        room = asyncio.Semaphore(in_progress)
        asking = asyncio.create_task(self._ask(cases, room))
        try:
            number = 0
            finished = False
            while not finished or self.open:
                if not finished:
                    event = await self.events.get()
                    if isinstance(event, BaseException):
                        raise event
                    finished = self._take(event)
                while (ready := self.open.get(number)) and (finished or not ready.missing):
                    del self.open[number]
                    number += 1
                    room.release()
                    yield self._card(ready)
        finally:
            asking.cancel()
            with suppress(asyncio.CancelledError):
                await asking

    async def _ask(self, cases: Cases, room: asyncio.Semaphore) -> None:
        """Hand the cases to the judge and pass on what it says; errors too, at their place."""
        try:
            async for outcome in self.judge.judge(self._work(cases, room)):
                self.events.put_nowait(outcome)
            self.events.put_nowait(None)
        except Exception as error:  # whatever a judge or a reader raises belongs to the caller
            self.events.put_nowait(error)

    async def _work(self, cases: Cases, room: asyncio.Semaphore) -> AsyncIterator[Work]:
        number = 0
        async for given in _stream(cases):
            await room.acquire()
            case = given if isinstance(given, Case) else Case.from_dict(given)
            urls = None if case.sources is None else {s.n: s.url for s in case.sources}
            answer = parse_answer(case.answer, urls, case.citations)
            shown = self._shown(case, answer)
            asked = tuple(n for n in shown if n in answer.cited)
            missing = {(n, r.name) for n in asked for r in self.rubrics}
            self.open[number] = _Open(case, answer, shown, missing, {})
            if asked:
                yield Work(number, case, answer, asked, self.rubrics)
            else:
                self.events.put_nowait(Outcome(number, -1, "", Judgment("not_cited")))
            number += 1

    def _shown(self, case: Case, answer: ParsedAnswer) -> tuple[int, ...]:
        if self.only is None:
            return answer.sources
        return tuple(n for n in answer.sources if self._is_wanted(n, case, answer))

    def _is_wanted(self, source: int, case: Case, answer: ParsedAnswer) -> bool:
        only = self.only or frozenset()
        if str(source) in only:
            return True
        url = _page(source, case, answer)[1]
        domain = domain_of(url) if url else ""
        return any(domain == name or domain.endswith(f".{name}") for name in only if "." in name)

    def _take(self, event: Outcome | None) -> bool:
        """Note an outcome; says whether it was the end."""
        if event is None:
            return True
        if event.source < 0:
            return False  # a case with nothing to judge
        place = (event.source, event.metric)
        entry = self.open.get(event.number)
        if entry is None or place not in entry.missing:
            raise JudgeError(
                f'judge "{self.judge.name}" gave an outcome that was not asked for: '
                f"source {event.source}, {event.metric}"
            )
        entry.missing.discard(place)
        entry.judgments[place] = event.judgment
        return False

    def _card(self, entry: _Open) -> Scorecard:
        figures = impressions(entry.answer)
        sources = []
        for n in entry.shown:
            cited = n in entry.answer.cited
            key, url, title = _page(n, entry.case, entry.answer)
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
        )

    def _judgment(self, entry: _Open, source: int, rubric: Rubric, *, cited: bool) -> Judgment:
        if not cited:
            return Judgment.not_cited(rubric)
        # A judge that ends without a word about a source has failed; it did not score it 0.
        return entry.judgments.get((source, rubric.name)) or Judgment.failed("provider_error")


def _page(
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


def _loop_is_running() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _case(
    case: Case | Mapping[str, Any] | None,
    query: str | None,
    answer: str | None,
    sources: Any,
    citations: Any,
) -> Case:
    if case is not None:
        if not (query is answer is sources is citations is None):
            raise UsageError("give a case, or query and answer with what belongs to them; not both")
        return case if isinstance(case, Case) else Case.from_dict(case)
    data = {"query": query, "answer": answer, "sources": sources, "citations": citations}
    return Case.from_dict(data)
