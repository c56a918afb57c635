"""Sparklies' engine against random play and against plain tree search over single actions, both with the same time for
a whole turn; each board is played twice with sides exchanged.

    python benchmarks/sparklies_engine.py --out results.jsonl

Every finished game is a line of the file; run again to go on where it stopped. Plain tree search (UCT, random rollouts,
its tree kept from action to action) has the turn's time for its turn: half of what is left for each action.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import tercet
from tercet.engines import Engine, Limits, engine
from tercet.engines.mcts import MctsEngine
from tercet.engines.tree import Settings
from tercet.game import Action, Game, Position
from tercet.games.sparklies.turns import is_turn_start

# name, options, opponent, games, wins aimed at
PLAN: tuple[tuple[str, dict[str, Any], str, int, int], ...] = (
    ("subtle 7x7", {"board": "7x7"}, "random", 40, 40),
    ("subtle 7x7", {"board": "7x7"}, "uct", 40, 36),
    ("speed 7x7", {"board": "7x7", "ruleset": "speed"}, "random", 40, 40),
    ("speed 7x7", {"board": "7x7", "ruleset": "speed"}, "uct", 40, 36),
    ("subtle 9x9", {"board": "9x9"}, "random", 40, 40),
    ("subtle 9x9", {"board": "9x9"}, "uct", 20, 18),
)


class Seat:
    """An engine that has so much time for a turn."""

    def __init__(self, chosen: Engine, seconds: float, whole: bool) -> None:
        self.engine = chosen
        self.seconds = seconds
        self.whole = whole  # plans a turn at its first action
        self.left = seconds
        self.spent = 0.0
        self.turns = 0

    def choose(self, position: Position) -> Action:
        """An action; the clock of the turn runs."""
        if is_turn_start(position):
            self.left = self.seconds
            self.turns += 1
        share = self.seconds if self.whole else max(self.left / 2, 0.005)
        began = time.perf_counter()
        action = self.engine.think(position, Limits(movetime=share)).action
        took = time.perf_counter() - began
        self.left -= took
        self.spent += took
        return action


def opponent(name: str, game: Game, seconds: float, seed: int) -> Seat:
    """Random play, or plain tree search."""
    if name == "random":
        return Seat(engine("random", game, seed=seed), seconds, False)
    settings = Settings(informed=False, capacity=1 << 18)
    return Seat(MctsEngine(game, seed=seed, settings=settings), seconds, False)


def play(options: dict[str, Any], other: str, number: int, seconds: float, level: int) -> dict[str, Any]:
    """Game ``number``: boards are dealt by ``number // 2``, the engine is Black in even games."""
    game = tercet.game("sparklies", **options)
    position = game.start(number // 2)
    side = number % 2
    ours = Seat(engine(f"level:{level}", game, seed=number), seconds, True)
    seats = [ours, opponent(other, game, seconds, number)]
    began = time.perf_counter()
    while not position.is_over:
        seat = seats[0] if position.mover == side else seats[1]
        position = position.play(seat.choose(position))
    outcome = position.outcome
    assert outcome is not None
    held = [int(position.row[9]), int(position.row[10])]
    for seat in seats:
        seat.engine.close()
    return {
        "points": outcome.scores[side],
        "held": [held[side], held[1 - side]],
        "turns": ours.turns,
        "seconds_a_turn": [round(seat.spent / max(1, seat.turns), 3) for seat in seats],
        "seconds": round(time.perf_counter() - began, 1),
    }


def report(done: list[dict[str, Any]]) -> None:
    """Where things stand."""
    for name, _, other, games, aim in PLAN:
        played = [game for game in done if game["board"] == name and game["against"] == other]
        if played:
            wins = sum(game["points"] == 1 for game in played)
            draws = sum(game["points"] == 0.5 for game in played)
            ours, theirs = (sum(game["seconds_a_turn"][who] for game in played) / len(played) for who in (0, 1))
            print(
                f"{name:<11} against {other:<7} {wins} won, {draws} drawn of {len(played)} played "
                f"(aim {aim} of {games}); {ours:.2f} and {theirs:.2f} s a turn"
            )


def main() -> None:
    """Play what is missing and report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("sparklies_engine.jsonl"))
    parser.add_argument("--seconds", type=float, default=0.5, help="for a turn")
    parser.add_argument("--level", type=int, default=10)
    parser.add_argument("--only", default="", help="part of a name, as in 'speed' or 'uct'")
    parser.add_argument("--games", type=int, default=1000, help="at most so many of each kind")
    parser.add_argument("--minutes", type=float, default=1e9, help="begin no game after this")
    chosen = parser.parse_args()
    began = time.perf_counter()
    done: list[dict[str, Any]] = []
    if chosen.out.exists():
        done = [json.loads(line) for line in chosen.out.read_text(encoding="utf-8").splitlines()]
    known = {(game["board"], game["against"], game["number"]) for game in done}
    for number in range(max(games for *_, games, _ in PLAN)):
        for name, options, other, games, _ in PLAN:
            wanted = number < min(games, chosen.games) and chosen.only in f"{name} {other}"
            if not wanted or (name, other, number) in known or time.perf_counter() - began > 60 * chosen.minutes:
                continue
            result = play(options, other, number, chosen.seconds, chosen.level)
            done.append({"board": name, "against": other, "number": number} | result)
            with chosen.out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(done[-1]) + "\n")
    report(done)


if __name__ == "__main__":
    main()
