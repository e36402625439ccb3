"""Fitting the network: what it is, what is kept of it, and the same files from the same data.

It needs torch and is skipped where that is not installed (`make train` installs it in a place of
its own).
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from training import evaluate, train
from training.evaluation_report import report
from training.examples import Example
from training.judged import DATA, JudgedCase
from training.kept import read_arrays, write_arrays
from training.out_of_fold import ALL_FOLDS, evaluation_of
from training.parts import Desk

from test_training import files_in, needs_data

needs_torch = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("torch", "gguf", "onnx")),
    reason="the training libraries (training/requirements.txt) are not installed",
)


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    """Threads that wait for each other beside other work take many times as long."""
    if importlib.util.find_spec("torch"):
        import torch

        torch.set_num_threads(1)


@needs_torch
def test_weights_of_another_network_are_refused() -> None:
    from training.network import Network

    network = Network()
    taught = dict(network.taught())
    network.go_on_from(taught)
    taught["head.lost"] = taught.pop("head.source")
    with pytest.raises(ValueError, match=r"another network: head\.lost, head\.source"):
        network.go_on_from(taught)


@needs_torch
def test_what_was_learned_is_kept_in_few_bits() -> None:
    import torch
    from training.network import Network
    from training.network_model import packed, unpacked

    torch.manual_seed(0)
    origin = Network().taught()
    taught = {name: weight + 0.01 * torch.randn_like(weight) for name, weight in origin.items()}
    kept = packed(taught)
    assert kept["reader.layers.9.outer"].dtype == np.int8
    again = unpacked(kept)
    assert again.keys() == taught.keys()
    for name, weight in taught.items():
        # Half a step: a quarter of what is usually learned.
        assert (again[name] - weight).abs().max() <= 0.0026, name


@needs_torch
def test_a_matrix_in_whole_numbers_gives_nearly_the_same() -> None:
    import torch
    from training.rounding import INPUT, MOST, rounded

    torch.manual_seed(0)
    weight, x = torch.randn(40, 96), torch.randn(30, 96)
    weight[3, 5] = 60.0
    found = rounded(weight)
    assert int(found.whole.abs().max()) == MOST
    # Two products of a byte and seven bits, added up, must fit into 16 bits.
    assert 2 * MOST * (2 * INPUT + 1) < 2**15
    exact = x @ weight.T
    assert (found(x.bfloat16()).float() - exact).norm() < 0.1 * exact.norm()
    apart = torch.linspace(0.5, 2, 40)
    assert torch.allclose(rounded(weight, apart).step * apart, found.step)


@needs_torch
def test_a_settled_reader_reads_nearly_as_before() -> None:
    import torch
    from training.network_model import shown
    from training.reader import LAYERS, Reader
    from training.rounding import settle

    from citemark.judges.embedded.tokens import layout_of

    reader, texts = Reader().eval(), shown([])
    layout = layout_of(texts[:1])
    with torch.no_grad():
        before, _ = reader.upper(reader.lower(layout), layout)
        settle(reader, texts)
        after, _ = reader.upper(reader.lower(layout), layout)
    assert len(reader.layers) == LAYERS
    assert (after - before)[1:].norm() < 0.35 * before[1:].norm()


@needs_torch
def test_two_hands_learn_the_same_as_one() -> None:
    import torch
    from training.fit_network import Lesson, Setting, fit
    from training.second_judge import made_cases

    lesson, setting = Lesson(made_cases([], 5)), Setting(epochs=1, batch=4, made=0)
    one, two = (fit(lesson, setting, hands=hands).taught() for hands in (1, 2))
    assert all(torch.equal(one[name], two[name]) for name in one)


@needs_torch
def test_dropout_drops_its_part_and_keeps_the_mean() -> None:
    import torch
    from training.network import Dropout

    torch.manual_seed(0)
    part, ones = 0.25, torch.ones(999, 101)
    found = Dropout(part)(ones)
    assert float((found == 0).float().mean()) == pytest.approx(part, abs=0.01)
    assert float(found.mean()) == pytest.approx(1.0, abs=0.01)
    assert torch.equal(Dropout(part).eval()(ones), ones)


@needs_torch
def test_a_language_model_reads_texts_by_themselves_and_after_their_lead() -> None:
    from training.surprise import surprises

    texts = ["Tin melts at 232 degrees.", "Lead is heavy."]
    lead = "Question: When does tin melt?\nAnswer:"
    together = surprises(lead, texts)
    for text, costs in zip(texts, together, strict=True):
        (alone,) = surprises(lead, [text])
        assert np.allclose(costs, alone, atol=0.3)
    (elsewhere,) = surprises("Question: Who was Cleopatra?\nAnswer:", texts[:1])
    assert elsewhere.sum() > together[0].sum()


@needs_data
@needs_torch
@pytest.mark.filterwarnings("ignore")  # torch warns of its exporter and its tracer
def test_real_cases_give_the_same_model_files_twice(tmp_path: Path) -> None:
    """Network, kernel, mixture and all else, from the evaluation on."""
    found = []
    for name in "ab":
        small = Desk(DATA, 20, tmp_path / name)
        # The surprises are asked for once: they are kept by their texts in any case.
        if name == "b":
            for path in (tmp_path / "a").glob("surprises-*"):
                write_arrays(tmp_path / "b" / path.name, read_arrays(path) or {})
        evaluate.run([*train.needed(fast_only=False), train.FINAL], small, 2)
        lessons = train.lessons_of(small, fast_only=False)
        written = train.train(small, tmp_path / name / "out", lessons, fast_only=False)
        assert {"model/reader.npz.z", "model/head.onnx", "model/fast.npz"} <= set(written)
        assert "`embedded`, n = " in report(evaluation_of(small, ALL_FOLDS), DATA)
        found.append(files_in(tmp_path / name / "out"))
    assert found[0] == found[1]


@needs_torch
def test_a_variant_is_held_against_what_it_was_made_from() -> None:
    import torch
    from training.examples import variants
    from training.fit_network import _beside_loss, _families

    answer = "Marie Curie was born in Warsaw in 1867 and won prizes in 1903 [1]. Radium glows [2]."
    levels, totals = np.full((1, 25), 3.0), np.full((1, 5), 15.0)
    case = JudgedCase("one", "made", "What glows?", answer, (1,), (1,), levels, totals)
    every = [e for e in variants([case], 0, beside=True) if e.origin is not None]
    vague = next(e for e in every if e.levels.min() < 3)
    talk = next(e for e in every if e.levels.min() == 3)

    def loss(example: Example, said: float) -> float:
        """Of a network that says this of the variant, and 3 of what it was made from."""
        both, _ = _families([example])
        asked, weight = (
            torch.from_numpy(np.concatenate([getattr(e, name) for e in both])).float()
            for name in ("levels", "weights")
        )
        levels = torch.tensor([said, 3.0])[:, None].expand(2, 25)
        return float(_beside_loss(both, levels, asked, weight))

    assert loss(vague, 2.0) < loss(vague, 2.9) < loss(vague, 3.1)
    assert loss(talk, 2.0) == loss(talk, 3.0) == 0 < loss(talk, 3.1)
