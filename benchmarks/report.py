"""How large a report of 1,000 cases is, how long it takes to make, and how fast it opens.

    python benchmarks/report.py [--cases 1000] [--chromium /usr/bin/chromium]

Cases are generated and scored by the embedded judge. "First view" is the time from opening the
file in a fresh Chromium until the summary stands on the page and was painted.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from pathlib import Path

from citemark.case import Case
from citemark.report.page import Report
from citemark.scoring import score_many
from generated import case

ARGUMENTS = "--headless --no-sandbox --disable-gpu --disable-background-networking --no-first-run"
PAINTED = """() => new Promise((done) => {
  const painted = () => requestAnimationFrame(() => setTimeout(() => done(performance.now()), 0));
  const check = () => document.querySelector("#summary .tiles") ? painted() : setTimeout(check, 5);
  check();
})"""


def made(cases: int, place: Path) -> None:
    """Score generated cases and write their report."""
    report = Report(title="Generated")
    started = time.perf_counter()
    rng = random.Random(0)
    cards = score_many(Case.from_dict(case(rng, number)) for number in range(cases))
    plain = [card.to_dict() for card in cards]
    scored = time.perf_counter()
    for card in plain:
        report.add(card)
    with place.open("wb") as stream:
        report.write(stream)
    written = time.perf_counter()
    size = place.stat().st_size / 1e6
    print(
        f"{cases} cases: scored in {scored - started:.1f} s, page made in {written - scored:.1f} s"
    )
    print(f"file: {size:.2f} MB")


def opened(place: Path, chromium: str) -> None:
    """Open the page a few times, each in a browser of its own."""
    from playwright.sync_api import sync_playwright

    times = []
    with sync_playwright() as playwright:
        for _ in range(5):
            browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS.split())
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            page.goto(place.as_uri(), wait_until="commit")
            times.append(page.evaluate(PAINTED) / 1000)
            before = time.perf_counter()
            page.locator(".case-link").first.click()
            page.locator(".case .answer").wait_for()
            detail = time.perf_counter() - before
            browser.close()
    shown = ", ".join(f"{seconds:.2f}" for seconds in times)
    print(f"first view: {shown} s; opening a case: {detail:.2f} s")


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    parser.add_argument("--page", type=Path, help="open this report instead of making one")
    given = parser.parse_args()
    if given.page:
        opened(given.page.resolve(), given.chromium)
        return
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "report.html"
        made(given.cases, place)
        opened(place, given.chromium)


if __name__ == "__main__":
    main()
