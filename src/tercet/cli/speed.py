"""Commands about speed: measuring it, and compiling ahead."""

from __future__ import annotations

import contextlib
import itertools
import json as json_module
import os
import random
import shutil
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tercet import kernel
from tercet.cli.app import GAME_WORDS, OPEN, Json, Seed, app, first_game, game_of, print_answer, progress_bar, split
from tercet.core.game import Game, Position
from tercet.errors import OptionError, TercetError
from tercet.games import game_definition, names
from tercet.kernel.cache import compiled

if TYPE_CHECKING:
    from tercet.batch import Batch

Step = Callable[[], int]  # makes some steps; how many
Rates = dict[str, float]  # games_per_s, moves_per_s, threads
MAX_PLIES = 4000  # actions of a random game where nothing else bounds it


@app.command(context_settings=OPEN)
def bench(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            help=f"playouts, mcts, api, perft or envs, then {GAME_WORDS}", metavar="WHAT GAME [--OPTION VALUE]..."
        ),
    ] = None,
    threads: Annotated[int, typer.Option(min=1, max=1024, help="Number of threads.")] = 1,
    seconds: Annotated[float, typer.Option(min=0.01, max=3600, help="Seconds to measure.")] = 2.0,
    seed: Seed = 1,
    json: Json = False,
) -> None:
    """Measure speed: random games in compiled code, tree search, random play through the Python API, perft, or
    environments for training.

    For mcts a game is a simulation; for perft it is one count of the tree, and moves are its leaves.
    """
    positional, options = split(words)
    if len(positional) == 2 and positional[0] == "envs":
        _environments(game_of(positional[1], options), seconds, seed, json)
        return
    if len(positional) != 2 or positional[0] not in (*THREADED, *SINGLE):
        kinds = ", ".join((*THREADED, *SINGLE, "envs"))
        raise OptionError("words", f"Name one of {kinds} and a game, as in `tercet bench playouts {first_game()}`.")
    kind, name = positional
    if threads > 1 and kind in SINGLE:
        raise OptionError("threads", f"{kind} runs on one thread. Leave out --threads.")
    game = game_of(name, options)
    rates = SINGLE[kind](game, seconds, seed) if kind in SINGLE else THREADED[kind](game, threads, seconds, seed)
    shown = {key: round(value) if value >= 100 else round(value, 3) for key, value in rates.items()}
    units = {"mcts": ("simulations", "actions in them"), "perft": ("trees", "leaves")}
    unit, count = units.get(kind, ("games", "moves"))
    on = "1 thread" if threads == 1 else f"{threads} threads"
    title = f"{name} {game.option_text(changed_only=True)} {kind}, {on}".replace("  ", " ")
    speeds = (f"{shown['games_per_s']:>14,} {unit}/s", f"{shown['moves_per_s']:>14,} {count}/s")
    print_answer(json, shown, [title, *speeds])


def _side_by_side(work: Callable[[int], None], threads: int) -> float:
    """Run ``work(0)``, ``work(1)`` ... on threads of their own; the seconds until all are done."""
    begun = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, range(threads)))
    return time.perf_counter() - begun


def playouts(game: Game, threads: int, seconds: float, seed: int) -> Rates:
    """Uniformly random games in compiled code, from the start position to the end."""
    import numpy as np

    rules, players = game.rules, len(game.players)
    start = game.start(seed).row
    limit = rules.max_plies or MAX_PLIES
    games, plies = [0] * threads, [0] * threads

    def batch(count: int, first: int) -> int:
        return int(
            game.playout.playouts(
                game.data, start, game.new_row(), rules.row_size, players, count, first, game.new_list(),
                game.new_events(), np.zeros(players), np.zeros(players), limit,
            )
        )  # fmt: skip

    batch(1, seed)
    begun = time.perf_counter()
    batch(20, seed)
    count = max(1, round(0.02 * 20 / max(1e-6, time.perf_counter() - begun)))  # about 20 ms a batch
    until = time.perf_counter() + seconds

    def work(index: int) -> None:
        while time.perf_counter() < until:
            plies[index] += batch(count, seed + (index << 40) + games[index])
            games[index] += count

    spent = _side_by_side(work, threads)
    return {"games_per_s": sum(games) / spent, "moves_per_s": sum(plies) / spent, "threads": threads}


def mcts(game: Game, threads: int, seconds: float, seed: int) -> Rates:
    """Simulations of plain UCT with random playouts from the start position. The moves are those of the playouts,
    whose length is measured on random games."""
    from tercet.engines import Limits
    from tercet.engines.mcts import MctsEngine
    from tercet.engines.tree import Settings

    engine = MctsEngine(game, seed=seed, threads=threads, settings=Settings(informed=False))
    start = game.start(seed)
    engine.think(start, Limits(nodes=200))
    engine.new_game()
    begun = time.perf_counter()
    nodes = engine.think(start, Limits(movetime=seconds)).info.nodes
    spent = time.perf_counter() - begun
    plain = playouts(game, 1, 0.2, seed)
    length = plain["moves_per_s"] / plain["games_per_s"]
    return {"games_per_s": nodes / spent, "moves_per_s": nodes * length / spent, "threads": threads}


def random_game(start: Position, chance: Callable[[], float]) -> int:
    """Play one random game through the public API; how many actions it took."""
    position = start
    plies = 0
    while not position.is_over:
        actions = position.legal_actions
        position = position.play(actions[int(chance() * len(actions))])
        plies += 1
    return plies


def api(game: Game, seconds: float, seed: int) -> Rates:
    """Random play as any program would do it: list the legal actions, choose one, play it."""
    start = game.start(seed)
    chance = random.Random(seed).random
    random_game(start, chance)
    return _rates(lambda: random_game(start, chance), seconds)


def perft(game: Game, seconds: float, seed: int) -> Rates:
    """Counting of the tree from the start, as deep as can be done several times in ``seconds``."""
    start = game.start(seed)
    depth = 1
    while True:
        begun = time.perf_counter()
        nodes = game.perft(start, depth + 1)
        took = time.perf_counter() - begun
        if nodes == 0 or took * max(2.0, nodes / max(1, game.perft(start, depth))) > seconds:
            break
        depth += 1
    return _rates(lambda: game.perft(start, depth), seconds)


def _rates(step: Step, seconds: float, clock: Callable[[], float] = time.perf_counter) -> Rates:
    """Call ``step`` for so many seconds of ``clock``. It returns how many moves it made."""
    games = moves = 0
    begun = clock()
    while games == 0 or clock() - begun < seconds:
        moves += step()
        games += 1
    spent = clock() - begun
    return {"games_per_s": games / spent, "moves_per_s": moves / spent, "threads": 1}


THREADED = {"playouts": playouts, "mcts": mcts}
SINGLE = {"api": api, "perft": perft}
ROUNDS = 3  # of all measurements
GAMES = 1024  # that each environment steps at once


def _environments(game: Game, seconds: float, seed: int, json: bool) -> None:
    random.seed(seed)
    rates = in_turns(environments_of(game), seconds)
    width = max(map(len, rates))
    lines = ["steps for a second of one core's time, with masks and observations where the library has them"]
    print_answer(json, {"steps_per_s": rates}, lines + [f"{name:<{width}} {rate:>12,}" for name, rate in rates.items()])


def in_turns(every: Iterable[tuple[str, Step]], seconds: float) -> dict[str, int]:
    """Return the steps of each for a second of the processor's time, measured for ``seconds`` each. They take turns, so
    that whatever else the machine does is spread over all."""
    import statistics

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        steps = dict(every)
        for step in steps.values():
            step()
        found: dict[str, list[float]] = {name: [] for name in steps}
        for _ in range(ROUNDS):
            for name, step in steps.items():
                found[name].append(_rates(step, seconds / ROUNDS, time.process_time)["moves_per_s"])
    return {name: round(statistics.median(each)) for name, each in found.items()}


def environments_of(game: Game) -> Iterator[tuple[str, Step]]:
    """Yield each environment of a game by name, with what makes some steps in it; what needs a library that is not
    installed is left out and said on stderr."""
    from tercet import environments
    from tercet.batch import Batch

    made: dict[str, Callable[[], Step]] = {
        f"Batch, {GAMES} games": lambda: _together(Batch(game, GAMES)),
        "Gymnasium vector, 64 games": lambda: _vector(environments.vector(game, 64)),
        "PettingZoo AEC": lambda: turns(environments.aec(game)),
        "OpenSpiel": lambda: states(environments.openspiel(game)),
        "PufferLib, 64 games": lambda: _puffer(environments.pufferlib(game, 64)),
    }
    name = f"{game.name} {game.option_text(changed_only=True)}".strip()
    for kind, make in made.items():
        try:
            yield f"{name}: {kind}", make()
        except TercetError as error:
            print(f"{kind.partition(',')[0]} is left out: {error}", file=sys.stderr)


def turns(env: Any) -> Step:
    """PettingZoo's own measure: observe, draw a legal action, step."""
    import numpy as np

    env.reset(seed=1)

    def step() -> int:
        for _ in range(100):
            observation, _, over, cut, _ = env.last()
            action = None if over or cut else random.choice(np.flatnonzero(observation["action_mask"]).tolist())
            env.step(action)
            if not env.agents or all(env.terminations.values()) or all(env.truncations.values()):
                env.reset()
        return 100

    return step


def states(game: Any) -> Step:
    """OpenSpiel from Python: list the legal actions, draw one, apply it."""

    def step() -> int:
        state = game.new_initial_state()
        steps = 0
        while not state.is_terminal():
            actions = state.legal_actions()
            state.apply_action(actions[int(random.random() * len(actions))])
            steps += 1
        return steps

    return step


def _together(batch: Batch) -> Step:
    def step() -> int:
        batch.step(batch.random_actions())
        return batch.games

    return step


def _vector(env: Any) -> Step:
    import numpy as np

    env.reset(seed=1)

    def step() -> int:
        env.step(np.maximum(env.batch.random_actions(), 0))
        return int(env.num_envs)

    return step


def _puffer(env: Any) -> Step:
    import numpy as np

    env.reset(seed=1)
    actions = np.zeros(env.num_agents, np.int64)

    def step() -> int:
        actions[env.masks] = env.batch.random_actions()
        env.step(actions)
        return int(env.batch.games)

    return step


@app.command()
def wasm(
    games: Annotated[list[str] | None, typer.Argument(help="Games; by default all.")] = None,
    out: Annotated[Path, typer.Option(help="The folder to write the modules to.")] = Path("wasm"),
) -> None:
    """Build each game's kernels as a WebAssembly module, with a table of its entry points."""
    import zlib

    from tercet.browser.building import built_module

    out.mkdir(parents=True, exist_ok=True)
    for name in [game_definition(name).name for name in games or names()]:
        began = time.process_time()
        built = built_module(name)
        (out / f"{name}.wasm").write_bytes(built.content)
        (out / f"{name}.json").write_text(json_module.dumps(built.table, indent=1) + "\n", "utf-8")
        print(
            f"{out / name}.wasm: {len(built.table['kernels'])} kernels, {len(built.content)} bytes "
            f"({len(zlib.compress(built.content, 9))} compressed), {time.process_time() - began:.1f} processor seconds"
        )


@app.command()
def warm(
    games: Annotated[list[str] | None, typer.Argument(help="Games; by default all.")] = None,
    clear: Annotated[bool, typer.Option("--clear", help="Delete everything compiled before.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="Also compile batches, which only training needs.")] = False,
    profile: Annotated[bool, typer.Option("--profile", help="Print the processor seconds of each kernel.")] = False,
) -> None:
    """Compile now what playing needs, so that nothing has to be compiled later."""
    from rich.console import Console

    chosen = [game_definition(name).name for name in games or names()]
    console = Console(stderr=True, highlight=False)
    directory = kernel.cache_directory()
    if clear:
        _clear(directory)
    begun = time.perf_counter()
    processes = min(len(chosen), os.cpu_count() or 1)
    total = 0
    with progress_bar(chosen[0], None, last="none") as update:

        def tell(changes: dict[str, Any]) -> None:
            nonlocal total
            total += changes.pop("steps", 0)
            update(total=total, **changes)
            if "advance" in changes and not console.is_terminal:
                console.print(changes["description"])

        if processes > 1:
            done = _in_processes(chosen, everything, processes, tell)
        else:
            done = [warm_game(name, everything, tell) for name in chosen]
    seconds = time.perf_counter() - begun
    kernels = sorted(itertools.chain(*done), key=lambda each: -each[1])
    if profile:
        for name, spent in kernels:
            print(f"{spent:7.2f} s  {name}")
    spent = sum(spent for _, spent in kernels)
    print(
        f"{', '.join(chosen)}: {len(kernels)} kernels compiled, {spent:.1f} processor seconds, {seconds:.1f} s, "
        f"kept in {directory}"
    )


def warm_game(name: str, everything: bool, tell: Callable[[dict[str, Any]], None]) -> list[tuple[str, float]]:
    """Compile one game in this process; return the kernels compiled, with their processor seconds.

    ``tell`` gets what changes in the progress bar, and as ``steps`` how many more there are."""
    from tercet.engines.preparing import STAGES, mark_ready, steps

    before = len(compiled)
    kernel.on_compile(lambda what: tell({"description": f"compiling {what}"}))
    try:
        plan = [(*step, stage) for stage in STAGES for step in steps(name, stage)]
        if everything:
            plan += [(*step, "") for step in training_steps(name)]
        tell({"steps": len(plan)})
        for number, (words, work, stage) in enumerate(plan):
            tell({"description": f"{name}: {words}", "advance": 1})
            work()
            if stage and (number + 1 == len(plan) or plan[number + 1][2] != stage):
                mark_ready(name, stage)
    finally:
        kernel.on_compile(None)
    return compiled[before:]


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


def _in_processes(
    chosen: Sequence[str], everything: bool, processes: int, tell: Callable[[dict[str, Any]], None]
) -> list[list[tuple[str, float]]]:
    import multiprocessing
    import queue
    from concurrent.futures import ProcessPoolExecutor

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
