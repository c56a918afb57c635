"""Baselines for papers: what PPO learns in minutes, against the levels.

    pip install 'tercet[train,rl]' sb3-contrib
    python -m benchmarks.baselines                                        # docs/research/baselines.md
    python -m benchmarks.baselines triplicity --methods self-play --seeds 1 2 3 --games 400

Two methods learn each game on one core, once for each seed: MaskablePPO of sb3-contrib against random players
(``examples/maskable_ppo.py``), and PPO by self-play on a batch (``examples/ppo.py``). Then each plays greedily, in all
seats in turn, against random players and against each level, from level 1 up to the first that leaves it less than
:data:`LITTLE` of an even share. A line is printed for each, with the share of the point and its 95 % interval.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import runpy
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

import tercet
from tercet import environments
from tercet.batch import Batch
from tercet.core.figures import Estimate, share
from tercet.games import game_definition

EXAMPLES = Path(__file__).parents[1] / "examples"
GAMES: dict[str, dict[str, Any]] = {
    "sanqi": {"side": 4},
    "sparklies": {"board": "5x5", "mode": "duel"},
    "triplicity": {},
}
LITTLE = 0.1
Policy = Callable[[Any, Any], int]  # from planes and mask to an action


def self_play(game: str, options: dict[str, Any], seed: int, steps: int) -> Policy:
    """Return what ``examples/ppo.py`` learns from so many steps."""
    ppo = runpy.run_path(str(EXAMPLES / "ppo.py"))
    torch.manual_seed(seed)
    batch = Batch(game, 128, seed=seed, dtype=np.float32, **options)  # scaled as in `SeatEnv`
    entries = batch.observations.shape[1] * batch.observations.shape[2]
    agent = ppo["Agent"](entries, batch.masks.shape[1], batch.scores.shape[1])
    optimizer = torch.optim.Adam(agent.parameters(), lr=1e-3)
    for _ in range(steps // (128 * 64)):
        seen = ppo["collect"](agent, batch, 64)
        ppo["update"](agent, optimizer, seen, *ppo["advantages"](agent, batch, seen))
    shape = batch.observations.shape[1:]

    def choose(planes: Any, mask: Any) -> int:
        with torch.no_grad():
            policy, _ = agent(torch.from_numpy(planes.reshape(1, *shape)), torch.from_numpy(mask[None]))
        return int(policy.logits.argmax())

    return choose


def maskable(game: str, options: dict[str, Any], seed: int, steps: int) -> Policy:
    """Return what ``examples/maskable_ppo.py`` learns from so many steps."""
    model = runpy.run_path(str(EXAMPLES / "maskable_ppo.py"))["learner"](game, options, seed)
    model.learn(steps)
    return lambda planes, mask: int(model.predict(planes, action_masks=mask, deterministic=True)[0])


METHODS = {"maskable": maskable, "self-play": self_play}


def against(policy: Policy, game: str, options: dict[str, Any], opponents: str, games: int) -> Estimate:
    """Return the share of the point that ``policy`` gets against ``opponents``, in all seats in turn."""
    seats = len(tercet.game(game, **options).players)
    envs = [environments.gymnasium(game, seat, opponents, **options) for seat in range(seats)]
    points = []
    for number in range(games):
        env = envs[number % seats]
        planes, _ = env.reset(seed=number)
        over = cut = False
        while not (over or cut):
            planes, reward, over, cut, _ = env.step(policy(planes, env.action_masks()))
        points.append((float(reward) * (seats - 1) + 1) / seats)
    return share(points)


def main() -> None:
    """Learn, play and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games_asked", nargs="*", metavar="GAME", default=list(GAMES))
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--seeds", nargs="+", type=int, default=[1, 2, 3])
    parser.add_argument("--steps", type=int, default=200_000)
    parser.add_argument("--games", type=int, default=200, help="against each opponent")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    others = (f"{name} {importlib.metadata.version(name)}" for name in ("torch", "sb3-contrib", "gymnasium", "numpy"))
    print(f"tercet {tercet.__version__}", *others, sep=", ")
    for game in asked.games_asked:
        options, version = GAMES[game], game_definition(game).environment_version
        even = 1 / len(tercet.game(game, **options).players)
        for method in asked.methods:
            for seed in asked.seeds:
                began = time.process_time()
                policy = METHODS[method](game, options, seed, asked.steps)
                took = time.process_time() - began
                print(f"\n{game}-v{version} {options}, {method}, seed {seed}: {asked.steps:,} steps in {took:.0f} s")
                for opponents in ("random", *(f"level:{level}" for level in range(1, 11))):
                    got = against(policy, game, options, opponents, asked.games)
                    print(f"{opponents:9} {got.mean:.3f} ({got.low:.3f} to {got.high:.3f})", flush=True)
                    if got.mean < LITTLE * even:
                        break


if __name__ == "__main__":
    main()
