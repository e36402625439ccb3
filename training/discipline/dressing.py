"""Words that say nothing new, put into a source's sentences: filler, praise, emphasis."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from random import Random

from citemark import Case, ParsedAnswer, Sentence
from training.discipline.reading import (
    Edit,
    Variant,
    cites_alike,
    closing,
    edited,
    lines_gained,
    marker_for,
    outside_markers,
    own,
    read,
    reads_alike,
    some,
    wording,
)

_AUXILIARY = re.compile(r"\b(?:is|are|was|were|can|has|have|will|may|should|must)(?= [a-z])")
_CAN_BE_SMALL = frozenset(
    "the a an in on at for from by with it its this that these those there they their he she his "
    "her one some many most several all both each other another if when while since because "
    "although after before during as to such numerous various recent "
    "however according people researchers scientists studies".split()
)
OPENER = re.compile(
    r"(?:Overall|First|Firstly|Second|Secondly|Third|Thirdly|Finally|Lastly|However|Additionally"
    r"|Furthermore|Moreover|Also|Therefore|Thus|Similarly|Likewise|Conversely|Instead|Meanwhile"
    r"|For (?:example|instance)|In (?:addition|conclusion|summary|contrast|fact|general|particular)"
    r"|On the other hand|As a result), "
)
"""What ties a sentence to the one before it; other phrases go behind it."""
_LONGEST_TOPIC = 20
_DRAWS = 4
"""How often other sentences and places are tried when those drawn allow no phrase."""


def dressed(case: Case, source: int, rng: Random, kind: str) -> Variant | None:
    """Put phrases of a kind (a table of wording.toml) into some of the source's sentences."""
    phrases, parsed = wording()[kind], read(case)
    places = [place for place in ("leads", "tails", "adverbs", "doubles") if place in phrases]
    sentences = own(parsed, source)
    if not sentences:
        return None
    for _ in range(_DRAWS):
        edits: list[Edit] = []
        for sentence in some(rng, sentences):
            for place in some(rng, places):
                edits += _PLACING[place](parsed, sentence, rng, phrases[place])
        variant = edited(case, edits)
        if edits and cites_alike(case, variant):
            return Variant(variant)
    return None


def _lead(parsed: ParsedAnswer, s: Sentence, rng: Random, leads: list[str]) -> list[Edit]:
    opener = OPENER.match(parsed.answer, s.start)
    at = opener.end() if opener else s.start
    first = re.compile(r"[A-Za-z][a-z]*(?=[ ,])").match(parsed.answer, at)
    if first is None or not outside_markers(parsed, s.start, first.end()):
        return []  # a quotation, a number, emphasis: no phrase goes before it easily
    lead = rng.choice(leads)
    if opener:
        lead = lead[0].lower() + lead[1:]
    return [Edit(at, first.end(), lead + small(first[0], parsed.answer))]


def small(word: str, answer: str) -> str:
    """The first word of a sentence as it stands within one: a name keeps its capital."""
    lower = word.lower()
    seen = re.search(rf"(?<![\w.]){re.escape(lower)}\b", answer)
    return lower if word != "I" and (lower in _CAN_BE_SMALL or seen) else word


def _tail(parsed: ParsedAnswer, s: Sentence, rng: Random, tails: list[str]) -> list[Edit]:
    at = closing(parsed, s)
    if not parsed.answer[at - 1].isalnum() or parsed.answer[at : at + 1] in "*_":
        return []
    return [Edit(at, at, rng.choice(tails))]


def _adverbs(parsed: ParsedAnswer, s: Sentence, rng: Random, adverbs: list[str]) -> list[Edit]:
    found = [
        m.end()
        for m in _AUXILIARY.finditer(parsed.answer, s.start + 1, closing(parsed, s))
        if outside_markers(parsed, *m.span())
    ]
    return [Edit(at, at, f" {rng.choice(adverbs)}") for at in (some(rng, found) if found else ())]


def _doubles(
    parsed: ParsedAnswer, s: Sentence, _rng: Random, doubles: Mapping[str, str]
) -> list[Edit]:
    return exchanged(parsed, s, doubles)


def exchanged(parsed: ParsedAnswer, s: Sentence, table: Mapping[str, str]) -> list[Edit]:
    """Edits that put a table's right-hand words in place of its left-hand words."""
    words = re.compile(rf"(?<![\w-])(?:{'|'.join(table)})(?![\w-])")
    return [
        Edit(*m.span(), table[m[0]])
        for m in words.finditer(parsed.answer, s.start + 1, closing(parsed, s))
        if outside_markers(parsed, *m.span())
    ]


_PLACING: Mapping[str, Callable[[ParsedAnswer, Sentence, Random, object], list[Edit]]] = {
    "leads": _lead,  # type: ignore[dict-item]
    "tails": _tail,  # type: ignore[dict-item]
    "adverbs": _adverbs,  # type: ignore[dict-item]
    "doubles": _doubles,  # type: ignore[dict-item]
}


def joined(
    case: Case, source: int, rng: Random, kind: str, *, count: int = 1, topic: str = ""
) -> Variant | None:
    """Add sentences of a kind after one of the source's own, cited to the source."""
    parsed = read(case)
    marker, sentences = marker_for(parsed, source), own(parsed, source)
    if marker is None or not sentences:
        return None
    phrases = rng.sample(wording()[kind]["sentences"], count)
    added = "".join(" " + phrase.format(m=marker, topic=topic) for phrase in phrases)
    after = rng.choice(sentences)
    stop = "" if case.answer[: after.end].rstrip("*_ ])】0123456789")[-1:] in ".!?" else "."
    if stop and after.kind == "item":
        return None  # items without stops run on: a sentence behind them would join them
    variant = edited(case, [Edit(after.end, after.end, added)])
    gained, lost = lines_gained(case, variant)
    as_meant = not lost and gained.total() == count and all(x.sources == (source,) for x in gained)
    return Variant(variant) if as_meant else None


def padded(case: Case, source: int, rng: Random) -> Variant | None:
    """Pad the source's sentences with filler words and phrases."""
    return dressed(case, source, rng, "filler")


def praised(case: Case, source: int, rng: Random) -> Variant | None:
    """Praise the source within its sentences, or in a sentence of its own."""
    if rng.random() < 0.4:
        return joined(case, source, rng, "praise")
    return dressed(case, source, rng, "praise")


def persuasive(case: Case, source: int, rng: Random) -> Variant | None:
    """Say the same with words of conviction."""
    return dressed(case, source, rng, "persuasion")


def called_new(case: Case, source: int, rng: Random) -> Variant | None:
    """Call what the source says new and original, and say nothing else."""
    return dressed(case, source, rng, "novelty")


def called_important(case: Case, source: int, rng: Random) -> Variant | None:
    """Call what the source says important and influential, and say nothing else."""
    return dressed(case, source, rng, "importance")


def emphasised(case: Case, source: int, rng: Random) -> Variant | None:
    """Stress what the source says, in words."""
    return dressed(case, source, rng, "emphasis")


def prominent(case: Case, source: int, _rng: Random) -> Variant | None:
    """Set all of the source's sentences in bold."""
    parsed = read(case)
    edits = []
    for s in own(parsed, source):
        start, end = s.start, closing(parsed, s)
        if outside_markers(parsed, start, end) and not set("*_`$") & set(case.answer[start:end]):
            edits.append(Edit(start, end, f"**{case.answer[start:end]}**"))
    variant = Variant(edited(case, edits))
    return variant if edits and reads_alike(case, variant) else None


def on_the_query(case: Case, source: int, rng: Random) -> Variant | None:
    """Repeat the query's words beside what the source says, which adds nothing to it."""
    topic = re.sub(r"[?!.\"“”]+", "", case.query).strip()
    if len(topic.split()) > _LONGEST_TOPIC or "\n" in topic:
        return None
    if rng.random() < 0.4:
        return joined(case, source, rng, "topic", topic=topic)
    parsed = read(case)
    leads = [lead.format(topic=topic) for lead in wording()["topic"]["leads"]]
    edits = [e for s in own(parsed, source)[:1] for e in _lead(parsed, s, rng, leads)]
    variant = edited(case, edits)
    return Variant(variant) if edits and cites_alike(case, variant) else None


def ornate(case: Case, source: int, _rng: Random) -> Variant | None:
    """Write the source's sentences in a loftier style: other words, nothing else."""
    parsed = read(case)
    edits = [e for s in own(parsed, source) for e in exchanged(parsed, s, wording()["ornate"])]
    variant = edited(case, edits)
    return Variant(variant) if edits and cites_alike(case, variant) else None


def with_asides(case: Case, source: int, rng: Random) -> Variant | None:
    """Add two facts about the source's page that have no bearing on the query."""
    return joined(case, source, rng, "aside", count=2)
