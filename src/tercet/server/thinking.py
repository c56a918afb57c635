"""Engines at work for tables and analyses, a bounded number at a time (kernels let go of the GIL, so threads do)."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tercet.engines import Engine, Info, Limits, level
from tercet.engines.planned import PlannedEngine
from tercet.game import Position
from tercet.view import plain

__all__ = ["Thinking"]

REPORT_EVERY = 0.25  # seconds
KEPT = 8  # engines that keep their trees between moves: large
KEPT_PLANS = 32  # engines that keep the turn they have planned, without which a turn might go on and on
STRONGEST = 8

Report = Callable[[dict[str, Any]], None]


class _Busy:
    """An engine and the lock that lets one thread at a time think with it."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.lock = threading.Lock()


class Thinking:
    """The threads in which engines think: ``workers`` for tables, and ``analyses`` beside them, so that nobody who
    analyses keeps an engine from its move."""

    def __init__(self, workers: int | None = None, analyses: int = 4) -> None:
        self._threads = ThreadPoolExecutor(workers or max(2, os.cpu_count() or 2), "tercet-engine")
        self._analyses = ThreadPoolExecutor(analyses, "tercet-analysis")
        self._kept: OrderedDict[Hashable, _Busy] = OrderedDict()
        self._planned: OrderedDict[Hashable, _Busy] = OrderedDict()
        self._choosing = threading.Lock()

    def close(self) -> None:
        """Take no more work."""
        for threads in (self._threads, self._analyses):
            threads.shutdown(wait=False, cancel_futures=True)

    def forget(self, owner: Hashable) -> None:
        """Let go of the owner's engine."""
        with self._choosing:
            for kept in (self._kept, self._planned):
                for key in [key for key in kept if isinstance(key, tuple) and key[0] == owner]:
                    del kept[key]

    def _engine(self, owner: Hashable, position: Position, strength: int) -> _Busy:
        key = (owner, position.game, strength)
        with self._choosing:
            found = self._kept.get(key) or self._planned.get(key)
            if found is None:
                found = _Busy(level(position.game, strength))
            plans = isinstance(found.engine, PlannedEngine)
            if strength < STRONGEST and not plans:
                return found  # it remembers nothing between moves
            kept, most = (self._planned, KEPT_PLANS) if plans else (self._kept, KEPT)
            kept[key] = found
            kept.move_to_end(key)
            while len(kept) > most:
                kept.popitem(last=False)
            return found

    async def move(
        self, owner: Hashable, position: Position, strength: int, stop: threading.Event, report: Report
    ) -> str:
        """The action that an engine of level ``strength`` chooses. What ``owner``'s engine learnt is kept for its next
        move; ``report`` is told of progress, from another thread."""
        return await self._run(self._threads, owner, position, strength, Limits(), stop, report)

    async def analyse(
        self, owner: Hashable, position: Position, lines: int, seconds: float, stop: threading.Event, report: Report
    ) -> str:
        """Think about ``position`` at full strength for at most so many seconds, telling of the best ``lines``;
        returns the best action."""
        limits = Limits(movetime=seconds, multipv=lines)
        return await self._run(self._analyses, owner, position, STRONGEST, limits, stop, report)

    async def _run(
        self,
        threads: ThreadPoolExecutor,
        owner: Hashable,
        position: Position,
        strength: int,
        limits: Limits,
        stop: threading.Event,
        report: Report,
    ) -> str:
        def think() -> str:
            told = 0.0

            def on_info(info: Info) -> None:
                nonlocal told
                now = time.monotonic()
                if now - told >= REPORT_EVERY:
                    told = now
                    report(plain(info))

            busy = self._engine(owner, position, strength)
            with busy.lock:
                thought = busy.engine.think(position, limits, stop=stop, on_info=on_info)
            report(plain(thought.info))
            return str(thought.action)

        return await asyncio.get_running_loop().run_in_executor(threads, think)
