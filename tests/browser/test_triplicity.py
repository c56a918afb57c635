"""Whole games of Triplicity in a real browser: every action is clicked, touched or keyed on the page."""

import random

import pytest
from playwright.sync_api import Page

from .hands import Hands, Sit, keen
from .screen import fits
from .seats import ME, engine, seats
from .states import DEBT, NEAR_THE_END
from .table import Server, at_ply, press, resign, result, said

pytestmark = [pytest.mark.browser, pytest.mark.long]

STRONG_WHITE = "triplicity 11/rK10bN/3rB7bK1/12/4rP6/7bP2/9/8/3wR3/4wQ1/4wR/2wQ1/1wK1 W 4,3,2 a,a,a 0 -"
MIDDLE = "triplicity 11/12/11bK1/2rRrK8/4rB5bR/10/9/8/3wR3/6/5/2wQ1/1wK1 W 7,6,5 a,a,a 0 -"
PAWN_ON_TWELVE = "triplicity 11/rK2wP8/3rB7bK1/12/4rP6/7bP2/9/8/3wR3/6/5/2wQ1/1wK1 W 10,3,2 a,a,a 0 -"


def play_out(hands: Hands, seed: int, most: int = 80) -> None:
    chance = random.Random(seed)
    while not hands.over:
        assert hands.state["ply"] < most
        hands.play(chance.choice(keen(hands.paths))[0])


def give_up(hands: Hands) -> None:
    number = hands.state["number"]
    resign(hands.page)
    hands.listen(number)


def take_back(hands: Hands) -> None:
    number = hands.state["number"]
    hands.page.get_by_role("button", name="Takeback").click()
    hands.listen(number)


def standing_men(page: Page) -> dict[str, str]:
    men = "all => all.map(one => [one.dataset.cell, one.dataset.symbol])"
    return dict(page.locator(".stage [data-symbol]").evaluate_all(men))


def legal(page: Page) -> list[str]:
    return sorted(page.locator(".cell[data-legal]").evaluate_all("all => all.map(one => one.dataset.cell)"))


def tokens(hands: Hands) -> list[int]:
    """Each player's tokens by the position; the page must show them beside the players' names, or why they are out."""
    found = [int(number) for number in hands.state["view"]["position"].split()[3].split(",")]
    for name, number in zip(hands.table["players"], found, strict=True):
        words = hands.page.locator(f'.players [data-side="{name}"]').inner_text().split()
        told = {str(number), "Resigned:", "Vanquished:"} & {*words}
        assert told, f"{name}'s {number} tokens are not in {words}"
    return found


def kinds(hands: Hands) -> list[str]:
    return [event["kind"] for event in hands.events]


@pytest.mark.page
def test_whoever_is_out_may_watch_as_he_likes(page: Page, server: Server, sit: Sit) -> None:
    """ "You resigned" stood below the board, beside it and in the list of what happened."""
    sit(page, server.table([engine(), ME, engine()], game="triplicity"))
    resign(page)
    sheet = page.get_by_role("dialog", name="You're out")
    sheet.wait_for()
    assert page.locator("main").inner_text().count("You resigned") == 1
    sheet.get_by_role("button", name="Watch", exact=True).click()
    assert page.get_by_role("button", name="Resign").count() == 0
    page.get_by_role("button", name="Pause", exact=True).click()
    held = page.locator(".middle").get_attribute("data-ply")
    page.get_by_text("to show").wait_for()
    assert page.locator(".middle").get_attribute("data-ply") == held
    page.get_by_role("button", name="Next turn").click()
    at_ply(page, int(held or 0) + 1)
    page.get_by_role("button", name="Skip to the end").click()
    page.wait_for_function(f"() => Number(document.querySelector('.middle').dataset.ply) > {int(held or 0) + 3}")


@pytest.mark.page
def test_tribute_is_said_beside_the_board_and_aloud(page: Page, server: Server, sit: Sit) -> None:
    """Coins flew without a word."""
    hands = sit(page, server.table(seats(3), position=MIDDLE))
    hands.play("c2xc10")
    says = "Black pays 3 coins to White: tribute for the capture."
    said(page, says)
    prompt = page.locator(".prompt")
    assert prompt.inner_text() == f"{says} Black: move a piece or buy one."
    hands.play(keen(hands.paths)[-1][0])
    assert says not in prompt.inner_text()


def test_three_at_one_screen(page: Page, server: Server, sit: Sit) -> None:
    hands = sit(page, server.table(seats(3), position=NEAR_THE_END))
    hands.play("c2xl11")
    assert kinds(hands).count("vanquished") == 1
    said(page, "Black is vanquished.")
    assert "Vanquished" in page.locator('.players [data-side="Black"]').inner_text()
    play_out(hands, 4)
    assert "wins: the last king in the game" in result(page)
    assert kinds(hands).count("vanquished") == 2
    assert page.locator(".stage .edge.win").count() == 1


def test_against_two_engines(page: Page, server: Server, sit: Sit) -> None:
    hands = sit(page, server.table(seats(3, engine()), position=STRONG_WHITE))
    hands.play("e4xl11")
    assert hands.state["ply"] == 2, "Black is out, Red has answered"
    play_out(hands, 2, 200)
    assert "the last king in the game." in page.locator(".result").inner_text(), "to the winner it is said in a heading"


def test_a_resignation_and_then_the_king_is_taken(page: Page, server: Server, sit: Sit) -> None:
    hands = sit(page, server.table(seats(3), position=MIDDLE))
    hands.play("b1-a1")
    hands.play("k9-k10")
    assert hands.table["players"][hands.state["mover"]] == "Red"
    give_up(hands)
    assert hands.table["players"][hands.state["mover"]] == "White"
    assert "Resigned" in page.locator('.players [data-side="Red"]').inner_text()
    assert page.locator(".pieces .fallen").count() == 3, "his men stay, frozen"
    assert tokens(hands) == [7, 6, 5]
    hands.play("d5xd10")
    assert tokens(hands) == [17, 1, 0], "the tribute for the king, and what Red had"
    assert (standing_men(page)["d10"], page.locator(".pieces .fallen").count()) == ("wR", 2)
    assert not hands.over
    play_out(hands, 3)
    assert "wins" in result(page)


def test_a_sacrifice(page: Page, server: Server, sit: Sit) -> None:
    hands = sit(page, server.table(seats(3), position=DEBT))
    hands.play("f8xf6")
    assert "owes" in kinds(hands)
    assert "Red: you owe White tribute" in page.locator(".prompt.must").inner_text()
    assert legal(page) == ["d11", "e9"]
    hands.play("~e9")
    said(page, "sacrifices the pawn")
    assert "e9" not in standing_men(page)
    assert hands.table["players"][hands.state["mover"]] == "Black", "it is no turn of his"
    play_out(hands, 8)
    assert "wins" in result(page)


def test_a_purchase(page: Page, server: Server, sit: Sit) -> None:
    hands = sit(page, server.table(seats(3), position=PAWN_ON_TWELVE))
    assert tokens(hands) == [10, 3, 2]
    page.locator('[data-pick="N@"]').click()
    assert legal(page) == sorted(path[1][1] for path in hands.paths if path[1][0] == "#N@")
    page.locator('[data-pick="N@"]').click()
    hands.play("N@a7")
    assert tokens(hands) == [4, 5, 4]
    assert standing_men(page)["a7"] == "wN"
    play_out(hands, 5)
    assert "wins" in result(page)


def test_a_promotion_and_all_but_one_resign(page: Page, server: Server, sit: Sit) -> None:
    hands = sit(page, server.table(seats(3), position=PAWN_ON_TWELVE))
    press(page, "e12", "g13")
    page.wait_for_selector(".chooser .pick")
    assert page.locator(".chooser .pick").count() == 5
    page.keyboard.press("Escape")
    hands.play("e12-g13=K")
    assert standing_men(page)["g13"] == "wK"
    for _ in range(2):
        give_up(hands)
    assert hands.over
    assert result(page).startswith("White wins")


def test_three_turns_are_taken_back_and_counted(page: Page, server: Server, sit: Sit) -> None:
    hands = sit(page, server.table(seats(3), game="triplicity", takebacks="own"))
    chance = random.Random(3)
    men = [standing_men(page)]
    for _ in range(12):
        hands.play(chance.choice(keen(hands.paths))[0])
        men.append(standing_men(page))
    assert hands.state["retractions"] == [10, 10, 10]
    left = page.locator(".actions").get_by_role("button", name="Takeback").locator("b")
    assert left.inner_text() == "10 left"
    assert "10 left" in page.locator(".player").first.inner_text()
    for turn in (11, 10, 9):
        take_back(hands)
        assert hands.state["ply"] == turn
        assert (standing_men(page), page.locator(".move").count()) == (men[turn], turn)
    assert (hands.state["retractions"], left.inner_text()) == ([9, 9, 9], "9 left")
    for name in hands.table["players"]:
        assert page.locator(f'.players [data-side="{name}"] [title="Takebacks left: 9"]').count() == 1
    hands.play(keen(hands.paths)[-1][0])
    assert page.locator(".move").count() == 10
    # What was taken back is no action: the analysis of the game is without it, that of its record has it.
    last = standing_men(page)
    table = page.url.rsplit("/", 1)[-1].partition("?")[0]
    record = page.request.get(f"{server.base}/api/tables/{table}/record").text()
    assert "retract" in record
    page.goto(f"{server.base}/analysis?table={table}&ply=10")
    at_ply(page, 10)
    assert standing_men(page) == last
    page.get_by_role("button", name="New analysis", exact=True).click()
    page.get_by_role("dialog").get_by_role("textbox").fill(record)
    page.get_by_role("button", name="Analyse", exact=True).click()
    at_ply(page, 16)
    assert standing_men(page) == last
    page.get_by_role("button", name="Previous move").click()
    at_ply(page, 15)
    assert not page.locator(".toast").count()


def test_three_turns_are_taken_back_from_engines(page: Page, server: Server, sit: Sit) -> None:
    hands = sit(page, server.table(seats(3, engine()), game="triplicity"))
    start = standing_men(page)
    for action in ("c5-d7", "b4-c6", "c4-d6"):
        hands.play(action)
    assert hands.state["ply"] == 9
    for turn in (6, 3, 0):
        take_back(hands)
        assert hands.state["ply"] == turn
        assert page.locator(".move").count() == turn
    assert standing_men(page) == start


@pytest.mark.parametrize(
    ("how", "action", "cell", "man", "says"),
    [
        ("keys", "N@a7", "a7", "wN", "White buys a knight on a7."),
        ("keys", "e12-g13=Q", "g13", "wQ", "becomes a queen"),
        ("touch", "P@a7", "a7", "wP", "White buys a pawn on a7."),
    ],
)
def test_by_keys_and_on_a_phone(
    page: Page, phone: Page, server: Server, sit: Sit, how: str, action: str, cell: str, man: str, says: str
) -> None:
    here = phone if how == "touch" else page
    hands = sit(here, server.table(seats(3), position=PAWN_ON_TWELVE), how)
    assert fits(here)
    hands.play(action)
    assert standing_men(here)[cell] == man
    said(here, says)
    play_out(hands, 11)
    assert "wins" in result(here)
