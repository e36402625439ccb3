"""Fit the embedded judge to everything and write the files that the package ships.

python -m training.train [--only fast | --only lessons] [--without-evaluation]

Mixture, stretch, intervals and the figures that the judge states of itself come from the
cross-validation that ``python -m training.evaluate`` keeps. If it is missing, it is run first;
with --without-evaluation the shipped ones stay as they are.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np

from citemark.judges.embedded.fast_model import load as load_kernel
from citemark.judges.embedded.intervals import Spread
from training import figures, intervals, trust
from training.evaluate import check, options, parts_of, run, threads
from training.feature_model import Floats, Table, fit_table, stretch_of, write
from training.fold_models import TAUGHT, features_of, say
from training.judged import Array, totals_of
from training.kept import ROOT, read_arrays, write_arrays
from training.lift import lift_of
from training.mixture import Mixture, fit_rows
from training.out_of_fold import ALL_FOLDS, Evaluation, evaluation_of, raw
from training.parts import Desk, Part
from training.pseudo_labels import Variants
from training.second_pass import both_passes

PLACE = ROOT / "src" / "citemark" / "judges" / "embedded"
THREADS = 1
"""Always so many, because the last digits of sums depend on it: two runs give the same file."""
FINAL = Part("network")
"""The network that is fitted to every fold."""


@dataclass(frozen=True, slots=True)
class Lessons:
    """What cross-validation taught."""

    stretch: Floats
    """Of the fast tier."""
    lift: Floats
    """Likewise: what a source gains by how it stands in the answer."""
    mixture: Mixture | None
    spreads: dict[str, list[Spread]]
    trust: dict[str, float]
    """The mean Spearman correlation of each tier with the LLM, on sources judged twice."""
    itself: float
    """That of the LLM's second pass with its first."""


def lessons_of(desk: Desk, *, fast_only: bool) -> Lessons | None:
    """What the kept cross-validation teaches; None if a part of it is missing."""
    if any(desk.get(part) is None for part in needed(fast_only=fast_only)):
        return None
    table, _ = features_of(desk)
    fast, network = (raw(desk, table, kind, ALL_FOLDS) for kind in ("fast", "network"))
    if fast is None:
        return None
    evaluation = evaluation_of(desk, ALL_FOLDS)
    said, mixture = table.said, None
    if network is not None and not fast_only:
        mixture = fit_rows(network, fast, table, said)
    spreads = {
        name: [intervals.spread_of(tier.totals[:, i], table.totals[:, i]) for i in range(5)]
        for name, tier in evaluation.tiers.items()
    }
    lift = lift_of(table.levels - fast, table.standing, table.weight)
    passes = both_passes(desk.data, evaluation.cases)[:, table.two]
    return Lessons(
        stretch=stretch_of(table.levels, fast + table.standing @ lift),
        lift=lift.astype(np.float32),
        mixture=mixture,
        spreads=spreads,
        trust={name: _spearman(tier.totals, evaluation) for name, tier in evaluation.tiers.items()},
        itself=_agreed(totals_of(passes[1]), totals_of(passes[0])),
    )


def _spearman(totals: Array, evaluation: Evaluation) -> float:
    two = evaluation.table.two
    return _agreed(totals[two], evaluation.table.totals[two])


def _agreed(left: Array, right: Array) -> float:
    return float(np.mean([figures.spearman(left[:, i], right[:, i]) for i in range(5)]))


def needed(*, fast_only: bool) -> list[Part]:
    """The parts of the evaluation that training takes something from."""
    parts = parts_of("fast" if fast_only else None, ALL_FOLDS, curve=False)
    return [part for part in parts if not part.variant]


def write_fast(
    table: Table, variants: Variants, stretch: Floats, lift: Floats, folder: Path
) -> None:
    """Fit the fast tier to everything and write its file."""
    kernel = fit_table(table, np.ones(len(table.x), dtype=np.bool_), variants)
    write(replace(kernel, stretch=stretch, lift=lift), folder / "fast.npz")


def write_network(desk: Desk, folder: Path) -> None:
    """Write the network that was fitted to everything."""
    import torch

    from training.export import export
    from training.network_model import settled

    kept = desk.known(FINAL)
    taught = {k.removeprefix(TAUGHT): torch.from_numpy(v) for k, v in kept.items() if TAUGHT in k}
    export(settled(taught, desk.cases()), folder)


def write_lessons(lessons: Lessons, place: Path, model: Path) -> None:
    """Write what cross-validation taught: mixture, intervals and how far to trust each tier."""
    if lessons.mixture is not None:
        parts = {field.name: getattr(lessons.mixture, field.name) for field in fields(Mixture)}
        write_arrays(
            model / "mixture.npz", {k: np.asarray(v, dtype=np.float32) for k, v in parts.items()}
        )
    intervals.write_over(lessons.spreads, place / "intervals.toml")
    for name, figure in lessons.trust.items():
        trust.write(name, figure, itself=lessons.itself, folder=model)


def _take_over(place: Path, new: Path, names: Iterable[str]) -> None:
    """Begin with the shipped files, in which tiers that are not fitted now keep their figures."""
    for name in names:
        if (place / name).is_file():
            shutil.copyfile(place / name, new / name)


def shipped(place: Path) -> tuple[Floats, Floats]:
    """The stretch and the lift of the fast tier as the package has them."""
    path = place / "model" / "fast.npz"
    if read_arrays(path) is None:
        raise SystemExit(f"no model at {path}; leave out --without-evaluation")
    kernel = load_kernel(path)
    return kernel.stretch, kernel.lift


def train(desk: Desk, place: Path, lessons: Lessons | None, *, fast_only: bool) -> list[str]:
    """Fit everything, and only then put the files in their place; the names of the files."""
    table, variants = features_of(desk)
    stretch, lift = shipped(place) if lessons is None else (lessons.stretch, lessons.lift)
    with _written(place) as new:
        write_fast(table, variants, stretch, lift, new / "model")
        if not fast_only:
            write_network(desk, new / "model")
        if lessons is not None:
            write_lessons(lessons, new, new / "model")
        return _names(new)


def take_lessons(lessons: Lessons | None, place: Path) -> list[str]:
    """Write what cross-validation taught and leave the models as shipped; the names of the files.

    For a network that was fitted in the same way before: fitting it anew would change its digits.
    """
    if lessons is None:
        raise SystemExit("the cross-validation is not there; run: python -m training.evaluate")
    with _written(place) as new:
        write_lessons(lessons, new, new / "model")
        return _names(new)


@contextmanager
def _written(place: Path) -> Iterator[Path]:
    """A new folder whose files are put in their place when all of them are written."""
    (place / "model").mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place, prefix=".new-") as scratch:
        new = Path(scratch)
        (new / "model").mkdir()
        _take_over(place, new, ("intervals.toml", "model/trust.toml"))
        yield new
        for name in _names(new):
            (new / name).replace(place / name)


def _names(folder: Path) -> list[str]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return sorted(path.relative_to(folder).as_posix() for path in found)


def main() -> None:
    """Fit the judge and write its files."""
    if any(os.environ.get(name) != value for name, value in threads(THREADS).items()):
        # The libraries read these when they are imported, so they must be set before.
        command = [sys.executable, "-m", "training.train", *sys.argv[1:]]
        os.execve(sys.executable, command, {**os.environ, **threads(THREADS)})
    own = argparse.ArgumentParser(
        description=__doc__,
        parents=[options()],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    own.add_argument(
        "--only",
        choices=("fast", "lessons"),
        help="the fast tier only; or mixture, intervals and trust, with the models as shipped",
    )
    own.add_argument("--without-evaluation", action="store_true")
    own.add_argument("--out", type=Path, default=PLACE, help="the folder that gets the files")
    chosen = own.parse_args()
    desk, fast_only = Desk(chosen.data, chosen.limit, chosen.work), chosen.only == "fast"
    check(desk, ALL_FOLDS)
    lessons = lessons_of(desk, fast_only=fast_only)
    if chosen.only == "lessons":
        _tell(take_lessons(lessons, chosen.out), chosen.out)
        return
    wanted = needed(fast_only=fast_only)
    if lessons is None and chosen.without_evaluation:
        say("the cross-validation is not there: mixture, stretch and intervals stay as shipped")
        wanted = [part for part in wanted if part.kind in ("features", "school", "surprises")]
    elif lessons is None:
        say("the cross-validation is not there, so it is run first (or: --without-evaluation)")
    run(wanted if fast_only else [*wanted, FINAL], desk, max(1, chosen.workers))
    if lessons is None and not chosen.without_evaluation:
        lessons = lessons_of(desk, fast_only=fast_only)
    _tell(train(desk, chosen.out, lessons, fast_only=fast_only), chosen.out)


def _tell(names: Iterable[str], place: Path) -> None:
    for name in names:
        say(f"wrote {place / name}")


if __name__ == "__main__":
    main()
