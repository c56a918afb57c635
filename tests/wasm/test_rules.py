"""The contract that all games keep, by their rules as WebAssembly modules, run by Wasmtime. `make test-wasm` has the
rest: modules with playouts, search and networks, and other hosts."""

import pytest

from tercet import testing
from tercet.kernel.webassembly import Call
from tests.wasm.modules import GAMES, both, loaded

pytestmark = pytest.mark.thorough  # a quarter of a minute for each module; `test_package` makes that of a small game
PER_GAME = pytest.mark.parametrize("name", GAMES)


@PER_GAME
def test_random_games_are_those_of_compiled_kernels(name: str) -> None:
    loaded(name, rules_only=True)
    compiled, wasm = both(name)
    assert isinstance(vars(wasm.kernels)["apply"], Call), "it is interpreted"
    for seed in range(2):
        testing.play_in_step(compiled, wasm, seed, limit=60)


@PER_GAME
def test_perft_counts_the_same(name: str) -> None:
    loaded(name, rules_only=True)
    compiled, wasm = (game.perft(game.start(1), 2) for game in both(name))
    assert wasm == compiled
