"""Nothing jumps while a page loads, a coach speaks, an engine thinks, and a lesson or a puzzle goes on."""

from typing import Any

import pytest
from playwright.sync_api import Page, Route

from .hands import Sit, enter
from .screen import Size, named, settled, sized, under
from .seats import Meet, engine, seats
from .states import sit_down
from .table import Server, ready, said, sign_up
from .test_learn import at_step
from .test_puzzles import puzzles_of, shown

pytestmark = [pytest.mark.browser, pytest.mark.page]

SIZES = ((390, 844), (1280, 800))
PARTS = "svg.board, button, a, input, select, summary, h1, .name, .total, .clock, .task, .player"
# In each frame, where those parts are that match a selector: what has moved as a whole is kept. A part that grows, or
# that comes or goes, has not moved; what is scrolled has its place in the page.
WATCH = """parts => {
    const first = new WeakMap();
    window.moved = new Map();
    const places = one => {
        const box = one.getBoundingClientRect();
        return [box.left + scrollX, box.right + scrollX, box.top + scrollY, box.bottom + scrollY];
    };
    const least = (now, was) => Math.abs(now) < Math.abs(was) ? now : was;
    const look = () => {
        for (const one of document.querySelectorAll(parts)) {
            if (!one.checkVisibility() || one.closest('.board *, .living button')) continue;
            const now = places(one), was = first.get(one);
            if (!was || was[0] === was[1]) { first.set(one, now); continue; }
            const by = now.map((edge, i) => edge - was[i]);
            const [x, y] = [least(by[0], by[1]), least(by[2], by[3])].map(Math.round);
            const name = `${one.tagName}.${one.getAttribute('class')} ${one.textContent.trim().slice(0, 40)}`;
            if (x || y) window.moved.set(name, `${x} to the right, ${y} down`);
        }
        requestAnimationFrame(look);
    };
    look();
}"""


def watch(page: Page, parts: str = PARTS) -> None:
    """Begin to look, once all that was asked for is there."""
    settled(page)
    page.evaluate(WATCH, parts)


def moved(page: Page) -> dict[str, str]:
    settled(page)
    found: dict[str, str] = page.evaluate("Object.fromEntries(window.moved)")
    return found


GAMES: dict[str, dict[str, Any]] = {"sanqi": {"side": 5}, "sparklies": {"board": "5x5"}, "triplicity": {}}


@pytest.mark.parametrize("size", SIZES, ids=named)
@pytest.mark.parametrize("game", GAMES)
def test_turns_of_a_first_game_move_nothing(meet: Meet, server: Server, sit: Sit, game: str, size: Size) -> None:
    """What the coach said pushed the list of moves by 130 pixels, and a score went aside while the engine thought."""
    page = meet(viewport={"width": size[0], "height": size[1]})
    chairs = seats(3 if game == "triplicity" else 2, engine())
    hands = sit(page, server.table(chairs, game=game, seed=5, options=GAMES[game]))
    watch(page, PARTS.replace("button", "button:not(.move)"))
    for _ in range(5):
        if not hands.over:
            hands.play(hands.paths[0][0])
    assert moved(page) == {}


@pytest.mark.parametrize("size", SIZES, ids=named)
@pytest.mark.parametrize("most", [1, pytest.param(100, marks=pytest.mark.long)])
def test_lessons_keep_the_board_where_it_is(meet: Meet, server: Server, most: int, size: Size) -> None:
    """From the first step to the second it rose by 27 pixels."""
    page = sized(meet, size)
    for game in server.get("/api/lessons"):
        for lesson in game["lessons"][:most]:
            page.goto(f"{server.base}/learn/{game['game']}/{lesson['id']}")
            at_step(page, 0)
            watch(page)
            for number in range(lesson["steps"]):
                page.locator(".dot").nth(number).click()
                at_step(page, number)
            assert moved(page) == {}, lesson["id"]


@pytest.mark.parametrize("size", SIZES, ids=named)
def test_a_step_that_is_tried_and_refuted_moves_nothing(meet: Meet, server: Server, size: Size) -> None:
    page = sized(meet, size)
    page.goto(f"{server.base}/learn/sanqi/winning")
    lesson = server.get("/api/lessons/sanqi/winning")
    last = len(lesson["steps"]) - 1
    page.locator(".dot").nth(last).click()
    at_step(page, last)
    step = lesson["steps"][last]
    paths = step["view"]["paths"]
    watch(page)
    page.get_by_role("button", name="Hint").click()
    enter(page, paths, "Yg3")
    at_step(page, last, "missed")
    said(page, "Second's pattern")
    page.get_by_role("group", name="Moves of the variation").wait_for()  # the refutation is played out
    page.get_by_role("button", name="Try again").click()
    at_step(page, last)
    page.get_by_role("button", name="Show me").click()
    page.get_by_role("button", name="Back", exact=True).click()
    enter(page, paths, "Be4")
    at_step(page, last, "reached")
    assert moved(page) == {}


@pytest.mark.parametrize("size", SIZES, ids=named)
@pytest.mark.parametrize("game", GAMES)
def test_a_puzzle_that_is_solved_moves_nothing(meet: Meet, server: Server, game: str, size: Size) -> None:
    """The box that said so pushed the board by 14 pixels."""
    page = sized(meet, size)
    puzzles = (one for one in puzzles_of(game) if one["mover"] in one["attackers"])
    puzzle = min(puzzles, key=lambda one: (one["turns"], len(one["right"])))
    address = f"/api/puzzles/{puzzle['id']}"
    page.goto(f"{server.base}/puzzles/{game}/{puzzle['id']}")
    shown(page, puzzle["id"], "going")
    watch(page)
    told = server.get(address)
    view, picks = told["view"], told["table"]["picks"]
    enter(page, view["paths"], next(one for one, *_ in view["paths"] if one not in puzzle["right"]), picks)
    shown(page, puzzle["id"], "wrong")
    page.get_by_role("button", name="Try again").click()
    shown(page, puzzle["id"], "going")
    moves: list[str] = []
    state = "going"
    while state == "going":
        action = server.post(f"{address}/solution", {"run": True})["frames"][len(moves)]["text"]
        enter(page, view["paths"], action, picks)
        found = server.post(f"{address}/try", {"moves": moves, "actions": [action], "run": True})
        moves += [frame["text"] for frame in found["frames"]]
        state, view = found["state"], found["frames"][-1]["view"]
        ready(page) if state == "going" else shown(page, puzzle["id"], state)
    assert state == "right"
    assert moved(page) == {}


@pytest.mark.parametrize("size", SIZES, ids=named)
@pytest.mark.parametrize("who", ["newcomer", "player"])
def test_the_first_page_stays_as_it_is_while_it_loads(meet: Meet, server: Server, who: str, size: Size) -> None:
    """Rows above the games and boxes below them came one after another, each in front of others."""
    page = sized(meet, size)
    if who == "player":
        sign_up(page, server, f"ada{size[0]}")
        sit_down(page, server, seats(2, engine()), game="sanqi", options={"side": 5})
        ready(page)
        page.goto(server.base)  # what was last known is shown at once from now on
        page.locator(".returns").wait_for()
    held: list[Route] = []
    holds = [True]
    page.route("**/api/**", lambda route: held.append(route) if holds else route.continue_())
    page.goto(server.base, wait_until="commit")
    for part in ("/api/games", "/api/puzzles", "/api/preview", "/api/me/tables", "/api/tournaments", "/api/"):
        for _ in range(100):
            if any(part in route.request.url for route in held) or part == "/api/tournaments":
                break
            page.wait_for_timeout(20)  # what is tested: answers that come one after another
        for route in [one for one in held if part in one.request.url]:
            held.remove(route)
            route.continue_()
        if part == "/api/games":
            page.locator(".cards .card").last.wait_for()
            watch(page)
        page.wait_for_timeout(100)
        settled(page)
    holds.clear()
    for route in held:
        route.continue_()
    page.wait_for_load_state("networkidle")
    page.get_by_role("region", name="Open games").wait_for()
    assert moved(page) == {}


# What a notice lies over: nothing that one reads or presses.
FREE = ".brand svg, .brand span, button, a:not(.brand), svg.board, .player h2, .banner, .challenge"


@pytest.mark.parametrize("size", [*SIZES, (1920, 1080)], ids=named)
@pytest.mark.parametrize("locale", ["en-GB", "de-DE"])
def test_a_notice_covers_neither_the_name_nor_a_button(meet: Meet, server: Server, size: Size, locale: str) -> None:
    """It lay over the name of the site, and over a question with "Accept"."""
    page = sized(meet, size, locale=locale)
    page.route("**/api/tables", lambda route: route.abort())
    page.goto(server.base)
    page.locator(".card .button.main").first.click()
    page.locator(".toast").wait_for()
    assert under(page, ".toast", FREE) == []
    page.unroute("**/api/tables")
    sit_down(page, server, seats(2, engine()), game="sanqi", options={"side": 5})
    ready(page)
    page.locator(".companion .square").click()
    page.evaluate("scrollTo(0, 0)")
    page.locator(".toast").wait_for()
    assert under(page, ".toast", FREE) == []
