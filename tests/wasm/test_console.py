"""The console: cells of Python in Tercet's own process, and in a real Chromium on the site without a server."""

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from tercet.browser.console import Console
from tercet.cli.variants import template
from tests.browser.conftest import PHONE
from tests.browser.hands import axe
from tests.browser.table import Server
from tests.wasm.site import Host, Visitor

VARIANT = template("sanqi", "my_sanqi")[0].replace("layout.LEAD", "1")
VARIED = f"{VARIANT}\nimport tercet\nposition = tercet.Game(DEFINITION, {{'side': 4}}).start()\n"
START = "import tercet\ngame = tercet.game('sanqi', side=4)\nposition = game.start()\n"
pytestmark = [pytest.mark.wasm, pytest.mark.timeout(300)]


class Cells:
    def __init__(self) -> None:
        self.printed: list[str] = []
        self.console = Console(self.printed.append)

    def run(self, cell: str) -> dict[str, Any]:
        self.printed.clear()
        found: dict[str, Any] = json.loads(self.console.run(cell))
        return found


@pytest.fixture
def cells() -> Cells:
    return Cells()


def test_cells_share_their_names_and_errors_show_only_their_lines(cells: Cells) -> None:
    first = cells.run(START)
    assert first["position"] == "sanqi/4 4/5/6/7/6/5/4 F -"
    assert first["svg"].startswith("<svg")
    assert cells.run("position.play('Rd4')")["position"] == "sanqi/4 4/5/6/3R3/6/5/4 S d4"
    assert "".join(cells.printed) == "<Position sanqi/4 4/5/6/3R3/6/5/4 S d4>\n"
    assert cells.run("2 + 2") == {"error": "", "position": "", "svg": "", "known": False}
    cells = Cells()
    cells.run(START)
    found = cells.run("def twice(move):\n    return position.play(move).play(move)\ntwice('Rd4')")
    assert found["error"].splitlines()[-1].startswith("tercet.errors.IllegalAction: Rd4: d4 is taken by Red.")
    assert "<cell 2>" in found["error"]
    assert "game.py" not in found["error"]
    assert "SyntaxError" in cells.run("x = (")["error"]
    assert cells.run("position")["error"] == ""
    cells.run(">>> for n in range(2):\n...     print(n)\n...\n0\n1\n>>> 'end'\n'end'\n")
    assert "".join(cells.printed) == "0\n1\n'end'\n"


def test_a_rule_of_ones_own_plays_in_cells(cells: Cells) -> None:
    assert cells.run(VARIED)["position"] == "my_sanqi/4 4/5/6/7/6/5/4 F -"
    line = "for move in 'Rd4 Yd5 Bg4 Rxd5'.split(): position = position.play(move)"
    found = cells.run(line)
    assert (found["error"], found["known"]) == ("", False)
    assert "takes at least 2 Red" in cells.run(START + line)["error"]


def test_a_post_that_prints_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tercet.browser.console.PIECE", 4)
    calls: list[str] = []

    def post(text: str) -> None:
        calls.append(text)
        assert len(calls) < 9, "it posts its own text again and again"
        if len(calls) == 1:
            print("x")

    Console(post).run("print('text')")
    assert "".join(calls).replace("\n", "") == "textx"


def run(page: Page, cell: str) -> None:
    page.get_by_label("Python code").fill(cell)
    page.get_by_label("Python code").press("Control+Enter")


@pytest.mark.browser
def test_cells_run_beside_a_board_and_an_endless_loop_is_stopped(host: Host, page: Page) -> None:
    page.goto(f"{host.base}/#/console")
    run(page, START + "len(position.legal_actions)")
    page.locator(".output", has_text="111").wait_for(timeout=120_000)
    assert page.locator(".page img").get_attribute("alt") == "sanqi/4 4/5/6/7/6/5/4 F -"
    run(page, "position.play('Bxd4')")
    page.locator(".page .fault", has_text="IllegalAction: Bxd4").wait_for()
    assert axe(page, "console") == []
    run(page, "while True:\n    pass")
    page.get_by_role("status").filter(has_text="Running").wait_for()
    page.get_by_role("button", name="Stop").click()
    page.get_by_text("Stopped. The next cell starts a new Python").wait_for()
    page.get_by_label("Python code").press("Alt+ArrowUp")
    page.get_by_label("Python code").press("Alt+ArrowUp")
    assert page.get_by_label("Python code").input_value() == "position.play('Bxd4')"
    run(page, VARIED)
    page.locator(".page img[alt='my_sanqi/4 4/5/6/7/6/5/4 F -']").wait_for(timeout=120_000)
    assert page.get_by_role("link", name="Play on from here").count() == 0, "the page does not know this game"
    run(page, START + "position = position.play('Rd4')")
    page.locator(".page img[alt*='3R3']").wait_for()
    page.get_by_role("link", name="Play on from here").click()
    page.wait_for_selector(".stage .cell")


@pytest.mark.browser
def test_cells_run_on_a_phone_at_a_server_that_offers_its_files(visitor: Visitor, built: Path, tmp_path: Path) -> None:
    with contextlib.closing(Server(tmp_path, more=["--device", str(built)])) as server:
        page = visitor(**PHONE).new_page()
        page.goto(f"{server.base}/console")
        page.get_by_label("Python code").fill(START + "position.play('Rd4')\nprint('w' * 200)")
        page.get_by_role("button", name="Run").tap()
        board = page.locator(".page img")
        board.wait_for(timeout=120_000)
        assert board.get_attribute("alt") == "sanqi/4 4/5/6/3R3/6/5/4 S d4"
        assert page.evaluate("() => document.documentElement.scrollWidth") == 390
        assert axe(page, "console on a phone") == []
        page.get_by_label("Python code").fill("position.play('Rd4")
        page.get_by_role("button", name="Run").tap()
        page.locator(".page .fault", has_text="SyntaxError").wait_for()
        page.get_by_role("link", name="Play on from here").tap()
        page.wait_for_selector(".stage .cell")
