"""The report of an evaluation: how far each tier agrees with the LLM, and where."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citemark.citations import parse_answer
from citemark.rubrics import DEFAULT_METRICS, rubric
from training import figures
from training.judged import FOLDS, Array, totals_of
from training.other_sources import BESIDE
from training.out_of_fold import Evaluation
from training.second_judge import ROUNDS, judgments_in
from training.second_pass import both_judges, both_passes

Mask = NDArray[np.bool_]
_FEW = 30
"""Fewer sources than this say little about a correlation: the row shows their number only."""
_LENGTHS = (100, 200, 300)
_SOURCES = (2, 4, 7)

_OPENING = """\
# How far the embedded judge agrees with the LLM

Made by `make evaluate` (`python -m training.evaluate`); do not edit.

{cases:,} real English answers, {sources:,} judged sources, {two:,} of them judged twice by \
the LLM. Every figure is about answers to queries that the models had not seen: the queries are \
split into {folds} folds, and each fold is judged by models fitted to the other folds. What comes \
after the models (mixture, stretch, intervals) is fitted to the other folds too. The features and \
constants, however, were chosen by looking at these same folds: expect a little less on new answers.

- **Spearman**: rank correlation of the scores with the LLM's (mean of its passes).
- **kappa**: quadratic weighted kappa of the scores, rounded to 1 to 20.
- **error**: mean absolute difference, in points of 20.
- **order**: of two sources of one answer that the LLM puts two points or more apart, how often \
they come out in its order.
"""
_PARTIAL = "\nThis report is about a part of the data only: folds {folds}.\n"


def report(found: Evaluation, data: Path) -> str:
    """The whole report as Markdown."""
    table = found.table
    passes = both_passes(data, found.cases)[:, np.isin(_fold_of_rows(found), found.folds)]
    head = _OPENING.format(
        cases=len(np.unique(table.case)),
        sources=len(table.case),
        two=int(table.two.sum()),
        folds=FOLDS,
    )
    if len(found.folds) < FOLDS:
        head += _PARTIAL.format(folds=", ".join(map(str, found.folds)))
    everything = np.ones(len(table.case), dtype=np.bool_)
    parts = [
        head,
        "## Sources judged twice\n",
        *_agreements(found, table.two, passes),
        "## The second LLM\n",
        _second_llm(found),
        "## All sources\n",
        *_agreements(found, everything, None),
        "## Intervals\n",
        _intervals(found),
        "## Sub-scores\n",
        "Spearman on the sources judged twice; the last column is the LLM's second pass against "
        "its first, which no judge can be expected to exceed by much.\n",
        _subscores(found, passes),
        "## Where it is weak\n",
        "Means over the five metrics, all sources.\n",
        *_groups(found),
        "## Learning curve\n",
        _curve(found),
        "## What each thing is good for\n",
        "Means over the five metrics, all sources.\n",
        *_ablations(found),
    ]
    return "\n".join(parts).rstrip() + "\n"


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; numbers to the right.

    >>> print(markdown(("metric", "n"), [("count", "3")]), end="")
    | metric | n |
    |---|--:|
    | count | 3 |
    """
    rule = "|---|" + "--:|" * (len(head) - 1)
    lines = [" | ".join(row) for row in rows]
    return "\n".join([f"| {' | '.join(head)} |", rule, *(f"| {line} |" for line in lines), ""])


def decimals(value: float, places: int = 3) -> str:
    """A number without its leading zero, as correlations are written.

    >>> decimals(0.5), decimals(-0.25, 2), decimals(2.0, 2)
    ('.500', '-.25', '2.00')
    """
    text = f"{value:.{places}f}"
    return text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text


def _row(name: str, a: figures.Agreement) -> tuple[str, ...]:
    return name, decimals(a.spearman), decimals(a.qwk), decimals(a.mae, 2), decimals(a.order)


def _agreements(found: Evaluation, rows: Mask, passes: Array | None) -> list[str]:
    """A table for each tier, and for the LLM's second pass if both passes are given."""
    table = found.table
    if not rows.any():
        return ["None.\n"]
    given = [(f"`{name}`", t.totals[rows], table.totals[rows]) for name, t in found.tiers.items()]
    if passes is not None:
        first, second = (totals_of(levels[rows]) for levels in passes)
        given.append(("The LLM's second pass against its first", second, first))
    out = []
    for name, said, asked in given:
        agreement = figures.agreement(said, asked, table.case[rows])
        head = (f"{name}, n = {len(asked):,}", "Spearman", "kappa", "error", "order")
        out.append(markdown(head, [_row(metric, a) for metric, a in agreement.items()]))
    return out


def _second_llm(found: Evaluation) -> str:
    """How well the LLM whose judgments the network learns from as well agrees with the first."""
    alone = both_judges((one.judged_again() for one in ROUNDS), found.cases)
    beside = both_judges([judgments_in(BESIDE)], found.cases)
    if min(len(alone[2]), len(beside[2])) < _FEW:
        return "Too few sources that both judged.\n"
    both = [
        figures.agreement(second, first, np.array(case)) for second, first, case in (alone, beside)
    ]
    head = (
        "Sources that both judged",
        f"by itself, n = {len(alone[2]):,}: Spearman",
        "kappa",
        "error",
        f"beside the first one's scores of other sources, n = {len(beside[2])}: Spearman",
        "kappa",
        "error",
    )
    rows = [
        (metric, *(figure for one in both for figure in _row(metric, one[metric])[1:-1]))
        for metric in both[0]
    ]
    return markdown(head, rows)


def _intervals(found: Evaluation) -> str:
    text = (
        "The share of the LLM's scores that lie within the 80 % interval, and how many points it "
        "is wide (a single score has width 0). All sources.\n"
    )
    known = {name: tier.ends for name, tier in found.tiers.items() if tier.ends is not None}
    if not known:
        return "Not measured: they need two folds at least.\n"
    llm = found.table.totals
    rows = []
    for i, metric in enumerate(DEFAULT_METRICS):
        row = [metric]
        for ends in known.values():
            row += [decimals(_held(ends, llm)[i]), decimals(_width(ends)[i], 1)]
        rows.append(row)
    mean = ["mean"]
    for ends in known.values():
        mean += [decimals(float(_held(ends, llm).mean())), decimals(float(_width(ends).mean()), 1)]
    head = ["metric", *(word for name in known for word in (f"`{name}` holds", "width"))]
    return f"{text}\n{markdown(head, [*rows, mean])}"


def _held(ends: Array, llm: Array) -> Array:
    return np.asarray(((llm >= ends[..., 0]) & (llm <= ends[..., 1])).mean(0))


def _width(ends: Array) -> Array:
    return np.asarray((ends[..., 1] - ends[..., 0]).mean(0))


def _subscores(found: Evaluation, passes: Array) -> str:
    two, table = found.table.two, found.table
    ids = [name for metric in DEFAULT_METRICS for name in rubric(metric).ids]
    rows = []
    for i, name in enumerate(ids):
        own = [
            figures.spearman(t.levels[two, i], table.levels[two, i]) for t in found.tiers.values()
        ]
        rows.append([name, *map(decimals, [*own, figures.spearman(*passes[:, two, i])])])
    return markdown(["sub-score", *(f"`{name}`" for name in found.tiers), "LLM again"], rows)


def _groups(found: Evaluation) -> list[str]:
    """The tables by engine, by length of the answer and by number of sources."""
    engines = {e: [c.engine == e for c in found.cases] for e in {c.engine for c in found.cases}}
    words = [len(case.answer.split()) for case in found.cases]
    cited = [len(parse_answer(case.answer).cited) for case in found.cases]
    by_size = dict(sorted(engines.items(), key=lambda item: (-sum(item[1]), item[0])))
    return [
        _grouped(found, "engine", by_size),
        _grouped(found, "words of the answer", _bins(words, _LENGTHS)),
        _grouped(found, "sources that it cites", _bins(cited, _SOURCES)),
    ]


def _bins(values: Sequence[int], edges: Sequence[int]) -> dict[str, list[bool]]:
    """Which values lie up to the first edge, from there up to the next, and so on."""
    lows, highs = (0, *(edge + 1 for edge in edges)), (*edges, None)
    found = {}
    for low, high in zip(lows, highs, strict=True):
        name = f"{low} and more" if high is None else f"{low} to {high}" if low else f"up to {high}"
        found[name] = [value >= low and (high is None or value <= high) for value in values]
    return found


def _grouped(found: Evaluation, what: str, groups: Mapping[str, Sequence[bool]]) -> str:
    table, rows = found.table, []
    for name, chosen in groups.items():
        mask = np.array(chosen)[table.case]
        cells = [name.replace("|", "/"), f"{int(mask.sum()):,}"]
        for tier in found.tiers.values():
            if mask.sum() < _FEW:
                cells += ["", "", ""]
                continue
            mean = figures.agreement(tier.totals[mask], table.totals[mask], table.case[mask])[
                "mean"
            ]
            cells += [decimals(mean.spearman), decimals(mean.mae, 2), decimals(mean.order)]
        if mask.any():
            rows.append(cells)
    heads = [w for name in found.tiers for w in (f"`{name}` Spearman", "error", "order")]
    return markdown([what, "n", *heads], rows)


def _mean_row(name: str, said: Array, found: Evaluation, rows: Mask) -> tuple[str, ...]:
    llm, case = found.table.totals[rows], found.table.case[rows]
    return _row(name, figures.agreement(said, llm, case)["mean"])


def _curve(found: Evaluation) -> str:
    """The figures with a part of the training queries."""
    everything = np.ones(len(found.table.case), dtype=np.bool_)
    rows = []
    for model, curve in found.curve.items():
        if len(curve) < 2:
            continue
        where = everything if model == "fast" else found.first_fold
        name = "kernel of `embedded:fast`" if model == "fast" else "network alone, one fold"
        for share, said in sorted(curve.items()):
            rows.append(_mean_row(f"{name}, {share} % of the queries", said, found, where))
    if not rows:
        return "Not measured.\n"
    return markdown(("model", "Spearman", "kappa", "error", "order"), rows)


def _ablations(found: Evaluation) -> list[str]:
    everything = np.ones(len(found.table.case), dtype=np.bool_)
    out = []
    for tier, entries in found.ablations.items():
        rows = [_mean_row(name, said, found, everything) for name, said in entries.items()]
        out.append(markdown((f"`{tier}`", "Spearman", "kappa", "error", "order"), rows))
    return out


def _fold_of_rows(found: Evaluation) -> NDArray[np.int64]:
    counts = [len(case.sources) for case in found.cases]
    return np.repeat([case.fold for case in found.cases], counts)
