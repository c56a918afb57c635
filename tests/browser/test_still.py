"""Nothing jumps: the board keeps its place and size through a whole game, and nothing covers what is needed."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from .hands import Hands
from .table import Server, settled

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.page]

SIZES = ((390, 844), (1280, 800))
MOST_ACTIONS = 70
# Each kind of game, short enough to be played to its end or far into it.
GAMES: dict[str, dict[str, Any]] = {
    "sanqi": {"options": {"side": 4}},
    "sparklies": {"options": {"board": "4x4"}},
    "triplicity": {},
}
# Those that every run of the tests plays; the long tests play all.
QUICK = (("sanqi", (390, 844)), ("sparklies", (390, 844)), ("triplicity", (1280, 800)))
# The box of the board and everything that is drawn on it, in the page (scrolling is no jump); and what covers it.
BOARD = """() => {
    const svg = document.querySelector('.stage svg.board'), box = svg.getBoundingClientRect();
    const matrix = svg.getScreenCTM();
    return [box.x + scrollX, box.y + scrollY, box.width, box.height, matrix.a, matrix.e + scrollX, matrix.f + scrollY];
}"""
COVERED = """() => {
    const board = document.querySelector('.stage svg.board').getBoundingClientRect();
    const over = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
        && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
    const parts = '.player, .banner, .result, .moves, .clock, .prompt, .controls .button, .pick.laid';
    return [...document.querySelectorAll(parts)]
        .filter(one => one.offsetParent && over(one.getBoundingClientRect(), board)).map(one => one.className);
}"""


@pytest.mark.parametrize(
    ("game", "size"),
    [
        pytest.param(
            game, size, id=f"{size[0]}x{size[1]}-{game}", marks=[] if (game, size) in QUICK else [pytest.mark.long]
        )
        for size in SIZES
        for game in GAMES
    ],
)
def test_the_board_never_moves(meet: Callable[..., Page], server: Server, game: str, size: tuple[int, int]) -> None:
    page = meet(viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce")
    players = len(next(one for one in server.get("/api/games") if one["name"] == game)["players"])
    seats = [{"kind": "me"}, *[{"kind": "here"}] * (players - 1)]
    hands = Hands(page, server.table(seats, game=game, seed=5, **GAMES[game]))
    chance = random.Random(7)
    first = page.evaluate(BOARD)
    try:
        for ply in range(MOST_ACTIONS):
            if hands.over:
                break
            hands.play(chance.choice(hands.paths)[0])
            assert page.evaluate(BOARD) == pytest.approx(first, abs=0.6), f"the board moved at action {ply + 1}"
            assert page.evaluate(COVERED) == []
    finally:
        hands.close()
    if not hands.over:
        page.get_by_role("button", name="Resign").click()
        page.get_by_role("dialog").get_by_role("button", name="Resign").click()
        settled(page)
    assert page.evaluate(BOARD) == pytest.approx(first, abs=0.6), "the result moved the board"
    assert page.evaluate(COVERED) == []
