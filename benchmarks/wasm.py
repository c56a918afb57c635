"""Kernels as WebAssembly beside compiled ones, in turns within one run: playouts and tree search, by processor time.

    python -m benchmarks.wasm [--seconds 5] [--site FOLDER] [GAME ...]

Needs the extra `wasm` (Wasmtime). With the folder of a built site: tree search in Chromium too, with the site's own
Python and modules, between two compiled runs, by the clock.
"""

from __future__ import annotations

import argparse
import contextlib
import inspect
import json
import statistics
import time
import zlib
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import sync_playwright

from tercet import kernel
from tercet.browser import wasmtime_host
from tercet.browser.building import built_module
from tercet.core.game import Game
from tercet.engines.tree import Settings, Tree
from tercet.games import BUILT_IN, game_definition
from tercet.kernel import webassembly
from tests.browser.conftest import ARGS, chromium_path
from tests.wasm.site import Host
from tests.wasm.test_hosts import has_script

# what `search` and `nodes` need in a browser, where their source runs
PRELUDE = """from __future__ import annotations
import statistics, time
from tercet.engines.tree import Settings, Tree
from tercet.core.game import Game
from tercet.games import game_definition
"""


def playouts(game: Game) -> Callable[[int], int]:
    """What plays some random games, by a seed, and returns their plies."""
    start, players = game.start(1).row, len(game.players)
    row, total, points = start.copy(), *(kernel.zeros(game.execution, players, "float64") for _ in range(2))
    work = game.new_list(), game.new_events()
    size = game.rules.row_size

    def play(seed: int) -> int:
        return int(game.playout.playouts(game.data, start, row, size, players, 40, seed, *work, points, total, 100_000))

    return play


def search(game: Game) -> Callable[[int], int]:
    """What makes some simulations in a new tree, by a seed, and returns how many."""
    tree = Tree(game, Settings(capacity=1 << 16), 1)

    def grow(seed: int) -> int:
        tree.seed = seed
        tree.reset(None)
        tree.begin(game.start(1))
        return tree.search(1000)

    return grow


def ratio(make: Callable[[Game], Callable[[int], int]], games: list[Game], seconds: float) -> tuple[float, float]:
    """WebAssembly's share of the compiled speed, the median over all turns, and the compiled speed a second."""
    works = [make(game) for game in games]
    for work in works:
        work(0)
    found, speeds = [], []
    began, seed = time.process_time(), 1
    while time.process_time() - began < seconds:
        taken, done = [], []
        for work in works:
            start = time.process_time()
            done.append(work(seed))
            taken.append(time.process_time() - start)
        assert done[0] == done[1], "the two did not do the same"
        found.append(taken[0] / taken[1])
        speeds.append(done[0] / taken[0])
        seed += 1
    return statistics.median(found), statistics.median(speeds)


def nodes(execution: str, games: list[str], seconds: float) -> dict[str, float]:
    """Simulations a second by the clock, the median of each game."""
    found = {}
    for name in games:
        grow = search(Game(game_definition(name), {}, execution))
        speeds: list[float] = []
        began = time.perf_counter()
        while time.perf_counter() - began < seconds:
            start = time.perf_counter()
            done = grow(len(speeds))
            speeds.append(done / (time.perf_counter() - start))
        found[name] = statistics.median(speeds[1:])  # the first one warms up
    return found


def in_chromium(site: Path, games: list[str], seconds: float) -> dict[str, float]:
    """Chromium's share of the compiled simulations a second, of each game."""
    source = PRELUDE + inspect.getsource(search) + inspect.getsource(nodes)
    script = f"{source}\ndigests = lambda execution: nodes(execution, {games!r}, {seconds!r})\n"
    before = nodes("compiled", games, seconds)
    host = has_script(Host(site), script.encode())
    with contextlib.closing(host), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=ARGS)
        browser.new_page().goto(host.base)
        there = json.loads(host.posted.get(timeout=120 + 2 * seconds * len(games)))
        browser.close()
    after = nodes("compiled", games, seconds)
    return {name: there[name] / statistics.mean((before[name], after[name])) for name in games}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=BUILT_IN)
    parser.add_argument("--seconds", type=float, default=5.0, help="processor time for each figure")
    parser.add_argument("--site", type=Path, help="what `make site` wrote")
    arguments = parser.parse_args()
    wasmtime_host.start()
    shares = in_chromium(arguments.site, list(arguments.games), arguments.seconds) if arguments.site else {}
    heads = ["game", "module", "compressed", "kernels", "playouts", "of compiled", "tree search", "of compiled"]
    print(f"| {' | '.join(heads + ['in Chromium'] * bool(shares))} |")
    print(f"|{' --- |' * (len(heads) + bool(shares))}")
    for name in arguments.games:
        built = built_module(name)
        webassembly.provide(name, built.content, built.table)
        games = [Game(game_definition(name), {}, mode) for mode in ("compiled", "wasm")]
        plies, simulations = (ratio(make, games, arguments.seconds) for make in (playouts, search))
        print(
            f"| {name} | {len(built.content) / 1000:.1f} kB | {len(zlib.compress(built.content, 9)) / 1000:.1f} kB "
            f"| {len(built.table['kernels'])} | {plies[1] / 1e6:.2f} M plies/s | {plies[0]:.0%} "
            f"| {simulations[1] / 1000:.1f} k nodes/s | {simulations[0]:.0%} |"
            + (f" {shares[name]:.0%} |" if shares else "")
        )


if __name__ == "__main__":
    main()
