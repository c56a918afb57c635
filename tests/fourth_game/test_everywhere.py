"""Whatever Tercet does with its own games it does with one that it has never heard of, which keeps the contract."""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

import tercet
from tercet import engines, testing
from tercet.cli.terminal import board_text
from tercet.laboratory import Arm, Player, Stop, Study, run_study, study_of
from tercet.laboratory.reporting import ladder_of
from tests.browser.seats import ME, engine
from tests.browser.table import Server, at_table, press, standing
from tests.support.play import engine_game, play
from tests.support.present import present

pytestmark = pytest.mark.usefixtures("installed")


@pytest.mark.parametrize("options", [{"size": 3, "pie": False}, {"size": 4}, {}, {"size": 13}], ids=str)
def test_the_game_keeps_the_contract(options: dict[str, Any]) -> None:
    testing.check_game("crossway", [options])


def test_perft() -> None:
    """4 x 4 without the pie rule: 16 first stones, 15 answers each; the third may not complete a checkerboard."""
    compiled, interpreted = testing.both("crossway", {"size": 4, "pie": False})
    assert compiled.perft(compiled.start(), 2) == 16 * 15
    assert compiled.perft(compiled.start(), 3) == interpreted.perft(interpreted.start(), 3) == 16 * 15 * 14
    with_pie = tercet.game("crossway", size=4)
    assert with_pie.perft(with_pie.start(), 2) == 16 * 16


def test_stones_connect_at_corners_but_not_to_checkerboards() -> None:
    with pytest.raises(tercet.IllegalAction, match="checkerboard"):
        play(tercet.game("crossway", size=4, pie=False).start(), "b3", "c3", "a1", "b2", "c2")
    position = play(tercet.game("crossway", size=3, pie=False).start(), "a1", "a2", "b2", "c1", "a3")
    outcome = present(position.outcome)
    assert (outcome.winners, outcome.reason, set(outcome.cells)) == ((0,), "connected", {"a1", "b2", "a3"})
    position = play(tercet.game("crossway", size=4).start(), "b1", "swap")
    assert str(position) == "crossway/4 4/4/W3/4 B swapped"
    assert "swap" not in position.legal_actions


def test_it_names_no_other_game(installed: Path) -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in (installed / "tercet_crossway").glob("*.py"))
    assert not [name for name in tercet.games() if name != "crossway" and name in text]


def command(*words: str, said: str = "") -> str:
    done = subprocess.run(
        [sys.executable, "-m", "tercet", *words], input=said, capture_output=True, text=True, check=False, timeout=240
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_library_the_terminal_and_records() -> None:
    assert tercet.games() == ("sanqi", "triplicity", "sparklies", "crossway")
    position = play(tercet.game("crossway", size=5).start(), "c3", "b4")
    assert tercet.parse(str(position)) == position
    assert "<svg" in (position._repr_svg_() or "")
    position = play(tercet.game("crossway", size=4, pie=False).start(), "b2", "c2")
    assert "[Bb][Ww]" in board_text(position, last=["b2", "c2"]).plain
    assert "Ww " in board_text(position).plain
    game = tercet.game("crossway", size=3)
    record = tercet.Record.from_actions(game, actions=("b2", "swap", "a1", "c1", "a2", "b3", "a3"))
    again = tercet.read(str(record))[0]
    assert again.end == record.end
    assert again.end.is_over


@pytest.mark.thorough
def test_engines() -> None:
    game = tercet.game("crossway", size=5)
    won = 0
    for seed in range(4):
        players = [engines.level(game, 8, seed=seed), engines.engine("random", game, seed=seed)]
        *_, end = engine_game(game.start(), players[::-1] if seed & 1 else players)
        won += present(end.outcome).winners[0] == seed & 1
    assert won == 4


@pytest.mark.online  # compiles a search
def test_the_engine_protocol() -> None:
    asked = "game crossway size=4\nposition start moves b2\nlegal\nperft 1\ngo nodes 50\nquit\n"
    told = command("ugi", said=asked).splitlines()
    assert "game crossway size=4 pie=true" in told
    legal = next(line for line in told if line.startswith("legal")).split()
    assert legal[1] == "16"
    assert "swap" in legal
    assert "nodes 16" in told
    assert next(line for line in told if line.startswith("bestmove")).split()[1] in legal


@pytest.mark.thorough
def test_tournaments() -> None:
    players = ("level:1", "random", "random")
    found = json.loads(command("tournament", *players, "--game", "crossway", "--size", "4", "--json"))
    assert found["games"] == 3
    assert sum(line["points"] for line in found["standings"]) == 3


@pytest.mark.thorough
def test_the_command_line() -> None:
    assert "crossway" in command("games").lower()
    assert "checkerboard" in command("rules", "crossway")
    assert "<svg" in command("draw", "crossway/4 4/1BW1/1W2/4 B -")


@pytest.fixture(scope="module")
def server(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server of a machine on which the game is installed."""
    started = Server(tmp_path_factory.mktemp("games"))
    yield started
    started.stop()


@pytest.mark.thorough
def test_the_laboratory_measures_its_skill_depth() -> None:
    """The ladder of a reference game: more thought plays better, by an Elo difference with an interval."""
    arm = Arm("crossway", {"size": 4}, (Player("mcts", nodes=60), Player("mcts", nodes=4)), name="60 against 4 nodes")
    study = Study("depth", "How deep is the skill?", (arm,), ("players", "completion"), Stop(games=24), ladder=True)
    ((name, elo, _),) = ladder_of(run_study(study))
    assert name == arm.name
    assert 0 < elo.low < elo.mean < elo.high


@pytest.mark.thorough  # compiles the search of another game
def test_the_published_ladder_runs() -> None:
    study = study_of("sparklies/depth")
    arms = tuple(arm for arm in study.arms if arm.game == "crossway")
    assert [arm.name for arm in arms] == [f"Crossway: n{2 * nodes} against n{nodes}" for nodes in (25, 50, 100)]
    assert "In Crossway on side 5" in study.answer
    results = run_study(replace(study, arms=arms, stop=Stop(games=2)))
    assert [name for name, _, _ in ladder_of(results)] == [arm.name for arm in arms]


def test_the_server(server: Server) -> None:
    assert "crossway" in {game["name"] for game in server.get("/api/games")}
    wish = {"game": "crossway", "options": {"size": 4}, "seats": [engine(1), engine(2)]}
    made = server.post("/api/tables", wish)
    assert server.get(f"/api/tables/{made['id']}")["table"]["game"] == "crossway"


@pytest.mark.browser
def test_the_page_by_mouse(server: Server, page: Page) -> None:
    """Two at one screen play a whole game, swap included; a refused click says why."""
    at_table(page, server.table(game="crossway", options={"size": 3}))
    press(page, "b1")
    standing(page, "b1", "B")
    page.get_by_role("button", name="Swap").click()
    standing(page, "a2", "W")
    for cell, symbol in (("b2", "B"), ("b3", "W"), ("a1", "B"), ("c2", "W")):
        press(page, cell)
        standing(page, cell, symbol)
    assert page.locator(".result").count() == 1
    assert "White wins" in page.locator(".result").inner_text()


@pytest.mark.browser
@pytest.mark.page
def test_the_page_against_an_engine_of_a_game_without_lessons(server: Server, page: Page) -> None:
    """No way leads to lessons that there are not, nothing is asked that has no answer, and stones are alike in size."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(server.base)
    card = page.locator("article", has=page.get_by_role("heading", name="Crossway"))
    card.wait_for()
    assert not card.get_by_role("link", name="Learn").count()
    assert card.get_by_role("link", name="Rules").is_visible()
    page.set_viewport_size({"width": 390, "height": 844})
    assert card.get_by_role("link", name="Rules").is_visible()
    page.goto(f"{server.base}/learn/crossway")
    page.get_by_text("This game has no lessons").wait_for()
    assert "SanQi" not in page.locator("main").inner_text()

    at_table(page, server.table([ME, engine()], game="crossway", options={"size": 4, "pie": False}))
    page.get_by_role("status").first.wait_for(state="attached")
    while not page.locator(".result").count():
        page.wait_for_selector(".cell[data-legal], .result")
        if page.locator(".cell[data-legal]").count():
            page.locator(".cell[data-legal]").first.click()
    assert "wins" in page.locator(".result").inner_text()
    assert not [url for url in asked if url.endswith("/api/advice")]

    at_table(page, server.table(game="crossway", options={"size": 4, "pie": False}))
    for cell, symbol in (("b2", "B"), ("c2", "W")):
        press(page, cell)
        standing(page, cell, symbol)
    labels = page.locator("[data-cell]").evaluate_all("cells => cells.map((cell) => cell.getAttribute('aria-label'))")
    assert any("black stone" in label for label in labels)
    assert not [label for label in labels if "of Black" in label or "of White" in label]
    sizes = "forms => forms.map((form) => [getComputedStyle(form).strokeWidth, form.getBBox().width])"
    widths = page.locator(".pieces .form").evaluate_all(sizes)
    assert len(widths) >= 2
    assert len({tuple(width) for width in widths}) == 1


@pytest.mark.browser
@pytest.mark.page
@pytest.mark.parametrize("width", [390, 1280])
def test_the_first_page_has_room_for_thirteen_games(server: Server, page: Page, width: int) -> None:
    games = server.get("/api/games")
    last = {**games[-1], "options": games[-1]["options"][:1]}
    more = range(13 - len(games))
    many = [{**last, "name": f"{last['name']}{number}", "title": f"Another Crossway {number}"} for number in more]
    page.route("**/api/games", lambda route: route.fulfill(json=[*games, *many]))
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(server.base)
    page.locator("details.custom > summary").click()
    chooser = page.locator("details.custom .choices").first
    chooser.wait_for()
    assert chooser.locator("label").count() == 13
    assert page.evaluate("document.scrollingElement.scrollWidth") <= width
    for box in (present(label.bounding_box()) for label in chooser.locator("label").all()):
        assert 0 <= box["x"] <= width - box["width"]
        assert box["height"] >= 40
    assert page.locator("details.custom form summary").first.inner_text().startswith("Expert rules")
    chooser.get_by_text("Another Crossway 3").click()
    page.get_by_role("radio", name="Another Crossway 3").and_(page.locator(":checked")).wait_for(state="attached")
