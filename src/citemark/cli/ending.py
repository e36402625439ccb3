"""How a command ends when it does not end by itself: in one line and with an exit code."""

from __future__ import annotations

import logging
import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from citemark.cli.talk import say
from citemark.errors import CitemarkError

_PIPE_CLOSED = 141


@contextmanager
def ended_well() -> Iterator[None]:
    """Turn every expected failure of what is done inside into one line and an exit code."""
    interrupt = _Interrupt()
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except BaseException as error:
        if interrupt.came:  # then whatever was raised on the way out is no news
            interrupt.end()
        if isinstance(error, CitemarkError):
            say(str(error))
            sys.exit(error.exit_code)
        if isinstance(error, BrokenPipeError):  # whoever reads us, such as head, has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(_PIPE_CLOSED)
        if isinstance(error, OSError):  # a full disk, for example
            say(f"cannot go on: {error}")
            sys.exit(2)
        raise


_polite: list[Callable[[], None]] = []


@contextmanager
def stopped_politely(stop: Callable[[], None]) -> Iterator[None]:
    """Within the block, the first Ctrl-C calls ``stop`` and lets the work come to an end."""
    _polite.append(stop)
    try:
        yield
    finally:
        _polite.remove(stop)


class _Interrupt:
    """Ctrl-C, or a polite kill: unwinds the work, so that it tidies up behind itself."""

    def __init__(self) -> None:
        self.came = 0
        self.asked = False
        signal.signal(signal.SIGINT, self._take)
        signal.signal(signal.SIGTERM, self._take)

    def _take(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002
        if _polite and not self.asked:
            self.asked = True
            say("finishing what is under way; press Ctrl-C again to stop at once")
            _polite[-1]()
            return
        self.came = number
        # What an event loop has to say about being torn down helps nobody.
        logging.disable()
        warnings.simplefilter("ignore")
        raise KeyboardInterrupt

    def end(self) -> None:
        """Say so and leave at once: half-finished tasks must not get to complain."""
        say("interrupted; no file was written")
        sys.stderr.flush()
        os._exit(128 + self.came)
