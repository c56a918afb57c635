"""Pictures of the page for people to look at: every state at every size, by day and by night.

``python -m tests.browser.pictures FOLDER [STATE ...]``
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Error, sync_playwright

from .conftest import ARGS, chromium_path
from .states import SIZES, STATES
from .table import Server

TOUCHED = 760
SETTLED = 700


def take(folder: Path, names: list[str]) -> int:
    """Take the pictures; the number of those that could not be taken."""
    folder.mkdir(parents=True, exist_ok=True)
    missed = 0
    with tempfile.TemporaryDirectory() as data, sync_playwright() as playwright:
        server = Server(Path(data))
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=ARGS)
        try:
            for width, height in SIZES:
                for light, scheme in (("day", "light"), ("night", "dark")):
                    context = browser.new_context(
                        viewport={"width": width, "height": height},
                        color_scheme="dark" if scheme == "dark" else "light",
                        reduced_motion="reduce",
                        has_touch=width < TOUCHED,
                    )
                    for name in names:
                        page = context.new_page()
                        try:
                            STATES[name](page, server)
                            page.wait_for_timeout(SETTLED)
                            page.screenshot(path=folder / f"{name}-{width}x{height}-{light}.png")
                        except Error as error:
                            missed += 1
                            print(f"{name} at {width}x{height}, {light}: {str(error).splitlines()[0]}")
                        page.close()
                    context.close()
        finally:
            browser.close()
            server.stop()
    return missed


if __name__ == "__main__":
    wanted = sys.argv[2:] or list(STATES)
    sys.exit(1 if take(Path(sys.argv[1]), wanted) else 0)
