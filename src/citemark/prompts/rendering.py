"""Filling the prompt templates, in a single pass: what comes from a case is never read again."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from citemark.case import Case
from citemark.citations import ParsedAnswer
from citemark.errors import UsageError
from citemark.rubrics import Rubric, Step

MODES = ("subscores", "direct")
_FIELD = re.compile(r"\{\{(\w+)\}\}")
_CLASSIC = re.compile(r"\{query\}|\{answer\}|Source \[1\]")


def prompt(rubric: Rubric, case: Case, answer: ParsedAnswer, source: int, mode: str) -> str:
    """The user message that asks a judge for one metric of one source.

    A rubric that came as a text file is sent as it stands, with the query, the answer and
    the number of the source put in.
    """
    if mode not in MODES:
        raise UsageError(f'no mode "{mode}"; there are: {", ".join(MODES)}')
    if rubric.text is not None:
        if mode != "direct":
            raise UsageError(
                f"{rubric.name} is a text rubric, which asks for one number: use direct"
            )
        return _classic(rubric.text, case, source)
    values = {
        "query": case.query,
        "answer": case.answer if mode == "direct" else tagged(answer),
        "source": str(source),
        "title": rubric.title,
        **_parts(rubric, mode),
    }
    values = {name: _about(text, source, name) for name, text in values.items()}
    return _filled(_template(mode), values)


def system_message(rubric: Rubric) -> str | None:
    """The system message that goes with a prompt; a text rubric has none."""
    return None if rubric.text is not None else _template("system").rstrip("\n")


def tagged(answer: ParsedAnswer) -> str:
    """The answer with the number of every sentence in front of it, so that a judge can name it.

    >>> from citemark import parse
    >>> tagged(parse("It rains [1]. It pours."))
    '⟨0⟩ It rains [1]. ⟨1⟩ It pours.'
    """
    parts, reached = [], 0
    for sentence in answer.sentences:
        parts += [answer.answer[reached : sentence.start], f"⟨{sentence.n}⟩ "]
        reached = sentence.start
    return "".join([*parts, answer.answer[reached:]])


def _classic(text: str, case: Case, source: int) -> str:
    values = {"{query}": case.query, "{answer}": case.answer, "Source [1]": f"Source [{source}]"}
    return _CLASSIC.sub(lambda match: values[match[0]], text)


def _filled(template: str, values: Mapping[str, str]) -> str:
    return _FIELD.sub(lambda match: values[match[1]], template).strip("\n") + "\n"


def _about(text: str, source: int, name: str) -> str:
    """A rubric speaks of "Source [1]"; a case's own text is left alone."""
    return text if name in ("query", "answer") else text.replace("Source [1]", f"Source [{source}]")


@cache
def _template(name: str) -> str:
    return (files("citemark.prompts") / f"{name}.txt").read_text(encoding="utf-8")


@cache
def _parts(rubric: Rubric, mode: str) -> Mapping[str, str]:
    """The parts of a rubric as the templates name them."""
    steps = rubric.steps if mode == "direct" else _steps_of_judging(rubric)
    return {
        "criteria": "\n".join(filter(None, (rubric.definition, rubric.is_not, rubric.test))),
        "method": rubric.method,
        "subscores": "\n".join(
            f"{s.id}. {s.name}" + (f" ({s.gist})" if s.gist else "") for s in rubric.subscores
        ),
        "ids": ", ".join(rubric.ids),
        "form": ", ".join(f'"{i}": {{"level": 0, "sentences": []}}' for i in rubric.ids),
        "bands": "\n".join(
            f"{f'{b.low}-{b.high}':<6}: {b.name}" + (f" ({b.meaning})" if b.meaning else "")
            for b in rubric.bands
        ),
        "output_rule": "\n".join(f"- {line}" for line in rubric.output_rule),
        "steps": "\n".join(_step(number, step) for number, step in enumerate(steps, start=1)),
        "definitions": "\n\n".join(
            "\n".join(
                [f"{s.id}. {s.name}:", *(f"{n} = {level}" for n, level in enumerate(s.levels))]
            )
            for s in rubric.subscores
        ),
        "exclusions": _section("Exclusions (important):", rubric.exclusions),
    }


def _steps_of_judging(rubric: Rubric) -> tuple[Step, ...]:
    """The steps up to the one that assigns the levels: where sub-scores are asked for, the
    judge neither adds nor converts them."""
    for index, step in enumerate(rubric.steps):
        if step.points and step.points[0].startswith("0:"):
            return rubric.steps[: index + 1]
    return rubric.steps


def _step(number: int, step: Step) -> str:
    return "\n".join([f"{number}. {step.text}", *(f"   - {point}" for point in step.points)])


def _section(heading: str, lines: tuple[str, ...]) -> str:
    return "\n".join(["", heading, *(f"- {line}" for line in lines), ""]) if lines else ""
