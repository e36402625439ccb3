"""CPU work off the event loop: a few threads, and a queue that is never long."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from citemark.web.problems import busy

_Result = TypeVar("_Result")


class Workers:
    """Threads that score and parse; whoever comes when all are taken is sent away politely."""

    def __init__(self, threads: int, waiting: int) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="citemark")
        self._most = threads + waiting
        self._busy = 0

    async def do(self, work: Callable[[], _Result]) -> _Result:
        """Do the work in a thread; raises a problem (503) if too much is waiting."""
        if self._busy >= self._most:
            raise busy("too many requests are waiting to be scored")
        self._busy += 1
        future = asyncio.get_running_loop().run_in_executor(self._pool, work)
        future.add_done_callback(self._done)
        return await future

    def _done(self, future: asyncio.Future[_Result]) -> None:
        self._busy -= 1
        if not future.cancelled():
            future.exception()  # seen, should whoever asked be gone

    def close(self) -> None:
        """Take no more work."""
        self._pool.shutdown(wait=False, cancel_futures=True)
