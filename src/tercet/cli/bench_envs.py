"""``tercet bench envs``: steps a second of a game's environments beside other libraries' games in the same run, and of
batches of all sizes."""

from __future__ import annotations

import json as json_module
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
from tercet.batch.host import core_count
from tercet.core.game import Game
from tercet.errors import TercetError

Step = Callable[[], int]  # makes some steps; how many
ROUNDS = 3  # of all measurements
GAMES = 1024  # that each environment steps at once
PEERS = ("hex(board_size=11)", "havannah(board_size=6)", "python_tic_tac_toe")
PGX = ("hex", "go_9x9")
PGX_STEPS = 20  # in one compiled loop
SIZES = (1, 16, 256, 1024, 4096, 16384, 65536)
MAX_OBSERVATION_BYTES = 1 << 31  # of a batch's observations


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
    yield f"{name}: Gymnasium vector, 64 games", _vector(environments.vector(game, 64))
    yield f"{name}: PettingZoo AEC", _turns(environments.aec(game))
    yield f"{name}: OpenSpiel", _states(environments.openspiel(game))
    try:
        yield f"{name}: PufferLib, 64 games", _puffer(environments.pufferlib(game, 64))
    except TercetError as error:
        print(f"PufferLib is left out: {error}", file=sys.stderr)


def _puffer(env: Any) -> Step:
    env.reset(seed=1)
    actions = np.zeros(env.num_agents, np.int64)

    def step() -> int:
        actions[env.masks] = env.batch.random_actions()
        env.step(actions)
        return int(env.batch.games)

    return step


def _compiled(name: str) -> Step:
    """Return a game of pgx on JAX's processor: legal actions at random, with observations, restarted by itself."""
    import jax
    import jax.numpy as jnp
    import pgx
    from pgx.experimental import auto_reset

    game: Any = pgx.make(name)
    play = jax.vmap(auto_reset(game.step, game.init))

    def one(carry: Any, _: Any) -> Any:
        state, key = carry
        key, for_actions, for_resets = jax.random.split(key, 3)
        logits = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
        state = play(state, jax.random.categorical(for_actions, logits), jax.random.split(for_resets, GAMES))
        return (state, key), state.observation.sum()  # so that the observation is made, and not optimised away

    loop = jax.jit(lambda state, key: jax.lax.scan(one, (state, key), None, length=PGX_STEPS))
    carry = jax.jit(jax.vmap(game.init))(jax.random.split(jax.random.PRNGKey(0), GAMES)), jax.random.PRNGKey(1)

    def step() -> int:
        nonlocal carry
        carry, _ = jax.block_until_ready(loop(*carry))
        return GAMES * PGX_STEPS

    return step


def _peers() -> Iterator[tuple[str, Step]]:
    """Other libraries' games; what is not installed is left out and said on stderr."""
    try:
        for text in PGX:
            yield f"pgx: {text}, {GAMES} games, JAX on the CPU", _compiled(text)
    except ImportError as error:
        print(f"pgx's games are left out: {error.name} is not installed", file=sys.stderr)
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


def _rate(step: Step, seconds: float, clock: Callable[[], float]) -> float:
    """Steps for a second of ``clock``."""
    steps = 0
    begun = clock()
    while clock() - begun < seconds:
        steps += step()
    return steps / (clock() - begun)


def _growth(game: Game, seconds: float) -> dict[str, dict[str, int]]:
    """Steps a second of batches by the number of games, and by the number of threads: 1, 2, 4 ... and all cores."""
    cores = core_count()
    threads = sorted({1, cores, *(1 << power for power in range(11) if 1 << power < cores)})
    entry = len(game.rules.planes) * len(game.board)
    found: dict[str, dict[str, int]] = {}
    for games in (size for size in SIZES if 2 * size * entry <= MAX_OBSERVATION_BYTES):
        found[str(games)] = {}
        for count in threads:
            step = _together(Batch(game, games, threads=count))
            step()
            rates = [_rate(step, seconds / ROUNDS, time.perf_counter) for _ in range(ROUNDS)]
            found[str(games)][str(count)] = round(statistics.median(rates))
    return found


def run(game: Game, seconds: float, seed: int, json: bool) -> None:
    """Measure each for ``seconds`` of the processor's time, in turns, and print the medians; then batches of every size
    by the clock."""
    random.seed(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        every = [*_ours(game), *_peers()]
        for _, step in every:
            step()
        found: dict[str, list[float]] = {name: [] for name, _ in every}
        for _ in range(ROUNDS):  # in turns, so that whatever else the machine does is spread over all
            for name, step in every:
                found[name].append(_rate(step, seconds / ROUNDS, time.process_time))
    rates = {name: round(statistics.median(each)) for name, each in found.items()}
    growth = _growth(game, seconds / 4)
    if json:
        print(json_module.dumps({"steps_per_s": rates, "growth": growth}))
        return
    width = max(map(len, rates))
    print("steps for a second of one core's time, with masks and observations where the library has them")
    for name, rate in rates.items():
        print(f"{name:<{width}} {rate:>12,}")
    print("\nsteps of Batch for a second of the clock, by the number of games and of threads")
    print(f"{'games':>6}" + "".join(f" {count:>12}" for count in next(iter(growth.values()))))
    for games, by_threads in growth.items():
        print(f"{games:>6}" + "".join(f" {rate:>12,}" for rate in by_threads.values()))
