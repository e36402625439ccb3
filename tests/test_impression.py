"""Impression figures by both definitions, against examples worked out by hand."""

from __future__ import annotations

from math import exp
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citemark import parse
from citemark.impression import Impression, Share, impressions


def figures(answer: str, sources: Any = None) -> dict[int, Impression]:
    return impressions(parse(answer, sources=sources))


def close(value: float) -> Any:
    return pytest.approx(value, rel=1e-12)


def test_no_citation_at_all_gives_every_source_zero_and_not_an_equal_part() -> None:
    assert figures("Bees dance. Ants walk.", [1, 2]) == {1: Impression(), 2: Impression()}
    assert figures("Bees dance. Ants walk.") == {}


def test_an_answer_without_words_gives_zero() -> None:
    assert figures("...", [1]) == {1: Impression()}


def test_one_sentence() -> None:
    # Two words, both of source 1; N = 1, so there is no decay at all.
    assert figures("Bees dance [1].") == {
        1: Impression(
            sentences=1, words=2.0, word=1.0, word_position=1.0, share=Share(1.0, 1.0, 1.0)
        )
    }


def test_two_sources_with_a_shared_sentence() -> None:
    # 0: "One two three." -> 3 words for source 1
    # 1: "Four." -> 1 word, half of it for each of 1 and 2;  N = 2, 4 words in all
    first, second = (figures("One two three. [1] Four. [1][2]")[n] for n in (1, 2))
    assert (first.sentences, second.sentences) == (2, 1)
    assert (first.words, second.words) == (3.5, 0.5)
    # equation 2: words over all words
    assert (first.word, second.word) == (3.5 / 4, 0.5 / 4)
    # equation 3: each sentence's words times exp(-i/N), over the words without decay
    assert first.word_position == close((3 + 0.5 * exp(-1 / 2)) / 4)
    assert second.word_position == close(0.5 * exp(-1 / 2) / 4)
    # the reference code: decay exp(-i/(N-1)), so exp(-1) for the last of two
    assert (first.share.word, second.share.word) == (3.5 / 4, 0.5 / 4)
    position = {1: 1 + 0.5 * exp(-1), 2: 0.5 * exp(-1)}
    assert first.share.position == close(position[1] / (position[1] + position[2]))
    assert second.share.position == close(position[2] / (position[1] + position[2]))
    both = {1: 3 + 0.5 * exp(-1), 2: 0.5 * exp(-1)}
    assert first.share.word_position == close(both[1] / (both[1] + both[2]))
    assert second.share.word_position == close(both[2] / (both[1] + both[2]))


def test_uncited_words_count_in_the_papers_figures_and_not_in_the_shares() -> None:
    # 0: 2 words of nobody; 1: 3 words of source 1; 2: 1 word of source 2;  N = 3, 6 words
    found = figures("Bees dance. Ants walk far [1]. Yes [2].")
    assert (found[1].word, found[2].word) == (3 / 6, 1 / 6)
    assert found[1].word_position == close(3 * exp(-1 / 3) / 6)
    assert found[2].word_position == close(1 * exp(-2 / 3) / 6)
    assert (found[1].share.word, found[2].share.word) == (3 / 4, 1 / 4)
    total = exp(-1 / 2) + exp(-1)  # exp(-i/(N-1)) for i = 1 and 2
    assert found[1].share.position == close(exp(-1 / 2) / total)
    assert found[2].share.word_position == close(exp(-1) / (3 * exp(-1 / 2) + exp(-1)))


def test_headings_items_and_rows_count_as_sentences() -> None:
    # heading 1 word, sentence 2, item 1, row 2: N = 4 and 6 words; the item is number 2
    answer = "# Bees\nThey dance.\n\n- Well [1]\n\n| a | b |"
    assert figures(answer)[1].word_position == close(1 * exp(-2 / 4) / 6)


def test_an_unknown_number_takes_no_share_of_its_sentence() -> None:
    found = figures("Bees dance [1][9]. Ants walk [9].", [1, 2])
    assert found[1].words == 2.0
    assert found[1].word == 2 / 4
    assert found[1].share == Share(1.0, 1.0, 1.0)
    assert found[2] == Impression()


def test_a_source_marked_twice_counts_once() -> None:
    once, twice = figures("Bees dance [1][2]."), figures("Bees dance [1][1][2], [1].")
    assert once == twice
    assert once[1].words == 1.0


@pytest.mark.parametrize(
    "marker", ["[1]", " [1]", "[ 1 ]", " [1, 1]", " (Source 1)", " [1](https://a.example/b c)"]
)
def test_markers_count_for_no_words(marker: str) -> None:
    assert figures(f"Bees dance{marker.replace(' c', '')}. Ants.")[1].words == 2.0


def test_words_of_one_and_two_letters_and_numbers_count() -> None:
    assert figures("I am 5 [1].")[1].words == 3.0


def test_in_chinese_and_japanese_every_character_is_a_word() -> None:
    # 4 characters for source 1, "AI" and 2 characters for source 2
    found = figures("蜜蜂跳舞[1]。AI很快[2]。")
    assert (found[1].words, found[2].words) == (4.0, 3.0)
    assert found[1].share.word == close(4 / 7)
    assert figures("ミツバチ[1]。")[1].words == 4.0


def test_the_block_reading_does_not_change_the_figures() -> None:
    # The marker closes the paragraph, but the figures use the marked sentence alone.
    assert figures("One two. Three [1].")[1].words == 1.0


def test_figures_as_rows_and_as_plain_data() -> None:
    impression = figures("Bees dance [1].")[1]
    share = {"word": 1.0, "position": 1.0, "word_position": 1.0}
    plain = {"sentences": 1, "words": 2.0, "word": 1.0, "word_position": 1.0}
    assert impression.to_dict() == {**plain, "share": share}
    assert impression.to_row() == {**plain, **{f"share_{name}": 1.0 for name in share}}


SENTENCE = st.tuples(
    st.lists(st.sampled_from(["bee", "ant", "3.5", "蜜蜂"]), min_size=1, max_size=6),
    st.lists(st.integers(1, 6), max_size=4),
)


@settings(deadline=None, derandomize=True, max_examples=150)
@given(st.lists(SENTENCE, min_size=1, max_size=8))
def test_shares_sum_to_one_over_the_cited_sources(
    sentences: list[tuple[list[str], list[int]]],
) -> None:
    answer = "\n\n".join(
        f"So {' '.join(words)} is" + "".join(f"[{n}]" for n in cited) + "."
        for words, cited in sentences
    )
    parsed = parse(answer, sources=[1, 2, 3, 4])
    found = impressions(parsed)
    assert set(found) == {1, 2, 3, 4}
    assert len(parsed.sentences) == len(sentences)
    for name in ("word", "position", "word_position"):
        total = sum(getattr(i.share, name) for i in found.values())
        assert total == pytest.approx(1.0 if parsed.cited else 0.0)
    cited_words = sum(s.words for s in parsed.sentences if s.sources)
    assert sum(i.words for i in found.values()) == pytest.approx(cited_words)
    for source, impression in found.items():
        assert (impression.sentences > 0) == (source in parsed.cited)
        assert 0 <= impression.word_position <= impression.word <= 1
