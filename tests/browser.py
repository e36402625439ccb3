"""A real browser for the tests of pages: Chromium through Playwright, a fresh profile each.

Where either is missing the tests are skipped and say so. Every page notes what it should never
do: open a dialog, ask for anything but itself, or complain in the console.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fcntl import LOCK_EX, flock
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = (
    "--headless --no-sandbox --disable-gpu --disable-background-networking"
    " --disable-component-update --disable-sync --no-first-run --disable-quic"
).split()
AXE = "axe-core@4.10.3"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """A running Chromium, or a skip that says what is missing.

    One per module: while Playwright runs, nothing else in its thread can use asyncio.
    """
    os.environ["PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD"] = "1"
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="needs playwright: pip install playwright"
    )
    if not Path(CHROMIUM).exists():
        pytest.skip(f"needs {CHROMIUM}: apt-get install chromium")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@dataclass(slots=True)
class Watched:
    """A page, and all it did that a page from us never does."""

    page: Page
    errors: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def assert_quiet(self, own: str = "file:") -> None:
        """Nothing was asked for but the page itself, no dialog, no error in the console."""
        foreign = [url for url in self.requests if not url.startswith((own, "data:", "blob:"))]
        assert (self.errors, self.dialogs, foreign) == ([], [], [])


@contextmanager
def watched_page(browser: Browser, *, width: int = 1280, **options: Any) -> Iterator[Watched]:
    """A fresh page that is watched; ``options`` go to the browser's context."""
    context = browser.new_context(viewport={"width": width, "height": 900}, **options)
    page = context.new_page()
    watched = Watched(page)

    def dismissed(dialog: Any) -> None:
        watched.dialogs.append(dialog.message)
        dialog.dismiss()

    def noted(message: Any) -> None:
        if message.type in ("error", "warning"):
            watched.errors.append(message.text)

    page.on("console", noted)
    page.on("pageerror", lambda error: watched.errors.append(str(error)))
    page.on("dialog", dismissed)
    page.on("request", lambda request: watched.requests.append(request.url))
    yield watched
    context.close()


@cache
def axe_script() -> str:
    """The source of axe-core, installed with npm beside the environment when it is missing."""
    place = Path(sys.prefix) / "node_modules" / "axe-core" / "axe.min.js"
    with (Path(sys.prefix) / "axe-core.lock").open("w") as lock:
        flock(lock, LOCK_EX)  # tests may run in several processes, and one of them installs it
        if not place.exists():
            _install_axe()
    return place.read_text("utf-8")


def _install_axe() -> None:
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("needs axe-core, and there is no npm to install it")
    command = [npm, "install", "--prefix", sys.prefix, "--no-save", "--no-package-lock", AXE]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"npm could not install axe-core: {done.stderr.strip()[-200:]}")


def axe_findings(page: Page) -> list[str]:
    """What axe-core holds against the page as it is, serious and critical findings only.

    The page must come from a context with ``bypass_csp=True``, or axe itself is turned away.
    """
    page.evaluate(axe_script())
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{violation['id']}: {json.dumps(node['target'])} {node.get('failureSummary', '')[:200]}"
        for violation in found["violations"]
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
    ]
