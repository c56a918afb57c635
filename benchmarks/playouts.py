"""Random games a second on SanQi: ours, the same algorithm in plain C, and OpenSpiel's Havannah of the same size.

``python benchmarks/playouts.py [--side 10] [--repeats 9] [--json]``. The three take turns; medians are compared.
The C program (playouts.c) is compiled here with the system's compiler, if there is one, and has to play the very same
games. OpenSpiel's rollouts run through its MCTSBot, as nothing else runs them in C++: 50 simulations of 200 each.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import shutil
import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import tercet

TARGET_C, TARGET_OPENSPIEL = 1.2, 4.0


def ours(game: tercet.Game, threads: int, count: int) -> tuple[float, int, list[float]]:
    """Play ``count`` games on each of ``threads`` threads: games a second, plies and points of the first thread.

    On one thread seconds of its own processor time count, so that other programs matter less.
    """
    rules, start = game.rules, game.start().row
    plies = [0] * threads
    totals = [np.zeros(2) for _ in range(threads)]
    limit = rules.max_plies or 0

    def work(index: int) -> None:
        plies[index] = game.playout.playouts(
            game.data, start, game.new_row(), rules.row_size, 2, count, 1 + (index << 40), game.new_list(),
            game.new_events(), np.zeros(2), totals[index], limit,
        )  # fmt: skip

    if threads == 1:
        begun = time.thread_time()
        work(0)
        return count / (time.thread_time() - begun), plies[0], totals[0].tolist()
    workers = [threading.Thread(target=work, args=(index,)) for index in range(threads)]
    begun = time.perf_counter()
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return threads * count / (time.perf_counter() - begun), plies[0], totals[0].tolist()


def plain_c(folder: str) -> Any:
    """The function ``playouts`` of playouts.c, or None where there is no compiler."""
    compiler = shutil.which(os.environ.get("CC", "cc")) or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        return None
    library = Path(folder) / "playouts.so"
    source = Path(__file__).with_name("playouts.c")
    for flags in (["-O3", "-march=native"], ["-O3"]):
        made = subprocess.run([compiler, *flags, "-shared", "-fPIC", "-o", library, source], capture_output=True)
        if made.returncode == 0:
            function = ctypes.CDLL(str(library)).playouts
            function.restype = ctypes.c_int64
            return function
    return None


def in_c(function: Any, game: tercet.Game, count: int) -> tuple[float, int, list[float]]:
    """As :func:`ours`, on one thread."""
    rules, start = game.rules, game.start().row
    row, out, events, total = game.new_row(), game.new_list(), game.new_events(), np.zeros(2)

    def at(array: Any) -> ctypes.c_void_p:
        return ctypes.c_void_p(array.ctypes.data)

    begun = time.thread_time()
    plies = function(
        at(game.data), at(start), at(row), ctypes.c_int64(rules.row_size), ctypes.c_int64(count), ctypes.c_int64(1),
        at(out), at(events), at(total), ctypes.c_int64(rules.max_plies or 0),
    )  # fmt: skip
    return count / (time.thread_time() - begun), plies, total.tolist()


def openspiel(side: int) -> Callable[[], float] | None:
    """A function that measures OpenSpiel's rollouts a second on Havannah, or None where it is not installed."""
    try:
        import pyspiel
    except ImportError:
        return None
    game = pyspiel.load_game(f"havannah(board_size={side})")

    def measure(simulations: int = 50, rollouts: int = 200) -> float:
        evaluator = pyspiel.RandomRolloutEvaluator(rollouts, 1)
        bot = pyspiel.MCTSBot(game, evaluator, 2.0, simulations, 1, False, 1, False)
        state = game.new_initial_state()
        begun = time.thread_time()
        bot.step(state)
        return simulations * rollouts / (time.thread_time() - begun)

    return measure


def measure(side: int, repeats: int, count: int) -> dict[str, Any]:
    """Run everything in turn ``repeats`` times and compare the medians."""
    game = tercet.game("sanqi", side=side)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    rates: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        function = plain_c(folder)
        rollouts = openspiel(side)
        _, plies, points = ours(game, 1, count)
        if function is not None:
            assert in_c(function, game, count)[1:] == (plies, points), "the C program plays other games"
        for _ in range(repeats):
            rates.setdefault("ours, one core", []).append(ours(game, 1, count)[0])
            if function is not None:
                rates.setdefault("plain C, one core", []).append(in_c(function, game, count)[0])
            if rollouts is not None:
                rates.setdefault("OpenSpiel Havannah, one core", []).append(rollouts())
            rates.setdefault(f"ours, {cores} cores", []).append(ours(game, cores, count)[0])
    medians = {name: statistics.median(found) for name, found in rates.items()}
    mine = medians["ours, one core"]
    answer: dict[str, Any] = {
        "side": side,
        "plies_per_game": round(plies / count, 1),
        "games_per_s": {name: round(rate) for name, rate in medians.items()},
    }
    if "plain C, one core" in medians:
        answer["C_over_ours"] = round(medians["plain C, one core"] / mine, 3)
    if "OpenSpiel Havannah, one core" in medians:
        answer["ours_over_openspiel"] = round(mine / medians["OpenSpiel Havannah, one core"], 2)
    return answer


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--side", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--games", type=int, default=10_000, help="games in each run of ours")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    answer = measure(chosen.side, chosen.repeats, chosen.games)
    if chosen.json:
        print(json.dumps(answer))
        return
    print(f"Random games on SanQi side {answer['side']} ({answer['plies_per_game']} plies each), medians:")
    for name, rate in answer["games_per_s"].items():
        print(f"  {name:<30} {rate:>10,} games/s")
    c, peer = answer.get("C_over_ours"), answer.get("ours_over_openspiel")
    print("  no C compiler here" if c is None else f"  plain C is {c:.2f} times as fast (aim: at most {TARGET_C})")
    print(
        "  OpenSpiel is not installed"
        if peer is None
        else f"  ours is {peer:.1f} times as fast as OpenSpiel's (aim: at least {TARGET_OPENSPIEL:.0f})"
    )


if __name__ == "__main__":
    main()
