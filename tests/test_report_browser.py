"""The report in a real browser: what lights up, what can be reached, what can do no harm."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from browser import Watched, axe_findings, watched_page
from citemark.report.page import Report
from citemark.rubrics import DEFAULT_METRICS, rubric
from reported import HOSTILE, card, hostile_card, scored, source

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


def report_file(folder: Path, *cards: Any) -> Path:
    report = Report(title="Mountains")
    for each in cards:
        report.add(each)
    path = folder / "report.html"
    path.write_text(report.html(), encoding="utf-8")
    return path


def three() -> list[dict[str, Any]]:
    """Three cases; in the last, another domain is the strongest."""
    best = {m: scored(m, "44444", [1]) for m in DEFAULT_METRICS}
    last = card("rice", query="How is rice cooked in Lhasa?")
    last["sources"] = [source(1, best, words=2, url="https://zen.example.net/x")]
    return [card("pot"), card("id with space/slash"), last]


@contextmanager
def opened(
    browser: Browser, folder: Path, *cards: Any, at: str = "", **options: Any
) -> Iterator[Watched]:
    path = report_file(folder, *cards)
    with watched_page(browser, **options) as watched:
        watched.page.goto(path.as_uri() + at)
        yield watched
        watched.assert_quiet()


def lit(page: Page, kind: str = "lit") -> list[int]:
    found = page.locator(f".answer .sentence.{kind}")
    return [int(number) for number in found.evaluate_all("all => all.map((s) => s.dataset.n)")]


def test_choosing_a_source_lights_exactly_its_sentences_and_row(
    chromium: Browser, tmp_path: Path
) -> None:
    with opened(chromium, tmp_path, *three(), at="#case-pot") as watched:
        page = watched.page
        assert lit(page) == []
        for number, numbers, near in ((1, [1, 2], []), (2, [2], []), (3, [3], [4]), (4, [], [])):
            page.locator(f'[data-pick="{number}"]').click()
            assert (lit(page), lit(page, "near")) == (numbers, near)
            rows = page.locator(".source-table tr.lit .source-button")
            assert rows.evaluate_all("all => all.map((b) => b.dataset.source)") == [str(number)]
        page.locator('[data-source="1"]').click()  # the row chooses as well
        assert lit(page) == [1, 2]
        page.locator('[data-source="1"]').click()
        assert lit(page) == []


def test_shared_sentences_are_striped_and_plain_text_stays_plain(
    chromium: Browser, tmp_path: Path
) -> None:
    with opened(chromium, tmp_path, *three(), at="#case-pot") as watched:
        page = watched.page
        looks = page.locator(".answer .sentence").evaluate_all(
            "all => all.map((s) => [s.dataset.n, getComputedStyle(s).backgroundImage.slice(0, 9),"
            " getComputedStyle(s).backgroundColor === 'rgba(0, 0, 0, 0)'])"
        )
        striped = [int(n) for n, image, _ in looks if image == "repeating"]
        clear = [int(n) for n, image, empty in looks if image == "none" and empty]
        assert (striped, clear) == ([2], [0, 4, 5])
        read = page.locator(".answer").inner_text()
        assert "Nobody said this.!1" not in read
        assert "🍲 So they cook longer." in read  # offsets count characters, not units
        assert "##" not in read


def test_a_subscore_shows_its_level_and_its_evidence_in_place(
    chromium: Browser, tmp_path: Path
) -> None:
    with opened(chromium, tmp_path, *three(), at="#case-pot") as watched:
        page = watched.page
        page.locator('[data-pick="1"]').click()
        button = page.get_by_role("button", name="I2,")
        button.click()
        detail = page.locator('[data-metric="influence"] .criterion-detail')
        criterion = rubric("influence").subscores[1]
        assert criterion.levels[3] in detail.inner_text()
        assert criterion.name in detail.inner_text()
        assert lit(page, "evidence") == [1, 2]
        quotes = detail.locator(".evidence-quote").all_inner_texts()
        assert quotes[1].startswith("It boils at 71 °C on Everest.")
        detail.locator(".evidence-quote").last.click()
        assert page.evaluate("document.activeElement.dataset.n") == "2"
        button.click()
        assert lit(page, "evidence") == []


def test_statuses_are_words_and_wide_intervals_unsure(chromium: Browser, tmp_path: Path) -> None:
    with opened(chromium, tmp_path, *three(), at="#case-pot") as watched:
        rows = watched.page.locator(".source-table tbody tr")
        third, fourth = rows.nth(2), rows.nth(3)
        assert third.locator(".outcome.failed").all_inner_texts() == ["failed: timeout"]
        assert third.locator("td").nth(5).inner_text() == "incomplete"
        assert third.locator("td").nth(4).locator(".score, svg").count() == 0
        assert fourth.locator(".score").count() == 0
        assert fourth.locator(".outcome").all_inner_texts() == ["not cited"] * 6
        assert rows.nth(1).locator(".unsure").count() == 5
        assert rows.nth(1).locator(".whisker").count() == 15
        assert rows.nth(0).locator(".unsure, .whisker").count() == 0
        dots = watched.page.locator(".profile .dot text").all_text_contents()
        assert (dots.count("1"), dots.count("3"), dots.count("4")) == (5, 4, 0)


def test_a_judge_without_subscores_is_shown_all_the_same(chromium: Browser, tmp_path: Path) -> None:
    bare = {"subscores": None, "evidence": None}
    scores = {m: scored(m, "33333", **bare) for m in DEFAULT_METRICS}
    own = {"polish": scored("count", "22222", [1], band=None)}
    cards = [card("a", sources=[source(1, scores, words=3)])]
    cards.append(card("b", sources=[source(1, own, words=3)]))
    with opened(chromium, tmp_path, *cards, at="#case-a") as watched:
        page = watched.page
        page.locator('[data-pick="1"]').click()
        assert page.get_by_text("one number, without sub-scores").count() == 5
        page.goto(page.url.replace("#case-a", "#case-b"))
        page.locator(".case", has_text="polish").wait_for()
        page.locator('[data-pick="1"]').click()
        page.get_by_role("button", name="C1: 2 of 4").click()
        assert "made without the wording" in page.locator(".criterion-detail").inner_text()


def test_findings_stand_where_they_were_found(chromium: Browser, tmp_path: Path) -> None:
    with opened(chromium, tmp_path, *three(), at="#case-pot") as watched:
        page = watched.page
        flag = page.get_by_role("button", name="Finding 1: unknown source")
        note = page.locator(".finding-note")
        assert not note.is_visible()
        flag.click()
        assert note.inner_text() == "unknown source: [9] is not listed"
        assert page.locator(".findings li").count() == 2


def first_column(page: Page) -> list[str]:
    return page.locator(".domain-table tbody th").all_inner_texts()


def test_domains_sort_by_every_column_and_group_by_page(chromium: Browser, tmp_path: Path) -> None:
    with opened(chromium, tmp_path, *three()) as watched:
        page = watched.page
        assert first_column(page)[0] == "boil.example.org"
        overall = page.locator(".domain-table thead").get_by_role("button", name="Overall")
        overall.click()
        assert first_column(page)[0] == "zen.example.net"
        assert first_column(page)[-1] == "(no address)"
        head = page.locator('.domain-table th[aria-sort="descending"]')
        assert head.inner_text() == "Overall"
        overall.press("Enter")  # the button keeps the focus through sorting
        assert first_column(page)[0] == "peak.example.com"
        assert first_column(page)[-1] == "(no address)"  # without a score: last, either way
        page.get_by_role("button", name="Page", exact=True).click()
        assert "boil.example.org/a" in first_column(page)
        page.get_by_role("button", name="zen.example.net/x").click()
        assert page.locator(".case-query").all_inner_texts() == ["How is rice cooked in Lhasa?"]


def test_many_cases_are_searched_filtered_and_paged(chromium: Browser, tmp_path: Path) -> None:
    cards = [card(f"c{n}", query=f"Question number {n}") for n in range(45)]
    with opened(chromium, tmp_path, *cards) as watched:
        page = watched.page
        queries = page.locator(".case-query")
        assert queries.count() == 20
        page.get_by_role("button", name="Next").click()
        assert queries.first.inner_text() == "Question number 20"
        page.get_by_label("Search").fill("number 44")
        assert queries.all_inner_texts() == ["Question number 44"]
        page.get_by_label("Search").fill("nothing like it")
        assert page.get_by_text("No case matches").is_visible()
        page.get_by_label("Search").fill("")
        page.get_by_label("Show").select_option("uncited")
        assert queries.count() == 0


def test_cases_have_addresses_of_their_own(chromium: Browser, tmp_path: Path) -> None:
    with opened(chromium, tmp_path, *three(), at="#case-id%20with%20space%2Fslash") as watched:
        page = watched.page
        assert page.locator(".case .facts").inner_text().startswith("id with space/slash")
        page.get_by_role("link", name="Next case").click()
        # The page follows its address when the browser says that it changed, not with the click.
        page.locator(".case h2", has_text="How is rice cooked in Lhasa?").wait_for()
        assert page.evaluate("document.activeElement.localName") == "h2"
        page.goto(page.url.split("#")[0] + "#case-nobody")
        page.locator("#summary").wait_for(state="visible")
        page.goto(page.url.split("#")[0] + "#case-pot")
        page.locator(".case .facts", has_text="pot").wait_for()
        page.get_by_role("link", name="All cases").click()
        page.locator("#summary").wait_for(state="visible")


def test_everything_can_be_done_from_the_keyboard(chromium: Browser, tmp_path: Path) -> None:
    with opened(chromium, tmp_path, *three()) as watched:
        page = watched.page
        press = page.keyboard.press
        press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        press("Enter")
        assert page.evaluate("document.activeElement.id") == "main"
        for _ in range(120):
            press("Tab")
            if page.evaluate("document.activeElement.classList.contains('case-link')"):
                break
        ring = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert ring == "solid"
        press("Enter")
        page.locator(".case").wait_for()
        for _ in range(20):
            press("Tab")
            if page.evaluate("document.activeElement.classList.contains('pick')"):
                break
        press("ArrowDown")
        press("Enter")
        assert lit(page) == [2]
        press("ArrowDown")
        assert page.evaluate("document.activeElement.dataset.pick") == "3"
        press("Escape")
        assert lit(page) == []
        press("Escape")
        page.locator("#summary").wait_for(state="visible")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_follow_the_system_until_they_are_chosen(
    chromium: Browser, tmp_path: Path, scheme: str
) -> None:
    dark = "getComputedStyle(document.body).backgroundColor === 'rgb(21, 23, 26)'"
    with opened(chromium, tmp_path, *three(), color_scheme=scheme) as watched:
        page = watched.page
        assert page.evaluate(dark) == (scheme == "dark")
        page.get_by_role("button", name="Dark").click()
        assert page.evaluate(dark)
        page.get_by_role("button", name="Light").click()
        assert not page.evaluate(dark)
        page.get_by_role("button", name="Auto").click()
        assert page.evaluate(dark) == (scheme == "dark")


@pytest.mark.parametrize("at", ["", "#case-pot"])
def test_a_phone_shows_it_without_sideways_scrolling(
    chromium: Browser, tmp_path: Path, at: str
) -> None:
    long = card("pot", query="w" * 300)
    long["sources"][0] |= {"title": "x" * 200, "url": f"https://{'y' * 60}.example.org/{'z' * 300}"}
    with opened(chromium, tmp_path, long, *three()[1:], at=at, width=390) as watched:
        page = watched.page
        if at:
            page.locator('[data-pick="1"]').click()
            page.get_by_role("button", name="R1,").click()
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        assert page.evaluate("document.body.scrollWidth") == 390


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_nothing_serious(
    chromium: Browser, tmp_path: Path, scheme: str, width: int
) -> None:
    options: dict[str, Any] = {"color_scheme": scheme, "width": width, "bypass_csp": True}
    with opened(chromium, tmp_path, *three(), **options) as watched:
        page = watched.page
        assert axe_findings(page) == []
        page.evaluate("location.hash = '#case-pot'")
        page.locator('[data-pick="1"]').click()
        page.get_by_role("button", name="R1,").click()
        assert lit(page, "evidence") == [1, 2]
        assert axe_findings(page) == []


def test_one_case_stands_on_the_first_page(chromium: Browser, tmp_path: Path) -> None:
    with opened(chromium, tmp_path, card(), bypass_csp=True) as watched:
        page = watched.page
        assert page.locator(".case .answer").is_visible()
        assert page.locator(".case-list").count() == 0
        assert axe_findings(page) == []


def test_with_scripts_off_everything_can_be_read(chromium: Browser, tmp_path: Path) -> None:
    with opened(chromium, tmp_path, *three(), java_script_enabled=False) as watched:
        page = watched.page
        read = page.locator("body").inner_text()
        assert "Reading the results" not in read
        for words in ("Why does water boil", "Pots with lids", "failed: timeout", "not cited"):
            assert words in read
        for words in ("Means", "boil.example.org", "openai:some-model", "[9] is not listed"):
            assert words in read
        assert page.locator("article").count() == 3
        assert page.locator("article .cited").count() == 8


@pytest.mark.parametrize("scripts", [True, False])
def test_hostile_texts_do_nothing(chromium: Browser, tmp_path: Path, scripts: bool) -> None:
    options: dict[str, Any] = {"java_script_enabled": scripts}
    with opened(chromium, tmp_path, hostile_card(), card("calm"), **options) as watched:
        page = watched.page
        if scripts:
            page.locator(".case-link").first.click()
            page.locator('[data-pick="1"]').click()
            page.get_by_role("button", name="R1,").click()
            page.locator(".finding-flag").click()
            shown = page.locator(".answer").inner_text()
            assert "<script>alert(1)</script></script>" in shown
            assert (
                page.locator(".case img, .case svg[onload], .case iframe, .case style").count() == 0
            )
        links = page.locator("main a").evaluate_all("all => all.map((a) => a.getAttribute('href'))")
        assert not [link for link in links if not link.startswith(("#", "https://"))]
        outside = page.locator('main a[href^="http"]')
        relations = outside.evaluate_all("all => all.map((a) => a.rel)")
        assert set(relations) <= {"noopener noreferrer"}
        assert page.locator("h1").inner_text() == "Mountains"
        page.wait_for_timeout(100)


def test_the_policy_stops_what_slips_through(chromium: Browser, tmp_path: Path) -> None:
    path = report_file(tmp_path, card())
    attack = '<script>document.title = "owned"</script><img src="https://evil.example/x.png">'
    path.write_text(path.read_text("utf-8").replace("<main", f"{attack}<main", 1), "utf-8")
    with watched_page(chromium) as watched:
        watched.page.goto(path.as_uri())
        watched.page.locator("#summary").wait_for()
        assert watched.page.title() != "owned"
        assert len([error for error in watched.errors if "Content Security Policy" in error]) == 2


def test_damaged_data_is_told_not_shown(chromium: Browser, tmp_path: Path) -> None:
    path = report_file(tmp_path, card())
    page = path.read_text("utf-8").replace('id="report-data">{', 'id="report-data">[{', 1)
    path.write_text(page, "utf-8")
    with watched_page(chromium) as watched:
        watched.page.goto(path.as_uri())
        assert watched.page.get_by_role("alert").inner_text().startswith("This report cannot")


def test_paper_shows_all_cases_of_a_small_report_and_no_controls(
    chromium: Browser, tmp_path: Path
) -> None:
    with opened(chromium, tmp_path, *three(), color_scheme="dark") as watched:
        page = watched.page
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        page.emulate_media(media="print")
        assert page.locator(".print-only .case").count() == 3
        assert page.locator(".print-only .answer").first.is_visible()
        assert not page.locator(".masthead, .segmented, .pick").first.is_visible()
        assert page.evaluate("getComputedStyle(document.body).color") == "rgb(28, 31, 35)"
        assert len(page.pdf()) > 20_000


def test_the_embedded_data_is_the_data(chromium: Browser, tmp_path: Path) -> None:
    strange = card("strange", query=HOSTILE)
    with opened(chromium, tmp_path, strange, card("b")) as watched:
        rows = watched.page.evaluate("document.getElementById('case-data').textContent")
        assert json.loads(rows)[0][1] == HOSTILE
