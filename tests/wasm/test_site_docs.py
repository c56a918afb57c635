"""The documentation of the site without a server, in a real Chromium."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.support.present import present
from tests.wasm.site import Host, Site, keep

pytestmark = [pytest.mark.wasm, pytest.mark.browser, pytest.mark.timeout(900)]


def test_all_addresses_are_relative(built: Path) -> None:
    """A page for addresses that do not exist named its files from the root of the host."""
    pages = sorted(built.rglob("*.html"))
    assert len(pages) > 30
    assert [path.name for path in pages if re.search(r"""\s(href|src)=["']?/""", path.read_text("utf-8"))] == []


def test_boards_and_examples_of_the_documentation_are_alive_without_a_network(host: Host, page: Page) -> None:
    site = Site(page, host)
    keep(page)
    site.goto("/about")
    page.get_by_role("link", name="documentation").click()
    page.wait_for_url(f"{host.base}/docs/index.html")
    page.goto(f"{host.base}/docs/library.html")
    page.goto(f"{host.base}/docs/games/sanqi.html")
    host.close()

    page.reload()
    board = page.locator("figure.board", has_text="First to move.")
    board.get_by_role("link", name="Play on from here").click()
    assert board.locator("svg").count() == 0
    frame = board.frame_locator("iframe[title^='Board: First to move.']")
    frame.locator("[data-pick]").first.click()
    frame.locator(".cell[data-legal]").first.click()
    frame.locator("[data-ply='1']").wait_for()
    assert frame.locator("header").count() == 0
    whole = present(board.get_by_role("link", name="Open the whole page").get_attribute("href"))
    assert whole.startswith("../../#/analysis?position=sanqi%2F4")

    page.goto(f"{host.base}/docs/library.html")
    page.get_by_role("link", name="Run this in the console").first.click()
    console = page.frame_locator("iframe[title='Console']")
    assert console.get_by_label("Python code").input_value().startswith("import tercet\n")
    console.get_by_text("This code came with the link.").wait_for()
    assert console.locator(".output").count() == 0, "it runs only when the reader asks for it"
    console.get_by_role("button", name="Run").click()
    console.locator(".output", has_text="('First', 'Second')").wait_for()

    assert present(page.goto(f"{host.base}/docs/records.html")).status == 503
    page.get_by_text("This page of the documentation is not on this device yet.").wait_for()
