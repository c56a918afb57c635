"""Threads that share a compiled kernel's work, and need Python's lock only to begin and to end. Imports Numba.

They tell each other what to do by the words of an int64 array, ``team``.
"""

from __future__ import annotations

import _thread
import ctypes
import math
import operator
import os
import sys
import threading
import time
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
LAST, FUNCTION, ARGUMENTS, SIZE, RANGES = range(2 * LINES, 2 * LINES + 5)
PRESENT = 3 * LINES  # of worker 0, the calling thread, which needs none; each other's is LINES words further on

POLLS = 15_000  # A worker looks for more work so often before it ends, for some 0.1 ms.
PIECES = 8  # ranges for each thread. One that is held up does not hold up the rest.
FEW, SHORT = 128, 1e-4  # One thread is enough for fewer games with fewer seconds of work.
MEASURED = 16  # Of so many runs one is measured, and all tries are.
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


def _call_range(_typing: Any, _function: Any, _arguments: Any, _first: Any, _last: Any, _worker: Any) -> Any:
    """Call what `quick_entry` returned."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        kind = ir.FunctionType(ir.IntType(64), [ir.IntType(64)] * 4)
        return builder.call(builder.inttoptr(arguments[0], kind.as_pointer()), arguments[1:])

    return numba.int64(*[numba.int64] * 5), generate


add, exchange, call = _atomic("add"), _atomic("xchg"), numba.extending.intrinsic(_call_range)
add.__kernel__ = exchange.__kernel__ = call.__kernel__ = "native"


@kernel
def take_part(team: Any, worker: int) -> None:
    """Do ranges until none is left: the calling thread from the first one on, others from the last one on, so that
    most games stay in one core's cache."""
    index = -1
    while add(team, LEFT, -1) > 0:  # until here there may be other work than before
        index = index + 1 if worker == 0 else add(team, LAST, -1)
        size, ranges = team[SIZE], team[RANGES]
        call(team[FUNCTION], team[ARGUMENTS], size * index // ranges, size * (index + 1) // ranges, worker)
        add(team, UNFINISHED, -1)


@kernel
def serve(team: Any, worker: int) -> None:
    """Do ranges of all work until there has been none for a while."""
    polls = 0
    while polls < POLLS:
        polls += 1
        if add(team, LEFT, 0) > 0:
            take_part(team, worker)
            polls = 0
    exchange(team, PRESENT + LINES * worker, 0)


@kernel
def share(team: Any, function: int, arguments: int, size: int, ranges: int) -> None:
    """Let all workers call ``function`` for so many ``ranges`` of ``size``; returns when it is done."""
    team[FUNCTION], team[ARGUMENTS], team[SIZE], team[RANGES] = function, arguments, size, ranges
    exchange(team, UNFINISHED, ranges)
    exchange(team, LAST, ranges - 1)
    exchange(team, LEFT, ranges)
    take_part(team, 0)
    while add(team, UNFINISHED, 0) > 0:
        pass


def _leaves(values: Sequence[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, tuple):
            yield from _leaves(value)
        else:
            yield value if isinstance(value, np.ndarray) else operator.index(value)


class _RangeWork:
    """A function with its arguments, and how long it takes: alone, and on all threads."""

    def __init__(self, function: Any, arguments: Sequence[Any]) -> None:
        self.values = list(_leaves(arguments))
        self.addresses = np.array([id(value) for value in self.values], np.int64)
        self.arguments = self.addresses.ctypes.data
        self.function = quick_entry(function, arguments, ranges=True)
        self.alone = ctypes.CFUNCTYPE(*[ctypes.c_int64] * 5)(self.function)
        self.seconds = [math.inf, math.inf]
        self.tries = [True] * TRIES + [False] * TRIES  # ways that are to be tried now, the last one first
        self.saved = 0.0  # seconds for tries, below 0 after them
        self.runs = 0
        self.rest = 0.0  # runs for which one thread is enough

    def change(self, values: Sequence[Any]) -> None:
        """Make these the last arguments."""
        for index, value in enumerate(_leaves(values), len(self.values) - len(values)):
            self.values[index], self.addresses[index] = value, id(value)


class ThreadTeam:
    """``threads`` workers, the calling thread among them. Others are started when needed, and end soon after."""

    def __init__(self, threads: int) -> None:
        self._workers = threads
        self._team = np.zeros(PRESENT + LINES * threads, np.int64)
        self._works: dict[Any, _RangeWork] = {}
        self._kernels: Any = build(sys.modules[__name__], "compiled", "threads")
        self._process = 0
        self._lock = threading.Lock()

    def run(self, function: Any, fixed: Sequence[Any], changing: Sequence[Any], size: int) -> None:
        """Call ``function(*fixed, *changing, first, last, worker)`` for ranges that make up 0 to ``size`` - 1; returns
        when all is done. ``fixed`` and the types of ``changing``, which holds no tuples, are the same in each call."""
        with self._lock:
            if function not in self._works:
                self._works[function] = _RangeWork(function, (*fixed, *changing))
                self._works[function].rest = math.inf if self._workers == 1 else 0
            work = self._works[function]
            work.change(changing)
            if work.rest > 0:
                work.rest -= 1
                work.alone(work.arguments, 0, size, 0)
            else:
                self._run_faster(work, size)

    def _run_faster(self, work: _RangeWork, size: int) -> None:
        """Do all of ``size`` the way that takes less time, alone or on all threads; now and then try the other one."""
        work.runs += 1
        seconds, tried = work.seconds, bool(work.tries)
        shared = work.tries.pop() if tried else seconds[1] < seconds[0]
        begun = time.perf_counter()
        if shared:
            self._share(work, size)
        else:
            work.alone(work.arguments, 0, size, 0)
        if size < FEW and seconds[0] < SHORT:
            work.rest = MEASURED
        if not tried and work.runs % MEASURED:
            return
        spent, known = time.perf_counter() - begun, seconds[shared]
        if tried:
            seconds[shared] = min(known, spent)
            work.saved -= spent
            return
        seconds[shared] = known + (min(spent, 2 * known) - known) / 8
        work.saved += TIME_FOR_TRIES * MEASURED * spent
        if work.saved > 0:
            work.tries, seconds[not shared] = [not shared] * TRIES, math.inf

    def _share(self, work: _RangeWork, size: int) -> None:
        team = self._team
        if self._process != os.getpid():  # the first time here, or in a process that was forked off, without threads
            self._process, team[:] = os.getpid(), 0
            self._kernels.serve(team, 0)  # compiles it
        for worker in range(1, self._workers):
            if not team[PRESENT + LINES * worker]:
                team[PRESENT + LINES * worker] = 1
                _thread.start_new_thread(self._kernels.serve, (team, worker))
        self._kernels.share(team, work.function, work.arguments, size, min(PIECES * self._workers, size))
