"""Cases in the compact form that the page carries; ``scripts/decode.js`` reads it.

Names stand once and not in every case, sentences are cuts into the answer, and lists of
evidence that repeat are kept once per source. What is not shown is left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from citemark.report.metrics import Metric, Metrics
from citemark.report.reading import Plain, is_number

_KINDS = ("sentence", "heading", "item", "row")
_HARMFUL = re.compile("[<>&\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def embedded_json(data: Any) -> str:
    """JSON that is safe inside a ``<script>`` element: nothing in it can end or open one.

    >>> print(embedded_json(["</script>"]))
    ["\\u003c/script\\u003e"]
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return _HARMFUL.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def encoded_case(card: Plain, metrics: Metrics) -> Any:
    """One scorecard as a row."""
    return [
        card["case"],
        card["query"],
        card["answer"],
        card.get("tags") or 0,
        card.get("variant") or 0,
        _sentences(card["sentences"]),
        [
            [p["code"], p["start"], p["end"] - p["start"], str(p.get("message", ""))]
            for p in card.get("problems", ())
        ],
        [_source(source, metrics) for source in card["sources"]],
    ]


def _sentences(sentences: Sequence[Plain]) -> list[Any]:
    rows, at = [], 0
    for sentence in sentences:
        start, end = sentence["start"], sentence["end"]
        kind = sentence.get("kind")
        own = sentence["sources"]
        block: Any = sentence.get("block_sources", own)
        row = [start - at, end - start, _KINDS.index(kind) if kind in _KINDS else 0, _short(own)]
        rows.append(row if block == own else [*row, _short(block)])
        at = end
    return rows


def _short(numbers: Sequence[int]) -> Any:
    """A list of source numbers: 0 for none, the number alone for one."""
    if len(numbers) == 1 and numbers[0]:
        return numbers[0]
    return list(numbers) or 0


def _source(source: Plain, metrics: Metrics) -> Any:
    pool: dict[tuple[int, ...], int] = {}
    scores = source["scores"]
    judgments = [_judgment(scores.get(name), metrics[name], pool) for name in metrics.names]
    impression = source.get("impression") or {}
    share = impression.get("share") or {}
    figures = [
        _figure(impression.get(name), digits)
        for name, digits in (("sentences", 0), ("words", 1), ("word", 4))
    ]
    return [
        source["source"],
        source.get("key") or 0,
        source.get("url") or 0,
        source.get("title") or 0,
        int(bool(source.get("cited", True))),
        source.get("overall"),
        judgments,
        [list(numbers) for numbers in pool],
        [*figures, _figure(share.get("word"), 4)],
    ]


def _figure(value: Any, digits: int) -> float | int:
    if not is_number(value):
        return 0
    return round(value, digits) if digits else int(value)


def _judgment(judgment: Plain | None, metric: Metric, pool: dict[tuple[int, ...], int]) -> Any:
    """A score with what it is made of; 0 if not cited; the reason if failed; None if not asked."""
    if judgment is None:
        return None
    if judgment["status"] == "not_cited":
        return 0
    if judgment["status"] == "failed":
        return str(judgment.get("reason") or "unknown")
    levels, evidence = judgment.get("subscores") or {}, judgment.get("evidence")
    ids, known = metric.ids, bool(levels) and levels.keys() >= set(metric.ids)
    row = [
        judgment["score"],
        "".join(str(levels[i]) for i in ids) if known else 0,
        [_pooled(evidence.get(i, ()), pool) for i in ids] if known and evidence else 0,
        judgment.get("interval") or 0,
    ]
    band = judgment.get("band")
    return row if band == metric.band(judgment["score"]) else [*row, band]


def _pooled(numbers: Sequence[int], pool: dict[tuple[int, ...], int]) -> int:
    return pool.setdefault(tuple(numbers), len(pool))
