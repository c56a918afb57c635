"""Threads in which people's work is done by turns, with a bound on how much of it may wait."""

from __future__ import annotations

import asyncio
import functools
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from tercet.server.errors import ApiError
from tercet.server.limits.budgets import Budgets
from tercet.server.limits.queue import FairTurns
from tercet.server.limits.spender import Spender, spender

MAX_CHARGED_SECONDS = 5.0  # for one thing: what takes longer had something compiled, once on a machine
T = TypeVar("T")


def timed(work: Callable[[], T]) -> tuple[T | Exception, float]:
    """Return the result of ``work``, or its error, and the processor seconds that it took."""
    began = time.thread_time()
    found: T | Exception
    try:
        found = work()
    except Exception as error:
        found = error
    return found, time.thread_time() - began


class FairThreads:
    """A pool of ``threads``. Each client has at most all but one of them and ``each`` waiting tasks; all together
    have ``total`` (None: any number). Their time is charged to ``budgets``."""

    def __init__(
        self, name: str, threads: int, budgets: Budgets | None = None, each: int | None = 8, total: int | None = 64
    ) -> None:
        self._budgets = budgets
        self._each = each
        self._total = total
        self._turns = FairTurns(threads, max(1, threads - 1))
        self._executor = ThreadPoolExecutor(threads, f"tercet-{name}")

    @property
    def waiting(self) -> int:
        """Return how many tasks are waiting."""
        return len(self._turns.queue)

    async def run(self, work: Callable[[], T], who: Spender | None = None) -> T:
        """Return the result of ``work``, done in a thread and charged to ``who`` (None: the client of the current
        task). Work that is cancelled while it waits is dropped. Raise ApiError if too much waits."""
        who = who or spender()
        if who.keys:
            if self._each is not None and self._turns.queue.waiting(who.share) >= self._each:
                why = f"{self._each} of your requests are already waiting. Wait for an answer first."
                raise ApiError("too-many", "request", why, retry=2)
            if self._total is not None and self.waiting >= self._total:
                raise ApiError("too-many", "server", "The server is busy. Try again in a moment.", retry=5)
        await self._turns.wait(who.share)
        doing = asyncio.get_running_loop().run_in_executor(self._executor, timed, work)
        doing.add_done_callback(functools.partial(self._done, who))
        found, _ = await asyncio.shield(doing)  # a thread goes on though its client has left
        if isinstance(found, Exception):
            raise found
        return found

    def _done(self, who: Spender, doing: asyncio.Future[tuple[Any, float]]) -> None:
        self._turns.release(who.share)
        if self._budgets is not None and not doing.cancelled():
            self._budgets.spend(who, cpu=min(doing.result()[1], MAX_CHARGED_SECONDS))

    def close(self) -> None:
        """Accept no more work."""
        self._turns.size = 0
        self._executor.shutdown(wait=False, cancel_futures=True)
