"""Changes of mere appearance, which must not move any score: numbers, order, space, style."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import groupby, pairwise
from random import Random

from citemark import Case, ParsedAnswer, Sentence
from training.discipline.reading import (
    Edit,
    Variant,
    edited,
    outside_markers,
    read,
    reads_alike,
    simple_markers,
    some,
)

_HIGHEST = 60
_WORD = re.compile(r"(?<![\w*_`/#@.<-])[A-Za-z][a-z]{2,}(?: [a-z]{3,})?(?![\w*_`/@>-])")
_ITEM = re.compile(r"^([ \t]*)([-*•])(?=[ \t]+\S)", re.MULTILINE)
_NUMBER = re.compile(r"\d+")


def _if_alike(before: Case, after: Variant) -> Variant | None:
    changed = before != after.case
    return after if changed and reads_alike(before, after) else None


def renumbered(case: Case, _source: int, rng: Random) -> Variant | None:
    """Give the sources other numbers, in the markers and in the list."""
    parsed = read(case)
    if not simple_markers(parsed) or parsed.references:
        return None
    numbers = sorted({*parsed.sources, *(n for m in parsed.markers for n in m.named)})
    fresh = numbers if rng.random() < 0.5 else range(1, max(_HIGHEST, len(numbers)) + 1)
    renamed = dict(zip(numbers, rng.sample(fresh, len(numbers)), strict=True))
    edits = [
        Edit(
            m.start,
            m.end,
            _NUMBER.sub(lambda n: str(renamed[int(n[0])]), case.answer[m.start : m.end]),
        )
        for m in parsed.markers
    ]
    sources = case.sources and tuple(replace(s, n=renamed[s.n]) for s in case.sources)
    return _if_alike(case, Variant(replace(edited(case, edits), sources=sources), renamed))


def reordered(case: Case, _source: int, rng: Random) -> Variant | None:
    """Shuffle the list of sources; the answer stays as it is."""
    if not case.sources or len(case.sources) < 2:
        return None
    sources = list(case.sources)
    while tuple(sources) == case.sources:
        rng.shuffle(sources)
    return _if_alike(case, Variant(replace(case, sources=tuple(sources))))


def respaced(case: Case, _source: int, rng: Random) -> Variant | None:
    """Change white space: between words, around line ends, before markers, around the answer."""
    if any(sign in case.answer for sign in ("```", "\n    ", "\n\t")):
        return None  # white space means something there
    changed = case
    for change in some(rng, _SPACINGS):
        changed = replace(changed, answer=change(changed, rng))
    return _if_alike(case, Variant(changed))


def _wide(case: Case, rng: Random) -> str:
    return re.sub(r"(?<=\S) (?=\S)", lambda _: " " * rng.choice((1, 1, 2, 3)), case.answer)


def _line_ends(case: Case, rng: Random) -> str:
    return re.sub(
        r"\n\n+", lambda _: rng.choice(("\n\n", "\n\n\n", "\n \n", "  \n\n")), case.answer
    )


def _carriage_returns(case: Case, _rng: Random) -> str:
    return re.sub(r"\r?\n", "\r\n", case.answer)


def _before_markers(case: Case, _rng: Random) -> str:
    parsed = read(case)
    edits = []
    for m in parsed.markers:
        if case.answer[m.start] not in "[【":
            continue  # a marker in words, such as "passage 3"
        before = case.answer[max(0, m.start - 2) : m.start]
        if re.fullmatch(r"\w ", before):
            edits.append(Edit(m.start - 1, m.start, ""))
        elif re.fullmatch(r".\w", before):
            edits.append(Edit(m.start, m.start, " "))
    return edited(case, edits).answer


def _around(case: Case, rng: Random) -> str:
    return rng.choice(("\n", " ", "\n\n")) + case.answer.rstrip() + rng.choice(("\n", "  ", "\n\n"))


_SPACINGS: list[Callable[[Case, Random], str]] = [
    _before_markers,
    _wide,
    _line_ends,
    _around,
    _carriage_returns,
]


def remarked(case: Case, _source: int, rng: Random) -> Variant | None:
    """Write the markers in another style: ``[1][2]``, ``[1, 2]``, ``【1†source】``."""
    parsed = read(case)
    if not simple_markers(parsed):
        return None
    styles = [_apart, _joined, _wide_brackets]
    rng.shuffle(styles)
    for style in styles:
        edits = [Edit(start, end, style(numbers)) for start, end, numbers in _runs(parsed)]
        variant = Variant(edited(case, edits))
        if variant.case.answer != case.answer:
            return _if_alike(case, variant)
    return None


def _apart(numbers: list[int]) -> str:
    return "".join(f"[{n}]" for n in numbers)


def _joined(numbers: list[int]) -> str:
    return f"[{', '.join(map(str, numbers))}]"


def _wide_brackets(numbers: list[int]) -> str:
    return "".join(f"【{n}†source】" for n in numbers)


def _runs(parsed: ParsedAnswer) -> list[tuple[int, int, list[int]]]:
    """Markers that stand side by side, as one stretch with the numbers that it names."""
    runs: list[tuple[int, int, list[int]]] = []
    for m in parsed.markers:
        named = list(m.named)
        if runs and not parsed.answer[runs[-1][1] : m.start].strip(" "):
            start, _, earlier = runs[-1]
            runs[-1] = (start, m.end, list(dict.fromkeys(earlier + named)))
        else:
            runs.append((m.start, m.end, named))
    return runs


def emboldened(case: Case, _source: int, rng: Random) -> Variant | None:
    """Set some words and pairs of words in bold or italics."""
    parsed = read(case)
    found = [
        match.span()
        for s in parsed.sentences
        if s.kind in ("sentence", "item") and not set("*_`$") & set(case.answer[s.start : s.end])
        for match in _WORD.finditer(case.answer, s.start, s.end)
        if outside_markers(parsed, *match.span())
    ]
    if not found:
        return None
    chosen = rng.sample(found, min(len(found), rng.randint(1, 8)))
    mark = rng.choice(("**", "**", "*", "__"))
    edits = [Edit(start, end, f"{mark}{case.answer[start:end]}{mark}") for start, end in chosen]
    return _if_alike(case, Variant(edited(case, edits)))


def bulleted(case: Case, _source: int, rng: Random) -> Variant | None:
    """Make list items of the sentences of paragraphs, and give lists another bullet."""
    parsed = read(case)
    paragraphs = [p for p in _paragraphs(parsed) if _can_be_list(parsed, p)]
    edits: list[Edit] = []
    bullet = rng.choice(("- ", "* ", "• "))
    for members in some(rng, paragraphs) if paragraphs else ():
        edits.append(Edit(members[0].start, members[0].start, bullet))
        for one, other in pairwise(members):
            edits.append(Edit(one.end, other.start, f"\n{bullet}"))
    edits += [Edit(*m.span(2), bullet.strip()) for m in _ITEM.finditer(case.answer)]
    return _if_alike(case, Variant(edited(case, edits)))


def _paragraphs(parsed: ParsedAnswer) -> list[list[Sentence]]:
    return [list(group) for _, group in groupby(parsed.sentences, key=lambda s: s.paragraph)]


def _can_be_list(parsed: ParsedAnswer, members: list[Sentence]) -> bool:
    """Whether they are sentences only, begin a line, and have nothing but space between them."""
    answer, first = parsed.answer, members[0].start
    return (
        len(members) > 1
        and all(s.kind == "sentence" for s in members)
        and (first == 0 or answer[first - 1] == "\n")
        and not any(answer[a.end : b.start].strip() for a, b in pairwise(members))
    )
