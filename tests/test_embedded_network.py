"""The tier that reads: light, repeatable, order-blind, and with evidence that matters."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path

import numpy as np

import citemark
from citemark.citations import parse_answer
from citemark.judges.embedded.judge import resting
from citemark.judges.embedded.network import network
from citemark.judges.embedded.passages import passages_of, roles_of
from citemark.judges.embedded.tokens import (
    PASSAGE_TOKENS,
    QUERY_TOKENS,
    Text,
    layout_of,
    text_of,
)
from citemark.judges.embedded.weighing import MOST_PASSAGES, Weighing
from test_embedded_judge import ANSWER, FEED, MITES, QUEEN, QUERY, VENT, WRAP

MODEL = Path(str(files("citemark.judges.embedded") / "model"))


def test_the_model_files_are_small_enough_to_ship() -> None:
    assert sum(path.stat().st_size for path in MODEL.iterdir()) <= 45_000_000


def test_it_runs_without_the_libraries_of_training() -> None:
    program = (
        "import sys, citemark\n"
        "citemark.score(query='How hot?', answer='It is 20 degrees [1].', judge='embedded')\n"
        "print([m for m in ('torch', 'scipy', 'sklearn', 'lightgbm', 'onnx') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr


def test_a_case_gets_the_same_whatever_is_scored_beside_it() -> None:
    cases = [
        {"id": str(i), "query": QUERY, "answer": f"{one} [1]. {' '.join([VENT] * i)} [2]."}
        for i, one in enumerate([FEED, MITES, WRAP, QUEEN])
    ]
    together = [card.to_dict() for card in citemark.score_many(cases, judge="embedded")]
    for case, card in zip(cases, together, strict=True):
        alone = citemark.score(case, judge="embedded")
        assert json.dumps(alone.to_dict()) == json.dumps(card)


def test_threads_do_not_disturb_each_other() -> None:
    answers = [f"{ANSWER} The hive weighs {n} kg [3]." for n in range(8)]

    def expected(answer: str) -> list[float | None]:
        card = citemark.score(query=QUERY, answer=answer, judge="embedded")
        return [j.expected for source in card.sources for j in source.scores.values()]

    one_by_one = [expected(answer) for answer in answers]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(expected, answers)) == one_by_one


def test_vectors_do_not_depend_on_the_other_passages() -> None:
    passages = passages_of(parse_answer(ANSWER))
    together = network().read(QUERY, passages)
    for i, passage in enumerate(passages):
        alone = network().read(QUERY, [passage])
        assert np.allclose(together[i], alone[0], atol=1e-3)


def test_long_texts_are_cut_to_what_the_network_reads() -> None:
    text = text_of("why " * 500, passages_of(parse_answer("word " * 3000 + "[1].")))
    assert len(text.lead) <= QUERY_TOKENS + 10
    assert [len(passage) for passage in text.passages] == [PASSAGE_TOKENS]


def test_a_passage_is_laid_out_after_its_query_and_apart_from_the_others() -> None:
    layout = layout_of([Text((1, 2), ((3, 4, 5), (6,))), Text((7,), ((8, 9),))])
    assert layout.ids.tolist() == list(range(1, 10))
    assert layout.places.tolist() == [0, 1, 2, 3, 4, 2, 0, 1, 2]
    assert layout.before.tolist() == [1, 0, 1, 2, 3, 1, 6, 6, 7]
    assert layout.lead.tolist() == [0, 0, 0, 3, 3]
    seen = {
        int(token): {int(layout.ids[k]) for k, far in zip(keys, row, strict=True) if far == 0}
        for tokens, keys, hidden in zip(layout.own, layout.keys, layout.hidden, strict=True)
        for token, row in zip(tokens, hidden, strict=True)
        if token < len(layout.ids)
    }
    assert [seen[i] for i in range(9)] == [
        *({1}, {1, 2}),
        *({1, 2, 3}, {1, 2, 3, 4}, {1, 2, 3, 4, 5}),
        *({1, 2, 6}, {7}, {7, 8}, {7, 8, 9}),
    ]
    flat = layout.own.flatten()
    assert flat[layout.back].tolist() == list(range(9))


def test_of_a_huge_answer_every_source_is_read() -> None:
    rng = random.Random(3)
    stems = ["".join(rng.choices("abcdefghiklmnoprstu", k=6)) for _ in range(500)]
    answer = " ".join(
        f"The {' '.join(rng.choices(stems, k=6))} is {i} [{i % 120 + 1}]." for i in range(900)
    )
    weighing = Weighing(parse_answer(answer), QUERY)
    assert len(weighing.levels) == 120
    assert all(np.isfinite(levels).all() for levels in weighing.levels.values())
    assert len(passages_of(parse_answer(answer))) > MOST_PASSAGES
    assert all(weighing.falls(source) for source in (1, 60, 120))


def test_evidence_is_what_a_level_rests_on() -> None:
    weighing = Weighing(parse_answer(ANSWER), QUERY)
    falls = weighing.falls(1)
    assert sorted(n for fall in falls for n in fall.sentences) == [0, 1, 2, 3]
    for level in range(25):
        named = resting(falls, level)
        most = max(float(fall.levels[level]) for fall in falls)
        best = {n for fall in falls if float(fall.levels[level]) == most for n in fall.sentences}
        assert best & set(named)
        assert len(named) <= 3


def test_roles_say_whose_a_passage_is() -> None:
    passages = passages_of(parse_answer("Tin melts [1]. Lead melts [1][2]. Gold is yellow."))
    roles = {p.text: roles_of(passages, 1)[i].tolist() for i, p in enumerate(passages)}
    assert roles["Tin melts."][0] == 1
    assert roles["Lead melts."][0] == 0.5
    assert roles["Gold is yellow."][:2] != [1, 0]
