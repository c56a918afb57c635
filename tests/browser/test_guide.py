"""What the guide of a first game says and marks, what lies under it, and what is offered once a game is lost."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from playwright.sync_api import Page, Route

import tercet
from tercet.answers.translation import game_catalogue
from tercet.learning.lessons import first_game_of
from tests.support.present import present

from .conftest import DESKTOP, PHONE
from .hands import Company
from .online import Guest
from .screen import Light, Motion, Size, bottom, box, named, resize, settled, under
from .seats import FRIEND, HERE, ME, OPEN, RAPID, SMALL, Meet, engine, seats
from .states import FIVE, JEOPARDY, STATES, State, table, then
from .table import Server, at_table, cell, choose, come, play, press, ready, said, sign_up, standing, stored, tap
from .test_first_game import FOUR, WON, begin, opened

pytestmark = [pytest.mark.browser, pytest.mark.page]

PHONES: tuple[Size, ...] = ((390, 844), (390, 740), (360, 640))
LONG_IDEAS = {
    "retaken": "sanqi/5 5/6/7/4Y3/2RRRBRR1/8/7/6/5 F -",
    "ko": "sanqi/5 5/6/7/8/3RBR3/8/7/6/5 F e5",
    "replacing": "sanqi/5 5/6/7/8/3RB4/3Y4/1R5/6/5 F -",
    "line": "sanqi/5 5/6/7/8/3YY4/8/7/6/5 F -",
}
PAIR = "sparklies/board=5x5,ruleset=subtle r0g0r0g0g0/g0b0g0g0r0/g0r0g1r2b0/b0r0r0g0b0/g0g0r0b0g0 B c 0"
DIAGONAL = "sparklies/board=5x5,ruleset=subtle b0b0r0b0g0/b0g0b0g0b0/g0g0g1r2g0/r0g0r0g0b0/r0g0g0r0g0 B c 0"
THREE_CHOICES = "triplicity 11/rK11/3rR7bK1/12/4rP6/7bP1bR/9/8/3wR3/6/5/2wQ1/1wK1 W 6,3,2 a,a,a 0 -"
TWELVE_COINS = THREE_CHOICES.replace("6,3,2", "15,3,2")
RICH = "triplicity 11/rK11/12bK/12/2rQ8/1rR8/9/8/6wR/5wQ/5/4/1wK1 W 15,11,12 a,a,a 0 -"
LONG = "pawn e5 to f7. " * 40
SHOWN = "all => all.filter(one => one.checkVisibility() && one.getBoundingClientRect().width > 1).length"
BESIDE_GUIDE = "header, .player, .stage svg.board, .prompt, .pick.laid, .actions"
COVERED = """name => {
    const cell = document.querySelector(`.stage [data-cell="${name}"]`).getBoundingClientRect();
    const popup = document.querySelector('.chooser').getBoundingClientRect();
    const part = (low, high, from, to) => Math.max(0, Math.min(high, to) - Math.max(low, from)) / (high - low);
    return part(cell.left, cell.right, popup.left, popup.right) * part(cell.top, cell.bottom, popup.top, popup.bottom);
}"""


def confirm(page: Page) -> None:
    """Play what is chosen, whether it is asked about or not."""
    page.locator(".confirm.pending .button").last.click()


def insist(page: Page, *cells: str) -> None:
    page.get_by_role("button", name="Any tips?").wait_for(state="attached")  # with the moves to ask about
    press(page, *cells)
    page.get_by_role("button", name="Play anyway").click()


def guided(
    page: Page, server: Server, position: str, seen: list[str], game: str = "sanqi", idea: str = "", level: int = 1
) -> None:
    """Open a guided first game at a position, and wait for an idea."""
    address = server.table(seats(len(tercet.game(game).players), engine(level)), position=position)
    page.goto(server.base)
    stored(page, "first", {game: {"table": address.partition("#")[0].rpartition("/")[2], "seen": seen}})
    at_table(page, address)
    if idea:
        page.wait_for_selector(f'.guide[data-idea="{idea}"]')


def test_against_the_next_opponent_the_guide_speaks_of_what_is_new(page: Page, server: Server) -> None:
    """Who beat the first opponent met the second without a word about what they had not seen yet."""
    seen, guide = ["start", "circle", "finish"], page.locator(".guide")
    page.goto(server.base)
    stored(page, "first", {"sanqi": {"table": "before", "seen": seen}})
    stored(page, "lessons", {"sanqi/first-game": {"steps": 0, "done": True}})
    stored(page, "ladder", {"sanqi": {"next": 3, "beaten": [2]}})
    begin(page, server)
    guide.wait_for()
    assert guide.get_attribute("data-idea") not in seen
    assert page.get_by_role("button", name="Any tips?").count() or page.locator(".companion").count(), "beside the tips"
    guide.get_by_role("button", name="Skip").click()
    guide.wait_for(state="detached")
    begin(page, server)
    page.locator(".companion").wait_for()
    assert guide.count() == 0, "closed for good"


def guiding(position: str, seen: list[str], game: str = "sanqi", idea: str = "") -> State:
    return lambda page, server: guided(page, server, position, seen, game, idea)


def try_again(page: Page) -> None:
    here = page.url
    page.get_by_role("button", name="Try that turn again").filter(visible=True).click()
    page.wait_for_function("here => location.href !== here", arg=here)
    ready(page)


def pair_chosen(position: str, other: str) -> State:
    def state(page: Page, server: Server) -> None:
        opened(page, server, HERE, position=position)
        for name in (other, "c3"):
            press(page, name)
            settled(page)
        page.wait_for_selector(".chooser")

    return state


def in_a_turn(page: Page, server: Server) -> None:
    begin(page, server, "Sparklies")
    press(page, "c3")
    page.wait_for_selector(".confirm[data-steps='1']")
    page.wait_for_selector('.guide[data-idea="ping"]')


def second_game(page: Page, server: Server) -> None:
    page.goto(server.table([engine(1), ME], game="sanqi", options={"side": 5}))
    page.wait_for_selector(".companion", state="attached")


def lost(page: Page, server: Server) -> None:
    opened(page, server, engine(5), position=FOUR)
    choose(page, "Bf4", tap)
    confirm(page)
    page.wait_for_selector(".lost[data-lost]", state="attached")


def without_guide(page: Page, server: Server) -> None:
    ideas = [idea.id for idea in present(first_game_of("triplicity")).ideas]
    guided(page, server, str(tercet.game("triplicity").start()), ideas, "triplicity")
    tap(page, "e5", "f7")
    confirm(page)
    words = page.locator(".companion .now p")
    words.wait_for()
    words.evaluate("(one, long) => one.append(long)", LONG)


def four_pictures(page: Page) -> None:
    page.locator(".player .picture svg").nth(3).wait_for()
    assert page.locator(".player .picture svg").evaluate_all(SHOWN) == 4


def nothing_under_the_guide(page: Page) -> None:
    assert under(page, ".guide", BESIDE_GUIDE) == []


def board_and_buttons_stay(page: Page) -> None:
    assert round(bottom(page.locator(".actions"))) == page.evaluate("innerHeight"), "at the foot of the screen"
    board = page.locator(".stage svg.board").bounding_box()
    page.get_by_role("button", name="Skip").tap()
    page.wait_for_selector(".guide", state="detached")
    assert page.locator(".stage svg.board").bounding_box() == board


def standing_later(page: Page) -> None:
    assert page.locator(".standing").count() == 0
    page.get_by_role("button", name="Skip").click()
    page.locator(".standing").first.wait_for(state="attached")


def ping_explained(page: Page) -> None:
    assert page.locator(".stage .edge.hint").count() == 1, "it points at the cell to ping"
    assert page.locator(".player.mine .total").inner_text().split()[-1] == "1"


def uncovered(other: str) -> Callable[[Page], None]:
    def look(page: Page) -> None:
        for name in (other, "c4", "c3"):
            assert page.evaluate(COVERED, name) < 0.15, name

    return look


def every_idea_fits(page: Page) -> None:
    """The middle of a turn has colours below the board, and the guide must leave them in sight."""
    catalogue = game_catalogue("sparklies", page.evaluate("navigator.language"))
    for idea in present(first_game_of("sparklies")).ideas:
        title, text = ((catalogue and catalogue.translate(one)) or one for one in (idea.title, idea.text))
        page.locator(".guide h2").evaluate("(one, words) => one.textContent = words", title)
        begins = "Pinge c3 grün. " if idea.id.startswith(("capture", "takes")) else ""
        page.locator(".guide p").evaluate("(one, words) => one.textContent = words", begins + text.replace("**", ""))
        assert under(page, ".guide", BESIDE_GUIDE) == [], idea.id
        assert page.locator(".guide").evaluate("one => one.scrollHeight <= one.clientHeight + 1"), idea.id


def framed(page: Page) -> None:
    press(page, "b2")
    frame, tile = (box(page.locator(part).first) for part in (".last-tile", '.stage [data-cell="b2"]'))
    assert frame["width"] > 0.8 * tile["width"], "it was a dot in a corner"
    assert abs(frame["x"] + frame["width"] / 2 - tile["x"] - tile["width"] / 2) < 2


def rule_in_one_line(page: Page) -> None:
    rule = page.locator(".in-one-line")
    assert box(rule)["y"] >= 0
    assert bottom(rule) <= box(page.locator(".stage .board"))["y"] + 1, "above the board"
    assert box(rule)["height"] < 30, "one line"
    assert rule.evaluate("one => one.scrollWidth <= one.clientWidth")


def coins_then_pieces(page: Page) -> None:
    """German needed a third line, which pushed the last turns under the buttons, and its coins touched the edge."""
    for card in page.locator(".player").all():
        edge = box(card)
        numbers = [box(one) for one in card.locator(".counters b").all()]
        assert max(one["x"] + one["width"] for one in numbers) <= edge["x"] + edge["width"] - 8
        assert len({round(one["y"] / 6) for one in numbers}) == 2, "coins, then pieces and kings"


@dataclass(frozen=True)
class Sight:
    """What must be seen in a state of the page, on screens of these sizes and in these languages."""

    name: str
    state: State
    sizes: tuple[Size, ...] = PHONES[:1]
    languages: tuple[str, ...] = ("en",)
    touched: bool = True  # a phone's screen
    above: tuple[str, ...] = ()  # the buttons at the foot
    unseen: tuple[str, ...] = ()
    words: tuple[str, str] | None = None  # what they are in, and they
    choices: tuple[int, int] | None = None  # below the board: at least, at most
    more: tuple[Callable[[Page], None], ...] = ()
    reopens: bool = False  # for each size, since `more` changes the page

    def look(self, page: Page) -> None:
        for selector in self.above:
            assert bottom(page.locator(selector)) <= box(page.locator(".actions"))["y"], selector
        for selector in self.unseen:
            assert page.locator(selector).evaluate_all(SHOWN) == 0, selector
        if self.words is not None:
            assert self.words[1] in page.locator(self.words[0]).filter(visible=True).inner_text()
        if self.choices is not None:
            assert self.choices[0] <= page.locator(".pick.laid").count() <= self.choices[1]
            assert page.locator(".controls").evaluate("one => one.scrollWidth <= one.clientWidth")
        for look in self.more:
            look(page)


def of_guide(game: str) -> State:
    return lambda page, server: begin(page, server, game, ".guide")


GOAL = "Circle wins for you, line for Dot, triangle for either."
LONGEST, DESK, WIDE = ((390, 844), (360, 640), (844, 390)), ((1280, 800),), ((1440, 900), (390, 844))
SIGHTS = (
    # It stood above the board and on both players' cards, beside the pictures.
    Sight("the goal, once", of_guide("SanQi"), ((390, 844), (1280, 800)), touched=False,
          words=(".in-one-line", GOAL), unseen=(".player .lines",), more=(four_pictures,)),
    # It came under the buttons at the foot of the screen.
    Sight("the tip",
          then(table(2, engine(), position=FOUR), lambda page: page.get_by_role("button", name="Any tips?").tap()),
          above=(".prompt",)),
    # The guide lay over the players' cards: over their goals, coins and cells, which it speaks of.
    *(Sight(f"{game} and its guide", of_guide(game), PHONES, more=(nothing_under_the_guide, board_and_buttons_stay),
            reopens=True)
      for game in ("SanQi", "Triplicity", "Sparklies")),
    # The box of three lines touched the kinds below the board, one of four lay over them.
    *(Sight(f"all but the idea {idea}", guiding(position, ["circle"], idea=idea), LONGEST,
            more=(nothing_under_the_guide,))
      for idea, position in LONG_IDEAS.items()),
    # The popup lay over the cell two above, with which the chosen one takes the cell between.
    *(Sight(f"{other} of a pair", pair_chosen(position, other), WIDE, touched=False, more=(uncovered(other),))
      for position, other in ((PAIR, "c5"), (DIAGONAL, "b4"))),
    Sight("every idea of Sparklies", in_a_turn, PHONES, ("de", "zh"), more=(every_idea_fits,)),
    # Beside the first move of Triplicity stood "turns 0" and where the array comes from, beside that of Sparklies how
    # many cells were free and what two reds do.
    *(Sight(f"no more of {game} than was explained", of_guide(game), DESK, touched=False, more=(standing_later,))
      for game in ("Triplicity", "Sparklies")),
    # The goal is said twice already.
    Sight("help in a second game", second_game,
          above=(".in-one-line", ".player.mine .lines"), unseen=(".companion .aim",)),
    # Where whole turns are confirmed, "Claim a cell" stayed while one was to ping, and the counts too.
    Sight("the middle of a turn", in_a_turn, more=(ping_explained,),
          words=(".prompt", "Your turn: recolour one of your cells (a ping) in any colour.")),
    # Three kinds had their names beside them, and the third left the screen.
    Sight("what can be bought", table(3, position=THREE_CHOICES), choices=(3, 3)),
    # With twelve coins a fifth kind left the column of the board.
    Sight("what the rich can buy", table(3, position=TWELVE_COINS), ((1366, 768),), touched=False, choices=(5, 99)),
    *(Sight(f"the rule of {game}", table(len(tercet.game(game).players), game=game), (*DESK, *LONGEST), touched=False,
            more=(rule_in_one_line,))
      for game in tercet.games()),
    Sight("the last turn", table(2, position=FIVE), DESK, touched=False, more=(framed,)),
    # A goal of three lines in a card left its last line below the edge.
    Sight("the reason of a loss", lost, languages=("de",), above=(".lost .quiet",)),
    # It stood below the board and again in the box under it, which hid why the game was lost.
    Sight("the result, once", STATES["sanqi-over"],
          words=(".prompt", "You lost"), unseen=(".result .verdict", ".result .ending")),
    Sight("coins and pieces", guiding(RICH, [], "triplicity"), ((390, 844), (360, 844)), ("en", "de", "zh"),
          more=(coins_then_pieces,)),
    # On a low phone a strip of them was in sight, and in German their third line was under the buttons.
    Sight("last turns, unguided", without_guide, ((390, 844), (360, 640)), ("de",), above=(".companion",)),
)  # fmt: skip


@pytest.mark.parametrize(
    ("sight", "sizes", "language"),
    [
        pytest.param(
            sight,
            sizes,
            language,
            id=f"{sight.name}, {' '.join(map(named, sizes))}, {language}",
            marks=[] if sizes[0] == sight.sizes[0] and language == sight.languages[0] else [pytest.mark.thorough],
        )
        for sight in SIGHTS
        for sizes in ([(size,) for size in sight.sizes] if sight.reopens else [sight.sizes])
        for language in sight.languages
    ],
)
def test_what_must_be_seen(meet: Meet, server: Server, sight: Sight, sizes: tuple[Size, ...], language: str) -> None:
    viewport = {"width": sizes[0][0], "height": sizes[0][1]}
    page = meet(**{**(PHONE if sight.touched else DESKTOP), "viewport": viewport, "locale": language})
    sight.state(page, server)
    for size in sizes:
        resize(page, size)
        settled(page)
        sight.look(page)


def test_an_idea_that_came_too_late_is_shown_later(page: Page, server: Server) -> None:
    """Over a slow line the first idea arrived after the first move: it counted as seen, and was never shown."""
    held: list[Route] = []
    page.route("**/api/first-game", lambda route: held.append(route), times=1)
    begin(page, server, "Triplicity")
    press(page, "e5", "f7")
    standing(page, "f7", "wP")
    for late in held:
        late.continue_()
    page.wait_for_selector('.guide[data-idea="start"]')


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_what_the_guide_marks_is_seen_over_the_outline_of_a_last_move(page: Page, server: Server, theme: Light) -> None:
    """Dashes as dark as that outline were drawn over it."""

    def on_last(route: Route) -> None:
        """Let the guide point at the last move, no matter where the engine played."""
        found, moves = route.fetch().json(), (route.request.post_data_json or {})["moves"]
        if len(moves) > 1:
            marks = [{"kind": "hint", "cells": [moves[-1][-2:]], "says": "here"}]
            found["idea"] = {"id": "circle", "title": "Here", "says": "Here.", "marks": marks}
        route.fulfill(json=found)

    page.emulate_media(color_scheme=theme)
    page.route("**/api/first-game", on_last)
    begin(page, server, sight='.guide[data-idea="start"]')
    play(page, "Re5")
    page.wait_for_selector('.guide[data-idea="circle"]')
    dashes, back = page.locator(".stage .edge.hint"), page.locator(".stage .edge-back")
    assert dashes.count() == back.count() == 1
    colours = [one.evaluate("one => getComputedStyle(one).stroke") for one in (dashes, back)]
    assert colours[0] != colours[1]
    width = "one => parseFloat(getComputedStyle(one).strokeWidth)"
    assert dashes.evaluate(width) < back.evaluate(width)
    assert page.locator(".stage .edge.hint ~ g .last").count() == 1, "it is whole within the dashes, which broke it"


def test_a_loss_shows_the_turn_that_lost_it_which_is_tried_again_and_guided_too(page: Page, server: Server) -> None:
    """It opened a table with three more statements of the goal, with words never explained, and without the warning.
    The fifth of a triangle is how every beginner loses: the engine places the sixth."""
    guided(page, server, FOUR, ["start", "circle", "line"], level=5)
    careful = "Careful: Olive could then complete the triangle on f3 and win."
    for _ in range(2):  # as often as it is lost
        page.wait_for_selector('.desk.taught .guide[data-idea="fifth"]')
        page.locator(".stage .edge.danger").first.wait_for(state="attached")
        for cancelled in (True, False):
            choose(page, "Bf4")
            page.get_by_text(careful).first.wait_for()
            assert page.locator(".confirm .grave").inner_text() == careful, "it asked whether one was sure, too"
            if cancelled:
                page.locator(".confirm").get_by_role("button", name="Cancel").click()
        assert page.locator(".player .lines").evaluate_all(SHOWN) == 0
        for words in ("Your goal:", "Pivots"):
            assert page.get_by_text(words).count() == 0
        confirm(page)
        page.get_by_text("Turn 1 lost the game: Blue on f4.").wait_for()
        page.get_by_text("Then: Blue on f3.").wait_for()
        assert page.locator(".result p").first.inner_text() == "Olive wins with a triangle."
        assert page.locator(".stage .edge.win").count() == 1, "the pattern is shown"
        assert "Second" not in page.locator(".result").inner_text(), "the opponent has a name"
        try_again(page)
        assert page.locator('.stage [data-cell="f4"][data-symbol]').count() == 0, "before the turn, not after it"
        assert page.locator('.stage [data-symbol="B"]').count() == 4
    play(page, "Yf4", ply=2)  # and the engine answers
    begin(page, server)
    page.wait_for_selector(".companion")
    assert page.locator(".guide").count() == 0, "a new game is not guided"


def test_a_loss_tells_how_the_game_ended(page: Page, server: Server) -> None:
    """ "Turn 3 lost the game" named a turn long before the sixth piece of the triangle on the board."""
    three = "sanqi/5 5/6/7/8/3YYY3/8/7/6/5 F -"
    opened(page, server, engine(5), position=three)
    for move in ("Re1", "Re9", "Ri1"):
        play(page, move)
        page.wait_for_selector(".middle[data-mine], .middle[data-over]")
    page.locator('.lost[data-lost="0"]').wait_for()
    page.locator(".lost").get_by_text("The end came on turn 3: Red on i1. Yellow on").wait_for()


def test_a_button_that_comes_under_a_resting_mouse_previews_nothing(page: Page, server: Server) -> None:
    """End the turn came where red was chosen: its preview hid which cell had become active, and the prompt."""
    resize(page, (1440, 900))
    opened(page, server, HERE, position=PAIR)
    press(page, "c5", "c3")
    red = box(page.locator(".pick.laid").first)
    page.mouse.click(red["x"] + 20, red["y"] + red["height"] / 2)
    end = page.locator("[data-gesture='deactivate']")
    end.wait_for()
    assert 0 < red["x"] + 20 - box(end)["x"] < box(end)["width"], "the mouse rests on it"
    page.wait_for_timeout(500)
    assert page.locator(".stage .preview").count() == 0
    assert page.locator(".prompt").inner_text() == "Black: recolour an active cell (a ping)."
    page.mouse.move(box(end)["x"] + 5, box(end)["y"] - 30)
    page.mouse.move(box(end)["x"] + 8, box(end)["y"] + 10)
    page.wait_for_selector(".stage .preview", state="attached")


def test_a_pair_that_can_take_a_cell_is_shown_with_arrows(phone: Page, server: Server) -> None:
    """The guide marked the cell to claim alone. It takes from White rather than a free cell."""
    guided(phone, server, PAIR, ["start", "ping"], "sparklies", "takes")
    assert phone.locator(".guide p").inner_text().startswith("Claim e3. ")
    assert phone.locator(".stage path.arrow:not(.under)").count() == 2
    tap(phone, "e3")
    phone.wait_for_selector('.guide[data-idea="capture"]')
    assert phone.locator(".guide p").inner_text().startswith("Recolour c3 blue. ")
    assert phone.locator(".stage path.arrow:not(.under)").count() == 2


@pytest.mark.parametrize(("game", "size"), [("SanQi", PHONES[0]), ("SanQi", PHONES[2]), ("Sparklies", PHONES[0])])
def test_hints_of_a_first_game_are_in_sight_on_a_phone(phone: Page, server: Server, game: str, size: Size) -> None:
    """The guide said that Hint helps, and lay over its buttons."""
    resize(phone, size)
    begin(phone, server, game, ".guide")
    marks = phone.locator(".stage .edge.hint").count()
    phone.get_by_role("button", name="Hint", exact=True).tap()
    phone.locator('[data-hint="place"]').tap()
    said(phone, "Look at this part of the board.")
    phone.locator('[data-hint="move"]').tap()  # refused if something lies over it
    phone.wait_for_selector(".stage .edge.hint")
    assert phone.locator(".guide").count() == 0
    phone.get_by_role("button", name="Hint", exact=True).tap()
    phone.wait_for_selector(".guide")
    assert phone.locator(".stage .edge.hint").count() == marks, "it points at its own cells again"


@pytest.mark.parametrize("size", [(1366, 768), (390, 844), (360, 640)], ids=named)
def test_long_last_turns_can_be_read_whole(page: Page, server: Server, size: Size) -> None:
    """The text ended in "...", and it covered only the last four moves."""
    resize(page, size)
    at_table(page, server.table([engine(1), ME], game="sparklies", options={"board": "5x5"}))
    words = page.locator(".companion .now p")
    words.wait_for()
    words.evaluate("(one, long) => one.append(long)", LONG)
    whole, away = (box(page.locator(f".companion {part}")) for part in (".all", ".square"))
    assert whole["x"] + whole["width"] <= away["x"] or whole["y"] >= away["y"] + away["height"], "one over the other"
    if page.locator(".actions").evaluate("one => getComputedStyle(one).position === 'fixed'") and size[1] > 800:
        bar = box(page.locator(".actions"))
        assert whole["y"] + whole["height"] <= bar["y"], "its end is under the buttons"
    page.get_by_role("button", name="Show all").press("Enter")
    assert words.evaluate("one => one.scrollHeight <= one.clientHeight + 1")
    assert words.inner_text().endswith(LONG.strip())
    assert words.evaluate("one => one === document.activeElement"), "keys and readers lost their place"


def test_a_chosen_piece_shows_its_targets_alone_and_the_guide_reads_the_last_turns(phone: Page, server: Server) -> None:
    """The guide's marks around all pawns stayed, the dots of the targets were 2 pixels wide; and on a phone the guide
    covers the last turns."""
    begin(phone, server, "Triplicity", ".guide")
    assert phone.locator(".stage .edge.hint").count() >= 1
    tap(phone, "e5")
    phone.wait_for_selector(".stage circle.legal")
    outline = box(phone.locator(".stage .edge.hint"))
    tile = box(phone.locator('.stage [data-cell="e5"]'))
    dot = box(phone.locator(".stage circle.legal").first)
    assert outline["width"] < 1.5 * tile["width"], "around the chosen pawn alone"
    assert dot["width"] >= 5
    tap(phone, "f7")
    confirm(phone)
    guide = phone.locator(".guide")
    guide.get_by_role("button", name="Last turns").tap()
    guide.get_by_role("heading", name="Last turns").wait_for()
    assert re.match("Black .*Red ", guide.locator("p").inner_text(), re.S)
    guide.get_by_role("button", name="Back").tap()
    assert guide.locator("h2").inner_text() != "Last turns"


def test_each_thing_is_said_once(phone: Page, server: Server) -> None:
    """The confirmation and the reader said "White pawn e5 to f7" twice, and the reader "White: White pawn"."""
    opened(phone, server, HERE, HERE, game="triplicity")
    tap(phone, "e5", "f7")
    question = phone.locator(".confirm")
    question.get_by_text("Pawn e5 to f7?").wait_for()
    settled(phone)
    assert question.locator(".outcome").count() == 0
    confirm(phone)
    said(phone, "White pawn e5 to f7. Black to move.")
    assert not phone.evaluate("() => window.heard.some(one => one.includes('White: White'))")
    opened(phone, server, HERE, position=WON)
    choose(phone, "Rf4", tap)
    confirm(phone)
    said(phone, "First wins with a circle.")
    assert not phone.evaluate("() => window.heard.some(one => one.split('wins with').length > 2)")


def test_who_is_out_reads_how_and_sees_the_last_turns_only(meet: Meet, server: Server) -> None:
    """No text said what had taken the king, and every move since then was marked as the last turn."""
    position = "triplicity 11/rK8wR2/3rR7bK1/12/4rP6/7bP1bR/9/8/3wR3/6/5/2wQ1/1wK1 W 4,3,2 a,a,a 0 -"
    links = server.links(seats(3, FRIEND), position=position)
    company = Company([meet(), meet(), meet()], links, ["mouse"] * 3)
    company.play("c2xl11")
    black = company.pages[1]
    sheet = black.get_by_role("dialog", name="You're out")
    sheet.wait_for()
    how, others, after = sheet.locator("p").all_inner_texts()
    assert how == (
        "White queen c2 takes Black's king on l11. Black is vanquished. White takes Black's 3 coins. "
        "Red pays 2 coins to White: tribute for the capture."
    )
    assert re.fullmatch(r"Guest .+ and Friend play on\. You can keep watching\.", others)
    assert after == "Vanquished: the pieces stay, but can't attack."
    for width, height in ((1280, 800), (390, 844), (360, 640), (844, 390)):
        resize(black, (width, height))
        settled(black)
        bar, board = box(sheet), box(black.locator(".stage svg.board"))
        beside = bar["x"] >= board["x"] + board["width"] - 1
        assert beside or bar["y"] >= board["y"] + 0.9 * board["height"], "it covered the board"
    resize(black, (1280, 800))
    sheet.get_by_role("button", name="Watch", exact=True).click()
    company.all_of(["d11-e11", "k12xb12"])
    settled(black)
    assert black.locator(".stage .last").count() <= 2, "from where and to where"
    company.close()


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_a_win_is_said_and_celebrated_where_motion_is_wanted(page: Page, server: Server, motion: Motion) -> None:
    page.emulate_media(reduced_motion=motion)
    opened(page, server, engine(1), position=WON)
    play(page, "Rf4")
    assert page.locator(".result .verdict").inner_text() == "You win with a circle."
    if motion == "reduce":
        page.wait_for_timeout(300)
        assert page.locator(".celebration").count() == 0
    else:
        page.wait_for_selector(".celebration", state="attached")
        page.wait_for_selector(".celebration", state="detached")
        page.reload()
        page.wait_for_selector(".result")
        assert page.locator(".celebration").count() == 0, "once"


PLACES = "all => all.map(one => `${one.textContent} ${one.offsetLeft} ${one.offsetWidth} ${one.offsetTop}`)"


@pytest.mark.parametrize("size", [(390, 844), (360, 640)], ids=named)
def test_a_phone_offers_the_lost_turn_again_in_sight(phone: Page, server: Server, size: Size) -> None:
    """The button stood below the edge of the screen."""
    resize(phone, size)
    opened(phone, server, engine(5), position=FOUR)
    choose(phone, "Bf4", tap)
    confirm(phone)
    again = phone.get_by_role("button", name="Try that turn again")
    phone.get_by_role("button", name="Rematch").wait_for()
    settled(phone)
    places = phone.locator(".row.board .button").evaluate_all(PLACES)
    phone.wait_for_selector(".lost[data-lost]", state="attached")
    assert again.is_enabled()
    assert phone.locator(".row.board .button").evaluate_all(PLACES) == places, "it took the place of Rematch"
    bar = box(phone.locator(".actions"))
    assert bottom(again) <= bar["y"]
    if size[1] > 800:  # the whole reason is in sight too
        assert bottom(phone.get_by_text("Then: Blue on f3.")) <= bar["y"]
    assert phone.locator(".below .controls").evaluate("one => one.scrollWidth <= one.clientWidth")


# Red takes White's king, and the others play on for long: the choices of a player who is out go with their game
LONG_AFTER = "triplicity 11/rKrP9bP/9bPbPbPbK/9bPbPbP/1rPrPrP7/1rR8/9/8/6wR/5wQ/5/4/1wK1 W 0,0,0 a,a,a 0 -"


@pytest.mark.parametrize("size", [pytest.param((1440, 900), marks=pytest.mark.long), (390, 844)], ids=named)
def test_whose_king_was_taken_reads_why_and_tries_that_turn_again(page: Page, server: Server, size: Size) -> None:
    """The way back came only with the end of the others' game. "Then" listed all the rest of it, and the loss twice."""
    resize(page, size)
    opened(page, server, engine(8), engine(8), position=LONG_AFTER)  # a weaker one sometimes leaves the king
    insist(page, "g5", "h6")
    sheet = page.get_by_role("dialog", name="You're out")
    sheet.wait_for()
    try_again(page)
    assert page.locator('.stage [data-cell="g5"][data-symbol="wR"]').count() == 1, "before the others have ended"
    insist(page, "g5", "h6")
    sheet.get_by_role("button", name="Try that turn again").wait_for()
    assert "takes White's king on b1." in sheet.locator("p").first.inner_text()
    sheet.get_by_role("button", name="Skip to the end").click()
    lost = page.locator(".lost[data-lost]")
    lost.wait_for(timeout=120_000, state="attached")
    assert lost.locator("p").first.inner_text() == "Turn 1 lost the game: White rook g5 to h6."
    then = lost.locator("p").nth(1).inner_text()
    assert then.startswith("Then: Black ")
    assert then.count("Black king") <= 1, "one turn of each"
    assert "takes White's king on b1" in then
    assert page.get_by_text("takes White's king on b1").count() == 1, "it is said once"
    assert lost.locator(".words").evaluate("one => one.scrollHeight <= one.clientHeight + 1"), "cut off"
    try_again(page)
    assert page.locator('.stage [data-cell="g5"][data-symbol="wR"]').count() == 1, "before the turn, not after it"


def test_panels_get_their_room_back(page: Page, server: Server) -> None:
    """Once a long text beside the board had cut the last turns, they stayed cut to two lines until the end."""
    resize(page, (1280, 800))
    begin(page, server, "Triplicity")
    page.locator(".guide p").evaluate("(one, long) => one.append(long)", LONG)
    page.wait_for_selector('.more[data-tight="123456"]')
    press(page, "e5", "f7")
    page.locator(".companion .now p").wait_for()
    page.wait_for_selector(".guide")
    settled(page)
    assert "2" not in (page.locator(".more").get_attribute("data-tight") or "")
    assert page.get_by_role("button", name="Show all").count() == 0


def test_a_marked_piece_and_a_sign_on_a_card_say_what_they_mean(phone: Page, server: Server) -> None:
    """It said only whose turn it was; and the words of "!" on a card came up under a mouse alone."""
    guided(phone, server, RICH.replace("15,11,12", "0,0,0"), [], "triplicity", "king")
    for at, why in (("b8", "Red's rook on b8 could take White's king on b1."), ("c9", "Red's queen on c9 could go to")):
        cell(phone, at).tap(force=True)
        phone.locator(".prompt", has_text=why).wait_for()
    phone.locator('.player[data-side="Black"] .alert').tap()
    phone.locator(".toast", has_text="Last king attacked by White").wait_for()


@pytest.mark.long  # an engine has to take the king, and takes its time
@pytest.mark.parametrize("size", [(1280, 800), (390, 844), (360, 640)], ids=named)
def test_all_that_a_player_who_is_out_can_do_is_in_sight_in_german(meet: Meet, server: Server, size: Size) -> None:
    """The last two of four buttons were cut off beside the board."""
    page = meet(viewport={"width": size[0], "height": size[1]}, locale="de")
    guided(page, server, RICH, [], "triplicity")
    press(page, "g5", "h6")
    confirm(page)
    page.wait_for_selector(".out")
    room = ".more" if size[0] > 1000 else ".out"
    page.wait_for_function(  # at once: the box goes when the engines' game ends
        """room => {
            const buttons = [...document.querySelectorAll(".out .button")];
            const end = document.querySelector(room)?.getBoundingClientRect().bottom;
            return buttons.length > 4 && buttons.every(one => one.getBoundingClientRect().bottom <= end);
        }""",
        arg=room,
    )


def test_the_board_stays_in_place_when_a_german_player_wins_on_a_phone(meet: Meet, server: Server) -> None:
    """ "Du hast gewonnen" took two more lines of the player's card."""
    phone = meet(**PHONE, locale="de")
    wins_next = "triplicity 11/rK11/13/12/11/1wR6bP1/9/8/7/6/5/4/1wK1 W 9,0,0 a,v,a 0 -"
    guided(phone, server, wins_next, [], "triplicity", "finish")
    settled(phone)
    before = box(phone.locator(".stage svg.board"))
    tap(phone, "b8", "b12")
    confirm(phone)
    phone.wait_for_selector(".result")
    settled(phone)
    assert phone.locator(".stage svg.board").bounding_box() == before


def test_the_popup_of_pieces_says_what_it_is_for(phone: Page, server: Server) -> None:
    """It showed five pieces above "Your turn: move a piece or buy one"."""
    promotes = "triplicity 11/rK2wP8/3rB7bK1/12/4rP6/7bP2/9/8/3wR3/6/5/2wQ1/1wK1 W 10,3,2 a,a,a 0 -"
    guided(phone, server, promotes, [], "triplicity")
    tap(phone, "e12")
    phone.wait_for_selector('.stage .cell[data-cell="e12"][aria-pressed]')  # until then pieces may still be bought
    goal = phone.locator(".stage .cell[data-legal]").first.get_attribute("data-cell")
    phone.locator(f'.stage [data-cell="{goal}"]').tap()
    phone.wait_for_selector(".chooser")
    assert phone.locator(".prompt").inner_text() == f"Choose for {goal}: knight, bishop, rook, queen, king"


def test_a_captured_piece_does_not_show_through_the_preview(phone: Page, server: Server) -> None:
    """A white pawn stood on a black knight until the capture was confirmed."""
    opened(phone, server, HERE, HERE, position=JEOPARDY)
    tap(phone, "f8", "b8")
    phone.wait_for_selector(".stage .preview .symbol, .stage .preview path")
    shown, cover = (box(phone.locator(part).first) for part in ('.stage [data-cell="b8"]', ".preview .cover"))
    assert cover["x"] == pytest.approx(shown["x"], abs=2)
    assert cover["width"] == pytest.approx(shown["width"], abs=4)


def test_a_rated_game_offers_no_engine_from_its_menu(meet: Meet, server: Server) -> None:
    """ "Analyse from here" opened the position with an engine beside it, and "New game from this position" too."""
    one = meet()
    sign_up(one, server, "rita")
    wish = {"seats": [ME, OPEN], "rated": True, "clock": RAPID, **SMALL}
    table = one.request.post(server.base + "/api/tables", data=wish).json()
    Guest(server, "rolf").post(f"/api/tables/{table['id']}/seats/1", {})
    come(one, f"{server.base}/t/{table['id']}#seat={table['seats'][0]['token']}")
    one.wait_for_selector(".stage .cell")
    one.get_by_text("Rated").first.wait_for()
    one.get_by_role("button", name="More").click()
    menu = one.get_by_role("dialog")
    menu.get_by_role("button", name="Copy position").wait_for()
    for name in ("Analyse from here", "New game from this position"):
        assert menu.get_by_role("button", name=name).count() == 0
    assert one.get_by_role("button", name="Hint").count() == 0
