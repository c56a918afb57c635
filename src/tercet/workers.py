"""Many independent tasks on processes of this machine, on a Dask cluster or on a Ray cluster, behind one function.

>>> from tercet.workers import run_tasks
>>> sorted(run_tasks(str, [7, 8], workers=1))
[(0, '7'), (1, '8')]
"""

from __future__ import annotations

import contextlib
import importlib
import multiprocessing
import os
import signal
import sys
import traceback
from collections.abc import Callable, Generator, Iterator, Sequence
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from typing import Any, TypeVar

from tercet.errors import TercetError, needs_extra

__all__ = ["MAX_RETRIES", "WorkerError", "check_workers", "run_tasks"]

MAX_RETRIES = 3  # how often a task is given to another worker after its own was killed

Task = TypeVar("Task")
Result = TypeVar("Result")
Answer = tuple[bool, Any]  # whether the task went well; its result, or the traceback as text


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
    """Yield ``(index, function(tasks[index]))`` as each is done, in any order.

    ``on`` is ``"local"`` (processes of this machine, as many as ``workers`` says, one a core if it says nothing; one
    worker is this process itself), ``"dask://host:port"`` or ``"ray://host:port"``; without a host a local cluster of
    that kind is started. ``function`` must be importable by its name and the tasks be picklable. A task whose worker
    dies is given to another, at most ``retries`` times. WorkerError where there is no such cluster or a task fails.
    Closing the iterator early ends the local processes and cancels what is queued on a cluster.
    """
    kind = check_workers(on, workers)
    if kind == "local":
        count = min(workers or os.cpu_count() or 1, max(1, len(tasks)))
        found = _inline(function, tasks) if count == 1 else _processes(function, tasks, count, retries)
    elif kind == "dask":
        found = _dask(on, function, tasks, workers, retries)
    else:
        found = _ray(on, function, tasks, workers, retries)
    with contextlib.closing(found):
        for index, (went_well, result) in found:
            if not went_well:
                reason = str(result).strip().splitlines()[-1]
                raise WorkerError(f"Task {index} failed: {reason}") from _RemoteError(result)
            yield index, result


def check_workers(on: str, workers: int | None = None) -> str:
    """Return what kind of cluster ``on`` names: ``"local"``, ``"dask"`` or ``"ray"``. WorkerError where it names none,
    or there would be no worker."""
    if workers is not None and workers < 1:
        raise WorkerError(f"workers must be at least 1, not {workers}.")
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


def _inline(function: Callable[[Any], Any], tasks: Sequence[Any]) -> Generator[tuple[int, Answer], None, None]:
    for index, task in enumerate(tasks):
        yield index, _attempt(function, task)


def _work(pipe: Connection, function: Callable[[Any], Any]) -> None:
    """Answer tasks in a local process until the other end of the pipe is closed."""
    with contextlib.suppress(EOFError, BrokenPipeError):
        while True:
            pipe.send(_attempt(function, pipe.recv()))


class _Worker:
    """A local process and the task that it has in hand."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.index: int | None = None
        self.process = context.Process(target=_work, args=(theirs, function), daemon=True)
        with _no_interrupts():
            self.process.start()
        theirs.close()

    def give(self, index: int, task: Any) -> None:
        self.index = index
        with contextlib.suppress(BrokenPipeError):  # it was killed meanwhile: the wait below finds out
            self.pipe.send(task)

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


def _processes(
    function: Callable[[Any], Any], tasks: Sequence[Any], count: int, retries: int
) -> Generator[tuple[int, Answer], None, None]:
    waiting = list(range(len(tasks)))[::-1]
    losses = [0] * len(tasks)
    workers: list[_Worker] = []
    try:
        while waiting or workers:
            while waiting and len(workers) < count:
                worker = _Worker(function)
                workers.append(worker)
                index = waiting.pop()
                worker.give(index, tasks[index])
            wait([worker.pipe for worker in workers])
            for worker in [worker for worker in workers if worker.pipe.poll()]:
                done = worker.index
                assert done is not None
                try:
                    answer: Answer | None = worker.pipe.recv()
                except (EOFError, ConnectionError):
                    answer = None
                if answer is None:
                    workers.remove(worker)
                    worker.end()
                    losses[done] += 1
                    if losses[done] > retries:
                        raise WorkerError(f"Task {done} failed: its worker was killed {losses[done]} times.")
                    waiting.append(done)
                    continue
                if waiting:
                    index = waiting.pop()
                    worker.give(index, tasks[index])
                else:
                    workers.remove(worker)
                    worker.end()
                yield done, answer
    finally:
        for worker in workers:
            worker.end()


def _library(name: str, extra: str) -> Any:
    """Return a library that only clusters need; WorkerError where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise WorkerError(needs_extra(f"An address {extra}://", extra)) from None


def _dask(
    on: str, function: Callable[[Any], Any], tasks: Sequence[Any], workers: int | None, retries: int
) -> Generator[tuple[int, Answer], None, None]:
    distributed = _library("distributed", "dask")
    address = on.removeprefix("dask://")
    try:
        if address:
            client = distributed.Client(f"tcp://{address}", timeout=20)
        else:
            client = distributed.Client(n_workers=workers or os.cpu_count(), threads_per_worker=1, dashboard_address="")
    except (OSError, ValueError) as error:
        raise WorkerError(f"The cluster {on} cannot be reached: {error}") from None
    with client:
        queue = iter(enumerate(tasks))
        places: dict[Any, int] = {}

        def submit() -> Any:
            for index, task in queue:
                # A name of its own: equal tasks of another run are not this one's.
                future = client.submit(_attempt, function, task, pure=False, retries=retries)
                places[future.key] = index
                return future
            return None

        window = 2 * max(1, sum(client.nthreads().values()))
        first = [future for future in (submit() for _ in range(min(window, len(tasks)))) if future is not None]
        completed = distributed.as_completed(first)
        for future in completed:
            try:
                answer = future.result()
            except distributed.KilledWorker as error:
                raise WorkerError(f"Task {places[future.key]} failed: {error}") from None
            following = submit()
            if following is not None:
                completed.add(following)
            yield places.pop(future.key), answer


def _ray(
    on: str, function: Callable[[Any], Any], tasks: Sequence[Any], workers: int | None, retries: int
) -> Generator[tuple[int, Answer], None, None]:
    ray = _library("ray", "ray")
    here = on == "ray://"
    mine = not ray.is_initialized()
    try:
        if mine and here:
            paths = {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}  # what can be imported here
            ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False, runtime_env={"env_vars": paths})
        elif mine:
            ray.init(address=on, log_to_driver=False)
    except (ConnectionError, ValueError) as error:
        raise WorkerError(f"The cluster {on} cannot be reached: {error}") from None
    try:
        remote = ray.remote(max_retries=retries)(_attempt)
        queue = iter(enumerate(tasks))
        pending: dict[Any, int] = {}
        window = 2 * max(1, int(ray.cluster_resources().get("CPU", 1)))
        while True:
            for index, task in queue:
                pending[remote.remote(function, task)] = index
                if len(pending) >= window:
                    break
            if not pending:
                return
            (future,), _ = ray.wait(list(pending), num_returns=1)
            try:
                answer = ray.get(future)
            except ray.exceptions.RayError as error:
                raise WorkerError(f"Task {pending[future]} failed: {error}") from None
            yield pending.pop(future), answer
    finally:
        if mine:
            ray.shutdown()
