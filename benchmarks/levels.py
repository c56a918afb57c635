"""Does each level beat the one two below it in at least 75 % of its games?

    python benchmarks/levels.py --games 60 --side 5

Level 8 takes its strength from time; here it gets ``--nodes`` simulations a move, so that the table is the same on
every machine and under any load. Every finished game is a line of the results file: stop and go on as you like.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import tercet
from tercet.engines import Limits, level
from tercet.engines.match import elo, match
from tercet.game import Game

NEEDED = 0.75


def play_pair(
    game: Game, strong: int, weak: int, games: int, nodes: int, done: list[dict[str, Any]], file: Path
) -> None:
    """Play what is left of the games between these levels."""
    first = sum(result["strong"] == strong and result["weak"] == weak for result in done)
    limits = tuple(Limits(nodes=nodes) if number == 8 else Limits() for number in (strong, weak))
    players = level(game, strong, seed=strong), level(game, weak, seed=100 + weak)
    for played in match(*players, game, games, limits=(limits[0], limits[1]), seed=strong, first=first):
        result = {
            "strong": strong, "weak": weak, "number": played.number, "result": played.result, "seats": played.seats,
            "first": played.outcome.scores[0] if played.outcome else 0.5, "plies": len(played.actions),
            "seconds": [round(value, 2) for value in played.seconds],
        }  # fmt: skip
        done.append(result)
        with file.open("a") as out:
            out.write(json.dumps(result) + "\n")


def row(strong: int, weak: int, done: list[dict[str, Any]]) -> str:
    """One line of the table."""
    results = [result["result"] for result in done if result["strong"] == strong and result["weak"] == weak]
    wins, draws, losses = results.count(1), results.count(0), results.count(-1)
    share = (wins + draws / 2) / len(results) if results else 0.0
    verdict = "enough" if share >= NEEDED else "TOO LITTLE"
    return (
        f"level {strong} against {weak}: {wins:2d} won, {draws} drawn, {losses:2d} lost of {len(results)} "
        f"= {share:4.0%} {verdict}; Elo {elo(wins, draws, losses)}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=60)
    parser.add_argument("--side", type=int, default=5)
    parser.add_argument("--nodes", type=int, default=20_000, help="simulations a move for level 8")
    parser.add_argument("--pairs", type=int, nargs="*", default=[3, 4, 5, 6, 7, 8], help="the stronger levels")
    parser.add_argument("--results", type=Path, default=Path("levels.jsonl"))
    args = parser.parse_args()
    game = tercet.game("sanqi", side=args.side)
    done = [json.loads(line) for line in args.results.read_text().splitlines()] if args.results.exists() else []
    for strong in args.pairs:
        play_pair(game, strong, strong - 2, args.games, args.nodes, done, args.results)
        print(row(strong, strong - 2, done), flush=True)


if __name__ == "__main__":
    main()
