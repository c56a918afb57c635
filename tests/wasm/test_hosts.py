"""The modules compute the same in Node, in Chromium and in Firefox as compiled kernels: random games, perft, whole
search trees, bit by bit."""

import functools
import http.server
import json
import queue
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.wasm.digest import digests

pytestmark = [pytest.mark.wasm, pytest.mark.timeout(600)]
HERE = Path(__file__).parent
DIGEST = HERE / "digest.py"
PAGE = b'<!doctype html><title>Modules</title><script type="module" src="host.mjs"></script>'
FIREFOX = shutil.which("firefox") or shutil.which("firefox-esr")


@contextmanager
def served(site: Path, script: bytes) -> Iterator[tuple[str, queue.Queue[str]]]:
    """The address of a page that computes the ``digests`` of a script, and the queue in which the result arrives."""
    found: queue.Queue[str] = queue.Queue()

    class Handler(http.server.SimpleHTTPRequestHandler):
        extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".mjs": "text/javascript"}  # noqa: RUF012

        def do_GET(self) -> None:
            own = {
                "/": PAGE,
                "/build": next(site.glob("build-*")).name.encode(),
                "/host.mjs": (HERE / "host.mjs").read_bytes(),
                "/digest.py": script,
            }
            if (content := own.get(self.path)) is None:
                super().do_GET()
                return
            self.send_response(200)
            self.send_header("Content-Type", self.guess_type(self.path) if "." in self.path else "text/html")
            self.end_headers()
            self.wfile.write(content)

        def do_POST(self) -> None:
            found.put(self.rfile.read(int(self.headers["Content-Length"])).decode())
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: Any) -> None: ...

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/", found
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="module")
def native() -> dict[str, str]:
    """What compiled kernels compute."""
    return digests("compiled")


def test_in_node(built: Path, native: dict[str, str]) -> None:
    command = ["node", str(HERE / "host.mjs"), str(built), str(DIGEST)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == native


@pytest.mark.browser
def test_in_chromium(built: Path, native: dict[str, str], browser: Browser) -> None:
    with served(built, DIGEST.read_bytes()) as (address, found):
        browser.new_page().goto(address)
        assert json.loads(found.get(timeout=300)) == native


if FIREFOX is not None:  # Playwright needs a Firefox of its own; this is that of the system

    def test_in_firefox(built: Path, native: dict[str, str], tmp_path: Path) -> None:
        with served(built, DIGEST.read_bytes()) as (address, found):
            command = [str(FIREFOX), "--headless", "--no-remote", "--profile", str(tmp_path), address]
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                assert json.loads(found.get(timeout=300)) == native
            finally:
                process.terminate()
                process.wait(timeout=30)
