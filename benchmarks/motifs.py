"""How many proved puzzles of each motif an hour of one processor gives.

    python -m benchmarks.motifs sanqi --seconds 300           # the game's usual games, of which a filter keeps some
    python -m benchmarks.motifs sanqi --motif ko --seconds 60  # the games that are played for this motif

Puzzles are checked, and counted once up to symmetry. Seconds are those of the processor, without the first game, which
compiles.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter

from tercet.games import game_definition
from tercet.learning.puzzles import Task, find


def measure(game: str, motif: str, seconds: float, seed: int) -> None:
    """Print a line for each motif, or for the one that is named."""
    puzzles = game_definition(game).puzzles
    assert puzzles is not None
    find(Task(game, seed, 0, (), motif))
    begun, number = time.process_time(), 0
    seen: set[str] = set()
    counts = Counter[str]()
    while time.process_time() - begun < seconds:
        number += 1
        for key, puzzle in find(Task(game, seed, number, (), motif)):
            if key not in seen:
                seen.add(key)
                counts.update(one.key for one in puzzles.motifs if one.holds(puzzle))
    spent = time.process_time() - begun
    print(f"{game}: {number} games, {len(seen)} puzzles in {spent:.0f} s")
    for one in puzzles.motifs:
        if motif in ("", one.key):
            print(f"| {one.key} | {counts[one.key]} | {3600 * counts[one.key] / spent:.0f} |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("--motif", default="")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    told = parser.parse_args()
    measure(told.game, told.motif, told.seconds, told.seed)
