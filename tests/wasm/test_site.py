"""The site without a server in a real Chromium: all that it does with no network, and what it says is missing."""

import json
import os
import random
import re
import shutil
import zlib
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page

import tercet
from benchmarks.site import SNAPSHOTS
from tercet.answers.trainer import trainer_data
from tercet.answers.translation import LANGUAGES
from tercet.browser.site import PLACE, PYODIDE, SiteError, build_site
from tercet.learning.puzzles import read, shipped
from tests.browser import test_analyses as analyses
from tests.browser import test_learn as lessons
from tests.browser import test_puzzles as puzzles
from tests.browser.hands import enter
from tests.browser.seats import ME, SMALL, engine, seats
from tests.browser.table import at_ply, play, ready
from tests.support.present import present
from tests.support.refusals import refuses
from tests.support.waiting import until
from tests.wasm.dial import COUNT, freed, turn_the_dial
from tests.wasm.modules import GAMES
from tests.wasm.site import STARTED, TWO, Host, Line, Site, SiteHands, Visitor, begun, end_shared_worker, keep, replace

LONGEST = 150  # plies of a person in a game
MOST_COMPRESSED = 8_000_000  # bytes of a first visit
SPOKEN = """async ([method, path, body, language]) => {
    const headers = { "accept-language": language };
    return (await tercetBackend.fetch(path, { method, headers, ...(body && { body }) })).json();
}"""
OLD = (  # addresses as a server has them, and what they lead to
    ("/learn/sanqi", "/#/learn/sanqi"),
    ("/learn/", "/#/learn/"),
    ("/analysis?game=sanqi", "/#/analysis?game=sanqi"),
    ("/rules/sanqi#goal", "/#/rules/sanqi#goal"),
    ("/no/such/page", "/#/no/such/page"),
)
pytestmark = [pytest.mark.wasm, pytest.mark.browser, pytest.mark.timeout(900)]


def test_whole_games_a_lesson_a_puzzle_and_an_analysis_without_a_network(host: Host, visitor: Visitor) -> None:
    first = visitor().new_page()
    Site(first, host)
    assert not first.get_by_role("link", name="Sign in").count(), "what needs a server"
    keep(first)
    until(lambda: first.evaluate(SNAPSHOTS))
    first.close()
    host.close()
    page = first.context.new_page()
    page.add_init_script("localStorage.setItem('tercet.settings', '{\"companion\": false}')")  # nothing is asked
    site = Site(page, host)
    for game in site.get("/api/games"):
        chairs = seats(len(game["players"]), engine())
        hands = SiteHands(site, game=game["name"], options=game["quickStart"]["options"], seats=chairs, seed=1)
        chance = random.Random(1)
        while not hands.over:
            assert hands.state["ply"] < 3 * LONGEST
            plain = [path for path in hands.paths if not any(step.startswith("#") for step in path[1])]
            hands.play(chance.choice(plain or hands.paths)[0])
        assert page.locator(".result p").first.inner_text()
    # A lesson.
    site.goto("/learn/sanqi/placing")
    lesson = site.get("/api/lessons/sanqi/placing")
    for number in range(len(lesson["steps"])):
        lessons.at_step(page, number)
        action = site.get(f"/api/lessons/sanqi/placing/{number}/solution")["frames"][0]["text"]
        enter(page, lesson["steps"][number]["view"]["paths"], action)
        lessons.at_step(page, number, "reached")
        page.get_by_role("button", name="Finish" if number == len(lesson["steps"]) - 1 else "Next").click()
    page.get_by_role("link", name="Next lesson").wait_for()
    # A puzzle.
    puzzle = puzzles.ONE
    site.goto(f"/puzzles/sanqi/{puzzle['id']}")
    puzzles.shown(page, puzzle["id"], "going")
    enter(page, site.get(f"/api/puzzles/{puzzle['id']}")["view"]["paths"], next(iter(puzzle["right"])))
    puzzles.shown(page, puzzle["id"], "right")
    assert "(+" in page.locator("[data-standing]").inner_text()
    # An analysis, one that is kept, and a position that is set up.
    site.goto("/analysis?game=sanqi")
    ready(page)
    page.get_by_role("button", name="Engine").click()
    page.locator(".lines .move, .lines button").first.wait_for()
    site.goto("/analysis?position=sanqi/4 4/5/6/7/6/5/4 F -")
    ready(page)
    play(page, "Rd4")
    analyses.save(page)
    address = page.url
    analyses.drag(page, "c3", "e5", "right")
    analyses.remark(page, "A good move.")
    analyses.stored(page)
    site.goto("/")
    page.goto(address)
    ready(page)
    page.locator(".tree .move").click()
    page.locator(".tree", has_text="A good move.").wait_for()
    page.wait_for_selector('[data-shape="Gc3e5"]')
    site.goto("/editor?game=sanqi")
    page.locator(".palette label", has=page.get_by_role("radio", name="Yellow")).click()
    page.locator('[data-cell="e1"]').click()
    page.wait_for_function("() => /Y4/.test(document.querySelector('.side textarea').value)")
    page.get_by_role("button", name="Analyse").click()
    ready(page)
    page.locator('[data-cell="e1"][data-symbol="Y"]').wait_for()


def test_the_trainer_has_all_its_puzzles_once_opened_and_offline(built: Path, host: Host, visitor: Visitor) -> None:
    """They are no part of a first visit. Where they cannot be loaded, the page says so, and tries again."""
    (pack,) = built.glob("motifs-*.pack")
    host.missing = {pack.name}
    first = visitor().new_page()
    site = Site(first, host)
    first.wait_for_function(STARTED)
    assert f"/{pack.name}" not in host.asked
    site.goto("/puzzles/sanqi/trainer")
    first.get_by_role("alert").get_by_text("The puzzles of the trainer could not be loaded.").wait_for()
    host.missing = set()
    first.get_by_role("button", name="Try again").click()
    first.locator("[data-holds]").wait_for()
    assert site.get("/api/puzzles/trainer") == trainer_data("", {}, 0)
    keep(first)
    first.close()
    host.close()
    page = first.context.new_page()
    site = Site(page, host)
    for game in GAMES:
        site.goto(f"/puzzles/{game}/trainer")
        page.get_by_role("button", name="Learn a new motif").click()
        page.get_by_role("button", name="Show solution").click()
        page.locator(".side [data-motif]").wait_for()
        made = next(read(shipped(game)[-1]))["id"]
        site.goto(f"/puzzles/{game}/{made}")
        puzzles.shown(page, made, "going")
    assert len(site.get("/api/puzzles/history")["tried"]) == len(GAMES)


def test_every_address_of_the_page_is_kept(host: Host, visitor: Visitor) -> None:
    first = visitor().new_page()
    Site(first, host)
    keep(first)
    host.close()
    for address in ("/", "/index.html", "/?from=a-letter", "/?from=a-letter#/learn", *(old for old, _ in OLD)):
        page = first.context.new_page()
        page.goto(host.base + address)
        page.wait_for_url(host.base + dict(OLD).get(address, address))
        page.locator("main h1, main h2").first.wait_for()
        page.close()


def test_an_address_without_a_hash_leads_to_its_page(built: Path, page: Page, tmp_path: Path) -> None:
    """The host sends ``404.html``, wherever the site lies."""
    shutil.copytree(built, tmp_path / "games" / "tercet", copy_function=os.link)
    host = Host(tmp_path)
    host.lost = "games/tercet/404.html"
    for old, new in OLD:
        page.goto(f"{host.base}/games/tercet{old}")
        page.wait_for_url(f"{host.base}/games/tercet{new}")
        page.locator("main h1, main h2").first.wait_for()
    page.goto(f"{host.base}/elsewhere/learn")
    page.get_by_text("There is no page at this address.").wait_for()
    host.close()


def test_the_address_of_every_page_can_be_handed_on(host: Host, page: Page) -> None:
    Site(page, host)
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Rules").click()
    page.get_by_role("heading", level=1).wait_for()
    assert page.url == f"{host.base}/#/rules"
    other = page.context.new_page()
    other.goto(page.url)
    other.get_by_role("heading", level=1).wait_for()
    page.keyboard.press("Tab")
    page.evaluate("document.querySelector('.skip').click()")
    assert page.url == f"{host.base}/#/rules"
    assert page.evaluate("document.activeElement.id") == "main"


def test_games_are_kept_and_move_to_another_device(host: Host, page: Page, visitor: Visitor, tmp_path: Path) -> None:
    saved = tmp_path / "tercet.json"
    begun(page, host)
    table = page.url
    page.reload()
    at_ply(page, 1)
    page.get_by_role("link", name="Your games").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save to a file").click()
    download.value.save_as(saved)
    assert json.loads(saved.read_text("utf-8"))["format"] == "tercet-device-1"
    page = visitor().new_page()
    Site(page, host)
    page.get_by_role("link", name="Your games").click()
    wrong = tmp_path / "wrong.json"
    wrong.write_text("{}")
    page.locator("input[accept*='json']").set_input_files(wrong)
    page.get_by_text("This is not a file of saved Tercet games.").first.wait_for()
    with page.expect_event("load"):
        page.locator("input[accept*='json']").set_input_files(saved)
    page.goto(table)
    at_ply(page, 1)


def test_own_games_and_those_from_files_are_explored(host: Host, page: Page, tmp_path: Path) -> None:
    start = tercet.game("sanqi", side=4).start()
    first, second, third = map(str, list(start.legal_actions)[0:9:4])
    records = tmp_path / "games.txt"
    games = [tercet.Record.from_actions(start.game, start, line) for line in ([second, first], [second, third])]
    records.write_text("\n".join(game.write() for game in games), "utf-8")
    site = Site(page, host)
    for cell in (first, second):
        hands = SiteHands(site, **TWO)
        hands.play(next(path[0] for path in hands.paths if path[0] == cell))
    page.get_by_role("link", name="Your games").click()
    page.locator("[data-records]").set_input_files(records)
    page.get_by_text("Games added: 2.").first.wait_for()
    page.get_by_text("Games from files: 2").wait_for()
    page.get_by_role("link", name=re.compile("SanQi.*games: 4")).click()

    shown = page.locator("[data-played]")
    page.locator("[data-played='4']").wait_for()
    played = [(one.get_attribute("data-move"), one.locator("+ span").inner_text()) for one in moves(page)]
    assert played == [(second, "3"), (first, "1")]
    shown.locator(f"[data-move='{second}']").click()
    page.locator("[data-played='3']").wait_for()
    at_ply(page, 1)
    assert {one.get_attribute("data-move") for one in moves(page)} == {first, third}
    links = [link.get_attribute("href") or "" for link in shown.get_by_role("link").all()]
    assert ["loaded=" in link for link in links] == [False, True, True]
    for link in links:
        page.goto(f"{host.base}/{link}")
        page.locator("[data-played='3']").wait_for()
        at_ply(page, 1)


def moves(page: Page) -> list[Locator]:
    return page.locator("[data-played] [data-move]").all()


def test_windows_share_one_worker_or_take_turns(host: Host, page: Page, visitor: Visitor) -> None:
    hands = SiteHands(Site(page, host), **TWO)
    other = page.context.new_page()
    other.goto(page.url)
    at_ply(other, 0)
    hands.play(hands.paths[0][0])
    at_ply(other, 1)
    context = visitor()
    context.add_init_script("delete globalThis.SharedWorker")
    page, other = context.new_page(), context.new_page()
    Site(page, host)
    other.goto(host.base)
    other.get_by_text("Tercet is already open in another window.").wait_for()
    page.close()
    other.wait_for_selector("article.card")


CORES = "Object.defineProperty(navigator, 'hardwareConcurrency', {{ get: () => {} }})".format
# Ends the worker of the engines, as a crash does.
CRASH = """script => {
    const build = document.querySelector("meta[name=tercet-build]").content;
    const worker = new SharedWorker(script, { type: "module", name: `engines ${build}` });
    worker.port.postMessage({ do: "restart" });
}"""
HELPED = "() => tercetBackend.device.state.helped"
# Plays the first of all actions at a table, and tells whether a request was answered while the engine thought on.
PLAY = """([table, plies]) => new Promise((done) => {
    const socket = tercetBackend.open(`/api/tables/${table}/live`);
    const actions = [];
    let ply, answered, during = false;
    socket.onmessage = ({ data }) => {
        const { type, kind, action, state } = JSON.parse(data);
        if (type === "thinking") {
            const at = ply;
            during ||= answered === at;
            tercetBackend.fetch("/api/lessons", {}).then(() => { answered = at; });
        }
        if (kind === "action") actions.push(action);
        if (!state) return;
        ({ ply } = state);
        if (state.mover !== 0) return;
        if (ply >= plies) return done({ actions, during });
        socket.send(JSON.stringify({ type: "act", id: `m${ply}`, ply, action: state.view.paths[0][0] }));
    };
})"""


def against(site: Site, level: int) -> str:
    wish = {"game": "sanqi", "options": {"side": 5}, "seats": [ME, engine(level)]}
    return str(site.post("/api/tables", wish)["id"])


def test_engines_think_in_a_second_worker_while_the_first_one_answers(host: Host, page: Page, visitor: Visitor) -> None:
    page.add_init_script(CORES(1))
    site = Site(page, host)
    table = against(site, 3)
    stored = page.evaluate("() => tercetBackend.device.exported()")
    alone = page.evaluate(PLAY, [table, 8])
    assert not page.evaluate(HELPED)
    assert not page.evaluate(PLAY, [against(site, 10), 8])["during"]
    page.context.close()
    page = visitor().new_page()
    site = Site(page, host)
    with page.expect_event("load"):
        page.evaluate("text => void tercetBackend.device.imported(text)", stored)
    page.evaluate("path => void tercetBackend.open(path)", "/api/analysis")
    page.wait_for_function(HELPED)
    assert page.evaluate(PLAY, [table, 8])["actions"] == alone["actions"]
    assert page.evaluate(PLAY, [against(site, 10), 8])["during"]


WIDTH = """() => {
    const [low, high] = document.querySelector('tbody td:last-child').textContent.match(/[+−]?\\d+\\.\\d/g);
    return Number(high.replace('−', '-')) - Number(low.replace('−', '-'));
}"""
# Notes what the worker of all windows is asked for.
NOTE = """() => {
    const { fetch } = tercetBackend;
    window.asked = [];
    tercetBackend.fetch = (path, init) => { asked.push(path); return fetch(path, init); };
}"""


def test_the_dial_plays_in_workers_of_its_own_without_a_network(host: Host, visitor: Visitor) -> None:
    context = visitor()
    context.add_init_script(CORES(3))
    page, other = context.new_page(), context.new_page()
    keep(Site(page, host).page)
    until(lambda: page.evaluate(SNAPSHOTS))
    hands = SiteHands(Site(other, host), seats=[ME, engine()], **SMALL)
    other.wait_for_function(HELPED)
    host.close()
    page.evaluate(NOTE)
    page.evaluate("location.hash = '/dial/sanqi'")
    page.get_by_label("Players").select_option("3")
    turn_the_dial(page)
    page.wait_for_function(f"() => ({COUNT})() > 0")
    assert len(page.workers) == 2
    played = page.evaluate(COUNT)
    hands.play(hands.paths[0][0])
    at_ply(other, 2)
    page.wait_for_function(f"() => ({COUNT})() > {played}")
    assert "/api/dial" not in page.evaluate("asked")
    page.get_by_role("button", name="Stop").click()
    freed(page)

    page.get_by_label("Players").select_option("0")
    page.wait_for_function(f"() => ({COUNT})() >= 64")
    wide = page.evaluate(WIDTH)
    page.wait_for_function(f"() => ({COUNT})() >= 4096")
    assert page.evaluate(WIDTH) < wide / 2
    told = re.compile("changes by less than 2 points|goes (up|down)")
    page.locator(".finding", has_text=told).first.wait_for()
    page.evaluate("location.hash = '/'")
    freed(page)


def test_boards_are_played_on_before_python_has_started(host: Host, page: Page) -> None:
    host.late = {".zip", ".pack"}
    Site(page, host)
    page.get_by_role("button", name="Play SanQi").click()
    page.locator("[data-pick]").first.click()
    page.locator('.cell[data-cell="e5"]').click()
    page.get_by_text("Tercet is starting on this device. You can already choose your move.").wait_for()
    assert page.locator(".middle").get_attribute("data-ply") == "0"
    host.sends.set()
    at_ply(page, 2)
    page.wait_for_function("() => JSON.parse(JSON.parse(localStorage['tercet-last-table']).snapshot).state.ply === 2")
    host.sends.clear()
    page.reload()
    at_ply(page, 2)
    assert page.evaluate("() => tercetBackend.device.state.started") < 1
    page.locator("[data-pick]").first.click()
    page.locator(".cell[data-legal]").nth(30).click()
    host.sends.set()
    at_ply(page, 4)


def test_a_table_opened_before_python_has_started_is_kept(host: Host, page: Page) -> None:
    host.late = {".zip"}
    Site(page, host)
    page.get_by_role("button", name="Play Sparklies").click()
    ready(page)
    position = page.locator(".stage").text_content()
    page.reload()
    host.sends.set()
    ready(page)
    assert page.locator(".stage").text_content() == position


@pytest.mark.parametrize("language", ["en", "de"])
def test_recorded_answers_are_those_of_the_worker(built: Path, host: Host, page: Page, language: str) -> None:
    answers, tables = (
        json.loads(next(built.glob(f"{name}-{language}-*.json")).read_text("utf-8")) for name in ("answers", "tables")
    )
    Site(page, host)
    page.wait_for_function(STARTED)
    for asked, recorded in {**answers["answers"], **tables["answers"]}.items():
        method, path, body = asked.split(" ", 2)
        assert page.evaluate(SPOKEN, [method, path, body, language]) == json.loads(recorded), asked
    for asked, opening in tables["tables"].items():
        method, path, body = asked.split(" ", 2)
        for start in opening["starts"]:
            wish = json.dumps({**json.loads(body), "seed": start["stored"]["settings"]["seed"]})
            made = page.evaluate(SPOKEN, [method, path, wish, language])
            place = json.dumps(made["id"])[1:-1]
            line = Line(page, f"/api/tables/{made['id']}/live?lang={language}")
            shown = json.dumps({**opening["shared"], **start["shown"]}).replace(PLACE, place)
            assert json.loads(line.recv(0)) == json.loads(shown), asked
            answer = json.loads(opening["answer"].replace(PLACE, place))
            tokens, own = ([seat["token"] is None for seat in told["seats"]] for told in (answer, made))
            assert tokens == own


def test_another_worker_takes_over_where_that_of_the_engines_crashes(built: Path, host: Host, page: Page) -> None:
    site = Site(page, host)
    page.evaluate("path => void tercetBackend.open(path)", "/api/analysis")
    page.wait_for_function(HELPED)
    (script,) = (built / "assets").glob("deviceWorker-*.js")
    page.evaluate(CRASH, f"assets/{script.name}")
    page.get_by_text("The engine stopped unexpectedly.").first.wait_for()
    assert page.evaluate(PLAY, [against(site, 1), 4])["actions"]
    page.wait_for_function(HELPED)
    assert page.evaluate(PLAY, [against(site, 10), 8])["during"]


def test_it_says_that_the_worker_has_crashed(host: Host, browser: Browser, page: Page) -> None:
    begun(page, host)
    end_shared_worker(browser, page)
    page.get_by_text("Tercet has stopped on this device. Your games are kept.").wait_for()
    assert page.evaluate("async () => (await tercetBackend.fetch('/api/lessons', {})).status") == 503
    page.reload()
    at_ply(page, 1)
    page.wait_for_function(STARTED)


def test_it_says_what_is_missing(host: Host, page: Page, visitor: Visitor) -> None:
    page.add_init_script("delete globalThis.WebAssembly")
    page.goto(host.base)
    page.get_by_text("This browser cannot run WebAssembly, which Tercet needs.").first.wait_for()
    host.missing = {".zip"}
    page = visitor().new_page()
    page.goto(host.base)
    page.get_by_text("A file of this site could not be loaded:").first.wait_for()
    host.missing = set()
    page.reload()
    page.wait_for_selector("article.card")
    host.missing = {"/manifest.webmanifest"}
    page.get_by_role("button", name="Keep offline").click()
    page.get_by_text("Tercet could not be kept for offline play.").wait_for()
    host.missing = set()
    keep(page)


def test_a_newer_version_waits_until_it_is_wanted(copied: Host, page: Page) -> None:
    Site(page, copied)
    keep(page)
    service = copied.folder / "service.js"
    replace(service, service.read_text("utf-8") + "// newer")
    begun(page, copied)
    page.reload()
    at_ply(page, 1)  # the game goes on
    table = page.url
    page.get_by_role("link", name="Play").click()
    page.get_by_text("A new version of Tercet is ready.").wait_for()
    with page.expect_event("load"):
        page.get_by_role("button", name="Reload now").click()
    page.goto(table)
    at_ply(page, 1)


def test_a_first_visit_is_small(built: Path) -> None:
    """All that a visit with any one language could load, whatever is pressed. The documentation comes when it is
    read, and puzzles made for motifs when the trainer is opened."""
    files = [path for path in built.rglob("*") if path.is_file() and built / "docs" not in path.parents]
    files.remove(*built.glob("motifs-*.pack"))
    sizes = {path.name: len(zlib.compress(path.read_bytes(), 9)) for path in files}
    languages = {"en", *LANGUAGES}
    for language in languages:
        others = tuple(f"{kind}-{other}-" for kind in ("answers", "tables") for other in languages - {language})
        assert sum(size for name, size in sizes.items() if not name.startswith(others)) < MOST_COMPRESSED
    assert '"docs/' not in (built / "service.js").read_text("utf-8")


def test_another_pyodide_is_refused(tmp_path: Path) -> None:
    refuses(SiteError, "does not hold the npm package pyodide", build_site, tmp_path / "out", tmp_path, {})
    (tmp_path / "package.json").write_text('{"version": "0.1.0"}')
    refuses(SiteError, f"The site is made for Pyodide {PYODIDE}", build_site, tmp_path / "out", tmp_path, {})


def test_all_addresses_of_its_pages_are_relative(built: Path) -> None:
    """A page for addresses that do not exist named its files from the root of the host."""
    pages = sorted(built.rglob("*.html"))
    assert len(pages) > 30
    assert [path.name for path in pages if re.search(r"""\s(href|src)=["']?/""", path.read_text("utf-8"))] == []


def test_boards_and_examples_of_the_documentation_are_alive_without_a_network(host: Host, page: Page) -> None:
    site = Site(page, host)
    keep(page)
    site.goto("/about")
    page.get_by_role("link", name="documentation").click()
    page.wait_for_url(f"{host.base}/docs/index.html")
    page.goto(f"{host.base}/docs/library.html")
    page.goto(f"{host.base}/docs/games/sanqi.html")
    host.close()

    page.reload()
    board = page.locator("figure.board", has_text="First to move.")
    board.get_by_role("link", name="Play on from here").click()
    assert board.locator("svg").count() == 0
    frame = board.frame_locator("iframe[title^='Board: First to move.']")
    frame.locator("[data-pick]").first.click()
    frame.locator(".cell[data-legal]").first.click()
    frame.locator("[data-ply='1']").wait_for()
    assert frame.locator("header").count() == 0
    whole = present(board.get_by_role("link", name="Open the whole page").get_attribute("href"))
    assert whole.startswith("../../#/analysis?position=sanqi%2F4")

    page.goto(f"{host.base}/docs/library.html")
    page.get_by_role("link", name="Run this in the console").first.click()
    console = page.frame_locator("iframe[title='Console']")
    assert console.get_by_label("Python code").input_value().startswith("import tercet\n")
    console.get_by_text("This code came with the link.").wait_for()
    assert console.locator(".output").count() == 0, "it runs only when the reader asks for it"
    console.get_by_role("button", name="Run").click()
    console.locator(".output", has_text="('First', 'Second')").wait_for()

    assert present(page.goto(f"{host.base}/docs/records.html")).status == 503
    page.get_by_text("This page of the documentation is not on this device yet.").wait_for()
