"""What the API does with one case: score it, parse it, lint it. Plain functions, no HTTP."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from citemark.case import Case
from citemark.citations import SEVERITIES, ParsedAnswer
from citemark.impression import impressions
from citemark.judges import Judge, find_judge
from citemark.judging import page_of, read_answer
from citemark.rubrics import Rubric, rubric, rubric_names
from citemark.scorecard import Scorecard
from citemark.scoring import choose_rubrics, score
from citemark.web.problems import ApiError

HERE = ("embedded", "embedded:fast")
"""The judges that answer while one waits; all others are for runs."""
_NOT_GIVEN = "(not given)"


@dataclass(frozen=True, slots=True)
class Wish:
    """How a case is to be scored."""

    judge: str = HERE[0]
    metrics: tuple[str, ...] | None = None

    @property
    def rubrics(self) -> tuple[Rubric, ...]:
        """The rubrics to score by."""
        return choose_rubrics(self.metrics)


@cache
def _judge(spec: str) -> Judge:
    """The judge, made once: its model takes a moment to load."""
    return find_judge(spec)


def scored(given: Mapping[str, Any], wish: Wish) -> Scorecard:
    """The scorecard of a case."""
    if wish.judge not in HERE:
        raise ApiError(
            422,
            f'"{wish.judge[:80]}" does not answer at once',
            where="query judge",
            then=f"use {' or '.join(HERE)} here, and POST /api/runs for every other judge",
        )
    return score(Case.from_dict(given), judge=_judge(wish.judge), metrics=wish.metrics)


def scored_in_full(given: Mapping[str, Any], wish: Wish) -> dict[str, Any]:
    """The scorecard of a case, its flat rows, and how far the judge can be trusted."""
    card = scored(given, wish)
    trust = _judge(wish.judge).trust
    return {"scorecard": card.to_dict(), "rows": card.rows(), "trust": trust}


def parsed(given: Mapping[str, Any]) -> dict[str, Any]:
    """How an answer is read: sentences, sources with their shares, and what looks wrong."""
    case = _case(given)
    answer = read_answer(case)
    figures = impressions(answer)
    sources = []
    for n in answer.sources:
        key, url, title = page_of(n, case, answer)
        sources.append(
            {
                "source": n,
                "key": key,
                "url": url,
                "title": title,
                "cited": n in answer.cited,
                "impression": figures[n].to_dict(),
            }
        )
    parts = answer.to_dict()
    parts["problems"] = findings(case, answer)
    return {
        "case": case.id,
        "query": given.get("query"),
        "answer": case.answer,
        **parts,
        "sources": sources,
    }


def linted(given: Mapping[str, Any]) -> dict[str, Any]:
    """What is wrong with the citations of an answer, with place and weight."""
    case = _case(given)
    return {"case": case.id, "problems": findings(case, read_answer(case))}


def findings(case: Case, answer: ParsedAnswer) -> list[dict[str, Any]]:
    """The problems of an answer, each with its weight and its line and column."""
    starts = [0]
    while found := case.answer.find("\n", starts[-1]) + 1:
        starts.append(found)
    listed = []
    for problem in answer.problems:
        line = bisect_right(starts, problem.start)
        listed.append(
            {
                **problem.to_dict(),
                "severity": SEVERITIES[problem.code],
                "line": line,
                "column": problem.start - starts[line - 1] + 1,
            }
        )
    return listed


def _case(given: Mapping[str, Any]) -> Case:
    """The case; to read an answer one need not know the question."""
    if not given.get("query"):
        given = {**given, "query": _NOT_GIVEN}
    return Case.from_dict(given)


@cache
def rubrics_in_full() -> dict[str, Any]:
    """Every rubric: what it means, its bands, its sub-scores and what their levels mean."""
    return {"rubrics": [rubric_dict(rubric(name)) for name in rubric_names()]}


def rubric_dict(given: Rubric) -> dict[str, Any]:
    """A rubric as plain data for people to read."""
    return {
        "name": given.name,
        "title": given.title,
        "summary": given.summary,
        "definition": given.definition,
        "default": given.default,
        "hash": given.hash,
        "bands": [
            {"low": b.low, "high": b.high, "name": b.name, "meaning": b.meaning}
            for b in given.bands
        ],
        "subscores": [
            {"id": s.id, "name": s.name, "gist": s.gist, "levels": list(s.levels)}
            for s in given.subscores
        ],
        "exclusions": list(given.exclusions),
    }


@cache
def examples() -> dict[str, Any]:
    """The bundled cases."""
    text = (files("citemark.examples") / "cases.jsonl").read_text(encoding="utf-8")
    return {"examples": [json.loads(line) for line in text.splitlines() if line.strip()]}


def metric_names(text: str | None) -> tuple[str, ...] | None:
    """Metrics as a query parameter names them: ``relevance,count``."""
    if text is None:
        return None
    return tuple(_words(text.split(",")))


def _words(parts: Iterable[str]) -> Iterable[str]:
    return (word for part in parts if (word := part.strip()))
