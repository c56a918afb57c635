"""The analysis board: branches and comments kept, written and handed on; the whole game judged; little is asked."""

import re
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, Request, expect

import tercet
from tests.support.waiting import until

from .conftest import PHONE
from .screen import Size, bottom, box, resize, styles
from .seats import Meet
from .table import Server, at_ply, keys, standing

pytestmark = [pytest.mark.browser, pytest.mark.page]

HEAD = '[Game "sanqi"]\n[Options "side=4"]\n[Event "Friday"]\n'
ANALYSIS = HEAD + "\n1. Rd4 {middle} (1. Yc3 Ba4) 1... Yd5 (1... Bc4 2. Rc3) 2. Bc4 *\n"
# First has four of a circle's six, puts a fifth there, is stopped, and does not see that he wins all the same.
MISSED = HEAD + '[Position "sanqi/4 4/5/2RR2/2R1R2/6/5/4 F -"]\n\n1. Rd3 Be3 2. Ya4 Yb4 *\n'

# Of three on seven cells.
THREE = """[Game "sparklies"]
[Options "board=hex2 players=3"]
[Position "sparklies/board=hex2,ruleset=subtle,players=3 r0r0/g0g0r0/g0g0 B c 0"]

1. +c1 c1=B 1... +b1 b1=B 1... +c2 c2=B 2. +b2 c1=B 2... +a2 b1=B 2... +b3 c2=B 3. +a3 c1=B *
"""


def opened(page: Page, server: Server, record: str, ply: int) -> None:
    page.goto(server.base + "/about")
    page.evaluate("text => sessionStorage.setItem('tercet.analysis', text)", record)
    page.goto(server.base + "/analysis?pasted")
    at_ply(page, ply)


def reads(page: Page, told: str) -> None:
    until(lambda: "".join(page.locator(".tree").inner_text().split()) == told, what=told)


def copied(page: Page, what: str) -> str:
    page.evaluate("() => navigator.clipboard.writeText('')")
    page.get_by_role("button", name="More").click()
    page.get_by_role("button", name=what).click()
    page.locator(".toast", has_text="copied").first.wait_for()
    text = ""
    while not text:  # the notice may be that of an earlier copy; the test's own limit ends this
        page.wait_for_timeout(50)
        text = page.evaluate("() => navigator.clipboard.readText()")
    page.keyboard.press("Escape")
    return text


@pytest.mark.parametrize("size", [(390, 844), (1280, 800)])
def test_the_current_move_is_in_sight_in_the_list_of_moves(meet: Meet, server: Server, size: Size) -> None:
    width, height = size
    page = meet(viewport={"width": width, "height": height})
    game = tercet.game("sanqi", side=6)
    position, played = game.start(), list[str]()
    for ply in range(60):
        played.append(str(position.legal_actions[7 * ply % len(position.legal_actions)]))
        position = position.play(played[-1])
    opened(page, server, tercet.Record.from_actions(game, game.start(), played).write(), 60)
    for ply in (60, 59, 40, 1):
        page.evaluate("ply => document.querySelectorAll('.tree .move')[ply - 1].click()", ply)
        at_ply(page, ply)
        page.wait_for_function(
            """() => {
                const [outer, inner] = ['.tree', '.tree [aria-current]'].map((one) =>
                    document.querySelector(one).getBoundingClientRect());
                const bar = document.querySelector('.desk .actions').getBoundingClientRect();
                const lowest = Math.min(outer.bottom + 1, bar.top);
                return inner.top >= outer.top - 1 && inner.bottom <= lowest && scrollY === 0;
            }"""
        )


def test_branches_and_comments_are_kept_written_and_handed_on(meet: Meet, server: Server) -> None:
    page, phone = meet(), meet(**PHONE)
    opened(page, server, ANALYSIS, 3)
    told = "1.Rd4middle(1.Yc3Ba4)1…Yd5(1…Bc42.Rc3)2.Bc4"
    reads(page, told)
    page.locator(".tree .move", has_text="Ba4").click()
    at_ply(page, 2)
    page.get_by_role("button", name="Comment", exact=True).click()
    page.wait_for_function("() => document.activeElement.tagName === 'TEXTAREA'")  # else letters would choose pieces
    page.keyboard.type("a corner")
    page.get_by_role("button", name="Save").click()
    reads(page, told := told.replace("Ba4", "Ba4acorner"))
    record = copied(page, "Copy record with all variations")
    assert '[Event "Friday"]' in record
    moves = " ".join(record.partition("\n\n")[2].split())
    assert moves == "1. Rd4 {middle} (1. Yc3 Ba4 {a corner}) 1... Yd5 (1... Bc4 2. Rc3) 2. Bc4 *"
    variation = copied(page, "Copy record of this variation").partition("\n\n")[2]
    assert variation.split() == ["1.", "Yc3", "Ba4", "{a", "corner}", "*"]
    link = copied(page, "Copy link with all variations")
    phone.goto(link)
    at_ply(phone, 2)
    standing(phone, "a4", "B")
    reads(phone, told)
    page.reload()
    at_ply(page, 2)
    reads(page, told)
    phone.goto(link[:-12])
    phone.get_by_role("alert").filter(has_text="incomplete").wait_for()


def test_as_little_as_possible_is_asked(page: Page, server: Server) -> None:
    opened(page, server, ANALYSIS, 3)
    page.locator(".tree .move", has_text="Rc3").wait_for()
    page.wait_for_load_state("networkidle")  # what opening asked for is answered
    asked: list[Request] = []
    page.on("request", lambda request: asked.append(request) if request.method == "POST" else None)
    keys(page, "ArrowLeft", ply=2)
    keys(page, "ArrowLeft", ply=1)
    told = [(one.url.rpartition("/api")[2], (one.post_data_json or {})["moves"]) for one in asked]
    assert told == [("/position", []), ("/position", [])]
    keys(page, "End", ply=3)
    keys(page, "ArrowLeft", ply=2)
    assert len(asked) == 2, "what has been seen is not asked again"


def test_the_whole_game_is_judged(page: Page, server: Server) -> None:
    opened(page, server, MISSED, 4)
    page.get_by_role("button", name="Full computer analysis").click()
    page.locator("progress").wait_for(state="detached", timeout=90_000)
    swings = page.get_by_role("list", name="Mistakes").get_by_role("button")
    missed = swings.filter(has_text="Ya4")
    says = " ".join(missed.inner_text().split())
    assert re.search(r"2\. Ya4 \?.*First 100 % → \d+ %", says), "a proved win was missed"
    missed.click()
    at_ply(page, 3)
    assert "?" in page.locator(".tree .move[aria-current]").inner_text()
    assert page.locator(".graph polyline.own").count() == 2
    resize(page, (1366, 650))  # a laptop's window
    assert bottom(page.locator(".graph")) <= box(page.locator(".actions"))["y"], "the graph was below the fold"
    assert page.locator(".graph .mark").count() == swings.count()
    expect(page.locator(".eval .unknown")).to_have_count(0)  # the position is judged
    for light in ("light", "dark"):
        page.emulate_media(color_scheme=light)
        tones = styles(page.locator(".graph polyline.own"), "stroke")
        parts = styles(page.locator(".eval .part"), "backgroundColor")
        assert tones == parts, "a player has one tone in the bar and in the graph"


def test_engine_lines_are_moves_and_nothing_is_certain_that_is_not_proved(page: Page, server: Server) -> None:
    page.goto(f"{server.base}/analysis?position={quote('sanqi/4 4/5/6/3R3/6/5/4 S d4')}")
    at_ply(page, 0)
    page.get_by_role("button", name="Engine").click()
    first = page.locator(".lines li").first
    first.locator(".step").nth(3).wait_for(timeout=120_000)
    steps = [" ".join(text.split()) for text in first.locator(".step").all_inner_texts()]
    assert re.fullmatch(r"1\. [RYB]\w+", steps[0]), "Second begins here"
    assert re.fullmatch(r"2\. [RYB]\w+", steps[1])
    assert re.fullmatch(r"[RYB]\w+", steps[2])
    assert not page.locator(".lines .proved").count()
    assert all(1 <= int(text.split()[0]) <= 99 for text in page.locator(".lines .score").all_inner_texts())


def test_the_politics_of_a_game_of_three_are_measured(page: Page, server: Server) -> None:
    """As curves, in a table and in a list; it can be stopped and goes on; a game of two has no such thing."""
    opened(page, server, ANALYSIS, 3)
    page.get_by_role("button", name="Full computer analysis").wait_for()
    assert not page.get_by_role("region", name="Politics").count()

    opened(page, server, THREE, 14)
    section = page.get_by_role("region", name="Politics")
    section.get_by_role("button", name="Analyse the politics").click()
    section.get_by_role("progressbar", name="Positions analysed").wait_for()
    section.get_by_role("button", name="Stop").click()
    section.get_by_role("button", name="Analyse the politics").click()
    section.get_by_role("progressbar").wait_for(state="detached", timeout=200_000)
    section.get_by_role("table").wait_for(timeout=90_000)
    assert not section.get_by_role("button", name="Analyse the politics").count(), "nothing is left to measure"

    assert section.get_by_role("img", name="Politics over the game").locator("polyline.own").count() == 2
    assert section.get_by_role("rowheader").all_inner_texts() == ["Black", "White", "Grey"]
    cells = section.get_by_role("cell").all_inner_texts()
    assert len(cells) == 3 * 4
    assert all(re.fullmatch(r"–|\d+ %|−?\d\.\d\d", text) for text in cells)
    decided = section.get_by_role("list", name="Decisions of players who could no longer win")
    assert decided.or_(section.get_by_text("No player without a chance could shift 5 %")).count() == 1
