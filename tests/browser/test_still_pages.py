"""Nothing jumps while a page loads, a coach speaks, an engine thinks, and a lesson or a puzzle goes on."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Route

from tercet.learning.puzzles import read, shipped

from .hands import Hands
from .states import sit_down
from .table import Server, ready, settled
from .test_learn import at_step
from .test_puzzles import shown

pytestmark = [pytest.mark.browser, pytest.mark.page]

SIZES = [pytest.param(size, id=f"{size[0]}x{size[1]}") for size in ((390, 844), (1280, 800))]
ENGINE: dict[str, Any] = {"kind": "engine", "level": 1}
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
    """Return what has moved since, by what it is."""
    settled(page)
    found: dict[str, str] = page.evaluate("Object.fromEntries(window.moved)")
    return found


def sized(meet: Callable[..., Page], size: tuple[int, int]) -> Page:
    """Return a page of this size, a phone's where it is narrow."""
    return meet(viewport={"width": size[0], "height": size[1]}, has_touch=size[0] < 760)


GAMES: dict[str, dict[str, Any]] = {
    "sanqi": {"options": {"side": 5}},
    "sparklies": {"options": {"board": "5x5"}},
    "triplicity": {},
}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("game", GAMES)
def test_turns_of_a_first_game_move_nothing(
    meet: Callable[..., Page], server: Server, game: str, size: tuple[int, int]
) -> None:
    """What the coach said pushed the list of moves by 130 pixels, and a score went aside while the engine thought."""
    page = meet(viewport={"width": size[0], "height": size[1]})
    seats: list[dict[str, Any]] = [{"kind": "me"}, *[ENGINE] * (2 if game == "triplicity" else 1)]
    hands = Hands(page, server.table(seats, game=game, seed=5, **GAMES[game]))
    watch(page, PARTS.replace("button", "button:not(.move)"))
    try:
        for _ in range(5):
            if hands.over:
                break
            hands.play(hands.paths[0][0])
        assert moved(page) == {}
    finally:
        hands.close()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("most", [1, pytest.param(100, marks=pytest.mark.long)])
def test_lessons_keep_the_board_where_it_is(
    meet: Callable[..., Page], server: Server, most: int, size: tuple[int, int]
) -> None:
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


@pytest.mark.parametrize("size", SIZES)
def test_a_step_that_is_tried_moves_nothing(meet: Callable[..., Page], server: Server, size: tuple[int, int]) -> None:
    page = sized(meet, size)
    page.goto(f"{server.base}/learn/sanqi/winning")
    lesson = server.get("/api/lessons/sanqi/winning")
    last = len(lesson["steps"]) - 1
    page.locator(".dot").nth(last).click()
    at_step(page, last)
    step = lesson["steps"][last]
    how = (page, lesson["tables"][step["table"]], step["view"]["paths"])
    watch(page)
    page.get_by_role("button", name="Hint").click()
    do(*how, "Yg3")
    at_step(page, last, "missed")
    page.get_by_role("group", name="Moves of the variation").wait_for()
    page.get_by_role("button", name="Back", exact=True).click()
    page.get_by_role("button", name="Show me").click()
    page.get_by_role("button", name="Back", exact=True).click()
    do(*how, "Be4")
    at_step(page, last, "reached")
    assert moved(page) == {}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("game", GAMES)
def test_a_puzzle_that_is_solved_moves_nothing(
    meet: Callable[..., Page], server: Server, game: str, size: tuple[int, int]
) -> None:
    """The box that said so pushed the board by 14 pixels."""
    page = sized(meet, size)
    puzzles = (one for path in shipped(game) for one in read(path) if one["mover"] in one["attackers"])
    puzzle = min(puzzles, key=lambda one: (one["turns"], len(one["right"])))
    address = f"/api/puzzles/{puzzle['id']}"
    page.goto(f"{server.base}/puzzles/{game}/{puzzle['id']}")
    shown(page, puzzle["id"], "going")
    watch(page)
    told = server.get(address)
    view = told["view"]
    do(page, told["table"], view["paths"], next(one for one, *_ in view["paths"] if one not in puzzle["right"]))
    shown(page, puzzle["id"], "wrong")
    page.get_by_role("button", name="Try again").click()
    shown(page, puzzle["id"], "going")
    moves: list[str] = []
    state = "going"
    while state == "going":
        action = server.post(f"{address}/solution", {"run": True})["frames"][len(moves)]["text"]
        do(page, told["table"], view["paths"], action)
        found = server.post(f"{address}/try", {"moves": moves, "actions": [action], "run": True})
        moves += [frame["text"] for frame in found["frames"]]
        state, view = found["state"], found["frames"][-1]["view"]
        ready(page) if state == "going" else shown(page, puzzle["id"], state)
    assert state == "right"
    assert moved(page) == {}


def do(page: Page, table: dict[str, Any], paths: list[Any], action: str) -> None:
    """Enter an action through the board, as its path says."""
    for step in next(path[1] for path in paths if path[0] == action):
        laid = page.locator(f'[data-pick="{step[1:]}"]')
        if not step.startswith("#"):
            page.locator(f'.stage [data-cell="{step}"]').click()
        elif laid.count():
            laid.click()
        else:
            label = next(pick["label"] for pick in table["picks"] if f"#{pick['id']}" == step)
            page.locator(f'.chooser button[aria-label^="{label}"]').first.click()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("who", ["newcomer", "player"])
def test_the_first_page_stays_as_it_is_while_it_loads(
    meet: Callable[..., Page], server: Server, who: str, size: tuple[int, int]
) -> None:
    """Rows above the games and boxes below them came one after another, each in front of others."""
    page = sized(meet, size)
    if who == "player":
        page.request.post(f"{server.base}/api/accounts", data={"handle": f"ada{size[0]}", "password": "correct horse"})
        sit_down(page, server, [{"kind": "me"}, ENGINE], game="sanqi", options={"side": 5})
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
UNDER = """() => {
    const box = document.querySelector('.toast').getBoundingClientRect();
    const over = one => Math.min(one.right, box.right) - Math.max(one.left, box.left) > 1
        && Math.min(one.bottom, box.bottom) - Math.max(one.top, box.top) > 1;
    const parts = '.brand svg, .brand span, button, a:not(.brand), svg.board, .player h2, .banner, .challenge';
    const seen = one => one.checkVisibility({visibilityProperty: true, opacityProperty: true});
    return [...document.querySelectorAll(parts)].filter(one => seen(one) && over(one.getBoundingClientRect()))
        .map(one => `${one.tagName}.${one.getAttribute('class')} ${one.textContent.trim().slice(0, 40)}`);
}"""


@pytest.mark.parametrize("size", [*SIZES, pytest.param((1920, 1080), id="1920x1080")])
@pytest.mark.parametrize("locale", ["en-GB", "de-DE"])
def test_a_notice_covers_neither_the_name_nor_a_button(
    meet: Callable[..., Page], server: Server, size: tuple[int, int], locale: str
) -> None:
    """It lay over the name of the site, and over a question with "Accept"."""
    page = meet(viewport={"width": size[0], "height": size[1]}, has_touch=size[0] < 760, locale=locale)
    page.route("**/api/tables", lambda route: route.abort())
    page.goto(server.base)
    page.locator(".card .button.main").first.click()
    page.locator(".toast").wait_for()
    assert page.evaluate(UNDER) == []
    page.unroute("**/api/tables")
    sit_down(page, server, [{"kind": "me"}, ENGINE], game="sanqi", options={"side": 5})
    ready(page)
    page.locator(".companion .square").click()
    page.evaluate("scrollTo(0, 0)")
    page.locator(".toast").wait_for()
    assert page.evaluate(UNDER) == []
