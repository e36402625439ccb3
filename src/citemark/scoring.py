"""Scoring from Python: one case or many, sync or async.

There is one implementation, :func:`ascore_many`; the others are thin fronts to it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from citemark.case import Case, read_citations, read_sources
from citemark.citations import ParsedAnswer, parse_answer
from citemark.errors import UsageError
from citemark.judges import Judge, JudgeOptions, find_judge
from citemark.judging import Cases, Run
from citemark.rubrics import DEFAULT_METRICS, Rubric, rubric
from citemark.scorecard import Scorecard

MOST_WAITING = 64
"""How many finished cards may wait; the rest of the input waits unread."""


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
    cards = ascore_many(cases, **options)
    runner = asyncio.Runner(loop_factory=_loop_for(options.get("judge", "embedded")))
    # Two loops cannot run in one thread: within a notebook, ours runs in a thread of its own.
    pool = ThreadPoolExecutor(max_workers=1) if _loop_is_running() else None

    come: list[Scorecard | None] = []

    def wait(step: Callable[[], Coroutine[Any, Any, None]]) -> None:
        return pool.submit(lambda: runner.run(step())).result() if pool else runner.run(step())

    async def next_card() -> None:
        # Not as the result: the runner's handling of Ctrl-C spells out the task with all of it.
        come.append(await anext(cards, None))

    async def close() -> None:
        await cards.aclose()

    try:
        wait(next_card)
        while (card := come.pop()) is not None:
            yield card
            wait(next_card)
    finally:
        wait(close)
        if pool:
            pool.submit(runner.close).result()
            pool.shutdown()
        else:
            runner.close()


async def ascore_many(
    cases: Cases,
    *,
    judge: str | Judge = "embedded",
    metrics: Iterable[str] | None = None,
    rubrics: Iterable[Rubric] = (),
    only: Iterable[str | int] | None = None,
    most_waiting: int = MOST_WAITING,
    **settings: Any,
) -> AsyncGenerator[Scorecard, None]:
    """Score many cases, lazily and in order.

    ``judge`` is a spec or a judge; ``metrics`` names bundled rubrics (default: the five);
    ``rubrics`` are one's own, in place of the five unless ``metrics`` names some too;
    ``only`` restricts the sources to these numbers or domains. ``settings`` are those of
    :class:`citemark.judges.JudgeOptions`, such as ``mode``, ``base_url`` or ``samples``.
    """
    chosen = find_judge(judge, JudgeOptions(**settings))
    wanted = choose_rubrics(metrics, rubrics)
    run = Run(chosen, wanted, None if only is None else frozenset(map(str, only)), most_waiting)
    cards = run.cards(cases)
    try:
        async for card in cards:
            yield card
    finally:
        await cards.aclose()
        if isinstance(judge, str) and hasattr(chosen, "close"):
            chosen.close()  # it was made for this run, and so is its store


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


def _loop_for(judge: object) -> Callable[[], asyncio.AbstractEventLoop] | None:
    """What makes the event loop: a quick one for judges that are asked over the network."""
    if str(getattr(judge, "name", judge)).startswith("embedded"):
        return None  # it waits for nothing, and asyncio's own loop is made sooner
    try:
        import uvloop
    except ImportError:  # there is none for Windows; asyncio's own does the same
        return None
    return uvloop.new_event_loop


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
