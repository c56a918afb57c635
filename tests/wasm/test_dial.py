"""Games from seeds are the same wherever they are played, so that others can replay a study and add to it."""

import pytest

import tercet
from tercet.engines.trials import play_trials
from tercet.games import game_definition
from tests.wasm.modules import both

pytestmark = pytest.mark.wasm
OF_EACH = pytest.mark.parametrize("name", tercet.games())


@OF_EACH
@pytest.mark.parametrize(("strength", "games"), [(0, 40), (1, 3), (3, 2)])
def test_games_from_seeds_are_the_same_as_webassembly(name: str, strength: int, games: int) -> None:
    quick = game_definition(name).quick_start.options if game_definition(name).quick_start else {}
    native, wasm = both(name, quick)
    assert play_trials(wasm, strength, 7, range(games)) == play_trials(native, strength, 7, range(games))
    assert play_trials(native, strength, 7, [1]) == play_trials(native, strength, 7, range(2))[1:]
