"""Fit the detector of empty talk: made phrases that say nothing against clauses of real answers.

Each clause is heard in an answer: real ones in their own, made phrases in any.

python -m training.empty_talk            fit, and show what it finds and what it takes from answers
python -m training.empty_talk --write    write the model file too
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray

from citemark.citations import parse_answer
from citemark.judges.embedded import emptiness
from citemark.judges.embedded.clauses import clauses_in
from citemark.judges.embedded.empty_talk import BEARING, clauses_of
from citemark.judges.embedded.plain_words import plain_words
from citemark.judges.embedded.said import bare, says_nothing
from citemark.judges.embedded.static import static_embedder
from citemark.judges.embedded.topic import USUAL, Topic
from training.judged import load

Array = NDArray[np.float64]

HERE = Path(__file__).parent
MODEL = HERE.parent / "src" / "citemark" / "judges" / "embedded" / "model" / "empty_talk.npz"
PER_TEMPLATE = 10
"""How many phrases are drawn from a pattern with slots, at most."""
FOLDS = 2
RIDGE = 0.02
KEY_SCALE = 0.5
"""Below 1, words lean more on their vectors than on weights of their own."""
LEAST_PATTERNS = 3
MOST_REAL = 7000
"""So many real clauses are fitted on; all of them set the threshold."""
STEP = 3
"""Every so manieth answer is looked at."""
TAKEN = 0.025
"""The share of real clauses that may be taken for empty."""
_SLOT = re.compile(r"\{(\w+)\}")


def phrases(seed: int = 0) -> list[tuple[str, int]]:
    """The made phrases, and the number of the pattern that each was drawn from."""
    data = tomllib.loads((HERE / "empty_talk.toml").read_text(encoding="utf-8"))
    rng = Random(seed)
    found: dict[str, int] = {}
    patterns = [p for kind in ("phrases", "plain") for group in data[kind].values() for p in group]
    for number, pattern in enumerate(patterns):
        for _ in range(PER_TEMPLATE if "{" in pattern else 1):
            phrase = _SLOT.sub(lambda m: str(rng.choice(data["slots"][m[1]])), pattern)
            if plain := plain_words(phrase).strip(" ,"):
                found.setdefault(plain, number)
    return list(found.items())


def held_out(name: str) -> list[str]:
    """The phrases of a wording file that nothing is fitted on, as far as plain words leave any."""
    data = tomllib.loads((HERE / "discipline" / name).read_text(encoding="utf-8"))
    kinds = ("filler", "praise", "persuasion", "novelty", "importance", "emphasis", "aside")
    plain = [
        plain_words(phrase.replace(" {m}.", "").strip(" ,:"))
        for kind in kinds
        for place in ("leads", "tails", "sentences")
        for phrase in data[kind].get(place, ())
    ]
    return [phrase for phrase in plain if len(emptiness.words_of(phrase)) > 1]


Heard = tuple[str, float]
"""A clause, and how much it bears on the answer that it stands in."""


def answers() -> list[list[str]]:
    """What some real answers say, clause by clause in plain words."""
    return [
        [
            plain_words(clause)
            for sentence in parse_answer(case.answer).sentences
            if not says_nothing(sentence)
            for clause in clauses_in(bare(sentence.text))
        ]
        for case in load()[::STEP]
    ]


def real_clauses() -> list[Heard]:
    """The different clauses of the judged answers that the detector looks at."""
    found: dict[str, float] = {}
    for sentences in answers():
        topic = Topic(sentences)
        for i, text in enumerate(sentences):
            clauses, _ = clauses_of(text)
            for clause in (text.rstrip(".!? "), *(c.rstrip(".!? ") for c in clauses)):
                if emptiness.may_be_empty(clause, emptiness.words_of(clause)):
                    found.setdefault(clause, topic.bearing(clause, i))
    return list(found.items())


def put_somewhere(phrases: Sequence[str]) -> list[Heard]:
    """Each phrase as if it stood in the midst of some real answer."""
    rng, topics = Random(2), answers()
    found = []
    for phrase in phrases:
        sentences = [*rng.choice(topics), phrase]
        found.append((phrase, Topic(sentences).bearing(phrase, len(sentences) - 1)))
    return found


def logistic(x: Array, y: Array, ridge: float, weight: Array) -> tuple[Array, float]:
    """Logistic regression by Newton's method; the offset is not held back."""
    z = np.column_stack([x, np.ones(len(x))])
    held = np.full(z.shape[1], ridge)
    held[-1] = 1e-6
    w = np.zeros(z.shape[1])
    for _ in range(7):
        p = 1 / (1 + np.exp(-np.clip(z @ w, -30, 30)))
        slope = z.T @ (weight * (p - y)) + held * w
        curve = (z * (weight * p * (1 - p))[:, None]).T @ z + np.diag(held)
        step = np.linalg.solve(curve, slope)
        w -= step
        if np.abs(step).max() < 1e-3:
            break
    return w[:-1], float(w[-1])


def keys_of(made: Sequence[tuple[str, int]]) -> list[str]:
    """The words and pairs of words that several patterns hold: they get weights of their own."""
    patterns: dict[str, set[int]] = {}
    for phrase, number in made:
        words = emptiness.words_of(phrase)
        for key in (*words, *(f"{a} {b}" for a, b in pairwise(words))):
            patterns.setdefault(key, set()).add(number)
    return sorted(key for key, numbers in patterns.items() if len(numbers) >= LEAST_PATTERNS)


def columns_of(clauses: Sequence[Sequence[str]], keys: Sequence[str]) -> Array:
    """The mean word vector of each clause, and what share of it each key is."""
    embedder = static_embedder()
    place = {key: i for i, key in enumerate(keys)}
    size = embedder.size
    out = np.zeros((len(clauses), size + len(keys)), dtype=np.float64)
    seen: dict[str, NDArray[np.float32]] = {}
    for row, words in zip(out, clauses, strict=True):
        for word in words:
            if word not in seen:
                vector = embedder.vectors([embedder.word(word)])[0]
                seen[word] = vector / max(float(np.sqrt(vector @ vector)), 1e-9)
            row[:size] += seen[word] / len(words)
        for key in (*words, *(f"{a} {b}" for a, b in pairwise(words))):
            if key in place:
                row[size + place[key]] += KEY_SCALE / len(words)
    return out


@dataclass(frozen=True, slots=True)
class Words:
    """What words and pairs of words weigh."""

    direction: Array
    offset: float
    known: dict[str, float]

    def facts(self, clauses: Sequence[Sequence[str]]) -> Array:
        """The facts of clauses, given these weights."""
        embedder = static_embedder()
        seen: dict[str, tuple[float, float, int]] = {}
        direction = self.direction.astype(np.float32)

        def known(word: str) -> tuple[float, float, int]:
            if word not in seen:
                score = emptiness.word_score(word, direction) + self.offset
                score += self.known.get(word, 0.0)
                seen[word] = (score, embedder.word(word).rarity, emptiness.kind_of(word))
            return seen[word]

        return np.array([emptiness.facts(c, known, self.known) for c in clauses])


def fit_words(x: Array, y: Array, weight: Array, keys: Sequence[str]) -> Words:
    """Fit the weights of words."""
    theta, offset = logistic(x, y, RIDGE, weight)
    size = x.shape[1] - len(keys)
    adds = dict(zip(keys, (theta[size:] * KEY_SCALE).tolist(), strict=True))
    return Words(theta[:size], offset, adds)


def fit(made: Sequence[tuple[str, int]], heard: Sequence[Heard]) -> tuple[Words, Array, float]:
    """Fit words first, then facts; the facts by patterns that the words were not fitted on."""
    keys = keys_of(made)
    every = [emptiness.words_of(clause) for clause, _ in heard]
    real = Random(1).sample(every, min(MOST_REAL, len(every)))
    words = [emptiness.words_of(p) for p, _ in made] + real
    y = np.r_[np.ones(len(made)), np.zeros(len(real))]
    weight = np.where(y > 0, len(real) / len(made), 1.0) * 2 * len(made) / len(y)
    group = np.r_[[n % FOLDS for _, n in made], np.arange(len(real)) % FOLDS]
    x = columns_of(words, keys)
    facts = np.zeros((len(words), len(emptiness.FACTS)))
    for fold in range(FOLDS):
        test = group == fold
        part = fit_words(x[~test], y[~test], weight[~test], keys)
        facts[test] = part.facts([words[i] for i in np.nonzero(test)[0]])
    weights, _ = logistic(facts, y, RIDGE, weight)
    final = fit_words(x, y, weight, keys)
    found = final.facts(every) @ weights + _beside([bearing for _, bearing in heard])
    limit = float(np.quantile(found, 1 - TAKEN))
    beside = _beside([bearing for _, bearing in put_somewhere([p for p, _ in made])])
    left_out = np.mean(facts[: len(made)] @ weights + beside > limit)
    sys.stdout.write(f"of phrases of patterns left out, {left_out:.3f} found\n")
    return final, weights, -limit


def _beside(bearings: Sequence[float]) -> Array:
    """What the rest of an answer adds to the emptiness of clauses."""
    return BEARING * (USUAL - np.array(bearings))


def shown(real: Sequence[Heard], made: Sequence[tuple[str, int]]) -> Iterator[str]:
    """How the model in the package does."""
    for name, group in (
        ("fitted phrases", put_somewhere([p for p, _ in made])),
        ("wording.toml", put_somewhere(held_out("wording.toml"))),
        ("held_out.toml", put_somewhere(held_out("held_out.toml"))),
        ("real clauses", list(real)),
    ):
        found = [c for c, b in group if emptiness.emptiness(c) + BEARING * (USUAL - b) > 0]
        middle = np.median([bearing for _, bearing in group])
        yield f"{name}: {len(found)} of {len(group)} taken for empty; half bear above {middle:.2f}"
        if name.endswith("toml"):
            yield "  missed: " + " | ".join(c for c, _ in group if c not in found)
        if name.startswith("real"):
            yield "  such as: " + " | ".join(Random(0).sample(found, min(150, len(found))))


def main() -> None:
    """Fit, and write the model if asked to."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--write", action="store_true")
    chosen = options.parse_args()
    made, real = phrases(), real_clauses()
    if chosen.write:
        words, weights, bias = fit(made, real)
        np.savez(
            MODEL,
            direction=words.direction.astype(np.float32),
            offset=words.offset,
            known=np.array(list(words.known), dtype=np.str_),
            adds=np.array(list(words.known.values()), dtype=np.float32),
            weights=weights,
            bias=bias,
        )
        facts = zip(emptiness.FACTS, weights, strict=True)
        sys.stdout.write(", ".join(f"{n} {w:+.2f}" for n, w in facts) + f", bias {bias:+.2f}\n")
    sys.stdout.write("\n".join(shown(real, made)) + "\n")


if __name__ == "__main__":
    main()
