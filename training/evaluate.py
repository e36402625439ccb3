"""Cross-validate both tiers of the embedded judge by query and write the report.

python -m training.evaluate [--workers 2] [--only fast|embedded] [--folds 0,1] [--curve]

Every finished part is kept in training/.work/. The command can be stopped at any moment and
called again: it goes on with the parts that are missing.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from training.evaluation_report import report
from training.feature_groups import GROUPS
from training.fold_models import say
from training.judged import DATA, FOLDS
from training.kept import ROOT, WORK
from training.out_of_fold import evaluation_of
from training.parts import PLAIN, Desk, Part

REPORT = ROOT / "docs" / "embedded-evaluation.md"
SHARES = (25, 50)
_PAUSE = 0.1


def threads(count: int) -> Mapping[str, str]:
    """The environment in which numerical libraries use so many threads: sums depend on it."""
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    return dict.fromkeys(names, str(count))


def parts_of(only: str | None, folds: Sequence[int], *, curve: bool) -> list[Part]:
    """The parts that an evaluation consists of, those that others wait for first."""
    found: list[Part] = []
    if only != "fast":
        found += [Part("school"), *(Part("surprises", fold) for fold in range(FOLDS))]
    found.append(Part("features"))
    if only != "fast":
        found += [Part("network", fold) for fold in folds]
        if curve:
            found += [Part("network", folds[0], f"share-{share}") for share in SHARES]
    found += [Part("fast", fold) for fold in folds]
    if only != "embedded":
        variants = [*(f"share-{s}" for s in SHARES), PLAIN, *(f"without-{g}" for g in GROUPS)]
        found += [Part("fast", fold, variant) for variant in variants for fold in folds]
    return found


def run(parts: Iterable[Part], desk: Desk, workers: int) -> None:
    """Compute the parts that are not kept yet, some at a time, each in a process of its own."""
    missing = [part for part in parts if desk.get(part) is None]
    done = 0
    running: dict[Part, subprocess.Popen[bytes]] = {}
    waiting = list(missing)
    try:
        while waiting or running:
            ready = [p for p in waiting if not any(n in waiting or n in running for n in p.needs)]
            for part in ready[: workers - len(running)]:
                waiting.remove(part)
                running[part] = _started(part, desk)
            ended = [part for part, process in running.items() if process.poll() is not None]
            for part in ended:
                process = running.pop(part)
                _release(process)
                if process.returncode:
                    raise SystemExit(f"{part.name} failed (see above); what is finished is kept")
                if desk.get(part) is None:
                    raise SystemExit("the program was changed while it ran; call it again")
                done += 1
                say(f"{part.name} is done: {done} of {len(missing)}")
            if not ended:
                time.sleep(_PAUSE)
    finally:
        for process in running.values():
            process.kill()
            process.wait()
            _release(process)


def _release(process: subprocess.Popen[bytes]) -> None:
    """Close our end of what tells a process that we are there."""
    if process.stdin is not None:
        process.stdin.close()


def _started(part: Part, desk: Desk) -> subprocess.Popen[bytes]:
    """A process that computes a part; it ends with us, as its standard input does."""
    command = [sys.executable, "-m", "training.fold_models", part.name]
    command += ["--data", str(desk.data), "--work", str(desk.work)]
    if desk.limit is not None:
        command += ["--limit", str(desk.limit)]
    environment = {**os.environ, **threads(1)}
    return subprocess.Popen(command, cwd=ROOT, env=environment, stdin=subprocess.PIPE)


def check(desk: Desk, folds: Sequence[int]) -> None:
    """See that there is something to evaluate, and say what to do if not."""
    if not desk.data.is_file():
        raise SystemExit(f"no judged cases at {desk.data}; give their place with --data")
    if any(fold not in range(FOLDS) for fold in folds) or not folds:
        raise SystemExit(f"--folds takes numbers from 0 to {FOLDS - 1}, as in: --folds 0,1")
    empty = set(range(FOLDS)) - {case.fold for case in desk.cases()}
    if empty:
        raise SystemExit(f"fold {min(empty)} has no case; take a greater --limit")


def options() -> argparse.ArgumentParser:
    """The options that say what is evaluated; training has them too."""
    found = argparse.ArgumentParser(add_help=False)
    found.add_argument("--workers", type=int, default=2, help="processes at a time")
    found.add_argument("--limit", type=int, help="the first few cases only, for trying")
    found.add_argument("--data", type=Path, default=DATA)
    found.add_argument("--work", type=Path, default=WORK, help="where finished parts are kept")
    return found


def main() -> None:
    """Cross-validate and write the report."""
    both = argparse.ArgumentParser(
        description=__doc__,
        parents=[options()],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    both.add_argument("--folds", default=",".join(map(str, range(FOLDS))))
    both.add_argument("--only", choices=("fast", "embedded"), help="compute this tier only")
    both.add_argument("--curve", action="store_true", help="the network's learning curve too")
    both.add_argument("--report", type=Path, help=f"default: {REPORT.relative_to(ROOT)}")
    chosen = both.parse_args()
    desk = Desk(chosen.data, chosen.limit, chosen.work)
    folds = sorted({int(f) if f.strip().isdigit() else -1 for f in chosen.folds.split(",")})
    check(desk, folds)
    whole = chosen.limit is None and len(folds) == FOLDS
    path = chosen.report or (REPORT if whole else chosen.work / "evaluation.md")
    try:
        run(parts_of(chosen.only, folds, curve=chosen.curve), desk, max(1, chosen.workers))
    except KeyboardInterrupt:
        raise SystemExit("stopped; call it again to go on") from None
    text = report(evaluation_of(desk, folds), desk.data)
    beside = path.with_name(f"{path.name}.new")
    beside.parent.mkdir(parents=True, exist_ok=True)
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)
    say(f"wrote {path}")


if __name__ == "__main__":
    main()
