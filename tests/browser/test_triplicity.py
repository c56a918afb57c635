"""Whole games of Triplicity in a real browser: every action is clicked, touched or keyed on the page."""

import random
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page

from .hands import Hands, Path_, picture
from .table import Server, at_ply, ready, said

pytestmark = [pytest.mark.browser, pytest.mark.long]

THREE: list[dict[str, Any]] = [{"kind": "me"}, {"kind": "here"}, {"kind": "here"}]
AGAINST: list[dict[str, Any]] = [{"kind": "me"}, {"kind": "engine", "level": 1}, {"kind": "engine", "level": 1}]

NEAR_THE_END = "triplicity 11/rK11/3rR7bK1/12/4rP6/7bP1bR/9/8/3wR3/6/5/2wQ1/1wK1 W 4,3,2 a,a,a 0 -"
STRONG_WHITE = "triplicity 11/rK10bN/3rB7bK1/12/4rP6/7bP2/9/8/3wR3/4wQ1/4wR/2wQ1/1wK1 W 4,3,2 a,a,a 0 -"
MIDDLE = "triplicity 11/12/11bK1/2rRrK8/4rB5bR/10/9/8/3wR3/6/5/2wQ1/1wK1 W 7,6,5 a,a,a 0 -"
RED_IS_POOR = "triplicity 11/rK11/3rN7bK1/12/4rP4bP1/5wR4/9/5bN2/7/6/5/2wQ1/1wK1 W 3,2,0 a,a,a 0 -"
ATTACKED = "triplicity 11/rK11/13/12/11/1rR3wR4/9/5bK2/7/6/5/4/1wK1 W 10,10,10 a,a,a 0 -"
PAWN_ON_TWELVE = "triplicity 11/rK2wP8/3rB7bK1/12/4rP6/7bP2/9/8/3wR3/6/5/2wQ1/1wK1 W 10,3,2 a,a,a 0 -"

Sit = Callable[..., Hands]


def keen(paths: list[Path_]) -> list[Path_]:
    """Kings before other men, captures before moves, moves before purchases: so that a game comes to its end."""
    for words in ("'s king", " takes ", " to "):
        found = [path for path in paths if words in path[2]]
        if found:
            return found
    return paths


def play_out(hands: Hands, seed: int, most: int = 80) -> None:
    """Play to the end, keenly."""
    chance = random.Random(seed)
    while not hands.over:
        assert hands.state["ply"] < most
        hands.play(chance.choice(keen(hands.paths))[0])


def result(page: Page) -> str:
    """The result as it is told."""
    return page.locator(".result p").first.inner_text()


def standing_men(page: Page) -> dict[str, str]:
    """Which man stands on which cell of the page's board."""
    found = page.eval_on_selector_all(
        ".stage [data-symbol]", "found => found.map(cell => [cell.dataset.cell, cell.dataset.symbol])"
    )
    return dict(found)


def tokens(hands: Hands) -> list[int]:
    """Each player's tokens by the position; the page must show them beside the players' names."""
    found = [int(number) for number in hands.state["view"]["position"].split()[3].split(",")]
    for name, number in zip(hands.table["players"], found, strict=True):
        words = hands.page.locator(f'.players [data-side="{name}"]').inner_text().split()
        assert str(number) in words, f"{name}'s {number} tokens are not in {words}"
    return found


def kinds(hands: Hands) -> list[str]:
    """What has happened, by kind."""
    return [event["kind"] for event in hands.events]


def test_whoever_is_out_may_watch_as_he_likes(page: Page, server: Server, sit: Sit) -> None:
    seats: list[dict[str, Any]] = [{"kind": "engine", "level": 1}, {"kind": "me"}, {"kind": "engine", "level": 1}]
    sit(page, server.table(seats, game="triplicity"))
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    sheet = page.get_by_role("dialog", name="You're out")
    sheet.wait_for()
    picture(page, "triplicity-out-sheet")
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
    hands = sit(page, server.table(THREE, position=MIDDLE))
    hands.play("c2xc10")
    says = "Black pays 3 coins to White: tribute for the capture."
    said(page, says)
    prompt = page.locator(".prompt")
    assert prompt.inner_text() == f"{says} Black: move a piece or buy one."
    hands.play(keen(hands.paths)[-1][0])
    assert says not in prompt.inner_text()


@pytest.mark.page
def test_a_resignation_is_said_once(page: Page, server: Server, sit: Sit) -> None:
    """ "You resigned" stood below the board, beside it and in the list of what happened."""
    sit(page, server.table(AGAINST, game="triplicity"))
    page.get_by_role("button", name="Resign").click()
    page.locator("dialog[open]").get_by_role("button", name="Resign").click()
    page.get_by_role("dialog", name="You're out").wait_for()
    assert page.locator("main").inner_text().count("You resigned") == 1


@pytest.mark.page
def test_the_board_is_as_wide_as_a_low_phone(meet: Callable[..., Page], server: Server, sit: Sit) -> None:
    """Beside its tools, it was 300 pixels wide."""
    page = meet(viewport={"width": 360, "height": 640}, has_touch=True)
    sit(page, server.table(AGAINST, game="triplicity"), "touch")
    tiles = page.locator(".stage .tile").evaluate_all("all => all.map(one => one.getBoundingClientRect())")
    across = max(one["right"] for one in tiles) - min(one["left"] for one in tiles)
    assert across > 310
    assert page.locator(".pick.laid").first.evaluate("one => one.getBoundingClientRect().bottom") <= 583


def test_an_attacked_last_king_is_warned_of(page: Page, server: Server, sit: Sit) -> None:
    sit(page, server.table([{"kind": "me"}, {"kind": "here"}, {"kind": "here"}], position=ATTACKED))
    assert "Last king attacked by Red" in page.locator(".prompt.must").inner_text()
    assert page.locator('.players [data-side="White"] .alert').get_attribute("title")


def test_three_at_one_screen(page: Page, server: Server, sit: Sit) -> None:
    hands = sit(page, server.table(THREE, position=NEAR_THE_END))
    picture(page, "triplicity-end")
    hands.play("c2xl11")
    assert kinds(hands).count("vanquished") == 1
    said(page, "Black is vanquished.")
    assert "Vanquished" in page.locator('.players [data-side="Black"]').inner_text()
    picture(page, "triplicity-vanquished")
    play_out(hands, 4)
    assert "wins: the last king in the game" in result(page)
    assert kinds(hands).count("vanquished") == 2
    assert page.locator(".stage .edge.win").count() == 1


def test_the_first_turns_of_three(page: Page, server: Server, sit: Sit) -> None:
    hands = sit(page, server.table(THREE, game="triplicity"))
    assert len(hands.paths) == 63
    chance = random.Random(1)
    for _ in range(9):
        hands.play(chance.choice(keen(hands.paths))[0])
    picture(page, "triplicity-opening")
    assert (page.locator(".move").count(), len(standing_men(page))) == (9, 60)


def test_against_two_engines(page: Page, server: Server, sit: Sit) -> None:
    hands = sit(page, server.table(AGAINST, position=STRONG_WHITE))
    hands.play("e4xl11")
    assert hands.state["ply"] == 2, "Black is out, Red has answered"
    picture(page, "triplicity-engines")
    play_out(hands, 2, 200)
    assert "the last king in the game." in page.locator(".result").inner_text(), "to the winner it is said in a heading"


def test_a_resignation_and_then_the_king_is_taken(page: Page, server: Server, sit: Sit) -> None:
    hands = sit(page, server.table(THREE, position=MIDDLE))
    hands.play("b1-a1")
    hands.play("k9-k10")
    assert hands.table["players"][hands.state["mover"]] == "Red"
    number = hands.state["number"]
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    hands.listen(number)
    assert hands.table["players"][hands.state["mover"]] == "White"
    assert "Resigned" in page.locator('.players [data-side="Red"]').inner_text()
    assert page.locator(".pieces .flag.cross").count() == 3, "his men stay, frozen"
    picture(page, "triplicity-resigned")
    assert tokens(hands) == [7, 6, 5]
    hands.play("d5xd10")
    assert tokens(hands) == [17, 1, 0], "the tribute for the king, and what Red had"
    assert (standing_men(page)["d10"], page.locator(".pieces .flag.cross").count()) == ("wR", 2)
    assert not hands.over
    play_out(hands, 3)
    assert "wins" in result(page)


def test_all_but_one_resign(page: Page, server: Server, sit: Sit) -> None:
    hands = sit(page, server.table(THREE, position=MIDDLE))
    for _ in range(2):
        number = hands.state["number"]
        page.get_by_role("button", name="Resign").click()
        page.get_by_role("dialog").get_by_role("button", name="Resign").click()
        hands.listen(number)
    assert hands.over
    assert result(page).startswith("Red wins")


def test_a_sacrifice(page: Page, server: Server, sit: Sit) -> None:
    hands = sit(page, server.table(THREE, position=RED_IS_POOR))
    hands.play("f8xf6")
    assert "owes" in kinds(hands)
    assert "Red owes White tribute" in page.locator(".prompt").inner_text()
    assert sorted(page.eval_on_selector_all(".cell[data-legal]", "all => all.map(cell => cell.dataset.cell)")) == [
        "d11",
        "e9",
    ]
    picture(page, "triplicity-sacrifice")
    hands.play("~e9")
    said(page, "sacrifices the pawn")
    assert "e9" not in standing_men(page)
    assert hands.table["players"][hands.state["mover"]] == "Black", "it is no turn of his"
    play_out(hands, 8)
    assert "wins" in result(page)


def test_a_purchase(page: Page, server: Server, sit: Sit) -> None:
    hands = sit(page, server.table(THREE, position=PAWN_ON_TWELVE))
    assert tokens(hands) == [10, 3, 2]
    page.locator('[data-pick="N@"]').click()
    legal = page.eval_on_selector_all(".cell[data-legal]", "all => all.map(cell => cell.dataset.cell)")
    assert sorted(legal) == sorted(path[1][1] for path in hands.paths if path[1][0] == "#N@")
    picture(page, "triplicity-purchase")
    page.locator('[data-pick="N@"]').click()
    hands.play("N@a7")
    assert tokens(hands) == [4, 5, 4]
    assert standing_men(page)["a7"] == "wN"
    play_out(hands, 5)
    assert "wins" in result(page)


def test_a_promotion(page: Page, server: Server, sit: Sit) -> None:
    hands = sit(page, server.table(THREE, position=PAWN_ON_TWELVE))
    page.locator('[data-cell="e12"]').click()
    page.locator('[data-cell="g13"]').click()
    page.wait_for_selector(".chooser .pick")
    assert page.locator(".chooser .pick").count() == 5
    picture(page, "triplicity-promotion")
    page.keyboard.press("Escape")
    hands.play("e12-g13=K")
    assert standing_men(page)["g13"] == "wK"
    play_out(hands, 7)


def test_three_turns_are_taken_back(page: Page, server: Server, sit: Sit) -> None:
    hands = sit(page, server.table(THREE, game="triplicity"))
    chance = random.Random(3)
    men = [standing_men(page)]
    for _ in range(12):
        hands.play(chance.choice(keen(hands.paths))[0])
        men.append(standing_men(page))
    for turn in (11, 10, 9):
        number = hands.state["number"]
        page.get_by_role("button", name="Takeback").click()
        hands.listen(number)
        assert hands.state["ply"] == turn
        assert (standing_men(page), page.locator(".move").count()) == (men[turn], turn)
    hands.play(keen(hands.paths)[0][0])
    assert page.locator(".move").count() == 10


def test_retractions_are_counted(page: Page, server: Server, sit: Sit) -> None:
    hands = sit(page, server.table(THREE, game="triplicity", takebacks="own"))
    for _ in range(3):
        hands.play(keen(hands.paths)[0][0])
    assert hands.state["retractions"] == [10, 10, 10]
    for turn in (2, 1, 0):
        number = hands.state["number"]
        page.get_by_role("button", name="Takeback").click()
        hands.listen(number)
        assert hands.state["ply"] == turn
    picture(page, "triplicity-retractions")
    assert hands.state["retractions"] == [9, 9, 9]
    for name in hands.table["players"]:
        assert page.locator(f'.players [data-side="{name}"] [title$="taken back: 9"]').count() == 1


def test_three_turns_are_taken_back_from_engines(page: Page, server: Server, sit: Sit) -> None:
    hands = sit(page, server.table(AGAINST, game="triplicity"))
    start = standing_men(page)
    for action in ("c5-d7", "b4-c6", "c4-d6"):
        hands.play(action)
    assert hands.state["ply"] == 9
    for turn in (6, 3, 0):
        number = hands.state["number"]
        page.get_by_role("button", name="Takeback").click()
        hands.listen(number)
        assert hands.state["ply"] == turn
        assert page.locator(".move").count() == turn
    assert standing_men(page) == start


def test_a_game_with_a_turn_taken_back_is_looked_at(page: Page, server: Server, sit: Sit) -> None:
    """What was taken back is no action: the analysis of the game is without it, that of its record has it."""
    hands = sit(page, server.table(THREE, game="triplicity", takebacks="own"))
    for _ in range(4):
        hands.play(keen(hands.paths)[0][0])
    number = hands.state["number"]
    page.get_by_role("button", name="Takeback").click()
    hands.listen(number)
    hands.play(keen(hands.paths)[-1][0])
    men = standing_men(page)
    table = page.url.rsplit("/", 1)[-1].partition("?")[0]
    record = page.request.get(f"{server.base}/api/tables/{table}/record").text()
    assert "retract" in record
    page.goto(f"{server.base}/analysis?table={table}&ply=4")
    at_ply(page, 4)
    assert standing_men(page) == men
    page.get_by_role("button", name="New analysis", exact=True).click()
    page.get_by_role("dialog").get_by_role("textbox").fill(record)
    page.get_by_role("button", name="Analyse").click()
    at_ply(page, 6)
    assert standing_men(page) == men
    page.get_by_role("button", name="Previous move").click()
    at_ply(page, 5)
    assert not page.locator(".toast").count()


def test_keyboard_only(page: Page, server: Server, sit: Sit) -> None:
    hands = sit(page, server.table(THREE, position=NEAR_THE_END.replace("4,3,2", "10,3,2")), "keys")
    hands.play("N@a7")
    assert standing_men(page)["a7"] == "wN"
    said(page, "White buys a knight on a7.")
    picture(page, "triplicity-keys")
    play_out(hands, 9)
    assert "wins" in result(page)


def test_a_promotion_by_keys(page: Page, server: Server, sit: Sit) -> None:
    sit(page, server.table(THREE, position=PAWN_ON_TWELVE), "keys").play("e12-g13=Q")
    assert standing_men(page)["g13"] == "wQ"
    said(page, "becomes a queen")


def test_on_a_phone(phone: Page, server: Server, sit: Sit) -> None:
    hands = sit(phone, server.table(THREE, position=PAWN_ON_TWELVE), "touch")
    picture(phone, "triplicity-phone")
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    hands.play("P@a7")
    assert standing_men(phone)["a7"] == "wP"
    play_out(hands, 11)
    assert "wins" in result(phone)


def test_pictures_of_a_phone(phone: Page, server: Server, sit: Sit) -> None:
    hands = sit(phone, server.table(THREE, game="triplicity"), "touch")
    for _ in range(3):
        hands.play(keen(hands.paths)[0][0])
    picture(phone, "triplicity-phone-opening")
    ready(phone)
    at_ply(phone, 3)
