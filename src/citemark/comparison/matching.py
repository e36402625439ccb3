"""Which case belongs to which, and which source to which, on the two sides."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from citemark.case import Case
from citemark.comparison.scorecards import Card, Page

How = Literal["id", "group", "query", "given"]
By = Literal["source", "domain", "case"]


@dataclass(frozen=True, slots=True)
class CasePair:
    """The same question on the two sides; several cards on a side are repeats."""

    before: tuple[Card, ...]
    after: tuple[Card, ...]
    how: How

    @property
    def case(self) -> str:
        """What the pair is called."""
        return self.before[0].case

    @property
    def query(self) -> str:
        """The question that was asked."""
        return self.before[0].query

    @property
    def reworded(self) -> bool:
        """Whether the two sides were asked differently."""
        return plain_query(self.before[0]) != plain_query(self.after[0])


@dataclass(frozen=True, slots=True)
class Matches:
    """The pairs, in the order of the first file, and what found no partner."""

    pairs: tuple[CasePair, ...]
    only_before: tuple[Card, ...] = ()
    only_after: tuple[Card, ...] = ()


def match_cases(before: Sequence[Card], after: Sequence[Card]) -> Matches:
    """Pair the cards of two sides: by id, else by group, else by query."""
    steps: tuple[tuple[How, Callable[[Card], Hashable | None]], ...] = (
        ("id", _own_id),
        ("group", lambda card: (card.group, plain_query(card)) if card.group else None),
        ("group", lambda card: card.group),
        ("query", plain_query),
    )
    pairs: list[CasePair] = []
    old, new = list(before), list(after)
    for how, name in steps:
        left, right = _by(old, name), _by(new, name)
        taken: set[int] = set()
        for shared in [key for key in left if key in right]:
            pair = CasePair(tuple(left[shared]), tuple(right[shared]), how)
            if how == "group" and not (_one_query(pair.before) and _one_query(pair.after)):
                continue  # several questions on a side: nothing tells which is which
            pairs.append(pair)
            taken.update(id(card) for card in pair.before + pair.after)
        old = [card for card in old if id(card) not in taken]
        new = [card for card in new if id(card) not in taken]
    order = {id(card): place for place, card in enumerate(before)}
    pairs.sort(key=lambda pair: order[id(pair.before[0])])
    return Matches(tuple(pairs), tuple(old), tuple(new))


def plain_query(card: Card) -> str:
    """The query as it is compared: without regard to case and white space."""
    return " ".join(card.query.casefold().split())


def _own_id(card: Card) -> str | None:
    """The id that somebody gave; the default one, a hash of the text, ties nothing together."""
    if not card.query.strip() or not card.answer.strip():
        return card.case
    default = Case.from_dict({"query": card.query, "answer": card.answer}).id
    return None if card.case == default else card.case


def _by(cards: Iterable[Card], name: Callable[[Card], Hashable | None]) -> dict[object, list[Card]]:
    found: dict[object, list[Card]] = defaultdict(list)
    for card in cards:
        if (key := name(card)) is not None:
            found[key].append(card)
    return found


def _one_query(cards: Sequence[Card]) -> bool:
    return len({plain_query(card) for card in cards}) == 1


def page_name(page: Page, by: By) -> str | int:
    """What a source is matched by: its page or its domain; its bare number if it has neither."""
    if by == "domain" and page.domain:
        return page.domain
    return page.identity or page.n
