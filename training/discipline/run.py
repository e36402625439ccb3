"""Try the laws on many answers and write the table: ``python -m training.discipline``."""

from __future__ import annotations

import argparse
import difflib
import sys
from pathlib import Path

from training.discipline.answers import made_cases, real_cases
from training.discipline.laws import USUAL, laws
from training.discipline.reading import worded
from training.discipline.report import Row, legend, lines_kept, markdown, rows, shortfalls
from training.discipline.trials import Finding, findings


def main(arguments: list[str] | None = None) -> int:
    """Run as a command."""
    options = _parser().parse_args(arguments)
    wanted = set(options.only or ())
    chosen = tuple(law for law in laws() if not wanted or law.transformation in wanted)
    if not chosen:
        names = ", ".join(sorted({law.transformation for law in laws()}))
        sys.stderr.write(f"--only names no change that a law speaks of; there are: {names}\n")
        return 2
    cases = real_cases(options.seed) or made_cases()
    if len(cases) < options.answers:
        sys.stderr.write(f"only {len(cases)} answers are there; the real ones may be absent\n")
    with worded(options.wording):
        found, tried = findings(
            chosen, cases, judge=options.judge, count=options.answers, seed=options.seed
        )
    table = rows(chosen, found)
    text = "\n".join([legend(chosen), markdown(options.judge, table, tried), lines_kept(table)])
    if options.floors:
        options.floors.write_text(shortfalls(options.judge, table, USUAL), encoding="utf-8")
    if options.output:
        options.output.write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)
    for row in table:
        _show(row, options.show)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m training.discipline", description=__doc__)
    parser.add_argument("--judge", default="embedded", help="embedded or embedded:fast")
    parser.add_argument("--answers", type=int, default=200, help="answers per law")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", action="append", metavar="CHANGE", help="only laws about this")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="show the N worst misses")
    parser.add_argument(
        "--floors", type=Path, metavar="FILE", help="write what falls short here, for floors.toml"
    )
    parser.add_argument(
        "--wording", type=Path, metavar="FILE", help="phrases to use in place of wording.toml's"
    )
    parser.add_argument("-o", "--output", type=Path, help="write the Markdown here")
    return parser


def _show(row: Row, count: int) -> None:
    """Print the worst misses of a law with what was changed."""
    missed = [f for f in row.findings if not f.passed]
    missed.sort(key=lambda f: (-abs(f.change), f.trial.case.id))
    for finding in missed[:count]:
        sys.stderr.write(f"\n{row.law.name}\n{_difference(finding)}\n")


def _difference(finding: Finding) -> str:
    trial = finding.trial
    old, new = trial.case.answer.split(" "), trial.variant.case.answer.split(" ")
    out = [f"{finding.change:+.2f}  {trial.case.id} [{finding.source}]  {trial.case.query}"]
    if trial.case.query != trial.variant.case.query:
        out.append(f"  now asks: {trial.variant.case.query}")
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for change, a, b, c, d in matcher.get_opcodes():
        if change != "equal":
            before, after = (
                " ".join(old[max(0, a - 3) : b + 3]),
                " ".join(new[max(0, c - 3) : d + 3]),
            )
            out.append(f"  - {before!r}\n  + {after!r}")
    return "\n".join(out)
