"""The findings as a Markdown table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from training.discipline.laws import Law, transformations_of
from training.discipline.transformations import transformation
from training.discipline.trials import Finding, Trials

NEAR = 0.5
"""A miss by no more than this, of 20, is told apart from a larger one."""


@dataclass(frozen=True, slots=True)
class Row:
    """What was found about one law."""

    law: Law
    findings: tuple[Finding, ...]

    @property
    def rate(self) -> float:
        """The share of the trials that kept the law."""
        return sum(f.passed for f in self.findings) / len(self.findings) if self.findings else 1.0

    @property
    def near(self) -> float:
        """The share that kept it or missed it by at most half a point."""
        kept = sum(f.passed or _miss(f) <= NEAR for f in self.findings)
        return kept / len(self.findings) if self.findings else 1.0

    @property
    def mean(self) -> float:
        """The mean change."""
        return sum(f.change for f in self.findings) / len(self.findings) if self.findings else 0.0

    @property
    def worst(self) -> Finding | None:
        """The finding that is furthest from what the law asks."""
        return max(self.findings, key=_miss, default=None)


def _miss(finding: Finding) -> float:
    return abs(finding.change) if finding.law.rule == "stay" else finding.change


def rows(chosen: Sequence[Law], found: Iterable[Finding]) -> list[Row]:
    """The findings by law, in the laws' order."""
    by_law: dict[Law, list[Finding]] = {law: [] for law in chosen}
    for finding in found:
        by_law[finding.law].append(finding)
    return [Row(law, tuple(members)) for law, members in by_law.items()]


def markdown(judge: str, table: Sequence[Row], tried: Sequence[Trials]) -> str:
    """The whole report."""
    looked_at = {trials.transformation: trials.looked_at for trials in tried}
    head = [
        f"### `{judge}`",
        "",
        "| change | measure | must | n | kept | within ½ | mean change | worst |",
        "|---|---|---|---|---|---|---|---|",
    ]
    body = []
    for row in table:
        law, worst = row.law, row.worst
        furthest = "" if worst is None else f"{worst.change:+.2f}"
        if worst is not None and not worst.passed:
            furthest += f" ({worst.trial.case.id})"
        n = f"{len(row.findings)} of {looked_at.get(law.transformation, 0)}"
        figures = f"{100 * row.rate:.1f} % | {100 * row.near:.1f} % | {row.mean:+.2f} | {furthest}"
        body.append(f"| {law.transformation} | {law.measure} | {law.rule} | {n} | {figures} |")
    return "\n".join([*head, *body, ""])


def legend(chosen: Sequence[Law]) -> str:
    """What each change does, in a sentence."""
    out = ["| change | what it does |", "|---|---|"]
    for name in transformations_of(tuple(chosen)):
        what = (transformation(name).__doc__ or "").partition("\n")[0]
        out.append(f"| {name} | {what} |")
    return "\n".join([*out, ""])


def lines_kept(table: Sequence[Row]) -> str:
    """Each exclusion line of the rubrics with the lowest rate among its laws."""
    out = ["| rubric | exclusion | changes | lowest rate |", "|---|---|---|---|"]
    by_line: dict[tuple[str, str], list[Row]] = {}
    for row in table:
        if row.law.line:
            by_line.setdefault((row.law.measure, row.law.line), []).append(row)
    for (metric, line), members in by_line.items():
        names = ", ".join(row.law.transformation for row in members)
        lowest = min(row.rate for row in members)
        out.append(f"| {metric} | {line} | {names} | {100 * lowest:.1f} % |")
    return "\n".join([*out, ""])


def shortfalls(judge: str, table: Sequence[Row], usual: float) -> str:
    """The laws that are kept less often than usual, as a table for floors.toml.

    A floor lies .03 below the rate that was measured, so that another sample can pass.
    """
    by_change: dict[str, list[Row]] = {}
    for row in table:
        if row.findings and row.rate < usual:
            by_change.setdefault(row.law.transformation, []).append(row)
    out = []
    for name, members in by_change.items():
        out.append(f'["{judge}".{name}]')
        for row in members:
            floor = max(0, floor_of(row.rate))
            out.append(f'"{row.law.measure}" = {floor:.2f}')
        out.append("")
    return "\n".join(out)


def floor_of(rate: float) -> float:
    """A rate less .03, rounded down to hundredths."""
    return int(100 * rate - 3) / 100
