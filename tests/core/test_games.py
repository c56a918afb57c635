"""Games that other packages offer, harmless where they are broken; games where Python has neither NumPy nor Numba."""

import importlib
import pickle
import subprocess
import sys
import textwrap
import tomllib
from collections.abc import Iterator
from importlib import metadata
from multiprocessing import get_context
from pathlib import Path

import pytest

import tercet
from tercet import GameError, OptionError, Position
from tests.support.refusals import refuses

games = importlib.import_module("tercet.games")  # `tercet.games` itself is the function

GOOD = """
from dataclasses import replace
from tercet.games.sanqi import DEFINITION as OURS
DEFINITION = replace(OURS, name="{name}", title="Another game")
"""


def install(folder: Path, package: str, name: str, source: str = GOOD, module: str = "") -> None:
    """What an installer would leave: a module ``package`` and the metadata of a distribution of that name."""
    (folder / f"{package}.py").write_text(source.format(name=name))
    info = folder / f"{package}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[tercet.games]\n{name} = {module or package}:DEFINITION\n")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of installed packages; what is installed there is found from the next question on."""
    monkeypatch.syspath_prepend(str(tmp_path))
    games.rescan()
    yield tmp_path
    games.rescan()
    for path in tmp_path.glob("*.py"):
        sys.modules.pop(path.stem, None)


def test_ours_come_first_and_need_no_metadata(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "entry_points", lambda **_: [])
    games.rescan()
    assert games.names() == games.BUILT_IN
    assert [tercet.game(name, execution="interpreted").name for name in games.names()] == list(games.BUILT_IN)
    games.rescan()
    # What pyproject.toml declares is the built-in list, so that each way of finding them gives the same.
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8")
    declared = tomllib.loads(text)["project"]["entry-points"][games.GROUP]
    assert declared == {name: f"tercet.games.{name}:DEFINITION" for name in games.BUILT_IN}


def test_a_game_of_another_package_is_one_of_the_games(site: Path) -> None:
    install(site, "another_package", "another")
    assert tercet.games() == (*games.BUILT_IN, "another")
    assert games.problems() == ()
    game = tercet.game("another", side=4, execution="interpreted")
    assert (game.name, game.definition.title) == ("another", "Another game")
    position = game.start().play("Rd4")
    assert pickle.loads(pickle.dumps(position)) == position
    with get_context("spawn").Pool(1) as pool:
        action = position.legal_actions[0]
        assert pool.apply(Position.play, (position, action)) == position.play(action)


@pytest.mark.parametrize(
    ("source", "module", "why"),
    [
        ("raise ZeroDivisionError('no')", "", "cannot be imported: ZeroDivisionError: no"),
        ("this is no Python", "", "cannot be imported: SyntaxError"),
        ("raise SystemExit", "", "cannot be imported: SystemExit"),
        ("", "", "cannot be imported: AttributeError"),
        ("", "no_such_module", "cannot be imported: ModuleNotFoundError"),
        ("DEFINITION = 3", "", "is no GameDefinition"),
        (GOOD.format(name="other"), "", "has the name 'other'"),
    ],
)
def test_a_broken_package_is_named_and_kills_nothing(site: Path, source: str, module: str, why: str) -> None:
    install(site, "broken_package", "broken", source, module)
    install(site, "another_package", "another")
    with pytest.warns(RuntimeWarning, match="broken_package"):
        assert tercet.games() == (*games.BUILT_IN, "another")
    caught = refuses(GameError, "broken_package", tercet.game, "broken")
    assert why in caught.why
    assert [str(problem) for problem in games.problems()] == [str(caught)]
    refuses(OptionError, "There is no game 'nothing'", tercet.game, "nothing")
    assert tercet.game("sanqi", side=4).start().mover == 0


def test_no_game_takes_the_name_of_another(site: Path) -> None:
    for package, name in (("first_package", "same"), ("second_package", "same"), ("third_package", "sanqi")):
        install(site, package, name)
    with pytest.warns(RuntimeWarning, match="package"):
        assert tercet.games() == games.BUILT_IN
    assert tercet.game("sanqi").definition.title == "SanQi"
    assert refuses(GameError, "Several packages", tercet.game, "same").package == "first_package and second_package"
    assert {problem.name for problem in games.problems()} == {"same", "sanqi"}


def test_a_command_lives_with_a_broken_package(site: Path) -> None:
    install(site, "broken_package", "broken", "raise ZeroDivisionError('no')")
    source = str(Path(tercet.__file__).parents[1])
    environment = {"PYTHONPATH": f"{source}:{site}", "PATH": "", "HOME": str(site)}
    command = [sys.executable, "-m", "tercet", "games"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert "sanqi" in done.stdout
    assert "broken_package" in done.stderr
    assert "Traceback" not in done.stderr


PROGRAM = """
    import importlib.abc, random, sys

    class Missing(importlib.abc.MetaPathFinder):
        def find_spec(self, name, path=None, target=None):
            if name.partition(".")[0] in ("numpy", "numba", "llvmlite", "typing_extensions", "platformdirs"):
                raise ModuleNotFoundError(name, name=name)

    sys.meta_path.insert(0, Missing())

    import tercet, tercet.pictures.drawing, tercet.learning.lessons, tercet.record, tercet.play.session
    from tercet.engines import Limits, level
    from tercet.core.presentation import position_view
    from tercet.core.view import to_json

    for name in tercet.games():
        game = tercet.game(name, execution="interpreted")
        first = position = game.start(1)
        chance = random.Random(1)
        for ply in range(30):
            if position.is_over:
                break
            action = position.action(str(chance.choice(list(position.legal_actions))))
            transition = position.transition(action)
            assert to_json(position_view(position)) and game.definition.view.paths(position)
            assert tercet.pictures.drawing.svg(position).startswith("<svg")
            assert position.canonical_key() and str(game.parse(str(position))) == str(position)
            position = transition.after
        for number in (1, 8):
            print(level(game, number, seed=1).think(first, Limits(nodes=8)).action)
"""


def test_games_play_without_numpy() -> None:
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(PROGRAM)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.split()) == 2 * len(tercet.games())
