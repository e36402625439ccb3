"""The parts of the evaluation: what each needs, and the file that keeps it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from training.judged import DATA, FOLDS, JudgedCase, load
from training.kept import WORK, Arrays, fingerprint, read_arrays

_FEATURES = (
    "training.judged",
    "training.pseudo_labels",
    "citemark.judges.embedded.feature_table",
    "citemark.judges.embedded.standing",
)
_NETWORK = ("training.network_model", "training.second_judge")
_FOLLOWED = {
    "features": _FEATURES,
    "fast": (*_FEATURES, "training.feature_groups"),
    "surprises": ("training.surprise",),
    "school": _NETWORK,
    "network": (*_NETWORK, "training.other_queries", "training.other_sources"),
}
_KERNEL = ("training.fold_models", "training.feature_model", "citemark.judges.embedded.fast_model")
_ALONE = {
    "features": (*_KERNEL[:2], "training.examples"),
    "fast": _KERNEL,
    "surprises": _KERNEL[:1],
    "school": _KERNEL[:1],
    "network": _KERNEL[:1],
}
"""Modules that count without what they import."""
SHIPPED = Path(__file__).resolve().parent / "schooled"
"""Parts that come with the program, because they take long and seldom change: the school."""
PLAIN = "plain"
"""The variant that is fitted without made variants."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the evaluation.

    >>> Part("fast", 0, "without-voice").name, Part.of("network-share-25-0").variant
    ('fast-without-voice-0', 'share-25')
    """

    kind: str
    """features, surprises, fast (kernel on features), school (the network fitted to made cases),
    network."""
    fold: int | None = None
    """The queries that the model does not see and is asked about; None if it sees all."""
    variant: str = ""
    """without-GROUP, plain (no made variants) or share-PERCENT of the training queries."""

    @property
    def name(self) -> str:
        """The part's name, from which it can be made again."""
        words = (self.kind, self.variant, "" if self.fold is None else str(self.fold))
        return "-".join(word for word in words if word)

    @classmethod
    def of(cls, name: str) -> Part:
        """The part of a name."""
        kind, _, rest = name.partition("-")
        variant, _, last = rest.rpartition("-")
        return cls(kind, int(last), variant) if last.isdigit() else cls(kind, None, rest)

    @property
    def needs(self) -> tuple[Part, ...]:
        """The parts that must be there before this one."""
        if self.kind == "network":
            return Part("school"), *(Part("surprises", fold) for fold in range(FOLDS))
        return (Part("features"),) if self.kind == "fast" else ()


@dataclass(frozen=True, slots=True)
class Desk:
    """What is evaluated, and where finished parts are kept."""

    data: Path = DATA
    limit: int | None = None
    work: Path = WORK

    def path(self, part: Part) -> Path:
        """The file of a part."""
        settings = f"{part.name} limit {self.limit}"
        mark = fingerprint(settings, self.data, _FOLLOWED[part.kind], _ALONE[part.kind])
        return self.work / f"{part.name}-{mark}.npz"

    def get(self, part: Part) -> Arrays | None:
        """What is kept of a part, if it is finished."""
        path = self.path(part)
        found = read_arrays(path)
        return read_arrays(SHIPPED / path.name) if found is None else found

    def known(self, part: Part) -> Arrays:
        """What is kept of a part that must be finished."""
        found = self.get(part)
        if found is None:
            raise SystemExit(f"{part.name} is not there yet; run: python -m training.evaluate")
        return found

    def cases(self) -> list[JudgedCase]:
        """The judged cases."""
        return load(self.data, limit=self.limit)
