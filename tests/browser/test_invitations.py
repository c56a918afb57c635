"""Friends by link: the link is at hand, waiting is no absence. Notices hide nothing that a game needs."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from .conftest import PHONE
from .hands import picture
from .online import PASSWORD, Guest
from .table import Server, custom, hold, play, ready, settled, standing

pytestmark = [pytest.mark.browser, pytest.mark.page]


def invite(page: Page, server: Server) -> str:
    """Open a small table with a clock for a friend; the link to his seat."""
    custom(page, server, "A friend", side=4)
    page.get_by_text("Clock and game settings:").click()
    page.get_by_label("Clock").select_option("short")
    page.get_by_role("button", name="Play", exact=True).click()
    field = page.get_by_role("textbox", name="Link")
    field.wait_for()
    return field.input_value()


def test_a_friend_comes_by_his_link(meet: Callable[..., Page], server: Server) -> None:
    anna, ben = meet(), meet(**PHONE)
    link = invite(anna, server)
    assert "#seat=" in link
    expect(anna.locator(".prompt")).to_have_text("Waiting for Friend to join.")
    assert anna.get_by_text("has been gone").count() == 0, "to be waited for is no absence"
    anna.get_by_role("button", name="QR code").click()
    anna.locator("svg.qr path").wait_for()
    picture(anna, "invitation")
    anna.get_by_role("button", name="Copy", exact=True).click()
    assert anna.evaluate("() => navigator.clipboard.readText()") == link
    ben.request.post(
        f"{server.base}/api/accounts", data={"handle": "benedict", "password": PASSWORD, "name": "Benedict"}
    )
    ben.goto(link)
    expect(anna.locator('.players [data-side="Second"]')).to_contain_text("Benedict")
    expect(anna.locator(".players .mine .who")).to_contain_text("Guest ")  # she sees which guest she is
    expect(anna.get_by_role("textbox", name="Link")).to_have_count(0)
    ready(anna)
    ben.get_by_role("dialog", name="invites you to a game of SanQi").wait_for()
    picture(ben, "invitation-phone")


def touch(page: Page, pick: str, cell: str) -> None:
    """Play by touch, which asks."""
    hold(page, pick)
    page.locator(f'[data-cell="{cell}"]').click()
    page.get_by_role("button", name="Play", exact=True).click()
    standing(page, cell, pick)


def test_the_invitation_welcomes_and_stays_until_it_is_answered(meet: Callable[..., Page], server: Server) -> None:
    """Who invites, how one wins, a name that the others see; it lies over the page and moves nothing."""
    anna, ben = meet(), meet(**PHONE)
    link = invite(anna, server)
    ben.goto(link)
    welcome = ben.get_by_role("dialog", name="invites you to a game of SanQi")
    welcome.wait_for()
    assert welcome.locator("figure, .pictures svg").count() == 3
    below = "() => document.querySelector('.stage').getBoundingClientRect().top + scrollY"
    before = ben.evaluate(below)
    expect(anna.get_by_role("textbox", name="Link")).to_have_count(0)
    ready(anna)
    play(anna, "R", "d4")
    standing(ben, "d4", "R")
    expect(welcome).to_have_count(1)
    welcome.get_by_label("Your name (optional)").fill("Bernard")
    picture(ben, "welcome-phone")
    welcome.get_by_role("button", name="Play").click()
    expect(welcome).to_have_count(0)
    expect(anna.locator('.players [data-side="Second"]')).to_contain_text("Bernard")
    assert ben.evaluate(below) == pytest.approx(before, abs=1)
    touch(ben, "B", "d5")
    expect(anna.locator(".prompt")).to_contain_text("Your turn")
    ben.reload()
    standing(ben, "d5", "B")
    expect(welcome).to_have_count(0)


def test_a_friend_is_played_from_the_first_page_and_guided(meet: Callable[..., Page], server: Server) -> None:
    """One screen, a link and a code to scan; the friend begins, and is guided as in a first game."""
    from playwright.sync_api import expect

    anna, ben = meet(**PHONE), meet(**PHONE)
    anna.goto(server.base)
    anna.get_by_role("button", name="Play a friend").click()
    anna.get_by_role("dialog").get_by_role("button", name="SanQi").click()
    sheet = anna.get_by_role("dialog", name="Play a friend")
    sheet.locator("svg.qr path").wait_for()
    link = sheet.get_by_role("textbox", name="Link").input_value()
    name = sheet.get_by_role("textbox", name="Your name")
    with anna.expect_response("**/api/me") as named:
        name.fill("Annalena")
        name.blur()
    assert named.value.ok
    ben.goto(link)
    ben.get_by_role("heading", name="Annalena invites you").wait_for()
    expect(sheet).to_have_count(0)
    ben.locator("dialog[open] button[type=submit]").click()
    ben.locator(".guide").wait_for()
    touch(ben, "R", "e5")
    standing(anna, "e5", "R")
    assert anna.locator(".guide").count() == 0


def test_an_invitation_is_called_back(page: Page, server: Server) -> None:
    invite(page, server)
    page.get_by_role("button", name="Cancel game").click()
    page.locator(".banner", has_text="Game aborted").wait_for()


HIDDEN = """bar => {
    const over = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
        && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
    const lies = document.querySelector(bar).getBoundingClientRect();
    return [...document.querySelectorAll('.stage svg.board, .prompt, .pick.laid, .confirm button')]
        .filter(one => over(one.getBoundingClientRect(), lies)).map(one => one.className);
}"""
SIZES = [(390, 844), (390, 740), (360, 640)]


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_a_challenge_hides_neither_the_board_nor_the_picks(
    meet: Callable[..., Page], server: Server, size: tuple[int, int]
) -> None:
    """On a phone it lay over the colours that a ping can give."""
    name = f"paula{size[1]}"
    phone = meet(**{**PHONE, "viewport": {"width": size[0], "height": size[1]}})
    phone.request.post(f"{server.base}/api/accounts", data={"handle": name, "password": PASSWORD, "name": name})
    phone.goto(server.base)
    phone.get_by_role("button", name="Play Sparklies now").tap()
    phone.wait_for_url("**/t/**")
    ready(phone)
    phone.locator('.stage [data-cell="c3"]').tap()
    phone.wait_for_selector(".confirm[data-steps='1']")
    other = Guest(server, f"quirin{size[1]}")
    seats = [{"kind": "me"}, {"kind": "open"}]
    clock = {"kind": "fischer", "minutes": 15, "increment": 10}
    table = other.post("/api/tables", {"game": "sparklies", "seats": seats, "clock": clock, "rated": True})["id"]
    other.post("/api/challenges", {"handle": name, "table": table})
    phone.wait_for_selector(".challenge")
    settled(phone)
    assert phone.evaluate(HIDDEN, ".challenge") == []
    phone.locator(".challenge").get_by_role("button", name="Decline").tap()
    phone.wait_for_selector(".challenge", state="detached")


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_the_notice_of_a_lost_connection_hides_no_picks(phone: Page, server: Server, size: tuple[int, int]) -> None:
    """It lay over the words below the board, and over the colours."""
    phone.set_viewport_size({"width": size[0], "height": size[1]})
    phone.goto(server.base + "/puzzles/sparklies")
    phone.locator(".stage .cell[data-legal]").first.tap()
    phone.context.set_offline(True)
    phone.wait_for_selector(".offline")
    settled(phone)
    assert phone.evaluate(HIDDEN, ".offline") == []
    phone.context.set_offline(False)
