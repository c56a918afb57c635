"""Where Python has neither NumPy nor Numba, as in a browser, the games play interpreted."""

import subprocess
import sys
import textwrap

import pytest

import tercet

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

    game = tercet.game(sys.argv[1], execution="interpreted")
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


@pytest.mark.parametrize("name", tercet.games())
def test_games_play_without_numpy(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(PROGRAM), name], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.split()) == 2
