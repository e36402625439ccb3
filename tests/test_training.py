"""Training and evaluation: the same files from the same data, stopped and resumed, honest folds.

The whole takes an hour; here it runs on a handful of cases.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import fields, replace
from pathlib import Path
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray
from training import evaluate, train
from training.evaluation_report import report
from training.feature_model import Table
from training.fold_models import compute, features_of
from training.intervals import spread_of
from training.judged import DATA, FOLDS, SUBSCORES, Array, load, totals_of
from training.kept import closure, fingerprint, read_arrays, write_arrays
from training.lift import lift_of
from training.mixture import cross_fitted, fit_rows, means_of
from training.out_of_fold import ALL_FOLDS, evaluation_of
from training.parts import Desk, Part
from training.second_pass import both_passes

from citemark.judges.embedded import weighing
from citemark.judges.embedded.fast_model import load as load_kernel
from citemark.judges.embedded.standing import FACTS
from citemark.rubrics import DEFAULT_METRICS

ROOT = Path(__file__).parents[1]
FAST_PARTS = [Part("features"), *(Part("fast", fold) for fold in range(FOLDS))]
needs_data = pytest.mark.skipif(
    not DATA.is_file(), reason="the judged cases (../shared/data) are not in this place"
)
_THINGS = ("heat pump", "slate roof", "rain barrel", "clay oven", "wool blanket", "oak floor")
_FACTS = (
    "costs about {n} euros a year",
    "lasts for {n} years with little care",
    "is made in {n} small workshops",
    "needs {n} litres of water a week",
    "loses {n} percent of its worth by spring",
)


def _made_case(number: int, chance: Random) -> dict[str, object]:
    """An answer of some sentences on two sources, judged by their number of sentences."""
    thing = _THINGS[number % len(_THINGS)]
    cited = [1, 2] + [chance.choice((1, 2)) for _ in range(chance.randint(0, 5))]
    facts = [chance.choice(_FACTS).format(n=chance.randint(2, 90)) for _ in cited]
    said = [f"The {thing} {fact} [{k}]." for fact, k in zip(facts, cited, strict=True)]
    judged = []
    for source in (1, 2):
        level = min(4, cited.count(source))
        passes = [
            {m: [max(0, level - one * (i % 2)) for i in range(5)] for m in DEFAULT_METRICS}
            for one in range(1 + number % 2)
        ]
        mean = {m: float(np.mean([max(1, sum(p[m])) for p in passes])) for m in DEFAULT_METRICS}
        judged.append({"source": source, "passes": passes, "mean": mean})
    query = f"What is it like to own a {thing}, number {number}?"
    return {
        "id": f"made{number}",
        "engine": ("one", "two")[number % 2],
        "query": query,
        "answer": " ".join(said),
        "judged": judged,
    }


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of made cases."""
    chance = Random(4)
    path = tmp_path_factory.mktemp("judged") / "judged.jsonl"
    lines = [json.dumps(_made_case(number, chance)) for number in range(30)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _keep(desk: Desk, parts: Iterable[Part]) -> Desk:
    for part in parts:
        write_arrays(desk.path(part), compute(part, desk))
    return desk


@pytest.fixture(scope="module")
def desk(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """The made cases with the fast tier evaluated."""
    return _keep(Desk(made, None, tmp_path_factory.mktemp("work")), FAST_PARTS)


def files_in(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def test_two_runs_write_the_same_files(desk: Desk, made: Path, tmp_path: Path) -> None:
    again = _keep(Desk(made, None, tmp_path / "work"), FAST_PARTS)
    for one, place in ((desk, tmp_path / "a"), (again, tmp_path / "b")):
        lessons = train.lessons_of(one, fast_only=True)
        written = train.train(one, place, lessons, fast_only=True)
        assert written == ["intervals.toml", "model/fast.npz", "model/trust.toml"]
    assert files_in(tmp_path / "a") == files_in(tmp_path / "b")
    assert not list((tmp_path / "a").glob(".new-*"))
    model = load_kernel(tmp_path / "a" / "model" / "fast.npz")
    table, _ = features_of(desk)
    levels = model.levels(table.x, table.standing.astype(np.float32))
    assert np.corrcoef(levels[:, 20], table.levels[:, 20])[0, 1] > 0.9


def test_without_an_evaluation_the_shipped_figures_stay(desk: Desk, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="--without-evaluation"):
        train.train(desk, tmp_path, None, fast_only=True)
    train.train(desk, tmp_path, train.lessons_of(desk, fast_only=True), fast_only=True)
    before = files_in(tmp_path)
    train.train(desk, tmp_path, None, fast_only=True)
    assert files_in(tmp_path) == before


def test_lessons_are_taken_without_touching_the_models(desk: Desk, tmp_path: Path) -> None:
    lessons = train.lessons_of(desk, fast_only=True)
    train.train(desk, tmp_path, lessons, fast_only=True)
    before = files_in(tmp_path)
    (tmp_path / "intervals.toml").unlink()
    assert train.take_lessons(lessons, tmp_path) == ["intervals.toml", "model/trust.toml"]
    assert files_in(tmp_path) == before
    with pytest.raises(SystemExit, match=r"run: python -m training\.evaluate"):
        train.take_lessons(None, tmp_path)


def test_an_archive_has_the_same_bytes_whenever_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrays = {"b": np.arange(3.0), "a": np.array(["x", "yz"])}
    write_arrays(tmp_path / "one.npz", arrays)
    monkeypatch.setattr(time, "time", lambda: 2_000_000_000.0)
    write_arrays(tmp_path / "two.npz", dict(reversed(arrays.items())))
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()
    with np.load(tmp_path / "one.npz", allow_pickle=False) as plain:
        assert plain["a"].tolist() == ["x", "yz"]


def test_a_file_that_is_not_whole_counts_as_missing(tmp_path: Path) -> None:
    path = tmp_path / "part.npz"
    assert read_arrays(path) is None
    write_arrays(path, {"levels": np.arange(1000)})
    whole = path.read_bytes()
    for length in (0, 10, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        assert read_arrays(path) is None


def test_a_part_follows_from_data_settings_and_program(made: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    other.write_bytes(made.read_bytes() + b"\n")
    marks = {
        fingerprint(settings, data, modules)
        for settings in ("a", "b")
        for data in (made, other)
        for modules in (["training.judged"], ["training.pseudo_labels"])
    }
    assert len(marks) == 8
    named = {path.name for path in closure("training.pseudo_labels")}
    assert {"judged.py", "feature_table.py", "static.npz", "wording.toml", "parsing.py"} <= named
    assert not named & {"fast.npz", "train.py", "cli.py", "fast.py"}


def test_a_model_has_not_seen_the_queries_that_it_is_asked_about(desk: Desk, made: Path) -> None:
    """What the LLM said of a fold does not change what is predicted for it."""
    cases = [json.loads(line) for line in made.read_text(encoding="utf-8").splitlines()]
    own = {case.id for case in load(made) if case.fold == 0}
    for case in cases:
        if case["id"] in own:
            for source in case["judged"]:
                source["passes"] = [{m: [4, 0, 4, 0, 4] for m in DEFAULT_METRICS}]
                source["mean"] = dict.fromkeys(DEFAULT_METRICS, 12.0)
    path = desk.work / "changed.jsonl"
    path.write_text("\n".join(map(json.dumps, cases)) + "\n", encoding="utf-8")
    changed = _keep(Desk(path, None, desk.work), FAST_PARTS[:2])
    assert changed.path(FAST_PARTS[1]) != desk.path(FAST_PARTS[1])
    now, before = (d.known(FAST_PARTS[1])["levels"] for d in (changed, desk))
    np.testing.assert_array_equal(now, before)


def _table(levels: Array, said: NDArray[np.bool_] | None = None) -> Table:
    """A table without features; every third source has an opening, every other one companies."""
    rows = len(levels)
    standing = np.zeros((rows, FACTS))
    standing[::3, :2] = 1.0, 4.0
    standing[::2, 2] = 1.0
    return Table(
        names=(),
        x=np.zeros((rows, 0), dtype=np.float32),
        standing=standing,
        said=np.ones(rows, dtype=np.bool_) if said is None else said,
        levels=levels,
        totals=totals_of(levels),
        case=np.arange(rows) // 2,
        fold=np.arange(rows) // 2 % 5,
        weight=np.ones(rows),
        two=np.zeros(rows, dtype=np.bool_),
    )


def test_what_an_opening_is_worth_is_learned_for_relevance_and_influence_alone() -> None:
    chance = np.random.default_rng(2)
    levels = chance.uniform(0, 3, (400, SUBSCORES))
    table = _table(levels)
    missed = np.where(table.standing[:, :1] > 0, 0.5, 0.0) * np.ones(SUBSCORES)
    gained = table.standing[:, :2] @ lift_of(missed, table.standing, table.weight)[:2]
    assert np.allclose(gained[::3, :10], 0.5, atol=0.01)
    assert not gained[:, 10:].any()
    assert not gained[1::3].any()


def test_what_several_companies_are_worth_is_learned_for_diversity_alone() -> None:
    table = _table(np.zeros((400, SUBSCORES)))
    missed = table.standing[:, 2:] * np.full(SUBSCORES, 0.5)
    gained = table.standing[:, 2:] @ lift_of(missed, table.standing, table.weight)[2:]
    assert np.allclose(gained[::2, 15:20], 0.5, atol=0.01)
    assert not np.delete(gained, np.s_[15:20], axis=1).any()


def test_a_mixture_takes_more_of_the_better_model() -> None:
    chance = np.random.default_rng(0)
    levels = chance.uniform(0, 4, (2000, SUBSCORES))
    good, bad = levels + chance.normal(0, 0.3, levels.shape), np.full_like(levels, 2.0)
    table = _table(levels, said=np.arange(2000) % 7 > 0)
    every, said = np.ones(2000, dtype=np.bool_), table.said
    mixture, other_way = fit_rows(good, bad, table, every), fit_rows(bad, good, table, every)
    for part in ("whole", "within"):
        assert (getattr(mixture, part) > 0.9).all()
        assert (getattr(other_way, part) < 0.1).all()
    one, other = (levels + chance.normal(0, 1, levels.shape) for _ in range(2))
    alike = fit_rows(one, other, table, every)
    assert abs(np.append(alike.whole, alike.within) - 0.5).max() < 0.1
    mixed = cross_fitted(one, other, table)
    assert mixed.max() <= 4
    assert not mixed[~said].any()
    spread = mixed[said].reshape(-1, 5, 5).sum(2).std(0) / levels[said].reshape(-1, 5, 5).sum(
        2
    ).std(0)
    assert (abs(spread - 1) < 0.1).all()


def test_one_model_may_know_the_whole_answer_and_the_other_its_sources() -> None:
    chance = np.random.default_rng(3)
    levels = chance.uniform(0, 4, (400, SUBSCORES))
    table = _table(levels)
    whole = means_of(levels, table.case)
    assert np.allclose(whole[0], levels[:2].mean(0))
    mixture = fit_rows(whole, levels - whole + 2, table, table.said)
    assert (mixture.whole > 0.9).all()
    assert (mixture.within < 0.1).all()
    mixed = mixture.levels(whole, levels - whole + 2, table.standing, table.case)
    assert abs(mixed - levels).max() < 0.2


def test_the_judge_mixes_as_the_mixture_was_fitted() -> None:
    chance = np.random.default_rng(4)
    levels, network, kernel = (chance.uniform(0, 4, (60, SUBSCORES)) for _ in range(3))
    table = _table(levels)
    fitted = fit_rows(network, kernel, table, table.said)
    shipped = weighing.Mixture(
        **{f.name: getattr(fitted, f.name).astype(np.float32) for f in fields(fitted)}
    )
    mixed = fitted.levels(network, kernel, table.standing, table.case)
    for case in np.unique(table.case):
        rows = table.case == case
        seen, counted, standing = (
            part[rows].astype(np.float32) for part in (network, kernel, table.standing)
        )
        found = shipped.levels(seen, counted, standing, shipped.leaning(seen, counted))
        np.testing.assert_allclose(found, mixed[rows], atol=1e-4)


def test_a_mixture_of_a_fold_is_fitted_to_the_others() -> None:
    chance = np.random.default_rng(1)
    levels, network, kernel = (chance.uniform(0, 4, (100, SUBSCORES)) for _ in range(3))
    table = _table(levels)
    before = cross_fitted(network, kernel, table)
    own = table.fold == 2
    changed = replace(table, levels=np.where(own[:, None], 0.0, levels))
    after = cross_fitted(network, kernel, changed)
    np.testing.assert_array_equal(before[own], after[own])
    assert (before[~own] != after[~own]).any()


def test_the_report_tells_every_figure(desk: Desk) -> None:
    text = report(evaluation_of(desk, ALL_FOLDS), desk.data)
    assert "30 real English answers, 60 judged sources, 30 of them judged twice" in text
    assert "`python -m training.evaluate`" in text
    assert "nan" not in text
    for name in (*DEFAULT_METRICS, "R1", "C5", "one", "two", "everything", "up to 100"):
        assert f"| {name} |" in text
    assert "`embedded:fast`, n = 60" in text
    one = report(evaluation_of(desk, [2]), desk.data)
    assert "folds 2" in one
    assert "they need two folds at least" in one


def test_both_passes_are_read_again_from_the_file(made: Path) -> None:
    cases = load(made)
    first, second = both_passes(made, cases)
    levels = np.concatenate([case.levels for case in cases])
    twice = ~np.isnan(second[:, 0])
    assert twice.sum() == 30
    np.testing.assert_allclose(np.where(twice[:, None], (first + second) / 2, first), levels)


def _evaluate(made: Path, work: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "training.evaluate", "--only", "fast", "--folds", "0,1"]
    command += ["--data", str(made), "--work", str(work), "--workers", "1"]
    return subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)


def test_an_evaluation_that_is_killed_goes_on_where_it_was(
    desk: Desk, made: Path, tmp_path: Path
) -> None:
    parts = evaluate.parts_of("fast", [0, 1], curve=False)
    for part in parts[3:]:
        write_arrays(tmp_path / desk.path(part).name, {"levels": np.zeros((0, SUBSCORES))})
    first = _evaluate(made, tmp_path)
    assert first.stderr is not None
    assert "features is done: 1 of 3" in first.stderr.readline()
    os.kill(first.pid, signal.SIGKILL)
    first.communicate()
    kept = Desk(made, None, tmp_path).path(Part("features"))
    before = kept.stat().st_mtime_ns
    for part in parts[3:]:
        path = desk.path(part)
        rows = int(np.sum(features_of(desk)[0].fold == part.fold))
        write_arrays(tmp_path / path.name, {"levels": np.zeros((rows, SUBSCORES))})
    second = _evaluate(made, tmp_path)
    _, said = second.communicate(timeout=300)
    assert second.returncode == 0, said
    assert "features is done" not in said
    assert kept.stat().st_mtime_ns == before
    assert "| metric |" in (tmp_path / "evaluation.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--folds", "7"], "--folds takes numbers from 0 to 2"),
        (["--limit", "2"], "take a greater --limit"),
        (["--data", "nowhere.jsonl"], "no judged cases at nowhere.jsonl"),
    ],
)
def test_what_cannot_be_evaluated_is_said(
    options: list[str],
    message: str,
    made: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    command = ["evaluate", "--data", str(made), "--work", str(tmp_path), *options]
    monkeypatch.setattr(sys, "argv", command)
    with pytest.raises(SystemExit, match=message):
        evaluate.main()


def test_intervals_are_found_where_most_scores_are_the_same() -> None:
    expected, llm = np.array([1.0] * 8 + [20.0]), np.array([1.0] * 7 + [3.0, 17.0])
    spread = spread_of(expected, llm)
    assert np.isfinite([*spread.down, *spread.up]).all()


@needs_data
def test_real_cases_give_the_same_kernel_twice(tmp_path: Path) -> None:
    parts = FAST_PARTS[:2]
    one, two = (_keep(Desk(DATA, 25, tmp_path / name), parts) for name in "ab")
    for part in parts:
        assert one.path(part).read_bytes() == two.path(part).read_bytes()
