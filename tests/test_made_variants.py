"""Made variants of judged cases: what the network is to learn from them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from training.examples import Example, variants
from training.judged import SUBSCORES, JudgedCase

ROOT = Path(__file__).resolve().parents[1]

ANSWER = (
    "Marie Curie was born in Warsaw in 1867 and won the Nobel Prize in 1903 [1]. "
    "She worked in Paris with Pierre Curie on 8 tonnes of ore [1]. Radium glows in the dark [2]."
)
R3, U = 2, slice(10, 15)


def case() -> JudgedCase:
    levels = np.full((1, SUBSCORES), 3.0)
    totals = np.full((1, 5), 15.0)
    return JudgedCase("one", "made", "Who found radium?", ANSWER, (1,), (1,), levels, totals)


def vague(found: list[Example]) -> list[Example]:
    """Those in which R3 falls alone of its metric."""
    return [e for e in found if e.levels[0, R3] < 3 and e.levels[0, 0] == 3]


def made(*, beside: bool, seed: int = 0) -> list[Example]:
    return list(variants([case()], seed, beside=beside))


def test_a_vague_source_loses_what_was_distinctive_and_is_seen_beside_the_original() -> None:
    first, *_ = vague(made(beside=True))
    assert first.levels[0, U].tolist() == [3 * 0.65, 3 * 0.65, 3 * 0.4, 3 * 0.65, 3 * 0.65]
    assert first.levels[0, R3] == 3 * 0.4
    assert np.flatnonzero(first.weights[0]).tolist() == [R3, 10, 11, 12, 13, 14]
    assert first.origin is not None
    assert (first.origin.levels == 3).all()
    assert (first.origin.weights == 1).all()
    assert first.origin.text != first.text


def test_alone_nothing_is_said_of_the_rest_of_uniqueness() -> None:
    first, *_ = vague(made(beside=False))
    assert np.flatnonzero(first.weights[0]).tolist() == [R3, 12]
    assert not any(example.origin for example in made(beside=False))


def test_talk_changes_no_level_and_is_seen_beside_the_original() -> None:
    for seed in range(9):
        talk = [e for e in made(beside=True, seed=seed) if (e.levels == 3).all()]
        assert talk
        for one in talk:
            assert one.origin is not None
            assert (one.origin.levels == one.levels).all()


def test_another_query_has_no_original() -> None:
    every = list(variants([case(), replace(case(), query="How do glaciers move?")], 0, beside=True))
    astray = [e for e in every if e.levels[0, 0] == 0]
    assert astray
    assert not any(e.origin for e in astray)


def test_the_phrases_that_it_is_fitted_to_are_not_those_that_it_is_tried_with() -> None:
    fitted = set(phrases("training/other_words.toml"))
    for name in ("wording", "held_out"):
        tried = set(phrases(f"training/discipline/{name}.toml"))
        assert not fitted & tried


def phrases(path: str) -> Iterator[tuple[str, str]]:
    """Every phrase of a file with the table that it stands in, without capitals and stops."""
    data: Any = tomllib.loads((ROOT / path).read_text(encoding="utf-8"))
    tables = [(name, table) for name, table in data.items()]
    for name, table in tables:
        for key, value in table.items():
            if isinstance(value, dict):
                tables.append((f"{name}.{key}", value))
                continue
            for phrase in [value] if isinstance(value, str) else value:
                yield name, phrase.casefold().strip(" ,.:").removesuffix(" {m}")
