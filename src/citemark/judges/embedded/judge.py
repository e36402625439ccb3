"""The embedded judge: offline, deterministic, and able to say why."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Sequence

from citemark.citations import ParsedAnswer
from citemark.errors import UsageError
from citemark.judges.embedded.evidence import Exhibits, Trait
from citemark.judges.embedded.features import Features, features_of
from citemark.judges.embedded.levels import rounded, scales
from citemark.judges.embedded.match import read_query
from citemark.judges.embedded.overlap import overlap_of
from citemark.judges.embedded.statements import read
from citemark.judges.protocol import Outcome, Work
from citemark.rubrics import DEFAULT_METRICS, Rubric
from citemark.rubrics import rubric as bundled
from citemark.scorecard import Judgment


class EmbeddedJudge:
    """The judge that needs nothing: no network, no key, no model."""

    name = "embedded"
    signature = "embedded/1"
    trust = "rules, not a reader; rank correlation with an LLM judge .61 (that LLM with itself .92)"

    async def judge(self, work: AsyncIterator[Work]) -> AsyncIterator[Outcome]:
        """Judge every wanted source by every wanted rubric, case by case."""
        async for item in work:
            judged = judge_case(item.answer, item.case.query, item.sources, item.rubrics)
            for source, metric, judgment in judged:
                yield Outcome(item.number, source, metric, judgment)


def judge_case(
    answer: ParsedAnswer, query: str, sources: Iterable[int], rubrics: Sequence[Rubric]
) -> Iterator[tuple[int, str, Judgment]]:
    """The judgments of the wanted sources of one answer, as (source, metric, judgment).

    >>> from citemark.citations import parse_answer
    >>> from citemark.rubrics import rubric
    >>> answer = parse_answer("Copper melts at 1085 degrees [1].")
    >>> [(source, metric, judgment.evidence["R3"]) for source, metric, judgment
    ...     in judge_case(answer, "When does copper melt?", [1], [rubric("relevance")])]
    [(1, 'relevance', (0,))]
    """
    for rubric in rubrics:
        check(rubric)
    return _judgments(answer, query, sources, rubrics)


def check(rubric: Rubric) -> None:
    """Say so if a rubric is none of the five that the embedded judges know."""
    # By hash too: another rubric under a known name is still another rubric.
    if rubric.name not in DEFAULT_METRICS or rubric.hash != bundled(rubric.name).hash:
        raise UsageError(
            f"the embedded judge knows the five metrics only ({', '.join(DEFAULT_METRICS)}), "
            f'not the rubric "{rubric.name}"; an LLM judge is needed for others'
        )


def _judgments(
    answer: ParsedAnswer, query: str, sources: Iterable[int], rubrics: Sequence[Rubric]
) -> Iterator[tuple[int, str, Judgment]]:
    reading, asked = read(answer), read_query(query)
    overlap = overlap_of(reading)
    features = features_of(reading, asked, overlap)
    shown: dict[Trait, list[float]] = {}
    for source in sources:
        exhibits = Exhibits(source, reading, asked, overlap, shown)
        for rubric in rubrics:
            yield source, rubric.name, _judgment(rubric, features.get(source), exhibits)


def _judgment(rubric: Rubric, features: Features | None, exhibits: Exhibits) -> Judgment:
    """One judgment; without features, the source is cited for nothing that says something."""
    if features is None:
        nothing = dict.fromkeys(rubric.ids, 0)
        return Judgment.of(rubric, nothing, expected=1.0, evidence=dict.fromkeys(rubric.ids, ()))
    exact = {name: scales()[name].level(features) for name in rubric.ids}
    levels = {name: rounded(level) for name, level in exact.items()}
    evidence = {
        name: exhibits.sentences(scales()[name].shows, level) for name, level in levels.items()
    }
    expected = round(min(20.0, max(1.0, sum(exact.values()))), 2)
    return Judgment.of(rubric, levels, expected=expected, evidence=evidence)
