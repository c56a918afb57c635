"""Random play driven from Python: ours on SanQi beside OpenSpiel's Havannah of the same size, one core each.

``python benchmarks/api.py [--side 10] [--repeats 7] [--json]``. Each move lists the legal actions, chooses one and
plays it. The two take turns; medians of moves a second of processor time are compared. SanQi has three times the
choices.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
from collections.abc import Callable
from typing import Any

import tercet
from tercet.cli.speed import random_game

TARGET = 0.5


def rate(play: Callable[[], int], games: int) -> float:
    """Moves a second of processor time over ``games`` games, of which ``play`` plays one and counts the moves."""
    begun = time.thread_time()
    moves = sum(play() for _ in range(games))
    return moves / (time.thread_time() - begun)


def openspiel(side: int, chance: Callable[[], float]) -> Callable[[], int] | None:
    """A function that plays one random game of Havannah; None where OpenSpiel is not installed."""
    try:
        import pyspiel
    except ImportError:
        return None
    game = pyspiel.load_game(f"havannah(board_size={side})")

    def play() -> int:
        state = game.new_initial_state()
        moves = 0
        while not state.is_terminal():
            actions = state.legal_actions()
            state.apply_action(actions[int(chance() * len(actions))])
            moves += 1
        return moves

    return play


def measure(side: int, repeats: int) -> dict[str, Any]:
    """Run both in turn and compare the medians."""
    chance = random.Random(1).random
    start = tercet.game("sanqi", side=side).start()
    theirs = openspiel(side, chance)
    random_game(start, chance)
    mine_rates, their_rates = [], []
    for _ in range(repeats):
        mine_rates.append(rate(lambda: random_game(start, chance), 200))
        if theirs is not None:
            their_rates.append(rate(theirs, 150))
    answer: dict[str, Any] = {"side": side, "ours": round(statistics.median(mine_rates))}
    if their_rates:
        answer["openspiel"] = round(statistics.median(their_rates))
        answer["ours_over_openspiel"] = round(answer["ours"] / answer["openspiel"], 2)
    return answer


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--side", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    answer = measure(chosen.side, chosen.repeats)
    if chosen.json:
        print(json.dumps(answer))
        return
    print(f"Random play from Python on side {answer['side']}, one core, medians:")
    print(f"  ours, SanQi          {answer['ours']:>10,} moves/s")
    if "openspiel" in answer:
        print(f"  OpenSpiel, Havannah  {answer['openspiel']:>10,} moves/s")
        print(f"  ours is {answer['ours_over_openspiel']:.2f} times as fast (aim: at least {TARGET}, better 1)")
    else:
        print("  OpenSpiel is not installed")


if __name__ == "__main__":
    main()
