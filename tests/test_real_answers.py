"""Real answers of real engines, where the data lie beside the repository."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from citemark import parse
from citemark.citations import ParsedAnswer

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"

pytestmark = pytest.mark.skipif(
    not (DATA / "answers.jsonl").is_file(), reason=f"the real answers are not there: {DATA}"
)


@cache
def records(name: str) -> list[dict[str, Any]]:
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


def numbers(record: dict[str, Any]) -> list[int]:
    return [source["n"] for source in record["sources"]]


def cited_sentences(parsed: ParsedAnswer) -> int:
    return sum(bool(s.sources) for s in parsed.sentences)


def check(parsed: ParsedAnswer) -> None:
    reached = 0
    known = set(parsed.sources)
    for sentence in parsed.sentences:
        assert reached <= sentence.start < sentence.end <= len(parsed.answer)
        reached = sentence.end
        assert set(sentence.sources) <= set(sentence.block_sources) <= known
        assert list(sentence.sources) == sorted(set(sentence.sources))
        rest = iter(parsed.answer[sentence.start : sentence.end])
        assert all(character in rest for character in sentence.text)


def test_every_answer_as_it_was_normalised_and_as_it_was_written() -> None:
    for record in records("answers.jsonl"):
        for text in (record["answer"], record.get("answer_raw")):
            if text:
                check(parse(text))
                check(parse(text, sources=numbers(record)))


def test_every_odd_answer() -> None:
    for record in records("odd_answers.jsonl"):
        check(parse(record["raw"]))


def test_the_cited_sources_are_those_whose_number_stands_in_brackets() -> None:
    other = []
    for record in records("answers.jsonl"):
        named = {int(n) for n in re.findall(r"\[(\d+)\]", record["answer"])}
        listed = set(numbers(record))
        if parse(record["answer"], sources=numbers(record)).cited != named & listed:
            other.append(record["id"])
    # One names "Passage ID 1" in words; in the other the number stands in a reference list
    # that was run together behind the answer.
    assert set(other) <= {"expertqa-rr_sphere_gpt4-2bb3b5527f", "hagrid-098385cf66"}


@pytest.mark.parametrize("engine", ["HAGRID", "Nora", "Bing Chat", "Perplexity (mid-2024)"])
def test_raw_and_normalised_markers_cite_the_same_number_of_sentences(engine: str) -> None:
    compared = differing = 0
    for record in records("answers.jsonl"):
        raw = record.get("answer_raw")
        if engine in record["engine"] and raw and raw != record["answer"]:
            compared += 1
            counts = cited_sentences(parse(raw)), cited_sentences(parse(record["answer"]))
            differing += counts[0] != counts[1]
    assert compared >= 30
    assert differing <= compared // 50


def test_nearly_every_sentence_begins_like_one() -> None:
    # A small letter or a stop at its start shows that a sentence was cut in two.
    odd = total = 0
    for record in records("answers.jsonl"):
        for sentence in parse(record["answer"]).sentences:
            total += 1
            odd += sentence.kind == "sentence" and sentence.text[:1] in tuple(".,;:!?)]")
    assert total > 10_000
    assert odd <= 5


# The examples are cut out of answers in mid-word, so what is asserted is what they cite.
CITES: dict[str, set[int]] = {
    "[1] single number": {2},
    "[1][2] adjacent": {3, 4},
    "[1] [2] space-separated": {1, 2},
    "[1], [2] comma between brackets": {1, 2},
    "[1, 2] comma group": {1, 2},
    "[1-3] range": {1, 2, 3, 4, 5, 6},
    "[0] zero-based": {1, 2, 3},
    "[3, p. 68] number + page": {3},
    "text.[3] after the full stop": {7},
    "text[3]. before the full stop": {2},
    ".[3]Next no space after the marker": {3},
    "1[2]. marker glued to a list number": {2},
    "marker inside a heading": {1, 2, 3, 13},
    "marker inside a table row": {4, 8},
    "(1, Mir et al., 2021) number+author+year": {1},
    "[15 | 2204 | Perez et al. | 2020 | Citations: 35] prompt-format leak": {15},
    "[Source 2] / [Reference from Source 2]": {2},
    "[^1] markdown footnote": {1},
    "[^1^] caret pair": {1, 3},
    "unicode superscript ¹²³": {1},
    "[title](http) markdown link": {1},
    "[https://x](https://x) link whose text is the URL": {1},
    "bare URL in prose": {1},
    "LaTeX $...$ or \\[ \\]": {4},
}
CITES_NOTHING = {
    "[LLM MEMORY | 2024] model-memory marker",
    "(Smith et al., 2020) author-year",
    '"Passage ID 3" in words',  # without a list of sources
    "1. Author (year) numbered References section",
    "fullwidth 【1】 / 【1†source】",  # its example is 【1st prompt】
    "<sup>1</sup>",  # its example is an exponent
    "[Online] / [Accessed: ...] bibliography brackets",
    "[EMIM][TfO] letters in brackets (NOT a citation)",
    "array / interval in brackets (NOT a citation)",
    "code fence",
    "markdown table",
    "structured: reference_indexes / citations array (0-based)",
}
CUT = {  # cut off within an address or a reference list, so that they say little
    '<a href="http"> HTML link',
    "(Source: ...)",
    "[1]: definition line",
    "[1] http trailing reference list",
    "[1] Title... trailing reference list with text",
    "[2019] year in brackets (NOT a citation)",
}


def test_the_example_of_every_format_is_read_as_its_description_says() -> None:
    formats = json.loads((DATA / "citation_formats.json").read_text(encoding="utf-8"))
    read = {f["format"]: set(parse(f["example"]).cited) for f in formats if f["example"]}
    assert {name: cited for name, cited in read.items() if name in CITES} == CITES
    assert {name for name, cited in read.items() if not cited} >= CITES_NOTHING
    assert set(read) == {*CITES, *CITES_NOTHING, *CUT}
    assert 2024 not in read["[2019] year in brackets (NOT a citation)"]


def test_a_passage_named_in_words_is_cited_where_the_case_lists_it() -> None:
    formats = json.loads((DATA / "citation_formats.json").read_text(encoding="utf-8"))
    (example,) = (f["example"] for f in formats if f["format"].startswith('"Passage ID'))
    assert parse(example, sources=[1, 2, 3]).cited == {3}
