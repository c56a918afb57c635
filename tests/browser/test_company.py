"""Company: quick pairing, games that are played now, previews of links, the dial, and hints beside a game."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.support.waiting import until

from .conftest import PHONE
from .hands import axe
from .screen import fits, visit
from .seats import FIRST_TO_WIN, Meet, engine, seats
from .table import Server, at_ply, at_table, cell, hold, menu, press, ready, resign, said, tap

pytestmark = [pytest.mark.browser, pytest.mark.page, pytest.mark.thorough]


def find(page: Page, game: str = "SanQi", time: str = "5+3") -> None:
    page.get_by_role("button", name=f"{game}, {time}: find an opponent").click()
    page.get_by_text(f"Looking for an opponent: {game}, {time}").first.wait_for()


def test_one_click_each_and_two_people_play(meet: Meet, server: Server) -> None:
    ann, bob = meet(), meet(**PHONE)
    ann.goto(server.base)
    bob.goto(server.base)
    bob.get_by_role("heading", name="SanQi", exact=True).get_by_role("link").click()
    bob.wait_for_url("**/play/sanqi")
    assert bob.title() == "SanQi · Tercet"
    find(ann)
    assert axe(ann, "waiting") == []
    bob.get_by_role("button", name="SanQi, 5+3: find an opponent, 1 waiting").click()
    for page in (ann, bob):
        page.wait_for_url("**/t/*")
        page.wait_for_selector(".stage .cell")
    assert ann.url == bob.url


def test_a_game_against_the_engine_meanwhile(meet: Meet, server: Server) -> None:
    ann, bob = meet(), meet()
    ann.goto(server.base)
    find(ann, "Sparklies", "15+10")
    ann.get_by_role("button", name="Play the computer meanwhile").click()
    ann.wait_for_url("**/t/*")
    meanwhile = ann.url
    bar = ann.get_by_role("group", name="Find an opponent")
    bar.get_by_text("Looking for an opponent: Sparklies, 15+10").wait_for()
    bob.goto(f"{server.base}/play/sparklies")
    bob.get_by_role("button", name="Sparklies, 15+10: find an opponent, 1 waiting").click()
    ann.wait_for_url(lambda url: "/t/" in url and url != meanwhile)
    bob.wait_for_url(ann.url)
    assert bar.count() == 0


def test_who_cancels_waits_no_more(meet: Meet, server: Server) -> None:
    ann = meet()
    ann.goto(server.base)
    find(ann, "Triplicity")
    until(lambda: [one["people"] for one in server.get("/api/lobby?game=triplicity")["seeking"]] == [1])
    ann.get_by_role("button", name="Cancel").click()
    ann.get_by_role("button", name="Triplicity, 5+3: find an opponent", exact=True).wait_for()
    find(ann, "Triplicity")
    ann.get_by_role("button", name="Play the computer instead").click()
    ann.wait_for_url("**/t/*")
    ready(ann)
    assert ann.get_by_role("group", name="Find an opponent").count() == 0
    until(lambda: server.get("/api/lobby?game=triplicity")["seeking"] == [])


def test_a_game_that_is_played_now_is_shown_as_a_board(meet: Meet, server: Server) -> None:
    player, other = meet(), meet()
    at_table(player, server.table(game="sanqi", watch="public"))
    for address in ("/", "/play/sanqi"):
        visit(other, server.base + address, "role=heading[name=/Games in progress/]")
        other.wait_for_function("() => document.querySelector('[aria-labelledby=live] img')?.naturalWidth > 0")
        assert axe(other, f"live{address}") == []
    other.goto(f"{server.base}/play/sparklies")
    other.get_by_role("button", name="Sparklies, 5+3: find an opponent").wait_for()
    assert other.get_by_role("heading", name="Games in progress").count() == 0


def test_a_shared_link_has_its_own_title_description_and_picture(meet: Meet, server: Server) -> None:
    page = meet()
    puzzle, lesson = server.get("/api/puzzles/daily?game=sanqi"), server.get("/api/lessons")[0]
    first = lesson["lessons"][0]["id"]
    page.goto(f"{server.base}/analysis?game=sanqi")
    menu(page, "Copy link")
    analysis = page.evaluate("() => navigator.clipboard.readText()")
    table = server.table(game="sanqi").partition("#")[0]
    seen: dict[str, dict[str, Any]] = {}
    addresses = (f"/puzzles/sanqi/{puzzle['id']}", f"/learn/{lesson['game']}/{first}", "/play/sparklies")
    for address in (table, analysis, *(server.base + path for path in addresses)):
        page.goto(address)
        properties = "all => Object.fromEntries(all.map(one => [one.getAttribute('property'), one.content]))"
        tags = page.locator("meta[property]").evaluate_all(properties)
        drawn = page.request.get(tags["og:image"])
        assert (drawn.status, drawn.headers["content-type"]) == (200, "image/png"), address
        seen[address] = tags
    for tag in ("og:title", "og:image"):
        assert len({tags[tag] for tags in seen.values()}) == len(seen)


def test_a_finished_game_is_saved_as_an_animated_picture(page: Page, server: Server) -> None:
    at_table(page, server.table(position=FIRST_TO_WIN))
    page.get_by_role("button", name="More").first.click()
    assert page.get_by_role("link", name="Save as an animated picture (GIF)").count() == 0
    page.keyboard.press("Escape")
    resign(page)
    page.wait_for_selector(".result")
    page.get_by_role("button", name="More").first.click()
    with page.expect_download(timeout=60_000) as saved:
        page.get_by_role("link", name="Save as an animated picture (GIF)").click()
    assert saved.value.path().read_bytes().startswith(b"GIF89a")


def test_hints_grow_stronger_until_the_move_is_played(page: Page, server: Server) -> None:
    at_table(page, server.table(seats(2, engine()), game="sanqi", options={"side": 4}))
    page.get_by_role("button", name="Hint", exact=True).press("Enter")
    page.locator('[data-hint="place"]').press("Enter")
    said(page, "Look at this part of the board.")
    page.locator('[data-hint="piece"]').click()
    said(page, "Think about this:")
    page.locator('[data-hint="move"]').click()
    words = page.locator(".hints p span")
    page.wait_for_function("() => document.querySelector('.hints p span')?.textContent.includes(' on ')")
    expect(page.locator(".below .prompt")).to_have_text(words.inner_text())  # in sight on a phone
    first, reason = words.inner_text().split(". ", 1)
    kind, where = first.split(" on ")
    assert reason.endswith("."), "it says why"
    assert f"{first}." in (cell(page, where).get_attribute("aria-label") or "")
    hold(page, kind.split()[-1][0].upper())
    press(page, where)
    at_ply(page, 2)
    assert page.locator(".hints").count() == 0, "the hints go with the turn that they were for"


def test_a_hint_of_sparklies_names_the_turn_until_another_cell_is_claimed(phone: Page, server: Server) -> None:
    """It named the claim alone, and stayed on the board once another cell had been claimed."""
    position = "sparklies/board=5x5,ruleset=subtle r0r0r0r0r0/g0r0r1g0g0/g0g0g0r0g0/r0g0r0b0b0/g0b0g0b0b0 B c 0"
    at_table(phone, server.table(seats(2, engine()), position=position))
    phone.get_by_role("button", name="Hint", exact=True).tap()
    phone.locator('[data-hint="move"]').tap()
    phone.wait_for_function("() => document.querySelector('.prompt')?.textContent.includes('Ping ')", timeout=120_000)
    prompt = phone.locator(".below .prompt")
    claim, *_ = prompt.inner_text().removeprefix("Claim ").split(". ")
    tap(phone, claim)
    phone.locator(".confirm[data-steps='1']").wait_for()
    assert prompt.inner_text().startswith("Ping ")
    assert phone.locator(".stage .edge.hint").count() == 1
    phone.locator(".confirm").get_by_role("button").first.tap()
    phone.locator(".confirm").wait_for(state="detached")
    assert prompt.inner_text().startswith(f"Claim {claim}. Ping ")
    tap(phone, "a1" if claim != "a1" else "e5")
    phone.locator(".confirm[data-steps='1']").wait_for()
    assert prompt.inner_text() == "Your turn: recolour one of your cells (a ping) in any colour."
    assert phone.locator(".stage .edge.hint").count() == 0


def games(page: Page) -> int:
    return int(re.sub(r"\D", "", page.locator(".count").inner_text()))


def on_side_5(page: Page) -> None:
    page.get_by_role("spinbutton", name="Side").fill("5")
    page.keyboard.press("Tab")
    page.locator(".count").wait_for(timeout=60_000)


def played_more(page: Page, than: int) -> None:
    page.wait_for_function(f"() => +document.querySelector('.count').textContent.replace(/\\D/g, '') > {than}")


def test_a_rule_is_changed_and_a_link_carries_the_study(page: Page, phone: Page, server: Server) -> None:
    page.goto(f"{server.base}/rules/triplicity")
    page.get_by_role("link", name="What does a rule change?").click()
    page.wait_for_url("**/dial/triplicity")
    page.get_by_label("Players").select_option("1")
    page.get_by_label("Compare with").select_option(index=1)
    assert page.get_by_text("Change a rule to begin.").is_visible()
    visit(page, f"{server.base}/dial/sanqi", "text=Change a rule to begin.")
    assert page.get_by_role("button", name="Play games").is_disabled()
    assert axe(page, "dial") == []
    on_side_5(page)
    played_more(page, 199)
    link, _ = copied(page)
    rows = page.locator("tbody tr th").all_inner_texts()
    assert rows == ["First's score", "Second's score", "Draws", "Actions per game"]
    assert axe(page, "dial-results") == []
    played = games(page)
    phone.goto(link)
    phone.get_by_text(re.compile(r"\d+ games from the link were replayed and ended the same")).wait_for(timeout=60_000)
    phone.locator(".count").wait_for()
    assert games(phone) == played
    assert fits(phone)
    phone.get_by_role("button", name="Play more games").click()
    played_more(phone, played)
    phone.get_by_role("button", name="Stop").click()


CARRIED = """async text => {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).json();
}"""


def extended(page: Page, link: str) -> Any:
    """Open the link to a study, play more of its games and return what a link to it carries then."""
    page.goto(link)
    page.get_by_text("were replayed and ended the same").wait_for(timeout=60_000)
    page.locator(".count").wait_for()
    played = games(page)
    page.get_by_role("button", name="Play more games").click()
    played_more(page, played)
    return copied(page)


def copied(page: Page) -> Any:
    """Stop, and return a link to the study and what it carries."""
    page.get_by_role("button", name="Stop").click()
    page.wait_for_load_state("networkidle")  # the last games are compared
    page.evaluate("navigator.clipboard.writeText = async text => { window.copied = text; }")
    page.get_by_role("button", name="Copy link to this study").click()
    link = page.wait_for_function("() => window.copied").json_value()
    return link, page.evaluate(CARRIED, link.split("#")[1])


def test_two_people_who_extend_one_link_play_other_games(page: Page, phone: Page, server: Server) -> None:
    page.goto(f"{server.base}/dial/sanqi")
    on_side_5(page)
    link, study = copied(page)
    before = len(study["lots"]["changed"])
    (own_link, own), (_, other) = extended(page, link), extended(phone, link)
    for extension in (own, other):
        assert [part[0] for part in extension["parts"]] == [0, before]
        for side in ("usual", "changed"):
            assert extension["lots"][side][:before] == study["lots"][side]
    assert own["parts"][1] != other["parts"][1]
    assert own["lots"]["changed"][before] != other["lots"]["changed"][before]
    assert [part[0] for part in extended(phone, own_link)[1]["parts"]] == [0, before, len(own["lots"]["changed"])]


def test_a_link_whose_results_were_altered_is_found_out(page: Page, server: Server) -> None:
    page.goto(f"{server.base}/dial/sparklies")
    made = """async () => {
        const lot = [0.9, 0.1, 0, 12];
        const data = {
            game: "sparklies", usual: {board: "5x5"}, changed: {board: "3x3"}, level: 0, parts: [[0, 1]], games: 16,
            lots: {usual: [lot, lot, lot], changed: [lot, lot, lot]},
        };
        const stream = new Blob([JSON.stringify(data)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
        const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
        return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
    }"""
    page.goto(f"{server.base}/dial/sparklies#{page.evaluate(made)}")
    page.get_by_text(re.compile("some ended differently")).wait_for(timeout=60_000)
    visit(page, f"{server.base}/dial/sparklies#rubbish", "text=This link doesn't contain a study of this game.")
