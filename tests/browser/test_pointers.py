"""What finger, pen and mouse do on a board: the table of ``web/README.md``, each of its rows."""

from typing import Any

import pytest
from playwright.sync_api import Page

from .screen import Point, Pointer, box, centre
from .seats import NEVER, Meet, seats
from .table import Server, at_ply, at_table, cell

pytestmark = [pytest.mark.browser, pytest.mark.page, pytest.mark.thorough]

LOW: dict[str, Any] = {"viewport": {"width": 360, "height": 640}, "has_touch": True, "is_mobile": True}
SANQI: dict[str, Any] = {"game": "sanqi", "options": {"side": 10}}
SPARKLIES: dict[str, Any] = {"game": "sparklies", "seed": 5}
TRIPLICITY: dict[str, Any] = {"game": "triplicity", "seats": seats(3)}
# cells that the page can play at once, beside the middle of the window's board
OPEN = """() => [...document.querySelectorAll('.stage .cell[data-legal]')].map(node => {
    const { x, y, width, height } = node.getBoundingClientRect();
    return [x + width / 2, y + height / 2];
}).filter(([x, y]) => {
    const box = document.querySelector('.stage .board').getBoundingClientRect();
    return Math.hypot(x - box.x - box.width / 2, y - box.y - box.height / 2) < box.width / 5;
})[0]"""


def middle(page: Page, name: str = "") -> Point:
    return centre(cell(page, name) if name else page.locator(".stage .board"))


def untouched(page: Page) -> bool:
    asked = page.locator(".confirm, .chooser, .stage .refused, .stage .cell[aria-pressed=true]").count()
    return asked == 0 and page.locator(".middle").get_attribute("data-ply") == "0"


def held(page: Page, wish: dict[str, Any]) -> None:
    if wish["game"] == "sanqi":
        page.locator(".pick.laid").first.tap()


@pytest.mark.parametrize(
    ("wish", "setting", "presses"),
    [(SANQI, "", "finger"), (SANQI, NEVER, "pen"), (SPARKLIES, "", "mouse"), (SPARKLIES, NEVER, "finger")],
    ids=["sanqi confirmed", "sanqi never", "sparklies confirmed", "sparklies never"],
)
def test_a_pan_chooses_nothing(phone: Page, server: Server, wish: dict[str, Any], setting: str, presses: str) -> None:
    phone.add_init_script(setting)
    at_table(phone, server.table(**wish))
    held(phone, wish)
    Pointer(phone, "finger").pinch(middle(phone))
    for kind in ("finger", "pen", "mouse"):
        pointer = Pointer(phone, kind)
        for by in ((-40, -30), (30, 45), (25, -12)):
            start = phone.evaluate(OPEN)
            name = phone.evaluate("at => document.elementFromPoint(...at).closest('[data-cell]').dataset.cell", start)
            before = middle(phone, name)
            pointer.draw(start, by)
            after = middle(phone, name)
            assert (after[0] - before[0], after[1] - before[1]) == pytest.approx(by, abs=3), f"it follows the {kind}"
            assert untouched(phone), kind
    Pointer(phone, presses).draw(phone.evaluate(OPEN), (0, 0), 0)
    assert not untouched(phone), "a press still chooses"


@pytest.mark.parametrize("wish", [SANQI, SPARKLIES, TRIPLICITY], ids=["sanqi", "sparklies", "triplicity"])
def test_a_swipe_on_an_unzoomed_board_scrolls(meet: Meet, server: Server, wish: dict[str, Any]) -> None:
    page = meet(**LOW)
    page.add_init_script(NEVER)
    at_table(page, server.table(**wish))
    held(page, wish)
    page.add_style_tag(content=".desk > .side { padding-bottom: 12rem }")  # more than the window holds, in every game
    assert page.evaluate("() => document.documentElement.scrollHeight - innerHeight") > 120
    Pointer(page, "finger").draw(middle(page), (4, -120))
    page.wait_for_function("() => scrollY > 60")
    assert untouched(page)
    page.evaluate("scrollTo(0, 0)")
    for kind, by in (("finger", (120, 5)), ("pen", (3, -120)), ("pen", (120, 5)), ("mouse", (3, -120))):
        Pointer(page, kind).draw(middle(page), by)
        assert untouched(page), f"{kind} {by}"


@pytest.mark.parametrize("kind", ["finger", "pen", "mouse"])
@pytest.mark.parametrize("zoomed", [False, True])
def test_a_piece_is_dragged(phone: Page, server: Server, kind: str, zoomed: bool) -> None:
    """By each, up the page too; on a zoomed board a finger and a pen pan instead."""
    phone.add_init_script(NEVER)
    at_table(phone, server.table(**TRIPLICITY))
    if zoomed:
        Pointer(phone, "finger").pinch(middle(phone, "c5"))
    start, goal = middle(phone, "c5"), middle(phone, "d7")
    Pointer(phone, kind).draw(start, (goal[0] - start[0], goal[1] - start[1]))
    if zoomed and kind != "mouse":
        assert untouched(phone)
        return
    at_ply(phone, 1)
    assert (phone.locator('[data-cell="d7"][data-symbol]').count(), phone.evaluate("scrollY")) == (1, 0)


@pytest.mark.parametrize(("kind", "slides"), [("finger", True), ("pen", True), ("mouse", False)])
def test_a_press_that_slides_to_a_cell_nearby_chooses_it(meet: Meet, server: Server, kind: str, slides: bool) -> None:
    page = meet(**LOW)
    at_table(page, server.table(**SANQI))
    held(page, SANQI)
    start, goal = middle(page, "j10"), middle(page, "k10")
    Pointer(page, kind).draw(start, (goal[0] - start[0], goal[1] - start[1]))
    if slides:
        page.locator(".confirm").wait_for()
    assert page.locator(".confirm").count() == slides
    assert page.locator('[data-cell="k10"][aria-pressed=true]').count() == slides


def test_a_mouse_that_was_lifted_beside_the_board_pans_no_more(page: Page, server: Server) -> None:
    at_table(page, server.table(**SANQI))
    page.get_by_role("button", name="Zoom in").click(click_count=2)
    x, y = middle(page)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y, steps=4)
    page.mouse.move(page.evaluate("innerWidth") - 5, 5, steps=4)
    page.mouse.up()
    page.mouse.move(x, y)
    before = middle(page, "j10")
    page.mouse.move(x + 60, y + 20, steps=4)
    assert middle(page, "j10") == before


def test_a_finger_on_a_small_cell_magnifies_it(phone: Page, server: Server) -> None:
    """Pieces of 18 pixels lay under the finger that was to choose one of them."""
    phone.add_init_script(NEVER)
    at_table(phone, server.table(**TRIPLICITY))
    lens, finger = phone.locator(".lens"), Pointer(phone, "finger")
    (x, y), (far, low) = middle(phone, "c5"), middle(phone, "d7")
    finger.send("Start", (x, y))
    lens.wait_for()
    shown = box(lens)
    assert shown["y"] + shown["height"] < y - 20, "above the finger"
    assert 0 <= shown["x"] <= phone.evaluate("innerWidth") - shown["width"]
    before = lens.get_attribute("viewBox")
    finger.send("Move", (far, low))
    assert lens.get_attribute("viewBox") != before, "it follows"
    finger.send("End")
    assert lens.count() == 0
    Pointer(phone, "mouse").send("Start", (x, y))
    assert lens.count() == 0
    at_table(phone, server.table(game="sparklies", options={"board": "5x5"}))
    finger.send("Start", middle(phone, "c3"))
    phone.wait_for_timeout(150)
    assert lens.count() == 0, "a large cell needs none"
    finger.send("End")
