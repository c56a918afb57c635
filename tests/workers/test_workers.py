"""Tasks on several processes: the same results wherever they run, whatever dies."""

import importlib
import multiprocessing
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tercet.workers import WorkerError, Workers, run_tasks
from tests.support.clusters import dask_cluster
from tests.support.refusals import refuses

SQUARES = [(number, number * number) for number in range(8)]


@pytest.fixture
def deadly(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The tasks, importable in other processes too."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    yield importlib.import_module("deadly")
    sys.modules.pop("deadly", None)


@pytest.mark.parametrize("workers", [1, 2])
def test_every_task_is_answered_once(deadly: Any, workers: int) -> None:
    assert sorted(run_tasks(deadly.square, range(8), workers=workers)) == SQUARES


def test_no_task_needs_no_worker(deadly: Any) -> None:
    assert list(run_tasks(deadly.square, [])) == []


def test_workers_are_kept_from_run_to_run(deadly: Any) -> None:
    before = set(multiprocessing.active_children())
    with Workers(workers=2) as crew:
        assert sorted(crew.run(deadly.square, range(8))) == SQUARES
        kept = set(multiprocessing.active_children()) - before
        assert sorted(crew.run(deadly.square, range(8))) == SQUARES
        refuses(WorkerError, "Task 1 failed", list, crew.run(deadly.fail, range(3)))
        assert sorted(crew.run(deadly.square, range(1))) == SQUARES[:1]
        assert len(kept) == 2
    assert set(multiprocessing.active_children()) == before


@pytest.mark.online
def test_tasks_of_killed_workers_are_given_to_others_or_given_up(deadly: Any, tmp_path: Path) -> None:
    tasks = [(str(tmp_path / "marker"), number) for number in range(8)]
    assert sorted(run_tasks(deadly.die_once, tasks, workers=2)) == SQUARES
    assert (tmp_path / "marker").exists()
    with pytest.raises(WorkerError, match="Task 3 failed: its worker was killed 3 times"):
        list(run_tasks(deadly.die_always, range(5), workers=2, retries=2))


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_names_its_task_and_keeps_the_traceback(deadly: Any, workers: int) -> None:
    with pytest.raises(WorkerError, match="Task 1 failed: ValueError: there is no one") as caught:
        list(run_tasks(deadly.fail, range(3), workers=workers))
    assert "in fail" in str(caught.value.__cause__)


def test_whoever_stops_asking_leaves_no_process_behind(deadly: Any) -> None:
    before = set(multiprocessing.active_children())
    found = run_tasks(deadly.slow_square, range(100), workers=2)
    next(found)
    assert len(set(multiprocessing.active_children()) - before) == 2
    found.close()  # type: ignore[attr-defined]
    assert set(multiprocessing.active_children()) == before


@pytest.mark.parametrize("on", ["", "nowhere", "http://host:1", "dask:/host"])
def test_what_is_no_cluster_is_refused(deadly: Any, on: str) -> None:
    refuses(WorkerError, "A cluster must be local", list, run_tasks(deadly.square, range(2), on=on))
    with pytest.raises(WorkerError, match="workers must be a whole number, at least 1"):
        list(run_tasks(deadly.square, range(2), workers=0))


def test_a_missing_library_is_named_with_its_extra(deadly: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    refuses(WorkerError, r"tercet\[ray\]", list, run_tasks(deadly.square, range(2), on="ray://127.0.0.1:10001"))


def test_a_ray_cluster_with_another_version_of_python_is_refused(deadly: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def init(**_options: Any) -> None:
        raise RuntimeError("Python minor versions differ between client and server")

    monkeypatch.setitem(sys.modules, "ray", SimpleNamespace(is_initialized=lambda: False, init=init))
    with pytest.raises(WorkerError, match="The cluster ray://host:10001 cannot be reached: Python minor versions"):
        list(run_tasks(deadly.square, range(2), on="ray://host:10001"))


@pytest.mark.online
def test_dask_gives_the_task_of_a_killed_worker_to_another(deadly: Any, tmp_path: Path) -> None:
    with dask_cluster() as address:
        tasks = [(str(tmp_path / "marker"), number) for number in range(8)]
        assert sorted(run_tasks(deadly.die_once, tasks, on=f"dask://{address}")) == SQUARES
        assert (tmp_path / "marker").exists()


@pytest.mark.long
def test_ray_gives_the_task_of_a_killed_worker_to_another(deadly: Any, tmp_path: Path) -> None:
    pytest.importorskip("ray")
    tasks = [(str(tmp_path / "marker"), number) for number in range(8)]
    assert sorted(run_tasks(deadly.die_once, tasks, on="ray://", workers=2)) == SQUARES
    assert (tmp_path / "marker").exists()
