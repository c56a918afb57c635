"""How long a visitor of the static site waits, with a new profile and later, with the same one, without a network.

``python -m benchmarks.site FOLDER [--slow N] [--throttle N] [--json]``, where FOLDER is what ``make site`` wrote. For
each visit, from the request: seconds until the first paint, until the games are shown, until a board can be played on,
until an engine has replied to the first move; the seconds until the slowest of the clicks on the way was answered; and
the processor seconds of all of the browser's processes. Then, with the files on the device, for each game: the seconds
until the button that opens it was answered, until the first click on the board or its picks was, and the median and
the slowest of the later clicks. ``--slow``: all of these processes run only one N-th of the time (Linux).
``--throttle``: only the page's thread is slowed, as the browser's developer tools do it. Also shown: how many bytes a
first visit loads, compressed.

A click is answered when the first change of the page that it causes is drawn: on a table, a change of the board or its
controls. The time runs from the release of the pointer to the end of the frame's work on the page's thread. What
resting on a cell or focusing it changes is no answer: those changes come before the release, or of ``tabindex`` alone.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import gzip
import http.server
import json
import os
import random
import signal
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, Locator, Page, sync_playwright

from tests.browser.conftest import ARGS, DESKTOP, chromium_path

TURN_CLICKS = 12  # of each game whose clicks are measured
SLICE = 0.02  # seconds of which slowed processes run a part
PAINT = """() => new Promise(done => {
    const look = () => {
        const found = performance.getEntriesByName("first-contentful-paint")[0];
        found ? done(found.startTime / 1000) : setTimeout(look, 20);
    };
    look();
})"""
CLICKS = """() => {
    window.answerTimes = [];
    let released = 0;
    addEventListener("pointerdown", () => { released = 0; }, true);
    addEventListener("pointerup", (event) => { released = event.timeStamp; }, true);
    const answers = ({ target, attributeName }) => attributeName !== "tabindex"
        && (!document.querySelector(".stage") || (target.closest ? target : target.parentElement)?.closest(".stage"));
    new MutationObserver((changes) => {
        if (!released || !changes.some(answers)) return;
        const since = released;
        released = 0;
        requestAnimationFrame(() => scheduler.postTask(
            () => answerTimes.push(performance.now() - since), { priority: "user-blocking" }));
    }).observe(document.getElementById("main"), {
        subtree: true, childList: true, attributes: true, characterData: true,
    });
}"""
READY = ".middle[data-mine] .cell[data-legal], .middle[data-mine] .confirm, .middle[data-over]"
MORE = "count => answerTimes.length > count"
SNAPSHOTS = """async () => {
    const name = (await caches.keys()).find(name => name.startsWith("tercet-snapshot"));
    return name === undefined ? 0 : (await (await caches.open(name)).keys()).length;
}"""


class Host(http.server.SimpleHTTPRequestHandler):
    """A host that says nothing of what it does."""

    def log_message(self, *_: object) -> None: ...


def fields_of(process: str) -> list[str]:
    """Return what /proc/*/stat tells of a process after its name."""
    return (Path("/proc") / process / "stat").read_text().rsplit(")", 1)[1].split()


def group_of_browser() -> int:
    """Return the process group of the Chromium that this process has started."""
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, IndexError):
            parent = entry.name
            while parent not in ("0", str(os.getpid())):
                parent = fields_of(parent)[1]
            if parent != "0" and "--headless" in (entry / "cmdline").read_text():
                return int(fields_of(entry.name)[2])
    raise SystemExit("The browser's processes were not found.")


def processor_seconds(group: int) -> dict[str, float]:
    """Return what each process of a group has used."""
    used = {}
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, IndexError):
            fields = fields_of(entry.name)
            if int(fields[2]) == group:
                used[entry.name] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return used


@contextlib.contextmanager
def slowed(group: int, times: float) -> Iterator[None]:
    """Let the processes of a group run one part of the time."""
    done = threading.Event()

    def brake() -> None:
        while not done.wait(SLICE / times):
            os.killpg(group, signal.SIGSTOP)
            time.sleep(SLICE - SLICE / times)
            os.killpg(group, signal.SIGCONT)

    thread = threading.Thread(target=brake) if times > 1 else None
    if thread is not None:
        thread.start()
    yield
    done.set()
    if thread is not None:
        thread.join()


def opened(context: BrowserContext, throttle: float) -> Page:
    """A new page whose thread is slowed."""
    page = context.new_page()
    if throttle > 1:
        context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": throttle})
    return page


def visit(context: BrowserContext, group: int, base: str, throttle: float) -> dict[str, float]:
    """Play the first move of a game; what that took."""
    page = opened(context, throttle)
    used, began = processor_seconds(group), time.perf_counter()
    found: dict[str, float] = {}

    def note(what: str) -> None:
        found[what] = round(time.perf_counter() - began, 2)

    page.goto(base)
    found["first paint"] = round(page.evaluate(PAINT), 2)
    page.wait_for_selector("article.card .cell, article.card .tile")
    note("games shown")
    page.evaluate(CLICKS)
    page.get_by_role("button", name="Play SanQi").click()
    page.wait_for_selector(".cell[data-legal]")
    note("board")
    page.locator("[data-pick]").first.click()
    page.locator('.cell[data-cell="e5"]').click()
    page.wait_for_selector('.middle[data-ply="2"]')
    note("engine's reply")
    found["slowest click"] = round(max(page.evaluate("answerTimes")) / 1000, 3)
    found["processor"] = round(sum(now - used.get(one, 0) for one, now in processor_seconds(group).items()), 2)
    page.close()
    return found


def answered(page: Page, what: Locator) -> float:
    """Click, and return the seconds until the page has answered."""
    count = page.evaluate("answerTimes.length")
    what.click()
    page.wait_for_function(MORE, arg=count)
    return float(page.evaluate("answerTimes.at(-1)")) / 1000


def clicks(context: BrowserContext, base: str, title: str, throttle: float) -> dict[str, float]:
    """Play turns of a game by clicks drawn from a seed; how soon they were answered."""
    drawn = random.Random(5)
    page = opened(context, throttle)
    page.goto(base)
    page.wait_for_selector("article.card .cell, article.card .tile")
    page.evaluate(CLICKS)
    first = answered(page, page.get_by_role("button", name=f"Play {title}"))
    times: list[float] = []
    while len(times) < TURN_CLICKS:
        page.wait_for_selector(READY)
        picks, cells = page.locator("[data-pick]:not(:disabled)"), page.locator(".cell[data-legal]")
        begun = page.locator("[data-pick].chosen, .cell[aria-pressed]").count()
        if page.locator(".middle[data-over]").count():
            break
        if page.locator(".confirm").count():
            times.append(answered(page, page.locator(".confirm").get_by_role("button", name="Play")))
        elif page.locator(".chooser .pick").count():
            times.append(answered(page, page.locator(".chooser .pick").first))
        elif picks.count() and not begun:
            times.append(answered(page, picks.nth(drawn.randrange(picks.count()))))
        else:
            times.append(answered(page, cells.nth(drawn.randrange(cells.count()))))
    page.close()
    found = {"opened": first, "first": times[0], "later": statistics.median(times[1:]), "slowest": max(times[1:])}
    return {what: round(seconds, 3) for what, seconds in found.items()}


def measured(folder: Path, slow: float, throttle: float) -> dict[str, Any]:
    """Measure a first visit, the keeping of the files, and two later visits without a network."""
    host = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Host, directory=str(folder)))
    threading.Thread(target=host.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{host.server_port}"
    visits: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as profile, sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            profile, executable_path=chromium_path(), args=ARGS, **DESKTOP
        )
        group = group_of_browser()
        context.set_default_timeout(300_000)
        with slowed(group, slow):
            visits["first visit"] = visit(context, group, base, throttle)
        page = context.new_page()
        page.goto(base)
        page.get_by_role("button", name="Keep offline").click()
        page.get_by_text("Tercet is kept on this device").wait_for()
        while not page.evaluate(SNAPSHOTS):
            page.wait_for_timeout(200)
        page.close()
        host.shutdown()
        host.server_close()
        with slowed(group, slow):
            for name in ("offline", "offline again"):
                visits[name] = visit(context, group, base, throttle)
            answers = {title: clicks(context, base, title, throttle) for title in ("SanQi", "Triplicity", "Sparklies")}
        context.close()
    return {
        "compressed bytes": sum(
            len(gzip.compress(path.read_bytes()))
            for path in folder.rglob("*")
            if path.is_file()
            and folder / "docs" not in path.parents  # loaded when it is read
            and not path.name.startswith("motifs-")  # loaded when the trainer is opened
        ),
        "visits": visits,
        "clicks": answers,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--slow", type=float, default=1)
    parser.add_argument("--throttle", type=float, default=1)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    found = measured(asked.folder, asked.slow, asked.throttle)
    if asked.json:
        print(json.dumps(found))
        return
    print(f"{found['compressed bytes'] / 1e6:.2f} MB compressed")
    for name, numbers in found["visits"].items():
        print(f"{name}: " + ", ".join(f"{what} {seconds:.2f} s" for what, seconds in numbers.items()))
    for title, numbers in found["clicks"].items():
        print(f"{title}, clicks: " + ", ".join(f"{what} {1000 * seconds:.0f} ms" for what, seconds in numbers.items()))


if __name__ == "__main__":
    main()
