"""Random games a second on Sparklies: ours beside the same algorithm in plain C (sparklies.c), on one core.

``python benchmarks/sparklies.py [--repeats 11] [--games 1000] [--json]``. The two take turns and have to play the very
same games; the medians of processor time are compared.
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
import time
from pathlib import Path
from typing import Any

import numpy as np

import tercet

TARGET = 1.2
BOARDS: tuple[dict[str, Any], ...] = (
    {"board": "9x9", "ruleset": "subtle"},
    {"board": "9x9", "ruleset": "speed"},
    {"board": "8x8", "ruleset": "playtest2"},
    {"board": "hex4", "ruleset": "subtle", "players": 3},
)


def plain_c(folder: str) -> Any:
    """The function ``playouts`` of sparklies.c, or None where there is no compiler."""
    compiler = shutil.which(os.environ.get("CC", "cc")) or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        return None
    library = Path(folder) / "sparklies.so"
    source = Path(__file__).with_name("sparklies.c")
    for flags in (["-O3", "-march=native"], ["-O3"]):
        made = subprocess.run([compiler, *flags, "-shared", "-fPIC", "-o", library, source], capture_output=True)
        if made.returncode == 0:
            function = ctypes.CDLL(str(library)).playouts
            function.restype = ctypes.c_int64
            return function
    return None


def measure(function: Any, options: dict[str, Any], repeats: int, count: int) -> dict[str, Any]:
    """Games a second of both on one board."""
    game = tercet.game("sparklies", **options)
    rules, players = game.rules, len(game.players)
    start, row, out, events = game.start(1).row, game.new_row(), game.new_list(), game.new_events()
    points = np.zeros(players)
    limit = rules.max_plies or 100_000

    def at(array: Any) -> ctypes.c_void_p:
        return ctypes.c_void_p(array.ctypes.data)

    def run(ours: bool) -> tuple[float, int, list[float]]:
        total = np.zeros(players)
        begun = time.thread_time()
        if ours:
            plies = game.playout.playouts(
                game.data, start, row, rules.row_size, players, count, 1, out, events, points, total, limit
            )
        else:
            whole = (rules.row_size, players, count, 1)
            plies = function(
                at(game.data), at(start), at(row), *(ctypes.c_int64(value) for value in whole), at(events), at(points),
                at(total), ctypes.c_int64(limit),
            )  # fmt: skip
        return count / (time.thread_time() - begun), plies, total.tolist()

    answer: dict[str, Any] = {**options}
    mine, theirs = [], []
    _, plies, points_of_all = run(True)
    if function is not None:
        assert run(False)[1:] == (plies, points_of_all), "the C program plays other games"
    for _ in range(repeats):
        mine.append(run(True)[0])
        if function is not None:
            theirs.append(run(False)[0])
    answer |= {"plies_per_game": round(plies / count, 1), "games_per_s": round(statistics.median(mine))}
    if theirs:
        answer["C_games_per_s"] = round(statistics.median(theirs))
        answer["C_over_ours"] = round(statistics.median(theirs) / statistics.median(mine), 3)
    return answer


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=11)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        function = plain_c(folder)
        answers = [measure(function, options, chosen.repeats, chosen.games) for options in BOARDS]
    if chosen.json:
        print(json.dumps(answers))
        return
    for answer in answers:
        board = " ".join(str(answer[name]) for name in ("ruleset", "board"))
        beside = "no C compiler here"
        if "C_over_ours" in answer:
            beside = f"plain C {answer['C_games_per_s']:,}: {answer['C_over_ours']:.2f} times as fast (aim: {TARGET})"
        print(f"{board:<16} {answer['games_per_s']:>9,} games/s of {answer['plies_per_game']} plies; {beside}")


if __name__ == "__main__":
    main()
