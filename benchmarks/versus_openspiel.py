"""Tercet's engine at full strength against OpenSpiel's MCTSBot on SanQi.

    python benchmarks/versus_openspiel.py --games 60 --side 6 --movetime 0.5 --simulations 2000

The opponent is ``open_spiel.python.algorithms.mcts.MCTSBot`` as it comes (UCT with solver, uct_c = 2), over a small
adapter; its rollouts, uniformly random games as its own evaluator plays them, run in Tercet's compiled playout, which
changes nothing but the time they take. Seats alternate. Every finished game is a line of the results file, so that the
run can be stopped and gone on with; each number's seeds are always the same.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyspiel
from open_spiel.python.algorithms import mcts

import tercet
from tercet.engines import Limits, level
from tercet.engines.match import elo
from tercet.game import Game, Position


class State:
    """As much of a pyspiel state as MCTSBot asks for."""

    def __init__(self, position: Position) -> None:
        self.position = position

    def clone(self) -> State:
        return State(self.position)

    def is_terminal(self) -> bool:
        return self.position.is_over

    def is_chance_node(self) -> bool:
        return False

    def current_player(self) -> int:
        return -4 if self.position.is_over else self.position.mover or 0

    def legal_actions(self, _player: int | None = None) -> list[int]:
        ids: list[int] = self.position.legal_actions.ids.tolist()
        return ids

    def apply_action(self, action: int) -> None:
        self.position = self.position.play(action)

    def returns(self) -> list[float]:
        outcome = self.position.outcome
        return [2 * share - 1 for share in outcome.scores] if outcome else [0.0, 0.0]


class Rollouts(mcts.Evaluator):  # type: ignore[misc]
    """One uniformly random game, equal priors: OpenSpiel's RandomRolloutEvaluator, compiled."""

    def __init__(self, game: Game, seed: int) -> None:
        self.game = game
        self.seed = seed << 32
        self.row = game.new_row()
        self.out = game.new_list()
        self.events = game.new_events()
        self.points = np.zeros(len(game.players))

    def evaluate(self, state: State) -> np.ndarray:
        game = self.game
        self.seed += 1
        total = np.zeros(len(game.players))
        game.playout.playouts(
            game.data, state.position.row, self.row, game.rules.row_size, len(game.players), 1, self.seed, self.out,
            self.events, self.points, total, game.rules.max_plies,
        )  # fmt: skip
        return 2 * total - 1

    def prior(self, state: State) -> list[tuple[int, float]]:
        actions = state.legal_actions()
        return [(action, 1.0 / len(actions)) for action in actions]


def opponent(game: Game, simulations: int, seed: int) -> Any:
    """OpenSpiel's bot."""
    kind = SimpleNamespace(
        reward_model=pyspiel.GameType.RewardModel.TERMINAL, dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL
    )
    described = SimpleNamespace(get_type=lambda: kind, max_utility=lambda: 1.0)
    chance = np.random.RandomState(seed)
    return mcts.MCTSBot(described, 2.0, simulations, Rollouts(game, seed), random_state=chance)


def play(game: Game, number: int, limits: Limits, simulations: int) -> dict[str, Any]:
    """Game ``number``: Tercet is First in even ones."""
    ours = level(game, 10, seed=number)
    theirs = opponent(game, simulations, number + 1)
    seat = number % 2
    position = game.start()
    actions: list[str] = []
    seconds = [0.0, 0.0]
    while not position.is_over:
        began = time.perf_counter()
        if position.mover == seat:
            action = str(ours.think(position, limits).action)
        else:
            number_of_action = int(theirs.step(State(position)))
            action = next(str(a) for a in position.legal_actions if a.id == number_of_action)
        seconds[position.mover != seat] += time.perf_counter() - began
        actions.append(action)
        position = position.play(action)
    outcome = position.outcome
    assert outcome is not None
    return {
        "number": number, "seat": seat, "score": outcome.scores[seat], "reason": outcome.reason, "plies": len(actions),
        "seconds": [round(value, 1) for value in seconds], "actions": " ".join(actions),
    }  # fmt: skip


def standing(done: list[dict[str, Any]]) -> str:
    """The results so far in words."""
    scores = [result["score"] for result in done]
    wins, draws, losses = scores.count(1.0), scores.count(0.5), scores.count(0.0)
    return f"{wins} won, {draws} drawn, {losses} lost of {len(done)}; Elo {elo(wins, draws, losses)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=60)
    parser.add_argument("--side", type=int, default=6)
    parser.add_argument("--movetime", type=float, default=0.5)
    parser.add_argument("--nodes", type=int, help="simulations a move instead of the time, for a machine under load")
    parser.add_argument("--simulations", type=int, default=2000)
    parser.add_argument("--results", type=Path, default=Path("versus_openspiel.jsonl"))
    args = parser.parse_args()
    game = tercet.game("sanqi", side=args.side)
    limits = Limits(nodes=args.nodes) if args.nodes else Limits(movetime=args.movetime)
    done = [json.loads(line) for line in args.results.read_text().splitlines()] if args.results.exists() else []
    while len(done) < args.games:
        result = play(game, len(done), limits, args.simulations)
        done.append(result)
        with args.results.open("a") as file:
            file.write(json.dumps(result) + "\n")
        word = {1.0: "won", 0.5: "drawn"}.get(result["score"], "LOST")
        print(
            f"game {len(done):3d}: {word} as {game.players[result['seat']]:6s} by {result['reason']} "
            f"in {result['plies']} plies; so far {standing(done)}",
            flush=True,
        )
    for seat, player in enumerate(game.players):
        mine = [result["score"] for result in done if result["seat"] == seat]
        print(f"as {player}: {sum(mine):g} of {len(mine)}")
    print(standing(done))


if __name__ == "__main__":
    main()
