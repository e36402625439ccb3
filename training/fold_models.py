"""Compute one part of the evaluation: the models of one fold, or what they are fitted on.

python -m training.fold_models NAME [--limit N] [--data FILE] [--work FOLDER] [--hands 2]

``evaluate`` starts this for every part that is not kept yet. The process ends when whoever
started it does: it waits for the end of its standard input.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import threading
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from training.feature_groups import in_group
from training.feature_model import Floats, Table, fit_table, table_of
from training.judged import DATA, FOLDS, Array, JudgedCase
from training.kept import WORK, Arrays, write_arrays
from training.other_queries import other_queries
from training.other_sources import with_other_sources
from training.parts import PLAIN, Desk, Part
from training.pseudo_labels import Variants, variants_of
from training.second_judge import made_cases

Costs = dict[str, list[Floats]]
TAUGHT = "taught."
"""What the names of the final network's weights begin with in its part."""


def compute(part: Part, desk: Desk, hands: int | None = None) -> Arrays:
    """The arrays of a part, from the data and the parts that it needs."""
    cases = desk.cases()
    if part.kind == "features":
        return _features(cases)
    if part.kind == "surprises":
        return _surprises([case for case in cases if case.fold == part.fold], part, desk)
    if part.kind == "school":
        return _school(cases, part, desk)
    if part.kind == "network":
        return _network(cases, part, desk, hands or (2 if part.fold is None else 1))
    table, variants = features_of(desk)
    return {"levels": _kernel(table, variants, part, cases)}


def _features(cases: Sequence[JudgedCase]) -> Arrays:
    table, variants = table_of(cases), variants_of(cases)
    found = {field.name: np.asarray(getattr(table, field.name)) for field in fields(Table)}
    return found | {f"made_{f.name}": getattr(variants, f.name) for f in fields(Variants)}


def features_of(desk: Desk) -> tuple[Table, Variants]:
    """The table of features and labels, and the made variants."""
    kept = desk.known(Part("features"))
    columns: dict[str, Any] = {field.name: kept[field.name] for field in fields(Table)}
    columns["names"] = tuple(kept["names"].tolist())
    made = Variants(**{field.name: kept[f"made_{field.name}"] for field in fields(Variants)})
    return Table(**columns), made


def _kernel(table: Table, variants: Variants, part: Part, cases: Sequence[JudgedCase]) -> Array:
    """The levels of a fold's sources, by a kernel that has not seen its queries."""
    test = table.fold == part.fold
    group = part.variant.removeprefix("without-")
    if group != part.variant:
        kept = [i for i, name in enumerate(table.names) if not in_group(name, group)]
        names = tuple(table.names[i] for i in kept)
        table = replace(table, names=names, x=np.ascontiguousarray(table.x[:, kept]))
        variants = replace(variants, x=np.ascontiguousarray(variants.x[:, kept]))
    seen = np.array([_in_share(case, part.variant) for case in cases])[table.case]
    model = fit_table(table, ~test & seen, None if part.variant == PLAIN else variants)
    levels = model.raw(table.x[test]).astype(np.float64)
    levels[~table.said[test]] = 0
    return levels


def _in_share(case: JudgedCase, variant: str) -> bool:
    """Whether a case belongs to a share of all queries; smaller shares lie within larger ones."""
    percent = variant.removeprefix("share-")
    if percent == variant:
        return True
    return int(case.lot[8:16], 16) % 100 < int(percent)


def _surprises(cases: Sequence[JudgedCase], part: Part, desk: Desk) -> Arrays:
    from training.surprise import surprises_of

    own, all_of_them = desk.work / f"{part.name}.npz", desk.work / "surprise.npz"
    if all_of_them.is_file() and not own.is_file():
        # What ``python -m training.surprise`` has written there need not be asked again.
        shutil.copyfile(all_of_them, own)
    found = surprises_of(cases, own)
    costs = [cost for case in cases for cost in found[case.id]]
    return {
        "ids": np.array([case.id for case in cases], dtype=np.str_),
        "passages": np.array([len(found[case.id]) for case in cases], dtype=np.int64),
        "tokens": np.array([len(cost) for cost in costs], dtype=np.int64),
        # In 16 bits whether they were computed now or read from the file of a stopped run.
        "costs": np.concatenate([*costs, np.zeros(0)]).astype(np.float16),
    }


def surprises_kept(desk: Desk) -> Costs:
    """How surprising each token of each passage of each case is."""
    found: Costs = {}
    for fold in range(FOLDS):
        kept = desk.known(Part("surprises", fold))
        parts = np.split(kept["costs"].astype(np.float32), np.cumsum(kept["tokens"]))[:-1]
        ends = np.cumsum(kept["passages"])
        for name, end, count in zip(kept["ids"].tolist(), ends, kept["passages"], strict=True):
            found[name] = parts[end - count : end]
    return found


def _school(cases: Sequence[JudgedCase], part: Part, desk: Desk) -> Arrays:
    import torch

    from training.network_model import schooled

    torch.set_num_threads(1)
    made = made_cases(cases, desk.limit)
    return schooled(made, lambda line: say(f"{part.name}: {line}"))


def _network(cases: Sequence[JudgedCase], part: Part, desk: Desk, hands: int) -> Arrays:
    """What the network of a fold says of the fold's sources; of the final one, its weights."""
    import torch

    from training.fit_network import Lesson
    from training.network_model import fitted, rows_of, settled

    torch.set_num_threads(1)

    def chosen(some: Sequence[JudgedCase]) -> list[JudgedCase]:
        return [c for c in some if c.fold != part.fold and _in_share(c, part.variant)]

    taught = fitted(
        Lesson(
            with_other_sources(chosen(cases), cases),
            chosen(other_queries(cases)),
            surprises_kept(desk),
        ),
        desk.known(Part("school")),
        lambda line: say(f"{part.name}: {line}"),
        hands,
    )
    if part.fold is None:
        return {f"{TAUGHT}{name}": weight.numpy() for name, weight in taught.items()}
    asked = [case for case in cases if case.fold == part.fold]
    return {"levels": rows_of(settled(taught, cases), asked)}


def say(line: str) -> None:
    """One line for whoever watches."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def _end_with_the_starter() -> None:
    """End when standard input does, so that a killed evaluation leaves nothing running."""

    def wait() -> None:
        while os.read(0, 1):
            pass
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def main() -> None:
    """Compute one part and keep it."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("name")
    options.add_argument("--limit", type=int)
    options.add_argument("--data", type=Path, default=DATA)
    options.add_argument("--work", type=Path, default=WORK)
    options.add_argument("--hands", type=int, help="threads that fit the network; same digits")
    chosen = options.parse_args()
    _end_with_the_starter()
    part, desk = Part.of(chosen.name), Desk(chosen.data, chosen.limit, chosen.work)
    write_arrays(desk.path(part), compute(part, desk, chosen.hands))


if __name__ == "__main__":
    main()
