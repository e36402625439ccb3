"""The examples in docs/ run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import citemark
from citemark.judges import Judge
from citemark.judges.options import MODES

DOCS = Path(__file__).parents[1] / "docs"


def test_the_judge_in_the_docs_is_complete() -> None:
    text = (DOCS / "judges.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {}
    exec(compile(example, "judges.md", "exec"), names)
    judge = names["LongWinded"]()
    assert isinstance(judge, Judge)
    answer = f"{'Word ' * 45}[1]. Short [2]."
    card = citemark.score(query="q", answer=answer, judge=judge)
    assert card.judge == "long-winded"
    assert card[1].count.score == 10
    assert card[2].count.score == 1
    assert "judge:long-winded/1|" in card.signature


def test_every_mode_and_reason_is_explained() -> None:
    text = (DOCS / "judges.md").read_text(encoding="utf-8")
    for mode in MODES:
        assert f"`{mode}`" in text


def test_every_problem_is_explained() -> None:
    text = (DOCS / "citations.md").read_text(encoding="utf-8")
    for code, severity in citemark.citations.SEVERITIES.items():
        assert f"| `{code}` | {severity} |" in text
