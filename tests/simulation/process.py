"""One server process of the world: the real application, started, stopped, killed and suspended."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from tercet.errors import TercetError
from tercet.server.app import create_app
from tests.simulation.loop import VirtualLoop, World
from tests.simulation.network import Socket, _Line
from tests.support.limits import OPEN

if TYPE_CHECKING:
    from tests.simulation.bus import Bus
    from tests.simulation.disk import Disk


class Process:
    """A place for a server process, which lives there now and then. ``heard`` is told of everything that leaves a
    socket, ``happened`` of what becomes of the process."""

    def __init__(
        self,
        world: World,
        number: int,
        disk: Disk,
        bus: Bus | None,
        said: Callable[[Socket, str], None],
        overheard: Callable[[Socket, str], None],
        happened: Callable[[str], None],
    ) -> None:
        self.world = world
        self.number = number
        self.disk = disk
        self.bus = bus
        self.said = said
        self.overheard = overheard
        self._happened = happened
        self.lives = 0
        self.loop: VirtualLoop
        self.app: Any = None
        self.is_up = False
        self.lines: dict[_Line, None] = {}
        self.samples: list[Callable[[], None]] = []  # what a thread beside the loop does now and then
        self.errors: list[str] = []
        self.ended: list[Callable[[], None]] = []  # what is told when it ends
        self.closed: Callable[[VirtualLoop], None] = lambda _: None  # what is told when it has stopped by itself
        self._stop: asyncio.Event
        self._serving: set[asyncio.Task[None]] = set()
        self._graveyard: list[Any] = []
        self.slow = 0.0  # seconds that the disk takes more than usual

    @property
    def name(self) -> str:
        return f"process {self.number}"

    @property
    def exists(self) -> bool:
        return bool(self.lives) and self.loop.alive

    @property
    def runs(self) -> bool:
        """Whether it serves now: it is up and not suspended."""
        return self.is_up and self.loop.alive and self.loop.away_until <= self.world.now

    def start(self) -> None:
        if self.exists:
            return
        self.lives += 1
        self.loop = loop = self.world.loop(f"{self.number}.{self.lives}")
        loop.before_thread = lambda since: self.disk.locked_until(loop, since)
        loop.thread_seconds = lambda: self.slow
        loop.on_error = lambda context: self._note_error(context)
        self.samples = []
        self._happened(f"{self.name} starts")
        loop.call_soon(lambda: self._spawn(self._live()))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task: asyncio.Task[None] = self.loop.create_task(work)
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)
        return task

    def _note_error(self, context: dict[str, Any]) -> None:
        self.errors.append(f"{context.get('message')}: {context.get('exception')!r}")

    async def _live(self) -> None:
        loop = self.loop
        self._stop = asyncio.Event()
        try:
            connect = None if self.bus is None else self.bus.connect
            self.app = app = create_app(self.disk.folder, limits=OPEN, engines=0, pubsub=connect)
            async with app.router.lifespan_context(app):
                self.is_up = True
                self._happened(f"{self.name} serves")
                await self._stop.wait()
                registry = app.state.services.registry
                registry.leaving = True
                await registry.drain()
                self.is_up = False
                self._happened(f"{self.name} no longer serves anyone")
                for line in list(self.lines):
                    if isinstance(line, Socket):
                        line.close_by_server(1012)
                serving = self._serving - {asyncio.current_task()}
                if serving:
                    await asyncio.wait(serving, timeout=3)
                    for task in serving:
                        task.cancel()
        except TercetError as error:
            self._happened(f"{self.name} cannot start: {error}")
        else:
            self.closed(loop)
        self.end(loop, "has stopped")

    def serve(self, line: _Line, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Have the application serve a line, from when its first bytes arrive."""
        loop = self.loop

        def begin() -> None:
            if self.is_up and loop.alive:
                loop.call_soon(lambda: self._spawn(self._served(work)))
            else:
                line.process_died()

        self.world.after(line.delay(), begin)

    async def _served(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        try:
            await work()
        except asyncio.CancelledError:
            raise
        except Exception as error:
            self.errors.append(f"the application raised {error!r}")

    def stop(self) -> None:
        """Tell it to stop (SIGTERM)."""
        if self.exists and self.is_up:
            self._happened(f"{self.name} is told to stop")
            self.loop.call_soon(self._stop.set)
        elif self.exists:
            self.kill()

    def kill(self, why: str = "is killed") -> None:
        """End it in the middle of whatever it does (SIGKILL)."""
        if self.exists:
            self.end(self.loop, why)

    def end(self, loop: VirtualLoop, why: str) -> None:
        if not loop.alive:
            return
        loop.kill()
        self.is_up = False
        self._happened(f"{self.name} {why}")
        for told in self.ended:
            told()
        self.ended.clear()
        self.disk.close_all_of(loop)
        if self.bus is not None:
            self.bus.forget(loop)
        self._graveyard.append((self.app, list(self._serving)))
        self._serving.clear()
        for line in list(self.lines):
            line.process_died()
        self.lines.clear()

    def lines_fall_silent(self) -> None:
        """Let nothing more pass on the lines, which stay open."""
        for line in self.lines:
            line.silent_from = min(line.silent_from, self.world.now)

    def suspend(self, seconds: float) -> None:
        """Stop it for so long (SIGSTOP)."""
        if self.exists:
            self._happened(f"{self.name} is suspended for {seconds:.1f} s")
            self.loop.suspend(self.world.now + seconds)

    def occupy(self, seconds: float) -> None:
        """Keep it busy for so long: it computes, and answers no one."""
        if self.exists:
            self._happened(f"{self.name} is busy for {seconds:.1f} s")
            loop, began, used = self.loop, self.world.now, self.loop.processor
            loop.occupy(seconds)
            loop.processor = used

            def sample(to: float) -> None:
                if loop.alive:
                    loop.processor = max(loop.processor, used + to)
                    self.world.current = loop  # whose processor time is noted
                    for one in self.samples:
                        one()
                    self.world.current = None

            step = 0.5
            while step < seconds:
                self.world.at(began + step, lambda to=step: sample(to))  # type: ignore[misc]
                step += 0.5
            self.world.at(began + seconds, lambda: sample(seconds))

    @property
    def registry(self) -> Any:
        with contextlib.suppress(AttributeError):
            return self.app.state.services.registry
        return None
