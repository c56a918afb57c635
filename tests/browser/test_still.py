"""Nothing jumps: the board keeps its place and size through a whole game, and nothing covers what is needed."""

import random
import re
from typing import Any

import pytest
from playwright.sync_api import Page, Route

import tercet

from .hands import Sit
from .screen import Size, in_front, named, resize, settled, under
from .seats import ME, Meet, engine, seats
from .states import SIZES, sit_down
from .table import Server, at_ply, at_table, hold, press, ready, resign

pytestmark = [pytest.mark.browser, pytest.mark.page, pytest.mark.thorough]

OF_SIZES = pytest.mark.parametrize("size", [(390, 844), (1280, 800)], ids=named)
MOST_ACTIONS = 40
LEAST_BOARD = 560  # pixels of 800, beside three players' panels
# Each kind of game, short enough to be played to its end or far into it.
GAMES: dict[str, dict[str, Any]] = {"sanqi": {"side": 4}, "sparklies": {"board": "4x4"}, "triplicity": {}}
# Those that every run of the tests plays; the long tests play all.
QUICK = (("sparklies", (390, 844)), ("triplicity", (1280, 800)))
# The box of the board and everything that is drawn on it, in the page (scrolling is no jump); and what covers it.
BOARD = """() => {
    const svg = document.querySelector('.stage svg.board'), box = svg.getBoundingClientRect();
    const matrix = svg.getScreenCTM();
    return [box.x + scrollX, box.y + scrollY, box.width, box.height, matrix.a, matrix.e + scrollX, matrix.f + scrollY];
}"""
# Where the clocks are and how wide, and how low the buttons to look back: on a phone, with three players, a clock that
# grew by the time that the network may still take, or stood beside a warning, wrapped and moved the board by 20 pixels.
BESIDE = """() => [...document.querySelectorAll('.clock, .steps')].flatMap(one => {
    const box = one.getBoundingClientRect();
    return one.matches('.clock') ? [box.y + scrollY, box.width] : [box.y + scrollY];
})"""
PARTS = ".player, .banner, .result, .moves, .clock, .prompt, .controls .button, .pick.laid"


def hot_seat(server: Server, game: str, **wish: Any) -> str:
    """Open a table of a kind of game for all its players at one screen."""
    return server.table(seats(len(tercet.game(game).players)), game=game, seed=5, options=GAMES[game], **wish)


@pytest.mark.parametrize(
    ("game", "size"),
    [
        pytest.param(game, size, id=f"{named(size)}-{game}", marks=[] if (game, size) in QUICK else [pytest.mark.long])
        for size in SIZES
        for game in GAMES
    ],
)
def test_the_board_never_moves(meet: Meet, server: Server, sit: Sit, game: str, size: Size) -> None:
    page = meet(viewport={"width": size[0], "height": size[1]})
    hands = sit(page, hot_seat(server, game, clock={"kind": "fischer", "minutes": 30, "increment": 0}))
    chance = random.Random(7)
    kept = 4 if game == "triplicity" else 7  # it turns to the player to move, within its box
    first, beside = page.evaluate(BOARD)[:kept], page.evaluate(BESIDE)
    for ply in range(MOST_ACTIONS):
        if hands.over:
            break
        hands.play(chance.choice(hands.paths)[0])
        assert page.evaluate(BOARD)[:kept] == pytest.approx(first, abs=0.6), f"the board moved at action {ply + 1}"
        if not hands.over:
            assert page.evaluate(BESIDE) == pytest.approx(beside, abs=0.6), f"at action {ply + 1}"
        assert under(page, ".stage svg.board", PARTS) == []
    if not hands.over:
        resign(page)
        settled(page)
    assert page.evaluate(BOARD)[:kept] == pytest.approx(first, abs=0.6), "the result moved the board"
    assert under(page, ".stage svg.board", PARTS) == []


@OF_SIZES
@pytest.mark.parametrize("game", GAMES)
def test_what_comes_late_moves_nothing(meet: Meet, server: Server, game: str, size: Size) -> None:
    """The pictures of what one plays for come with the rules: on a slow line after the board."""
    page = meet(viewport={"width": size[0], "height": size[1]})
    held: list[Route] = []
    page.route("**/api/rules/**", lambda route: held.append(route))
    at_table(page, hot_seat(server, game))
    settled(page)
    first = page.evaluate(BOARD)
    for route in held:
        route.continue_()
    page.wait_for_load_state("networkidle")
    settled(page)
    assert page.evaluate(BOARD) == pytest.approx(first, abs=0.6)


TOP = "selector => document.querySelector(selector).getBoundingClientRect().top"
# Whether each of the elements lies whole in the window, and within `inside`, and under nothing else.
IN_SIGHT = """([selector, inside]) => [...document.querySelectorAll(selector)].map(one => {
    const box = one.getBoundingClientRect(), outer = document.querySelector(inside).getBoundingClientRect();
    const hit = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    return box.bottom <= Math.min(outer.bottom + 1, innerHeight) && box.top >= Math.max(outer.top - 1, 0)
        && box.left >= outer.left - 1 && box.right <= outer.right + 1 && one.contains(hit);
})"""


def in_sight(page: Page, selector: str, inside: str = ".side") -> list[bool]:
    """For each element, whether one sees it whole, once it takes presses."""
    in_front(page)
    found: list[bool] = page.evaluate(IN_SIGHT, [selector, inside])
    return found


@OF_SIZES
def test_what_stands_beside_it_moves_nothing(meet: Meet, server: Server, size: Size) -> None:
    page = meet(viewport={"width": size[0], "height": size[1]})
    at_table(page, server.table([engine(), ME], game="sanqi", options={"side": 5}))
    at_ply(page, 1)
    assert "starts" not in page.locator(".side-of-mine").inner_text()  # it has begun
    page.locator(".companion").get_by_role("button", name="Any tips?").wait_for()
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")

    def tops() -> list[float]:
        settled(page)
        return [page.evaluate(TOP, part) for part in (".steps", ".stage svg.board")]

    first = tops()
    assert False not in page.evaluate(
        """() => [...document.querySelectorAll('.chip')].map(one => one.getBoundingClientRect().right
            <= document.querySelector('.side').getBoundingClientRect().right + 1)"""
    ), "a question is cut off"

    # asking about patterns, and putting the answer away
    for _ in range(2):
        page.locator(".chip").first.click()
        assert tops()[1] == pytest.approx(first[1], abs=0.6)
    # looking back, where nobody is advised, by the button that is under the pointer
    back = page.locator(".steps").get_by_role("button", name="Previous move")
    first[0] = tops()[0]
    back.click()
    at_ply(page, 0)
    settled(page)
    assert page.locator(".companion").count() == 0
    assert tops() == pytest.approx(first, abs=0.6)
    page.locator(".steps").get_by_role("button", name="Next move").click()
    at_ply(page, 1)
    # and without advice for good
    dismiss = page.locator(".companion").get_by_role("button", name="Dismiss")
    dismiss.scroll_into_view_if_needed()
    settled(page)
    in_front(page)  # else Playwright scrolls and tries again
    first = tops()
    dismiss.click()
    page.locator(".companion").wait_for(state="detached")
    assert tops() == pytest.approx(first, abs=0.6)


def test_questions_about_patterns_are_not_half_hidden_on_a_low_desktop(page: Page, server: Server) -> None:
    """In a laptop's window of 650 pixels they faded out over the moves."""
    page.set_viewport_size({"width": 1366, "height": 650})
    sit_down(page, server, seats(2, engine()), game="sanqi", options={"side": 5})
    for turn in range(4):
        ready(page)
        page.locator(".chip").first.wait_for()
        settled(page)
        assert set(in_sight(page, ".chip", ".more")) == {True}, turn
        hold(page, "R")
        page.locator(".stage .cell[data-legal]").nth(7 * turn).click()
        at_ply(page, 2 * turn + 2)


def test_the_turn_that_lost_moves_no_question(page: Page, server: Server) -> None:
    """ "Cells at risk" moved down by two lines when the turn was found, and by three when its words were loaded."""
    position = "sparklies/board=4x4,ruleset=subtle r2r2r2r2/g2g1r1g2/g2g1g2g0/r2g1r2g2 B c 0"
    sit_down(page, server, seats(2, engine()), position=position)
    late: list[Route] = []
    page.route("**/WhyLost*", lambda route: late.append(route))
    press(page, "d2", "d2")
    page.locator(".chooser").get_by_role("button", name="green").click()
    page.wait_for_selector(".result")
    settled(page)
    first = page.evaluate(TOP, ".about .chip")
    for route in late:
        route.continue_()
    page.wait_for_selector(".lost[data-lost], .lost .quiet")
    settled(page)
    assert page.evaluate(TOP, ".about .chip") == pytest.approx(first, abs=0.6)
    page.locator(".lost .words").evaluate("one => one.append('c2 turns from green to red. '.repeat(20))")
    settled(page)
    assert page.evaluate(TOP, ".about .chip") == pytest.approx(first, abs=0.6)
    assert page.locator(".lost .words").get_attribute("tabindex") == "0"


CHOICES = "all => all.map(one => `${one.offsetWidth} ${one.offsetHeight} ${one.textContent.trim()}`)"


@pytest.mark.parametrize("size", [pytest.param((1440, 900), marks=pytest.mark.long), (1280, 800)], ids=named)
def test_questions_keep_their_size_through_a_game(page: Page, server: Server, sit: Sit, size: Size) -> None:
    """They shrank once or twice in the first rounds, as the panel above them grew."""
    resize(page, size)
    hands = sit(page, server.table(seats(3, engine()), game="triplicity", seed=3))
    first: list[str] = []
    for turn in range(4):
        settled(page)
        seen = page.locator(".chip").evaluate_all(CHOICES)
        first = first or seen
        assert seen == first, turn
        hands.play(hands.paths[0][0])


@OF_SIZES
def test_pieces_on_sale_keep_their_size_whatever_can_be_paid(page: Page, server: Server, size: Size) -> None:
    """The buttons grew when fewer were left, on a phone by words too."""
    resize(page, size)
    pawns = set()
    for coins in (10, 7, 5):
        position = f"triplicity 11/rK11/13/12/11/1rR8/9/5bK2/7/6/5/4/1wK1 W {coins},10,10 a,a,a 0 -"
        at_table(page, server.table(seats(3, engine()), position=position))
        pawns.add(page.locator(".picks .pick").first.evaluate_all(CHOICES)[0])
    assert len(pawns) == 1, pawns


def test_moves_are_in_sight_beside_the_largest_panels(page: Page, server: Server, sit: Sit) -> None:
    cells: set[str] = set()
    while len(cells) < 3:  # sometimes the second buys a man where the first came from
        hands = sit(page, server.table(seats(3, engine()), game="triplicity", seed=3))
        hands.play(hands.paths[0][0])
        page.locator(".move").nth(2).wait_for()  # both others have moved
        page.locator(".companion").get_by_text("Last turns").wait_for()
        settled(page)
        says = [move.get_attribute("title") or "" for move in page.locator(".move").all()]
        cells = {cell for words in says[1:] for cell in re.findall(r"\b[a-m]\d+\b", words)}
    # what both others did is marked, not only the last
    assert page.locator(".stage .last").count() == len(cells)
    rows = page.eval_on_selector_all(".stage .cell", "all => all.map(cell => cell.getBoundingClientRect())")
    assert max(row["bottom"] for row in rows) - min(row["top"] for row in rows) > LEAST_BOARD
    assert in_sight(page, ".steps .button") == [True] * 4
    assert in_sight(page, ".companion .button:not(.all)", ".more") == [True] * 2
    assert False not in in_sight(page, ".companion .all", ".more")  # it is there where long turns are cut
    assert in_sight(page, ".move", ".moves ol") == [True] * page.locator(".move").count()


def test_the_move_shown_stays_in_sight_in_a_list_of_another_height(page: Page, server: Server, sit: Sit) -> None:
    hands = sit(page, server.table(game="sanqi", options={"side": 6}))
    chance = random.Random(7)
    for _ in range(20):
        hands.play(chance.choice(hands.paths)[0])
    assert in_sight(page, ".move[aria-current]", ".moves ol") == [True]
    page.set_viewport_size({"width": 1280, "height": 640})
    settled(page)
    assert in_sight(page, ".move[aria-current]", ".moves ol") == [True]
