"""What holds for every text: spans, sources, words, determinism, and time that grows in line."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from citemark import parse
from citemark.citations import ParsedAnswer
from citemark.citations.words import count_words
from citemark.impression import impressions

FRAGMENTS = [
    "[", "]", "[1]", "[2]", "[1, 2]", "[1-3]", "[0]", "[9]", "[^1]", "[^1^]", "[[1]]", "[1](",
    "[1", "(", ")", "（", "）", "(see ", "(Source 2)", "(Source: ", "(1, Mir et al., 2021)",
    "【", "】", "【1】", "【4:2†source】", "［1］", "<sup>1</sup>", "<sup>", "¹", "²", "m²",
    "[3, p. 68]", "[LLM MEMORY | 2024]", "[a](https://a.example)", "![a](https://a.example)",
    "<a href='https://b.example'>b</a>", "https://", "https://a.example/x?utm_source=1",
    "www.b.example", "`", "``", "```", "\n```\n", "~~~\n", "$", "$$", "\\[", "\\]", "\\(",
    "\\begin{a}", "\\end{a}", "|", "|---|", "\n| a | b |\n", "\n- ", "\n* ", "\n1. ",
    "\n1[2]. ", " 2[3]. ", "# ", "\n## ", "> ", "\n---\n", "\n===\n", "**", "*", "_", "\n",
    "\n\n", "\r\n", "\r", "\t", "    ", " ", " ", " ", ". ", ".", "! ", "? ", ": ", "...", "。",
    "！", "؟ ", "। ", ",", ";", "e.g. ", "etc.", "Dr. ", "c. ", "U.S. ", "5 p.m. ", "3.5",
    "A. ", "Bees ", "dance", "the ", "The ", "蜜蜂", "はい", "「", "」", "벌", "نحل", "मधु",
    "\u202e", "\ufeff", "\x00", "\x01", "\x02", "\x07", "\x1c", "\x85", "\u2028", "\xa0",
    "\u200b", "́", "\ud800", "\udfff", "🐝", "\"", "”", "'", "\nReferences:\n", "Sources: ",
    "\n[1] https://a.example\n", "\n[^1]: note\n", "Source 1 ", "x = [1]",
]  # fmt: skip

NASTY = st.one_of(
    st.lists(st.sampled_from(FRAGMENTS), max_size=40).map("".join),
    st.text(alphabet=st.characters(codec=None), max_size=60),
)
SOURCES = st.one_of(
    st.none(),
    st.lists(st.integers(0, 5), unique=True, max_size=4),
    st.just([{"n": 1, "url": "https://a.example/x"}, {"n": 2, "url": "http://www.b.example"}]),
)
SPAN = st.builds(
    lambda start, end, sources: {"start": start, "end": end, "sources": sources},
    st.integers(0, 80), st.integers(0, 80), st.lists(st.integers(0, 5), max_size=3),
)  # fmt: skip
FIXED = settings(deadline=None, derandomize=True, max_examples=1500)


def check_spans(parsed: ParsedAnswer) -> None:
    answer, reached = parsed.answer, 0
    for n, sentence in enumerate(parsed.sentences):
        assert sentence.n == n
        assert reached <= sentence.start < sentence.end <= len(answer)
        reached = sentence.end
        rest = iter(answer[sentence.start : sentence.end])
        assert all(character in rest for character in sentence.text)  # in this order
    paragraphs = [sentence.paragraph for sentence in parsed.sentences]
    assert paragraphs == sorted(paragraphs)
    assert sorted(set(paragraphs)) == list(range(len(set(paragraphs))))


def check_sources(parsed: ParsedAnswer) -> None:
    known = set(parsed.sources)
    assert list(parsed.sources) == sorted(known)
    for sentence in parsed.sentences:
        assert list(sentence.sources) == sorted(set(sentence.sources))
        assert list(sentence.block_sources) == sorted(set(sentence.block_sources))
        assert set(sentence.sources) <= set(sentence.block_sources) <= known
        assert sentence.words == count_words(sentence.text) >= 0
    assert set(parsed.references) <= known


def check_markers(parsed: ParsedAnswer) -> None:
    reached = 0
    for marker in parsed.markers:
        assert reached <= marker.start < marker.end <= len(parsed.answer)
        reached = marker.end
        assert set(marker.sources) <= set(marker.named)
    for problem in parsed.problems:
        assert 0 <= problem.start <= problem.end <= len(parsed.answer)
        assert problem.message


def check_figures(parsed: ParsedAnswer) -> None:
    figures = impressions(parsed)
    assert set(figures) == set(parsed.sources)
    credited = sum(s.words for s in parsed.sentences if s.sources)
    assert sum(f.words for f in figures.values()) == pytest.approx(credited)
    for name in ("word", "word_position"):
        total = sum(getattr(f.share, name) for f in figures.values())
        assert total == pytest.approx(1.0 if credited else 0.0)


@FIXED
@given(NASTY, SOURCES)
@example("Claim [1].\n\nReferences:\n[1]\n[2]", None)
@example("[1]\r\n[2]", None)
@example("https://a.example/\ud800?x=\udfff", [{"n": 1, "url": "https://a.example"}])
def test_every_text_parses_and_keeps_its_promises(answer: str, sources: Any) -> None:
    parsed = parse(answer, sources=sources)
    check_spans(parsed)
    check_sources(parsed)
    check_markers(parsed)
    check_figures(parsed)
    assert parse(answer, sources=sources) == parsed


@settings(FIXED, max_examples=400)
@given(NASTY, SOURCES, st.lists(SPAN, max_size=5))
def test_reported_spans_keep_the_promises_too(answer: str, sources: Any, spans: Any) -> None:
    parsed = parse(answer, sources=sources, citations=spans)
    check_spans(parsed)
    check_sources(parsed)
    plain = parse(answer, sources=sources)
    assert [s.text for s in parsed.sentences] == [s.text for s in plain.sentences]
    for sentence, without in zip(parsed.sentences, plain.sentences, strict=True):
        assert set(sentence.sources) >= set(without.sources)


WORDS = st.lists(st.sampled_from(["bees", "ants", "dance", "walk"]), min_size=1, max_size=5)
CLAIMS = st.lists(st.tuples(WORDS, st.lists(st.integers(1, 9), max_size=3)), min_size=1, max_size=6)


@settings(FIXED, max_examples=300)
@given(CLAIMS, st.sampled_from([" {}.", "{}.", ". {}", ".{}", " ({})."]))
def test_plain_claims_come_back_as_they_were_put_together(
    claims: list[tuple[list[str], list[int]]], form: str
) -> None:
    parts = []
    for words, cited in claims:
        markers = "".join(f"[{n}]" for n in cited)
        parts.append("So " + " ".join(words) + (form.format(markers) if markers else "."))
    parsed = parse(" ".join(parts))
    assert [(s.text, s.sources) for s in parsed.sentences] == [
        ("So " + " ".join(words) + ".", tuple(sorted(set(cited)))) for words, cited in claims
    ]


def seconds(answer: str) -> float:
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        parse(answer)
        best = min(best, time.process_time() - start)
    return best


@settings(deadline=None, derandomize=True, max_examples=25)
@given(st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=3).map("".join))
def test_time_grows_in_line_with_length(unit: str) -> None:
    count = 12_000 // len(unit)
    small, large = seconds(unit * count), seconds(unit * (4 * count))
    # Four times the text takes four times as long; quadratic work would take sixteen times.
    assert large < 9 * small + 0.05


def test_no_single_fragment_repeated_is_quadratic() -> None:
    start = time.process_time()
    for unit in FRAGMENTS:
        parse(unit * (20_000 // len(unit)))
    assert time.process_time() - start < 30  # two seconds are usual for all of them
