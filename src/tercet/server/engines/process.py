"""Workers of an engine queue: each a process of its own (:func:`tercet.server.engines.main.main`), or a thread of this
one."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tercet.server.engines.main import EngineStates, Message, work

START_SECONDS = 120.0  # that a process may take to start
# Seconds in which an engine is made, which count for no limit: on a busy machine that may take some.
MAKE_SECONDS = 60.0
COMPILE_SECONDS = 300.0  # that one kernel may take, which count for no limit
MAX_LINE_BYTES = 1 << 26  # bytes of an answer
# Nice before anything is imported: to begin takes seconds of a processor.
BEGIN = "import os; hasattr(os, 'nice') and os.nice({niceness}); from tercet.server.engines.main import main; main()"


# Gets the progress of a search; ``{"preparing": {"done", "of"}}``: not begun, its kernels are being compiled.
Report = Callable[[dict[str, Any]], None]


class WorkerDied(Exception):  # noqa: N818  (it reports a state, not a fault)
    """The worker has ended, and its task with it."""


class Worker(ABC):
    """One worker. It does one thing at a time."""

    def __init__(self) -> None:
        self.owners: set[str] = set()  # who left something here that helps with the next question
        self._numbers = itertools.count(1)
        self._report: Report | None = None
        self._answer: asyncio.Future[Message] | None = None
        self._number = 0
        self._halted = False
        self._since: float | None = None  # when (monotonic) it began with what it does now

    async def do(self, asked: Message, report: Report) -> Message:
        """Return the worker's last word on ``asked``: ``done`` (with None found where it was stopped before it began)
        or ``failed``. WorkerDied where it cannot be had."""
        self._halted = False
        await self.start()
        if self._halted:
            return {"says": "done", "found": None}
        self._number = next(self._numbers)
        self._report = report
        self._answer = asyncio.get_running_loop().create_future()
        self._since = time.monotonic() + (MAKE_SECONDS if asked["do"] == "think" else 0.0)
        self._send({**asked, "number": self._number})
        try:
            return await self._answer
        finally:
            self._report = self._answer = self._since = None

    @property
    def seconds(self) -> float:
        """How long it has been at what it does now. Starting does not count, nor do compiling and making an engine."""
        return 0.0 if self._since is None else max(0.0, time.monotonic() - self._since)

    def _heard(self, message: Message) -> None:
        if message["says"] == "compiling":
            self._since = time.monotonic() + COMPILE_SECONDS
            if self._report is not None:
                self._report({"preparing": message["count"]})
            return
        if self._since is not None:
            self._since = min(self._since, time.monotonic())
        if message["says"] == "begins":
            return
        if message.get("number") != self._number or self._answer is None or self._answer.done():
            return
        if message["says"] != "info":
            self._answer.set_result(message)
        elif self._report is not None:
            self._report(message["info"])

    def stop(self) -> None:
        """Ask the worker to answer as soon as it can."""
        self._halted = True
        if self._since is not None:
            self._halt()

    @abstractmethod
    async def start(self) -> None:
        """Wait until the worker is ready. Raise WorkerDied if it fails to start."""

    @abstractmethod
    def _send(self, message: Message) -> None:
        """Ask the worker."""

    @abstractmethod
    def _halt(self) -> None:
        """Ask the worker to finish."""

    @abstractmethod
    def forget(self, owner: str) -> None:
        """Drop what is stored for ``owner``."""

    @abstractmethod
    def end(self) -> None:
        """End the worker, even in the middle of a task."""

    async def ended(self) -> None:  # noqa: B027  (a thread needs no waiting)
        """Wait until it has ended."""


class ProcessWorker(Worker):
    """A process, started when there is work. It can be ended at any moment, and ends with this one. It is so much
    nicer than this one when processors are scarce that the server itself goes first."""

    def __init__(self, niceness: int = 5) -> None:
        super().__init__()
        self._niceness = niceness
        self.process: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None
        self._gone = False

    async def start(self) -> None:
        """Start the process if it is not running yet."""
        if self.process is not None:
            if self._gone:
                raise WorkerDied
            return
        self.process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            BEGIN.format(niceness=self._niceness),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=MAX_LINE_BYTES,
        )
        assert self.process.stdout is not None
        if self._gone:
            self._kill()
            raise WorkerDied
        try:
            async with asyncio.timeout(START_SECONDS):
                first = await self.process.stdout.readline()
        except TimeoutError:
            first = b""
        except asyncio.CancelledError:
            self.end()
            raise
        if not first:
            self.end()
            raise WorkerDied
        self._reading = asyncio.ensure_future(self._read(self.process.stdout))

    async def _read(self, answers: asyncio.StreamReader) -> None:
        try:
            while line := await answers.readline():
                self._heard(json.loads(line))
        except (OSError, ValueError):  # ValueError: a line that is too long, or none of JSON
            self.end()
        self._gone = True
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(WorkerDied())

    def _send(self, message: Message) -> None:
        if self.process is None or self.process.stdin is None or self._gone:
            return  # the waiting task gets the error
        self.process.stdin.write(json.dumps(message, separators=(",", ":")).encode("ascii") + b"\n")

    def _halt(self) -> None:
        self._send({"do": "stop", "number": self._number})

    def forget(self, owner: str) -> None:
        self._send({"do": "forget", "owner": owner})

    def end(self) -> None:
        """Kill the process."""
        if not self._gone:
            self._gone = True
            self._kill()

    def _kill(self) -> None:
        if self.process is not None and self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self.process.kill()

    async def ended(self) -> None:
        """Wait until it has ended."""
        if self.process is not None:
            await self.process.wait()


class ThreadWorker(Worker):
    """A thread: starts at once and shares the memory of compiled code, but what it does cannot be cut short."""

    def __init__(self) -> None:
        super().__init__()
        self._thread = ThreadPoolExecutor(1, "tercet-engine")
        self._states = EngineStates()
        self._stop = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    async def start(self) -> None:
        """Remember the event loop that waits for answers."""
        self._loop = asyncio.get_running_loop()

    def _say(self, message: Message) -> None:
        assert self._loop is not None
        with contextlib.suppress(RuntimeError):  # the loop has been closed
            self._loop.call_soon_threadsafe(self._heard, message)

    def _send(self, message: Message) -> None:
        self._stop = stop = threading.Event()
        self._thread.submit(work, self._states, message, stop, self._say)

    def _halt(self) -> None:
        self._stop.set()

    def forget(self, owner: str) -> None:
        self._thread.submit(self._states.forget, owner)

    def end(self) -> None:
        """Let the thread end after its current task, without waiting for it."""
        self._stop.set()
        self._thread.shutdown(wait=False, cancel_futures=True)
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(WorkerDied())
