"""A game of another package as a WebAssembly module: it plays what compiled kernels play."""

import random

import pytest

from tercet import testing
from tercet.core.game import Game
from tercet.kernel.webassembly import Call
from tests.fourth_game.conftest import installed, site  # noqa: F401  (fixtures)
from tests.wasm.modules import both


@pytest.fixture(scope="module")
def crossway(installed: object) -> tuple[Game, Game]:  # noqa: F811
    return both("crossway", {"size": 5}, rules_only=True)


def test_perft_and_random_games_are_the_same(crossway: tuple[Game, Game]) -> None:
    kernels = vars(crossway[1].kernels)
    for name in ("setup", "legal", "allows", "apply", "status", "scores", "mover", "observe", "refresh"):
        assert isinstance(kernels[name], Call), f"{name} is interpreted"
    for seed in range(3):
        testing.play_in_step(*crossway, seed, limit=60)
    compiled, wasm = (game.perft(game.start(1), 3) for game in crossway)
    assert wasm == compiled


def test_positions_are_equal(crossway: tuple[Game, Game]) -> None:
    compiled, wasm = (game.start(1) for game in crossway)
    rng = random.Random(1)
    while not compiled.is_over:
        action = rng.choice(list(map(str, compiled.legal_actions)))
        transition = wasm.transition(action)
        assert transition.events == compiled.transition(action).events
        compiled, wasm = compiled.play(action), transition.after
        assert (str(wasm), wasm.key(), wasm.outcome) == (str(compiled), compiled.key(), compiled.outcome)
        assert (wasm.observe() == compiled.observe()).all()
