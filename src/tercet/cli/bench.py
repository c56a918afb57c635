"""``tercet bench``: how fast things are on this machine."""

from __future__ import annotations

import json as json_module
import random
import threading
import time
from collections.abc import Callable, Sequence

from tercet.cli.words import first_game, game_of, split
from tercet.core.game import Game, Position
from tercet.errors import OptionError

Rates = dict[str, float]  # games_per_s, moves_per_s, threads
MAX_PLIES = 4000  # actions of a random game where nothing else bounds it


def run(words: Sequence[str], threads: int, seconds: float, seed: int, json: bool) -> None:
    """Measure what the first word says on the game that the others describe."""
    positional, options = split(words)
    if len(positional) == 2 and positional[0] == "envs":
        from tercet.cli.bench_envs import run as run_envs

        run_envs(game_of(positional[1], options), seconds, seed, json)
        return
    if len(positional) != 2 or positional[0] not in (*THREADED, *SINGLE):
        raise OptionError(
            "words",
            f"Name one of {', '.join((*THREADED, *SINGLE, 'envs'))} and a game, "
            f"as in `tercet bench playouts {first_game()}`.",
        )
    kind, name = positional
    if threads > 1 and kind in SINGLE:
        raise OptionError("threads", f"{kind} runs on one thread. Leave out --threads.")
    game = game_of(name, options)
    rates = SINGLE[kind](game, seconds, seed) if kind in SINGLE else THREADED[kind](game, threads, seconds, seed)
    shown = {key: round(value) if value >= 100 else round(value, 3) for key, value in rates.items()}
    if json:
        print(json_module.dumps(shown))
        return
    unit, count = {"mcts": ("simulations", "actions in them"), "perft": ("trees", "leaves")}.get(
        kind, ("games", "moves")
    )
    on = "1 thread" if threads == 1 else f"{threads} threads"
    print(f"{name} {game.option_text(changed_only=True)} {kind}, {on}".replace("  ", " "))
    print(f"{shown['games_per_s']:>14,} {unit}/s")
    print(f"{shown['moves_per_s']:>14,} {count}/s")


def _side_by_side(work: Callable[[int], None], threads: int) -> float:
    """Run ``work(0)``, ``work(1)`` ... on threads of their own; the seconds until all are done."""
    workers = [threading.Thread(target=work, args=(index,)) for index in range(threads)]
    begun = time.perf_counter()
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
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
    games = plies = 0
    begun = time.perf_counter()
    while time.perf_counter() - begun < seconds:
        plies += random_game(start, chance)
        games += 1
    spent = time.perf_counter() - begun
    return {"games_per_s": games / spent, "moves_per_s": plies / spent, "threads": 1}


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
    games = leaves = 0
    begun = time.perf_counter()
    while games == 0 or time.perf_counter() - begun < seconds:
        leaves += game.perft(start, depth)
        games += 1
    spent = time.perf_counter() - begun
    return {"games_per_s": games / spent, "moves_per_s": leaves / spent, "threads": 1}


THREADED: dict[str, Callable[[Game, int, float, int], Rates]] = {"playouts": playouts, "mcts": mcts}
SINGLE: dict[str, Callable[[Game, float, int], Rates]] = {"api": api, "perft": perft}
