"""``tercet warm``: compile everything ahead."""

from __future__ import annotations

import contextlib
import itertools
import multiprocessing
import os
import queue
import shutil
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from tercet import kernel
from tercet.core.game import Game
from tercet.engines.preparing import STAGES, mark_ready, steps
from tercet.games import game_definition, names
from tercet.kernel.cache import compiled


def training_steps(name: str) -> list[tuple[str, Callable[[], object]]]:
    """Return the steps that compile what only training needs of a game, each with its title."""
    from tercet.batch import Batch
    from tercet.environments.play import Play

    game = Game(game_definition(name), {}, "compiled")

    def batches() -> None:
        for kind in ("uint8", "float32"):
            batch = Batch(game, games=1, dtype=kind)
            batch.step(batch.random_actions())
        batch.observe(0)
        batch.playouts(limit=10)

    return [("batches", batches), ("environments", lambda: Play(game))]


@dataclass(frozen=True)
class Report:
    """A process's progress in compiling: the number of ``steps``, the ``step`` that begins, or the function
    ``compiled``."""

    game: str
    steps: int = 0
    step: str = ""
    compiled: str = ""


def warm_game(name: str, everything: bool, tell: Callable[[Report], None]) -> list[tuple[str, float]]:
    """Compile one game in this process; return the kernels compiled, with their processor seconds."""
    before = len(compiled)
    kernel.on_compile(lambda what: tell(Report(name, compiled=what)))
    try:
        plan = [(*step, stage) for stage in STAGES for step in steps(name, stage)]
        if everything:
            plan += [(*step, "") for step in training_steps(name)]
        tell(Report(name, steps=len(plan)))
        for number, (words, work, stage) in enumerate(plan):
            tell(Report(name, step=words))
            work()
            if stage and (number + 1 == len(plan) or plan[number + 1][2] != stage):
                mark_ready(name, stage)
    finally:
        kernel.on_compile(None)
    return compiled[before:]


def run(games: Sequence[str], clear: bool, everything: bool, profile: bool) -> None:
    """Compile the kernels of ``games`` (all if none is named) and show progress. Games share no compiled code, so each
    has a process of its own where there are cores for them. ``profile`` also prints the processor seconds of each."""
    chosen = [game_definition(name).name for name in games or names()]
    console = Console(stderr=True, highlight=False)
    directory = kernel.cache_directory()
    if clear:
        _clear(directory)
    begun = time.perf_counter()
    processes = min(len(chosen), os.cpu_count() or 1)
    columns = (TextColumn("{task.description:<36}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task(chosen[0], total=None)
        total = 0

        def tell(report: Report) -> None:
            nonlocal total
            if report.steps:
                total += report.steps
                progress.update(task, total=total)
                return
            if report.compiled:
                progress.update(task, description=f"compiling {report.compiled}")
                return
            progress.update(task, description=f"{report.game}: {report.step}")
            progress.advance(task)
            if not console.is_terminal:
                console.print(f"{report.game}: {report.step}")

        compiled = (
            _in_processes(chosen, everything, processes, tell)
            if processes > 1
            else [warm_game(name, everything, tell) for name in chosen]
        )
    seconds = time.perf_counter() - begun
    kernels = sorted(itertools.chain(*compiled), key=lambda each: -each[1])
    if profile:
        for name, spent in kernels:
            print(f"{spent:7.2f} s  {name}")
    spent = sum(spent for _, spent in kernels)
    print(
        f"{', '.join(chosen)}: {len(kernels)} kernels compiled, {spent:.1f} processor seconds, {seconds:.1f} s, "
        f"kept in {directory}"
    )


def _in_processes(
    chosen: Sequence[str], everything: bool, processes: int, tell: Callable[[Report], None]
) -> list[list[tuple[str, float]]]:
    context = multiprocessing.get_context("spawn")
    with context.Manager() as manager, ProcessPoolExecutor(processes, mp_context=context) as pool:
        reports = manager.Queue()
        found = [pool.submit(warm_game, name, everything, reports.put) for name in chosen]
        while not all(future.done() for future in found):
            with contextlib.suppress(queue.Empty):
                tell(reports.get(timeout=0.1))
        while not reports.empty():
            tell(reports.get())
        return [future.result() for future in found]


def _clear(directory: Path) -> None:
    if not directory.is_dir():
        return
    for path in directory.iterdir():
        if path.suffix in (".nbi", ".nbc", ".ready"):
            path.unlink()
        elif path.is_dir() and path.name == "__pycache__":
            shutil.rmtree(path)
