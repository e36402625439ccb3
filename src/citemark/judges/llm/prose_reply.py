"""Finding the one score in whatever a model sent: words, JSON, thoughts, a refusal."""

from __future__ import annotations

import json
import re

from citemark.judges.llm.finding import verdicts
from citemark.judges.llm.json_scan import Node, find_objects
from citemark.judges.llm.numerals import Scale, on_scale
from citemark.judges.llm.plain_text import after_thoughts, plain_lines
from citemark.judges.llm.refusals import declines, opens_as_refusal
from citemark.judges.llm.unreadable import Unreadable
from citemark.judges.llm.verdict import Strength, Verdict, decide

_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen twenty"
).split()
_SCORE_KEYS = (
    ("final_score", "finalscore", "final", "final_rating", "final_verdict", "final_answer"),
    ("score", "rating", "verdict", "total_score", "overall_score", "total", "sum", "grade"),
    ("value", "answer", "result", "output", "response"),
)
_SCORED_KEY = re.compile(r".*_score|.*_rating|score_.*|.*\bscore", re.DOTALL)
# Numbers that belong to something else, and sub-scores such as "R1".
_OTHER_KEY = re.compile(
    r"[a-z]\d|(?:.*_)?(?:id|n|number|index|source|sources|sentences?|confidence|scale|low|high|min|max"
    r"|minimum|maximum|out_of)(?:_.*)?",
    re.DOTALL,
)


def read_prose(text: str, low: int, high: int) -> int | Unreadable:
    """Read the one score that a reply gives; when in doubt, say why there is none."""
    start = after_thoughts(text)
    if start is None:
        return Unreadable("truncated", "The reply ends in the middle of the model's thoughts.")
    scale = Scale(low, high)
    found = _verdicts(text[start:], scale)
    if isinstance(found, Unreadable):
        return found
    score = decide(found)
    reply = text[start:]
    if isinstance(score, int):
        firm = any(v.strength >= Strength.STATED for v in found)
        return score if firm or not declines(reply) else _refused()
    if opens_as_refusal(reply) and (score is None or score.reason == "not_a_score"):
        return _refused()
    return score or _nothing(reply)


def _verdicts(reply: str, scale: Scale) -> list[Verdict] | Unreadable:
    """The verdicts of a reply in order: those in words, and that of its last JSON object."""
    objects = find_objects(reply)
    if objects.cut:
        return Unreadable("truncated", "The reply ends in the middle of a JSON object.")
    if not objects.found:
        lines = plain_lines(reply, *scale)
        return _spelled_out(lines, scale) or verdicts(lines, scale)
    last = objects.found[-1]
    before = verdicts(plain_lines(reply[: last.start], *scale), scale)
    after = verdicts(plain_lines(reply[last.end :], *scale), scale)
    value = _score_in(last, scale)
    if value is None:
        return before + after
    return [*before, Verdict(value, Strength.FINAL), *after]


def _spelled_out(lines: list[str], scale: Scale) -> list[Verdict]:
    """A number as a word counts only if it is the whole reply: "one" is in every other text."""
    word = lines[0].strip(" .!\"'").casefold() if len(lines) == 1 else ""
    if word not in _WORDS:
        return []
    return [Verdict(on_scale(str(_WORDS.index(word)), scale), Strength.FINAL)]


def _score_in(found: Node, scale: Scale) -> int | Unreadable | None:
    """The score that a JSON object states; None if it states none."""
    members = {_normal(key): node for key, node in found.members.items()}
    for names in _SCORE_KEYS:
        stated = [members[name] for name in names if name in members]
        if stated:
            return _one_of(stated, scale)
    scored = [node for key, node in members.items() if _SCORED_KEY.fullmatch(key)]
    if scored:
        return _one_of(scored, scale)
    others = [node for key, node in members.items() if not _OTHER_KEY.fullmatch(key)]
    numbers = [node for node in others if node.raw[:1].isdigit() or node.raw[:1] == "-"]
    return _one_of(numbers, scale) if numbers else None


def _normal(key: str) -> str:
    return key.strip().casefold().replace(" ", "_").replace("-", "_")


def _one_of(nodes: list[Node], scale: Scale) -> int | Unreadable:
    values = [_value(node, scale) for node in nodes]
    if any(value != values[0] for value in values):
        return Unreadable("not_a_score", "The JSON in the reply states several different numbers.")
    return values[0]


def _value(node: Node, scale: Scale) -> int | Unreadable:
    """A member of the object read as a score: a number, or a string that holds one."""
    written = str(json.loads(node.raw)) if node.raw[:1] == '"' else node.raw
    lines = plain_lines(written, *scale)
    value = decide(verdicts(lines, scale)) if len(lines) == 1 else None
    if value is None:
        return Unreadable("not_a_score", "The score in the JSON of the reply is no number.")
    return value


def _refused() -> Unreadable:
    return Unreadable("refused", "The model declined to give a score.")


def _nothing(reply: str) -> Unreadable:
    if not reply.strip("\ufeff \t\r\n"):
        return Unreadable("not_a_score", "The reply is empty.")
    if any(char.isnumeric() for char in reply):
        return Unreadable(
            "not_a_score", "The reply holds a number, but none is given as the score."
        )
    return Unreadable("not_a_score", "The reply holds no number.")
