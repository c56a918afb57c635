"""A server answers while nothing is compiled, and people see how far an engine that they wait for has come."""

import importlib
import subprocess
import sys
from collections.abc import Iterator

import pytest

import tercet
from tercet.core.execution import choose_execution
from tercet.learning import lessons
from tercet.learning.puzzles import read, shipped
from tests.server.conftest import Serving, play

pytestmark = pytest.mark.thorough  # loads all kernels, in processes of its own


@pytest.fixture
def uncompiled(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A process in which compiling or loading a kernel fails."""
    backend = importlib.import_module("tercet.kernel.compiled")  # the package exports a list of that name

    def refuse(*_: object) -> None:
        raise AssertionError("a kernel was compiled or loaded")

    monkeypatch.setattr(backend.KernelEntry, "compile", refuse)
    monkeypatch.delenv("TERCET_EXECUTION", raising=False)
    for name in tercet.games():
        choose_execution(name, "interpreted")
    lessons.lessons_of.cache_clear()
    yield
    lessons.lessons_of.cache_clear()
    for name in tercet.games():
        choose_execution(name, "compiled")


@pytest.mark.usefixtures("uncompiled")
def test_the_page_and_a_lesson_answer_while_nothing_is_compiled(server: Serving) -> None:
    assert server.http.get("/").status_code in (200, 404)  # 404: the page is not built here
    assert [one["name"] for one in server.http.get("/api/games").json()] == list(tercet.games())
    for game in server.http.get("/api/lessons").json():
        address = f"/api/lessons/{game['game']}/{game['lessons'][0]['id']}/0"
        action = server.http.get(f"{address}/solution").json()["frames"][0]["text"]
        assert server.http.post(f"{address}/try", json={"actions": [action]}).json()["state"] in ("going", "reached")


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize("game", tercet.games())
def test_a_click_and_a_puzzle_are_answered_while_nothing_is_compiled(server: Serving, game: str) -> None:
    _, wire = server.both(*["here"] * len(tercet.game(game).players), game=game)
    position = tercet.parse(wire.state["view"]["position"])
    assert position.game.execution == "interpreted"
    play([wire], str(position.legal_actions[0]))
    puzzle = next(one for path in shipped(game) for one in read(path))
    wrong = next(str(one) for one in tercet.parse(puzzle["position"]).legal_actions if str(one) not in puzzle["right"])
    for action, states in ((next(iter(puzzle["right"])), ("going", "right")), (wrong, ("wrong",))):
        answer = server.http.post(f"/api/puzzles/{puzzle['id']}/try", json={"actions": [action]})
        assert answer.json()["state"] in states


@pytest.mark.parametrize("name", tercet.games())
def test_the_count_of_an_engines_kernels_is_honest(name: str) -> None:
    """As many kernels are ready once the engine of full strength has moved as the game's definition says."""
    code = """
import sys, tercet
from tercet.engines import FULL, Limits, level
from tercet.games import game_definition
from tercet.kernel.compiled import count_ready
start = game_definition(sys.argv[1]).quick_start
game = tercet.game(sys.argv[1], execution="compiled", **start.options)
level(game, FULL, seed=0).think(game.start(1), Limits(nodes=1))
print(count_ready(game.name))
"""
    found = subprocess.run([sys.executable, "-c", code, name], stdout=subprocess.PIPE, text=True, check=True)
    assert int(found.stdout) == tercet.game(name).definition.engine.kernels
