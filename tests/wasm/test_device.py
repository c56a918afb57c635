"""Engines of a server's page on the visitor's device, in a real Chromium: what is asked of the server, and when."""

import contextlib
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, WebSocket

import tercet
from tercet.engines import Limits, level
from tests.browser.conftest import DESKTOP, Watch
from tests.browser.hands import Hands
from tests.browser.seats import ME, engine, seats
from tests.browser.table import Server, ready
from tests.support.waiting import until
from tests.wasm.dial import COUNT, freed, turn_the_dial
from tests.wasm.modules import GAMES
from tests.wasm.site import end_shared_worker

GO = "path => { history.pushState(null, '', path); dispatchEvent(new PopStateEvent('popstate')); }"
HERE = "on your device"
OPTIONS: dict[str, dict[str, Any]] = {"sparklies": {"board": "5x5"}}  # by game; others are played as they come
pytestmark = [pytest.mark.wasm, pytest.mark.browser, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def folder(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the site's folder, for one server."""
    return Path(shutil.copytree(built, tmp_path_factory.mktemp("device") / "site"))


@pytest.fixture(scope="module")
def server(browser: Browser, folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    started = Server(tmp_path_factory.mktemp("games"), more=["--device", str(folder)])
    started.get("/api/rules/sanqi")
    yield started
    started.stop()


class Visit:
    """A visitor's page, and what it asks of the server."""

    def __init__(self, context: BrowserContext, server: Server, watch: Watch) -> None:
        self.page: Page = watch.follow(context.new_page())
        self.server = server
        self.watch = watch
        self.asked: list[str] = []  # analyses and hints
        self.loaded: list[str] = []
        self.page.on("websocket", self._opened)
        self.page.on("request", lambda request: self._requested(request.url))

    def _requested(self, url: str) -> None:
        self.loaded.append(url)
        if url.endswith("/hint"):
            self.asked.append(url)

    def _opened(self, socket: WebSocket) -> None:
        if "/api/analysis" in socket.url:
            self.asked.append(socket.url)
            socket.on("framesent", lambda frame: self.asked.append(str(frame)))

    def analyse(self) -> None:
        """Let the engine look at a first position."""
        self.page.goto(f"{self.server.base}/analysis?game=sanqi")
        ready(self.page)
        self.page.get_by_role("button", name="Engine").click()
        self.page.locator(".lines .step").first.wait_for()

    @property
    def facts(self) -> str:
        return self.page.locator(".facts").inner_text()


@pytest.fixture
def visit(browser: Browser, server: Server) -> Iterator[Visit]:
    context, watch = browser.new_context(**DESKTOP), Watch()
    context.set_default_timeout(60_000)
    yield Visit(context, server, watch)
    context.close()
    assert watch.faults == []


def test_the_device_analyses_once_it_is_ready_and_the_server_is_asked_for_nothing(visit: Visit) -> None:
    page = visit.page
    page.goto(visit.server.base)
    page.wait_for_selector("article.card")
    assert not [url for url in visit.loaded if "/device" in url], "nothing is loaded before an engine is asked for"
    visit.analyse()
    page.get_by_text(HERE).wait_for()
    visit.asked.clear()
    page.locator(".facts select").select_option("3")
    page.locator(".lines li:nth-child(3)").wait_for()
    assert HERE in visit.facts
    page.get_by_role("button", name="Engine").click(click_count=2)
    page.locator(".lines .step").first.wait_for()
    assert HERE in visit.facts
    table = visit.server.table([ME, engine()], game="sanqi")
    page.evaluate(GO, table.removeprefix(visit.server.base))
    ready(page)
    page.get_by_role("button", name="Hint").click()
    page.locator("[data-hint=move]").click()
    page.locator(".hints p span").wait_for()
    assert visit.asked == []


@pytest.mark.parametrize("game", GAMES)
def test_an_engine_at_a_table_thinks_on_the_device(visit: Visit, game: str) -> None:
    """It plays what the server's engine of that level and seed would play."""
    page, messages = visit.page, list[dict[str, Any]]()

    def note(socket: WebSocket) -> None:
        if "/live" in socket.url:
            for way in ("framereceived", "framesent"):
                socket.on(way, lambda text: messages.append(json.loads(text)))

    page.on("websocket", note)
    engines = len(tercet.game(game).players) - 1
    table = visit.server.table(seats(1 + engines, engine(3)), game=game, options=OPTIONS.get(game, {}), seed=1)
    with page.expect_event("websocket", lambda socket: "/live" in socket.url) as opened:
        page.goto(table)
    opened.value.wait_for_event("framesent", lambda frame: "thinker" in str(frame))
    with contextlib.closing(Hands(page, table)) as hands:
        for _ in range(2):
            hands.play(hands.paths[0][0])
    page.wait_for_timeout(0)  # takes the last messages
    questions = [one for one in messages if one.get("type") == "think"]
    answers = {one["n"]: one["action"] for one in messages if one.get("type") == "thought"}
    assert len(questions) >= 2 * engines
    assert [question["n"] for question in questions] == list(range(1, len(questions) + 1)) == list(answers)
    for question in questions:
        position = tercet.parse(question["position"])
        thinking = level(position.game, question["level"], question["seed"])
        assert str(thinking.think(position, Limits()).action) == answers[question["n"]]
    record = visit.server.get(f"/api/tables/{table.split('/t/')[1].split('#')[0]}")
    assert [move["text"] for move in record["state"]["moves"] if move["seat"]] == list(answers.values())


def test_the_server_takes_over_from_a_worker_that_crashes(visit: Visit, browser: Browser) -> None:
    page = visit.page
    visit.analyse()
    page.get_by_text(HERE).wait_for()
    visit.asked.clear()
    end_shared_worker(browser, page)
    page.locator(".facts select").select_option("2")
    until(lambda: visit.facts and visit.asked)  # the worker may answer once more before it ends
    page.locator(".lines li:nth-child(2)").wait_for()
    page.wait_for_function(f"!document.querySelector('.facts').innerText.includes('{HERE}')")


def test_the_games_of_the_dial_are_played_on_the_device_once_it_is_ready(visit: Visit) -> None:
    page, played = visit.page, []
    page.on("request", lambda request: played.append(request.url) if request.url.endswith("/api/dial") else None)
    page.goto(f"{visit.server.base}/dial/sanqi")
    page.get_by_label("Players").select_option("1")
    turn_the_dial(page)
    page.get_by_text("The games are played on this device.").wait_for()
    assert played, "until then, the server played them"
    played.clear()
    count = page.evaluate(COUNT)
    page.wait_for_function(f"() => ({COUNT})() > {count}")
    page.get_by_role("button", name="Stop").click()
    freed(page)
    assert played == []


@pytest.mark.parametrize(
    "script",
    [
        "Object.defineProperty(navigator, 'connection', { value: { saveData: true } })",
        "localStorage.setItem('tercet.settings', '{\"thinkHere\": false}')",
        "delete globalThis.WebAssembly",
    ],
)
def test_the_server_analyses_for_visitors_who_save_data_refuse_or_lack_webassembly(visit: Visit, script: str) -> None:
    visit.page.add_init_script(script)
    visit.analyse()
    assert visit.asked
    assert HERE not in visit.facts
    assert "WebAssembly" in script or not [url for url in visit.loaded if "/device" in url]


def test_the_server_analyses_where_a_file_is_missing(visit: Visit, folder: Path) -> None:
    for path in folder.glob("tercet-*.pack"):
        path.unlink()
    with visit.page.expect_response("**/deviceEngine-*.js"):
        visit.analyse()
    visit.page.wait_for_timeout(3000)
    assert HERE not in visit.facts
    visit.page.locator(".facts select").select_option("2")
    visit.page.locator(".lines li:nth-child(2)").wait_for()
    visit.page.goto(f"{visit.server.base}/dial/sanqi")
    turn_the_dial(visit.page)
    visit.page.wait_for_function(f"() => ({COUNT})() >= 64")
    visit.page.get_by_role("button", name="Stop").click()
    assert not visit.page.get_by_text("The games are played on this device.").count()
    assert all(".pack (404)" in fault for fault in visit.watch.faults)
    visit.watch.faults.clear()
