"""Scorecards for the tests of the report, made by hand so that every form turns up."""

from __future__ import annotations

from typing import Any

from citemark.rubrics import DEFAULT_METRICS, rubric

ANSWER = (
    "## Heat\n\nWater boils at 100 °C at sea level [1]. It boils at 71 °C on Everest [1][2].\n\n"
    "- Pots with lids save a third of the gas [3].\n\nNobody said this. 🍲 So they cook longer."
)
PARTS: tuple[tuple[str, list[int], list[int], str], ...] = (
    ("Heat", [], [], "heading"),
    ("Water boils at 100 °C at sea level [1].", [1], [1], "sentence"),
    ("It boils at 71 °C on Everest [1][2].", [1, 2], [1, 2], "sentence"),
    ("Pots with lids save a third of the gas [3].", [3], [3], "item"),
    ("Nobody said this.", [], [3], "sentence"),
    ("🍲 So they cook longer.", [], [], "sentence"),
)


def sentences(answer: str = ANSWER, parts: Any = PARTS) -> list[dict[str, Any]]:
    found, at = [], 0
    for n, (part, sources, block, kind) in enumerate(parts):
        at = answer.index(part, at)
        end = at + len(part)
        found.append(
            {"n": n, "start": at, "end": end, "text": part, "sources": sources}
            | {"block_sources": block, "paragraph": 0, "kind": kind}
        )
        at = end
    return found


def scored(metric: str, levels: str, evidence: list[int] | None = None, **more: Any) -> Any:
    """A judgment from five digits, such as "33233"."""
    wording = rubric(metric)
    digits = [int(digit) for digit in levels]
    score = max(1, sum(digits))
    named = dict(zip(wording.ids, digits, strict=True))
    proof = None if evidence is None else dict.fromkeys(wording.ids, evidence)
    data = {"status": "scored", "score": score, "expected": float(score), "interval": None}
    data |= {"band": wording.band(score), "subscores": named, "evidence": proof}
    return data | {"samples": None, "coverage": None, "reason": None} | more


def not_cited(metric: str) -> Any:
    return scored(metric, "00000", [], status="not_cited")


def failed(reason: str) -> Any:
    names = ("score", "expected", "interval", "band", "subscores", "evidence", "samples")
    return dict.fromkeys(names) | {"status": "failed", "reason": reason, "coverage": None}


def source(number: int, scores: dict[str, Any], *, words: float, **more: Any) -> dict[str, Any]:
    values = [judgment["score"] for judgment in scores.values()]
    overall = None if None in values else round(sum(values) / len(values), 2)
    share = {"word": words / 30, "position": 0.0, "word_position": 0.0}
    impression = {"sentences": 1, "words": words, "word": words / 40, "word_position": 0.0}
    data: dict[str, Any] = {
        "source": number,
        "key": None,
        "url": None,
        "title": None,
        "cited": words > 0,
    }
    data |= {"scores": scores, "overall": overall, "impression": impression | {"share": share}}
    return data | more


def card(case: str = "pot", **more: Any) -> dict[str, Any]:
    """One case: a strong source, one with a wide interval, one that failed, one not cited."""
    strong = {m: scored(m, "43434", [1, 2]) for m in DEFAULT_METRICS}
    unsure = {m: scored(m, "22122", [2], interval=[4, 15]) for m in DEFAULT_METRICS}
    broken = {m: scored(m, "11111", [3]) for m in DEFAULT_METRICS} | {"count": failed("timeout")}
    absent = {m: not_cited(m) for m in DEFAULT_METRICS}
    data = {
        "schema": 1,
        "case": case,
        "query": "Why does water boil sooner on a mountain?",
        "answer": ANSWER,
        "tags": {"domain": "physics"},
        "sentences": sentences(),
        "problems": [
            {"code": "unknown_source", "start": 45, "end": 48, "message": "[9] is not listed"},
            {"code": "uncited_source", "start": 0, "end": 0, "message": "never cited: source 4"},
        ],
        "sources": [
            source(1, strong, words=12, url="https://www.boil.example.org/a", title="Boiling"),
            source(2, unsure, words=9, url="https://peak.example.com/b", title="Peaks"),
            source(3, broken, words=9, url="https://boil.example.org/c"),
            source(4, absent, words=0, title="Never used"),
        ],
        "judge": "openai:some-model",
        "mode": "subscores",
        "signature": "judge:some-model|mode:subscores",
    }
    return data | more


HOSTILE = (
    '<script>alert(1)</script></script><script>alert(2)</script><img src=x onerror="alert(3)">'
    "<svg onload=alert(4)><style>*{display:none}</style><!-- --><![CDATA[ ]]> </noscript>"
    "<iframe src='javascript:alert(5)'></iframe> [a](javascript:alert(6)) <base href=//evil.example>"
    " [b](https://evil.example/x) \u202eRTL override\u0000 null \u2028 line \x1b[31m ${alert(7)} {{x}} $title"
    " </textarea></title><meta http-equiv=refresh content='0;url=https://evil.example'> [1]. &lt;b&gt;"
)


def hostile_card() -> dict[str, Any]:
    """The same attack in every text that a case can hold."""
    data = card(HOSTILE[:300], query=HOSTILE, answer=HOSTILE)
    end = len(HOSTILE)
    one = {"n": 0, "start": 0, "end": end, "text": HOSTILE, "sources": [1], "block_sources": [1]}
    data["sentences"] = [one | {"paragraph": 0, "kind": "sentence"}]
    data["problems"] = [{"code": HOSTILE, "start": 0, "end": 9, "message": HOSTILE}]
    data["tags"] = {HOSTILE: HOSTILE, "n": {"a": [HOSTILE]}}
    data |= {"judge": HOSTILE, "mode": HOSTILE, "signature": HOSTILE, "variant": HOSTILE}
    addresses = ("javascript:alert(8)", "//evil.example/x", "/etc/passwd", " data:text/html,<b>")
    for item, address in zip(data["sources"], addresses, strict=True):
        item |= {"title": HOSTILE, "key": HOSTILE, "url": address}
        for judgment in item["scores"].values():
            judgment["evidence"] = None if judgment["evidence"] is None else {HOSTILE: [0]}
            judgment["band"] = HOSTILE if judgment["status"] == "scored" else None
            judgment["reason"] = HOSTILE if judgment["status"] == "failed" else None
    return data
