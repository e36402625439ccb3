"""Made-up scorecards for the tests of comparisons."""

from __future__ import annotations

from typing import Any

METRICS = ("relevance", "influence", "uniqueness", "diversity", "count")


def source(
    n: int, score: int | None = 10, *, url: str | None = "", share: float = 0.5, **changes: Any
) -> dict[str, Any]:
    """A source of a scorecard with the same score in every metric; None is a failure."""
    status = "failed" if score is None else "scored"
    judgment = {"status": status, "score": score, "reason": None if score else "timeout"}
    address = f"https://site{n}.example/page" if url == "" else url
    return {
        "source": n,
        "key": None,
        "url": address,
        "title": None,
        "cited": True,
        "scores": {metric: dict(judgment) for metric in METRICS},
        "overall": None if score is None else float(score),
        "impression": {"share": {"word": share}},
        **changes,
    }


def not_cited(n: int) -> dict[str, Any]:
    """A source that is listed but never cited."""
    card = source(n, 1, share=0.0, cited=False)
    for judgment in card["scores"].values():
        judgment["status"] = "not_cited"
    return card


def card(case: str, *sources: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """A scorecard, as a line of a results file holds it."""
    answer = " ".join(f"Fact {s['source']} [{s['source']}]." for s in sources) or "Nothing."
    sentences, at = [], 0
    for n, s in enumerate(sources):
        end = at + len(f"Fact {s['source']} [{s['source']}].")
        numbers = [s["source"]]
        sentences.append(
            {"n": n, "start": at, "end": end, "sources": numbers, "block_sources": numbers}
        )
        at = end + 1
    return {
        "schema": 1,
        "case": case,
        "query": f"Question {case}?",
        "answer": answer,
        "tags": {},
        "sentences": sentences,
        "problems": [],
        "sources": list(sources),
        "judge": "embedded",
        "mode": None,
        "signature": "judge:embedded/1|rubrics:relevance@1+count@2|parser:1|citemark:0.1.0",
        **changes,
    }
