"""The comparison as a page, in a real browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

import citemark
from browser import Watched, axe_findings, watched_page
from citemark.comparison import Card, compare_cards
from citemark.comparison.page import comparison_page
from compared import card, not_cited, source

EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'&amp;</style></noscript>"


@pytest.fixture
def open_page(chromium: Any, tmp_path: Path) -> Iterator[Any]:
    """Opens a page; in the end none of them may have done what a page of ours never does."""
    path = tmp_path / "compare.html"
    opened: list[Watched] = []
    with ExitStack() as stack:

        def open_it(html: str, **options: Any) -> Any:
            path.write_text(html, encoding="utf-8")
            watched = stack.enter_context(watched_page(chromium, **options))
            opened.append(watched)
            watched.page.set_default_timeout(120_000)  # machines may be busy
            watched.page.goto(path.as_uri())
            return watched.page

        yield open_it
        for each in opened:
            each.assert_quiet()


def page(before: list[dict[str, Any]], after: list[dict[str, Any]], **options: Any) -> str:
    old, new = ([Card.from_dict(each) for each in side] for side in (before, after))
    return comparison_page(compare_cards(old, new, **options), ("old.jsonl", "new.jsonl"))


def sides(number: int = 6) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    before = [
        card(f"q{i}", source(1, 5 + i % 3, title="Ours"), source(2, 9), not_cited(3))
        for i in range(number)
    ]
    after = [
        card(f"q{i}", source(2, 10 + i % 2, title="Ours", url="https://site1.example/page"))
        for i in range(number)
    ]
    for each in after:
        each["sources"].append(source(5, 8))
        each["sources"].append(source(6, 9 - len(each["case"]), url="https://site2.example/page"))
    return before, after


def texts(place: Any, selector: str) -> list[str]:
    return [" ".join(text.split()) for text in place.locator(selector).all_inner_texts()]


def test_totals_and_rows_say_what_changed(open_page: Any) -> None:
    shown = open_page(page(*sides()))
    assert texts(shown, "h2") == ["All sources", "Source by source", "Answers side by side"]
    ours = shown.locator('tr[data-key="site1.example/page"]')
    assert "▲ +4.5*" in texts(ours, "td")[0]
    assert "6.0" in texts(ours, "td")[0]
    assert "10.5" in texts(ours, "td")[0]
    assert "6 of 6 queries" in ours.inner_text()
    assert ours.locator("svg.whiskers.clear").count() >= 5
    assert "new" in shown.locator('tr[data-key="site5.example/page"]').inner_text()
    gone = shown.locator('tr[data-key="site3.example/page"]').inner_text()
    assert "gone" in gone
    assert "not cited: 6 before, 0 after" in gone


def test_rows_can_be_sorted_searched_and_narrowed(open_page: Any) -> None:
    shown = open_page(page(*sides()))
    table = shown.locator("section", has=shown.locator("#rows-heading"))

    def keys() -> list[str]:
        found: list[str] = table.locator("tbody tr").evaluate_all(
            "rows => rows.map((row) => row.dataset.key.split('.')[0])"
        )
        return found

    button = table.get_by_role("button", name="Overall")
    button.click()
    assert keys()[:2] == ["site1", "site2"]
    button.click()
    assert keys()[:2] == ["site2", "site1"]
    assert table.locator('th[aria-sort="ascending"]').inner_text().strip() == "Overall"
    table.get_by_role("searchbox").fill("SITE5")
    assert keys() == ["site5"]
    table.get_by_role("searchbox").fill("nothing like it")
    assert keys() == []
    assert "No row fits" in table.inner_text()


def test_a_source_is_lit_in_both_answers_under_its_own_numbers(open_page: Any) -> None:
    before = citemark.score(
        query="Tea?",
        answer="Tea is a drink [1]. It comes from China [2].",
        sources=["https://a.example", "https://b.example"],
    )
    after = citemark.score(
        query="Tea?",
        answer="China grows it [1]. Tea warms [2]. So does India [1].",
        sources=["https://b.example", "https://a.example"],
    )
    before_card, after_card = before.to_dict(), after.to_dict()
    after_card["case"] = before_card["case"]
    shown = open_page(page([before_card], [after_card]))
    button = shown.get_by_role("button", name="Show the sentences of b.example")
    button.focus()
    shown.keyboard.press("Enter")
    assert button.get_attribute("aria-pressed") == "true"
    lit = [texts(side, ".lit") for side in shown.locator(".pair-side").all()]
    assert lit == [["It comes from China [2]."], ["China grows it [1].", "So does India [1]."]]
    shown.keyboard.press("Enter")
    assert shown.locator(".lit").count() == 0


def test_cases_open_on_demand(open_page: Any) -> None:
    shown = open_page(page(*sides(70)))
    folds = shown.locator(".pair-fold")
    assert folds.count() == 50
    assert folds.first.locator(".answer").count() == 0
    folds.first.locator("summary").click()
    # A fold says that it was opened a moment after it was.
    folds.first.locator(".answer").nth(1).wait_for()
    assert folds.first.locator(".answer").count() == 2
    shown.get_by_role("button", name="Show more (20 cases left)").click()
    assert folds.count() == 70


def test_nothing_of_a_case_is_obeyed(open_page: Any) -> None:
    def hostile(score: int) -> dict[str, Any]:
        evil = source(1, score, title=EVIL, url="javascript:alert(3)", key=EVIL)
        return card(EVIL, evil, query=EVIL, answer=f"{EVIL} [1].", sentences=[], judge=EVIL)

    html = page([hostile(3), card("b", source(1))], [hostile(5), card("b", source(1))])
    assert EVIL not in html
    for scripts in (True, False):
        shown = open_page(html, java_script_enabled=scripts)
        shown.locator("summary").first.click()
        shown.locator("details[open]").first.wait_for()
        assert shown.locator("img, [onerror], a[href^=javascript]").count() == 0
        assert "<script>alert(1)</script>" in shown.locator("body").inner_text()


def test_it_fits_a_phone_in_light_and_dark(open_page: Any) -> None:
    for scheme in ("light", "dark"):
        for scripts in (True, False):
            shown = open_page(
                page(*sides()),
                width=390,
                color_scheme=scheme,
                java_script_enabled=scripts,
            )
            shown.locator("summary").first.click()
            box = shown.locator("body").bounding_box()
            assert box["width"] <= 390
            for part in ("table.differences", ".pair-side"):
                inner = shown.locator(part).first.bounding_box()
                assert inner["x"] >= 0
                assert inner["x"] + inner["width"] <= 390


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_axe_has_nothing_serious_to_say(open_page: Any, scheme: str, width: int) -> None:
    shown = open_page(page(*sides()), width=width, color_scheme=scheme, bypass_csp=True)
    shown.locator("summary").first.click()
    shown.locator(".pair-choose").first.click()
    assert axe_findings(shown) == []


def test_everything_is_there_without_scripts(open_page: Any) -> None:
    shown = open_page(page(*sides()), java_script_enabled=False)
    body = shown.locator("body").inner_text()
    assert "▲ +4.5*" in body
    assert "Reading the comparison" not in body
    assert "95 % interval (bootstrap over queries)" in body
    shown.locator("summary").first.click()
    assert texts(shown, "details[open] .cited")[0] == "Fact 1 [1]."


def test_the_page_loads_nothing_and_names_how_the_scores_were_made() -> None:
    before, after = sides()
    html = page(before, [{**each, "judge": "openai:x"} for each in after])
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', html)
    assert policy is not None
    assert "default-src 'none'" in policy[1]
    assert "unsafe" not in policy[1]
    assert "Judge: embedded before, openai:x after" in html
    assert "the scores were not made in the same way" in html
    assert not re.search(r"(?:src|href)=[\"']https?:", html)
