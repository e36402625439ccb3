"""The README tells the truth: its example is run and its output compared."""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def test_the_command_prints_what_the_readme_shows(tmp_path: Path) -> None:
    (answer,) = blocks("markdown")
    (tmp_path / "answer.md").write_text(answer, encoding="utf-8")
    (session,) = blocks("console")
    command, _, shown = session.partition("\n")
    words = shlex.split(command.removeprefix("$ "))
    assert words[0] == "citemark"
    done = subprocess.run(
        [sys.executable, "-m", *words],
        cwd=tmp_path,
        env={**os.environ, "COLUMNS": "80", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    printed = "\n".join(line.rstrip() for line in done.stdout.splitlines())
    assert printed.strip() == shown.strip()
    assert done.stderr == ""


def test_the_python_example_runs() -> None:
    (example,) = blocks("python")
    test = doctest.DocTestParser().get_doctest(example, {}, "README", "README.md", 0)
    runner = doctest.DocTestRunner()
    runner.run(test)
    assert runner.failures == 0
    assert runner.tries >= 5


def test_every_file_that_the_docs_link_to_exists() -> None:
    pages = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", *(ROOT / "docs").glob("*.md")]
    for page in pages:
        text = page.read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)#\s]+)\)", text):
            if "://" not in target and "…" not in target:
                assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_command_is_in_the_readme() -> None:
    from citemark.cli import citemark

    for name in citemark.list_commands(None):  # type: ignore[arg-type]
        assert f"`citemark {name}" in README
