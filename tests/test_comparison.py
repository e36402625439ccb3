"""Comparisons: what is matched, what is averaged, what is never counted as a number."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import citemark
from citemark.comparison import (
    Card,
    Comparison,
    compare_cards,
    compare_two,
    comparison_data,
    flat_rows,
)
from citemark.comparison.matching import match_cases
from citemark.errors import UsageError
from compared import card, not_cited, source


def compared(
    before: list[dict[str, Any]], after: list[dict[str, Any]], **options: Any
) -> Comparison:
    cards = [[Card.from_dict(each) for each in side] for side in (before, after)]
    return compare_cards(*cards, **options)


def pairs(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    old, new = ([Card.from_dict(each) for each in side] for side in (before, after))
    return [
        (pair.how, [c.case for c in pair.before], [c.case for c in pair.after])
        for pair in match_cases(old, new).pairs
    ]


def words(comparison: Comparison) -> str:
    return "\n".join(f"{remark.level}: {remark.text}" for remark in comparison.remarks)


# Cases


def test_an_id_ties_cases_together_whatever_else_differs() -> None:
    assert pairs([card("a", query="Old?")], [card("a", query="New?")]) == [("id", ["a"], ["a"])]
    both = compared([card("a", source(1), query="Old?")], [card("a", source(1), query="New?")])
    assert "warning: 1 case with the same id asked different questions" in words(both)


def test_a_group_ties_cases_together_when_the_ids_differ() -> None:
    before = [card("a-old", group="page-9", query="Q?")]
    assert pairs(before, [card("a-new", group="page-9", query="Q?")])[0][0] == "group"
    assert pairs(before, [card("a-new", group="page-9", query="Other?")])[0][0] == "group"
    assert pairs(before, [card("a-new", group="page-8", query="Other?")]) == []


def test_a_group_of_several_questions_is_matched_question_by_question() -> None:
    before = [card("x1", group="g", query="One?"), card("x2", group="g", query="Two?")]
    after = [card("y2", group="g", query="two?"), card("y1", group="g", query=" One? ")]
    assert pairs(before, after) == [("group", ["x1"], ["y1"]), ("group", ["x2"], ["y2"])]
    strange = [card("y3", group="g", query="Three?"), card("y4", group="g", query="Four?")]
    assert pairs(before, strange) == []


def test_the_query_is_the_last_tie_and_disregards_case_and_space() -> None:
    before, after = [card("a", query="Why  is\nit?")], [card("b", query="WHY is it?")]
    assert pairs(before, after) == [("query", ["a"], ["b"])]


def test_default_ids_tie_nothing_together() -> None:
    """Two repeats, one of them with the same words on both sides: they stay one question."""
    made = [
        citemark.score(query="Why?", answer=answer).to_dict()
        for answer in ("It rains [1].", "It snows [1].", "It hails [1].")
    ]
    assert [how for how, *_ in pairs(made[:2], made[:1] + made[2:])] == ["query"]


def test_what_has_no_partner_is_counted_and_named() -> None:
    both = compared([card("a", source(1)), card("b", source(1))], [card("a", source(1))])
    assert [c.case for c in both.matches.only_before] == ["b"]
    assert both.matches.only_after == ()
    assert "note: 1 case only before: b" in words(both)


# Sources


def test_sources_are_matched_by_key_or_address_not_by_number() -> None:
    before = card("a", source(1, 8, url="http://www.x.example/p/?utm_source=z"), source(2, 5))
    after = card("a", source(1, 6), source(7, 11, url="https://x.example/p"))
    rows = {row.key: row for row in compared([before], [after]).rows}
    figure = rows["x.example/p"].figures["count"]
    assert (figure.before, figure.after, figure.difference, figure.n) == (8, 11, 3, 1)
    assert rows["site2.example/page"].status == "gone"
    assert rows["site1.example/page"].status == "new"


def test_an_own_key_counts_more_than_the_address() -> None:
    before = card("a", source(1, 8, url="https://old.example", key="us"))
    after = card("a", source(4, 9, url="https://new.example", key="us"))
    (row,) = compared([before], [after]).rows
    assert (row.key, row.status, row.figures["count"].difference) == ("us", "both", 1)


def test_numbers_match_only_what_has_nothing_else_and_only_within_a_case() -> None:
    before = [card("a", source(1, 8, url=None)), card("b", source(1, 2, url=None))]
    after = [card("a", source(1, 9, url=None)), card("b", source(1, 5))]
    both = compared(before, after)
    assert {(row.key, row.case, row.status) for row in both.rows} == {
        ("a [1]", "a", "both"),
        ("b [1]", "b", "gone"),
        ("site1.example/page", None, "new"),
    }
    assert "1 source without key or URL matched by number" in words(both)


def test_a_source_that_came_or_went_has_one_side_and_no_difference() -> None:
    rows = compared([card("a", source(1, 8))], [card("a", source(2, 9))]).rows
    figures = {row.status: row.figures["count"] for row in rows}
    assert (figures["gone"].before, figures["gone"].after) == (8, None)
    assert (figures["new"].before, figures["new"].after) == (None, 9)
    assert {figure.difference for figure in figures.values()} == {None}


def test_a_page_listed_twice_counts_once_and_its_shares_add_up() -> None:
    url = "https://x.example/p"
    before = card("a", source(1, 8, url=url, share=0.2), source(2, 4, url=url, share=0.3))
    after = card("a", source(1, 8, url=url, share=0.7))
    (row,) = compared([before], [after]).rows
    assert row.figures["count"].before == 6
    assert row.figures["share"].before == pytest.approx(0.5)
    assert row.figures["share"].difference == pytest.approx(0.2)


def test_by_domain_pages_of_one_site_go_together() -> None:
    def page(n: int, score: int, path: str) -> dict[str, Any]:
        return source(n, score, url=f"https://x.example/{path}", share=0.25, title=path)

    both = compared(
        [card("a", page(1, 4, "p"), page(2, 8, "q"))], [card("a", page(1, 9, "r"))], by="domain"
    )
    (row,) = both.rows
    assert (row.key, row.name) == ("x.example", "x.example")
    assert row.figures["count"].difference == 3
    assert row.figures["share"].difference == -0.25


def test_by_case_the_mean_is_over_its_sources() -> None:
    before = card("a", source(1, 4), source(2, 8), source(3, 20))
    after = card("a", source(1, 6), source(2, 8))
    (row,) = compared([before], [after], by="case").rows
    figure = row.figures["overall"]
    assert (figure.before, figure.after, figure.n, figure.of) == (6, 7, 2, 3)
    assert row.only == (1, 0)


# Numbers


def test_repeats_are_averaged_before_queries_are() -> None:
    before = [card("a", source(1, score), repeat=i) for i, score in enumerate((4, 8, 9))]
    before.append(card("b", source(1, 10)))
    after = [card("a", source(1, score), repeat=i) for i, score in enumerate((9, 11))]
    after.append(card("b", source(1, 10)))
    (row,) = compared(before, after).rows
    figure = row.figures["count"]
    assert (figure.before, figure.after, figure.n) == (8.5, 10, 2)


def test_pairs_of_one_query_count_as_one_query() -> None:
    before = [card(f"a{i}", source(1, 4), query="Same?") for i in range(6)]
    after = [card(f"a{i}", source(1, 5), query="Same?") for i in range(6)]
    figure = compared(before, after).rows[0].figures["count"]
    assert (figure.n, figure.of, figure.interval) == (1, 1, None)


def test_a_failed_judgment_is_never_a_number() -> None:
    before = [card("a", source(1, None)), card("b", source(1, 6))]
    after = [card("a", source(1, 20)), card("b", source(1, 7))]
    both = compared(before, after)
    figure = both.rows[0].figures["count"]
    assert (figure.before, figure.after, figure.n, figure.of) == (6, 7, 1, 2)
    assert figure.failed == (1, 0)
    assert both.failed == (5, 0)
    assert "failed judgments: 5 before, 0 after" in words(both)
    assert both.rows[0].figures["overall"].n == 1
    assert both.rows[0].figures["share"].n == 2


def test_not_cited_counts_as_its_score_and_is_said() -> None:
    figure = compared([card("a", not_cited(1))], [card("a", source(1, 12))]).rows[0].figures
    assert (figure["count"].before, figure["count"].difference) == (1, 11)
    assert figure["count"].not_cited == (1, 0)


def test_intervals_come_with_five_queries_and_mark_what_is_clear() -> None:
    def sides(number: int, gain: int) -> Comparison:
        before = [card(f"q{i}", source(1, 5 + i % 3)) for i in range(number)]
        after = [card(f"q{i}", source(1, 5 + i % 3 + gain + i % 2)) for i in range(number)]
        return compared(before, after)

    assert sides(4, 3).rows[0].figures["count"].interval is None
    clear = sides(5, 3).rows[0].figures["count"]
    assert clear.interval is not None
    assert clear.interval[0] >= 3
    assert clear.clear
    assert not sides(5, 0).rows[0].figures["share"].clear
    assert sides(5, 3).total.figures["count"].clear


def test_the_total_weighs_every_source_and_draws_queries() -> None:
    before = [card("a", source(1, 4), source(2, 4)), card("b", source(1, 4))]
    after = [card("a", source(1, 6), source(2, 8)), card("b", source(1, 4))]
    total = compared(before, after).total.figures["count"]
    assert total.difference == 2
    assert (total.n, total.of) == (2, 2)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.integers(1, 20), min_size=1, max_size=4), min_size=1, max_size=7))
def test_a_comparison_with_itself_has_no_difference(scores: list[list[int]]) -> None:
    cards = [
        card(f"q{i}", *(source(n + 1, score) for n, score in enumerate(row)))
        for i, row in enumerate(scores)
    ]
    both = compared(cards, cards)
    for row in (*both.rows, both.total):
        for figure in row.figures.values():
            assert figure.difference == 0
            assert figure.interval in (None, (0, 0))
            assert not figure.clear


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 20), st.integers(1, 20)), min_size=1, max_size=8))
def test_sides_that_change_places_change_the_sign(scores: list[tuple[int, int]]) -> None:
    before = [card(f"q{i}", source(1, old)) for i, (old, _) in enumerate(scores)]
    after = [card(f"q{i}", source(1, new)) for i, (_, new) in enumerate(scores)]
    there = compared(before, after).rows[0].figures["count"]
    back = compared(after, before).rows[0].figures["count"]
    assert there.difference == pytest.approx(-(back.difference or 0))
    assert there.n == back.n


# Metrics and how the scores were made


def test_only_what_both_sides_have_is_compared() -> None:
    before, after = card("a", source(1)), card("a", source(1))
    del after["sources"][0]["scores"]["count"]
    both = compared([before], [after])
    assert both.metrics == ("relevance", "influence", "uniqueness", "diversity", "share")
    assert "only one side has it: count, overall" in words(both)


def test_metrics_can_be_chosen_and_unknown_ones_are_refused() -> None:
    sides = [card("a", source(1))], [card("a", source(1))]
    assert compared(*sides, metrics=["share", "count"]).metrics == ("share", "count")
    with pytest.raises(UsageError, match=r'no metric "beauty".* they have: relevance'):
        compared(*sides, metrics=["beauty"])


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"judge": "openai:x"}, "judge embedded before, openai:x after"),
        ({"mode": "direct"}, "mode none before, direct after"),
        ({"signature": "judge:embedded/2|parser:1"}, "another judge"),
        ({"signature": "judge:embedded/1|rubrics:count@9"}, "another rubric for count"),
        ({"signature": "citemark:9.9"}, "another version of Citemark"),
    ],
)
def test_scores_made_otherwise_are_warned_of(changes: dict[str, str], told: str) -> None:
    text = words(compared([card("a", source(1))], [card("a", source(1), **changes)]))
    assert "warning: the scores were not made in the same way" in text
    assert told in text


def test_scores_made_alike_give_no_warning() -> None:
    fewer = "judge:embedded/1|rubrics:relevance@1|parser:1|citemark:0.1.0"
    both = compared([card("a", source(1))], [card("a", source(1), signature=fewer)])
    assert "warning" not in words(both)


def test_variants_that_would_be_averaged_are_warned_of() -> None:
    before = [card("a", source(1), variant=name) for name in ("before", "after")]
    text = words(compared(before, [card("a", source(1))]))
    assert "several variants (after, before), which are averaged; choose with --variant" in text


# Plain data


def test_min_n_leaves_out_rows_and_says_so() -> None:
    before = [card("a", source(1), source(2)), card("b", source(1))]
    both = compared(before, before, min_n=2)
    assert [row.key for row in both.rows] == ["site1.example/page"]
    assert "1 row over fewer than 2 left out" in words(both)
    assert both.total.sources == 3


def test_two_scorecards_make_a_comparison_whatever_they_are_called() -> None:
    before = citemark.score(query="Why?", answer="Rain falls in winter [1]. Snow too [2].")
    after = citemark.score(query="Why then?", answer="Rain falls [1].")
    data = compare_two(before.to_dict(), after.to_dict())
    assert data["pairs"] == 1
    (pair,) = data["cases"]
    assert [row["numbers"] for row in pair["rows"]] == [[1, 1], [2, None]]
    assert [row["status"] for row in pair["rows"]] == ["both", "gone"]
    assert pair["before"]["answer"].startswith("Rain falls in winter")
    figure = pair["rows"][0]["figures"]["share"]
    assert figure["difference"] == pytest.approx(figure["after"] - figure["before"], abs=2e-4)


def test_flat_rows_hold_every_row_and_metric_and_end_with_the_total() -> None:
    before = [card("a", source(1, 4), source(2))]
    rows = list(flat_rows(compared(before, [card("a", source(1, 6))], metrics=["count", "share"])))
    assert [(row["kind"], row["key"], row["metric"]) for row in rows] == [
        ("source", "site1.example/page", "count"),
        ("source", "site1.example/page", "share"),
        ("source", "site2.example/page", "count"),
        ("source", "site2.example/page", "share"),
        ("total", "", "count"),
        ("total", "", "share"),
    ]
    assert (rows[0]["before"], rows[0]["after"], rows[0]["difference"]) == (4, 6, 2)
    assert (rows[2]["status"], rows[2]["difference"]) == ("gone", None)


def test_numbers_belong_to_the_answer_that_is_shown() -> None:
    """A page that only a later repeat lists has no number in the first one."""
    before = [
        card("a", source(1, 5), repeat=0),
        card("a", source(1, 9, url="https://late.example"), source(2, 5), repeat=1),
    ]
    data = comparison_data(compared(before, [card("a", source(1, 5))]))
    numbers = {row["key"]: row["numbers"] for row in data["cases"][0]["rows"]}
    assert numbers == {
        "site1.example/page": [1, 1],
        "late.example": [None, None],
        "site2.example/page": [None, None],
    }
    assert data["cases"][0]["repeats"] == [2, 1]


def test_by_domain_the_cases_still_show_their_pages() -> None:
    cards = [card("a", source(1, url="https://x.example/p"), source(2, url="https://x.example/q"))]
    both = compared(cards, cards, by="domain")
    assert [row.key for row in both.rows] == ["x.example"]
    assert [row.key for row in both.cases[0].rows] == ["x.example/p", "x.example/q"]
    assert both.total.sources == 2
