"""Steps a second of batches, each with mask and uint8 observation, beside pgx's Hex and Go in the same run.

    python benchmarks/batch.py --peers PATH/TO/PYTHON     # a Python with pgx and jax (group `peers`), if there is one
    python benchmarks/batch.py --playouts                 # whole random games: batches beside the single-game kernel
    python benchmarks/batch.py --growth                   # 1 to 65,536 games, 1 to all cores
    python benchmarks/batch.py --growth --only triplicity --sizes 64 1024

A step is ``batch.step(batch.random_actions())``: it draws, checks and plays an action in each game, starts a new game
where one is over, and writes masks, observations and everything else. "Of memset" is the share of what the core reaches
in the same run when it only fills masks and observations with zeros. Everything is compiled and played in before it is
timed; figures are medians of rounds, peers' rounds between ours. Figures of one core are for a second of its time, so
that other work on the machine matters little; those of several are for a second of the clock, so that it does.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import statistics
import subprocess
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import tercet
from tercet.batch import Batch
from tercet.batch.host import core_count

KINDS: dict[str, dict[str, Any]] = {
    "sanqi side=6": {"game": "sanqi", "side": 6},
    "sanqi side=10": {"game": "sanqi"},
    "sparklies 9x9": {"game": "sparklies"},
    "triplicity": {"game": "triplicity"},
}
PEERS = ("hex", "go_9x9")


def steps(batch: Batch, seconds: float, clock: Callable[[], float]) -> float:
    """Steps a second of ``clock`` in a round of about ``seconds``."""
    done, begun = 0, clock()
    while (spent := clock() - begun) < seconds:
        batch.step(batch.random_actions())
        done += batch.games
    return done / spent


def memset(batch: Batch, seconds: float, clock: Callable[[], float]) -> float:
    """Steps a second if a step did nothing but fill arrays like the batch's masks and observations with zeros."""
    arrays = [np.empty_like(array) for array in (batch.masks, batch.observations)]
    done, begun = 0, clock()
    while (spent := clock() - begun) < seconds:
        for array in arrays:
            array.fill(0)
        done += batch.games
    return done / spent


def play_in(batch: Batch) -> Batch:
    """Play until games are at all stages."""
    for _ in range(100):
        batch.step(batch.random_actions())
    return batch


def peer(python: str, name: str, games: int, rounds: int) -> list[float]:
    """The rates of a peer's rounds."""
    script = Path(__file__).with_name("batch_pgx.py")
    done = subprocess.run(
        [python, str(script), name, str(games), str(rounds)], capture_output=True, text=True, check=True,
        env={**os.environ, "JAX_PLATFORMS": "cpu"},
    )  # fmt: skip
    rates: list[float] = json.loads(done.stdout.splitlines()[-1])
    return rates


def beside(python: str | None, games: int, rounds: int, seconds: float, packed: bool) -> None:
    """All games and the peers, in turns."""
    form: dict[str, Any] = {"packed": packed, "mask_format": "bits" if packed else "bool"}
    batches = {name: play_in(Batch(**kind, **form, games=games)) for name, kind in KINDS.items()}
    rates: dict[str, list[float]] = {name: [] for name in (*batches, *(PEERS if python else ()))}
    shares: dict[str, list[float]] = {name: [] for name in batches}
    for _ in range(rounds):
        for name, batch in batches.items():
            rates[name].append(steps(batch, seconds, time.process_time))
            shares[name].append(rates[name][-1] / memset(batch, seconds / 5, time.process_time))
        if python:
            for name in PEERS:
                rates[name].append(statistics.median(peer(python, name, games, 3)))
    found = {name: statistics.median(each) for name, each in rates.items()}
    print(f"{games} games, steps for a second of one core, median of {rounds} rounds\n")
    print("| game | steps/s | bytes a step | of memset |" + " beside pgx's Hex | beside pgx's Go 9x9 |" * bool(python))
    print("| --- | --- | --- | --- |" + " --- | --- |" * bool(python))
    for name, rate in found.items():
        ratios = "".join(f" {rate / found[other]:.1f}x |" for other in PEERS) if python else ""
        written = " | |"
        if name in batches:
            size = (batches[name].masks.nbytes + batches[name].observations.nbytes) // games
            written = f" {size:,} | {statistics.median(shares[name]):.0%} |"
        print(f"| {'pgx ' if name in PEERS else ''}{name} | {rate:,.0f} |{written}{ratios}")


def growth(rounds: int, seconds: float, only: str | None, sizes: list[int]) -> None:
    """Each game (or ``only`` one) with 1 to 65,536 games (or so many), on 1 to all cores."""
    cores = core_count()
    threads = sorted({1, *(1 << k for k in range(1, 8) if 1 << k <= cores), cores})
    print(f"steps/s by the number of games and threads, median of {rounds} rounds\n")
    print("| game | games |" + "".join(f" {count} thread{'s' * (count > 1)} |" for count in threads) + " ratio |")
    print("| --- | --- |" + " --- |" * (len(threads) + 1))
    for name, kind in ((name, KINDS[name]) for name in KINDS if only in (None, name)):
        for games in sizes or (1, 16, 256, 1024, 4096, 16384, 65536):
            if name == "triplicity" and games > 16384:
                continue
            batches = [play_in(Batch(**kind, games=games, threads=count)) for count in threads]
            rates: list[list[float]] = [[] for _ in threads]
            for _ in range(rounds):
                for batch, each in zip(batches, rates, strict=True):
                    each.append(steps(batch, seconds, time.perf_counter))
            found = [statistics.median(each) for each in rates]
            ratio = statistics.median(last / first for first, last in zip(rates[0], rates[-1], strict=True))
            shown = "".join(f" {rate:,.0f} |" for rate in found)
            print(f"| {name} | {games:,} |{shown} {ratio:.2f} |", flush=True)


def single(kind: dict[str, Any]) -> Callable[[int], int]:
    """The single-game kernel: plays so many random games from the start position, returns their actions."""
    options = dict(kind)
    game = tercet.game(options.pop("game"), **options)
    start, rules, players = game.start(1).row, game.rules, len(game.players)
    row, out, events = game.new_row(), game.new_list(), game.new_events()
    points, total = np.zeros(players), np.zeros(players)
    seeds = itertools.count(1)  # never the same games twice: a processor learns them by heart

    def play(games: int) -> int:
        return int(
            game.playout.playouts(
                game.data, start, row, rules.row_size, players, games, next(seeds) << 32, out, events, points,
                total,
                rules.max_plies or 4000,
            )
        )  # fmt: skip

    return play


def played(batch: Batch, games: int) -> int:
    """The actions of so many random games from each position."""
    return int(batch.playouts(games)[1].sum())


def playouts(rounds: int, seconds: float) -> None:
    """Whole random games from the start: the single-game kernel, a batch on one thread, a batch on all cores. One call
    plays for about ``seconds``, so that waking threads and the system's pauses are a small part of it."""
    cores = core_count()
    print(f"actions/s in whole random games, median of {rounds} rounds; ratios are medians of the rounds' ratios\n")
    print(f"| game | single-game kernel | batch | ratio | batch, {cores} threads (by the clock) | beside one |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name, kind in KINDS.items():
        games = 256 if name == "triplicity" else 2048
        play = single(kind)
        one, all_ = Batch(**kind, games=games), Batch(**kind, games=games, threads=cores)
        one.playouts()
        begun = time.perf_counter()
        one.playouts()
        each_time = max(1, round(seconds / (time.perf_counter() - begun)))  # games from each position
        calls: list[Callable[[], int]] = [
            partial(play, games * each_time),
            partial(played, one, each_time),
            partial(played, one, each_time),
            partial(played, all_, each_time),
        ]
        clocks = (time.process_time, time.process_time, time.perf_counter, time.perf_counter)
        rates: list[list[float]] = [[], [], [], []]
        for number in range(rounds + 1):
            for call, clock, each in zip(calls, clocks, rates, strict=True):
                begun = clock()
                plies = call()
                if number:
                    each.append(plies / (clock() - begun))
        alone, batch, _, shared = (statistics.median(each) for each in rates)
        ratio = statistics.median(b / a for a, b in zip(rates[0], rates[1], strict=True))
        more = statistics.median(b / a for a, b in zip(rates[2], rates[3], strict=True))
        print(f"| {name} | {alone:,.0f} | {batch:,.0f} | {ratio:.3f} | {shared:,.0f} | {more:.2f} |", flush=True)


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--peers", metavar="PYTHON", help="a Python that has pgx and jax")
    parser.add_argument("--games", type=int, default=1024)
    parser.add_argument("--packed", action="store_true", help="observations and masks are bits")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.5, help="of a round")
    parser.add_argument("--growth", action="store_true")
    parser.add_argument("--only", choices=KINDS, help="with --growth: this game")
    parser.add_argument("--sizes", type=int, nargs="*", help="with --growth: so many games")
    parser.add_argument("--playouts", action="store_true")
    chosen = parser.parse_args()
    if chosen.growth:
        growth(chosen.rounds, chosen.seconds, chosen.only, chosen.sizes)
    elif chosen.playouts:
        playouts(chosen.rounds, chosen.seconds)
    else:
        if hasattr(os, "sched_setaffinity"):  # peers inherit it
            os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        beside(chosen.peers, chosen.games, chosen.rounds, chosen.seconds, chosen.packed)


if __name__ == "__main__":
    main()
