"""Friends by link: the link is at hand, waiting is no absence, and who comes shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .conftest import PHONE
from .hands import picture
from .online import PASSWORD
from .table import Server, custom, hold, play, ready, standing

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

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
    from playwright.sync_api import expect

    anna, ben = meet(), meet(**PHONE)
    link = invite(anna, server)
    assert "#seat=" in link
    expect(anna.locator(".prompt")).to_have_text("Waiting for Second to join.")
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
    expect(anna.locator('.players [aria-label="Second"]')).to_contain_text("Benedict")
    expect(anna.locator(".players .mine .who")).to_contain_text("Guest ")  # she sees which guest she is
    expect(anna.get_by_role("textbox", name="Link")).to_have_count(0)
    ready(anna)
    ben.get_by_text("You're invited to a game of").wait_for()
    picture(ben, "invitation-phone")


def test_the_invitation_moves_nothing_unasked(meet: Callable[..., Page], server: Server) -> None:
    """It went by itself after two turns, and what stands below it moved up by 140 pixels."""
    from playwright.sync_api import expect

    anna, ben = meet(), meet(**PHONE)
    link = invite(anna, server)
    ben.goto(link)
    expect(anna.get_by_role("textbox", name="Link")).to_have_count(0)
    ready(anna)
    welcome = ben.locator(".banner", has_text="You're invited to a game of")
    welcome.wait_for()
    below = "() => document.querySelector('.explore').getBoundingClientRect().top + scrollY"
    play(anna, "R", "d4")
    ready(ben)
    before = ben.evaluate(below)
    hold(ben, "B")
    ben.locator('[data-cell="d5"]').click()
    ben.get_by_role("button", name="Play", exact=True).click()
    ready(anna)
    play(anna, "Y", "c3")
    standing(ben, "c3", "Y")
    assert ben.evaluate(below) == pytest.approx(before, abs=1)
    welcome.get_by_role("button", name="Close").click()
    expect(welcome).to_have_count(0)


def test_an_invitation_is_called_back(page: Page, server: Server) -> None:
    invite(page, server)
    page.get_by_role("button", name="Cancel game").click()
    page.locator(".banner", has_text="Game aborted").wait_for()
