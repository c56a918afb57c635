"""Which boards are small enough for tabular algorithms: positions, histories, and what OpenSpiel's algorithms take.

    python -m benchmarks.tabular                                    # counts, for docs/research/tabular.md
    python -m benchmarks.tabular sparklies board=2x2 --values       # one game, with OpenSpiel's value iteration
    python -m benchmarks.tabular sparklies board=2x1 --cfr          # and its CFR (pip install 'tercet[rl]' cvxpy)

A tabular algorithm over positions needs an entry for each position. One over histories, such as CFR, needs an entry for
each sequence of actions, and there are more of these wherever different sequences lead to one position.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import tercet

BOARDS: list[tuple[str, dict[str, Any]]] = [
    *[
        ("sparklies", {"board": board, "ruleset": ruleset})
        for board in ("2x1", "3x1", "4x1", "2x2", "3x2", "3x3")
        for ruleset in ("subtle", "speed", "playtest2")
    ],
    ("sparklies", {"board": "2x2", "ruleset": "subtle", "max_pings": 1}),
    ("sparklies", {"board": "2x2", "ruleset": "subtle", "max_pings": 4}),
    ("sparklies", {"board": "2x2", "ruleset": "subtle", "max_pings": 0}),
    ("sparklies", {"board": "2x2", "mode": "duel"}),
    ("sanqi", {"side": 4}),
    ("triplicity", {}),
]


def counts(position: tercet.Position, most: int) -> tuple[int, int | None, int | None]:
    """The positions that can follow, the histories, and the length of the longest; None for the last two where a
    position can come again. No more than ``most`` positions are looked at; then only their number is returned."""
    places = {position.key(): 0}
    following: list[list[int]] = []
    waiting = [position]
    for here in waiting:  # grows while it is walked through
        following.append([])
        for action in here.legal_actions:
            after = here.play(action)
            place = places.setdefault(after.key(), len(places))
            if place == len(waiting):
                waiting.append(after)
            following[-1].append(place)
        if len(waiting) > most:
            return len(waiting), None, None
    histories, longest = [0] * len(following), [0] * len(following)
    entered, left = set[int](), set[int]()
    stack = [0]
    while stack:
        place = stack[-1]
        if place not in entered:
            entered.add(place)
            for later in following[place]:
                if later in entered and later not in left:
                    return len(following), None, None
                if later not in entered:
                    stack.append(later)
            continue
        stack.pop()
        if place not in left:
            left.add(place)
            histories[place] = 1 + sum(histories[after] for after in following[place])
            longest[place] = max((1 + longest[after] for after in following[place]), default=0)
    return len(following), histories[0], longest[0]


def iterate_values(game: Any) -> None:
    """Run OpenSpiel's value iteration, over positions."""
    from open_spiel.python.algorithms import value_iteration

    began = time.process_time()
    values = value_iteration.value_iteration(game, -1, 1e-6, cyclic_game=True)  # True: a position is looked at once
    start = values[str(game.new_initial_state())]
    print(
        f"  values: {len(values):,} positions in {time.process_time() - began:.1f} s; the start is worth {start:+.3f}"
    )


def regrets(game: Any, iterations: int) -> None:
    """Run OpenSpiel's CFR, over histories."""
    from open_spiel.python.algorithms import cfr, exploitability

    began = time.process_time()
    solver = cfr.CFRSolver(game)
    built = time.process_time() - began
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    took = (time.process_time() - began - built) / iterations
    far = exploitability.exploitability(game, solver.average_policy())
    print(f"  CFR: built in {built:.1f} s, {took:.2f} s an iteration; exploitability after {iterations}: {far:.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", nargs="?")
    parser.add_argument("option", nargs="*", help="name=value")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=int, default=1_000_000, help="positions to look at")
    parser.add_argument("--values", action="store_true", help="run OpenSpiel's value iteration too")
    parser.add_argument("--cfr", action="store_true", help="run OpenSpiel's CFR too")
    parser.add_argument("--iterations", type=int, default=10)
    asked = parser.parse_args()
    chosen: list[tuple[str, dict[str, Any]]] = (
        [(asked.game, dict(word.split("=", 1) for word in asked.option))] if asked.game else BOARDS
    )
    print("game | positions | histories | longest game")
    for name, options in chosen:
        positions, histories, longest = counts(tercet.game(name, **options).start(asked.seed), asked.most)
        title = " ".join([name, *(f"{key}={value}" for key, value in options.items())])
        if histories is None:
            more = f"more than {asked.most:,}" if positions > asked.most else f"{positions:,}"
            print(f"{title} | {more} | {'not counted' if positions > asked.most else 'without bound'} | ", flush=True)
        else:
            print(f"{title} | {positions:,} | {histories:,} | {longest}", flush=True)
        if asked.values or asked.cfr:
            from tercet import environments

            game = environments.openspiel(name, seed=asked.seed, **options)
            if asked.values:
                iterate_values(game)
            if asked.cfr:
                regrets(game, asked.iterations)


if __name__ == "__main__":
    main()
