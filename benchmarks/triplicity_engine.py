"""How strong Triplicity's engine is: one of it against two of something else, seats rotating.

    python benchmarks/triplicity_engine.py --against random --games 60 --seconds 0.3 --out results.jsonl
    python benchmarks/triplicity_engine.py --against uct
    python benchmarks/triplicity_engine.py --player mode=1 --against mode=0 --nodes 10000

``--against`` is ``random``, ``uct`` (the general tree search without any knowledge of the game: uniformly random
rollouts, each player's own mean backed up) or the engine itself: a weaker one (``level=3``), or with changes to what it
sees (``mode=1,wide=8``) or to its weights (``token=60/60/40``). Every game is one line of ``--out``; what is there
already is not played again. Games begin with ``--book`` random actions each, the same for the three games in which the
seats rotate.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from dataclasses import fields
from pathlib import Path
from typing import Any

import tercet
from tercet.engines.base import Engine, Limits
from tercet.engines.mcts import MctsEngine
from tercet.engines.random_engine import RandomEngine
from tercet.engines.tree import Settings
from tercet.game import Game, Position
from tercet.games.triplicity.engine.evaluation import WEIGHTS
from tercet.games.triplicity.engine.levels import LEVELS, Strength
from tercet.games.triplicity.engine.planner import SearchPlanner


class Seat:
    """A player: chooses an action within a time or a number of nodes."""

    def __init__(self, game: Game, spec: str, seed: int, seconds: float | None, nodes: int | None) -> None:
        self.seconds, self.nodes = seconds, nodes
        self.thought = self.deep = self.turns = 0
        self.engine: Engine | None = None
        self.thinker: SearchPlanner | None = None
        if spec == "random":
            self.engine = RandomEngine(seed=seed)
        elif spec == "uct":
            self.engine = MctsEngine(game, seed=seed, settings=Settings(informed=False))
        else:
            sight, points = changed(spec)
            if sight.depth or sight.nodes:  # a level that has its own measure
                self.seconds = self.nodes = None
            self.thinker = SearchPlanner(game, sight, seed, points)

    def choose(self, position: Position) -> int:
        """The number of the action chosen."""
        if self.engine is not None:
            return int(self.engine.think(position, Limits(self.seconds, self.nodes)).action)
        assert self.thinker is not None
        plans = self.thinker.plan(position, self.seconds, self.nodes, None, lambda: False, lambda *_: None)
        self.thought += self.thinker.nodes
        self.deep += self.thinker.depth
        self.turns += 1
        return plans[0].actions[0]


def changed(spec: str) -> tuple[Strength, dict[str, Any]]:
    """The engine's sight (of level 10, or as ``level=N`` says) and weights, with changes."""
    words = dict(word.split("=") for word in spec.split(",") if word and word != "engine")
    sight = LEVELS[int(words.pop("level", 10))]
    known = {field.name: getattr(sight, field.name) for field in fields(sight)}
    points = dict(WEIGHTS)
    for name, text in words.items():
        if name in known:
            known[name] = float(text) if name == "share" else int(text)
        else:
            values = tuple(int(value) for value in text.split("/"))
            points[name] = values if isinstance(points[name], tuple) else values[0]
    return Strength(**known), points


def play(number: int, options: argparse.Namespace) -> dict[str, Any]:
    """Game ``number``: the engine sits at ``number % 3``."""
    game = tercet.game("triplicity")
    mine = number % 3
    seats = [
        Seat(
            game, options.player if player == mine else options.against, 1000 * number + player, options.seconds,
            options.nodes,
        )
        for player in range(3)
    ]  # fmt: skip
    chance = random.Random(number // 3)
    position = game.start()
    for _ in range(options.book):
        position = position.play(chance.choice(position.legal_actions))
    began = time.perf_counter()
    plies = options.book
    while not position.is_over and plies < options.longest:
        position = position.play(seats[position.mover or 0].choose(position))
        plies += 1
    scores = position.outcome.scores if position.outcome else (1 / 3, 1 / 3, 1 / 3)
    turns = max(1, seats[mine].turns)
    return {
        "game": number,
        "seat": mine,
        "scores": [round(score, 4) for score in scores],
        "result": round(scores[mine], 4),
        "reason": position.outcome.reason if position.outcome else "cut off",
        "plies": plies,
        "seconds": round(time.perf_counter() - began, 1),
        "nodes": round(seats[mine].thought / turns),
        "depth": round(seats[mine].deep / turns, 1),
        "end": str(position),
    }


def main() -> None:
    """Play what is missing and print the running table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--player", default="engine", help="the engine, with changes")
    parser.add_argument("--against", default="random")
    parser.add_argument("--games", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=None)
    parser.add_argument("--nodes", type=int, default=None)
    parser.add_argument("--book", type=int, default=3)
    parser.add_argument("--longest", type=int, default=3000)
    parser.add_argument("--out", type=Path, default=None)
    parser.add_argument("--part", type=int, nargs=2, default=(0, 1), metavar=("K", "N"), help="only games K modulo N")
    options = parser.parse_args()
    if options.seconds is None and options.nodes is None:
        options.seconds = 0.3
    results = []
    if options.out and options.out.exists():
        results = [json.loads(line) for line in options.out.read_text(encoding="utf-8").splitlines()]
    done = {result["game"] for result in results}
    for number in range(options.games):
        if number in done or number % options.part[1] != options.part[0]:
            continue
        result = play(number, options)
        results.append(result)
        if options.out:
            with options.out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(result) + "\n")
        won = sum(known["result"] == 1 for known in results)
        points = sum(known["result"] for known in results)
        print(
            f"game {number}: {result['result']:g} in {result['plies']} plies ({result['reason']}), "
            f"{result['seconds']} s, {result['nodes']} nodes and depth {result['depth']} a move; "
            f"so far {won} won, {points:g} points of {len(results)}",
            flush=True,
        )


if __name__ == "__main__":
    main()
