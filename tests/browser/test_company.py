"""Company: quick pairing, games that are played now, and what previews of links show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.support.waiting import until

from .hands import axe, picture
from .table import Server, ready

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.page, pytest.mark.thorough]

FIRST_TO_WIN = "sanqi/4 4/5/2RR2/2R1R2/2R3/5/4 F -"
LOADED = "() => document.querySelector('.first img')?.naturalWidth > 0"


def find(page: Page, game: str = "SanQi", time: str = "5+3") -> None:
    """Look for an opponent."""
    page.get_by_role("button", name=f"{game}, {time}: find an opponent").click()
    page.get_by_text(f"Looking for an opponent: {game}, {time}").first.wait_for()


def test_one_click_each_and_two_people_play(meet: Callable[..., Page], server: Server) -> None:
    ann, bob = meet(), meet(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    ann.goto(server.base)
    bob.goto(server.base)
    bob.get_by_role("link", name="SanQi", exact=True).click()
    bob.wait_for_url("**/play/sanqi")
    assert bob.title() == "SanQi · Tercet"
    find(ann)
    picture(ann, "waiting")
    assert axe(ann, "waiting") == []
    bob.get_by_role("button", name="SanQi, 5+3: find an opponent, 1 waiting").click()
    for page in (ann, bob):
        page.wait_for_url("**/t/*")
        page.wait_for_selector(".stage .cell")
    assert ann.url == bob.url


def test_a_game_against_the_engine_meanwhile(meet: Callable[..., Page], server: Server) -> None:
    ann, bob = meet(), meet()
    ann.goto(server.base)
    find(ann, "Sparklies", "15+10")
    ann.get_by_role("button", name="Play the computer meanwhile").click()
    ann.wait_for_url("**/t/*")
    meanwhile = ann.url
    bar = ann.get_by_role("group", name="Find an opponent")
    bar.get_by_text("Looking for an opponent: Sparklies, 15+10").wait_for()
    bob.goto(f"{server.base}/play/sparklies")
    bob.get_by_role("button", name="Sparklies, 15+10: find an opponent, 1 waiting").click()
    ann.wait_for_url(lambda url: "/t/" in url and url != meanwhile)
    bob.wait_for_url(ann.url)
    assert bar.count() == 0


def test_who_cancels_waits_no_more(meet: Callable[..., Page], server: Server) -> None:
    ann = meet()
    ann.goto(server.base)
    find(ann, "Triplicity")
    until(lambda: [one["people"] for one in server.get("/api/lobby?game=triplicity")["seeking"]] == [1])
    ann.get_by_role("button", name="Cancel").click()
    ann.get_by_role("button", name="Triplicity, 5+3: find an opponent", exact=True).wait_for()
    find(ann, "Triplicity")
    ann.get_by_role("button", name="Play the computer instead").click()
    ann.wait_for_url("**/t/*")
    ready(ann)
    assert ann.get_by_role("group", name="Find an opponent").count() == 0
    until(lambda: server.get("/api/lobby?game=triplicity")["seeking"] == [])


def test_a_game_that_is_played_now_is_shown_as_a_board(meet: Callable[..., Page], server: Server) -> None:
    player, other = meet(), meet()
    player.goto(server.table(game="sanqi", watch="public"))
    ready(player)
    for address in ("/", "/play/sanqi"):
        other.goto(server.base + address)
        other.get_by_role("heading", name="Games in progress").wait_for()
        other.wait_for_function(LOADED)
        picture(other, f"live{address.replace('/', '-')}")
        assert axe(other, f"live{address}") == []
    other.goto(f"{server.base}/play/sparklies")
    other.get_by_role("button", name="Sparklies, 5+3: find an opponent").wait_for()
    assert other.get_by_role("heading", name="Games in progress").count() == 0


def test_a_shared_link_has_a_title_a_description_and_a_picture_of_its_own(
    meet: Callable[..., Page], server: Server
) -> None:
    page = meet()
    puzzle, lesson = server.get("/api/puzzles/daily?game=sanqi"), server.get("/api/lessons")[0]
    first = lesson["lessons"][0]["id"]
    page.goto(f"{server.base}/analysis?game=sanqi")
    page.get_by_role("button", name="More").first.click()
    page.get_by_role("button", name="Copy link").click()
    analysis = page.evaluate("() => navigator.clipboard.readText()")
    table = server.table(game="sanqi").partition("#")[0]
    seen: dict[str, dict[str, Any]] = {}
    addresses = (f"/puzzles/sanqi/{puzzle['id']}", f"/learn/{lesson['game']}/{first}", "/play/sparklies")
    for address in (table, analysis, *(server.base + path for path in addresses)):
        page.goto(address)
        tags = page.evaluate(
            "() => Object.fromEntries([...document.querySelectorAll('meta[property]')]"
            ".map(one => [one.getAttribute('property'), one.content]))"
        )
        drawn = page.request.get(tags["og:image"])
        assert (drawn.status, drawn.headers["content-type"]) == (200, "image/png"), address
        seen[address] = tags
    for tag in ("og:title", "og:image"):
        assert len({tags[tag] for tags in seen.values()}) == len(seen)


def test_a_finished_game_is_saved_as_an_animated_picture(page: Page, server: Server) -> None:
    page.goto(server.table(position=FIRST_TO_WIN))
    ready(page)
    page.get_by_role("button", name="More").first.click()
    assert page.get_by_role("link", name="Save as an animated picture (GIF)").count() == 0
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Resign").first.click()
    page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    page.wait_for_selector(".result")
    page.get_by_role("button", name="More").first.click()
    with page.expect_download(timeout=60_000) as saved:
        page.get_by_role("link", name="Save as an animated picture (GIF)").click()
    assert saved.value.path().read_bytes().startswith(b"GIF89a")
