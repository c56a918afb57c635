"""Work that may take long and much memory, such as reading a long record, in a process of its own: it is ended where it
takes too long, and its memory is free again when there is nothing more to do."""

from __future__ import annotations

import asyncio
import functools
import threading
from collections.abc import Callable
from typing import Any

from tercet.server.engines.work import Message
from tercet.server.engines.worker import ProcessWorker, ThreadWorker, Worker
from tercet.server.engines.worker_pool import Job, WorkerPool
from tercet.server.errors import ApiError
from tercet.server.limits.budgets import Budgets
from tercet.server.limits.spender import Spender

__all__ = ["TaskPool"]

SECONDS = 20.0  # that a task may take
IDLE = 30.0  # seconds after which the process ends
NICENESS = 10  # more than an engine in a game
EACH, TOTAL = 4, 32  # tasks of one share, and of all, that may wait


class TaskPool:
    """One process for tasks, or a thread if there are to be no processes. Clients take turns."""

    def __init__(self, budgets: Budgets, processes: bool = True, seconds: float = SECONDS) -> None:
        make: Callable[[], Worker] = functools.partial(ProcessWorker, NICENESS) if processes else ThreadWorker
        self._pool = WorkerPool(1, make, 1, lambda _seconds: None, idle=IDLE)
        self._budgets = budgets
        self._seconds = seconds
        self._ended: list[Worker] = []

    @property
    def waiting(self) -> int:
        """How many tasks wait."""
        return len(self._pool.queue)

    async def run(self, name: str, asked: dict[str, Any], who: Spender) -> str:
        """What the function of that name (``module:function``) returns of ``asked``: text. Ended where the caller is
        cancelled. ApiError, that of the function or where too much waits or it takes too long."""
        if self._pool.queue.waiting(who.share) >= EACH or self.waiting >= TOTAL:
            raise ApiError(
                "too-many", "request", "The server is busy reading other records. Try again in a moment.", retry=5
            )
        question: Message = {"do": "task", "task": name, "asked": asked, "owner": "tasks"}

        def charge(seconds: float) -> None:
            self._budgets.spend(who, cpu=min(seconds, self._seconds))

        answer = asyncio.get_running_loop().create_future()
        stop = threading.Event()
        job = Job(who.share, "tasks", question, stop, lambda _info: None, self._seconds, answer, charge)
        found = await self._pool.ask(job)
        if found is None:
            raise ApiError("unavailable", "server", "The server is shutting down. Try again in a moment.")
        return str(found["text"])

    def close(self) -> None:
        """Take no more, and end what is under way."""
        self._ended = self._pool.close()

    async def ended(self) -> None:
        """Wait, after :meth:`close`, until the process is gone."""
        for worker in self._ended:
            await worker.ended()
