"""Steps of a game's environments for a second of processor time, beside games of other libraries in the same run.

    python -m benchmarks.peers sanqi side=6 [--seconds 2]

Each is asked for what its library offers: masks and observations from all but OpenSpiel, whose games list their legal
actions. They take turns; a library that is not installed is left out and said on stderr (`pip install pygame pgx jax`
for PettingZoo's and pgx's games).
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator

from tercet.cli.app import game_of, split
from tercet.cli.speed import GAMES, Step, environments_of, in_turns, states, turns

OPEN_SPIEL = ("hex(board_size=11)", "havannah(board_size=6)", "python_tic_tac_toe")
PGX = ("hex", "go_9x9")
PGX_STEPS = 20  # in one compiled loop


def peers() -> Iterator[tuple[str, Step]]:
    """Yield other libraries' games by name, with what makes some steps in each."""
    try:
        from benchmarks.batch_pgx import looped

        for name in PGX:
            yield f"pgx: {name}, {GAMES} games, JAX on the CPU", looped(name, GAMES, PGX_STEPS)
    except ImportError as error:
        print(f"pgx's games are left out: {error.name} is not installed", file=sys.stderr)
    try:
        from pettingzoo.classic import connect_four_v3, go_v5

        yield "PettingZoo: Go 19", turns(go_v5.raw_env())
        yield "PettingZoo: Connect Four", turns(connect_four_v3.raw_env())
    except ImportError as error:
        print(f"PettingZoo's games are left out: {error.name} is not installed", file=sys.stderr)
    try:
        import open_spiel.python.games  # noqa: F401  (registers those written in Python)
        import pyspiel
    except ImportError as error:
        print(f"OpenSpiel's games are left out: {error.name} is not installed", file=sys.stderr)
        return
    for text in OPEN_SPIEL:
        yield f"OpenSpiel: {text}", states(pyspiel.load_game(text))


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", nargs="+", help="a game and its options, as in: sanqi side=6")
    parser.add_argument("--seconds", type=float, default=2.0, help="for each")
    chosen = parser.parse_args()
    (name, *_), options = split(chosen.game)
    random.seed(1)
    rates = in_turns([*environments_of(game_of(name, options)), *peers()], chosen.seconds)
    print("| environment | steps/s |\n| --- | --- |")
    for title, rate in rates.items():
        print(f"| {title} | {rate:,} |")


if __name__ == "__main__":
    main()
