"""What the network is fitted on: judged cases as tokens, and made variants of them.

The variants teach what the rubrics say about cases that nobody judged: a query that the answer
does not address takes away topical match and usability, generalities in place of specifics take
away concreteness and what was distinctive; filler, persuasion and saying it again in other words
change nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citemark import Case
from citemark.citations import parse_answer
from citemark.judges.embedded.feature_table import FeatureTable, feature_table
from citemark.judges.embedded.passages import Passage, passages_of, roles_of
from citemark.judges.embedded.statements import read
from citemark.judges.embedded.tokens import Text, text_of, tokenizer
from training.discipline.reading import worded
from training.discipline.transformations import transformed
from training.judged import SUBSCORES, Array, JudgedCase

_R1, _R3, _R4, _U3 = 0, 2, 3, 12
_U = slice(10, 15)
_BY_QUERY = 10
"""The sub-scores of relevance and influence come first."""
_VAGUE = 0.4
"""What is left of concreteness when the specifics are gone."""
_DISTINCT = 0.65
"""What is left of uniqueness, beside U3."""
_USUAL = 1
"""The place of the variant, a vague one, that is made with the usual phrases."""
_OTHER_WORDS = Path(__file__).parent / "other_words.toml"
_SAME = ("padded", "persuasive", "praised", "restated", "ornate")
_TALK = (*_SAME, "with_asides", "called_new", "called_important", "emphasised")


@dataclass(frozen=True, slots=True)
class Example:
    """One answer as the network reads it, with the levels that some of its sources should get."""

    text: Text
    roles: NDArray[np.float32]
    """(sources, passages, ROLES)."""
    levels: Array
    weights: Array
    """How much each level counts: (sources, 25)."""
    features: NDArray[np.float32]
    """What the feature table says of each source: (sources, features)."""
    surprise: NDArray[np.float32] | None = None
    """How surprising each token of the passages is, if that is known (a single one may be NaN)."""
    origin: Example | None = None
    """What a made variant was made from, if the network is to see both and compare them."""


def example(
    query: str, answer: str, sources: Sequence[int], levels: Array, weights: Array
) -> Example:
    """An answer with its sources and the levels they should get."""
    parsed = parse_answer(answer)
    passages = passages_of(parsed, query)
    roles = np.stack([roles_of(passages, source) for source in sources])
    features = features_of(feature_table(read(parsed, query, led=True), query), sources)
    return Example(text_of(query, passages), roles, levels, weights, features)


def features_of(table: FeatureTable, sources: Sequence[int]) -> NDArray[np.float32]:
    """The features of some sources; all 0 for one that is cited for nothing that says anything."""
    place = {source: i for i, source in enumerate(table.sources)}
    found = np.zeros((len(sources), len(feature_names())), dtype=np.float32)
    for row, source in zip(found, sources, strict=True):
        if source in place:
            row[:] = table.values[place[source]]
    return found


@cache
def feature_names() -> tuple[str, ...]:
    """The names of all features, in their order."""
    answer = "Tin melts at 232 degrees [1]."
    return feature_table(read(parse_answer(answer), "tin"), "tin").names


def judged(case: JudgedCase, costs: Sequence[NDArray[np.float32]] | None = None) -> Example:
    """A judged case; two passes count for more than one."""
    weights = np.repeat((1 + np.array(case.passes, dtype=np.float64)[:, None]) / 2, SUBSCORES, 1)
    found = example(case.query, case.answer, case.sources, case.levels, weights)
    if not costs:
        return found
    return replace(found, surprise=_surprise(case, found.text, costs))


def asked_otherwise(case: JudgedCase) -> Example:
    """A judged answer with another query, which matters to relevance and influence alone."""
    weights = np.zeros((len(case.sources), SUBSCORES))
    weights[:, :_BY_QUERY] = 1.0
    return example(case.query, case.answer, case.sources, case.levels, weights)


def _surprise(
    case: JudgedCase, text: Text, costs: Sequence[NDArray[np.float32]]
) -> NDArray[np.float32]:
    """The surprise at the reader's tokens, which are shorter here and there."""
    from training.surprise import per_piece

    passages: Sequence[Passage] = passages_of(parse_answer(case.answer), case.query)
    texts = [f" {passage.text}" for passage in passages]
    pieces = tokenizer().encode_batch(texts, add_special_tokens=False)
    found = [
        per_piece(one, cost, [end for _, end in piece.offsets[: len(ids)]])
        for one, cost, piece, ids in zip(texts, costs, pieces, text.passages, strict=True)
    ]
    return np.concatenate(found)


def variants(cases: Sequence[JudgedCase], seed: int, *, beside: bool) -> Iterator[Example]:
    """Made variants of judged cases, some of each where they can be made.

    Two of them are vague: that is what real answers teach least about. ``beside`` what they were
    made from there are more, most of them with other phrases, and what a vague one should lose is
    the whole of uniqueness; without, nothing is said of that but U3.
    """
    queries = [case.query for case in cases]
    for number, case in enumerate(cases):
        for step, name in enumerate(_kinds(number, seed, beside=beside)):
            place = (number * 7 + seed + step) % len(case.sources)
            with worded(_OTHER_WORDS if beside and step != _USUAL else None):
                found = _variant(case, place, name, seed, queries, beside=beside)
            if found is not None and found.text.passages:
                yield found


def _kinds(number: int, seed: int, *, beside: bool) -> tuple[str, ...]:
    """The variants that are made of a case."""
    turn = number + seed
    if not beside:
        return "off_topic", "vague", _SAME[turn % len(_SAME)], "vague"
    first, second, third = (_TALK[(turn * 3 + i) % len(_TALK)] for i in range(3))
    return first if turn % 2 else "off_topic", "vague", second, "vague", third


def _variant(
    case: JudgedCase, place: int, name: str, seed: int, queries: Sequence[str], *, beside: bool
) -> Example | None:
    source = case.sources[place]
    plain = Case.from_dict({"id": case.id, "query": case.query, "answer": case.answer})
    made = transformed(name, plain, source, seed, queries)
    if made is None:
        return None
    own = made.renamed.get(source, source)
    levels, weights = _target(name, case.levels[place], beside=beside)
    found = example(made.case.query, made.case.answer, [own], levels, weights)
    if name == "off_topic" or not beside:
        return found
    one = case.levels[place : place + 1]
    origin = example(case.query, case.answer, [source], one, np.ones_like(one))
    return replace(found, origin=origin)


def _target(name: str, levels: Array, *, beside: bool) -> tuple[Array, Array]:
    target, weights = levels.copy(), np.zeros(SUBSCORES)
    if name == "off_topic":
        target[[_R1, _R4]] = 0.0
        weights[:5] = 1.0
    elif name == "vague":
        if beside:
            target[_U] *= _DISTINCT
            weights[_U] = 1.0
        target[[_R3, _U3]] = levels[[_R3, _U3]] * _VAGUE
        weights[[_R3, _U3]] = 1.0
    else:
        weights[:] = 1.0
    return target[None], weights[None]


def usable(examples: Iterable[Example]) -> list[Example]:
    """Those that have anything to read."""
    return [example for example in examples if example.text.passages]
