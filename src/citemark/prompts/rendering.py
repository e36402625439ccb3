"""Filling the prompt templates, in a single pass: what comes from a case is never read again."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple

from citemark.case import Case
from citemark.citations import ParsedAnswer
from citemark.errors import UsageError
from citemark.judges.options import MODES
from citemark.prompts.injection import neutralised
from citemark.rubrics import Rubric, Step

_ONE_NUMBER = ("direct", "weighted", "sampled")
_FIELD = re.compile(r"\{\{(\w+)\}\}")
_CLASSIC = re.compile(r"\{query\}|\{answer\}|Source \[1\]")


class Prompt(NamedTuple):
    """A user message in two parts, so that what many messages share comes first."""

    shared: str
    specific: str

    @property
    def text(self) -> str:
        """The message as it is sent."""
        return self.shared + self.specific


def prompt(rubric: Rubric, case: Case, answer: ParsedAnswer, source: int, mode: str) -> Prompt:
    """The user message that asks a judge for one metric of one source.

    A rubric that came as a text file is sent as it stands, with the query, the answer and
    the number of the source put in.
    """
    if rubric.text is not None:
        if mode not in _ONE_NUMBER:
            raise UsageError(
                f"{rubric.name} is a text rubric, which asks for one number: use --mode direct"
            )
        return Prompt("", _classic(rubric.text, case, source))
    if mode in _ONE_NUMBER:
        return Prompt(_plain_case(case.query, case.answer), _specific("direct", rubric, source))
    if mode != "subscores":
        raise UsageError(f'no mode "{mode}" for one metric; there are: {", ".join(MODES)}')
    return Prompt(_tagged_case(case, answer), _specific("subscores", rubric, source))


# A case's block and a rubric's are shared by many prompts: each is made once while it is used.


@lru_cache(maxsize=256)
def _plain_case(query: str, answer: str) -> str:
    return _filled("case", query=neutralised(query), answer=neutralised(answer))


@lru_cache(maxsize=512)
def _specific(template: str, rubric: Rubric, source: int) -> str:
    return _about(source, _filled(template, **_parts(rubric, whole=template == "direct")))


def panel_prompt(
    rubrics: Sequence[Rubric], case: Case, answer: ParsedAnswer, source: int
) -> Prompt:
    """The user message that asks a judge for all metrics of one source."""
    specific = _filled("panel", rubrics=_sections(tuple(rubrics)), form=_panel_form(rubrics))
    return Prompt(_tagged_case(case, answer), _about(source, specific))


def sheet_prompt(
    rubrics: Sequence[Rubric], case: Case, answer: ParsedAnswer, sources: Sequence[int]
) -> Prompt:
    """The user message that asks a judge for all metrics of all sources of a case."""
    rubric_text = _sections(tuple(rubrics)).replace("Source [1]", "the source at hand")
    specific = _filled(
        "sheet",
        rubrics=rubric_text,
        numbers=", ".join(map(str, sources)),
        form="".join(f'"{n}": {{{_panel_form(rubrics)}}}, ' for n in sources[:1]) + "...",
    )
    return Prompt(_tagged_case(case, answer), specific)


def system_message(rubric: Rubric | None = None) -> str | None:
    """The system message that goes with a prompt; a text rubric has none."""
    if rubric is not None and rubric.text is not None:
        return None
    return _template("system").rstrip("\n")


@cache
def prompts_hash() -> str:
    """A short hash of all templates: part of every LLM judge's signature."""
    names = sorted(f.name for f in files("citemark.prompts").iterdir() if f.name.endswith(".txt"))
    whole = "\0".join(f"{name}\0{_template(name.removesuffix('.txt'))}" for name in names)
    return hashlib.sha256(whole.encode()).hexdigest()[:8]


def _with_numbers(answer: str, starts: Sequence[int]) -> str:
    """The answer with the number of every sentence in front of it, so that a judge can name it.

    >>> _with_numbers("It rains [1]. It pours.", [0, 14])
    '⟨0⟩ It rains [1]. ⟨1⟩ It pours.'
    """
    parts, reached = [], 0
    for number, start in enumerate(starts):
        parts += [neutralised(answer[reached:start]), f"⟨{number}⟩ "]
        reached = start
    return "".join([*parts, neutralised(answer[reached:])])


def _tagged_case(case: Case, answer: ParsedAnswer) -> str:
    return _tagged_block(case.query, answer.answer, tuple(s.start for s in answer.sentences))


@lru_cache(maxsize=256)
def _tagged_block(query: str, answer: str, starts: tuple[int, ...]) -> str:
    return _filled("case_tagged", query=neutralised(query), answer=_with_numbers(answer, starts))


def _classic(text: str, case: Case, source: int) -> str:
    values = {"{query}": case.query, "{answer}": case.answer, "Source [1]": f"Source [{source}]"}
    return _CLASSIC.sub(lambda match: values[match[0]], text)


def _filled(name: str, /, **values: str) -> str:
    return _FIELD.sub(lambda match: values[match[1]], _template(name))


def _about(source: int, text: str) -> str:
    """A rubric speaks of "Source [1]"; put in the number of the source at hand."""
    return text.replace("Source [1]", f"Source [{source}]")


@cache
def _template(name: str) -> str:
    return (files("citemark.prompts") / f"{name}.txt").read_text(encoding="utf-8")


@cache
def _sections(rubrics: tuple[Rubric, ...]) -> str:
    """Several rubrics one after the other, for the modes that ask for all at once."""
    return "\n".join(_filled("section", **_parts(rubric, whole=False)) for rubric in rubrics)


def _levels_form(rubric: Rubric) -> str:
    return ", ".join(f'"{i}": {{"level": 0, "sentences": []}}' for i in rubric.ids)


def _panel_form(rubrics: Sequence[Rubric]) -> str:
    return ", ".join(f'"{rubric.name}": {{{_levels_form(rubric)}}}' for rubric in rubrics)


@cache
def _parts(rubric: Rubric, *, whole: bool) -> Mapping[str, str]:
    """The parts of a rubric as the templates name them."""
    steps = rubric.steps if whole else _steps_of_judging(rubric)
    return {
        "name": rubric.name,
        "title": rubric.title,
        "criteria": "\n".join(filter(None, (rubric.definition, rubric.is_not, rubric.test))),
        "method": rubric.method,
        "subscores": "\n".join(
            f"{s.id}. {s.name}" + (f" ({s.gist})" if s.gist else "") for s in rubric.subscores
        ),
        "ids": ", ".join(rubric.ids),
        "form": _levels_form(rubric),
        "bands": "\n".join(
            f"{f'{b.low}-{b.high}':<6}: {b.name}" + (f" ({b.meaning})" if b.meaning else "")
            for b in rubric.bands
        ),
        "output_rule": "\n".join(f"- {line}" for line in rubric.output_rule),
        "steps": "\n".join(_step(number, step) for number, step in enumerate(steps, start=1)),
        "definitions": "\n\n".join(
            "\n".join([f"{s.id}. {s.name}:", *(f"{n} = {text}" for n, text in enumerate(s.levels))])
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
