"""Simulations a second: our plain UCT on SanQi beside OpenSpiel's MCTSBot on Havannah of the same size, one core each.

``python benchmarks/mcts.py [--side 10] [--repeats 5] [--json]``. Both start from the empty board, with uniformly random
rollouts, one a simulation. They take turns; medians of simulations a second of processor time are compared.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from typing import Any

import tercet
from tercet.engines import Limits
from tercet.engines.mcts import MctsEngine
from tercet.engines.tree import Settings

TARGET = 4.0


def ours(engine: MctsEngine, start: tercet.Position, simulations: int) -> float:
    """Simulations a second of processor time."""
    engine.new_game()
    begun = time.thread_time()
    nodes = engine.think(start, Limits(nodes=simulations)).info.nodes
    return nodes / (time.thread_time() - begun)


def openspiel(side: int, simulations: int) -> float | None:
    """The same of OpenSpiel's bot; None where it is not installed."""
    try:
        import pyspiel
    except ImportError:
        return None
    game = pyspiel.load_game(f"havannah(board_size={side})")
    bot = pyspiel.MCTSBot(game, pyspiel.RandomRolloutEvaluator(1, 1), 2.0, simulations, 1000, False, 1, False)
    begun = time.thread_time()
    bot.step(game.new_initial_state())
    return simulations / (time.thread_time() - begun)


def measure(side: int, repeats: int) -> dict[str, Any]:
    """Run both in turn and compare the medians."""
    game = tercet.game("sanqi", side=side)
    start = game.start()
    engine = MctsEngine(game, seed=1, settings=Settings(informed=False))
    ours(engine, start, 500)
    mine, theirs = [], []
    for _ in range(repeats):
        mine.append(ours(engine, start, 20_000))
        peer = openspiel(side, 4_000)
        if peer is not None:
            theirs.append(peer)
    answer: dict[str, Any] = {"side": side, "ours": round(statistics.median(mine))}
    if theirs:
        answer["openspiel"] = round(statistics.median(theirs))
        answer["ours_over_openspiel"] = round(statistics.median(mine) / statistics.median(theirs), 2)
    return answer


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--side", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    answer = measure(chosen.side, chosen.repeats)
    if chosen.json:
        print(json.dumps(answer))
        return
    print(f"Tree search on side {answer['side']}, one core, medians:")
    print(f"  ours on SanQi                  {answer['ours']:>10,} simulations/s")
    if "openspiel" in answer:
        print(f"  OpenSpiel's MCTSBot, Havannah  {answer['openspiel']:>10,} simulations/s")
        print(f"  ours is {answer['ours_over_openspiel']:.1f} times as fast (aim: at least {TARGET:.0f})")
    else:
        print("  OpenSpiel is not installed")


if __name__ == "__main__":
    main()
