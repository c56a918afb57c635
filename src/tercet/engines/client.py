"""Engines for asyncio: a program that speaks the engine protocol, or any engine of this library.
``docs/protocol.md`` has an example."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, TypeVar

from tercet.core.game import Position
from tercet.engines.base import Engine, EngineError, Info, Limits, OnInfo, Thought
from tercet.engines.remote import ANSWER_SECONDS, RemoteEngine

ENDLESS = Limits(infinite=True)
T = TypeVar("T")


class AsyncEngine(contextlib.AbstractAsyncContextManager["AsyncEngine"]):
    """An ``engine`` whose thinking is awaited. It thinks in a thread of its own, about one position after the other.

    A task that is cancelled while it waits ends the search. Used with ``async with``, the engine quits at the end.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.name = engine.name
        self._lock = asyncio.Lock()
        self._thread = ThreadPoolExecutor(1)

    async def play(
        self, position: Position, limits: Limits, *, stop: threading.Event | None = None, on_info: OnInfo | None = None
    ) -> Thought:
        """Return the action that the engine chooses, and its last report. EngineError where the game is over, and where
        a program stops, does not answer in time, or plays what is not legal."""
        stop = stop or threading.Event()
        async with self._lock:
            thinking = asyncio.ensure_future(self._run(self.engine.think, position, limits, stop=stop, on_info=on_info))
            try:
                return await asyncio.shield(thinking)
            except asyncio.CancelledError:
                stop.set()
                outside = self.engine if isinstance(self.engine, RemoteEngine) else None
                await asyncio.wait({thinking}, timeout=ANSWER_SECONDS if outside else None)
                if outside and not thinking.done():
                    outside.kill()
                await asyncio.gather(thinking, return_exceptions=True)
                raise

    async def analyse(self, position: Position, limits: Limits, *, multipv: int = 1) -> Info:
        """Return what the engine thinks of ``position``, with its best ``multipv`` lines. EngineError as for
        :meth:`play`."""
        return (await self.play(position, replace(limits, multipv=multipv))).info

    @contextlib.asynccontextmanager
    async def analysis(
        self, position: Position, limits: Limits = ENDLESS, *, multipv: int = 1
    ) -> AsyncIterator[AsyncIterator[Info]]:
        """Search while a block runs: in ``async with engine.analysis(position) as reports`` each ``async for info in
        reports`` is a report. A program sends its lines one by one, so a report may have fewer than the one before. The
        search ends with the block. EngineError as for :meth:`play`."""
        reports: asyncio.Queue[Info | None] = asyncio.Queue()
        stop = threading.Event()
        loop, wanted = asyncio.get_running_loop(), replace(limits, multipv=multipv)

        def report(info: Info) -> None:
            loop.call_soon_threadsafe(reports.put_nowait, info)

        search = asyncio.ensure_future(self.play(position, wanted, stop=stop, on_info=report))
        search.add_done_callback(lambda _: reports.put_nowait(None))

        async def read() -> AsyncIterator[Info]:
            while (info := await reports.get()) is not None:
                yield info
            await search

        try:
            yield read()
        finally:
            stop.set()
            with contextlib.suppress(EngineError):  # a reader of the reports gets it
                await search

    async def configure(self, **settings: Any) -> None:
        """Set options of the program by their names. EngineError where it refuses one, or where this is no program."""
        if not isinstance(self.engine, RemoteEngine):
            raise EngineError(f"Give the options of the engine {self.name} where you make it.")
        async with self._lock:
            await self._run(self.engine.configure, **settings)

    async def quit(self) -> None:
        """Ask the program to quit, and kill it if it does not."""
        async with self._lock:
            await self._run(self.engine.close)
        self._thread.shutdown(wait=False)

    async def __aexit__(self, *_: object) -> None:
        await self.quit()

    async def _run(self, job: Callable[..., T], *given: Any, **more: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, functools.partial(job, *given, **more))


async def popen_ugi(command: str, *, timeout: float | None = None, **settings: Any) -> AsyncEngine:
    """Start ``command`` (split as a shell would, but run without one) and return it as an engine; ``settings`` are its
    options by name.

    It must answer within ``timeout`` seconds, and a search with a ``movetime`` so many seconds after that (None: 10,
    and 300 before the first action of a game, for which it may have to compile). EngineError where it does not start or
    answer, or refuses an option.
    """
    started = asyncio.to_thread(RemoteEngine, None, command, timeout or ANSWER_SECONDS, **settings)
    starting = asyncio.ensure_future(started)
    try:
        engine = await asyncio.shield(starting)
    except asyncio.CancelledError:
        starting.add_done_callback(lambda done: done.exception() or done.result().kill())
        raise
    engine.loading = timeout or engine.loading
    return AsyncEngine(engine)
