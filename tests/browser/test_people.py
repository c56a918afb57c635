"""Accounts, profiles, tournaments in the browser, and what axe finds on every page."""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event, Thread

import pytest
from playwright.sync_api import Page, expect

from tests.support.waiting import until

from .conftest import PHONE
from .hands import Company, axe
from .online import Guest, sign, submit
from .screen import fits, visit
from .seats import FIRST_TO_WIN, FRIEND, ME, OPEN, PASSWORD, RAPID, SMALL, Meet, seats
from .states import NEAR_THE_END, STATES
from .table import Server, at_table, custom, keys, ready, said

pytestmark = [pytest.mark.browser, pytest.mark.page]


def test_from_sign_up_to_deletion(meet: Meet, server: Server) -> None:
    page = meet()
    page.goto(server.base + "/account")
    submit(page, "Save name", {"Your name": "Visitor"})
    said(page, "Name saved.")
    at_table(page, server.table(**SMALL))
    custom(page, server, side=4)
    page.get_by_role("button", name="Play", exact=True).click()
    ready(page)
    table = page.url

    sign(page, server, "edda", new=True, password="short")
    page.locator("main").get_by_role("alert").filter(has_text="10 to 200 characters").wait_for()
    submit(page, "Sign up", {"Password": PASSWORD})
    page.get_by_role("heading", name="Active sessions").wait_for()
    page.goto(server.base + "/games")
    page.locator("main").get_by_role("link", name="SanQi").first.wait_for()
    assert page.locator(f'main a[href="{table.removeprefix(server.base)}"]').count() == 1, "a guest's games are kept"

    other = meet()
    sign(other, server, "edda", password="it is not this one")
    other.locator("main").get_by_role("alert").filter(has_text="Wrong username or password").wait_for()
    submit(other, "Sign in", {"Password": PASSWORD})
    other.get_by_role("heading", name="Active sessions").wait_for()

    page.goto(server.base + "/account")
    expect(page.get_by_role("button", name=re.compile("^Sign out Chrome"))).to_have_count(1)
    submit(page, "Save", {"Public profile": "Edda the Elder"})
    page.get_by_role("heading", name="Edda the Elder").wait_for()
    submit(page, "Create token", {"Purpose of the token": "an engine"})
    assert (page.locator("code").text_content() or "").startswith("tercet_")
    page.get_by_role("button", name="Revoke an engine").click()
    page.get_by_role("button", name="Revoke an engine").wait_for(state="detached")
    submit(page, "Change password", {"Current password": PASSWORD, "New password": PASSWORD + "!"})
    said(page, "Password changed.")
    visit(other, server.base + "/account", 'role=heading[name="Sign in, or play as a guest"]')

    with page.expect_download() as download:
        page.get_by_role("link", name="Download my data").click()
    kept = json.loads(Path(download.value.path()).read_text())
    assert "edda" in json.dumps(kept)
    assert PASSWORD not in json.dumps(kept)

    page.get_by_role("button", name="Delete account …").click()
    submit(page.get_by_role("dialog"), "Delete account", {"Enter your password to confirm": PASSWORD + "!"})
    page.wait_for_url(server.base + "/")
    page.get_by_role("link", name="Sign in").wait_for()
    page.goto(server.base + "/@edda")
    page.locator("main").get_by_role("alert").wait_for()
    sign(other, server, "edda", password=PASSWORD + "!")
    other.locator("main").get_by_role("alert").filter(has_text="Wrong username or password").wait_for()


def test_ratings_profiles_and_searches(meet: Meet, server: Server) -> None:
    gerda, hans = Guest(server, "gerda"), Guest(server, "hans")
    wish = {"seats": [ME, OPEN], "clock": RAPID, "rated": True, **SMALL}
    table: str = gerda.post("/api/tables", wish)["id"]
    hans.post(f"/api/tables/{table}/seats/1", {})
    with ThreadPoolExecutor(2) as players:
        list(players.map(Guest.play_at, (gerda, hans), (table, table), (9, 2)))  # Hans resigns
    seats = [seat["handle"] for seat in gerda.get(f"/api/tables/{table}")["state"]["seats"]]  # they were drawn
    page, phone = meet(), meet(**PHONE)
    until(lambda: gerda.get("/api/people/gerda")["ratings"])
    page.goto(server.base + "/players")  # it opens where somebody is
    page.get_by_role("link", name="Gerda").click()
    page.get_by_role("heading", name="Gerda").wait_for()
    row = page.get_by_role("row").filter(has_text="Rapid")
    assert re.search(r"\d{3,4} – \d{4}", row.inner_text()), "the interval is shown"
    visit(phone, server.base + "/@hans", 'role=heading[name="Results by seat"]')
    assert fits(phone)
    page.get_by_role("combobox", name="Result").select_option("lost")
    page.get_by_text("No matching games.").wait_for()
    page.get_by_role("combobox", name="Result").select_option("won")
    expect(page.locator("main .list li")).to_have_count(1)
    page.locator("main .list a").first.click()
    page.locator(".result p", has_text="resigned.").wait_for()
    ratings = page.get_by_role("list", name="Rating changes").get_by_role("listitem")
    changes = [" ".join(ratings.nth(seats.index(who)).inner_text().split()) for who in ("gerda", "hans")]
    assert re.search(r"1500 → \d+\? \(\+\d+\)", changes[0])
    assert re.search(r"1500 → \d+\? \(−\d+\)", changes[1])


def test_a_lost_password_is_found_again_by_the_code(meet: Meet, server: Server) -> None:
    page, other = meet(), meet(**PHONE)
    sign(page, server, "karla", new=True)
    page.get_by_role("heading", name="Account recovery").wait_for()
    submit(page, "Create recovery code", {"Confirm with your password": "this is wrong"})
    page.get_by_role("alert").filter(has_text="The password is wrong.").wait_for()
    submit(page, "Create recovery code", {"Confirm with your password": PASSWORD})
    code = page.locator(".code code").inner_text()
    other.goto(server.base + "/account")
    other.get_by_role("button", name="Forgot password?").click()
    form = other.get_by_role("form", name="Forgot password")
    wrong = {"Username": "karla", "Recovery code": "AAAAA-AAAAA-AAAAA-AAAAA", "New password": PASSWORD + "!"}
    submit(form, "Change password", wrong)
    other.get_by_role("alert").filter(has_text="Wrong username or code.").wait_for()
    submit(form, "Change password", {"Recovery code": code.lower()})
    other.get_by_role("heading", name="karla").wait_for()
    assert fits(other)


def test_somebody_is_found_followed_and_challenged(meet: Meet, server: Server) -> None:
    page, phone = meet(), meet(**PHONE)
    sign(page, server, "ludwig", new=True)
    page.get_by_role("heading", name="ludwig").wait_for()
    sign(phone, server, "marlene", new=True)
    phone.get_by_role("heading", name="marlene").wait_for()
    for who, other in ((page, "marlene"), (phone, "ludwig")):
        who.goto(server.base + "/players")
        who.get_by_role("searchbox").fill(other[:4])
        who.get_by_role("list", name="Results").get_by_role("link", name=other).click()
        who.get_by_role("button", name="Follow", exact=True).click()
        who.get_by_role("button", name="Unfollow").wait_for()
    phone.get_by_role("button", name="Message").click()
    phone.get_by_role("textbox", name="Message").fill("A game?")
    phone.get_by_role("button", name="Send").click()
    phone.get_by_role("list", name="Messages").get_by_text("A game?").wait_for()
    phone.keyboard.press("Escape")
    page.goto(server.base + "/players")
    page.get_by_role("list", name="Following").get_by_role("button", name="Message").click()
    page.get_by_role("list", name="Messages").get_by_text("A game?").wait_for()
    page.keyboard.press("Escape")
    before = phone.locator("main").bounding_box()
    page.get_by_role("list", name="Following").get_by_role("button", name="Challenge marlene").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Game").select_option("sanqi")
    dialog.get_by_role("button", name="Challenge").click()
    page.wait_for_url("**/t/*")
    page.get_by_text("Waiting for marlene to accept").wait_for()
    banner = phone.get_by_role("group", name="Challenge from ludwig")
    banner.filter(has_text="15 min + 10 s · rated · seats assigned at random").wait_for()
    assert phone.locator("main").bounding_box() == before, "a challenge pushed the page by 113 pixels"
    assert fits(phone)
    banner.get_by_role("button", name="Accept").click()
    phone.wait_for_url(page.url.split("#")[0] + "*")
    for who in (page, phone):
        who.locator(".player.moving").wait_for()
        who.get_by_role("button", name="Chat").wait_for()
    ready(next(who for who in (page, phone) if who.locator(".player.mine.moving").count()))  # seats are drawn by lot


def test_an_arena_is_seen_live(meet: Meet, server: Server) -> None:
    players = [Guest(server) for _ in range(8)]
    page, phone = meet(), meet(**PHONE)
    page.goto(server.base + "/tournaments")
    page.locator("summary", has_text="Create a tournament").click()
    page.get_by_label("Name").fill("Eight bots and one")
    page.get_by_label("Duration (min)").fill("5")
    page.get_by_text("SanQi rules").click()
    page.get_by_role("combobox", name="Opening").select_option("free")  # no book has positions of side 4
    page.get_by_role("spinbutton", name="Side").fill("4")
    page.get_by_role("spinbutton", name="Side").press("Tab")
    page.get_by_role("button", name="Create", exact=True).click()
    page.wait_for_url("**/tournaments/*")
    tournament = page.url.rsplit("/", 1)[-1]
    phone.goto(page.url)
    for player in players:
        player.post(f"/api/tournaments/{tournament}/join", {})
    page.get_by_role("button", name="Join").click()
    expect(phone.locator("tbody tr")).to_have_count(9)
    page.get_by_role("button", name="Start").click()
    stop = Event()
    tasks = [Thread(target=one.play_tournament, args=(tournament, seed, stop)) for seed, one in enumerate(players)]
    for task in tasks:
        task.start()
    try:
        page.get_by_role("link", name="Go to game").click()
        page.wait_for_url("**/t/*")
        page.wait_for_selector(".stage .cell")
        page.get_by_role("button", name="Chat").wait_for()
        phone.locator("tbody td:nth-child(3)", has_text=re.compile("[1-9]")).first.wait_for()
        phone.locator("main .list li").nth(4).wait_for()
        assert fits(phone)
    finally:
        stop.set()
        for task in tasks:
            task.join(30)


def test_a_tournament_is_taken_over_and_called_off(meet: Meet, server: Server) -> None:
    organiser, page = Guest(server), meet()
    cup = organiser.post("/api/tournaments", {"name": "Cup", "form": "round-robin", "clock": RAPID, **SMALL})["id"]
    visit(page, f"{server.base}/tournaments/{cup}", "text=Called off if it hasn't started by")
    page.get_by_role("button", name="Join").click()
    said(page, "You're in.")
    offered = page.get_by_role("button", name="Take over as organiser")
    expect(offered).to_have_count(0)
    organiser.post("/api/me", {}, "DELETE")
    offered.click()
    said(page, "You're the organiser now.")
    expect(offered).to_have_count(0)
    expect(page.get_by_role("button", name="Start")).to_be_disabled()  # there is no one else
    page.locator("main > .page").get_by_role("button", name="Call off").click()
    asked = page.get_by_role("dialog")
    asked.get_by_role("button", name="Close").click()
    page.get_by_role("button", name="Call off").click()
    asked.get_by_role("button", name="Call off").click()
    said(page, "The tournament is called off.")
    page.get_by_text("Called off by the organiser.").wait_for()
    expect(page.locator("main button")).to_have_count(0)
    page.goto(server.base + "/tournaments")
    page.locator("summary", has_text="Create a tournament").wait_for()
    expect(page.locator("main .list a", has_text="Cup")).to_have_count(0)


def test_a_whole_game_by_keys_is_told(meet: Meet, server: Server) -> None:
    blind, other = meet(), meet()
    links = server.links([FRIEND] * 2, position=FIRST_TO_WIN, clock=RAPID)
    company = Company([blind, other], links, ["keys", "mouse"])
    said(blind, "SanQi")
    keys(blind, "r", "/")
    said(blind, "Red")
    said(blind, "legal cells:")
    elsewhere = next(path for path in company.paths if path[0].startswith("R") and path[0] != "Re3")
    company.play(elsewhere[0])
    said(blind, f"Red on {elsewhere[1][1]}.")
    said(blind, "Friend to move.")
    answer = next(path for path in company.paths if path[0].startswith("B"))
    company.play(answer[0])
    said(blind, f"Friend: Blue on {answer[1][1]}.")
    said(blind, "Your turn.")
    company.play("Re3")
    assert company.over
    said(blind, "You win with a circle.")
    said(other, "Friend wins with a circle.")
    company.close()


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.long)])
def test_axe_finds_nothing_serious(meet: Meet, server: Server, scheme: str) -> None:
    page = meet(color_scheme=scheme)
    sign(page, server, f"iris-{scheme}", new=True)
    page.get_by_role("heading", name="Active sessions").wait_for()
    page.locator(".toast").wait_for(state="detached")
    found = axe(page, "account")
    owner = Guest(server)
    arena = owner.post("/api/tournaments", {"name": "Arena", "form": "arena", "minutes": 5, "clock": RAPID, **SMALL})
    owner.post(f"/api/tournaments/{arena['id']}/join", {})
    for path, sight in (
        ("/", ".board .tile"),
        (f"/@iris-{scheme}", "main h2"),
        ("/players/triplicity", "main select"),
        ("/games", "main h2"),
        ("/tournaments", "main .list a"),
        (f"/tournaments/{arena['id']}", "main tbody"),
        ("/about", "main li"),
        ("/console", "main h1"),
        ("/rules/sparklies", "main figure"),
        ("/analysis", ".stage .cell"),
        ("/editor?game=triplicity", ".middle .cell"),
        ("/learn", "main .list a"),
        ("/learn/sanqi/winning", ".stage .cell"),
        ("/puzzles/sparklies", ".stage .cell"),
        ("/nowhere", "main h1"),
    ):
        page.goto(server.base + path)
        page.locator(sight).first.wait_for()
        found += axe(page, path)
    for wish in ({"position": FIRST_TO_WIN}, {"position": NEAR_THE_END}, {"game": "sparklies"}):
        players = 3 if wish.get("position") == NEAR_THE_END else 2
        at_table(page, server.table(seats(players), clock=RAPID, **wish))
        found += axe(page, str(wish))
    page.get_by_role("button", name="More").click()
    found += axe(page, "menu")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Settings").click()
    found += axe(page, "settings")
    page.keyboard.press("Escape")
    table = owner.post("/api/tables", {"seats": [ME, OPEN], "chat": True, **SMALL})
    page.goto(server.base + table["watch"])
    page.get_by_role("button", name="Chat").click()
    page.get_by_role("textbox", name="Message").wait_for()
    found += axe(page, "talk")
    assert found == []


def test_text_that_scrolls_on_a_phone_is_reached_by_keys(phone: Page, server: Server) -> None:
    """Of a long question, and of why a player is out, axe said that only a finger could scroll them."""
    STATES["triplicity-debt"](phone, server)
    assert axe(phone, "question") == []
    position = "triplicity 11/12/3rR7bK1/12/4rP6/7bP1bR/6wK2/8/3wR3/6/5/2wQ1/3 W 4,3,0 a,a,v 0 -"
    at_table(phone, server.table(seats(3), position=position))
    assert axe(phone, "out") == []
    # What is touched is large enough.
    at_table(phone, server.table(**SMALL))
    touched = phone.locator("button:not(.reader), .choices label, select")
    small = """all => all.map(one => [one.ariaLabel || one.textContent.trim(), one.getBoundingClientRect()])
        .filter(([, box]) => box.width && box.height && (box.width < 24 || box.height < 38))"""
    assert touched.evaluate_all(small) == []
