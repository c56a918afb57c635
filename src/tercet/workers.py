"""Many independent tasks on processes of this machine, on a Dask cluster or on a Ray cluster, behind one function.

>>> from tercet.workers import run_tasks
>>> sorted(run_tasks(str, [7, 8], workers=1))
[(0, '7'), (1, '8')]
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import re
import signal
import sys
import traceback
from collections.abc import Callable, Generator, Iterator, Sequence
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from typing import Any, Self, TypeVar

from tercet.core.rules import whole
from tercet.errors import TercetError, optional

OURS = re.compile(r"^tercet\.[\w.]+Error: ")  # before the sentence of an error that says all itself
MAX_RETRIES = 3  # how often a task is given to another worker after its own was killed

Task = TypeVar("Task")
Result = TypeVar("Result")
Answer = tuple[bool, Any]  # whether the task went well; its result, or the traceback as text
Answers = Generator[tuple[int, Answer], None, None]


class WorkerError(TercetError, RuntimeError):
    """A cluster that cannot be reached, a task that failed, or one whose workers were killed again and again."""


def run_tasks(
    function: Callable[[Task], Result],
    tasks: Sequence[Task],
    *,
    on: str = "local",
    workers: int | None = None,
    retries: int = MAX_RETRIES,
) -> Iterator[tuple[int, Result]]:
    """Yield ``(index, function(tasks[index]))`` as each is done, on :class:`Workers` that end with the iterator."""
    with Workers(on, workers, retries) as crew:
        yield from crew.run(function, tasks)


class Workers:
    """Processes that are kept for several runs of tasks, in a ``with`` block that ends them.

    ``on`` is ``"local"`` (processes of this machine, as many as ``workers`` says, one a core if it says nothing; one
    worker is this process itself), ``"dask://host:port"`` or ``"ray://host:port"``; without a host a local cluster of
    that kind is started. Nothing starts before the first task. A task whose worker dies is given to another, at most
    ``retries`` times. WorkerError where there is no such cluster.
    """

    def __init__(self, on: str = "local", workers: int | None = None, retries: int = MAX_RETRIES) -> None:
        self._kind = check_workers(on, workers)
        self._on, self._workers, self._retries = on, workers, retries
        self._idle: list[_Worker] = []
        self._cluster: Any = None  # the client of a Dask cluster, or Ray itself
        self._ends_cluster = False

    @property
    def count(self) -> int:
        """Return how many processes of this machine work at a time."""
        return self._workers or os.cpu_count() or 1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        for worker in self._idle:
            worker.end()
        if self._ends_cluster:
            self._cluster.close() if self._kind == "dask" else self._cluster.shutdown()
        self._idle, self._cluster, self._ends_cluster = [], None, False

    def run(self, function: Callable[[Task], Result], tasks: Sequence[Task]) -> Iterator[tuple[int, Result]]:
        """Yield ``(index, function(tasks[index]))`` as each is done, in any order.

        ``function`` must be importable by its name and the tasks be picklable. WorkerError where a task fails. Closing
        the iterator early ends the local processes that are at work, and cancels what is queued on a cluster.
        """
        if self._kind == "local":
            inline = not self._idle and min(self.count, len(tasks)) < 2
            attempts = ((index, _attempt(function, task)) for index, task in enumerate(tasks))
            found = attempts if inline else self._processes(function, tasks)
        else:
            found = self._dask(function, tasks) if self._kind == "dask" else self._ray(function, tasks)
        with contextlib.closing(found):
            for index, (went_well, result) in found:
                if not went_well:
                    reason = OURS.sub("", str(result).strip().splitlines()[-1])
                    raise WorkerError(f"Task {index} failed: {reason}") from _RemoteError(result)
                yield index, result

    def _processes(self, function: Callable[[Any], Any], tasks: Sequence[Any]) -> Answers:
        waiting = list(range(len(tasks)))[::-1]
        losses = [0] * len(tasks)
        busy: list[_Worker] = []

        def fill() -> None:
            """Let workers take tasks that wait."""
            while waiting and len(busy) < self.count:
                worker = self._idle.pop() if self._idle else _Worker()
                busy.append(worker)
                index = waiting.pop()
                worker.give(index, function, tasks[index])

        try:
            while waiting or busy:
                fill()
                wait([worker.pipe for worker in busy])
                for worker in [worker for worker in busy if worker.pipe.poll()]:
                    done = worker.index
                    assert done is not None
                    try:
                        answer: Answer | None = worker.pipe.recv()
                    except (EOFError, ConnectionError):
                        answer = None
                    busy.remove(worker)
                    if answer is None:
                        worker.end()
                        losses[done] += 1
                        if losses[done] > self._retries:
                            raise WorkerError(f"Task {done} failed: its worker was killed {losses[done]} times.")
                        waiting.append(done)
                        continue
                    self._idle.append(worker)
                    fill()  # before the answer is looked at
                    yield done, answer
        finally:
            for worker in busy:
                worker.end()

    def _dask(self, function: Callable[[Any], Any], tasks: Sequence[Any]) -> Answers:
        distributed = optional("distributed", "An address dask://", WorkerError)
        client = self._cluster = self._cluster or self._dask_client(distributed)
        self._ends_cluster = True
        queue = iter(enumerate(tasks))
        places: dict[Any, int] = {}

        def submit() -> Any:
            for index, task in queue:
                # A name of its own: equal tasks of another run are not this one's.
                future = client.submit(_attempt, function, task, pure=False, retries=self._retries)
                places[future] = index
                return future
            return None

        window = 2 * max(1, sum(client.nthreads().values()))
        first = [future for future in (submit() for _ in range(min(window, len(tasks)))) if future is not None]
        completed = distributed.as_completed(first)
        try:
            for future in completed:
                index = places.pop(future)
                try:
                    answer = future.result()
                except distributed.KilledWorker as error:
                    raise WorkerError(f"Task {index} failed: {error}") from None
                following = submit()
                if following is not None:
                    completed.add(following)
                yield index, answer
        finally:
            client.cancel(list(places))

    def _dask_client(self, distributed: Any) -> Any:
        address = self._on.removeprefix("dask://")
        try:
            if address:
                return distributed.Client(f"tcp://{address}", timeout=20)
            return distributed.Client(n_workers=self.count, threads_per_worker=1, dashboard_address="")
        except (OSError, ValueError) as error:
            raise WorkerError(f"The cluster {self._on} cannot be reached: {error}") from None

    def _ray(self, function: Callable[[Any], Any], tasks: Sequence[Any]) -> Answers:
        ray = self._cluster = self._cluster or self._started_ray()
        remote = ray.remote(max_retries=self._retries)(_attempt)
        queue = iter(enumerate(tasks))
        pending: dict[Any, int] = {}
        window = 2 * max(1, int(ray.cluster_resources().get("CPU", 1)))
        try:
            while True:
                for index, task in queue:
                    pending[remote.remote(function, task)] = index
                    if len(pending) >= window:
                        break
                if not pending:
                    return
                (future,), _ = ray.wait(list(pending), num_returns=1)
                index = pending.pop(future)
                try:
                    answer = ray.get(future)
                except ray.exceptions.RayError as error:
                    raise WorkerError(f"Task {index} failed: {error}") from None
                yield index, answer
        finally:
            for future in pending:
                ray.cancel(future, force=True)

    def _started_ray(self) -> Any:
        ray = optional("ray", "An address ray://", WorkerError)
        if ray.is_initialized():
            return ray
        try:
            if self._on == "ray://":
                paths = {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}  # what can be imported here
                environment = {"env_vars": paths}
                options = {"num_cpus": self._workers, "include_dashboard": False, "runtime_env": environment}
                ray.init("local", log_to_driver=False, **options)  # not a cluster that happens to run here
            else:
                ray.init(address=self._on, log_to_driver=False)
        except (ConnectionError, ValueError, RuntimeError) as error:  # the last: another version of Python or Ray
            raise WorkerError(f"The cluster {self._on} cannot be reached: {error}") from None
        self._ends_cluster = True
        return ray


def check_workers(on: str, workers: int | None = None) -> str:
    """Return what kind of cluster ``on`` names, ``"local"``, ``"dask"`` or ``"ray"``; WorkerError."""
    if workers is not None and whole(workers, 1) is None:
        raise WorkerError(f"workers must be a whole number, at least 1, not {workers!r:.40}.")
    kind, separator, _ = on.partition("://")
    if on == "local" or (separator and kind in ("dask", "ray")):
        return kind
    raise WorkerError(f"A cluster must be local, dask://host:port or ray://host:port, not {on[:60]!r}.")


class _RemoteError(Exception):
    """The traceback of a task that failed in another process."""


def _attempt(function: Callable[[Any], Any], task: Any) -> Answer:
    """Run one task; an error becomes text, as not every exception can be pickled."""
    try:
        return True, function(task)
    except Exception:
        return False, traceback.format_exc()


def _work(pipe: Connection) -> None:
    """Answer tasks in a local process until the other end of the pipe is closed."""
    with contextlib.suppress(EOFError, BrokenPipeError):
        while True:
            pipe.send(_attempt(*pipe.recv()))


class _Worker:
    """A local process and the task that it has in hand."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.index: int | None = None
        self.process = context.Process(target=_work, args=(theirs,), daemon=True)
        with _no_interrupts():
            self.process.start()
        theirs.close()

    def give(self, index: int, function: Callable[[Any], Any], task: Any) -> None:
        self.index = index
        with contextlib.suppress(BrokenPipeError):  # it was killed meanwhile: the wait below finds out
            self.pipe.send((function, task))

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()


@contextlib.contextmanager
def _no_interrupts() -> Iterator[None]:
    """Shield processes started here from Ctrl-C, which a terminal sends to all of them; this process decides."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # its start lets the signals through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
