"""Workers, and what waits for them: who works at what, how long it may take, and what happens when a worker dies."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import logging
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from tercet.server.engines.main import EngineStates, Message, work
from tercet.server.errors import ApiError
from tercet.server.limits.queue import FairQueue
from tercet.server.metrics import ENGINE_WAIT

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

    async def do(self, question: Message, report: Report) -> Message:
        """Return the worker's last message on ``question``: ``done`` (with nothing found if it was stopped before it
        began) or ``failed``. Raise WorkerDied if the worker ends first."""
        self._halted = False
        await self.start()
        if self._halted:
            return {"says": "done", "found": None}
        self._number = next(self._numbers)
        self._report = report
        self._answer = asyncio.get_running_loop().create_future()
        self._since = time.monotonic() + (MAKE_SECONDS if question["do"] == "think" else 0.0)
        self._send({**question, "number": self._number})
        try:
            return await self._answer
        finally:
            self._report = self._answer = self._since = None

    @property
    def seconds(self) -> float:
        """Return for how long it has been at its task. To start, to compile and to make an engine does not count."""
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


LOG = logging.getLogger("tercet.engines")
STOP_CHECK_SECONDS = 0.05  # between looks at whether something shall stop
GRACE_SECONDS = 5.0  # that a worker has to stop in
MAX_ATTEMPTS = 3  # at something that workers die of
IDLE_SECONDS = 600.0  # after which a worker with nothing to do is let go
BROKEN = ("unavailable", "engine", "The engine failed. Try again.")


@dataclass(eq=False)
class Job:
    """A question for a worker."""

    person: str
    owner: str
    question: Message
    stop: threading.Event
    report: Report
    seconds: float
    answer: asyncio.Future[Message | None] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    charge: Callable[[float], None] = lambda _seconds: None  # gets the processor seconds it took
    since: float = field(default_factory=time.monotonic)
    attempts: int = 0


class EngineQueue:
    """Workers for one ``kind`` of work, started as they are needed, and what waits for them. With ``ahead``, where
    several people ask and all workers are busy, one more is started before anybody waits for it: that takes longer than
    most of what is asked."""

    def __init__(
        self,
        kind: str,
        size: int,
        make: Callable[[], Worker],
        most: int,
        used: Callable[[str], float],
        ahead: bool = False,
    ) -> None:
        self.size = size
        self.queue: FairQueue[Job] = FairQueue(most, used)
        self._wait = ENGINE_WAIT.labels(kind)
        self.working: dict[Worker, asyncio.Task[None]] = {}
        self.idle: dict[Worker, asyncio.TimerHandle] = {}
        self._is_ahead = ahead
        self._starting: tuple[Worker, asyncio.Task[None]] | None = None  # ahead of need
        self._asked: dict[str, float] = {}  # recent askers, and when last
        self._make = make
        self._dropping: asyncio.Task[None] | None = None
        self._closed = False

    async def ask(self, job: Job) -> Message | None:
        """Return the answer; None where it was stopped before a worker began. ApiError."""
        self.queue.put(job.person, job)
        self._note(job)
        self._feed()
        if self._dropping is None or self._dropping.done():
            self._dropping = asyncio.ensure_future(self._drop_stopped())
        try:
            return await job.answer
        except asyncio.CancelledError:
            job.stop.set()
            raise

    async def _drop_stopped(self) -> None:
        """Drop waiting jobs that are no longer wanted."""
        while len(self.queue):
            for person, job in list(self.queue):
                if job.stop.is_set() and self.queue.drop(person, job):
                    _settle(job, None)
            await asyncio.sleep(STOP_CHECK_SECONDS)

    def _feed(self) -> None:
        """Give the waiting jobs to free workers."""
        while not self._closed and (self.idle or self._may_start()):
            taken = self.queue.take()
            if taken is None:
                break
            person, job = taken
            if job.answer.done() or job.stop.is_set():
                self.queue.done(person)
                _settle(job, None)
                continue
            worker = next((worker for worker in self.idle if job.owner in worker.owners), next(iter(self.idle), None))
            if worker is None:
                worker = self._make()
            else:
                self.idle.pop(worker).cancel()
            self.working[worker] = asyncio.ensure_future(self._work(worker, job))

        if self._is_ahead and not self.idle and self._starting is None and self._may_start() and len(self._asked) > 1:
            worker = self._make()
            self._starting = worker, asyncio.ensure_future(self._start(worker))

    def _may_start(self) -> bool:
        return not self._closed and len(self.working) + (self._starting is not None) < self.size

    def _note(self, job: Job) -> None:
        """Remember recent askers."""
        self._asked.pop(job.person, None)
        self._asked[job.person] = job.since
        while next(iter(self._asked.values())) < job.since - IDLE_SECONDS:
            del self._asked[next(iter(self._asked))]

    async def _start(self, worker: Worker) -> None:
        """Start ``worker`` ahead of the next task."""
        sound = False
        try:
            await worker.start()
            sound = True
        except WorkerDied:
            LOG.warning("an engine's process did not start")
        self._starting = None
        self._rest(worker, sound)
        if sound:
            self._feed()

    def _rest(self, worker: Worker, sound: bool) -> None:
        """Note that ``worker`` is free now; end it if it is not ``sound``."""
        if sound and not self._closed:
            self.idle[worker] = asyncio.get_running_loop().call_later(IDLE_SECONDS, self._let_go, worker)
        else:
            worker.end()

    async def _work(self, worker: Worker, job: Job) -> None:
        self._wait.observe(time.monotonic() - job.since)
        sound = False
        try:
            answer = await self._watched(worker, job)
            worker.owners.add(job.owner)
            sound = True
            job.charge(answer.get("cpu", 0.0))
            is_done = answer["says"] == "done"
            _settle(job, answer["found"] if is_done else ApiError(*(answer["fault"] or BROKEN)))
        except WorkerDied:
            self._again(job)
        except TimeoutError:
            job.charge(job.seconds)
            LOG.warning("an engine was ended: it took more than %.0f s", job.seconds)
            _settle(job, ApiError("unavailable", "engine", "The engine took too long. Try again."))
        except Exception:
            LOG.exception("an engine could not be asked")
            _settle(job, ApiError(*BROKEN))
        del self.working[worker]
        self.queue.done(job.person)
        self._rest(worker, sound)
        self._feed()

    async def _watched(self, worker: Worker, job: Job) -> Message:
        """Return the worker's answer. Raise TimeoutError if it takes too long."""
        doing = asyncio.ensure_future(worker.do(job.question, job.report))
        stopped, limit = False, job.seconds
        try:
            while not (await asyncio.wait([doing], timeout=STOP_CHECK_SECONDS))[0]:
                if job.stop.is_set() and not stopped:
                    stopped, limit = True, min(limit, worker.seconds + GRACE_SECONDS)
                    worker.stop()
                if worker.seconds > limit:
                    raise TimeoutError
            return doing.result()
        finally:
            doing.cancel()

    def _again(self, job: Job) -> None:
        """Repeat the job of a worker that died, unless the job caused it."""
        job.attempts += 1
        if self._closed or job.stop.is_set():
            _settle(job, None)
        elif job.attempts < MAX_ATTEMPTS:
            LOG.warning("an engine's process died: what it was at is done again")
            self.queue.put(job.person, job, again=True)
        else:
            LOG.error("%d engines' processes died of the same work", MAX_ATTEMPTS)
            _settle(job, ApiError(*BROKEN))

    def _let_go(self, worker: Worker) -> None:
        if self.idle.pop(worker, None) is not None:
            worker.end()

    def forget(self, owner: str) -> None:
        """Drop the data that workers store for ``owner``."""
        for worker in (*self.idle, *self.working):
            if owner in worker.owners:
                worker.owners.discard(owner)
                worker.forget(owner)

    def close(self) -> list[Worker]:
        """End all workers and jobs."""
        self._closed = True
        for person, job in list(self.queue):
            self.queue.drop(person, job)
            _settle(job, None)
        workers = [*self.idle, *self.working, *([] if self._starting is None else [self._starting[0]])]
        for timer in self.idle.values():
            timer.cancel()
        self.idle.clear()
        for worker in workers:
            worker.end()
        return workers


def _settle(job: Job, answer: Message | ApiError | None) -> None:
    if job.answer.done():
        return
    if isinstance(answer, ApiError):
        job.answer.set_exception(answer)
    else:
        job.answer.set_result(answer)
