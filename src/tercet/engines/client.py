"""Engines for asyncio: a program that speaks the engine protocol, or any engine of this library.

async with await popen_ugi("tercet ugi", Level=5) as engine:
    thought = await engine.play(position, Limits(movetime=0.5))
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, TypeVar

from tercet.engines.base import Engine, EngineError, Info, Limits, OnInfo, Thought
from tercet.engines.remote import ANSWER_SECONDS, LOADING_SECONDS, RemoteEngine
from tercet.game import Position

__all__ = ["AsyncEngine", "popen_ugi"]

ENDLESS = Limits(infinite=True)
T = TypeVar("T")


class AsyncEngine:
    """An ``engine`` whose thinking is awaited. It thinks in a thread of its own, about one position after the other.

    A task that is cancelled while it waits ends the search. Used with ``async with``, the engine quits at the end.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.name = engine.name
        self._lock = asyncio.Lock()
        self._thread = ThreadPoolExecutor(1)

    async def play(self, position: Position, limits: Limits) -> Thought:
        """Return the action that the engine chooses, and its last report. EngineError where the game is over, and where
        a program stops, does not answer in time, or plays what is not legal."""
        return await self._think(position, limits, threading.Event())

    async def analyse(self, position: Position, limits: Limits, *, multipv: int | None = None) -> Info:
        """Return what the engine thinks of ``position``, with the ``multipv`` best lines (None: as many as ``limits``
        says). EngineError as for :meth:`play`."""
        return (await self.play(position, replace(limits, multipv=multipv or limits.multipv))).info

    @contextlib.asynccontextmanager
    async def analysis(
        self, position: Position, limits: Limits = ENDLESS, *, multipv: int | None = None
    ) -> AsyncIterator[AsyncIterator[Info]]:
        """Search while a block runs: in ``async with engine.analysis(position) as reports`` each ``async for info in
        reports`` is a report. A program sends its lines one by one, so a report may have fewer than the one before. The
        search ends with the block. EngineError as for :meth:`play`."""
        reports: asyncio.Queue[Info | None] = asyncio.Queue()
        loop, stop = asyncio.get_running_loop(), threading.Event()
        wanted = replace(limits, multipv=multipv or limits.multipv)

        def report(info: Info) -> None:
            loop.call_soon_threadsafe(reports.put_nowait, info)

        search = asyncio.ensure_future(self._think(position, wanted, stop, report))
        search.add_done_callback(lambda _: reports.put_nowait(None))

        async def read() -> AsyncIterator[Info]:
            while (info := await reports.get()) is not None:
                yield info
            await search

        try:
            yield read()
        finally:
            stop.set()
            with contextlib.suppress(EngineError):  # whoever reads the reports gets it
                await search

    async def configure(self, **settings: Any) -> None:
        """Set options of the program by their names. EngineError where it refuses one, or where this is no program."""
        if not isinstance(self.engine, RemoteEngine):
            raise EngineError(f"Give the options of the engine {self.name} where you make it.")
        async with self._lock:
            await self._run(functools.partial(self.engine.configure, **settings))

    async def quit(self) -> None:
        """Ask the program to quit, and kill it if it does not."""
        async with self._lock:
            await self._run(self.engine.close)
        self._thread.shutdown(wait=False)

    async def __aenter__(self) -> AsyncEngine:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.quit()

    async def _run(self, job: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, job)

    async def _think(
        self, position: Position, limits: Limits, stop: threading.Event, on_info: OnInfo | None = None
    ) -> Thought:
        async with self._lock:
            job = functools.partial(self.engine.think, position, limits, stop=stop, on_info=on_info)
            thinking = asyncio.ensure_future(self._run(job))
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


async def popen_ugi(command: str, *, timeout: float | None = None, **settings: Any) -> AsyncEngine:
    """Start ``command`` (split as a shell would, but run without one) and return it as an engine; ``settings`` are its
    options by name.

    It must answer within ``timeout`` seconds, and a search with a ``movetime`` so many seconds after that (None: 10,
    and 300 before the first action of a game, for which it may have to compile). EngineError where it does not start or
    answer, or refuses an option.
    """
    patience, loading = timeout or ANSWER_SECONDS, timeout or LOADING_SECONDS
    start = functools.partial(RemoteEngine, None, command, patience=patience, loading=loading, **settings)
    starting = asyncio.ensure_future(asyncio.to_thread(start))
    try:
        return AsyncEngine(await asyncio.shield(starting))
    except asyncio.CancelledError:
        for started in await asyncio.gather(starting, return_exceptions=True):
            if isinstance(started, RemoteEngine):
                started.kill()
        raise
