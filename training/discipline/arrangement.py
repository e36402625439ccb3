"""The same statements, arranged otherwise: repeated, restated, split, moved, cited once more."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from random import Random

from citemark import Case, ParsedAnswer, Sentence, parse
from training.discipline.dressing import OPENER, exchanged, small
from training.discipline.reading import (
    Edit,
    Line,
    Variant,
    closing,
    edited,
    lines,
    lines_gained,
    marker_for,
    outside_markers,
    own,
    plain,
    read,
    reads_alike,
    some,
    wording,
)

_GAP = re.compile(r"\n[ \t\r]*\n\s*")
_ADJUNCT = re.compile(r"((?:In|On|At|By|Since|During|After) [^,]{3,30}), (?=(?:the|a|it|they) )")
_STOP = re.compile(r"[.!?][\"”’)*_]*\s*(?:[\[【][^\]】]+[\]】]\s*)*$")
_VERB = r"(?:is|are|was|were|can|could|has|have|had|will|would|may|might|should|must|does|do)"
_CLAUSE = re.compile(
    r"(?:; (?=[a-z])|, (?:and|but|while|whereas) (?=(?:it|they|he|she|there|we|you) "
    rf"|(?:[\w-]+ ){{1,4}}{_VERB} ))|, which (?={_VERB} )"
)


def repeated(case: Case, source: int, rng: Random) -> Variant | None:
    """Say one or more of the source's sentences again, word by word."""
    parsed = read(case)
    chosen = some(rng, [s for s in own(parsed, source) if s.kind == "sentence"])
    if not chosen:
        return None
    texts = [_closed(case.answer[s.start : s.end]) for s in chosen]
    again = _placed(case, parsed, list(zip(chosen, texts, strict=True)), rng)
    gained, lost = lines_gained(case, again)
    meant = Counter(_alone(line) for line in _lines_of(parsed, chosen))
    as_meant = not lost and Counter(_alone(line) for line in gained.elements()) == meant
    return Variant(again) if as_meant else None


def restated(case: Case, source: int, rng: Random) -> Variant | None:
    """Say one or more of the source's sentences again in slightly other words."""
    return said_again(case, source, source, rng)


def said_again(case: Case, source: int, cited: int, rng: Random) -> Variant | None:
    """Say the source's sentences again in other words, cited to ``cited``."""
    parsed = read(case)
    marker = marker_for(parsed, cited)
    sentences = own(parsed, source)
    if cited != source:
        sentences = [s for s in sentences if s.sources == (source,)]
        if len(sentences) * 2 < len(parsed.attributed(source)):
            return None  # most of it is said by others already
    elif sentences:
        sentences = some(rng, sentences)
    if marker is None or not sentences:
        return None
    kind = "restatement" if cited == source else "echo"
    texts = [f"{reworded(s, rng, kind)} {marker}." for s in sentences]
    again = _placed(case, parsed, list(zip(sentences, texts, strict=True)), rng)
    gained, lost = lines_gained(case, again)
    as_meant = gained.total() == len(texts) and all(x.sources == (cited,) for x in gained)
    return Variant(again) if as_meant and not lost else None


def reworded(sentence: Sentence, rng: Random, kind: str) -> str:
    """A sentence in slightly other words, with a lead-in of a kind and without its stop."""
    text = OPENER.sub("", plain(sentence.text).rstrip(".!? "), count=1)
    text = text[:1].upper() + text[1:]
    adjunct = re.match(
        r"((?:In|On|At|By|Since|During|After) [^,]{3,30}), (?=the |a |it |they )", text
    )
    if adjunct and rng.random() < 0.6:
        rest = text[adjunct.end() :]
        text = f"{rest[0].upper()}{rest[1:]} {adjunct[1][0].lower()}{adjunct[1][1:]}"
    whole = parse(text + ".")
    if len(whole.sentences) == 1:
        text = edited_text(text, exchanged(whole, whole.sentences[0], wording()["synonyms"]))
    lead: str = rng.choice(wording()[kind]["leads"])
    first, gap, rest = text.partition(" ")
    return lead + small(first, text[1:]) + gap + rest if lead else text


def edited_text(text: str, edits: Sequence[Edit]) -> str:
    """A text with edits applied."""
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _placed(
    case: Case, parsed: ParsedAnswer, texts: list[tuple[Sentence, str]], rng: Random
) -> Case:
    """The case with each text put behind its sentence, or all of them as a last paragraph."""
    if all(s.kind == "sentence" for s, _ in texts) and rng.random() < 0.5:
        return edited(case, [Edit(s.end, s.end, f" {text}") for s, text in texts])
    end = parsed.sentences[-1].end
    line_end = case.answer.find("\n", end)
    at = len(case.answer) if line_end < 0 else line_end
    return edited(case, [Edit(at, at, "\n\n" + " ".join(text for _, text in texts))])


def _closed(text: str) -> str:
    return (
        text if re.search(r"[.!?][\"”’)*_]*\s*(?:[\[【][^\]】]+[\]】]\s*)*$", text) else f"{text}."
    )


def _lines_of(parsed: ParsedAnswer, chosen: Sequence[Sentence]) -> list[Line]:
    every = lines(parsed)
    return [every[s.n] for s in chosen]


def _alone(line: Line) -> tuple[str, tuple[int, ...]]:
    return line.text.rstrip("."), line.sources


def moved_forward(case: Case, source: int, rng: Random) -> Variant | None:
    """Move the source's paragraph to the front."""
    return _if_moved(case, _paragraph_moved(case, source, rng, front=True))


def moved_back(case: Case, source: int, rng: Random) -> Variant | None:
    """Move the source's paragraph to the end."""
    return _if_moved(case, _paragraph_moved(case, source, rng, front=False))


def torn_forward(case: Case, source: int, _rng: Random) -> Variant | None:
    """Move all of the source's sentences to the front, away from what led up to them."""
    return _if_moved(case, _sentences_moved(case, source, front=True))


def torn_back(case: Case, source: int, _rng: Random) -> Variant | None:
    """Move all of the source's sentences to the end, away from what led up to them."""
    return _if_moved(case, _sentences_moved(case, source, front=False))


def _if_moved(case: Case, moved: Case | None) -> Variant | None:
    """The moved case, if something came to stand elsewhere and nothing else changed."""
    if moved is None or moved.answer == case.answer:
        return None
    gained, lost = lines_gained(case, moved)
    as_meant = not gained and not lost and lines(read(case)) != lines(read(moved))
    return Variant(moved) if as_meant else None


def _paragraph_moved(case: Case, source: int, rng: Random, *, front: bool) -> Case | None:
    parsed = read(case)
    groups = _groups(parsed)
    holding = [
        i
        for i, (start, end) in enumerate(groups)
        if any(start <= s.start < end for s in parsed.attributed(source))
    ]
    last = max((i for i, g in enumerate(groups) if g[0] < parsed.sentences[-1].end), default=0)
    movable = [i for i in holding if i != (0 if front else last) and i <= last]
    if not movable:
        return None
    texts = [case.answer[start:end].rstrip() for start, end in groups]
    moved = texts.pop(rng.choice(movable))
    texts.insert(0 if front else last, moved)
    return edited(case, [Edit(0, len(case.answer), "\n\n".join(texts))])


def _groups(parsed: ParsedAnswer) -> list[tuple[int, int]]:
    """The answer's paragraphs, each together with the heading or lead-in before it."""
    answer = parsed.answer
    starts = [0, *(m.end() for m in _GAP.finditer(answer) if m.end() < len(answer))]
    headings = {s.start for s in parsed.sentences if s.kind == "heading"}
    groups: list[tuple[int, int]] = []
    opening: int | None = None
    for start, end in zip(starts, [*starts[1:], len(answer)], strict=True):
        first = start if opening is None else opening
        text = answer[start:end].rstrip(" \n\t*_")
        only_heading = "\n" not in text and any(start <= h < end for h in headings)
        opening = first if only_heading or text.endswith(":") else None
        if opening is None:
            groups.append((first, end))
    if opening is not None:
        groups.append((opening, len(answer)))
    return groups


def _sentences_moved(case: Case, source: int, *, front: bool) -> Case | None:
    parsed = read(case)
    chosen = [s for s in parsed.attributed(source) if s.kind == "sentence"]
    if not chosen or len(chosen) == len(parsed.sentences):
        return None
    text = " ".join(_closed(case.answer[s.start : s.end]) for s in chosen)
    cuts = [Edit(*span(parsed, s), "") for s in chosen]
    one_paragraph = "\n" not in case.answer.strip()
    gap = " " if one_paragraph else "\n\n"
    rest = edited(case, cuts).answer
    if front:
        return edited(case, [Edit(0, len(case.answer), text + gap + rest.strip())])
    if parsed.sentences[-1].end < len(case.answer.rstrip()) - 1:
        return None  # something stands behind the last sentence, such as a reference list
    return edited(case, [Edit(0, len(case.answer), rest.rstrip() + gap + text)])


def span(parsed: ParsedAnswer, sentence: Sentence) -> tuple[int, int]:
    """What to cut out so that a sentence is gone: with the space behind it, or its whole line."""
    answer, start, end = parsed.answer, sentence.start, sentence.end
    if sentence.kind == "item":
        start = answer.rfind("\n", 0, start) + 1
        stop = answer.find("\n", end)
        end = len(answer) if stop < 0 else stop + 1
        return start, end
    while end < len(answer) and answer[end] in " \t":
        end += 1
    return start, end


def split_up(case: Case, source: int, rng: Random) -> Variant | None:
    """Make two sentences of one that has two clauses; both cite what the one cited."""
    parsed = read(case)
    found = [
        (s, m)
        for s in own(parsed, source)
        if s.kind == "sentence" and outside_markers(parsed, s.start, closing(parsed, s))
        for m in [_CLAUSE.search(case.answer, s.start, closing(parsed, s))]
        if m and len(case.answer[s.start : m.start()].split()) > 4
    ]
    if not found:
        return None
    edits = []
    for s, m in some(rng, found):
        marks = "".join(marker_for(parsed, n) or "" for n in s.sources)
        if not marks:
            return None
        if m[0] == ", which ":
            edits.append(Edit(m.start(), m.end(), f" {marks}. This "))
        else:
            edits.append(Edit(m.start(), m.end() + 1, f" {marks}. {case.answer[m.end()].upper()}"))
    variant = edited(case, edits)
    gained, lost = lines_gained(case, variant)
    halves = {line.sources for line in gained} == {line.sources for line in lost}
    return Variant(variant) if halves and gained.total() == 2 * lost.total() else None


def cited_again(case: Case, source: int, rng: Random) -> Variant | None:
    """Set the source's marker a second time within its sentences, before a comma."""
    parsed = read(case)
    marker = marker_for(parsed, source)
    if marker is None:
        return None
    edits = []
    for s in own(parsed, source):
        commas = [
            m.start()
            for m in re.finditer(r"(?<=[a-z])(?=, [a-z])", case.answer[: closing(parsed, s)])
            if m.start() > s.start
        ]
        if commas:
            at = rng.choice(commas)
            edits.append(Edit(at, at, f" {marker}"))
    variant = Variant(edited(case, edits))
    return variant if edits and reads_alike(case, variant) else None
