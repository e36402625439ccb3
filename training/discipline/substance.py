"""Changes of substance, which must lower a score: less said, said by others, said vaguely."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

from citemark import Case, ParsedAnswer, Sentence, Source
from training.discipline.arrangement import said_again, span
from training.discipline.reading import (
    Edit,
    Variant,
    cites_alike,
    closing,
    edited,
    lines,
    lines_gained,
    outside_markers,
    own,
    read,
    wording,
)

_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
)
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_YEAR = r"(?:1[5-9]|20)\d\d"
_LARGE = r"thousand|million|billion|trillion"
_NUMBER = r"\d[\d.,]*(?<=\d)"
_NAME = r"(?:[A-Z][\w’'-]*[a-z0-9]|[A-Z]{2,}s?)(?:-[A-Z]\w+)?"
_MONEY = rf"(?:US)?[$€£] ?{_NUMBER}(?: ?(?:{_LARGE}|bn|m|k)\b)?"
_SPECIFICS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("quote", re.compile(r"[“\"][^“”\"\n]{3,120}[”\"]")),
    (
        "date",
        re.compile(
            rf"\b(?:(?:[Ii]n|[Oo]n|[Ss]ince|[Bb]y|[Ff]rom|[Uu]ntil|[Dd]uring) )?(?:the )?"
            rf"(?:{_DAY} )?(?:{_MONTH} (?:{_DAY},? )?)?{_YEAR}s?\b"
        ),
    ),
    ("share", re.compile(rf"(?:{_NUMBER}(?:-|–| to ))?{_NUMBER} ?(?:%|percent\b|per cent\b)")),
    ("money", re.compile(rf"{_MONEY}(?:(?:-|–| to ){_MONEY})?")),
    (
        "number",
        re.compile(
            rf"(?<![\w.-])(?:{_NUMBER}(?: ?(?:-|–|to) ?{_NUMBER})?(?: (?:{_LARGE}))?"
            r"|(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|fifty"
            rf"|hundred|{_LARGE})(?: (?:hundred|{_LARGE}))?)(?![\w-])"
        ),
    ),
    (
        "name",
        re.compile(
            rf"\b(?:[Tt]he )?(?:(?:Dr|Mr|Mrs|Prof|St)\. )?{_NAME}"
            rf"(?: (?:(?:of|de|for|and) (?:the )?)?(?:[A-Z]\. )?{_NAME})*"
        ),
    ),
)
_BEFORE_A_NOUN = re.compile(
    r"(?! (?:a|an|and|are|as|at|be|became|but|by|can|could|did|does|for|from|had|has|have|he|in"
    r"|into|is|it|its|may|might|must|not|of|on|or|she|should|so|such|than|that|the|their|they|to|under"
    r"|was|were|when|where|which|while|who|will|with|would|\w+ed|\w+s|\w+ly)\b) [a-z]{3,}"
)
_NO_NAME = frozenset(
    "In The A An It This That These Those They He She We You I If When While For On At By As To "
    "And But Or So However Also Moreover Overall Additionally Furthermore".split()
)
_LEAST_SPECIFICS = 2
_WORD = re.compile(r"[^\W\d_]{4,}")
_QUERIES_TRIED = 40


def halved(case: Case, source: int, rng: Random) -> Variant | None:
    """Take away half of the source's sentences."""
    parsed = read(case)
    count = len(parsed.attributed(source)) // 2
    every = lines(parsed)
    once = [s for s in own(parsed, source) if [x.text for x in every].count(every[s.n].text) == 1]
    if count == 0 or len(once) < max(2, count):
        return None
    gone = rng.sample(once, count)
    cuts = sorted({span(parsed, s) for s in gone})
    if len(cuts) < count:
        return None  # two sentences of one item: they cannot be cut apart by lines
    variant = edited(case, [Edit(start, end, "") for start, end in cuts])
    gained, lost = lines_gained(case, variant)
    as_meant = not gained and sorted(lost.elements()) == sorted(every[s.n] for s in gone)
    return Variant(variant) if as_meant else None


def echoed(case: Case, source: int, rng: Random) -> Variant | None:
    """Let another source, old or new, say the same in slightly other words."""
    parsed = read(case)
    others = sorted(parsed.cited - {source})
    fresh = max((*parsed.sources, *(n for m in parsed.markers for n in m.named))) + 1
    if others and rng.random() < 0.5:
        return said_again(case, source, rng.choice(others), rng)
    sources = None if case.sources is None else (*case.sources, Source(fresh))
    return said_again(replace(case, sources=sources), source, fresh, rng)


def vague(case: Case, source: int, rng: Random) -> Variant | None:
    """Put generalities in place of the numbers, dates, names and quotations of the source."""
    parsed = read(case)
    known = _names_in(case.query)
    edits = [e for s in own(parsed, source) for e in _generalities(parsed, s, rng, known)]
    variant = edited(case, edits)
    if len(edits) < _LEAST_SPECIFICS or not cites_alike(case, variant):
        return None
    return Variant(variant)


def _generalities(parsed: ParsedAnswer, s: Sentence, rng: Random, known: set[str]) -> list[Edit]:
    edits: list[Edit] = []
    for kind, pattern in _SPECIFICS:
        for m in pattern.finditer(parsed.answer, s.start, closing(parsed, s)):
            start, end = m.span()
            free = all(end <= e.start or e.end <= start for e in edits)
            if not free or not outside_markers(parsed, start, end) or _stays(kind, m, s, known):
                continue
            text = rng.choice(wording()["vague"][kind])
            if kind == "name" and _BEFORE_A_NOUN.match(parsed.answer, end):
                text = "the certain" if m[0][:4] == "the " else "certain"
            if start == s.start:
                text = text[0].upper() + text[1:]
            edits.append(Edit(start, end, text))
    return edits


def _stays(kind: str, match: re.Match[str], s: Sentence, known: set[str]) -> bool:
    """Whether a stretch is no specific after all: a sentence's first word, the query's subject."""
    if kind != "name":
        return False
    words = match[0].removeprefix("The ").removeprefix("the ").split()
    begins = match.start() - s.start <= 2
    if words[0] in _NO_NAME:
        return True
    if begins and (len(words) == 1 or not words[1][0].isupper()):
        return True
    after_colon = match.string[: match.start()].endswith(": ")
    return (after_colon and len(words) == 1) or bool(_names_in(match[0]) & known)


def _names_in(text: str) -> set[str]:
    """The longer words and the acronyms of a text, in small letters."""
    return {
        word.lower().removesuffix("s") for word in re.findall(r"[^\W\d_]{4,}|[A-Z]{2,}s?", text)
    }


def off_topic_among(queries: Sequence[str]) -> Callable[[Case, int, Random], Variant | None]:
    """The transformation that asks another, unrelated one of these queries."""

    def off_topic(case: Case, _source: int, rng: Random) -> Variant | None:
        """Ask another, unrelated query; the answer stays as it is."""
        mine = set(_WORD.findall(f"{case.query} {case.answer}".lower()))
        tried = rng.sample(queries, min(len(queries), _QUERIES_TRIED))
        words = {q: set(_WORD.findall(q.lower())) for q in tried if q != case.query}
        if not words:
            return None
        least = min(len(mine & own_words) for own_words in words.values())
        if least > 1:
            return None
        others = [q for q, own_words in words.items() if len(mine & own_words) == least]
        return Variant(replace(case, query=rng.choice(others)))

    return off_topic
