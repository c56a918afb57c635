"""Friends by link: the link is at hand, waiting is no absence. Notices hide nothing that a game needs."""

import pytest
from playwright.sync_api import Page, expect

from .conftest import PHONE
from .online import Guest
from .screen import Size, named, resize, settled, under, visit
from .seats import ME, OPEN, RAPID, Meet
from .table import Server, choose, custom, play, ready, said, sign_up, standing, tap

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


def test_a_friend_comes_by_his_link_which_can_be_replaced(meet: Meet, server: Server) -> None:
    anna, ben = meet(), meet(**PHONE)
    link = invite(anna, server)
    assert "#seat=" in link
    expect(anna.locator(".prompt")).to_have_text("Waiting for Friend to join.")
    assert anna.get_by_text("has been gone").count() == 0, "to be waited for is no absence"
    anna.get_by_role("button", name="QR code").click()
    anna.locator("svg.qr path").wait_for()
    anna.get_by_role("button", name="Copy", exact=True).click()
    said(anna, "Link copied.")
    assert anna.evaluate("() => navigator.clipboard.readText()") == link
    old, field = link, anna.get_by_role("textbox", name="Link")
    anna.get_by_role("button", name="New link").click()
    expect(field).not_to_have_value(old)
    link = field.input_value()
    visit(meet(), old, '.banner:has-text("You\'re watching")')
    sign_up(ben, server, "benedict")
    ben.goto(link)
    expect(anna.locator('.players [data-side="Second"]')).to_contain_text("Benedict")
    expect(anna.locator(".players .mine .who")).to_contain_text("Guest ")  # she sees which guest she is
    expect(field).to_have_count(0)
    ready(anna)
    ben.get_by_role("dialog", name="invites you to a game of SanQi").wait_for()
    assert "#seat" not in ben.url, "the token does not stay in the address"


def touch(page: Page, move: str) -> None:
    """Play by touch, which asks."""
    choose(page, move)
    page.get_by_role("button", name="Play", exact=True).click()
    standing(page, move[1:], move[0])


def test_the_invitation_welcomes_and_stays_until_it_is_answered(meet: Meet, server: Server) -> None:
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
    play(anna, "Rd4")
    standing(ben, "d4", "R")
    expect(welcome).to_have_count(1)
    welcome.get_by_label("Your name (optional)").fill("Bernard")
    welcome.get_by_role("button", name="Play").click()
    expect(welcome).to_have_count(0)
    expect(anna.locator('.players [data-side="Second"]')).to_contain_text("Bernard")
    assert ben.evaluate(below) == pytest.approx(before, abs=1)
    touch(ben, "Bd5")
    expect(anna.locator(".prompt")).to_contain_text("Your turn")
    ben.reload()
    standing(ben, "d5", "B")
    expect(welcome).to_have_count(0)


def test_a_friend_is_played_from_the_first_page_and_guided(meet: Meet, server: Server) -> None:
    """One screen, a link and a code to scan; the friend begins, and is guided as in a first game."""
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
    visit(ben, link, "role=heading[name=/Annalena invites you/]")
    expect(sheet).to_have_count(0)
    ben.locator("dialog[open] button[type=submit]").click()
    ben.locator(".guide").wait_for()
    touch(ben, "Re5")
    standing(anna, "e5", "R")
    assert anna.locator(".guide").count() == 0


def test_an_invitation_is_called_back(page: Page, server: Server) -> None:
    invite(page, server)
    page.get_by_role("button", name="Cancel game").click()
    page.locator(".banner", has_text="Game aborted").wait_for()


NEEDED = ".stage svg.board, .prompt, .pick.laid, .confirm button"
OF_SIZES = pytest.mark.parametrize("size", [(390, 844), (390, 740), (360, 640)], ids=named)


@OF_SIZES
def test_a_challenge_hides_neither_the_board_nor_the_picks(meet: Meet, server: Server, size: Size) -> None:
    """On a phone it lay over the colours that a ping can give."""
    name = f"paula{size[1]}"
    phone = meet(**{**PHONE, "viewport": {"width": size[0], "height": size[1]}})
    sign_up(phone, server, name)
    phone.goto(server.base)
    phone.get_by_role("button", name="Play Sparklies now").tap()
    phone.wait_for_url("**/t/**")
    ready(phone)
    tap(phone, "c3")
    phone.wait_for_selector(".confirm[data-steps='1']")
    other = Guest(server, f"quirin{size[1]}")
    wish = {"game": "sparklies", "seats": [ME, OPEN], "clock": RAPID, "rated": True}
    table = other.post("/api/tables", wish)["id"]
    other.post("/api/challenges", {"handle": name, "table": table})
    phone.wait_for_selector(".challenge")
    settled(phone)
    assert under(phone, ".challenge", NEEDED) == []
    phone.locator(".challenge").get_by_role("button", name="Decline").tap()
    phone.wait_for_selector(".challenge", state="detached")


@OF_SIZES
def test_the_notice_of_a_lost_connection_hides_no_picks(phone: Page, server: Server, size: Size) -> None:
    """It lay over the words below the board, and over the colours."""
    resize(phone, size)
    phone.goto(server.base + "/puzzles/sparklies")
    phone.locator(".stage .cell[data-legal]").first.tap()
    phone.context.set_offline(True)
    phone.wait_for_selector(".offline")
    settled(phone)
    assert under(phone, ".offline", NEEDED) == []
    phone.context.set_offline(False)
