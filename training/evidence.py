"""Does the evidence matter? Take it out of real answers and see what falls.

python -m training.evidence [--answers 100]

For every source with several sentences, the sentences that are named for a sub-score are compared
with one of its other sentences: each is taken out of the answer's text in turn, and the answer is
judged again. The evidence holds if the sub-score falls more without it.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from citemark.citations import ParsedAnswer, parse_answer
from citemark.judges.embedded.judge import resting
from citemark.judges.embedded.weighing import Weighing
from training.judged import SUBSCORES, JudgedCase, load

Floats = NDArray[np.float32]
_SEED = 11
_SAME = 1e-4
"""Falls that differ by less than this are the same: such a pair says nothing."""


def trials(case: JudgedCase, rng: random.Random) -> Iterator[tuple[int, bool]]:
    """For each sub-score of each source that has other sentences: whether its evidence held."""
    answer = parse_answer(case.answer)
    whole = Weighing(answer, case.query)
    for source in case.sources:
        if source not in whole.levels:
            continue
        falls = whole.falls(source)
        own = sorted({n for fall in falls for n in fall.sentences})
        if len(own) < 2:
            continue
        without = {n: _levels(answer, case.query, source, [n]) for n in own}
        for sub in range(SUBSCORES):
            named = resting(falls, sub)
            others = [n for n in own if n not in named]
            if not others or whole.levels[source][sub] < 0.5:
                continue
            best = min(named, key=lambda n: float(without[n][sub]))
            gap = float(without[rng.choice(others)][sub] - without[best][sub])
            if abs(gap) > _SAME:
                yield sub, gap > 0


def _levels(answer: ParsedAnswer, query: str, source: int, gone: Sequence[int]) -> Floats:
    """The levels of a source when some sentences are cut out of the text."""
    text, last = [], 0
    for sentence in answer.sentences:
        if sentence.n in gone:
            text.append(answer.answer[last : sentence.start])
            last = sentence.end
    text.append(answer.answer[last:])
    found = Weighing(parse_answer("".join(text)), query).levels.get(source)
    return np.zeros(SUBSCORES, dtype=np.float32) if found is None else found


def main() -> None:
    """Print how often the evidence holds."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--answers", type=int, default=100)
    chosen = options.parse_args()
    rng = random.Random(_SEED)
    cases = load()
    picked = rng.sample(cases, min(chosen.answers, len(cases)))
    held: list[list[bool]] = [[] for _ in range(SUBSCORES)]
    for case in picked:
        for sub, good in trials(case, rng):
            held[sub].append(good)
    every = [good for one in held for good in one]
    sys.stdout.write(
        f"{len(picked)} answers, {len(every)} pairs: the evidence holds in "
        f"{100 * sum(every) / max(1, len(every)):.0f} % (lowest sub-score "
        f"{100 * min(sum(one) / len(one) for one in held if one):.0f} %)\n"
    )


if __name__ == "__main__":
    main()
