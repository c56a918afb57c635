"""The first page: from there to a game in two clicks at most, without scrolling."""

from typing import Any

import pytest
from playwright.sync_api import Page, Route

from .screen import bottom, box, fits, visit
from .seats import ME, Meet, engine
from .table import Server, at_table, custom, play, ready, stored

pytestmark = [pytest.mark.browser, pytest.mark.page, pytest.mark.motion]

PHONE_SIZES = ((360, 640), (390, 844))
SIZES = (*PHONE_SIZES, (844, 390), (768, 1024), (1280, 800))
WEIGHT = 180_000  # bytes of the first page, compressed; it was 223,158
BOARDS = "() => document.querySelectorAll('.cards .board .tile').length > 100"


def test_the_first_page_loads_what_it_shows(phone: Page, server: Server) -> None:
    """The first page also loaded the page of a table: 60 kB that it did not need."""
    network = phone.context.new_cdp_session(phone)
    network.send("Network.enable")
    sizes: list[int] = []
    network.on("Network.loadingFinished", lambda done: sizes.append(int(done["encodedDataLength"])))
    phone.goto(server.base)
    phone.wait_for_function(BOARDS)
    phone.wait_for_load_state("networkidle")
    assert 50_000 < sum(sizes) < WEIGHT


def test_what_the_first_page_says_of_games_times_and_opponents(page: Page, server: Server) -> None:
    visit(page, server.base, "text=No one is waiting right now.")
    offers = page.get_by_role("region", name="Find an opponent")
    offers.get_by_text("5+3: 5 minutes each, plus 3 seconds per turn").wait_for()
    card = page.get_by_role("article", name="Triplicity")
    assert card.get_by_role("heading").inner_text() == "TRiPLiCiTY"
    card.get_by_role("heading").get_by_role("link").click()
    page.wait_for_function("() => document.title === 'TRiPLiCiTY · Tercet'")


def test_a_game_is_one_click_away_and_in_sight(meet: Meet, server: Server) -> None:
    for width, height in SIZES:
        page = meet(viewport={"width": width, "height": height})
        page.goto(server.base)
        buttons = page.get_by_role("button", name="now")
        buttons.last.wait_for()
        page.wait_for_function(BOARDS)
        for button in buttons.all():
            assert bottom(button) <= height, (width, height)
            assert box(button)["height"] >= 44
        assert fits(page)
        page.close()


FIRST_FOUR = (("Pip", 1, 61), ("Dot", 2, 61), ("Fern", 3, 91), ("Tick", 4, 169))
WON = "sanqi/5 5/6/7/3RR3/3R1R3/3R4/7/6/5 F -"
KEPT = (
    ("recent", [{"id": "a", "title": "SanQi", "over": True, "when": 1}]),
    ("ladder", {"sanqi": {"beaten": [2], "next": 3, "fresh": True}}),
)


def test_cards_keep_one_height_where_one_offers_the_next_board(meet: Meet, server: Server) -> None:
    for width, height in (*PHONE_SIZES, (1366, 768)):
        page = meet(viewport={"width": width, "height": height})
        page.goto(server.base)
        page.wait_for_function(BOARDS)
        card = page.get_by_role("article", name="SanQi")
        before = card.bounding_box()
        assert card.get_by_role("combobox").count() == 0, "the first game is a simple one"
        for kept in KEPT:
            stored(page, *kept)
            page.reload()
            page.wait_for_function(BOARDS)
            choice = box(card.get_by_label("Opponent in SanQi"))
            assert choice["x"] + choice["width"] <= width
            assert choice["height"] >= 44
            assert card.bounding_box() == before
        card.get_by_text("Next: Fern. A bigger board, with a few pieces already on it.").wait_for()
        page.close()


def test_a_win_leads_to_the_next_board_in_a_sentence_with_the_way_back(page: Page, server: Server) -> None:
    """ "Play now" stayed on side 5, and the button beside it opened side 8 with three pieces without a word."""
    card, shown = page.get_by_role("article", name="SanQi"), page.locator(".stage .cell")

    def begin(board: int, pieces: int = 0) -> None:
        card.get_by_role("button", name="Play SanQi now").click()
        ready(page)
        assert shown.count() == board
        assert page.locator(".stage [data-symbol]").count() >= pieces
        page.goto(server.base)

    at_table(page, server.table([ME, engine(2)], position=WON))
    play(page, "Rf4")
    page.locator(".result").wait_for()
    page.goto(server.base)
    card.get_by_text("Next: Fern. A bigger board, with a few pieces already on it.").wait_for()
    card.get_by_role("button", name="Dot again").click()
    assert card.get_by_text("Next:").count() == 0
    begin(61)
    choice = card.get_by_label("Opponent in SanQi")
    choice.wait_for()
    offered = choice.locator("option").all_inner_texts()
    assert offered[:4] == [f"{name} · level {level} · {cells} cells" for name, level, cells in FIRST_FOUR]
    assert len(offered) == 10
    choice.select_option("3")
    begin(91, 3)
    assert choice.locator("option:checked").inner_text().startswith("Fern")
    choice.select_option("10")
    begin(271)


def test_each_card_begins_a_game_against_a_gentle_engine(page: Page, server: Server) -> None:
    for game in server.get("/api/games"):
        page.goto(server.base)
        page.get_by_role("button", name=f"Play {game['title']} now").click()
        ready(page)
        players, level = page.locator(".player"), game["quickStart"]["level"]
        assert players.count() == len(game["players"])
        assert players.filter(has_text=f"level {level}").count() == len(game["players"]) - 1


def test_each_board_is_asked_for_once(page: Page, server: Server) -> None:
    asked: list[Any] = []
    page.on("request", lambda request: asked.append(request.post_data) if "/api/preview" in request.url else None)
    custom(page, server)
    page.wait_for_selector(".board-frame .tile")
    for name in ("The computer", "Anyone", "Same device"):
        page.get_by_role("radiogroup", name="Opponent").get_by_text(name).click()
    page.get_by_role("link", name="Rules", exact=True).last.click()
    page.get_by_role("link", name="Tercet, lobby").click()
    page.wait_for_function(BOARDS)
    assert len(asked) == len(set(asked)) == len(server.get("/api/games")) + 1


def test_the_boards_live_and_rest(meet: Meet, server: Server) -> None:
    step = "() => [...document.querySelectorAll('.cards .living')].map(one => Number(one.dataset.step))"
    page = meet()
    page.goto(server.base)
    page.wait_for_function(f"() => ({step})().filter(one => one >= 1).length === 3")
    for living in page.locator(".cards .living button").all():
        living.click()
    assert page.get_by_role("button", name="Play animation").count() == 3
    held = page.evaluate(step)
    page.wait_for_timeout(1600)  # what is tested: nothing happens within the time of a step
    assert page.evaluate(step) == held
    still = meet(reduced_motion="reduce")
    still.goto(server.base)
    still.wait_for_function(BOARDS)
    still.wait_for_timeout(1600)
    assert (set(still.evaluate(step)), still.get_by_role("button", name="Pause animation").count()) == ({0}, 0)


def test_against_whom_is_said_in_plain_words(page: Page, server: Server) -> None:
    custom(page, server, "The computer", side=4)
    page.wait_for_function("() => document.querySelectorAll('.board-frame .tile').length === 37")
    page.get_by_label("Level").select_option("1")
    page.get_by_label("You play").select_option("1")
    page.get_by_text("Who plays", exact=True).click()
    assert page.get_by_role("combobox", name="First", exact=True).input_value() == "engine-1"
    assert page.get_by_role("combobox", name="Second", exact=True).input_value() == "me"
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_selector(".move")
    ready(page)


def test_about_names_the_source_the_licence_the_version_and_the_designers_pages(page: Page, server: Server) -> None:
    page.goto(f"{server.base}/about")
    words = page.locator("main")
    words.get_by_text(f"Version {server.get('/health')['version']}.").wait_for()
    assert "MIT licence" in words.inner_text()
    assert page.request.get(f"{server.base}{words.get_by_role('link', name='source code').get_attribute('href')}").ok
    for game in server.get("/api/games"):
        assert f"{game['title']} was designed by {game['designer']} ({game['year']})." in words.inner_text()
        for link in game["links"]:
            assert words.get_by_role("link", name=link["title"]).get_attribute("href") == link["address"]


def test_a_game_whose_opening_got_no_answer_is_opened_once(page: Page, server: Server) -> None:
    """A second try opened a second table, and the first could not be used."""
    opened: list[Any] = []

    def lose(route: Route) -> None:
        answer = route.fetch()
        opened.append(answer.json())
        if len(opened) == 1:
            route.abort()
        else:
            route.fulfill(response=answer)

    page.route("**/api/tables", lose)
    page.goto(server.base)
    quick = page.get_by_role("button", name="Play SanQi now")
    quick.click()
    page.locator(".toast").wait_for()
    quick.click()
    ready(page)
    assert opened[0] == opened[1]
    assert opened[0]["id"] in page.url


def test_the_ladder_shows_what_levels_are_worth(page: Page, server: Server) -> None:
    """As of people, with a question mark while it is uncertain; nothing where nothing is known."""
    rating = {"rating": 1480, "low": 1200, "high": 1760, "provisional": True}
    sure = {"rating": 1610, "low": 1500, "high": 1720, "provisional": False}
    lines = [{"level": 1, "rating": rating, "games": 9}, {"level": 2, "rating": sure, "games": 90}]
    lines += [{"level": number, "rating": None, "games": 0} for number in range(3, 11)]
    page.route("**/api/levels/sanqi", lambda route: route.fulfill(json=lines))
    page.goto(f"{server.base}/play/sanqi")
    rungs = page.locator("li", has=page.get_by_role("button", name="Play", exact=False)).filter(has_text="level")
    rungs.filter(has_text="1480?").wait_for()
    assert "1610" in rungs.filter(has_text="level 2").inner_text()
    assert rungs.filter(has_text="learnt from games").count() == 2
