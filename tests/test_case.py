"""A case from plain data: what is taken, filled in, and refused with which words."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citemark import Case, CaseError, Source, SpanCitation

GOOD: dict[str, Any] = {"query": "Why?", "answer": "Because [1]."}


def refused(**changes: Any) -> CaseError:
    with pytest.raises(CaseError) as caught:
        Case.from_dict({**GOOD, **changes}, place="cases.jsonl:17")
    return caught.value


def test_the_contracts_example_is_read_in_full() -> None:
    case = Case.from_dict(
        {
            "id": "q17",
            "query": "Why?",
            "answer": "Because it is so [1][2].",
            "sources": [
                {"n": 1, "url": "https://a.org", "title": "A", "text": "aa", "key": "page-a"},
                {"n": 2},
            ],
            "citations": [{"start": 0, "end": 7, "sources": [1]}],
            "tags": {"domain": "health"},
            "group": "page-9",
            "variant": "before",
            "repeat": 0,
        }
    )
    assert case == Case(
        id="q17",
        query="Why?",
        answer="Because it is so [1][2].",
        sources=(Source(1, "https://a.org", "A", "aa", "page-a"), Source(2)),
        citations=(SpanCitation(0, 7, (1,)),),
        tags={"domain": "health"},
        group="page-9",
        variant="before",
        repeat=0,
    )
    assert case.ties() == {"group": "page-9", "variant": "before", "repeat": 0}
    assert case.identity == ("q17", "before", 0)


def test_what_is_left_out_stays_empty() -> None:
    case = Case.from_dict(GOOD)
    assert (case.sources, case.citations, case.tags, case.extra) == (None, (), {}, {})
    assert (case.group, case.variant, case.repeat, case.place) == (None, None, None, "")
    assert case.ties() == {}


def test_null_means_left_out() -> None:
    names = ("id", "sources", "citations", "tags", "group", "variant", "repeat")
    assert Case.from_dict({**GOOD, **dict.fromkeys(names)}) == Case.from_dict(GOOD)


@pytest.mark.parametrize("empty", [None, "", "  "])
def test_the_id_defaults_to_a_hash_of_query_and_answer(empty: str | None) -> None:
    ids = {
        Case.from_dict({"id": empty, "query": q, "answer": a}).id
        for q, a in [("Why?", "Because [1]."), ("Why", "?Because [1]."), ("Why?", "Because [2].")]
    }
    assert len(ids) == 3
    assert Case.from_dict(GOOD).id in ids
    assert Case.from_dict(GOOD).id == "e0f34d2f6d"


@pytest.mark.parametrize(("given_id", "read"), [("a", "a"), (7, "7"), (7.0, "7"), (0, "0")])
def test_ids_are_text_or_whole_numbers(given_id: object, read: str) -> None:
    assert Case.from_dict({**GOOD, "id": given_id}).id == read


def test_sources_may_be_urls_numbers_or_objects_without_n() -> None:
    case = Case.from_dict({**GOOD, "sources": ["https://a.org/x", {"title": "B"}, 7]})
    assert case.sources == (Source(1, "https://a.org/x"), Source(2, title="B"), Source(7))
    nulls = Case.from_dict({**GOOD, "sources": [{"n": None, "url": "", "title": None}]})
    assert nulls.sources == (Source(1),)
    assert Case.from_dict({**GOOD, "sources": []}).sources == ()
    assert Case.from_dict({**GOOD, "sources": [{"n": 0}]}).sources == (Source(0),)


def test_unknown_keys_are_kept() -> None:
    case = Case.from_dict({**GOOD, "engine": "x", "meta": {"a": [1, None, 2.5]}})
    assert case.extra == {"engine": "x", "meta": {"a": [1, None, 2.5]}}


@pytest.mark.parametrize(
    ("changes", "message", "field"),
    [
        ({"query": None}, '"query" is missing; give the question that was asked', "query"),
        ({"query": " \n"}, '"query" is empty; give the question that was asked', "query"),
        ({"query": 3}, '"query" must be text, not a number', "query"),
        ({"answer": None}, '"answer" is missing; give the generated text', "answer"),
        ({"answer": ""}, '"answer" is empty; give the generated text', "answer"),
        ({"answer": ["a"]}, '"answer" must be text, not a list', "answer"),
        ({"id": 1.5}, '"id" must be text or a whole number, not a number', "id"),
        ({"id": True}, '"id" must be text or a whole number, not true/false', "id"),
        ({"sources": "https://a.org"}, '"sources" must be a list, not text', "sources"),
        ({"sources": {"1": "a"}}, '"sources" must be a list, not an object', "sources"),
        (
            {"sources": [{"n": 1}, None]},
            '"sources[1]" must be an object with n, url or title, not null',
            "sources[1]",
        ),
        (
            {"sources": [{"n": "1"}]},
            '"sources[0].n" must be a whole number, 0 or more: as the markers count',
            "sources[0].n",
        ),
        ({"sources": [{"url": 5}]}, '"sources[0].url" must be text, not a number', None),
        ({"sources": [{"title": []}]}, '"sources[0].title" must be text, not a list', None),
        ({"sources": [{"text": {}}]}, '"sources[0].text" must be text, not an object', None),
        ({"sources": [{"key": True}]}, '"sources[0].key" must be text, not true/false', None),
        (
            {"sources": [{"n": 2}, "https://b.org"]},
            '"sources" lists number 2 twice; give each source its own n',
            "sources",
        ),
        ({"citations": {}}, '"citations" must be a list of spans, not an object', "citations"),
        (
            {"citations": [3]},
            '"citations[0]" must be an object with start, end and sources',
            "citations[0]",
        ),
        (
            {"citations": [{"start": -1, "end": 2, "sources": [1]}]},
            '"citations[0].start" must be a whole number: a character offset',
            "citations[0].start",
        ),
        (
            {"citations": [{"start": 1, "sources": [1]}]},
            '"citations[0].end" must be a whole number: a character offset',
            "citations[0].end",
        ),
        (
            {"citations": [{"start": 1, "end": 2, "sources": ["1"]}]},
            '"citations[0].sources" must be a list of source numbers',
            "citations[0].sources",
        ),
        (
            {"citations": [{"start": 1, "end": 2}]},
            '"citations[0].sources" must be a list of source numbers',
            "citations[0].sources",
        ),
        ({"tags": ["a"]}, '"tags" must be an object, not a list', "tags"),
        ({"group": ["a"]}, '"group" must be text, not a list', "group"),
        ({"variant": False}, '"variant" must be text, not true/false', "variant"),
        ({"repeat": -1}, '"repeat" must be a whole number, 0 or more, not a number', "repeat"),
        ({"repeat": "x"}, '"repeat" must be a whole number, 0 or more, not text', "repeat"),
        ({"repeat": True}, '"repeat" must be a whole number, 0 or more, not true/false', "repeat"),
        (
            {"tags": {"x": math.inf}},
            '"tags.x" must be a finite number; leave out what is not known',
            "tags.x",
        ),
        (
            {"meta": [{"y": math.nan}]},
            '"meta" must be a finite number; leave out what is not known',
            "meta",
        ),
    ],
)
def test_a_wrong_field_is_named(changes: dict[str, Any], message: str, field: str | None) -> None:
    error = refused(**changes)
    assert str(error) == f"cases.jsonl:17: {message}"
    assert error.place == "cases.jsonl:17"
    assert error.problem == message
    if field is not None:
        assert error.field == field


@pytest.mark.parametrize("n", [-1, 1.5, True, 2**60, 10**400, math.inf, math.nan])
def test_impossible_source_numbers_are_refused(n: object) -> None:
    assert refused(sources=[{"n": n}]).field == "sources[0].n"


def test_whole_numbers_may_come_as_floats_from_tables() -> None:
    case = Case.from_dict(
        {
            **GOOD,
            "sources": [{"n": 3.0}],
            "citations": [{"start": 0.0, "end": 4.0, "sources": [3.0]}],
            "repeat": 1.0,
        }
    )
    assert case.sources == (Source(3),)
    assert case.citations == (SpanCitation(0, 4, (3,)),)
    assert case.repeat == 1
    assert isinstance(case.repeat, int)


def test_nesting_has_an_end() -> None:
    deep: Any = "x"
    for _ in range(400):
        deep = [deep]
    assert refused(tags={"a": deep}).problem == '"tags.a" is nested more than 64 deep'
    assert refused(other=deep).problem == '"other" is nested more than 64 deep'


@pytest.mark.parametrize(
    ("data", "kind"), [([], "a list"), ("text", "text"), (None, "null"), (3, "a number")]
)
def test_a_case_is_an_object(data: Any, kind: str) -> None:
    with pytest.raises(CaseError, match=f"an object with query and answer, not {kind}$"):
        Case.from_dict(data)


def test_a_scorecard_is_not_taken_for_a_case() -> None:
    # Its sources are numbered in another key, so that they would silently be mixed up.
    error = refused(schema=1, case="a", sentences=[], signature="s", sources=[{"source": 2}])
    assert error.problem == "is a scorecard, not a case; give the cases that it was made from"


def test_half_a_surrogate_pair_still_has_an_id() -> None:
    assert len(Case.from_dict({"query": "\ud800", "answer": "a \udc00 [1]."}).id) == 10


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
fields = ("id", "query", "answer", "sources", "citations", "tags", "group", "variant", "repeat")


@given(st.dictionaries(st.sampled_from(fields) | st.text(max_size=5), json_values, max_size=6))
def test_whatever_comes_is_read_or_refused_in_words(data: dict[str, Any]) -> None:
    try:
        case = Case.from_dict({**GOOD, **data}, place="here")
    except CaseError as error:
        if not str(error).startswith("here: "):
            raise
    else:
        assert case.query.strip()
        assert case.answer.strip()
        assert case.id
