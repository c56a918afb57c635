"""Who is served next where many wait: people take turns, however much each of them asks for.

Work is done in threads (:class:`FairThreads`), or, where it may take long and much memory, in a process of its own
(:class:`WorkApart`).
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import multiprocessing
import os
import signal
import threading
import time
import traceback
from collections import Counter, deque
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing.process import BaseProcess
from typing import Any, Generic, TypeVar

from tercet.answers.errors import AnswerError, as_text
from tercet.errors import TercetError
from tercet.server.errors import ApiError
from tercet.server.limits.budgets import Budgets
from tercet.server.limits.spenders import MAX_CHARGED_SECONDS, Spender, charge_thread, spender

T = TypeVar("T")


class FairQueue(Generic[T]):
    """A line of waiting items for each person.

    :meth:`take` serves the waiting person with the fewest items at work, among these the one with the least recent use
    (``used``), and among these the one served longest ago. Each person has at most ``most`` at work at once.
    """

    def __init__(self, most: int, used: Callable[[str], float] = lambda _: 0.0) -> None:
        self.most = most
        self._used = used
        self._lines: dict[str, deque[T]] = {}  # in the order in which their persons were served
        self._at_work: Counter[str] = Counter()

    def __len__(self) -> int:
        return sum(len(line) for line in self._lines.values())

    def __iter__(self) -> Iterator[tuple[str, T]]:
        return iter([(person, item) for person, line in self._lines.items() for item in line])

    def waiting(self, person: str) -> int:
        """Return how many items of ``person`` are waiting."""
        return len(self._lines.get(person, ()))

    def is_full(self, person: str, each: int | None, total: int | None) -> bool:
        """Return whether ``person`` may let nothing more wait: they have ``each`` there already, or their share of the
        ``total`` that is reached."""
        mine = self.waiting(person)
        if each is not None and mine >= each:
            return True
        return total is not None and len(self) >= total and mine >= total // len({*self._lines, person})

    def put(self, person: str, item: T, again: bool = False) -> None:
        """Let ``item`` wait behind ``person``'s others; with ``again``, before them."""
        line = self._lines.setdefault(person, deque())
        if again:
            line.appendleft(item)
        else:
            line.append(item)

    def take(self) -> tuple[str, T] | None:
        """Return the next person and item, now at work; None if no one can be served."""
        able = [person for person in self._lines if self._at_work[person] < self.most]
        if not able:
            return None
        person = min(able, key=lambda one: (self._at_work[one], self._used(one)))  # the first of the least
        line = self._lines.pop(person)
        item = line.popleft()
        if line:
            self._lines[person] = line
        self._at_work[person] += 1
        return person, item

    def done(self, person: str) -> None:
        """Note that an item of ``person`` is no longer at work."""
        self._at_work[person] -= 1
        if self._at_work[person] <= 0:
            del self._at_work[person]

    def drop(self, person: str, item: T) -> bool:
        """Remove a waiting ``item``. Return False if it did not wait."""
        line = self._lines.get(person)
        if line is None or item not in line:
            return False
        line.remove(item)
        if not line:
            del self._lines[person]
        return True


class FairTurns:
    """Lets ``size`` things be done at once, at most ``most`` of one person, by the turns of a :class:`FairQueue`."""

    def __init__(self, size: int, most: int) -> None:
        self.size = size
        self.queue: FairQueue[asyncio.Future[None]] = FairQueue(most)
        self._busy = 0

    async def wait(self, person: str) -> None:
        """Wait for a turn of ``person``, which they have until :meth:`release`."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.queue.put(person, turn)
        self._feed()
        try:
            await turn
        except asyncio.CancelledError:
            if not self.queue.drop(person, turn):  # it had just come
                self.release(person)
            raise

    def release(self, person: str) -> None:
        """End a turn of ``person``."""
        self._busy -= 1
        self.queue.done(person)
        self._feed()

    def _feed(self) -> None:
        while self._busy < self.size and (taken := self.queue.take()) is not None:
            self._busy += 1
            if not taken[1].done():
                taken[1].set_result(None)


def timed(work: Callable[[], T]) -> tuple[T | Exception, float]:
    """Return the result of ``work``, or its error, and the processor seconds that it took."""
    began = time.thread_time()
    result: T | Exception
    try:
        result = work()
    except Exception as error:
        result = error
    return result, time.thread_time() - began


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
        queue = self._turns.queue
        if who.keys and queue.is_full(who.share, self._each, None):
            why = f"{self._each} of your requests are already waiting. Wait for an answer first."
            raise ApiError("too-many", "request", why, retry=2)
        if who.keys and queue.is_full(who.share, None, self._total):
            raise ApiError("too-many", "server", "The server is busy. Try again in a moment.", retry=5)
        await self._turns.wait(who.share)
        doing = asyncio.get_running_loop().run_in_executor(self._executor, timed, work)
        doing.add_done_callback(functools.partial(self._done, who))
        result, _ = await asyncio.shield(doing)  # a thread goes on though its client has left
        if isinstance(result, Exception):
            raise result
        return result

    def _done(self, who: Spender, doing: asyncio.Future[tuple[Any, float]]) -> None:
        self._turns.release(who.share)
        if self._budgets is not None and not doing.cancelled():
            charge_thread(self._budgets.charge, who, min(doing.result()[1], MAX_CHARGED_SECONDS))

    def close(self) -> None:
        """Accept no more work."""
        self._turns.size = 0
        self._executor.shutdown(wait=False, cancel_futures=True)


MAX_TASK_SECONDS = 40.0  # that one thing may take: a game to print took over 20 on a slow machine
START_SECONDS = 120.0  # in which a process begins, and more for its first thing: kernels may have to compile
IDLE_SECONDS = 30.0  # after which the process ends
NICENESS = 6  # a little more than an engine in a game; with much more, a busy machine starves it
MAX_WAITING_EACH, MAX_WAITING = 4, 32  # things of one share, and of all, that may wait
Work = Callable[..., Any]


def one_process() -> ProcessPoolExecutor:
    """Return an executor with one process of lower priority. It starts when it is needed and ends with this one."""
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
    """Do nothing: to call this, the process has imported the module of ``_work``."""


def _answer(work: Work, fields: dict[str, Any]) -> tuple[str | Exception, float]:
    answer, seconds = timed(lambda: as_text(work(**fields)))
    if isinstance(answer, Exception) and not isinstance(answer, AnswerError | TercetError):
        traceback.print_exception(answer)  # the error goes to the server without it
    return answer, seconds


class WorkApart:
    """Work in a process of its own, or in a thread (without ``processes``). It ends work that takes more than so many
    ``seconds``, and ends itself when there is nothing more to do. Clients take turns."""

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

    async def run(self, work: Work, fields: dict[str, Any], who: Spender) -> str:
        """Return what ``work``, a function of a module, answers to these ``fields``, as JSON. The work ends if the
        caller is cancelled. Raise its error, or ApiError if too much waits or it takes too long."""
        if self._turns.queue.is_full(who.share, MAX_WAITING_EACH, MAX_WAITING):
            why = "The server is busy reading other records. Try again in a moment."
            raise ApiError("too-many", "request", why, retry=5)
        await self._turns.wait(who.share)
        try:
            return await self._in_time(work, fields, who)
        finally:
            self._turns.release(who.share)

    async def _in_time(self, work: Work, fields: dict[str, Any], who: Spender) -> str:
        loop, executor, sound = asyncio.get_running_loop(), self._begun(), False
        try:
            async with asyncio.timeout(START_SECONDS):
                await loop.run_in_executor(executor, _ready, work)
            async with asyncio.timeout(self._limit):
                result, seconds = await loop.run_in_executor(executor, _answer, work, fields)
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
        if isinstance(result, Exception):
            raise result
        return result

    def _begun(self) -> Executor:
        if self._idle is not None:
            self._idle.cancel()
        if self._executor is None:
            self._limit = self._seconds + START_SECONDS
            self._executor = one_process() if self._processes else ThreadPoolExecutor(1, "tercet-apart")
        return self._executor

    def close(self) -> None:
        """Cancel the work in progress and end the process."""
        if self._executor is not None:
            end_process(self._executor)
        self._executor = None
