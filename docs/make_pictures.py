"""Makes the pictures in docs/pictures from real output: ``make pictures``.

The table is drawn by Rich. The report and the web app are photographed in headless Chromium
through Playwright; where either is missing those pictures are left as they are, and it says so.
Fonts are those of this machine: for Chinese and Korean have a Noto CJK or the like installed.
"""

from __future__ import annotations

import io
import re
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from citemark.case import Case
from citemark.case_files import load_cases
from citemark.cli.table import Table
from citemark.judges import find_judge
from citemark.report.page import Report
from citemark.scoring import score_many

if TYPE_CHECKING:
    from playwright.sync_api import Page

PICTURES = Path(__file__).parent / "pictures"
SHOWN = "heat-pump-before"
WIDTH = 1280
SHARPNESS = 1.25
MOST_BYTES = 400_000
ARGUMENTS = "--headless --no-sandbox --disable-gpu --disable-background-networking".split()


def main() -> None:
    """Draw the table, then photograph the report and the app."""
    PICTURES.mkdir(exist_ok=True)
    cases = examples()
    draw_table([case for case in cases if case.id == SHOWN])
    try:
        photograph(cases)
    except MissingBrowserError as missing:
        sys.exit(f"Only score.svg was made: {missing}")


def examples() -> list[Case]:
    """The bundled examples."""
    with as_file(files("citemark.examples") / "cases.jsonl") as path:
        return list(load_cases(path))


def draw_table(cases: list[Case]) -> None:
    """The table of the command line, as SVG."""
    console = Console(
        record=True, width=96, force_terminal=True, color_system="truecolor", file=io.StringIO()
    )
    judge = find_judge("embedded")
    table = Table(judge.trust, console)
    for card in score_many(cases, judge=judge):
        table.write(card)
    table.close()
    svg = console.export_svg(title=f"citemark score cases.jsonl  ({SHOWN})", unique_id="citemark")
    # The picture must not fetch fonts from anywhere; a monospaced one of the reader's will do.
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    (PICTURES / "score.svg").write_text(svg, encoding="utf-8")
    told("score.svg")


def told(line: str) -> None:
    """Say what was made."""
    sys.stdout.write(f"{line}\n")


class MissingBrowserError(Exception):
    """Nothing here to photograph with; the text says what to install."""


def photograph(cases: list[Case]) -> None:
    """The report and the app, each view in a fresh page."""
    html = report_of(cases)
    with tempfile.TemporaryDirectory() as folder, browser_page() as page:
        report = Path(folder) / "report.html"
        report.write_text(html, encoding="utf-8")
        page.goto(report.as_uri())
        take(page, "report-summary", report_summary, height=1400)
        page.goto(f"{report.as_uri()}#case-{SHOWN}")
        take(page, "report-case", report_case, height=1120)
        with app(Path(folder)) as url:
            page.goto(url)
            take(page, "app-score", app_score, height=1240)
            page.goto(f"{url}compare")
            take(page, "app-compare", app_compare, height=1400)


def report_of(cases: list[Case]) -> str:
    """The report of all examples."""
    report = Report(title="The bundled examples")
    for card in score_many(cases, judge="embedded"):
        report.add(card.to_dict())
    return report.html()


def report_summary(page: Page) -> None:
    """The first view of the report."""
    page.locator("#summary").wait_for()


def report_case(page: Page) -> None:
    """A case with its first source chosen, and what one of its sub-scores rests on."""
    page.locator('[data-pick="1"]').click()
    page.get_by_role("button", name="I2,").click()


def app_score(page: Page) -> None:
    """An example, scored."""
    page.get_by_label("Example").select_option(index=1)
    page.locator(".scores-place:not([aria-busy]) .case").wait_for()
    page.locator('[data-pick="1"]').click()


def app_compare(page: Page) -> None:
    """An answer before and after an edit."""
    page.get_by_label("Example").select_option(index=1)
    page.locator(".scores-place:not([aria-busy]) .comparison").wait_for()
    page.locator(".pair-choose").first.click()


def take(page: Page, name: str, prepare: Callable[[Page], None], *, height: int) -> None:
    """Photograph a page once it is as it should be."""
    page.set_viewport_size({"width": WIDTH, "height": height})
    prepare(page)
    page.evaluate("document.fonts.ready.then(() => document.activeElement.blur())")
    page.evaluate("scrollTo(0, 0)")  # a click may have moved the page
    path = PICTURES / f"{name}.png"
    size = len(page.screenshot(path=path, animations="disabled", caret="hide"))
    told(f"{path.name}  {size // 1000} kB")
    if size > MOST_BYTES:
        sys.exit(f"{path} has {size} bytes, more than {MOST_BYTES}: make the view smaller")


@contextmanager
def browser_page() -> Iterator[Page]:
    """A page in a headless Chromium, light and still."""
    chromium = shutil.which("chromium")
    if chromium is None:
        raise MissingBrowserError(
            "no chromium here; install it, for example: apt-get install chromium"
        )
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise MissingBrowserError("no playwright here; run: pip install playwright") from None
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        yield browser.new_page(
            device_scale_factor=SHARPNESS,
            color_scheme="light",
            reduced_motion="reduce",
            locale="en-GB",
        )
        browser.close()


@contextmanager
def app(folder: Path) -> Iterator[str]:
    """The web app on loopback, and its address."""
    from citemark.web.folder import Folder
    from citemark.web.serving import Server, address_of, bound
    from citemark.web.setup import Setup

    with bound("127.0.0.1", 0) as taken:
        server = Server(Setup(Folder(folder), port=taken.getsockname()[1]))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [taken]})
        thread.start()
        try:
            yield address_of(taken, "127.0.0.1")
        finally:
            server.end()
            thread.join()


if __name__ == "__main__":
    main()
