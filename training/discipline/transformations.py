"""Every transformation by its name, and one call to apply it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random

from citemark import Case
from training.discipline import appearance, arrangement, dressing, substance
from training.discipline.reading import Variant

Transformation = Callable[[Case, int, Random], Variant | None]
"""Takes a case, one of its cited sources and a source of chance; nothing if it cannot be made."""

OF_THE_ANSWER: Mapping[str, Transformation] = {
    "renumbered": appearance.renumbered,
    "reordered": appearance.reordered,
    "respaced": appearance.respaced,
    "remarked": appearance.remarked,
    "emboldened": appearance.emboldened,
    "bulleted": appearance.bulleted,
}
"""These concern all sources alike; the source they are given does not matter."""

OF_A_SOURCE: Mapping[str, Transformation] = {
    "repeated": arrangement.repeated,
    "restated": arrangement.restated,
    "split_up": arrangement.split_up,
    "moved_forward": arrangement.moved_forward,
    "moved_back": arrangement.moved_back,
    "torn_forward": arrangement.torn_forward,
    "torn_back": arrangement.torn_back,
    "cited_again": arrangement.cited_again,
    "padded": dressing.padded,
    "praised": dressing.praised,
    "persuasive": dressing.persuasive,
    "called_new": dressing.called_new,
    "called_important": dressing.called_important,
    "emphasised": dressing.emphasised,
    "prominent": dressing.prominent,
    "on_the_query": dressing.on_the_query,
    "ornate": dressing.ornate,
    "with_asides": dressing.with_asides,
    "halved": substance.halved,
    "echoed": substance.echoed,
    "vague": substance.vague,
}

OFF_TOPIC = "off_topic"
NAMES = (*OF_THE_ANSWER, *OF_A_SOURCE, OFF_TOPIC)


def transformation(name: str, queries: Sequence[str] = ()) -> Transformation:
    """The transformation with this name; ``off_topic`` chooses among ``queries``."""
    if name == OFF_TOPIC:
        return substance.off_topic_among(queries)
    return OF_THE_ANSWER[name] if name in OF_THE_ANSWER else OF_A_SOURCE[name]


def transformed(
    name: str, case: Case, source: int, seed: int | str = 0, queries: Sequence[str] = ()
) -> Variant | None:
    """A case after a transformation that concerns one source; nothing if it cannot be made.

    The same arguments give the same variant.

    >>> case = Case.from_dict({"id": "a", "query": "?", "answer": "Copper melts at 1085 °C [1]."})
    >>> transformed("renumbered", case, 1).case.answer
    'Copper melts at 1085 °C [16].'
    """
    return transformation(name, queries)(case, source, Random(f"{seed}:{name}:{case.id}:{source}"))
