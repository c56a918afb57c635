"""Lessons in the page: done on the board, wrong tries answered, progress kept."""

import json

import pytest
from playwright.sync_api import Page, expect

from .hands import Hands, enter
from .online import sign
from .screen import Size, bottom, box, fits, named, resize, visit
from .seats import Meet
from .table import PATIENCE, Server, cell, choose, hold, press, ready, stored

pytestmark = [pytest.mark.browser, pytest.mark.page]


def at_step(page: Page, number: int, state: str = "going") -> None:
    page.wait_for_selector(f'.middle[data-step="{number}"][data-state="{state}"]')


def test_from_the_first_page_through_a_lesson(page: Page, server: Server) -> None:
    page.goto(server.base)
    page.get_by_role("link", name="Learn SanQi in two minutes").click()
    at_step(page, 0)
    assert page.url.endswith("/learn/sanqi/placing")
    lesson = server.get("/api/lessons/sanqi/placing")
    for number, step in enumerate(lesson["steps"]):
        at_step(page, number)
        if number == 5:  # what is not legal is explained
            hold(page, "R")
            cell(page, "d5").click(force=True)
            ko = "Ko: the piece on d5 was just played, so it can't be replaced this turn."
            page.locator("main").get_by_text(ko, exact=True).wait_for()
        frames = server.get(f"/api/lessons/sanqi/placing/{number}/solution")["frames"]
        enter(page, step["view"]["paths"], frames[0]["text"])
        at_step(page, number, "reached")
        assert step["task"]
        page.get_by_role("button", name="Finish" if number == len(lesson["steps"]) - 1 else "Next").click()
    page.get_by_role("link", name="Next lesson").click()
    page.wait_for_url("**/learn/sanqi/winning")
    page.get_by_role("link", name="The rules").click()
    page.get_by_text("done", exact=True).wait_for()


def test_each_lesson_is_listed_with_a_board_of_its_own_and_its_progress(phone: Page, server: Server) -> None:
    kept = {"sanqi/placing": {"steps": 2, "done": False, "at": 1}}
    phone.add_init_script(f"localStorage.setItem('tercet.lessons', JSON.stringify({json.dumps(kept)}))")
    for game in server.get("/api/lessons"):
        phone.goto(f"{server.base}/learn/{game['game']}")
        expect(phone.locator("li .cover .board")).to_have_count(len(game["lessons"]))
        boards = phone.locator(".cover").evaluate_all("all => all.map(one => one.innerHTML)")
        assert len(set(boards)) == len(boards)
    phone.goto(f"{server.base}/learn/sanqi")
    first = phone.locator("main li").first
    first.get_by_text("step 3 of 6").wait_for()
    assert first.locator("progress").evaluate("one => one.position") == pytest.approx(2 / 6)
    first.locator(".cover").click(force=True)  # the whole entry leads there
    phone.wait_for_url("**/learn/sanqi/placing")


def test_rules_begin_with_pictures_and_offer_the_game_to_print(phone: Page, server: Server) -> None:
    links = {}
    for game in server.get("/api/games"):
        visit(phone, f"{server.base}/rules/{game['name']}", "article figure .board")
        first = phone.locator("article section").first
        assert first.locator("figure").count() == 2
        ends = [bottom(figure) for figure in first.locator("figure").all()]
        assert max(ends) <= box(first.get_by_role("heading"))["y"]
        assert max(ends) < 844, "in sight"
        phone.get_by_role("link", name="PDF, Letter", exact=True).wait_for()
        links[game["name"]] = phone.get_by_role("link", name="PDF, A4", exact=True).get_attribute("href")
    made = phone.request.get(f"{server.base}{links['sparklies']}", timeout=2 * PATIENCE * 1000)
    assert (made.headers["content-type"], made.body()[:4]) == ("application/pdf", b"%PDF")


def test_by_keys_alone_on_a_phone_too(phone: Page, server: Server) -> None:
    phone.goto(f"{server.base}/learn/sanqi/winning")
    at_step(phone, 0)
    assert fits(phone)
    hands = Hands.__new__(Hands)
    hands.page = phone
    phone.keyboard.press("r")
    hands.walk_to("e3")
    phone.keyboard.press("Enter")
    at_step(phone, 0, "reached")
    phone.keyboard.press("Enter")  # the way on has the focus
    at_step(phone, 1)


@pytest.mark.parametrize("game", ["triplicity", "sparklies"])
def test_a_lesson_of_each_game(page: Page, server: Server, game: str) -> None:
    ident = server.get("/api/lessons")[["sanqi", "triplicity", "sparklies"].index(game)]["lessons"][0]["id"]
    page.goto(f"{server.base}/learn/{game}/first")
    page.wait_for_url(f"**/{ident}")
    lesson = server.get(f"/api/lessons/{game}/{ident}")
    for number in range(2):
        at_step(page, number)
        action = server.get(f"/api/lessons/{game}/{ident}/{number}/solution")["frames"][0]["text"]
        enter(page, lesson["steps"][number]["view"]["paths"], action, lesson["tables"][0]["picks"])
        at_step(page, number, "reached")
        page.get_by_role("button", name="Next").click()


@pytest.mark.parametrize("size", [(390, 844), (1280, 800)], ids=named)
@pytest.mark.parametrize(
    ("lesson", "steps", "onward"),
    [
        ("sanqi/placing", "#R c3", "Next lesson: How to win"),
        ("sanqi/game", "#Y c2", "Play"),
        ("sparklies/taking", "c2 #R c2", "Next lesson: Chains"),
    ],
    ids=lambda value: value if isinstance(value, str) and "/" in value else "",
)
def test_what_follows_is_in_sight(page: Page, server: Server, size: Size, lesson: str, steps: str, onward: str) -> None:
    resize(page, size)
    last = len(server.get(f"/api/lessons/{lesson}")["steps"]) - 1
    page.goto(f"{server.base}/learn/{lesson}")
    page.get_by_role("button", name=f"Step {last + 1}:").click()
    at_step(page, last)
    page.evaluate("scrollTo(0, 0)")
    for step in steps.split():
        hold(page, step[1:]) if step.startswith("#") else press(page, step)
    at_step(page, last, "reached")
    for button in (page.get_by_role("button", name="Finish"), page.locator(".side").get_by_role("link", name=onward)):
        assert page.evaluate("scrollY") == 0
        assert bottom(button) <= size[1]
        button.click()


def test_a_first_game_is_accompanied_until_that_is_put_away(page: Page, server: Server) -> None:
    page.goto(server.base)
    stored(page, "lessons", {"sanqi/first-game": {"steps": 0, "done": True}})
    page.reload()  # the guided first game is over
    page.get_by_role("button", name="Play SanQi now").click()
    companion = page.get_by_role("region", name="Your first games")
    companion.get_by_text("Your goal:").wait_for()
    companion.get_by_role("button", name="Any tips?").click()
    page.locator(".prompt").get_by_text("close together").wait_for()
    ready(page)
    choose(page, "Re5")
    companion.get_by_text("Last turns:").wait_for()
    companion.get_by_role("button", name="Dismiss").click()
    companion.wait_for(state="detached")
    page.reload()
    page.wait_for_selector(".stage .cell")
    page.wait_for_timeout(500)
    assert companion.count() == 0


def test_progress_goes_with_the_account(meet: Meet, server: Server) -> None:
    first, second = meet(), meet()
    first.goto(server.base + "/learn/sanqi")
    stored(first, "lessons", {"sanqi/placing": {"steps": 0, "done": True}})
    for page, new in ((first, True), (second, False)):
        sign(page, server, "learner", new=new)
        page.get_by_role("link", name="learner").first.wait_for()
        page.goto(server.base + "/learn/sanqi")
        page.get_by_text("done", exact=True).wait_for()
