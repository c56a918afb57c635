"""How long it takes to start: import, command line, first game with compiled code cached, compiling from nothing.

``python benchmarks/start.py [--compile [GAME ...]] [--serve CACHE] [--json]``. Seconds of wall time, the best of five.
With ``--compile`` instead the processor seconds, once, from empty caches: to compile each stage of each game, and to
the first move of the quick start's engine without anything compiled. With ``--serve`` instead what a new user waits
for: a server starts with its compiled code in the folder CACHE, and seconds and processor seconds (of all its
processes, on Linux) are noted until the page answers, until the first action in each game is answered, until the engine
of the quick start replies, and until all is compiled; ``--seconds`` ends it before, and the same folder goes on.

``python -m benchmarks.start --page``: what the first page and then the first game cost a visitor with a new profile,
the best of five in Chromium (Linux): seconds until the first paint, the longest task (0: none over 0.05 s), compressed
kilobytes, and processor seconds of all of the browser's processes.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from websockets.sync.client import connect

import tercet
from tercet.engines.preparing import STAGES, is_ready
from tercet.games import game_definition

STEPS = {
    "python": "pass",
    "import numpy and numba": "import numpy, numba",
    "import tercet": "import tercet",
    "tercet --help": "import sys, tercet.cli as c; sys.stdout = open('/dev/null', 'w'); c.main(['--help'])",
    "first game, cached": "import tercet; g = tercet.game('sanqi'); p = g.start(); p = p.play(p.legal_actions[0])",
    "perft 2, cached": "import tercet; g = tercet.game('sanqi'); g.perft(g.start(), 2)",
}

FIRST_MOVE = """
import tercet
from tercet.engines import Limits, level
from tercet.games import game_definition
start = game_definition("{0}").quick_start
position = tercet.game("{0}", execution="interpreted", **start.options).start(1)
level(position.game, start.level).think(position, Limits())
"""
COMPILE = """
from tercet.engines.preparing import compile_stage
compile_stage(dict(game="{}", stage="{}"))
"""


def seconds(code: str, cache: str | None = None) -> float:
    """How long a fresh interpreter takes for ``code``."""
    environment = dict(os.environ) if cache is None else {**os.environ, "TERCET_CACHE": cache}
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, env=environment, stderr=subprocess.DEVNULL)
    return time.perf_counter() - begun


def processor_seconds(code: str, cache: str) -> float:
    """How many seconds of a processor a fresh interpreter spends on ``code``."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds(code, cache)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def processor_seconds_of(process: int) -> float:
    """Return how many seconds of a processor ``process`` and those it started have spent (Linux)."""
    found = 0.0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:  # it has just ended
            continue
        pid, parent = int(stat.parent.name), int(fields[1])
        if pid == process:
            found += sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
        elif parent == process:
            found += processor_seconds_of(pid)
    return found


def first_reply(address: str, name: str, note: Any) -> None:
    """Play one action of the quick start of a game, and wait for its engine to reply."""
    start = game_definition(name).quick_start
    assert start is not None
    game = tercet.game(name, execution="interpreted", **start.options)
    seats = [{"kind": "me"}, *({"kind": "engine", "level": start.level} for _ in game.players[1:])]
    body = json.dumps({"game": name, "options": dict(start.options), "seats": seats}).encode()
    with urlopen(Request(f"{address}api/tables", body, {"content-type": "application/json"})) as answer:
        table = json.load(answer)
    seat = f"?seat={table['seats'][0]['token']}"
    count = 0
    with connect(f"ws{address[4:]}api/tables/{table['id']}/live{seat}", max_size=None) as wire:
        state = json.loads(wire.recv())["state"]
        position, ply = game.parse(state["view"]["position"]), state["ply"]
        while True:  # a turn may have several actions
            sent = time.perf_counter()
            action = str(position.legal_actions[0])
            wire.send(json.dumps({"type": "act", "id": str(sent), "ply": ply, "action": action}))
            while (heard := json.loads(wire.recv()))["type"] not in ("ack", "error"):
                pass
            assert heard["type"] == "ack", heard
            position, ply = position.play(action), ply + 1
            if not position.turn_is_open:
                break
        note(f"{name}: first turn answered")
        while (heard := json.loads(wire.recv())).get("kind") != "action" or heard["seat"] == 0:
            if heard.get("preparing"):
                count = heard["preparing"]["of"]
        note(f"{name}: engine's first reply" + (f" (counted {count} kernels)" if count else ""))


def serve(cache: str, limit: float) -> dict[str, tuple[float, float]]:
    """Return seconds and processor seconds from the start of a server until each of the things a user waits for."""
    os.environ["TERCET_CACHE"] = cache
    found: dict[str, tuple[float, float]] = {}
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "tercet", "serve", "--port", "0", "--no-browser", "--data-dir", folder]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

        def note(what: str) -> None:
            found[what] = time.perf_counter() - began, processor_seconds_of(server.pid)

        try:
            assert server.stdout is not None
            address = server.stdout.readline().split(" at ")[1].strip()
            urlopen(address).read()
            note("page")
            for name in tercet.games():
                first_reply(address, name, note)
            while time.perf_counter() - began < limit:
                if all(is_ready(name, stage) for name in tercet.games() for stage in STAGES):
                    note("all compiled")
                    break
                time.sleep(0.5)
        finally:
            server.terminate()
            server.wait()
    return found


TASKS = """window.tasks = [0];
new PerformanceObserver((list) => tasks.push(...list.getEntries().map((one) => one.duration)))
    .observe({ type: "longtask", buffered: true });"""


def first_page() -> dict[str, float]:
    """Return what five visits of the first page and a first game cost, the least of each."""
    from playwright.sync_api import sync_playwright

    from benchmarks.site import PAINT, group_of_browser
    from benchmarks.site import processor_seconds as used_by
    from tests.browser.conftest import ARGS, DESKTOP, chromium_path
    from tests.browser.table import Server

    visits: list[dict[str, float]] = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(Path(folder))
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=ARGS)
        group = group_of_browser()
        for _ in range(6):  # the first one fills the server's caches
            context = browser.new_context(**DESKTOP)
            context.add_init_script(TASKS)
            page, sizes = context.new_page(), [0]
            network = context.new_cdp_session(page)
            network.send("Network.enable")
            network.on("Network.loadingFinished", lambda done, sizes=sizes: sizes.append(done["encodedDataLength"]))
            before, found = sum(used_by(group).values()), {}
            page.goto(server.base)
            found["first page: seconds until the first paint"] = page.evaluate(PAINT)
            page.wait_for_function("() => document.querySelectorAll('.cards .board .tile').length > 100")
            for what in ("first page", "first game"):
                page.wait_for_load_state("networkidle")
                found[f"{what}: seconds of the longest task"] = max(page.evaluate("tasks")) / 1000
                found[f"{what}: kB, compressed"] = sum(sizes) / 1000
                found[f"{what}: processor seconds"] = sum(used_by(group).values()) - before
                if what == "first page":
                    page.get_by_role("button", name="Play SanQi").click()
                    page.wait_for_selector(".cell[data-legal]")
            visits.append(found)
            context.close()
        browser.close()
        server.stop()
    return {what: min(one[what] for one in visits[1:]) for what in visits[0]}


def compiled(names: list[str]) -> dict[str, float]:
    """Return the processor seconds that it takes to compile these games from nothing."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            found[f"{name}: engine's first move"] = processor_seconds(FIRST_MOVE.format(name), folder)
        for stage in STAGES:
            for name in names:
                found[f"{name}: {stage} compiled"] = processor_seconds(COMPILE.format(name, stage), folder)
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compile", nargs="*", metavar="GAME", help="compile these games from nothing, or all")
    parser.add_argument("--serve", metavar="CACHE", help="start a server with its compiled code in this folder")
    parser.add_argument("--seconds", type=float, default=3600, help="of --serve: end it then, compiled or not")
    parser.add_argument("--page", action="store_true", help="measure the first page and a first game")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    if chosen.serve is not None:
        for what, (passed, used) in serve(chosen.serve, chosen.seconds).items():
            print(f"{what:<52} {passed:8.1f} s {used:8.1f} s of a processor")
        return
    if chosen.compile is not None:
        found = compiled(chosen.compile or list(tercet.games()))
    elif chosen.page:
        found = first_page()
    else:
        seconds(STEPS["first game, cached"])
        seconds(STEPS["perft 2, cached"])
        found = {name: min(seconds(code) for _ in range(5)) for name, code in STEPS.items()}
    if chosen.json:
        print(json.dumps({name: round(value, 3) for name, value in found.items()}))
        return
    for name, value in found.items():
        print(f"{name:<44} {value:8.3f}" + ("" if chosen.page else " s"))


if __name__ == "__main__":
    main()
