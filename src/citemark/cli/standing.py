"""How a run stands, counted in judgments, in words that fit the width there is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Asked:
    """What a judge that asks a model has to say beside the judgments."""

    from_store: int
    in_flight: int
    tokens: int
    cost: str


@dataclass(frozen=True, slots=True)
class Standing:
    """The figures of a run at one moment."""

    scored: int
    failed: int
    wanted: int
    """Judgments of the cases that were read so far."""
    total: int | None
    """Judgments of the whole input; None where nobody can tell, as with a pipe."""
    exact: bool
    """Whether the total is counted; else it is reckoned from the cases that were read."""
    rate: float | None
    """Judgments per second, of late."""
    asked: Asked | None = None

    @property
    def done(self) -> int:
        """Judgments that are made."""
        return self.scored + self.failed

    @property
    def seconds_left(self) -> float | None:
        """About how long it will still take; None if nobody can tell."""
        if self.total is None or not self.rate:
            return None
        return max(0, self.total - self.done) / self.rate

    def parts(self) -> list[str]:
        """The figures in words, the most important first."""
        parts = [self._head()]
        if self.done:
            parts.append(f"{self.scored:,} scored")
        if self.failed:
            parts.append(f"{self.failed:,} failed")
        if self.asked:
            parts.append(f"{self.asked.from_store:,} from store")
        if self.rate is not None:
            parts.append(f"{self.rate:,.{0 if self.rate >= 100 else 1}f}/s")
        if self.asked:
            parts.append(f"{self.asked.in_flight} in flight")
            parts.append(f"{self.asked.tokens:,} tokens")
            parts.append(self.asked.cost)
        if (left := self.seconds_left) is not None:
            parts.append(f"{lasting(left)} left")
        return parts

    def _head(self) -> str:
        if not self.wanted:
            return "starting"
        if self.total is None:
            return f"{self.done:,} of the {self.wanted:,} judgments read so far"
        return f"{self.done:,} of {'' if self.exact else 'about '}{self.total:,} judgments"


def total_of(wanted: int, read: int, cases: int | None, *, ended: bool) -> tuple[int | None, bool]:
    """The judgments of an input of so many cases, and whether that is exact.

    >>> total_of(120, 10, 100, ended=False)
    (1200, False)
    """
    if ended:
        return wanted, True
    if cases is None or not read:
        return None, False
    return max(wanted, round(wanted * cases / read)), False


def lasting(seconds: float) -> str:
    """A duration in one or two units.

    >>> lasting(8), lasting(190), lasting(7500)
    ('8 s', '3 min 10 s', '2 h 5 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600:,} h {whole % 3600 // 60} min"


def wrapped(parts: list[str], width: int) -> list[str]:
    """The parts as lines of at most this width; no part is torn unless it alone is too wide.

    >>> wrapped(["12 scored", "3 failed", "2 in flight"], 20)
    ['12 scored, 3 failed,', '2 in flight']
    """
    lines: list[str] = []
    for number, part in enumerate(parts, start=1):
        piece = part if number == len(parts) else f"{part},"
        if lines and len(lines[-1]) + 1 + len(piece) <= width:
            lines[-1] += f" {piece}"
        else:
            lines.append(piece[:width])
    return lines
