"""Threads in which people's work is done by turns, with a bound on how much of it may wait."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from tercet.server.errors import ApiError
from tercet.server.limits.budgets import Budgets
from tercet.server.limits.queue import FairQueue
from tercet.server.limits.spender import Spender, spender

__all__ = ["FairThreads"]

MAX_CHARGED_SECONDS = 5.0  # for one thing: what takes longer had something compiled, once on a machine
T = TypeVar("T")


class _Job:
    """Something to do, for whom, and who waits for it."""

    def __init__(self, who: Spender, work: Callable[[], Any]) -> None:
        self.who = who
        self.work = work
        self.answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.spent = 0.0

    def run(self) -> Any:
        """Do the job, and measure the thread's time for it."""
        began = time.thread_time()
        try:
            return self.work()
        finally:
            self.spent = time.thread_time() - began


class FairThreads:
    """A pool of ``threads``. Each client has at most all but one of them and ``each`` waiting tasks; all together
    have ``total`` (None: any number). Their time is charged to ``budgets``."""

    def __init__(
        self, name: str, threads: int, budgets: Budgets | None = None, each: int | None = 8, total: int | None = 64
    ) -> None:
        self._threads = threads
        self._budgets = budgets
        self._each = each
        self._total = total
        self._queue: FairQueue[_Job] = FairQueue(max(1, threads - 1))
        self._busy = 0
        self._executor = ThreadPoolExecutor(threads, f"tercet-{name}")

    @property
    def waiting(self) -> int:
        """Return how many tasks are waiting."""
        return len(self._queue)

    async def run(self, work: Callable[[], T], who: Spender | None = None) -> T:
        """Return the result of ``work``, done in a thread and charged to ``who`` (None: the client of the current
        task). Work that is cancelled while it waits is dropped. Raise ApiError if too much waits."""
        job = _Job(who or spender(), work)
        share = job.who.share
        if job.who.keys:
            if self._each is not None and self._queue.waiting(share) >= self._each:
                raise ApiError(
                    "too-many",
                    "request",
                    f"{self._each} of your requests are already waiting. Wait for an answer first.",
                    retry=2,
                )
            if self._total is not None and len(self._queue) >= self._total:
                raise ApiError("too-many", "server", "The server is busy. Try again in a moment.", retry=5)
        self._queue.put(share, job)
        self._feed()
        try:
            found: T = await job.answer
        except asyncio.CancelledError:
            self._queue.drop(share, job)
            raise
        return found

    def _feed(self) -> None:
        """Start waiting jobs while threads are free."""
        while self._busy < self._threads:
            taken = self._queue.take()
            if taken is None:
                return
            share, job = taken
            self._busy += 1
            doing = asyncio.get_running_loop().run_in_executor(self._executor, job.run)
            doing.add_done_callback(lambda doing, share=share, job=job: self._done(doing, share, job))  # type: ignore[misc]

    def _done(self, doing: asyncio.Future[Any], share: str, job: _Job) -> None:
        self._busy -= 1
        self._queue.done(share)
        if self._budgets is not None:
            self._budgets.spend(job.who, cpu=min(job.spent, MAX_CHARGED_SECONDS))
        if doing.cancelled():
            job.answer.cancel()
        elif (error := doing.exception()) is not None:
            if not job.answer.done():
                job.answer.set_exception(error)
        elif not job.answer.done():
            job.answer.set_result(doing.result())
        self._feed()

    def close(self) -> None:
        """Accept no more work."""
        self._threads = 0
        self._executor.shutdown(wait=False, cancel_futures=True)
