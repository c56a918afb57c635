"""Buttons that appear under a pointer at rest, because another player acted: they take no press for a moment."""

from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route

from tests.support.waiting import until

from .conftest import DESKTOP, PHONE
from .online import Guest, together
from .screen import Pointer, centre, settled
from .seats import FIRST_TO_WIN, ME, NEVER, OPEN, SMALL, Meet, engine
from .states import CHAIN
from .table import Server, at_ply, at_table, choose, keys, menu, play, ready, sign_up, standing, tap
from .test_first_game import FOUR

pytestmark = [pytest.mark.browser, pytest.mark.page, pytest.mark.thorough, pytest.mark.motion]

# As soon as another button or link (of these words) lies at a point: whether a pointer reaches it there. It is clicked,
# too, as by a finger that was down before.
REST = """([x, y, words]) => {
    const at = () => [...document.querySelectorAll('button, a')].find(one => {
        const box = one.getBoundingClientRect();
        const inside = box.left < x && x < box.right && box.top < y && y < box.bottom;
        return inside && one.checkVisibility() && !one.disabled && one.innerText.includes(words);
    });
    const before = at()?.closest('.banner, .challenge, li, .gestures, .laid');
    window.reached = null;
    const seen = new MutationObserver(() => {
        const button = at();
        if (!button || (before && before === button.closest('.banner, .challenge, li, .gestures, .laid'))) return;
        seen.disconnect();
        setTimeout(() => {  // once those who follow changes have heard of this one
            window.reached = button.contains(document.elementFromPoint(x, y));
            button.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, detail: 1 }));
        });
    });
    seen.observe(document, { subtree: true, childList: true, characterData: true });
}"""


class Resting:
    """A pointer that rests where a button is, while another one comes there."""

    def __init__(self, page: Page, button: Locator, words: str = "") -> None:
        self.page = page
        page.evaluate(REST, [*centre(button), words])

    @property
    def pressed(self) -> bool:
        """Whether it could press the button that came; that is there."""
        self.page.wait_for_function("() => window.reached !== null")
        settled(self.page)
        return bool(self.page.evaluate("window.reached"))


def two(meet: Meet, server: Server, how: dict[str, Any], **wish: Any) -> list[Page]:
    pages = [meet(), meet(**how)]
    together(server, *pages, **(wish or SMALL))
    return pages


def offer_draw(page: Page) -> None:
    menu(page, "Offer a draw")
    page.get_by_text("You offered a draw. Waiting").wait_for()


@pytest.mark.parametrize("both", [False, True], ids=["after", "beside"])
@pytest.mark.parametrize("how", [DESKTOP, PHONE], ids=["desk", "phone"])
def test_another_offer(meet: Meet, server: Server, how: dict[str, Any], both: bool) -> None:
    """One that comes after another was withdrawn, or that stood beside it and moves up."""
    anna, ben = two(meet, server, how)
    play(anna, "Rd4")
    standing(ben, "d4", "R")
    anna.get_by_role("button", name="Takeback").click()
    accept = ben.get_by_role("button", name="Accept")
    accept.wait_for()
    if both:
        offer_draw(anna)
        ben.get_by_text("offers a draw").first.wait_for(state="attached")
    settled(ben)
    finger = Resting(ben, accept.first)
    anna.get_by_role("button", name="Withdraw").first.click()
    if not both:
        accept.wait_for(state="detached")
        offer_draw(anna)
    assert not finger.pressed
    assert anna.locator(".result").count() == 0
    accept.click()
    for page in (anna, ben):
        page.wait_for_selector(".result")


def test_a_finger_that_was_down_before_an_offer_came(meet: Meet, server: Server) -> None:
    anna, ben = two(meet, server, PHONE)
    play(anna, "Rd4")
    standing(ben, "d4", "R")
    anna.get_by_role("button", name="Takeback").click()
    point = centre(ben.get_by_role("button", name="Accept"))
    anna.get_by_role("button", name="Withdraw").click()
    ben.get_by_role("button", name="Accept").wait_for(state="detached")
    with Pointer(ben, "finger").on(point):
        offer_draw(anna)
        ben.wait_for_selector(".below.banner:not([data-held])")
    settled(ben)
    assert anna.locator(".result").count() == 0


def test_what_to_do_after_a_game(meet: Meet, server: Server) -> None:
    """It stands where the picks were."""
    anna, ben = two(meet, server, PHONE, position=FIRST_TO_WIN)
    finger = Resting(ben, ben.locator(".pick.laid").first)
    url = ben.url
    play(anna, "Re3")
    assert not finger.pressed
    assert ben.url == url
    assert ben.get_by_role("button", name="Rematch").is_enabled()


def test_another_open_game(page: Page, server: Server) -> None:
    def open_one(title: str, options: dict[str, Any]) -> None:
        seats = [ME, OPEN]
        Guest(server).post("/api/tables", {"game": title, "options": options, "seats": seats, "public": True})

    open_one("sanqi", {"side": 4})
    page.goto(f"{server.base}")
    join = page.get_by_role("button", name="Join")
    join.first.wait_for()
    page.wait_for_load_state("networkidle")  # what comes late above it moves it
    settled(page)
    finger = Resting(page, join.first)
    open_one("sparklies", {})
    assert not finger.pressed
    assert "/t/" not in page.url


def test_a_challenge_that_follows_another(phone: Page, server: Server) -> None:
    sign_up(phone, server, "rosa")
    phone.goto(server.base)

    def challenge(name: str) -> str:
        other = Guest(server, name)
        table: str = other.post("/api/tables", {"game": "sanqi", "seats": [ME, OPEN]})["id"]
        other.post("/api/challenges", {"handle": "rosa", "table": table})
        phone.locator(".challenge", has_text=name.title()).wait_for()
        return table

    tables = {name: challenge(name) for name in ("saskia", "tom")}
    settled(phone)
    challenges = phone.locator(".challenge")
    lower = "saskia" if "Saskia" in challenges.last.inner_text() else "tom"
    finger = Resting(phone, challenges.last.get_by_role("button", name="Accept"))
    phone.request.delete(f"{server.base}/api/me/challenges/{tables[lower]}")  # as it is where rosa is at home too
    assert not finger.pressed
    assert "/t/" not in phone.url


def test_a_board_that_another_player_leads_to(meet: Meet, server: Server) -> None:
    """The opponent of a quick pairing came, or agreed to a rematch."""
    anna, ben = two(meet, server, DESKTOP, position=FIRST_TO_WIN)
    for page in (anna, ben):
        page.evaluate(f"() => {NEVER}")
    play(anna, "Re3")
    ben.get_by_role("button", name="Rematch").click()
    first = ben.url
    ben.evaluate("""() => new MutationObserver(() => {
        const cell = document.querySelector('.desk .stage [data-cell]:not([data-symbol])');
        if (!cell || location.href === window.first) return;
        const { x, y, width, height } = cell.getBoundingClientRect();
        window.reached ??= document.elementFromPoint(x + width / 2, y + height / 2)?.closest('[data-cell]') !== null;
    }).observe(document, { subtree: true, childList: true }) || (window.first = location.href)""")
    anna.get_by_role("alertdialog").get_by_role("button", name="Accept").click()
    ben.wait_for_url(lambda url: url != first)
    ben.wait_for_function("() => window.reached !== undefined")
    assert ben.evaluate("window.reached") is False
    play(ben, "Rd4")


def test_the_end_of_a_turn_that_was_given_back(meet: Meet, server: Server) -> None:
    """The motions of one's own turn come at once; those of a turn that another player brings do not."""
    anna, ben = two(meet, server, DESKTOP, position=CHAIN)
    ben.evaluate(NEVER)
    ben.reload()
    motion = ben.locator("[data-gesture=deactivate]")
    motion.wait_for()
    finger = Resting(ben, motion, "End the turn")
    motion.click()
    ready(anna)
    ben.get_by_role("button", name="Takeback").click()
    anna.get_by_role("alertdialog").get_by_role("button", name="Accept").click()
    assert not finger.pressed
    motion.click()
    ready(anna)
    assert motion.count() == 0


def test_a_warning_while_a_move_is_confirmed(phone: Page, server: Server) -> None:
    """What plays anyway stands where what plays stood."""
    advice: list[Route] = []
    phone.route("**/api/advice", lambda route: advice.append(route))
    at_table(phone, server.table([ME, engine(1)], position=FOUR))
    choose(phone, "Bf4", tap)
    phone.wait_for_selector(".confirm.pending")
    until(lambda: phone.evaluate("1") and advice)
    settled(phone)
    finger = Resting(phone, phone.get_by_role("button", name="Play", exact=True), "Play anyway")
    for asked in advice:
        asked.continue_()
    phone.unroute("**/api/advice")
    assert not finger.pressed
    at_ply(phone, 0)
    phone.get_by_role("button", name="Play anyway").tap()
    standing(phone, "f4", "B")


def test_a_key_that_is_held_presses_once(page: Page, server: Server) -> None:
    at_table(page, server.table(**SMALL, confirm=True))
    page.locator(".pick.laid").first.click()
    page.locator('[data-cell="d4"]').focus()
    page.keyboard.down("Enter")
    page.wait_for_selector(".confirm.pending")
    for _ in range(3):
        page.keyboard.down("Enter")
    settled(page)
    at_ply(page, 0)
    page.keyboard.up("Enter")
    keys(page, "Enter", ply=1)
