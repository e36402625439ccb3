"""What docs/compare.md shows is what the command prints."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

from citemark.comparison.plain import COLUMNS
from running import ROOT, run

PAGE = (ROOT / "docs" / "compare.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_session_prints_what_is_shown(tmp_path: Path) -> None:
    for name, cases in zip(("before", "after"), blocks("json"), strict=True):
        (tmp_path / f"{name}.jsonl").write_text(cases, encoding="utf-8")
    (session,) = blocks("console")
    printed = ""
    for line in session.splitlines():
        words = shlex.split(line.removeprefix("$ "))
        assert words[0] == "citemark"
        done = run(*words[1:], cwd=tmp_path, COLUMNS="80")
        assert done.code == 0
        printed += "\n".join(line.rstrip() for line in done.out.splitlines())
    assert printed.strip() == blocks("text")[0].strip()


def test_the_python_example_runs() -> None:
    (example,) = blocks("python")
    test = doctest.DocTestParser().get_doctest(example, {}, "compare", "compare.md", 0)
    runner = doctest.DocTestRunner()
    runner.run(test)
    assert runner.failures == 0
    assert runner.tries >= 5


def test_every_column_is_named() -> None:
    assert ", ".join(COLUMNS) in " ".join(PAGE.split())
