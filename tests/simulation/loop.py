"""Virtual time: one clock, one heap of what happens in the world, and an event loop for each simulated process.

Every process has a loop of its own, because that is what a process is here: killing one is never running its loop
again, suspending one is running it later. Within a loop callbacks run first in, first out, as asyncio promises. The
seed decides what a real machine decides: how long each callback takes, which process goes first, how long a thread or
a disk takes, and when a message arrives.
"""

from __future__ import annotations

import asyncio
import contextlib
import heapq
import math
import random
from asyncio import events
from collections import deque
from collections.abc import Callable
from contextvars import copy_context
from functools import partial
from typing import Any

STEP_SECONDS = 5e-5  # that a callback takes, at most
THREAD_SECONDS = (5e-5, 2e-3)  # until a thread has done what it was asked


class World:
    """The clock and what is to happen. ``seed`` names all random numbers: each purpose has a stream of its own, so that
    one more draw in one place changes nothing elsewhere. From the second of a ``branch`` on they are others, named by
    its number too: until then the same happens, to the last callback."""

    def __init__(self, seed: int, branch: tuple[float, int] | None = None) -> None:
        self.seed = seed
        self.now = 0.0
        self.steps = 0
        self.loops: list[VirtualLoop] = []
        self.current: VirtualLoop | None = None  # whose code runs
        self.dead: list[tuple[VirtualLoop, list[asyncio.Task[Any]]]] = []  # kept, so that nothing of theirs runs
        self._entered: VirtualLoop | None = None  # what asyncio takes for the running loop
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._count = 0
        self._from = str(seed)  # what streams are named by
        self._streams: list[tuple[str, random.Random]] = []
        if branch is not None:  # with a number that nothing else has, and that takes none from anything else
            begins: Callable[[], None] = partial(self._branch, branch[1])
            heapq.heappush(self._due, (branch[0], 0, begins))

    def random(self, purpose: str) -> random.Random:
        stream = random.Random(f"{self._from} {purpose}")
        self._streams.append((purpose, stream))
        return stream

    def _branch(self, number: int) -> None:
        self._from = f"{self.seed} branch {number}"
        for purpose, stream in self._streams:
            stream.seed(f"{self._from} {purpose}")

    def loop(self, name: str) -> VirtualLoop:
        return VirtualLoop(self, name)  # type: ignore[abstract]

    def at(self, when: float, do: Callable[[], None]) -> None:
        heapq.heappush(self._due, (max(when, self.now), self.number(), do))

    def after(self, seconds: float, do: Callable[[], None]) -> None:
        self.at(self.now + seconds, do)

    def run(self, until: Callable[[], bool], limit: float) -> bool:
        """Let the world go on ``until`` something holds or the clock says ``limit``; return whether it holds."""
        due, never = self._due, math.inf
        try:
            while not until():
                first, when = None, due[0][0] if due else never
                for loop in self.loops:
                    if loop._ready:
                        at = loop.free_at
                    elif loop._timers:
                        at = loop.next_at()
                    else:
                        continue
                    if at < when:
                        first, when = loop, at
                if when > limit:
                    self.now = max(self.now, limit)
                    return until()
                if when > self.now:
                    self.now = when
                self.steps += 1
                if first is None:
                    heapq.heappop(due)[2]()
                else:
                    first.run_one()
            return True
        finally:
            self.enter(None)

    def number(self) -> int:
        self._count += 1
        return self._count

    def enter(self, loop: VirtualLoop | None) -> None:
        """What runs from now on runs in that loop; None: in a thread, or outside of all."""
        self.current = loop
        if loop is not self._entered:
            self._entered = loop
            events._set_running_loop(loop)

    def close(self) -> None:
        """Let go of everything. What the dead do when their coroutines are closed concerns nobody."""
        for loop in list(self.loops):
            loop.kill()
        try:
            for loop, tasks in self.dead:
                self.enter(loop)
                for task in tasks:
                    task._log_destroy_pending = False  # type: ignore[attr-defined]
                    with contextlib.suppress(BaseException):
                        task.get_coro().close()
        finally:
            self.enter(None)
        self.dead.clear()
        self._due.clear()


class _Task(asyncio.Task[Any]):
    """A task whose place in a set does not follow from where it lies in memory."""

    def __init__(self, coro: Any, *, loop: VirtualLoop, **more: Any) -> None:
        self._count = loop.world.number()
        super().__init__(coro, loop=loop, **more)

    def __hash__(self) -> int:
        return self._count


class _Handle(asyncio.Handle):
    """As its parent, made without asking whether the loop is being debugged."""

    def __init__(self, callback: Callable[..., Any], args: Any, loop: VirtualLoop, context: Any) -> None:
        self._context = copy_context() if context is None else context
        self._loop, self._callback, self._args = loop, callback, args
        self._cancelled, self._repr, self._source_traceback = False, None, None


class VirtualLoop(asyncio.AbstractEventLoop):
    """The loop of one process. ``processor`` are the seconds of a processor that it has used; ``before_thread`` may
    put off what a thread is to do (it returns a moment later than now)."""

    def __init__(self, world: World, name: str) -> None:
        self.world = world
        self.name = name
        self.alive = True
        self.processor = 0.0
        self.before_thread: Callable[[float], float] = lambda _since: 0.0
        self.thread_seconds: Callable[[], float] = lambda: 0.0
        self.on_error: Callable[[dict[str, Any]], None] = lambda _context: None
        self._random = world.random(f"loop {name}")
        self._ready: deque[asyncio.Handle] = deque()
        self._timers: list[tuple[float, int, asyncio.TimerHandle]] = []
        self._count = 0
        self.free_at = 0.0  # when it can run something again
        self.away_until = 0.0  # until when it is suspended
        self._lanes: dict[int, _Lane] = {}
        world.loops.append(self)

    def kill(self) -> None:
        self.alive = False
        self.world.loops.remove(self)
        self.world.dead.append((self, list(asyncio.all_tasks(self))))
        self._ready.clear()
        self._timers.clear()
        self._lanes.clear()

    def suspend(self, until: float) -> None:
        """Run nothing until then: the process uses no processor."""
        self.away_until = max(self.away_until, until)
        self.free_at = max(self.free_at, self.away_until)

    def occupy(self, seconds: float) -> None:
        self.free_at = max(self.free_at, self.world.now) + seconds
        self.processor += seconds

    def next_at(self) -> float:
        if self._ready:
            return self.free_at
        timers = self._timers
        while timers:
            when, _, timer = timers[0]
            if not timer._cancelled:
                return when if when > self.free_at else self.free_at
            heapq.heappop(timers)
        return math.inf

    def run_one(self) -> None:
        now, timers, ready = self.world.now, self._timers, self._ready
        while timers and timers[0][0] <= now:
            timer = heapq.heappop(timers)[2]
            if not timer._cancelled:
                ready.append(timer)
        if not ready:
            return
        handle = ready.popleft()
        if handle._cancelled:
            return
        took = STEP_SECONDS * self._random.random()
        self.free_at = now + took if self.away_until <= now + took else self.away_until
        self.processor += took
        world = self.world
        world.enter(self)
        try:
            handle._context.run(handle._callback, *handle._args)  # type: ignore[attr-defined]
        except (SystemExit, KeyboardInterrupt):
            raise
        except BaseException as error:
            self.call_exception_handler({"message": f"in {handle!r}", "exception": error})
        world.current = None

    def time(self) -> float:
        return self.world.now

    def call_soon(self, callback: Callable[..., Any], *args: Any, context: Any = None) -> asyncio.Handle:  # type: ignore[override]
        """Call it when all that was asked for before has been."""
        handle = _Handle(callback, args, self, context)
        if self.alive:
            self._ready.append(handle)
        return handle

    call_soon_threadsafe = call_soon  # type: ignore[assignment]

    def call_later(self, delay: float, callback: Callable[..., Any], *args: Any, context: Any = None) -> Any:  # type: ignore[override]
        return self.call_at(self.world.now + delay, callback, *args, context=context)

    def call_at(self, when: float, callback: Callable[..., Any], *args: Any, context: Any = None) -> Any:  # type: ignore[override]
        handle = asyncio.TimerHandle(when, callback, args, self, context)
        if self.alive:
            self._count += 1
            heapq.heappush(self._timers, (when, self._count, handle))
        return handle

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        pass

    def create_future(self) -> asyncio.Future[Any]:
        return asyncio.Future(loop=self)

    def create_task(self, coro: Any, *, name: str | None = None, context: Any = None, **more: Any) -> Any:
        return _Task(coro, loop=self, name=name, context=context, **more)

    def get_task_factory(self) -> None:
        """Tasks are made as :meth:`create_task` makes them."""

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> Any:  # type: ignore[override]
        """What a thread would do, done in one step at a moment that the seed decides, unless the future has been
        cancelled by then."""
        lane = self._lanes.get(id(executor))
        if lane is None:
            lane = self._lanes[id(executor)] = _Lane(self, executor, getattr(executor, "_max_workers", 8))
        future = self.create_future()
        lane.add(partial(func, *args), future)
        return future

    def set_default_executor(self, executor: Any) -> None:
        """Threads are lanes here, whoever makes them."""

    def thread_delay(self) -> float:
        """How long a thread takes until it has begun, and again until its answer is known."""
        return self._random.uniform(*THREAD_SECONDS) + self.thread_seconds()

    def get_debug(self) -> bool:
        return False

    def is_running(self) -> bool:
        return self.alive

    def is_closed(self) -> bool:
        return not self.alive

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """Something was raised that nothing in the process catches."""
        if self.alive:
            self.on_error(context)


class _Lane:
    """Threads of one executor, and what waits for them."""

    def __init__(self, loop: VirtualLoop, key: object, threads: int) -> None:
        self._loop = loop
        self._key = key  # kept, so that its id stays its own
        self._free = threads
        self._waiting: deque[tuple[Callable[[], Any], asyncio.Future[Any]]] = deque()

    def add(self, work: Callable[[], Any], future: asyncio.Future[Any]) -> None:
        self._waiting.append((work, future))
        self._feed()

    def _feed(self) -> None:
        world = self._loop.world
        while self._free and self._waiting:
            work, future = self._waiting.popleft()
            if future.cancelled():
                continue
            self._free -= 1
            delay = self._loop.thread_delay()
            world.at(world.now + delay, partial(self._do, work, future, world.now + delay))

    def _do(self, work: Callable[[], Any], future: asyncio.Future[Any], since: float) -> None:
        loop, world = self._loop, self._loop.world
        if not loop.alive:
            return
        later = max(loop.away_until, loop.before_thread(since))
        if later > world.now:
            world.at(later, partial(self._do, work, future, since))
            return
        world.enter(None)
        world.current = loop
        loop.processor += 1e-5
        result, error = None, None
        try:
            result = work()
        except Exception as raised:
            error = raised
        finally:
            world.current = None
        world.at(world.now + loop._random.uniform(1e-5, 1e-3), partial(self._answer, future, result, error))

    def _answer(self, future: asyncio.Future[Any], result: Any, error: Exception | None) -> None:
        if not self._loop.alive:
            return
        self._free += 1
        if not future.done():
            if error is None:
                future.set_result(result)
            else:
                future.set_exception(error)
        self._feed()
