"""Telling an endpoint that is down from a request that fails, and looking whether it is back."""

from __future__ import annotations

FIRST_LOOK = 0.5
LAST_LOOK = 5.0
"""Seconds between two looks at an endpoint that is down: from the first, doubling, to the last."""
MOST_WITNESSES = 8


class Outage:
    """Whether the endpoint is down: it did answer, and now nobody gets an answer any more.

    One request that always breaks the endpoint does not make an outage: different requests
    must fail one after the other with no good reply in between, or the connection itself must
    be refused. While it lasts, one request at a time goes out to look.
    """

    def __init__(self, concurrency: int) -> None:
        self.since: float | None = None
        """When it began, by the event loop's clock; None while the endpoint is up."""
        self.look_at = 0.0
        self._enough = max(2, min(MOST_WITNESSES, concurrency))
        self._witnesses: set[object] = set()
        self._worked = False
        self._looking = False
        self._interval = FIRST_LOOK

    def may_look(self, now: float) -> bool:
        """Whether one request should go out now to look; whoever is told so must go."""
        if self._looking or now < self.look_at:
            return False
        self._looking = True
        return True

    def looked(self) -> None:
        """A request is back, whatever came of it."""
        self._looking = False

    def over(self, *, worked: bool = False) -> None:
        """The endpoint answered, so it is up; ``worked`` if it was a good reply."""
        self._worked = self._worked or worked
        self.since = None
        self._witnesses.clear()
        self._interval = FIRST_LOOK

    def fault(self, who: object, now: float, *, refused: bool) -> None:
        """A request got no proper answer; ``refused`` if nobody even took the connection."""
        if not self._worked:
            return  # an endpoint that never answered is no endpoint, and waiting is no help
        if self.since is None:
            self._witnesses.add(who)
            if not refused and len(self._witnesses) < self._enough:
                return
            self.since = now
        if now >= self.look_at:  # not for each of those that were under way when it began
            self.look_at = now + self._interval
            self._interval = min(2 * self._interval, LAST_LOOK)
