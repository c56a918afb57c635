"""The site without a server as a visitor has it: a host of files, and what its worker answers."""

import functools
import http.server
import json
import queue
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page

from tests.browser.hands import Hands
from tests.browser.seats import SMALL, seats

Visitor = Callable[..., BrowserContext]  # one more, with a browser of their own
TWO = {**SMALL, "seats": seats(2)}
STARTED = "() => tercetBackend.device.state.started === 1"
ASK = """async ([method, path, body]) => {
    const found = await tercetBackend.fetch(path, body === null ? { method } : { method, body: JSON.stringify(body) });
    if (!found.ok) throw new Error(`${path}: ${found.status} ${await found.text()}`);
    return found.json();
}"""
LISTEN = """path => {
    window.told = [];
    window.tellers?.close();
    window.tellers = tercetBackend.open(path);
    window.tellers.onmessage = ({ data }) => told.push(data);
}"""


class Host(http.server.ThreadingHTTPServer):
    """A host of static files, which can be switched off."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.asked: list[str] = []  # paths
        self.missing: set[str] = set()  # endings of paths that it does not have
        self.late: set[str] = set()  # of those that it sends when this is set:
        self.sends = threading.Event()
        self.lost = ""  # the file that it sends where it has none
        self.before: dict[str, str] = {}  # scripts that it puts before others, by a part of their path
        self.own: dict[str, bytes] = {}  # files that it has besides, by their path
        self.posted: queue.Queue[str] = queue.Queue()
        host = self

        class Handler(http.server.SimpleHTTPRequestHandler):
            extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".mjs": "text/javascript"}  # noqa: RUF012

            def do_GET(self) -> None:
                host.asked.append(self.path)
                if self.path.endswith(tuple(host.late)):
                    host.sends.wait()
                if (own := host.own.get(self.path)) is not None:
                    self.answer(200, self.guess_type(self.path) if "." in self.path else "text/html", own)
                elif self.path.endswith(tuple(host.missing)):
                    self.send_error(404)
                elif script := next((text for part, text in host.before.items() if part in self.path), None):
                    content = script.encode() + Path(self.translate_path(self.path)).read_bytes()
                    self.answer(200, "text/javascript", content)
                else:
                    super().do_GET()

            def do_POST(self) -> None:
                host.posted.put(self.rfile.read(int(self.headers["Content-Length"])).decode())
                self.answer(200, "text/plain", b"")

            def answer(self, code: int, kind: str, content: bytes) -> None:
                self.send_response(code)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
                if host.lost:
                    self.answer(code, "text/html", (folder / host.lost).read_bytes())
                else:
                    super().send_error(code, message, explain)

            def log_message(self, *_: object) -> None: ...

        super().__init__(("127.0.0.1", 0), functools.partial(Handler, directory=str(folder)))
        self.base = f"http://127.0.0.1:{self.server_port}"
        self.up = True
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.sends.set()
        if self.up:
            self.shutdown()
            self.server_close()
        self.up = False


class Site:
    """The site at a page: its backend answers as a server does in the other tests of pages."""

    def __init__(self, page: Page, host: Host) -> None:
        self.page = page
        self.base = f"{host.base}/#"
        page.goto(host.base)
        page.wait_for_selector("article.card")

    def get(self, path: str) -> Any:
        return self.page.evaluate(ASK, ["GET", path, None])

    def post(self, path: str, body: Any) -> Any:
        return self.page.evaluate(ASK, ["POST", path, body])

    def goto(self, path: str) -> None:
        self.page.evaluate("path => { location.hash = path }", path)


class Line:
    """What the worker says about a table."""

    def __init__(self, page: Page, path: str) -> None:
        self.page = page
        page.evaluate(LISTEN, path)

    def recv(self, _patience: float) -> str:
        self.page.wait_for_function("() => told.length")
        return str(self.page.evaluate("() => told.shift()"))


class SiteHands(Hands):
    """A person at a table on this device."""

    def __init__(self, site: Site, **wish: Any) -> None:
        self.site = site
        made = site.post("/api/tables", wish)
        self.begin(site.page, f"/t/{made['id']}", "mouse", Line(site.page, f"/api/tables/{made['id']}/live"))

    def arrive(self, address: str) -> None:
        self.site.goto(address)
        self.page.wait_for_selector(".stage .cell")


def keep(page: Page) -> None:
    page.get_by_role("button", name="Keep offline").click()
    page.get_by_text("Tercet is kept on this device").wait_for()


def replace(file: Path, text: str) -> None:
    """Write another text into a file of a copied site, whose files are links to the site's own."""
    file.unlink()
    file.write_text(text, "utf-8")


def play_once(page: Page) -> None:
    page.locator("[data-pick]").first.click()
    page.locator(".cell[data-legal]").first.click()


def end_shared_worker(browser: Browser, page: Page) -> None:
    """End the worker that answers ``page``, as a crash does. Those of earlier visitors may not have ended yet."""
    own = page.context.new_cdp_session(page).send("Target.getTargetInfo")["targetInfo"]["browserContextId"]
    session = browser.new_browser_cdp_session()
    targets = session.send("Target.getTargets")["targetInfos"]
    (worker,) = (
        target
        for target in targets
        if (target["type"], target["browserContextId"]) == ("shared_worker", own) and "engines" not in target["title"]
    )
    attached = session.send("Target.attachToTarget", {"targetId": worker["targetId"], "flatten": False})
    order = {"id": 1, "method": "Runtime.evaluate", "params": {"expression": "self.close()"}}
    session.send("Target.sendMessageToTarget", {"sessionId": attached["sessionId"], "message": json.dumps(order)})
    while any(target["targetId"] == worker["targetId"] for target in session.send("Target.getTargets")["targetInfos"]):
        page.wait_for_timeout(50)  # a session that is left at once takes the order back
    session.detach()


def begun(page: Page, host: Host) -> SiteHands:
    """Open the site and a table for two at one screen, and play the first action."""
    hands = SiteHands(Site(page, host), **TWO)
    hands.play(hands.paths[0][0])
    return hands
