"""Answer in, parsed answer out: finds the markers, splits the text, ties the two together."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from citemark.citations.answer import Kind, Marker, ParsedAnswer, Reference, Sentence
from citemark.citations.blocks import with_block_sources
from citemark.citations.layout import MARK, OPAQUE, masked, segments
from citemark.citations.markers import Found, Scan, find_markers, resolve
from citemark.citations.markers import references_in_links as linked
from citemark.citations.problems import Lint, find_problems
from citemark.citations.prose import with_asides, without_gaps
from citemark.citations.references import find_reference_list
from citemark.citations.regions import Region, find_regions
from citemark.citations.sentences import split
from citemark.citations.spans import SpanCitation, add_spans
from citemark.citations.urls import normalised_url
from citemark.citations.words import count_words

PARSER_VERSION = 1
"""Goes up when the same answer would be read in another way; part of every signature."""

_HAS_WORD = re.compile(rf"[^\W_]|{OPAQUE}")


@dataclass(slots=True)
class Draft:
    """A sentence in the making."""

    start: int
    end: int
    kind: Kind
    paragraph: int
    item: int
    bare: bool
    marks: list[Marker]
    closed: bool = False
    """A marker stands at its very end."""
    skip: tuple[int, int] | None = None
    """A list number at its start, which is none of its words."""
    spans: set[int] = field(default_factory=set)
    """Sources that a reported span adds."""


def parse_answer(
    answer: str,
    urls: Mapping[int, str | None] | None = None,
    citations: Sequence[SpanCitation] = (),
) -> ParsedAnswer:
    """Take an answer apart; ``urls`` are the listed sources (number to URL), if any are listed."""
    listed = None if urls is None else frozenset(urls)
    by_url = {normalised_url(url): n for n, url in (urls or {}).items() if url}
    references = find_reference_list(answer)
    scan = Scan(answer, references.start, listed, by_url)
    regions = find_regions(answer)
    found, hidden = _outside(find_markers(scan), regions)
    found, links = _linked_sources(found, scan)
    markers = _markers(found, scan, links)
    text = masked(answer, _fills(answer, found, markers, regions, references.start))
    drafts, outside = _drafts(text, references.start, markers)
    reported = add_spans(drafts, citations, listed, len(answer))
    sentences = with_block_sources(_sentences(answer, drafts))
    entries = {**linked(found, scan), **links, **references.entries}
    sources = _sources(listed, sentences)
    lint = Lint(
        answer, sentences, markers, hidden, outside, sources, listed, references.start, reported
    )
    return ParsedAnswer(
        answer=answer,
        sentences=sentences,
        markers=markers,
        problems=find_problems(lint),
        sources=sources,
        references={n: entries[n] for n in sources if n in entries},
    )


def _sources(listed: frozenset[int] | None, sentences: Iterable[Sentence]) -> tuple[int, ...]:
    if listed is not None:
        return tuple(sorted(listed))
    return tuple(sorted({n for sentence in sentences for n in sentence.sources}))


def _outside(
    found: list[Found], regions: list[Region]
) -> tuple[list[Found], list[tuple[int, int]]]:
    """The markers outside code and formulas; and where something in code looks like one."""
    if not regions:
        return found, []
    starts = [region.start for region in regions]
    kept: list[Found] = []
    in_code: list[tuple[int, int]] = []
    for marker in found:
        index = bisect_right(starts, marker.end - 1) - 1
        if index < 0 or regions[index].end <= marker.start:
            kept.append(marker)
        elif marker.numbers and regions[index].code:
            in_code.append((marker.start, marker.end))
    return kept, in_code


def _linked_sources(found: list[Found], scan: Scan) -> tuple[list[Found], dict[int, Reference]]:
    """Number the links of an answer that cites by link alone and whose sources are not listed.

    Links that point to no listed source are left in place as text.
    """
    if scan.listed is not None or any(f.numbers for f in found):
        return [f for f in found if f.numbers or _is_known(f, scan)], {}
    numbers: dict[str, int] = {}
    links: dict[int, Reference] = {}
    cited: list[Found] = []
    for f in found:
        if f.style == "memory":
            cited.append(f)
        if f.style not in ("link", "url") or not f.url or not _LINKED.match(f.url):
            continue
        number = numbers.setdefault(normalised_url(f.url), len(numbers) + 1)
        links.setdefault(number, Reference(f.url, f.title))
        cited.append(Found(f.start, f.end, (number,), f.url, f.title, f.prose, f.style))
    return cited, links


def _is_known(found: Found, scan: Scan) -> bool:
    if found.style == "memory":
        return True
    return found.url is not None and normalised_url(found.url) in scan.by_url


def _markers(found: list[Found], scan: Scan, links: Mapping[int, Reference]) -> tuple[Marker, ...]:
    markers = []
    widened = with_asides(scan.answer, [(f.start, f.end) for f in found])
    for f, span in zip(found, widened, strict=True):
        named, sources = (f.numbers, f.numbers) if links else resolve(f, scan)
        gaps: tuple[tuple[int, int], ...] = (span,)
        if f.prose:
            gaps = ((f.start, f.prose[0]), (f.prose[1], f.end))
        markers.append(Marker(f.start, f.end, named, sources, gaps))
    return tuple(markers)


def _fills(
    answer: str, found: list[Found], markers: tuple[Marker, ...], regions: list[Region], end: int
) -> list[tuple[int, int, str]]:
    """What the layout must not read: markers, code, formulas, addresses."""
    fills: list[tuple[int, int, str]] = []
    for f, marker in zip(found, markers, strict=True):
        if f.prose is None:
            fills.append((*marker.gaps[0], MARK))
        else:
            fills.extend((start, stop, OPAQUE) for start, stop in marker.gaps)
    fills.extend((r.start, r.end, "\n" if r.block else OPAQUE) for r in regions)
    if "://" in answer or "www." in answer:
        fills.extend((*m.span(), OPAQUE) for m in _ADDRESS.finditer(answer, 0, end))
    return fills


_LINKED = re.compile(r"https?://|www\.", re.IGNORECASE)
_AFTER_CLOSING = " \t.!?…。！？,;\"'”’)*_|"
_ADDRESS = re.compile(r"(?:https?://|www\.)[^\s<>\[\]()]*[^\s<>\[\]().,;:!?。，]", re.IGNORECASE)


def _drafts(text: str, end: int, markers: tuple[Marker, ...]) -> tuple[list[Draft], list[Marker]]:
    """The sentences with the markers that stand in them, and the markers outside of all."""
    drafts: list[Draft] = []
    for segment in segments(text, end):
        for piece in split(text, segment):
            start, end_, kind, bare = piece
            if _HAS_WORD.search(text, start, end_):
                drafts.append(Draft(start, end_, kind, segment.paragraph, segment.item, bare, []))
            elif drafts and MARK in text[start:end_]:
                # Markers that stand by themselves close the sentence before them.
                drafts[-1].end = end_
    outside = _place(drafts, markers, text)
    _merge_bare_numbers(drafts)
    return drafts, outside


def _place(drafts: list[Draft], markers: tuple[Marker, ...], text: str) -> list[Marker]:
    index = 0
    outside: list[Marker] = []
    for marker in markers:
        while index < len(drafts) and drafts[index].end <= marker.start:
            index += 1
        draft = drafts[index] if index < len(drafts) else None
        if draft and marker.end > draft.start:
            draft.marks.append(marker)
        elif draft and index == 0 and not text[marker.end : draft.start].strip(f" \t\n{MARK}"):
            draft.start = marker.start  # the answer begins with a marker on its own line
            draft.marks.append(marker)
        else:
            outside.append(marker)
    for draft in drafts:
        if draft.marks:
            tail = text[draft.start : draft.end].rstrip(_AFTER_CLOSING)
            draft.closed = tail.endswith(MARK)
    return outside


def _merge_bare_numbers(drafts: list[Draft]) -> None:
    """``1[2]. Text`` cites source 2 for the text, unless the text has a marker of its own.

    Where it has one, the engine put its markers behind each sentence, and the one at the
    number cites nothing but the number.
    """
    for bare, item in pairwise(drafts):
        if bare.bare and not item.bare and not item.marks and item.paragraph == bare.paragraph:
            item.marks.extend(bare.marks)
            item.start = bare.start
            item.skip = (bare.start, bare.end)
            bare.marks.clear()
    drafts[:] = [draft for draft in drafts if draft.marks or not draft.bare]


def _sentences(answer: str, drafts: list[Draft]) -> list[tuple[Sentence, Draft]]:
    sentences = []
    paragraphs: dict[int, int] = {}  # numbered anew: a block without words leaves no gap
    for n, draft in enumerate(drafts):
        text = _text(answer, draft)
        sources = _cited(draft)
        paragraph = paragraphs.setdefault(draft.paragraph, len(paragraphs))
        words = count_words(text)
        sentence = Sentence(
            n, draft.start, draft.end, text, sources, sources, paragraph, draft.kind, words
        )
        sentences.append((sentence, draft))
    return sentences


def _cited(draft: Draft) -> tuple[int, ...]:
    """The sources of a sentence, each once."""
    if not draft.spans and len(draft.marks) < 2:
        return draft.marks[0].sources if draft.marks else ()
    sources = {source for marker in draft.marks for source in marker.sources}
    return tuple(sorted(sources.union(draft.spans)))


def _text(answer: str, draft: Draft) -> str:
    """The words of a sentence, without its markers and its list number."""
    if not draft.marks:
        return answer[draft.start : draft.end]
    gaps = [gap for marker in draft.marks for gap in marker.gaps]
    if draft.skip:
        gaps.insert(0, draft.skip)
    return without_gaps(answer, draft.start, draft.end, gaps)
