"""People who meet over the net: two and three browsers at once, with clocks, talk, takebacks, lost connections."""

import contextlib
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, WebSocketRoute, expect

from tests.support.waiting import until

from .conftest import PHONE
from .hands import Company, Sit, keen
from .online import Line, together
from .screen import settled, visit
from .seats import CLOCK, FRIEND, SMALL, Meet, seats
from .states import FIVE, NEAR_THE_END
from .table import Server, at_ply, at_table, come, custom, keys, menu, play, ready, resign, said, sign_up, standing

pytestmark = [pytest.mark.browser, pytest.mark.page, pytest.mark.motion]

OUT_OF_SIGHT = """
    localStorage.setItem("tercet.settings", JSON.stringify({ notify: true, sound: false }));
    window.notified = [];
    window.Notification = class {
        static permission = "granted";
        constructor(title, { body }) { notified.push(body); }
    };
    Object.defineProperty(document, "visibilityState", { get: () => "hidden" });
"""


def card(page: Page, player: str) -> Locator:
    return page.locator(f'.players [data-side="{player}"]').first


def say(page: Page, words: str) -> None:
    page.get_by_role("button", name=re.compile("^Chat")).click()
    page.get_by_role("textbox", name="Message").fill(words)
    page.keyboard.press("Enter")
    page.locator(".words", has_text=words).wait_for()
    page.get_by_role("button", name="Close chat").click()


def open_for_anybody(page: Page, server: Server) -> str:
    """Open a small table for anybody from the lobby; its address."""
    custom(page, server, "Anyone", side=4)
    page.get_by_text("Clock and game settings:").click()
    page.get_by_label("Clock").select_option("short")
    page.get_by_role("button", name="Play", exact=True).click()
    page.get_by_text("Waiting for an opponent").wait_for()
    return page.url


def test_who_sat_down_and_whose_page_opens_late_was_never_away(meet: Meet, server: Server) -> None:
    def late(socket: WebSocketRoute) -> None:
        anna.wait_for_timeout(1000)
        socket.connect_to_server()

    anna, ben = meet(), meet()
    open_for_anybody(anna, server)
    ben.goto(server.base)
    ben.route_web_socket("**", late)
    ben.get_by_role("region", name="Open games").get_by_role("button", name=re.compile("^Join")).first.click()
    said(anna, "joined as Second")
    expect(card(anna, "Second").locator(".light")).to_have_class(re.compile("here"))
    settled(anna)
    assert "joined as Second" in anna.evaluate("window.heard.at(-1)")


def test_from_the_lobby_to_a_rematch(meet: Meet, server: Server) -> None:
    anna, ben, watcher = meet(), meet(**PHONE), meet(color_scheme="dark")
    first = open_for_anybody(anna, server)
    expect(anna.locator(".clock")).to_have_text(["5:00", "5:00"])
    ben.goto(server.base)
    ben.get_by_role("region", name="Open games").get_by_role("button", name=re.compile("^Join")).first.tap()
    ben.wait_for_url("**/t/*")
    assert ben.url == first
    visit(watcher, first, "text=You're watching")
    said(anna, "joined as Second")
    ready(anna)
    assert ben.locator(".cell[data-legal]").count() == watcher.locator(".cell[data-legal]").count() == 0
    assert anna.get_by_role("button", name="Hint", exact=True).count() == 0, "none is helped against people"
    play(anna, "Rd4")
    standing(watcher, "d4", "R")
    standing(ben, "d4", "R")
    ready(ben)
    assert watcher.locator(".cell[data-legal]").count() == 0
    expect(ben).to_have_title(re.compile("^●"))  # the tab says whose turn it is
    expect(card(anna, "Second").locator(".clock")).to_have_class(re.compile("running"))

    ben.locator('[data-pick="B"]').tap()
    ben.locator('[data-cell="d5"]').tap()
    ben.locator(".confirm").get_by_role("button", name="Play").tap()
    standing(anna, "d5", "B")

    ben.get_by_role("button", name="Takeback").tap()
    anna.get_by_role("alertdialog").get_by_role("button", name="Decline").click()
    said(ben, "Declined.")
    play(anna, "Yc3")
    take_back(anna, ben)
    at_ply(anna, 2)
    at_ply(watcher, 2)
    expect(watcher.locator('[data-cell="c3"][data-symbol]')).to_have_count(0)

    say(anna, "<b>Good luck</b> & have fun")
    said(ben, "<b>Good luck</b> & have fun")
    ben.get_by_role("button", name="Chat, 1 new").tap()
    expect(ben.locator("p.words")).to_have_text("<b>Good luck</b> & have fun")
    ben.get_by_role("button", name="Close chat").tap()
    expect(ben.locator(".count")).to_have_count(0)  # it has been read

    resign(anna)
    for page, verdict, words in (
        (anna, ["You lost"], r"You resigned\."),
        (ben, ["You won"], r"Guest .+ resigned\."),
        (watcher, [], r"G.+ resigned\. G.+ won\."),
    ):
        expect(page.locator(".result p").first).to_have_text(re.compile(rf"^{words}$"))
        expect(page.locator(".result .verdict")).to_have_text(verdict)
    expect(anna.locator(".player").last).to_contain_text("You")
    ben.get_by_role("button", name="Rematch").tap()
    anna.get_by_role("alertdialog").get_by_role("button", name="Accept").click()
    for page in (anna, ben):
        page.wait_for_url(lambda url: "/t/" in url and url != first)
    assert anna.url == ben.url
    ready(ben)  # the seats are exchanged
    expect(anna.locator(".prompt")).to_have_text(re.compile(r"^Waiting for Guest .+\.$"))
    expect(anna.locator(".side-of-mine")).to_contain_text("Your goal: a line of six or a triangle of one kind wins.")
    expect(ben.locator(".prompt")).to_contain_text("Your turn")
    watcher.get_by_role("link", name="Watch the rematch").click()
    watcher.get_by_text("You're watching").wait_for()
    anna.get_by_role("button", name=re.compile("^Your games")).click()
    expect(anna.locator("#your-games li")).to_have_count(1)
    ben.get_by_role("button", name="Your games: 1, your turn in 1").wait_for()
    assert "turn" in (ben.locator("link[rel=icon]").get_attribute("href") or ""), "the tab's icon has a dot"


@contextlib.contextmanager
def company_of(server: Server, watcher: Page, pages: list[Page], hows: list[str], **wish: Any) -> Iterator[Company]:
    """People at a table, each with a link of their own, and a spectator; all of them see the end."""
    links = server.links([FRIEND] * len(pages), **wish)
    watcher.goto(links[0].partition("#")[0])
    with contextlib.closing(Company(pages, links, hows)) as company:
        yield company
        assert company.over
        for page in company.pages:
            page.locator(".result").wait_for()  # said to each player in words of its own
        assert watcher.locator(".result p").first.inner_text() == company.state["result"]


def test_a_game_of_sparklies_by_a_broken_line(meet: Meet, server: Server) -> None:
    watcher, anna, ben = meet(), meet(), meet(**PHONE)
    line, wish = Line(ben), {"game": "sparklies", "options": {"board": "3x3"}, "clock": CLOCK, "seed": 5, "chat": True}
    with company_of(server, watcher, [anna, ben], ["mouse", "touch"], **wish) as company:
        say(anna, "A fair field")
        said(ben, "A fair field")
        company.play(company.paths[0][0])
        anna.get_by_role("button", name="Takeback").click()  # her turn is not over, so no one is asked
        for page in (anna, ben, watcher):
            at_ply(page, 0)
        company.listen(company.state["number"])
        chance = random.Random(2)
        broken = 0
        while not company.over:
            action = chance.choice(company.paths)
            is_whole = company.ahead(action[0])["scene"]["mover"] != company.state["mover"]
            if company.state["mover"] == 0 or company.state["ply"] < 3 or broken or not is_whole:
                company.play(action[0])
                continue
            broken = company.state["ply"]
            line.cut()
            ben.get_by_text("Connection lost.").first.wait_for()
            company._by_pointer(action[1])
            ben.locator(".confirm").get_by_role("button", name="Play").tap()
            ben.get_by_text("Your move is saved and will be sent when you're back online.").wait_for()
            assert anna.locator(".middle").get_attribute("data-ply") == str(broken), "nothing comes through"
            line.mend()
            at_ply(ben, broken + company.steps + 1)
            company.listen(company.state["number"] + company.steps)
            company.steps = 0
        assert broken
        assert company.state["clock"]["left"] != [300_000, 300_000]
        for page in (anna, ben, watcher):
            page.locator(".result").wait_for()
            assert page.locator(".move").count() == company.state["ply"], "each action was played once"


@pytest.mark.long
def test_a_game_of_triplicity_for_three(meet: Meet, server: Server) -> None:
    clock = {"kind": "move", "minutes": 10}
    pages, watcher = [meet(), meet(**PHONE), meet(color_scheme="dark", reduced_motion="reduce")], meet()
    line, wish = Line(pages[1]), {"position": NEAR_THE_END, "clock": clock, "chat": True, "takebacks": "own"}
    with company_of(server, watcher, pages, ["mouse", "touch", "keys"], **wish) as company:
        say(pages[0], "Let us both take Red")
        said(pages[1], "Let us both take Red")
        said(pages[2], "Let us both take Red")
        company.play("c2xl11")
        expect(card(watcher, "Black")).to_contain_text("Vanquished")
        pages[0].get_by_role("button", name="Takeback").click()  # unasked: a retraction of his own
        for page in (*pages, watcher):
            at_ply(page, 0)
        expect(card(watcher, "Black")).not_to_contain_text("Vanquished")
        company.listen(company.state["number"])
        line.cut()
        pages[1].get_by_text("Connection lost.").first.wait_for()
        line.mend()
        company.play("c2xl11")
        chance = random.Random(4)
        while not company.over:
            assert company.state["ply"] < 80
            company.play(chance.choice(keen(company.paths))[0])


def left_alone(server: Server, anna: Page, ben: Page, after: int) -> str:
    """Both play a move, and Ben leaves, which has been so for ``after`` seconds when one may act; Ben's link."""
    gone = {"after": after, "then": ["win", "engine"], "level": 1}
    _, link = together(server, anna, ben, clock=CLOCK, gone=gone, **SMALL)
    play(anna, "Rd4")
    play(ben, "Bd5")
    ben.goto("about:blank")
    anna.get_by_text("has been gone for").wait_for()
    return link


def test_whoever_goes_can_be_claimed_against(meet: Meet, server: Server) -> None:
    anna, ben = meet(), meet()
    link = left_alone(server, anna, ben, 30)
    assert anna.get_by_text("In 2").count() or anna.get_by_text("In 3").count(), "when one may claim is told"
    assert "disconnected" in card(anna, "Second").inner_text()
    ben.goto(link)
    anna.get_by_text("has been gone for").wait_for(state="detached")


def test_a_page_out_of_sight_says_that_victory_can_be_claimed(meet: Meet, server: Server) -> None:
    anna = meet()
    anna.add_init_script(OUT_OF_SIGHT)
    anna.clock.install()
    left_alone(server, anna, meet(), 60)
    assert "Claim" not in anna.title()
    anna.clock.fast_forward(61_000)
    anna.get_by_role("button", name="Claim victory").wait_for()
    assert re.fullmatch(r"● Claim victory: .+ is gone \(SanQi\) · Tercet", anna.title())
    anna.wait_for_function("() => notified.length")
    assert [text.partition(":")[0] for text in anna.evaluate("notified")][-1:] == ["Claim victory"]


@pytest.mark.long
def test_an_engine_plays_on_for_who_has_gone(meet: Meet, server: Server) -> None:
    anna = meet()
    left_alone(server, anna, meet(), 30)
    anna.get_by_role("button", name="Let the computer take over").click(timeout=60_000)
    expect(card(anna, "Second")).to_contain_text("computer, for a player who left")
    play(anna, "Yc3", ply=4)


@pytest.mark.long
def test_a_game_is_adjourned_and_goes_on(meet: Meet, server: Server) -> None:
    anna, ben = meet(), meet()
    together(server, anna, ben, clock=CLOCK, **SMALL)
    play(anna, "Rd4")
    menu(anna, "Adjourn (continue later)")
    ben.get_by_role("alertdialog").get_by_role("button", name="Accept").click()
    anna.get_by_text("Adjourned. The clocks are stopped").wait_for()
    assert anna.locator(".clock.running").count() == 0
    assert ben.locator(".cell[data-legal]").count() == 0
    ben.get_by_role("button", name="Resume").click()
    anna.get_by_role("alertdialog").get_by_role("button", name="Accept").click()
    ready(ben)
    expect(anna.locator(".clock.running")).to_have_count(1)


def take_back(anna: Page, ben: Page) -> None:
    anna.get_by_role("button", name="Takeback").click()
    answer = ben.get_by_role("alertdialog").get_by_role("button", name="Accept")
    answer.wait_for()
    assert answer.evaluate("one => one.getBoundingClientRect().bottom < innerHeight"), "a question is in sight"
    answer.click()


def test_a_takeback_leaves_those_who_look_back_where_they_are(meet: Meet, server: Server) -> None:
    """Also while the connection is lost; a place that the game does not lead through any more is left."""
    anna, ben, watcher = meet(), meet(), meet()
    line = Line(watcher)
    link, _ = together(server, anna, ben, **SMALL)
    watcher.goto(link.partition("#")[0])
    for page, move in ((anna, "Rd4"), (ben, "Bd5"), (anna, "Yc3"), (ben, "Re3")):
        play(page, move)
    for page in (ben, watcher):
        at_ply(page, 4)
        keys(page, "Home", ".", ply=1)
    take_back(anna, ben)
    at_ply(anna, 2)
    for page in (ben, watcher):
        expect(page.locator(".move")).to_have_count(2)
        at_ply(page, 1)
        expect(page.locator('[data-cell="d5"][data-symbol]')).to_have_count(0)

    line.cut()
    watcher.get_by_text("Connection lost").first.wait_for()
    take_back(anna, ben)
    for page in (anna, ben):
        at_ply(page, 0)
    for page, move in ((anna, "Yc4"), (ben, "Bd5")):
        play(page, move)
    line.mend()
    at_ply(watcher, 2)
    standing(watcher, "c4", "Y")


@pytest.mark.long
def test_a_game_is_called_off(meet: Meet, server: Server) -> None:
    anna = meet()
    first = open_for_anybody(anna, server)
    anna.get_by_role("button", name="Cancel").click()
    anna.get_by_text("aborted").first.wait_for()
    ben = meet()
    visit(ben, server.base, "text=No one is waiting right now")
    ben.goto(first)
    ben.get_by_text("aborted").first.wait_for()


@pytest.mark.long
def test_correspondence_over_a_restart(meet: Meet, tmp_path: Path) -> None:
    mine = Server(tmp_path)
    try:
        links = mine.links([FRIEND] * 2, clock={"kind": "correspondence", "days": 3}, **SMALL)
        anna, ben = meet(), meet()
        come(anna, links[0])
        play(anna, "Rd4")
        mine.stop(kill=True)
        anna.get_by_text("Connection lost.").first.wait_for()
        mine = Server(tmp_path, mine.port)
        come(ben, links[1])
        ready(ben)
        standing(ben, "d4", "R")
        assert re.match(r"[23] d \d+ h", card(ben, "Second").locator(".clock").inner_text())
        play(ben, "Bd5")
        standing(anna, "d5", "B")
        visit(anna, mine.base + "/games", "text=your turn")
        anna.get_by_role("link", name="SanQi").click()
        at_ply(anna, 2)
        ready(anna)
    finally:
        mine.stop()


@pytest.mark.long
def test_talk_is_muted_reported_and_blocked(meet: Meet, server: Server) -> None:
    anna, ben = meet(), meet()
    for page, handle in ((anna, "astrid"), (ben, "boris")):
        sign_up(page, server, handle)
    ben.goto(open_for_anybody(anna, server))
    ben.get_by_role("button", name="Play Second").click()
    ready(anna)
    say(ben, "You play like a beginner")
    anna.get_by_role("button", name=re.compile("^Chat")).click()
    anna.get_by_role("button", name="Options for Boris's message").click()
    anna.get_by_role("textbox", name="What's wrong with this message?").fill("rude")
    anna.get_by_role("button", name="Report").click()
    said(anna, "Reported.")
    anna.get_by_role("button", name="Options for Boris's message").click()
    anna.get_by_role("button", name="Block").click()
    said(anna, "Boris is blocked")
    expect(anna.locator("p.words")).to_have_count(0)
    say(ben, "Hello?")
    settled(anna)
    expect(anna.locator("p.words")).to_have_count(0)
    anna.goto(server.base + "/account")
    anna.get_by_role("button", name="Unblock").click()
    anna.get_by_role("button", name="Unblock").wait_for(state="detached")


def test_a_device_whose_clock_is_set_shows_the_same_time(page: Page, server: Server) -> None:
    sent: list[str] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda text: sent.append(str(text))))
    at_table(page, server.table(clock=CLOCK, **SMALL))
    play(page, "Rd4", "Bd5")
    page.evaluate("() => { const now = Date.now; Date.now = () => now() + 3_600_000; }")
    running = page.locator(".clock.running")
    until(lambda: running.inner_text() != "5:00" and any('"snapshot"' in text for text in sent))
    assert running.inner_text().startswith(("4:5", "5:0"))


@pytest.mark.parametrize(("players", "wish"), [(2, SMALL), (3, {"game": "triplicity"}), (2, {"position": FIVE})])
def test_clocks_at_one_screen(page: Page, server: Server, sit: Sit, players: int, wish: dict[str, Any]) -> None:
    hands = sit(page, server.table(seats(players), clock=CLOCK, **wish))
    assert page.locator(".clock").all_inner_texts() == ["5:00"] * len(hands.table["players"])
    hands.play(hands.paths[0][0])
    mover = hands.state["mover"]
    assert mover is not None
    running = page.locator(".player:has(.clock.running)")
    assert running.get_attribute("aria-label") == hands.table["players"][mover]
    assert mover == 1 or hands.state["view"]["scene"]["partial"]
