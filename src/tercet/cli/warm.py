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
from tercet.errors import OptionError
from tercet.game import Game
from tercet.games import game_definition, names

__all__ = ["run", "steps"]


def steps(name: str, everything: bool = True) -> list[tuple[str, Callable[[], object]]]:
    """Return the steps that leave nothing of a game to compile, each with its name: what players need, and with
    ``everything`` what only training needs (batches and environments)."""
    import numpy as np

    from tercet.batch import Batch
    from tercet.engines import prepare
    from tercet.environments.play import Play

    game = Game(game_definition(name), {}, "compiled")
    start = game.start(1)

    def playouts() -> None:
        rules = game.rules
        players = len(game.players)
        row, total = start.row.copy(), np.zeros(players)
        game.playout.playouts(
            game.data, start.row, row, rules.row_size, players, 1, 1, game.new_list(), game.new_events(),
            np.zeros(players), total, 100,
        )  # fmt: skip

    def batches() -> None:
        for kind in ("uint8", "float32"):
            batch = Batch(game, games=1, dtype=kind)
            batch.step(batch.random_actions())
        batch.observe(0)
        batch.playouts(limit=10)

    def rules_and_words() -> None:
        position = start
        for _ in range(8):
            action = position.legal_actions[len(position.legal_actions) // 2]
            position.events(action)
            position = position.play(str(action))
            game.parse(str(position))
        game.definition.view.scene(position)
        game.definition.view.paths(position)
        position.canonical_key()
        position.observe()

    def questions() -> None:
        explorations, position = game.definition.explorations, start
        if explorations is None:
            return
        for _ in range(4):
            for asked in explorations.offered(game):
                with contextlib.suppress(OptionError):  # it makes no sense here
                    explorations.explore(position, asked.id, game.board.names[0] if asked.needs == "cell" else None, 3)
            position = position.play(str(position.legal_actions[0]))

    found: list[tuple[str, Callable[[], object]]] = [
        ("rules", rules_and_words),
        ("perft", lambda: game.perft(start, 2)),
        ("random games", playouts),
        ("engines", lambda: prepare(game)),
        ("questions", questions),
    ]
    more = game.definition.engine.warm
    if more is not None:
        found.append(("solver", more))
    if everything:
        found += [("batches", batches), ("environments", lambda: Play(game))]
    return found


@dataclass(frozen=True)
class Report:
    """What a process says while it compiles: how many ``steps`` there are, which ``step`` begins now, or which function
    was ``compiled`` just now."""

    game: str
    steps: int = 0
    step: str = ""
    compiled: str = ""


def warm_game(name: str, everything: bool, tell: Callable[[Report], None]) -> list[tuple[str, float]]:
    """Take the steps of one game in this process; returns the kernels compiled, with their processor seconds."""
    before = len(kernel.compiled)
    kernel.on_compile(lambda what: tell(Report(name, compiled=what)))
    try:
        plan = steps(name, everything)
        tell(Report(name, steps=len(plan)))
        for words, work in plan:
            tell(Report(name, step=words))
            work()
    finally:
        kernel.on_compile(None)
    return kernel.compiled[before:]


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
