"""What a reader of a comparison has to know before trusting it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from citemark.comparison.matching import Matches
from citemark.comparison.scorecards import OVERALL, SHARE, Card
from citemark.manifest import counted

_NAMES = {"parser": "parser version", "citemark": "version of Citemark"}


@dataclass(frozen=True, slots=True)
class Remark:
    """One sentence for the reader; a warning bears on whether the scores compare at all."""

    level: Literal["warning", "note"]
    text: str

    def to_dict(self) -> dict[str, str]:
        """The remark as plain data."""
        return {"level": self.level, "text": self.text}


def remarks_on(before: Sequence[Card], after: Sequence[Card], matches: Matches) -> list[Remark]:
    """The remarks on two sides, warnings first."""
    found = [*_making(before, after), *_variants(before, after), *_pairing(matches)]
    return sorted(found, key=lambda remark: remark.level != "warning")


def _making(before: Sequence[Card], after: Sequence[Card]) -> Iterable[Remark]:
    """Scores compare only if they were made in the same way."""
    differ = []
    for name, value in (("judge", lambda c: c.judge), ("mode", lambda c: c.mode or "none")):
        old, new = _distinct(map(value, before)), _distinct(map(value, after))
        if old != new or len(old) > 1:
            differ.append(f"{name} {' and '.join(old)} before, {' and '.join(new)} after")
    if not differ:
        old_parts, new_parts = _parts(before), _parts(after)
        differ += [
            f"another {_NAMES.get(name, name)}"
            for name in {**old_parts, **new_parts}
            if _differ(old_parts.get(name), new_parts.get(name))
        ]
    if differ:
        yield Remark(
            "warning",
            "the scores were not made in the same way and may not be comparable: "
            f"{'; '.join(differ)}. Score both sides alike.",
        )


def _differ(old: list[str] | None, new: list[str] | None) -> bool:
    """Whether a part of the signatures says otherwise; what one side lacks is no contradiction."""
    return old is not None and new is not None and (old != new or len(old) > 1)


def _parts(cards: Sequence[Card]) -> dict[str, list[str]]:
    """The parts of the signatures by name, each with the values that occur."""
    parts: dict[str, dict[str, None]] = {}
    for signature in _distinct(card.signature for card in cards):
        for part in signature.split("|"):
            name, _, value = part.partition(":")
            if name == "rubrics":
                for rubric in value.split("+"):
                    metric, _, version = rubric.partition("@")
                    parts.setdefault(f"rubric for {metric}", {})[version] = None
            else:
                parts.setdefault(name or "signature", {})[value] = None
    return {name: sorted(values) for name, values in parts.items()}


def _distinct(values: Iterable[str]) -> list[str]:
    return sorted(set(values))


def _variants(before: Sequence[Card], after: Sequence[Card]) -> Iterable[Remark]:
    for side, cards in (("first", before), ("second", after)):
        variants = _distinct(card.variant for card in cards if card.variant)
        if len(variants) > 1:
            names = ", ".join(variants)
            yield Remark(
                "warning",
                f"the {side} file holds several variants ({names}), which are averaged; "
                f"choose with --variant {variants[0]},{variants[1]}",
            )


def _pairing(matches: Matches) -> Iterable[Remark]:
    reworded = sum(pair.reworded for pair in matches.pairs if pair.how == "id")
    if reworded:
        cases = counted(reworded, "case")
        yield Remark(
            "warning", f"{cases} with the same id asked different questions; are the files right?"
        )
    for side, cards in (("before", matches.only_before), ("after", matches.only_after)):
        if cards:
            some = ", ".join(card.case for card in cards[:3])
            more = ", ..." if len(cards) > 3 else ""
            yield Remark("note", f"{counted(len(cards), 'case')} only {side}: {some}{more}")


def chosen_metrics(
    before: Sequence[Card], after: Sequence[Card], wanted: Sequence[str] | None
) -> tuple[list[str], list[str], list[Remark]]:
    """The metrics that both sides have, those that one side lacks, and what to say of it."""
    old = list(dict.fromkeys(name for card in before for name in card.metrics))
    new = {name for card in after for name in card.metrics}
    shared = [name for name in old if name in new]
    lone = sorted(set(old) ^ new)
    known = [*shared, OVERALL, SHARE]
    remarks = []
    if lone:
        # The mean of five scores and the mean of two are different things.
        known.remove(OVERALL)
        remarks.append(
            Remark("note", f"not compared, as only one side has it: {', '.join([*lone, OVERALL])}")
        )
    if wanted is None:
        return known, [], remarks
    return [name for name in wanted if name in known], [n for n in wanted if n not in known], []
