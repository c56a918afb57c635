"""``tercet bench envs``: steps a second of a game's environments, beside other libraries' games in the same run."""

from __future__ import annotations

import json as json_module
import os
import random
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tercet import environments
from tercet.batch import Batch
from tercet.game import Game

__all__ = ["run"]

Step = Callable[[], int]  # makes some steps; how many
ROUNDS = 3
GAMES = 1024
PEERS = ("hex(board_size=11)", "havannah(board_size=6)", "python_tic_tac_toe")


def _turns(env: Any) -> Step:
    """PettingZoo's own measure: observe, draw a legal action, step."""
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


def _states(game: Any) -> Step:
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
    env.reset(seed=1)

    def step() -> int:
        env.step(np.maximum(env.batch.random_actions(), 0))
        return int(env.num_envs)

    return step


def _ours(game: Game) -> Iterator[tuple[str, Step]]:
    name = f"{game.name} {game.option_text(changed_only=True)}".strip()
    yield f"{name}: Batch, {GAMES} games", _together(Batch(game, GAMES))
    cores = os.cpu_count() or 1
    if cores > 1:
        yield f"{name}: Batch, {GAMES} games, {cores} threads", _together(Batch(game, GAMES, threads=cores))
    yield f"{name}: Gymnasium vector, 64 games", _vector(environments.vector(game, 64))
    yield f"{name}: PettingZoo AEC", _turns(environments.aec(game))
    yield f"{name}: OpenSpiel", _states(environments.openspiel(game))


def _peers() -> Iterator[tuple[str, Step]]:
    """Other libraries' games; what is not installed is left out and said on stderr."""
    try:
        from pettingzoo.classic import connect_four_v3, go_v5

        yield "PettingZoo: Go 19", _turns(go_v5.raw_env())
        yield "PettingZoo: Connect Four", _turns(connect_four_v3.raw_env())
    except ImportError as error:
        print(f"PettingZoo's games are left out: {error.name} is not installed", file=sys.stderr)
    try:
        import open_spiel.python.games  # noqa: F401  (registers those written in Python)
        import pyspiel
    except ImportError as error:
        print(f"OpenSpiel's games are left out: {error.name} is not installed", file=sys.stderr)
        return
    for text in PEERS:
        yield f"OpenSpiel: {text}", _states(pyspiel.load_game(text))


def _rate(step: Step, seconds: float) -> float:
    steps = 0
    begun = time.perf_counter()
    while time.perf_counter() - begun < seconds:
        steps += step()
    return steps / (time.perf_counter() - begun)


def run(game: Game, seconds: float, seed: int, json: bool) -> None:
    """Measure each for ``seconds`` in all, in turns, and print the medians."""
    random.seed(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        every = [*_ours(game), *_peers()]
        for _, step in every:
            step()
        found: dict[str, list[float]] = {name: [] for name, _ in every}
        for _ in range(ROUNDS):  # in turns, so that whatever else the machine does is spread over all
            for name, step in every:
                found[name].append(_rate(step, seconds / ROUNDS))
    rates = {name: round(statistics.median(each)) for name, each in found.items()}
    if json:
        print(json_module.dumps({"steps_per_s": rates}))
        return
    width = max(map(len, rates))
    print("steps a second, with masks and observations where the library has them")
    for name, rate in rates.items():
        print(f"{name:<{width}} {rate:>12,}")
