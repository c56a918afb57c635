"""One's own arrows and circles, and analyses that stay: on the device, with an account, shared."""

from typing import Any, Literal

import pytest
from playwright.sync_api import Page, expect

from .conftest import PHONE
from .hands import axe
from .screen import centre
from .seats import FRIEND, ME, SMALL, Meet
from .table import Server, at_ply, at_table, cell, come, keys, menu, play, press, ready, said, sign_up, tap

pytestmark = [pytest.mark.browser, pytest.mark.page]


def drag(page: Page, start: str, end: str, button: Literal["left", "right"] = "left", keys: str = "") -> None:
    if keys:
        page.keyboard.down(keys)
    page.mouse.move(*centre(cell(page, start)), steps=4)
    page.mouse.down(button=button)
    page.mouse.move(*centre(cell(page, end)), steps=4)
    page.mouse.up(button=button)
    if keys:
        page.keyboard.up(keys)


def shapes(page: Page) -> list[str]:
    drawn: list[str] = page.eval_on_selector_all(".board [data-shape]", "all => all.map(one => one.dataset.shape)")
    return drawn


def analysed(page: Page, server: Server) -> None:
    at_table(page, f"{server.base}/analysis?position=sanqi/4 4/5/6/7/6/5/4 F -")


def test_the_mouse_draws_with_the_right_button_and_with_shift(page: Page, server: Server) -> None:
    analysed(page, server)
    drag(page, "d4", "e5", "right")
    page.wait_for_selector('[data-shape="Gd4e5"]')
    said(page, "arrow from d4 to e5 (Green, solid)")
    drag(page, "d4", "d6", "right", "Shift")
    page.wait_for_selector('[data-shape="Rd4d6"]')
    drag(page, "c3", "c5", "left", "Shift")
    page.wait_for_selector('[data-shape="Gc3c5"]')
    page.locator('[data-cell="b3"]').click(modifiers=["Shift"])
    page.wait_for_selector('[data-shape="Gb3"]')
    assert "circle on b3 (Green, solid)" in (page.locator('[data-cell="b3"]').get_attribute("aria-label") or "")
    drag(page, "d4", "e5", "right")
    said(page, "Erased: arrow from d4 to e5 (Green, solid)")
    play(page, "Rd4", ply=1)
    assert shapes(page) == []
    page.get_by_role("button", name="First move").click()
    page.wait_for_selector('[data-shape="Gb3"]')
    assert shapes(page) == ["Gb3", "Rd4d6", "Gc3c5"]


@pytest.mark.parametrize("how", [PHONE, {}], ids=["phone", "desktop"])
def test_the_drawing_mode_draws_by_touch_and_by_keyboard(meet: Meet, server: Server, how: dict[str, Any]) -> None:
    page = meet(**how)
    analysed(page, server)
    page.get_by_role("button", name="Draw arrows and circles").click()
    page.get_by_role("button", name="Blue, dotted").click()
    tap(page, "d4") if how else press(page, "d4")
    page.wait_for_selector('[data-shape="Bd4"]')
    drag(page, "c3", "e5")
    page.wait_for_selector('[data-shape="Bc3e5"]')
    assert axe(page, "drawing") == []
    page.locator('[data-cell="d4"]').focus()
    keys(page, "4", "Enter")
    said(page, "From d4. Choose where it ends.")
    keys(page, "ArrowRight", "Enter")
    page.wait_for_selector('[data-shape="Yd4e4"]')
    said(page, "arrow from d4 to e4 (Yellow, double)")
    at_ply(page, 0)
    page.keyboard.press("Delete")
    said(page, "Drawing erased.")
    expect(page.locator(".board [data-shape]")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Blue, dotted")).to_have_count(0)
    play(page, "Rd4")


def test_what_one_draws_in_a_game_is_ones_own_and_a_press_clears_it(meet: Meet, server: Server) -> None:
    mine, theirs = server.links([ME, FRIEND], **SMALL)
    ann, bob = meet(), meet()
    sent: list[str] = []
    ann.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(str(frame))))
    come(ann, mine)
    come(bob, theirs)
    ready(ann)
    drag(ann, "d4", "e5", "right")
    ann.wait_for_selector('[data-shape="Gd4e5"]')
    play(ann, "Rd4")
    expect(ann.locator(".board [data-shape]")).to_have_count(0)
    at_ply(bob, 1)
    assert shapes(bob) == []
    assert not any("d4e5" in text or "cal" in text for text in sent)


# Saved ------------------------------------------------------------------------------------------------------------

SAVED = ".saved [role=status]"


def save(page: Page) -> None:
    menu(page, "Save analysis")
    page.wait_for_selector(".saved")
    ready(page)


def stored(page: Page) -> None:
    expect(page.locator(SAVED)).to_have_text("Saved")


def remark(page: Page, words: str) -> None:
    page.get_by_role("button", name="Comment").click()
    page.locator(".remark textarea").fill(words)
    page.locator(".remark").get_by_role("button", name="Save").click()


def manage(page: Page) -> None:
    page.get_by_role("button", name="Chapters, sharing, export").click()
    page.wait_for_selector("dialog[open] form")


@pytest.mark.parametrize("how", [PHONE, {}], ids=["phone", "desktop"])
def test_an_analysis_is_kept_on_the_device(meet: Meet, server: Server, how: dict[str, Any]) -> None:
    page = meet(**how)
    analysed(page, server)
    play(page, "Rd4")
    save(page)
    address = page.url
    play(page, "Yd5")
    drag(page, "c3", "e5", "right")
    page.wait_for_selector('[data-shape="Gc3e5"]')
    remark(page, "A good move.")
    expect(page.locator(SAVED)).to_have_text("Saving …")
    stored(page)
    assert axe(page, "saved") == []
    page.goto(server.base)
    at_table(page, address)
    expect(page.locator(".tree .move")).to_have_count(2)
    page.locator(".tree .move").last.click()
    at_ply(page, 2)
    expect(page.locator(".tree")).to_contain_text("A good move.")
    page.wait_for_selector('[data-shape="Gc3e5"]')
    manage(page)
    assert axe(page, "manage") == []
    page.get_by_role("textbox", name="Name", exact=True).fill("My opening")
    page.get_by_role("button", name="Rename").click()
    expect(page.get_by_role("heading", name="My opening").first).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download all chapters").click()
    text = download.value.path().read_text("utf-8")
    assert "{A good move. [%cal Gc3e5]}" in text
    assert '[Event "My opening: Chapter 1"]' in text
    page.get_by_role("button", name="New chapter").click()
    expect(page.get_by_role("combobox", name="Chapter")).to_have_value("2")
    at_ply(page, 0)
    page.get_by_role("combobox", name="Chapter").select_option("Chapter 1")
    expect(page.locator(".tree .move")).to_have_count(2)
    page.goto(f"{server.base}/analyses")
    assert axe(page, "analyses") == []
    page.get_by_role("link", name="My opening").click()
    ready(page)
    manage(page)
    page.get_by_role("button", name="Delete analysis").click()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Delete analysis").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_text("None yet.", exact=False)).to_be_visible()


def test_two_people_change_an_analysis_together(meet: Meet, server: Server) -> None:
    ann, bob, eve = meet(), meet(), meet()
    sign_up(ann, server, "drawer")
    sign_up(bob, server, "helper")
    analysed(ann, server)
    play(ann, "Rd4")
    save(ann)
    manage(ann)
    ann.get_by_role("radiogroup", name="Who can see it").get_by_text("By link").click()
    ann.get_by_role("textbox", name="Who else can edit it").fill("@helper")
    ann.get_by_role("button", name="Save editors").click()
    expect(ann.get_by_text("Saved").first).to_be_visible()
    ann.get_by_role("button", name="Close").click()
    for other in (bob, eve):
        at_table(other, ann.url)
        expect(other.locator(".tree .move")).to_have_count(1)
    expect(eve.locator(SAVED)).to_have_text("By Drawer. Only you see your moves here.")
    bob.locator(".tree .move").click()
    at_ply(bob, 1)
    play(bob, "Yd5")
    stored(bob)
    expect(ann.locator(".tree .move")).to_have_count(2)
    said(ann, "The analysis has changed.")
    remark(ann, "Seen by all.")
    stored(ann)
    for other in (bob, eve):
        expect(other.locator(".tree")).to_contain_text("Seen by all.")
        expect(other.locator(".tree .move")).to_have_count(2)
    manage(eve)
    eve.get_by_label("What happened?").fill("rude")
    eve.get_by_role("button", name="Report").click()
    said(eve, "Reported. Thank you.")


def test_what_is_not_stored_yet_survives_an_outage(meet: Meet, server: Server) -> None:
    ann = meet()
    sign_up(ann, server, "outage")
    analysed(ann, server)
    save(ann)
    manage(ann)
    ann.get_by_role("button", name="New chapter").click()
    chapters = ann.get_by_role("combobox", name="Chapter")
    expect(chapters).to_have_value("2")
    ann.route("**/chapters/2", lambda route: route.abort())
    play(ann, "Rd4")
    expect(ann.locator(SAVED)).to_have_text("Can't reach the server.")
    expect(chapters).to_be_disabled()
    ann.unroute("**/chapters/2")
    stored(ann)
    ann.reload()
    ready(ann)
    expect(ann.locator(".tree .move")).to_have_count(1)
    chapters.select_option("Chapter 1")
    expect(ann.locator(".tree .move")).to_have_count(0)
