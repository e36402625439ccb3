"""Fitting the network: what it is, and the same files from the same data.

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
from training.judged import DATA
from training.kept import read_arrays, write_arrays
from training.out_of_fold import ALL_FOLDS, evaluation_of
from training.parts import Desk

from test_training import files_in, needs_data

needs_torch = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("torch", "gguf", "onnx")),
    reason="the training libraries (training/requirements.txt) are not installed",
)


@needs_torch
def test_weights_of_another_network_are_refused() -> None:
    from training.fit_network import Network, Setting
    from training.network_model import weights_file

    network = Network(weights_file(), Setting())
    taught = dict(network.taught())
    network.go_on_from(taught)
    taught["head.lost"] = taught.pop("head.source")
    with pytest.raises(ValueError, match=r"another network: head\.lost, head\.source"):
        network.go_on_from(taught)


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
    from training.surprise import language_model

    model, texts = language_model(), ["Tin melts at 232 degrees.", "Lead is heavy."]
    lead = "Question: When does tin melt?\nAnswer:"
    together = model.surprises(lead, texts)
    for text, costs in zip(texts, together, strict=True):
        (alone,) = model.surprises(lead, [text])
        assert np.allclose(costs, alone, atol=0.3)
    (elsewhere,) = model.surprises("Question: Who was Cleopatra?\nAnswer:", texts[:1])
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
        assert {"model/encoder.onnx", "model/head.onnx", "model/full.npz"} <= set(written)
        assert "`embedded`, n = " in report(evaluation_of(small, ALL_FOLDS), DATA)
        found.append(files_in(tmp_path / name / "out"))
    assert found[0] == found[1]
