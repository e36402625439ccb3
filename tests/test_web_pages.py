"""The pages of the web app in a real browser, over a real server."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import citemark
from browser import Watched, axe_findings, watched_page
from citemark.judges import JudgeOptions
from loopback import Loopback, Say, completion
from reported import HOSTILE
from web_server import Served, served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

QUERY = "How long do LED bulbs last?"
ANSWER = (
    "A good LED bulb runs for 15,000 to 25,000 hours [1]. 💡 It saves 80 % of the power [2]. "
    "Heat shortens its life, so closed lamps are bad for it [1, 3].\n\nNobody is cited here."
)
CASE = {"query": QUERY, "answer": ANSWER}
Open = Callable[..., Watched]


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("folder")) as server:
        yield server


@pytest.fixture
def opened(web: Served, chromium: Browser) -> Iterator[Open]:
    """Opens pages of the server; at the end none of them did what it should not."""
    pages: list[Any] = []

    def open_page(path: str = "/", **options: Any) -> Watched:
        context = watched_page(chromium, **options)
        watched = context.__enter__()
        pages.append((context, watched))
        watched.page.goto(web.url + path)
        watched.page.locator("h1").first.wait_for(state="attached")
        return watched

    yield open_page
    for context, watched in pages:
        watched.assert_quiet(web.url)
        context.__exit__(None, None, None)


def write(page: Page, query: str = QUERY, answer: str = ANSWER) -> None:
    """Write a case, and wait until it is scored."""
    page.get_by_label("Query").fill(query)
    page.get_by_role("textbox", name="Answer", exact=True).fill(answer)
    settled(page)


def settled(page: Page) -> None:
    page.locator(".scores-place:not([aria-busy]) .case").wait_for()


def until(page: Page, script: str) -> None:
    """Wait until a script says so; the page's own policy forbids it to wait by itself."""
    for _ in range(400):
        if page.evaluate(script):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"never came true: {script}")


def lit(page: Page) -> list[int]:
    found = page.locator(".sentence.lit").evaluate_all("all => all.map(s => Number(s.dataset.n))")
    return sorted(set(found))


def scores(page: Page) -> list[int]:
    texts = page.locator(".case-scores tbody td .score").all_inner_texts()
    return [int(text) for text in texts]


def test_paste_and_score(opened: Open) -> None:
    page = opened().page
    assert page.locator(".state.empty strong").inner_text() == "Nothing to score yet"
    page.get_by_role("textbox", name="Answer", exact=True).fill(ANSWER)
    page.locator(".reading-facts", has_text="4 sentences, 3 sources cited").wait_for()
    page.locator(".state", has_text="Almost there").wait_for()
    write(page)
    card = citemark.score(CASE)
    wanted = [j.score for source in card for j in source.scores.values()]
    assert scores(page) == wanted
    assert page.locator(".case-head h2").inner_text() == QUERY


def test_choosing_a_source_lights_exactly_its_sentences(opened: Open) -> None:
    page = opened().page
    write(page)
    card = citemark.score(CASE)
    assert lit(page) == []
    for source in (1, 2, 3):
        page.locator(f"[data-pick='{source}']").click()
        assert lit(page) == [s.n for s in card.answer.attributed(source)]
    texts = page.locator(".sentence.lit").all_inner_texts()
    assert texts[0].startswith("Heat shortens its life")
    page.keyboard.press("Escape")
    assert lit(page) == []


def test_only_the_last_text_counts(opened: Open) -> None:
    page = opened().page
    page.get_by_label("Query").fill(QUERY)
    page.get_by_role("textbox", name="Answer", exact=True).press_sequentially(
        "It lasts [1]. And [2] so [3].", delay=20
    )
    page.locator(".reading-facts", has_text="3 sources cited").wait_for()
    page.locator(".scores-place:not([aria-busy]) .case [data-pick='3']").wait_for()
    page.get_by_role("button", name="Clear").click()
    page.locator(".state", has_text="Nothing to score yet").wait_for()


def test_a_link_restores_what_was_written(opened: Open) -> None:
    page = opened().page
    write(page)
    until(page, "location.hash.length > 10")
    other = opened(page.url.partition("//")[2].partition("/")[2].join(("/", ""))).page
    settled(other)
    assert other.get_by_role("textbox", name="Answer", exact=True).input_value() == ANSWER
    assert scores(other) == scores(page)
    broken = opened("/#v1.!!!!").page
    broken.locator(".state", has_text="Nothing to score yet").wait_for()


def test_examples_and_files(opened: Open, tmp_path: Path) -> None:
    page = opened().page
    page.get_by_label("Example").select_option(index=1)
    settled(page)
    assert page.locator(".case-head .mono").inner_text() == "heat-pump-before"
    plain = tmp_path / "answer.md"
    plain.write_text(ANSWER)
    page.locator("input[type=file]").set_input_files(plain)
    page.get_by_label("Query").fill(QUERY)
    page.locator(".case-head h2", has_text=QUERY).wait_for()
    many = tmp_path / "cases.jsonl"
    many.write_text("".join(json.dumps({**CASE, "query": f"{n}?"}) + "\n" for n in "ab"))
    page.locator("input[type=file]").set_input_files(many)
    page.locator(".case-head h2", has_text="a?").wait_for()
    page.get_by_label("Cases of cases.jsonl").select_option(label="b?")
    page.locator(".case-head h2", has_text="b?").wait_for()
    none = tmp_path / "none.json"
    none.write_text("{}")
    page.locator("input[type=file]").set_input_files(none)
    page.locator(".state.error", has_text="No case in this file").wait_for()


def test_listed_sources_are_scored_too(opened: Open) -> None:
    page = opened().page
    page.locator(".source-drawer summary").click()
    page.get_by_label("Sources, one a line").fill(
        "LEDs in use https://light.example.org/a\n[2] https://power.example.com\n3. Lamps\n4. Unused"
    )
    write(page)
    names = page.locator(".pick .pick-name").all_inner_texts()
    assert names == ["LEDs in use", "power.example.com", "Lamps", "Unused"]
    assert page.locator("[data-pick='4'] .pick-overall").inner_text() == "not cited"


@pytest.mark.parametrize("form", ["HTML report", "CSV", "JSONL"])
def test_scores_are_taken_away(opened: Open, web: Served, form: str) -> None:
    page = opened().page
    write(page)
    with page.expect_download() as download:
        page.get_by_role("button", name=form).click()
    content = Path(download.value.path()).read_bytes()
    ending = {"HTML report": "html"}.get(form, form.lower())
    assert download.value.suggested_filename == f"answer.{ending}"
    if ending == "html":
        assert content.startswith(b"<!doctype html>")
        assert QUERY.encode() in content
    else:
        assert content == web.post(f"/api/score?format={ending}", CASE).content
    page.locator(".action-bar", has_text=f"Saved as answer.{ending}").wait_for()


def test_scores_are_kept_and_browsed(opened: Open, web: Served) -> None:
    page = opened().page
    write(page)
    page.get_by_role("button", name="Keep in folder").click()
    page.get_by_role("link", name="Open how-long-do-led-bulbs-last.jsonl").click()
    page.locator(".overview .case").wait_for()
    assert page.url == f"{web.url}/results/how-long-do-led-bulbs-last.jsonl"
    assert scores(page)[: len(citemark.score(CASE)[1].scores)] == [
        j.score for j in citemark.score(CASE)[1].scores.values()
    ]


def test_two_answers_are_compared(opened: Open, web: Served) -> None:
    page = opened("/compare").page
    page.locator(".state", has_text="Nothing to compare yet").wait_for()
    page.get_by_label("Query").fill(QUERY)
    page.get_by_role("textbox", name="Answer before").fill(ANSWER)
    page.get_by_role("button", name="Copy before to after").click()
    page.locator(".comparison").wait_for()
    assert page.get_by_role("textbox", name="Answer after").input_value() == ANSWER
    assert page.locator(".change.up, .change.down").count() == 0
    after = ANSWER.replace("It saves 80 % of the power [2]. ", "")
    page.get_by_role("textbox", name="Answer after").fill(after)
    page.locator(".scores-place:not([aria-busy]) .comparison .tag", has_text="gone").wait_for()
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV").click()
    wanted = web.post(
        "/api/compare?format=csv", {"before": CASE, "after": {"query": QUERY, "answer": after}}
    )
    assert Path(download.value.path()).read_bytes() == wanted.content
    until(page, "location.hash.length > 10")
    restored = opened("/compare" + page.url.partition("/compare")[2]).page
    restored.locator(".comparison").wait_for()
    assert restored.get_by_role("textbox", name="Answer after").input_value() == after


def test_a_results_file_is_dropped_and_browsed(opened: Open, web: Served, tmp_path: Path) -> None:
    cases = [{**CASE, "id": f"lamp-{n}", "query": f"{QUERY} ({n})"} for n in range(7)]
    path = tmp_path / "lamps.jsonl"
    cards = [citemark.score(case).to_dict() for case in cases]
    path.write_text("".join(json.dumps(card) + "\n" for card in cards))
    watched = opened("/results")
    page = watched.page
    # As a drop, which a file field cannot stand for.
    page.evaluate(
        """text => {
            const data = new DataTransfer();
            data.items.add(new File([text], "lamps.jsonl"));
            const drop = new DragEvent("drop", { dataTransfer: data, bubbles: true });
            document.querySelector(".drop").dispatchEvent(drop);
        }""",
        path.read_text(),
    )
    page.wait_for_url("**/results/lamps.jsonl")
    page.locator(".case-list .case-link").nth(6).wait_for()
    page.locator(".case-link", has_text="(3)").click()
    page.locator(".case-place .case-head h2", has_text="(3)").wait_for()
    assert page.url.endswith("#case-lamp-3")
    page.get_by_role("link", name="Next case").click()
    page.locator(".case-place .case-head h2", has_text="(4)").wait_for()
    page.go_back()
    page.locator(".case-place .case-head h2", has_text="(3)").wait_for()
    page.get_by_role("link", name="All cases").click()
    page.locator("#cases-title").wait_for()
    with page.expect_download() as download:
        page.get_by_role("button", name="JSONL").click()
    kept = Path(download.value.path()).read_text()
    assert [json.loads(line) for line in kept.splitlines()] == cards
    direct = opened("/results/lamps.jsonl#case-lamp-5").page
    direct.locator(".case-place .case-head h2", has_text="(5)").wait_for()


def test_what_is_no_results_file_is_told(opened: Open, tmp_path: Path) -> None:
    watched = opened("/results")
    junk = tmp_path / "junk.jsonl"
    junk.write_text("no\n")
    watched.page.locator("input[type=file]").set_input_files(junk)
    watched.page.locator(".state.error", has_text="neither results nor cases").wait_for()
    watched.errors.clear()  # the browser itself notes the refusal in its console
    missing = opened("/results/nothing.jsonl")
    missing.page.locator(".state.error", has_text="no such file").wait_for()
    missing.errors.clear()


@pytest.fixture
def judged(
    endpoint: Loopback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chromium: Browser
) -> Iterator[tuple[Served, Watched]]:
    """A server whose runs are judged by the loopback endpoint, and its page of runs."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    folder = tmp_path / "folder"
    folder.mkdir()
    cases = [{**CASE, "query": f"{QUERY} ({n})"} for n in range(12)]
    (folder / "lamps.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    options = JudgeOptions(base_url=endpoint.url, concurrency=2, retries=0)
    with served(folder, options=options) as web, watched_page(chromium) as watched:
        watched.page.goto(f"{web.url}/runs")
        watched.page.get_by_role("combobox", name="Judge", exact=True).select_option("openai:MODEL")
        watched.page.get_by_role("textbox", name="Model", exact=True).fill("m")
        watched.page.get_by_role("combobox", name="Mode", exact=True).select_option("direct")
        yield web, watched
        watched.assert_quiet(web.url)


def test_a_run_with_live_progress(judged: tuple[Served, Watched], endpoint: Loopback) -> None:
    web, watched = judged
    page = watched.page
    endpoint.respond = lambda _: Say(completion("14"), delay=0.03)
    page.get_by_role("button", name="Start the run").click()
    bar = page.locator(".run progress")
    bar.wait_for()
    until(page, "document.querySelector('.run progress').value > 0")
    seen = {bar.evaluate("bar => bar.value")}
    while page.locator(".run").get_attribute("data-state") == "running":
        seen.add(bar.evaluate("bar => bar.value"))
    assert len(seen) >= 3
    assert max(seen) <= 12 * 3 * 5
    page.locator(".run-state", has_text="Done after").wait_for()
    assert page.locator(".run-facts").inner_text().split("\n")[:2] == ["Judgments", "180 of 180"]
    page.get_by_role("link", name="Open the results").click()
    page.locator(".case-list .case-link").nth(11).wait_for()
    assert len(list(web.folder.glob("lamps.openai-m*.jsonl"))) == 1


def test_a_run_is_cancelled(judged: tuple[Served, Watched], endpoint: Loopback) -> None:
    web, watched = judged
    page = watched.page
    endpoint.respond = lambda _: Say(completion("14"), delay=0.2)
    page.get_by_role("button", name="Start the run").click()
    until(page, "document.querySelector('.run progress')?.value > 0")
    page.get_by_role("button", name="Cancel").click()
    page.locator(".run[data-state=cancelled]").wait_for()
    page.locator(".run-after", has_text="What was answered is in the store").wait_for()
    assert [path.name for path in web.folder.iterdir()] == ["lamps.jsonl"]
    assert len(endpoint.asked) < 180
    page.reload()
    page.locator(".run[data-state=cancelled]").wait_for()


def test_a_run_that_cannot_be_started_is_told(judged: tuple[Served, Watched]) -> None:
    _, watched = judged
    watched.page.get_by_role("combobox", name="Mode", exact=True).select_option("weighted")
    watched.page.get_by_label("Budget").fill("1")
    watched.page.get_by_role("button", name="Start the run").click()
    watched.page.locator(".state.error", has_text="price").wait_for()
    watched.errors.clear()


PAGES = [
    "/",
    "/compare",
    "/results",
    "/results/wide.jsonl",
    "/results/wide.jsonl#case-wide",
    "/runs",
    "/docs",
]


@pytest.fixture
def furnished(web: Served) -> None:
    """Results and cases to show, with words that are hard to break."""
    wide: dict[str, Any] = {**CASE, "id": "wide", "answer": f"{'x' * 300} [1]. {ANSWER}"}
    wide["sources"] = [{"n": 1, "url": f"https://example.org/{'y' * 300}", "title": "z" * 200}]
    cards = [citemark.score(case).to_dict() for case in (wide, CASE)]
    (web.folder / "wide.jsonl").write_text("".join(json.dumps(card) + "\n" for card in cards))
    (web.folder / f"{'w' * 120}.jsonl").write_text(json.dumps(CASE) + "\n")


def ready(page: Page, path: str) -> None:
    """Fill the page with something to look at."""
    if path in ("/", "/compare"):
        page.get_by_label("Example").select_option(index=1)
        page.locator(".case, .comparison").first.wait_for()
        page.locator("[data-pick='1'], .pair-choose").first.click()
    elif path == "/docs":
        for summary in page.locator(".docs-entry > summary").all():
            summary.click()
    page.wait_for_load_state("networkidle")


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.usefixtures("furnished")
def test_nothing_sticks_out_on_a_phone(opened: Open, path: str) -> None:
    page = opened(path, width=390).page
    ready(page, path)
    assert page.evaluate("document.documentElement.scrollWidth") == 390


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.usefixtures("furnished")
def test_no_serious_finding_by_axe(opened: Open, path: str, scheme: str) -> None:
    page = opened(path, bypass_csp=True, color_scheme=scheme, reduced_motion="reduce").page
    ready(page, path)
    assert axe_findings(page) == []


def test_dark_by_the_system_and_by_the_switch(opened: Open) -> None:
    def brightness(page: Page) -> int:
        colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
        return sum(int(part) for part in colour.strip("rgb()").split(",")[:3])

    dark = opened(color_scheme="dark").page
    assert brightness(dark) < 200
    dark.get_by_role("button", name="Light").click()
    assert brightness(dark) > 600
    dark.reload()
    dark.locator("h1").wait_for()
    assert brightness(dark) > 600
    assert brightness(opened(color_scheme="light").page) > 600


def test_everything_is_reached_with_the_keyboard(opened: Open) -> None:
    page = opened().page
    page.get_by_label("Example").wait_for()
    reached: list[str] = []

    def tab_to(name: str) -> None:
        for _ in range(60):
            page.keyboard.press("Tab")
            here = page.evaluate(
                "(e => e.labels?.[0]?.textContent || e.getAttribute('aria-label') || e.textContent)"
                "(document.activeElement)"
            )
            reached.append(here.strip()[:40])
            if here.strip().startswith(name):
                return
        raise AssertionError(f"{name} was not reached: {reached}")

    tab_to("Skip to the page")
    tab_to("Score")
    tab_to("API")
    tab_to("Example")
    tab_to("Open file")
    tab_to("Query")
    page.keyboard.type(QUERY)
    tab_to("Answer")
    page.keyboard.insert_text(ANSWER)
    settled(page)
    page.get_by_role("textbox", name="Answer", exact=True).focus()
    for name in ("HTML report", "CSV", "JSONL", "Copy link", "Keep in folder"):
        tab_to(name)
    tab_to("1")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert lit(page) == [s.n for s in citemark.score(CASE).answer.attributed(2)]
    page.keyboard.press("Escape")
    assert lit(page) == []


HOSTILE_CASE = {
    "query": f"<img src=x onerror=alert(1)> {HOSTILE}",
    "answer": (
        "<script>alert(1)</script> [1] <svg onload=alert(2)> [2].\n\n"
        "[click](javascript:alert(3)) [1] <style>body{display:none}</style> [3].\n\n"
        "<iframe src=//evil.example></iframe> ![x](https://evil.example/a.png) [1] {{7*7}} [2].\n\n"
        f"\u202e[1] {HOSTILE} [3]."
    ),
    "sources": [
        {
            "n": 1,
            "url": "javascript:alert(4)",
            "title": "<img src=//evil.example onerror=alert(5)>",
        },
        {"n": 2, "url": 'https://evil.example/"onmouseover=alert(6)', "title": "a'\"><b>"},
        {"n": 3, "url": "data:text/html,<script>alert(7)</script>", "key": "__proto__"},
    ],
    "tags": {"<b>tag</b>": "<script>alert(8)</script>", "__proto__": "x", "constructor": 1},
    "id": "<u>id</u>",
}


def test_hostile_answers_do_nothing(opened: Open, web: Served, tmp_path: Path) -> None:
    assert web.post("/api/score", HOSTILE_CASE).status_code == 200
    case = tmp_path / "hostile.json"
    case.write_text(json.dumps(HOSTILE_CASE))
    page = opened().page
    page.locator("input[type=file]").set_input_files(case)
    settled(page)
    for source in (1, 2, 3):
        page.locator(f"[data-pick='{source}']").click()
    harmless(page)
    page.get_by_role("button", name="Keep in folder").click()
    page.locator(".action-bar a").click()
    page.locator(".overview .case").wait_for()
    harmless(page)
    pair = opened("/compare").page
    pair.get_by_label("Query").fill(str(HOSTILE_CASE["query"]))
    pair.get_by_role("textbox", name="Answer before").fill(str(HOSTILE_CASE["answer"]))
    pair.get_by_role("textbox", name="Answer after").fill(f"{HOSTILE_CASE['answer']} More [1].")
    pair.locator(".comparison").wait_for()
    harmless(pair)


def harmless(page: Page) -> None:
    """Nothing of the case became an element or a link that runs."""
    page.wait_for_load_state("networkidle")
    inside = page.locator("main").first
    assert inside.locator("script, style, iframe, img, b, u, object, embed, [onerror]").count() == 0
    links = inside.locator("a").evaluate_all("all => all.map(a => a.getAttribute('href'))")
    assert all(link is None or link.startswith(("/", "#", "https://")) for link in links)
    assert page.evaluate("getComputedStyle(document.body).display") == "block"


def test_a_file_name_can_do_no_harm(opened: Open, web: Served) -> None:
    name = "<img src=x onerror=alert(1)>.jsonl"
    (web.folder / name).write_text(json.dumps(CASE) + "\n")
    page = opened("/results").page
    page.locator(".file-name", has_text="<img").wait_for()
    harmless(page)
    page = opened("/runs").page
    page.get_by_label("Cases").select_option(name)
    harmless(page)
    (web.folder / name).unlink()


def test_a_server_that_is_gone_is_told(chromium: Browser, tmp_path: Path) -> None:
    with watched_page(chromium) as watched:
        with served(tmp_path) as web:
            watched.page.goto(web.url)
            write(watched.page)
        watched.page.get_by_label("Query").fill("And now?")
        watched.page.locator(".state.error", has_text="does not answer").wait_for()
        assert watched.page.get_by_role("button", name="Try again").is_visible()
        assert watched.dialogs == []


def test_a_browser_gets_in_with_the_token(chromium: Browser, tmp_path: Path) -> None:
    token = "a-token-for-this-test-only"
    with served(tmp_path, token=token) as web, watched_page(chromium) as watched:
        page = watched.page
        page.goto(web.url)
        page.locator(".state", has_text="needs its token").wait_for()
        watched.errors.clear()  # the browser notes the 401
        page.goto(f"{web.url}/?token={token}")
        write(page)
        assert token not in page.url
        assert page.evaluate("document.cookie") == ""
        watched.assert_quiet(web.url)
