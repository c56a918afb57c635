"""What the world puts in the place of a machine's own: clocks, random bytes, threads, the driver of the database, and
the workers in which engines think. Nothing of the server is told that it is simulated."""

import contextlib
import functools
import os
import random
import sqlite3
import time
from collections.abc import Callable, Iterator
from typing import Any
from unittest.mock import patch

from sqlalchemy import Engine
from sqlalchemy.dialects.sqlite.base import SQLiteDialect
from sqlalchemy.util import LRUCache

from tercet.answers import puzzles as shipped
from tercet.play.session import clock
from tercet.server.api import routes
from tercet.server.engines import main, pool
from tercet.server.engines.main import Message, _position
from tercet.server.engines.workers import Worker, WorkerDied
from tercet.server.limits.budgets import Budgets
from tercet.server.people import identity, notices
from tercet.server.people.push import WebPush
from tercet.server.store import lease
from tercet.server.store.lease import SAMPLE_SECONDS, Absences
from tercet.server.tables import reminders, state, vacations
from tercet.server.tables.clients import Client
from tercet.server.web import pages
from tests.simulation import model
from tests.simulation.devices import engine_choice
from tests.simulation.disk import Disk
from tests.simulation.loop import VirtualLoop, World
from tests.simulation.notices import PushService
from tests.simulation.plan import DAY
from tests.simulation.visitors import puzzles
from tests.support.present import present

EPOCH = 1_700_000_000.0
UPTIME = 5_000.0
_STATEMENTS: Any = LRUCache(2000)  # that all processes of all worlds share: SQLAlchemy compiles each but once
_routes = functools.cache(routes.routes_of)  # made once for all processes of all worlds


class Clocks:
    """The clocks of the one machine of all processes; ``jumped`` is how far its wall clock has been set ahead."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.jumped = 0.0

    def wall(self) -> float:
        return EPOCH + self.world.now + self.jumped

    def monotonic(self) -> float:
        return UPTIME + self.world.now

    def processor(self) -> float:
        """As ``time.process_time``, of the process whose code runs."""
        loop = self.world.current
        return 0.0 if loop is None else loop.processor


class SeededWorker(Worker):
    """In place of an engine: a legal action that the seed chooses, after a while that it chooses too. Now and then it
    dies."""

    world: World

    def __init__(self) -> None:
        super().__init__()
        loop = present(self.world.current)
        self._loop: VirtualLoop = loop
        self._random = self.world.random(f"worker {loop.name} {self.world.now}")

    async def start(self) -> None:
        """Be ready."""

    def _send(self, message: Message) -> None:
        number = message["number"]
        seconds = self._random.choice((0.01, self._random.uniform(0.0, 1.0), self._random.uniform(0.0, 4.0)))
        self._loop.call_later(seconds / 2, self._heard, {"says": "begins", "number": number})
        if self._random.random() < 0.02:
            self._loop.call_later(seconds, self._die, number)
        else:
            self._loop.call_later(seconds, self._answer_with, message)

    def _die(self, number: int) -> None:
        if self._number == number and self._answer is not None and not self._answer.done():
            self._answer.set_exception(WorkerDied())

    def _answer_with(self, message: Message) -> None:
        found = {"best": engine_choice(self.world.seed, _position(message)), "ahead": {}}
        self._heard({"says": "done", "number": message["number"], "found": found})

    def _halt(self) -> None:
        self._loop.call_soon(self._heard, {"says": "done", "number": self._number, "found": None})

    def forget(self, owner: str) -> None:
        """It remembers nothing."""

    def end(self) -> None:
        self._die(self._number)


@contextlib.contextmanager
def swapped(
    world: World, disk: Disk, clocks: Clocks, push: PushService, samples: Callable[[Callable[[], None]], None]
) -> Iterator[None]:
    """Everything is in its place as long as this lasts. ``samples`` is given what a thread would do now and then in the
    process whose code runs."""
    stream = world.random("entropy")

    def watch(absences: Absences) -> None:
        loop = present(world.current)

        def sample() -> None:
            absences.sample()
            loop.call_later(SAMPLE_SECONDS, sample)

        samples(absences.sample)
        sample()
        absences._tick(loop)

    def place(thing: Any) -> int:
        """As ``id``, but not from where it lies in memory: that decides nothing."""
        if "_place" not in vars(thing):
            thing._place = world.number()
        return int(thing._place)

    quick = [(module, "LOOK_SECONDS", 0.8) for module in (reminders, vacations)]
    quick += [(state, "LINGER_SECONDS", 0.5), (state, "PRESENCE_SECONDS", 0.3)]
    monotonic, processor = clocks.monotonic, clocks.processor
    SeededWorker.world = world
    with contextlib.ExitStack() as stack:
        for module, name, put in (
            (time, "time", clocks.wall),
            *((time, name, monotonic) for name in ("monotonic", "perf_counter")),
            *((time, name, processor) for name in ("process_time", "thread_time")),
            (os, "urandom", stream.randbytes),
            (random, "_urandom", stream.randbytes),
            *((module, "connect", disk.connect) for module in (sqlite3, sqlite3.dbapi2)),
            (Engine, "_compiled_cache", property(lambda _: _STATEMENTS, lambda *_: None)),
            (SQLiteDialect, "__hash__", lambda dialect: hash(type(dialect))),
            *((kind, "__hash__", place) for kind in (Client, identity._Socket)),
            (SQLiteDialect, "__eq__", lambda dialect, other: type(dialect) is type(other)),
            (lease, "_slept", lambda: 0.0),
            (Absences, "start", watch),
            (pool, "ThreadWorker", SeededWorker),
            (main, "_execution", lambda *_: "interpreted"),
            (shipped, "all_puzzles", puzzles),
            (pages, "install", lambda *_: None),  # nothing here opens the page
            (routes, "routes_of", _routes),
            (WebPush, "open", push.open),
            *((module, "DAY_MS", 1000 * DAY) for module in (model, reminders, vacations)),
            (notices, "DELAY_SECONDS", 0.6),
            (notices, "RETRY_SECONDS", (1.0, 2.0, 3.0)),
            *(one for one in quick if push.scene.plan.has_days),
        ):
            stack.enter_context(patch.object(module, name, put, create=name == "_compiled_cache"))
        days = {"correspondence": (("days", 1, 60, True, 1000 * DAY),)}
        stack.enter_context(patch.dict(clock.KINDS, days))
        for made, defaults in ((Absences, (monotonic, processor)), (Budgets, (monotonic,))):
            stack.callback(setattr, made.__init__, "__defaults__", made.__init__.__defaults__)
            made.__init__.__defaults__ = defaults
        yield
