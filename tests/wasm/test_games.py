"""The games' WebAssembly modules against their compiled kernels, bit by bit: games, perft, search trees, engines."""

import zlib

import pytest

import tercet
from tercet import testing
from tercet.engines import Limits, level
from tercet.engines.trials import play_trials
from tercet.games import game_definition
from tercet.kernel.webassembly import Call
from tests.wasm.digest import grown_tree
from tests.wasm.modules import both, loaded

pytestmark = [pytest.mark.wasm, pytest.mark.timeout(900)]
PER_GAME = pytest.mark.parametrize("name", ["sanqi", "triplicity", "sparklies"])
MOST_BYTES, MOST_COMPRESSED = 400_000, 100_000


@PER_GAME
def test_the_module_is_small_and_needs_nothing_of_its_host(name: str) -> None:
    built = loaded(name)
    assert set(built.table["imports"]) <= {"memory", "__stack_pointer", "__memory_base"}
    assert len(built.content) < MOST_BYTES
    assert len(zlib.compress(built.content, 9)) < MOST_COMPRESSED


@PER_GAME
def test_random_games_keep_the_contract_and_perft_counts_the_same(name: str) -> None:
    compiled, wasm = both(name)
    assert isinstance(vars(wasm.kernels)["apply"], Call), "it is interpreted"
    for seed in range(2):
        testing.play_in_step(compiled, wasm, seed, limit=120)
    depth = 2 if name == "sanqi" else 3  # there are 813 actions at its start
    assert wasm.perft(wasm.start(1), depth) == compiled.perft(compiled.start(1), depth)


@PER_GAME
def test_playouts_are_the_same_games(name: str) -> None:
    found = []
    for game in both(name):
        start, players = game.start(1).row, len(game.players)
        total = tercet.kernel.zeros(game.execution, players, "float64")
        points = tercet.kernel.zeros(game.execution, players, "float64")
        plies = game.playout.playouts(
            game.data, start, start.copy(), game.rules.row_size, players, 20, 7, game.new_list(), game.new_events(),
            points, total, 5000,
        )  # fmt: skip
        found.append((plies, [float(each) for each in total]))
    assert found[0] == found[1]


@PER_GAME
@pytest.mark.parametrize("networked", [False, True], ids=["rollouts", "network"])
def test_search_trees_are_equal_bit_by_bit(name: str, networked: bool) -> None:
    parts = game_definition(name).engine.nets
    if networked and (parts is None or parts.shipped is None):
        networked = False  # no network comes with the game
    options = parts.variants[0] if networked and parts is not None else {}
    compiled, wasm = (grown_tree(game, networked) for game in both(name, options))
    assert wasm == compiled


@PER_GAME
@pytest.mark.parametrize("number", [1, 5, 8])
def test_engines_think_the_same(name: str, number: int) -> None:
    found = []
    for game in both(name):
        thinking, position = level(game, number, seed=3), game.start(2)
        for _ in range(2):
            thought = thinking.think(position, Limits(nodes=300))
            found.append((str(thought.action), [(line.pv, line.scores) for line in thought.info.lines]))
            position = position.play(thought.action)
    assert found[:2] == found[2:]


@PER_GAME
@pytest.mark.parametrize(("strength", "games"), [(0, 40), (1, 3), (3, 2)])
def test_games_from_seeds_are_the_same(name: str, strength: int, games: int) -> None:
    """So that others can replay a study of the dial and add to it."""
    native, wasm = both(name, game_definition(name).quick_start.options)
    assert play_trials(wasm, strength, 7, range(games)) == play_trials(native, strength, 7, range(games))
    assert play_trials(native, strength, 7, [1]) == play_trials(native, strength, 7, range(2))[1:]
