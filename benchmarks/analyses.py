"""What a person who analyses, or plays against engines, costs a server, with engines on the server and on the person's
own device.

``python -m benchmarks.analyses FOLDER [--play] [--positions 5] [--seconds 8] [--level 6] [--json]``, where FOLDER is
what ``tercet site`` wrote. In each game, a person in a real Chromium lets the engine analyse, and plays its best move
every so many seconds; with ``--play``, the person plays an unrated game against engines of that level, so many moves,
and waits so many seconds before each. Shown are the processor seconds of all of the server's processes: for a minute
with engines on the server, for one with engines on the device, and from the first question in a new browser until
Tercet runs on the device. All are measured in turn on one server (Linux). On a busy machine, engines on the server get
less time.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

import tercet
from benchmarks.site import fields_of
from tests.browser.conftest import ARGS, DESKTOP, chromium_path
from tests.browser.hands import Hands
from tests.browser.table import Server, ready

GAMES = ("sanqi", "triplicity", "sparklies")
ON_SERVER = "localStorage.setItem('tercet.settings', '{\"thinkHere\": false}')"
HERE = "() => document.querySelector('.facts')?.innerText.includes('on your device')"
TICKS = os.sysconf("SC_CLK_TCK")


def processor_seconds(server: int) -> float:
    """Return what a server, its engines and those that have ended have used."""
    used, family = 0, {str(server)}
    for entry in sorted(int(path.name) for path in Path("/proc").glob("[0-9]*")):
        with contextlib.suppress(OSError, IndexError):
            fields = fields_of(str(entry))
            if str(entry) in family or fields[1] in family:
                family.add(str(entry))
                used += sum(map(int, fields[11:15]))
    return used / TICKS


def analyse(page: Page, positions: int, seconds: float) -> None:
    """Stay so many seconds at each position, and play the engine's best move."""
    for _ in range(positions):
        page.wait_for_timeout(1000 * seconds)
        page.locator(".lines .step").first.click()
        page.locator(".lines .step").first.wait_for()


def visit(browser: Browser, server: Server, game: str, given: argparse.Namespace, here: bool) -> tuple[float, float]:
    """Return the server's processor seconds from the first question in a new browser until the device analyses, if it
    does, and then for a minute of analysis."""
    context = browser.new_context(**DESKTOP)
    context.set_default_timeout(120_000)
    page = context.new_page()
    if not here:
        page.add_init_script(ON_SERVER)
    page.goto(f"{server.base}/analysis?game={game}")
    ready(page)
    used = processor_seconds(server.process.pid)
    page.get_by_role("button", name="Engine").click()
    page.locator(".lines .step").first.wait_for()
    while here and not page.evaluate(HERE):
        analyse(page, 1, 2)
    begun, arrived = time.monotonic(), processor_seconds(server.process.pid)
    analyse(page, given.positions, given.seconds)
    spent = processor_seconds(server.process.pid) - arrived
    context.close()
    return arrived - used, 60 * spent / (time.monotonic() - begun)


def play(browser: Browser, server: Server, game: str, given: argparse.Namespace, here: bool) -> tuple[float, float]:
    """Return what :func:`visit` does, for a game against engines. The device's start comes before the first move."""
    context = browser.new_context(**DESKTOP)
    context.set_default_timeout(120_000)
    page = context.new_page()
    if not here:
        page.add_init_script(ON_SERVER)
    engines = [{"kind": "engine", "level": given.level}] * (len(tercet.game(game).players) - 1)
    used = processor_seconds(server.process.pid)
    table = server.table([{"kind": "me"}, *engines], game=game, seed=1)
    offered: list[bool] = []
    page.on("websocket", lambda one: one.on("framesent", lambda said: offered.append("thinker" in str(said))))
    hands = Hands(page, table)
    while here and not any(offered):
        page.wait_for_timeout(100)
    begun, arrived = time.monotonic(), processor_seconds(server.process.pid)
    for _ in range(given.positions):
        page.wait_for_timeout(1000 * given.seconds)
        hands.play(hands.paths[0][0])
    spent = processor_seconds(server.process.pid) - arrived
    minutes = (time.monotonic() - begun) / 60
    hands.close()
    context.close()
    return arrived - used, spent / minutes


def measure(given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Yield a row for each game."""
    with tempfile.TemporaryDirectory() as data, sync_playwright() as playwright:
        server = Server(Path(data), more=["--device", str(given.folder)])
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=ARGS)
        try:
            server.get(f"/device/{next(given.folder.glob('build-*.json')).name}")  # compresses them, once
            for game in GAMES:
                server.get(f"/api/rules/{game}")
                person = play if given.play else visit
                _, there = person(browser, server, game, given, here=False)
                start, here = person(browser, server, game, given, here=True)
                yield {"game": game, "server": there, "device_start": start, "device": here}
        finally:
            browser.close()
            server.stop()


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--play", action="store_true")
    parser.add_argument("--level", type=int, default=6)
    parser.add_argument("--positions", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if given.json:
        print(json.dumps(list(measure(given))))
        return
    what = f"a game against engines of level {given.level}" if given.play else "analysis"
    print(f"processor seconds of the server for a minute of {what}, and until Tercet runs on the device")
    print("| game | on the server | on the device | until it does |\n| --- | --- | --- | --- |")
    for row in measure(given):
        print(f"| {row['game']} | {row['server']:.1f} | {row['device']:.2f} | {row['device_start']:.1f} |", flush=True)


if __name__ == "__main__":
    main()
