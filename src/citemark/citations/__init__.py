"""From an answer to its sentences and whom they cite."""

from __future__ import annotations

from citemark.citations.answer import Marker, ParsedAnswer, Problem, Reference, Sentence
from citemark.citations.parsing import PARSER_VERSION, parse_answer
from citemark.citations.problems import SEVERITIES, Severity
from citemark.citations.spans import SpanCitation

__all__ = [
    "PARSER_VERSION",
    "SEVERITIES",
    "Marker",
    "ParsedAnswer",
    "Problem",
    "Reference",
    "Sentence",
    "Severity",
    "SpanCitation",
    "parse_answer",
]
