"""Workers, and what waits for them: who works at what, how long it may take, and what happens when a worker dies."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from tercet.server.engines.main import Message
from tercet.server.engines.process import Report, Worker, WorkerDied
from tercet.server.errors import ApiError
from tercet.server.limits.queue import FairQueue
from tercet.server.metrics import ENGINE_WAIT

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
    answer: asyncio.Future[Message | None]
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
        self._looking: asyncio.Task[None] | None = None
        self._closed = False

    async def ask(self, job: Job) -> Message | None:
        """Return the answer; None where it was stopped before a worker began. ApiError."""
        self.queue.put(job.person, job)
        self._note(job)
        self._feed()
        if self._looking is None or self._looking.done():
            self._looking = asyncio.ensure_future(self._look())
        try:
            return await job.answer
        except asyncio.CancelledError:
            job.stop.set()
            raise

    async def _look(self) -> None:
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
        """Have ``worker`` ready for the next task."""
        sound = False
        try:
            await worker.start()
            sound = True
        except WorkerDied:
            LOG.warning("an engine's process did not start")
        self._starting = None
        if sound and not self._closed:
            self._rest(worker)
            self._feed()
        else:
            worker.end()

    def _rest(self, worker: Worker) -> None:
        """Note that ``worker`` is free now."""
        self.idle[worker] = asyncio.get_running_loop().call_later(IDLE_SECONDS, self._let_go, worker)

    async def _work(self, worker: Worker, job: Job) -> None:
        self._wait.observe(time.monotonic() - job.since)
        sound = False
        try:
            answer = await self._watched(worker, job)
            worker.owners.add(job.owner)
            sound = True
            job.charge(answer.get("cpu", 0.0))
            if answer["says"] == "done":
                _settle(job, answer["found"])
            else:
                _fail(job, ApiError(*(answer["fault"] or BROKEN)))
        except WorkerDied:
            self._again(job)
        except TimeoutError:
            job.charge(job.seconds)
            LOG.warning("an engine was ended: it took more than %.0f s", job.seconds)
            _fail(job, ApiError("unavailable", "engine", "The engine took too long. Try again."))
        except Exception:
            LOG.exception("an engine could not be asked")
            _fail(job, ApiError(*BROKEN))
        del self.working[worker]
        self.queue.done(job.person)
        if sound and not self._closed:
            self._rest(worker)
        else:
            worker.end()
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
            _fail(job, ApiError(*BROKEN))

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


def _settle(job: Job, answer: Message | None) -> None:
    if not job.answer.done():
        job.answer.set_result(answer)


def _fail(job: Job, error: ApiError) -> None:
    if not job.answer.done():
        job.answer.set_exception(error)
