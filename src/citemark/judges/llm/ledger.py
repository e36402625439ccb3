"""The ledger: what a run asked, what came of it and what it took, counted as it goes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from citemark.judges.llm.request import Reply
from citemark.scorecard import Judgment


@dataclass(slots=True)
class Ledger:
    """What a run asked and what it cost, counted as it goes."""

    calls: int = 0
    from_store: int = 0
    prompt: int = 0
    """Tokens sent."""
    completion: int = 0
    """Tokens received."""
    wanted: int = 0
    """Judgments of the cases that were read so far."""
    scored: int = 0
    failed: int = 0
    stored: int = 0
    """Those of them, scored or failed, for which nothing had to be asked."""

    def calls_made(self) -> dict[str, int]:
        """The calls for a manifest."""
        return {"asked": self.calls, "from_store": self.from_store}

    def tokens(self) -> dict[str, int]:
        """The tokens for a manifest."""
        return {"prompt": self.prompt, "completion": self.completion}

    def judged(self, judgments: Iterable[Judgment], replies: Sequence[Reply]) -> None:
        """Count judgments that were made from these replies."""
        failed = done = 0
        for judgment in judgments:
            done += 1
            failed += judgment.status == "failed"
        self.scored += done - failed
        self.failed += failed
        for reply in replies:
            if not reply.stored:
                return
        self.stored += done

    def add(self, reply: Reply) -> None:
        """Count one reply in."""
        if reply.stored:
            self.from_store += 1
        else:
            prompt, completion = reply.usage
            self.prompt += prompt
            self.completion += completion
