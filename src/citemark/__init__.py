"""Citemark tells how much each cited source really matters to an AI answer.

>>> import citemark
>>> card = citemark.score(
...     query="How long do LED bulbs last?",
...     answer="A good LED bulb runs for 15,000 to 25,000 hours [1]. It saves money [2].",
... )
>>> card[1].count.score > card[2].count.score
True
>>> [(s.sources, s.text) for s in citemark.parse("It rains. [2] It pours [1, 2].").sentences]
[((2,), 'It rains.'), ((1, 2), 'It pours.')]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from citemark._version import __version__

if TYPE_CHECKING:
    from citemark.case import Case, Source
    from citemark.case_files import load_cases
    from citemark.citations import ParsedAnswer, Problem, Sentence, SpanCitation
    from citemark.errors import CaseError, CitemarkError, JudgeError, RubricError, UsageError
    from citemark.impression import Impression
    from citemark.notices import CitemarkNotice
    from citemark.rubrics import Rubric, load_rubric, rubric
    from citemark.scorecard import Judgment, Scorecard, SourceCard
    from citemark.scoring import ascore, ascore_many, parse, score, score_many

_PLACES = {
    "citemark.case": ("Case", "Source"),
    "citemark.case_files": ("load_cases",),
    "citemark.citations": ("ParsedAnswer", "Problem", "Sentence", "SpanCitation"),
    "citemark.errors": ("CaseError", "CitemarkError", "JudgeError", "RubricError", "UsageError"),
    "citemark.impression": ("Impression",),
    "citemark.notices": ("CitemarkNotice",),
    "citemark.rubrics": ("Rubric", "load_rubric", "rubric"),
    "citemark.scorecard": ("Judgment", "Scorecard", "SourceCard"),
    "citemark.scoring": ("ascore", "ascore_many", "parse", "score", "score_many"),
}
_MODULE_OF = {name: module for module, names in _PLACES.items() for name in names}

__all__ = [
    "Case",
    "CaseError",
    "CitemarkError",
    "CitemarkNotice",
    "Impression",
    "JudgeError",
    "Judgment",
    "ParsedAnswer",
    "Problem",
    "Rubric",
    "RubricError",
    "Scorecard",
    "Sentence",
    "Source",
    "SourceCard",
    "SpanCitation",
    "UsageError",
    "__version__",
    "ascore",
    "ascore_many",
    "load_cases",
    "load_rubric",
    "parse",
    "rubric",
    "score",
    "score_many",
]


def __getattr__(name: str) -> Any:
    """Import what is asked for when it is asked for, so that ``import citemark`` is quick."""
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module 'citemark' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
