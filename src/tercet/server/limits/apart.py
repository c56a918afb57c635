"""Work that may take long and much memory, such as reading a long record, in a process of its own: the process is ended
where that takes too long, and when there is nothing more to do."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import multiprocessing
import os
import signal
import threading
import traceback
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing.process import BaseProcess
from typing import Any

from tercet.answers.errors import AnswerError, as_text
from tercet.errors import TercetError
from tercet.server.errors import ApiError
from tercet.server.limits.budgets import Budgets
from tercet.server.limits.queue import FairTurns, timed
from tercet.server.limits.spender import Spender

MAX_TASK_SECONDS = 40.0  # that one thing may take: a game to print took over 20 on a slow machine
START_SECONDS = 120.0  # in which a process begins, and more for its first thing: kernels may have to compile
IDLE_SECONDS = 30.0  # after which the process ends
NICENESS = 6  # a little more than an engine in a game; with much more, a busy machine starves it
MAX_WAITING_EACH, MAX_WAITING = 4, 32  # things of one share, and of all, that may wait
Work = Callable[..., Any]


def one_process() -> ProcessPoolExecutor:
    """Return an executor with one nice process, which begins when it is needed and ends with the server's."""
    return ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), _begin)


def end_process(executor: Executor) -> None:
    """Kill the executor's process, even in the middle of a task."""
    for process in list((getattr(executor, "_processes", None) or {}).values()):
        with contextlib.suppress(ProcessLookupError):
            process.kill()
    executor.shutdown(wait=False, cancel_futures=True)


def _begin() -> None:
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: BaseProcess) -> None:
    parent.join()
    os._exit(0)


def _ready(_work: Work) -> None:
    """To get here, the module of that function was imported."""


def _answer(work: Work, asked: dict[str, Any]) -> str:
    try:
        return as_text(work(**asked))
    except (AnswerError, TercetError):
        raise
    except Exception:
        traceback.print_exc()  # the error goes to the server without it
        raise


def _timed(work: Work, asked: dict[str, Any]) -> tuple[str | Exception, float]:
    return timed(functools.partial(_answer, work, asked))


class WorkApart:
    """One process for such work, or a thread if there are to be no processes. Clients take turns."""

    def __init__(self, budgets: Budgets, processes: bool = True, seconds: float = MAX_TASK_SECONDS) -> None:
        self._budgets = budgets
        self._processes = processes
        self._seconds = self._limit = seconds
        self._turns = FairTurns(1, 1)
        self._executor: Executor | None = None
        self._idle: asyncio.TimerHandle | None = None

    @property
    def waiting(self) -> int:
        """Return how many tasks are waiting."""
        return len(self._turns.queue)

    async def run(self, work: Work, asked: dict[str, Any], who: Spender) -> str:
        """Return the answer of ``work``, a function of a module, to the fields ``asked`` as JSON. It is ended where the
        caller is cancelled. Raise its error, or ApiError where too much waits or it takes too long."""
        if self._turns.queue.waiting(who.share) >= MAX_WAITING_EACH or self.waiting >= MAX_WAITING:
            why = "The server is busy reading other records. Try again in a moment."
            raise ApiError("too-many", "request", why, retry=5)
        await self._turns.wait(who.share)
        try:
            return await self._in_time(work, asked, who)
        finally:
            self._turns.release(who.share)

    async def _in_time(self, work: Work, asked: dict[str, Any], who: Spender) -> str:
        loop, executor, sound = asyncio.get_running_loop(), self._begun(), False
        try:
            async with asyncio.timeout(START_SECONDS):
                await loop.run_in_executor(executor, _ready, work)
            async with asyncio.timeout(self._limit):
                found, seconds = await loop.run_in_executor(executor, _timed, work, asked)
            self._idle, self._limit, sound = loop.call_later(IDLE_SECONDS, self.close), self._seconds, True
        except TimeoutError:
            self._budgets.spend(who, cpu=self._seconds)
            raise ApiError("unavailable", "engine", "The engine took too long. Try again.") from None
        except BrokenExecutor:
            if executor is self._executor:  # it was not closed
                raise ApiError("unavailable", "engine", "The engine failed. Try again.") from None
            raise ApiError("unavailable", "server", "The server is shutting down. Try again in a moment.") from None
        finally:
            if not sound:
                self.close()
        self._budgets.spend(who, cpu=min(seconds, self._seconds))
        if isinstance(found, Exception):
            raise found
        return found

    def _begun(self) -> Executor:
        if self._idle is not None:
            self._idle.cancel()
        if self._executor is None:
            self._limit = self._seconds + START_SECONDS
            self._executor = one_process() if self._processes else ThreadPoolExecutor(1, "tercet-apart")
        return self._executor

    def close(self) -> None:
        """Cancel the work in progress and end the process."""
        executor, self._executor = self._executor, None
        if executor is not None:
            end_process(executor)
