"""By how much thinking exceeds its time limit while the processor is busy: of each game's engine at full strength.

    python -m benchmarks.time_limits [--games triplicity] [--seconds 0.5] [--positions 40] [--busy 2] [--json]
    python -m benchmarks.time_limits --processor

``--busy`` processes count without end beside it (as many as there are cores, if nothing is said). Positions are those
of random games, from the first action to the last; from each the engine plays on twice, with a random action in
between, so that it begins with what it knows as well as with nothing. The first is thought about as soon as the
engine is made. Milliseconds over the limit by the clock; less is nothing. "clock only" is a loop that does nothing
but look at the clock until the limit: what it exceeds is the machine's doing, not an engine's. ``--processor`` gives
engine and measurement the processor time of the thread for a clock: then all that is over the limit is the engine's
own, however busy the machine.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import os
import random
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import tercet
from tercet import Action, Game, Position
from tercet.engines import Limits, level

ALLOWED = 50  # milliseconds
GAMES: dict[str, tuple[str, dict[str, Any]]] = {
    "sanqi 6": ("sanqi", {"side": 6}),
    "sanqi 10": ("sanqi", {"side": 10}),
    "triplicity": ("triplicity", {}),
    "sparklies subtle": ("sparklies", {"ruleset": "subtle"}),
    "sparklies speed": ("sparklies", {"ruleset": "speed"}),
    "sparklies duel": ("sparklies", {"mode": "duel"}),
}


def count_without_end() -> None:
    """Keep a core busy."""
    number = 0
    while True:
        number += 1


def positions(game: Game, count: int) -> Iterator[Position]:
    """So many positions of random games that go on, from all parts of games."""
    chance = random.Random(5)
    while True:
        position, played = game.start(chance.getrandbits(30)), []
        while not position.is_over:
            played.append(position)
            position = position.play(chance.choice(position.legal_actions))
        for _ in range(4):
            yield chance.choice(played)
            count -= 1
            if not count:
                return


def clock_only(seconds: float) -> Callable[[Position], Action]:
    """Something that does nothing for so long."""

    def wait(position: Position) -> Action:
        until = time.perf_counter() + seconds
        while time.perf_counter() < until:
            pass
        return next(iter(position.legal_actions))

    return wait


def overshoots(think: Callable[[Position], Action], found: list[Position], seconds: float) -> list[tuple[float, str]]:
    """Milliseconds over the limit for each position, sorted."""
    chance, answer = random.Random(7), []
    for position in found:
        for _ in range(2):
            began = time.perf_counter()  # looked up in `time` at each call, so that `--processor` can exchange it
            action = think(position)
            answer.append((1000 * max(0.0, time.perf_counter() - began - seconds), str(position)))
            position = position.play(action)
            if position.is_over:
                break
            position = position.play(chance.choice(position.legal_actions))
            if position.is_over:
                break
    return sorted(answer)


def measure(name: str, seconds: float, count: int) -> dict[str, Any]:
    """What came of one game."""
    title, options = GAMES[name]
    game = tercet.game(title, **options)
    found = list(positions(game, count))
    engine = level(game, 10, seed=1)
    limits = Limits(movetime=seconds)
    over = overshoots(lambda position: engine.think(position, limits).action, found, seconds)
    waiting = overshoots(clock_only(seconds), found[: max(1, count // 4)], seconds)
    late = [milliseconds for milliseconds, _ in over]
    return {
        "game": name, "positions": len(late), "median": round(statistics.median(late), 1),
        "p99": round(late[math.ceil(0.99 * len(late)) - 1], 1), "max": round(late[-1], 1),
        "over": sum(milliseconds > ALLOWED for milliseconds in late), "clock_only_max": round(waiting[-1][0], 1),
        "worst": over[-1][1],
    }  # fmt: skip


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", nargs="+", choices=list(GAMES), default=list(GAMES))
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--positions", type=int, default=40)
    parser.add_argument("--busy", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--processor", action="store_true", help="measure processor time, beside nothing")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    if chosen.processor:
        chosen.busy = 0
        time.perf_counter = time.thread_time
    busy = [multiprocessing.Process(target=count_without_end, daemon=True) for _ in range(chosen.busy)]
    for process in busy:
        process.start()
    if not chosen.json:
        print(f"Over {chosen.seconds:g} s, in ms, beside {chosen.busy} busy processes")
        print(f"| game | positions | median | 99 % | most | over {ALLOWED} ms | clock only, most |")
        print("| --- | --- | --- | --- | --- | --- | --- |")
    for name in chosen.games:
        found = measure(name, chosen.seconds, chosen.positions)
        columns = ("game", "positions", "median", "p99", "max", "over", "clock_only_max")
        text = "| " + " | ".join(str(found[column]) for column in columns) + " |"
        print(json.dumps(found) if chosen.json else text, flush=True)
    for process in busy:
        process.kill()


if __name__ == "__main__":
    main()
