"""Threads that share a compiled kernel's work, and need Python's lock only to begin and to end. Imports Numba.

They tell each other what to do by the words of an int64 array, ``team``.
"""

from __future__ import annotations

import ctypes
import math
import operator
import os
import sys
import threading
import time
import weakref
from collections.abc import Iterator, Sequence
from typing import Any

import numba
import numpy as np
from llvmlite import ir

from tercet.kernel.building import build
from tercet.kernel.compiled import quick_entry
from tercet.kernel.marks import kernel

LINES = 16  # words of two cache lines, for each word that several threads write: cores fetch lines in pairs
LEFT, UNFINISHED = 0, LINES  # ranges that no worker has taken; that are not done
LAST, FUNCTION, ARGUMENTS, SIZE, RANGES, OVER, ACQUIRE, RELEASE = range(2 * LINES, 2 * LINES + 8)
ASLEEP, LOCK = 3 * LINES, 3 * LINES + 1  # of worker 0, the calling thread; each other's are LINES words further on

POLLS = 15_000  # how often a worker looks for work before it sleeps: for some 0.1 ms
LEAST = 32  # games worth handing to another thread
PIECES = 8  # ranges for each thread, so that one that is held up does not hold up the rest
SHORT = 2e-5  # seconds of work for which one thread is enough; it is measured once in so many runs:
MEASURED = 16
TRIES = 4  # runs in a row that try the slower way, alone or on all threads
TIME_FOR_TRIES = 0.01  # of all


def _atomic(operation: str) -> Any:
    """Return a kernel that changes a word in one step for all threads, and returns what it was."""

    def change(_typing: Any, team: Any, _index: Any, _value: Any) -> Any:
        def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            data = context.make_array(team)(context, builder, value=arguments[0]).data
            return builder.atomic_rmw(operation, builder.gep(data, [arguments[1]]), arguments[2], "seq_cst")

        return numba.int64(team, numba.int64, numba.int64), generate

    return numba.extending.intrinsic(change)


def _call_address(_typing: Any, _address: Any, _a: Any, _b: Any, _c: Any, _d: Any) -> Any:
    """Call a function of C with these numbers; it may take fewer."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        kind = ir.FunctionType(ir.IntType(64), [ir.IntType(64)] * 4)
        return builder.call(builder.inttoptr(arguments[0], kind.as_pointer()), arguments[1:])

    return numba.int64(*[numba.int64] * 5), generate


add, exchange, call = _atomic("add"), _atomic("xchg"), numba.extending.intrinsic(_call_address)
add.__kernel__ = exchange.__kernel__ = call.__kernel__ = "native"


@kernel
def wake(team: Any, worker: int) -> None:
    """Wake ``worker`` if it sleeps."""
    if exchange(team, ASLEEP + LINES * worker, 0) == 1:
        call(team[RELEASE], team[LOCK + LINES * worker], 0, 0, 0)


@kernel
def is_due(team: Any, worker: int) -> bool:
    """Whether there is work, or no more need for ``worker``; for the calling thread, whether all work is done."""
    return bool(add(team, UNFINISHED, 0) == 0 if worker == 0 else add(team, LEFT, 0) > 0 or team[OVER] == 1)


@kernel
def wait(team: Any, worker: int) -> None:
    """Wait until `is_due`, after a while asleep: who takes the mark of a sleeper away releases its lock once."""
    polls = 0
    while not is_due(team, worker):
        polls += 1
        if polls == POLLS:
            exchange(team, ASLEEP + LINES * worker, 1)
            if is_due(team, worker):
                wake(team, worker)
            call(team[ACQUIRE], team[LOCK + LINES * worker], 1, 0, 0)
            polls = 0


@kernel
def take_part(team: Any, worker: int) -> None:
    """Do ranges until none is left: the calling thread from the first one on, others from the last one on, so that
    most games stay in one core's cache."""
    index = -1
    while add(team, LEFT, -1) > 0:  # until here there may be other work than before
        index = index + 1 if worker == 0 else add(team, LAST, -1)
        size, ranges = team[SIZE], team[RANGES]
        call(team[FUNCTION], team[ARGUMENTS], size * index // ranges, size * (index + 1) // ranges, worker)
        if add(team, UNFINISHED, -1) == 1:
            wake(team, 0)


@kernel
def serve(team: Any, worker: int) -> None:
    """Do ranges of all work until the team is dismissed."""
    while team[OVER] == 0:
        take_part(team, worker)
        wait(team, worker)


@kernel
def share(team: Any, workers: int, function: int, arguments: int, size: int, ranges: int) -> None:
    """Let all workers call ``function`` for so many ``ranges`` of ``size``; returns when it is done."""
    team[FUNCTION], team[ARGUMENTS], team[SIZE], team[RANGES] = function, arguments, size, ranges
    exchange(team, UNFINISHED, ranges)
    exchange(team, LAST, ranges - 1)
    exchange(team, LEFT, ranges)
    for worker in range(1, workers):
        wake(team, worker)
    take_part(team, 0)
    wait(team, 0)


_api = ctypes.pythonapi
_api.PyThread_allocate_lock.restype = ctypes.c_void_p
_api.PyThread_acquire_lock.argtypes = [ctypes.c_void_p, ctypes.c_int]
_api.PyThread_free_lock.argtypes = [ctypes.c_void_p]


def _serve(kernels: Any, team: Any, worker: int) -> None:
    kernels.serve(team, worker)
    _api.PyThread_free_lock(int(team[LOCK + LINES * worker]))


def _dismiss(kernels: Any, team: Any, workers: int) -> None:
    team[OVER] = 1
    kernels.share(team, workers, 0, 0, 0, 0)
    _api.PyThread_free_lock(int(team[LOCK]))


def _leaves(values: Sequence[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, tuple):
            yield from _leaves(value)
        else:
            yield value if isinstance(value, np.ndarray) else operator.index(value)


class _Work:
    """A function with its arguments, and how long it takes: alone, and on all threads."""

    def __init__(self, function: Any, arguments: Sequence[Any]) -> None:
        self.values = list(_leaves(arguments))
        self.addresses = np.array([id(value) for value in self.values], np.int64)
        self.arguments = self.addresses.ctypes.data
        self.function = quick_entry(function, arguments, ranges=True)
        self.alone = ctypes.CFUNCTYPE(*[ctypes.c_int64] * 5)(self.function)
        self.seconds = [math.inf, math.inf]
        self.tries = [True] * TRIES + [False] * TRIES  # ways that are to be tried now, the last one first
        self.since = 0.0  # seconds since the last tries
        self.runs = 0

    def change(self, values: Sequence[Any]) -> None:
        """Make these the last arguments."""
        for index, value in enumerate(_leaves(values), len(self.values) - len(values)):
            self.values[index], self.addresses[index] = value, id(value)


class ThreadTeam:
    """``threads`` workers, the calling thread among them. Others are started when first needed, and once more in a
    process that was forked off, and end with this object."""

    def __init__(self, threads: int) -> None:
        self._workers = threads
        self._works: dict[Any, _Work] = {}
        self._kernels: Any = build(sys.modules[__name__], "compiled", "threads")
        self._process = 0
        self._lock = threading.Lock()

    def _start(self) -> None:
        self._process = os.getpid()
        self._team = team = np.zeros(ASLEEP + LINES * self._workers, np.int64)
        for word, function in ((ACQUIRE, _api.PyThread_acquire_lock), (RELEASE, _api.PyThread_release_lock)):
            team[word] = ctypes.cast(function, ctypes.c_void_p).value or 0
        for worker in range(self._workers):
            lock = team[LOCK + LINES * worker] = _api.PyThread_allocate_lock()
            _api.PyThread_acquire_lock(lock, 1)
            name, given = f"tercet-batch-{worker}", (self._kernels, team, worker)
            if worker:
                threading.Thread(target=_serve, args=given, daemon=True, name=name).start()
        weakref.finalize(self, _dismiss, self._kernels, team, self._workers).atexit = False

    def run(self, function: Any, fixed: Sequence[Any], changing: Sequence[Any], size: int) -> None:
        """Call ``function(*fixed, *changing, first, last, worker)`` for ranges that make up 0 to ``size`` - 1; returns
        when all is done. ``fixed`` and the types of ``changing``, which holds no tuples, are the same in each call."""
        with self._lock:
            if function not in self._works:
                self._works[function] = _Work(function, (*fixed, *changing))
            work = self._works[function]
            work.change(changing)
            work.runs += 1
            if self._workers == 1 or size < 2 * LEAST or (work.seconds[0] < SHORT and work.runs % MEASURED):
                work.alone(work.arguments, 0, size, 0)
            else:
                self._run_faster(work, size)

    def _run_faster(self, work: _Work, size: int) -> None:
        """Do all of ``size`` the way that takes less time, alone or on all threads; now and then try the other one."""
        if self._process != os.getpid():
            self._start()
        seconds, faster = work.seconds, work.seconds[1] < work.seconds[0]
        if not work.tries and work.since * TIME_FOR_TRIES > TRIES * seconds[not faster]:
            work.tries, work.since, seconds[not faster] = [not faster] * TRIES, 0.0, math.inf
        tried = bool(work.tries)
        shared = work.tries.pop() if tried else faster
        begun = time.perf_counter()
        if shared:
            ranges = min(PIECES * self._workers, size // LEAST)
            self._kernels.share(self._team, self._workers, work.function, work.arguments, size, ranges)
        else:
            work.alone(work.arguments, 0, size, 0)
        spent, known = time.perf_counter() - begun, seconds[shared]
        work.since += spent
        seconds[shared] = min(known, spent) if tried else known + (min(spent, 2 * known) - known) / 8
