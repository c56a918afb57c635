"""Threads that share the ranges of a compiled kernel and never need Python's lock for it. Importing this imports Numba.

They tell each other what to do by the words of an int64 array, ``team``.
"""

from __future__ import annotations

import ctypes
import functools
import inspect
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

from tercet.kernel import compiled
from tercet.kernel.building import build
from tercet.kernel.marks import kernel

LINES = 16  # words of two cache lines, for each word that several threads write: cores fetch lines in pairs
LEFT, UNFINISHED = 0, LINES  # ranges that no worker has taken; that are not done
FUNCTION, ARGUMENTS, SIZE, RANGES, OVER, ACQUIRE, RELEASE = range(2 * LINES, 2 * LINES + 7)
ASLEEP, LOCK = 3 * LINES, 3 * LINES + 1  # of worker 0, the calling thread; each other's are LINES words further on

POLLS = 15_000  # how often a worker looks for work before it sleeps: for some 0.1 ms
LEAST = 32  # games worth handing to another thread
PIECES = 8  # ranges for each thread, so that one that is held up does not hold up the rest
TRIES = 4  # runs in a row that try the slower way, alone or on all threads
TIME_FOR_TRIES = 0.01  # of all


def _native(write: Any) -> Any:
    """Return a function of whole numbers that ``write`` writes in LLVM, with the address of the word instead of
    ``team`` where ``team`` and the word's index come first."""

    def declare(_typing: Any, *kinds: Any) -> Any:
        def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            if isinstance(kinds[0], numba.types.Array):
                team = context.make_array(kinds[0])(context, builder, value=arguments[0])
                arguments = (builder.gep(team.data, [arguments[1]]), *arguments[1:])
            return write(builder, *arguments)

        return numba.int64(*kinds), generate

    declare.__signature__ = inspect.signature(write)  # type: ignore[attr-defined]
    native = numba.extending.intrinsic(declare)
    native.__kernel__ = "native"
    return native


def _call(builder: Any, address: Any, *arguments: Any) -> Any:
    kind = ir.FunctionType(address.type, [address.type] * 4)
    return builder.call(builder.inttoptr(address, kind.as_pointer()), arguments)


# Both return what the word was; no other thread comes between.
add = _native(lambda builder, place, _index, value: builder.atomic_rmw("add", place, value, "seq_cst"))
exchange = _native(lambda builder, place, _index, value: builder.atomic_rmw("xchg", place, value, "seq_cst"))
call = _native(lambda builder, function, a, b, c, d: _call(builder, function, a, b, c, d))  # of C


@kernel
def is_due(team, worker):
    """Whether the calling thread may go on; whether there is work for another ``worker``."""
    return add(team, UNFINISHED, 0) == 0 if worker == 0 else add(team, LEFT, 0) > 0 or team[OVER] != 0


@kernel
def wait(team, worker):
    """Return when `is_due`. A sleeper marks itself; who takes the mark away, ``worker`` itself if that is no longer
    needed, releases its lock once."""
    while True:
        for _ in range(POLLS):
            if is_due(team, worker):
                return
        exchange(team, ASLEEP + LINES * worker, 1)
        if is_due(team, worker):
            wake(team, worker)
        call(team[ACQUIRE], team[LOCK + LINES * worker], 1, 0, 0)


@kernel
def wake(team, worker):
    """Wake ``worker`` if it sleeps."""
    if exchange(team, ASLEEP + LINES * worker, 0) == 1:
        call(team[RELEASE], team[LOCK + LINES * worker], 0, 0, 0)  # which takes one argument, and lets the others be


@kernel
def take_part(team, worker):
    """Do ranges until none is left."""
    left = add(team, LEFT, -1)
    while left > 0:  # until here there may be other work than before
        size, ranges = team[SIZE], team[RANGES]
        first = size * (ranges - left) // ranges
        call(team[FUNCTION], team[ARGUMENTS], first, size * (ranges - left + 1) // ranges, worker)
        if add(team, UNFINISHED, -1) == 1:
            wake(team, 0)
        left = add(team, LEFT, -1)


@kernel
def serve(team, worker):
    """Do ranges of all work until the team is dismissed."""
    while team[OVER] == 0:
        take_part(team, worker)
        wait(team, worker)


@kernel
def share(team, workers, function, arguments, size, ranges):
    """Let all workers call ``function`` for so many ``ranges`` of ``size``; returns when it is done."""
    team[FUNCTION], team[ARGUMENTS], team[SIZE], team[RANGES] = function, arguments, size, ranges
    exchange(team, UNFINISHED, ranges)
    exchange(team, LEFT, ranges)
    for worker in range(1, workers):
        wake(team, worker)
    take_part(team, 0)
    wait(team, 0)


@functools.cache
def _kernels() -> Any:
    return build(sys.modules[__name__], "compiled", "threads")


_allocate, _free = ctypes.pythonapi.PyThread_allocate_lock, ctypes.pythonapi.PyThread_free_lock
_acquire, _release = ctypes.pythonapi.PyThread_acquire_lock, ctypes.pythonapi.PyThread_release_lock
_allocate.restype, _free.restype = ctypes.c_void_p, None
_free.argtypes, _acquire.argtypes = [ctypes.c_void_p], [ctypes.c_void_p, ctypes.c_int]


def _leaves(values: Sequence[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, tuple):
            yield from _leaves(value)
        else:
            yield value if isinstance(value, np.ndarray) else operator.index(value)


class _Work:
    """A function with its arguments, and how long a run takes: alone, and on all threads."""

    def __init__(self, function: Any, arguments: Sequence[Any]) -> None:
        self._values = list(_leaves(arguments))
        self._addresses = np.array([id(value) for value in self._values], np.int64)
        self._arguments = self._addresses.ctypes.data
        self._address = compiled.range_entry(function, arguments)
        self._call = ctypes.CFUNCTYPE(*[ctypes.c_int64] * 5)(self._address)
        self._seconds = [math.inf, math.inf]
        self._tries = [True] * TRIES + [False] * TRIES  # ways that are to be tried now, the last one first
        self._since = 0.0  # seconds since the last try

    def change(self, values: Sequence[Any]) -> None:
        """Make these the last arguments."""
        for index, value in enumerate(_leaves(values), len(self._values) - len(values)):
            self._values[index], self._addresses[index] = value, id(value)

    def run(self, crew: _Crew | None, size: int) -> None:
        """Do all of ``size`` alone if there is no ``crew``, else the faster way, and now and then the other one."""
        if crew is None:
            self._call(self._arguments, 0, size, 0)
            return
        seconds, faster = self._seconds, self._seconds[1] < self._seconds[0]
        if not self._tries and self._since * TIME_FOR_TRIES > TRIES * seconds[not faster]:
            self._tries, self._since, seconds[not faster] = [not faster] * TRIES, 0.0, math.inf
        tried = bool(self._tries)
        way = self._tries.pop() if tried else faster
        begun = time.perf_counter()
        if way:
            crew.share(self._address, self._arguments, size)
        else:
            self._call(self._arguments, 0, size, 0)
        spent = time.perf_counter() - begun
        known, self._since = seconds[way], self._since + spent
        seconds[way] = min(known, spent) if tried else known + (min(spent, 2 * known) - known) / 8


class _Crew:
    """The threads of a team beside the calling one, and their memory, which lasts as long as they do."""

    def __init__(self, workers: int) -> None:
        self.process, self._workers = os.getpid(), workers
        self._team = team = np.zeros(ASLEEP + LINES * workers, np.int64)
        team[ACQUIRE], team[RELEASE] = (ctypes.cast(each, ctypes.c_void_p).value for each in (_acquire, _release))
        self._locks = [_allocate() for _ in range(workers)]
        for worker, lock in enumerate(self._locks):
            _acquire(lock, 1)
            team[LOCK + LINES * worker] = lock
            if worker:
                name = f"tercet-batch-{worker}"
                threading.Thread(target=self._serve, args=(worker,), daemon=True, name=name).start()

    def _serve(self, worker: int) -> None:
        _kernels().serve(self._team, worker)

    def share(self, function: int, arguments: int, size: int) -> None:
        ranges = min(PIECES * self._workers, size // LEAST)
        _kernels().share(self._team, self._workers, function, arguments, size, ranges)

    def dismiss(self) -> None:
        """Let the threads end."""
        self._team[OVER] = 1
        _kernels().share(self._team, self._workers, 0, 0, 0, 0)

    def __del__(self) -> None:
        for lock in self._locks:
            _free(lock)


class ThreadTeam:
    """``threads`` workers, the calling thread among them. Others are started when first needed, and once more in a
    process that was forked off, and end with this object."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self._works: dict[Any, _Work] = {}
        self._crew: _Crew | None = None
        self._lock = threading.Lock()

    def run(self, function: Any, fixed: Sequence[Any], changing: Sequence[Any], size: int) -> None:
        """Call ``function(*fixed, *changing, first, last, worker)`` for ranges that make up 0 to ``size`` - 1; returns
        when all is done. ``fixed`` and the types of ``changing``, which holds no tuples, are the same in each call."""
        with self._lock:
            if function not in self._works:
                self._works[function] = _Work(function, (*fixed, *changing))
            self._works[function].change(changing)
            shared = self.threads > 1 and size >= 2 * LEAST
            if shared and (self._crew is None or self._crew.process != os.getpid()):
                self._crew = _Crew(self.threads)
                weakref.finalize(self, self._crew.dismiss).atexit = False
            self._works[function].run(self._crew if shared else None, size)
