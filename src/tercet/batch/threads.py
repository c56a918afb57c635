"""Threads that share ranges of games. Compiled kernels let go of the interpreter's lock, so they run side by side."""

from __future__ import annotations

import itertools
import os
import threading
import weakref
from collections.abc import Callable, Iterator

__all__ = ["ThreadTeam", "core_count"]

Work = Callable[[int, int, int], None]  # (first, last, worker)

LEAST = 32  # games worth handing to another thread
PIECES = 4  # ranges for each thread, so that one that is held up does not hold up the rest


def core_count() -> int:
    """Return the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Task:
    """Ranges of one piece of work, taken by idle threads."""

    def __init__(self, work: Work, size: int, pieces: int) -> None:
        self.work = work
        self.bounds = [size * piece // pieces for piece in range(pieces + 1)]
        self.next: Iterator[int] = itertools.count()  # `next` of it is one step of the interpreter: no two get the same
        self.error: BaseException | None = None

    def take_part(self, worker: int) -> None:
        try:
            while (piece := next(self.next)) < len(self.bounds) - 1:
                self.work(self.bounds[piece], self.bounds[piece + 1], worker)
        except BaseException as error:
            self.error = error


class _Helper:
    """One thread, asleep until it is given a task."""

    def __init__(self, worker: int) -> None:
        self.task: _Task | None = None
        self.go, self.done = threading.Lock(), threading.Lock()
        self.go.acquire()
        self.done.acquire()
        threading.Thread(target=self._run, args=(worker,), daemon=True, name=f"tercet-batch-{worker}").start()

    def _run(self, worker: int) -> None:
        while True:
            self.go.acquire()
            if self.task is None:
                return
            self.task.take_part(worker)
            self.task = None
            self.done.release()


def _dismiss(helpers: list[_Helper]) -> None:
    for helper in helpers:
        helper.task = None
        helper.go.release()
    helpers.clear()


class ThreadTeam:
    """``threads`` workers, the calling thread among them. Others are started when first needed, and once more in a
    process that was forked off, and end with this object."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self._helpers: list[_Helper] = []
        self._process = os.getpid()
        self._lock = threading.Lock()
        weakref.finalize(self, _dismiss, self._helpers).atexit = False

    def run(self, work: Work, size: int) -> None:
        """Call ``work(first, last, worker)`` for ranges that make up 0 to ``size`` - 1, on all threads; returns when
        all is done. What ``work`` raises is raised here."""
        if self.threads == 1 or size < 2 * LEAST:
            work(0, size, 0)
            return
        with self._lock:
            if self._process != os.getpid():
                self._helpers.clear()
                self._process = os.getpid()
            while len(self._helpers) < self.threads - 1:
                self._helpers.append(_Helper(len(self._helpers) + 1))
            task = _Task(work, size, min(PIECES * self.threads, size // LEAST))
            for helper in self._helpers:
                helper.task = task
                helper.go.release()
            task.take_part(0)
            for helper in self._helpers:
                helper.done.acquire()
            if task.error is not None:
                raise task.error
