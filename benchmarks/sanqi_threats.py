"""How many wins by force are found, and how soon: the prover and the engine beside the engine without the prover.

    python -m benchmarks.sanqi_threats [--seconds 0.5] [--most 40] [--processor] [--json]

The positions are those of tests/sanqi/engine/wins.txt.gz, whose wins in 2 to 5 turns are proved. One core; each
position is new to the engine. Times are processor time; the engines' limit is the clock's, or with ``--processor``
processor time as well, so that it makes no difference what else the machine does.
"""

from __future__ import annotations

import argparse
import gzip
import json
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import tercet
from tercet import Game, Position
from tercet.engines import Limits
from tercet.engines.mcts import MctsEngine
from tercet.games.sanqi.engine.prover import Prover

WINS = Path(__file__).parents[1] / "tests" / "sanqi" / "engine" / "wins.txt.gz"
Finder = Callable[[Position], bool]


def listed() -> Iterator[tuple[int, int, str]]:
    """Side, turns and position of every win in the list."""
    for line in gzip.decompress(WINS.read_bytes()).decode().splitlines():
        if line.startswith("sanqi/"):
            text, _, turns = line.rpartition(" ")
            yield int(text[len("sanqi/") :].split(" ")[0].split(",")[0]), int(turns), text


def finders(game: Game, seconds: float) -> dict[str, Finder]:
    """Who looks, by name."""
    prover = Prover(game)
    engines = {"engine": MctsEngine(game, seed=1), "without prover": MctsEngine(game, seed=1, proving=False)}
    for engine in engines.values():
        engine.think(game.start(), Limits(nodes=10))
    prover.prove(game.start(), tries=10)

    # The prover's time is its processor time, so that what else runs here makes no difference.
    def by_prover(position: Position) -> bool:
        prover.forget()
        until = time.thread_time() + seconds
        return prover.prove(position, halted=lambda: time.thread_time() >= until) is not None

    def by_engine(engine: MctsEngine) -> Finder:
        def find(position: Position) -> bool:
            engine.new_game()
            return engine.think(position, Limits(movetime=seconds)).info.lines[0].note.startswith("win")

        return find

    return {"prover": by_prover, **{name: by_engine(engine) for name, engine in engines.items()}}


def measure(seconds: float, most: int) -> list[dict[str, Any]]:
    """One line of the table for each side and number of turns."""
    kinds: dict[tuple[int, int], list[str]] = {}
    for side, turns, text in listed():
        kinds.setdefault((side, turns), []).append(text)
    table = []
    looking: dict[int, dict[str, Finder]] = {}
    for (side, turns), texts in sorted(kinds.items()):
        if side not in looking:
            looking[side] = finders(tercet.game("sanqi", side=side), seconds)
        chosen = texts[:: -(-len(texts) // most)]
        row: dict[str, Any] = {"side": side, "turns": turns, "positions": len(chosen)}
        for name, find in looking[side].items():
            found, times = 0, []
            for text in chosen:
                position = tercet.parse(text)
                begun = time.thread_time()
                found += find(position)
                times.append(1000 * (time.thread_time() - begun))
            row[name] = {
                "found": found / len(chosen),
                "median_ms": round(statistics.median(times), 1),
                "p95_ms": round(sorted(times)[int(0.95 * (len(times) - 1))], 1),
            }
        table.append(row)
    return table


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--most", type=int, default=40, help="positions of a kind")
    parser.add_argument("--processor", action="store_true", help="engines' limits are processor time")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    if chosen.processor:
        time.perf_counter = time.thread_time  # engines look it up at each call
    table = measure(chosen.seconds, chosen.most)
    if chosen.json:
        print(json.dumps(table))
        return
    names = [name for name in table[0] if isinstance(table[0][name], dict)]
    print(f"found within {chosen.seconds} s (median, 95th percentile of the time in ms)")
    print("side turns  n   " + "".join(f"{name:<28}" for name in names))
    for row in table:
        cells = (f"{row[name]['found']:4.0%} ({row[name]['median_ms']}, {row[name]['p95_ms']})" for name in names)
        print(f"{row['side']:>4} {row['turns']:>5} {row['positions']:>3}  " + "".join(f"{cell:<28}" for cell in cells))


if __name__ == "__main__":
    main()
