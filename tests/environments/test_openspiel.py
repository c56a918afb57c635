"""OpenSpiel's own tests of our games, and what they do not ask."""

import gzip
import pickle
import random
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
import pytest
from absl import flags
from open_spiel.python.algorithms import generate_playthrough

import tercet
from tercet import environments
from tercet.errors import OptionError
from tercet.games import BUILT_IN
from tests.support.refusals import refuses

pytestmark = pytest.mark.train

PLAYTHROUGHS = Path(__file__).parent / "playthroughs"
GAMES: list[Any] = [
    ("sanqi", {"side": 4}),
    ("triplicity", {}),
    ("sparklies", {"board": "5x5"}),
    ("sparklies", {"players": 3}),
]


@pytest.mark.parametrize(("name", "options"), GAMES)
def test_its_random_simulation_passes(name: str, options: dict[str, Any]) -> None:
    game = environments.openspiel(name, **options)
    assert game.num_players() == len(tercet.game(name, **options).players)
    pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)


@pytest.mark.parametrize(("name", "options"), GAMES)
def test_a_replay_is_the_game_action_by_action(name: str, options: dict[str, Any]) -> None:
    chance = random.Random(5)
    state = environments.openspiel(name, seed=3, **options).new_initial_state()
    position = tercet.game(name, **options).start(3)
    for _ in range(60):
        if position.is_over:
            break
        assert state.current_player() == position.mover
        assert state.legal_actions() == sorted(position.legal_actions.ids.tolist())
        assert str(state) == str(position)
        tensor = np.reshape(state.observation_tensor(), position.observe().shape)
        assert (tensor.astype(np.float32) == position.observe()).all()
        action = chance.choice(position.legal_actions)
        assert state.action_to_string(int(action)) == str(action)
        twin = state.clone()
        state.apply_action(int(action))
        assert str(twin) == str(position)
        position = position.play(action)
    if position.outcome is not None:
        assert sum(state.returns()) == pytest.approx(0)


def test_returns_are_the_outcome_and_games_are_loaded_and_saved() -> None:
    game = environments.openspiel("sanqi", side=4)
    chance = random.Random(1)
    for _ in range(5):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(chance.choice(state.legal_actions()))
        assert state.returns() == pytest.approx([2 * share - 1 for share in state.position.outcome.scores])
    environments.register()
    game = pyspiel.load_game("python_tercet_sanqi(side=5)")
    assert game.num_distinct_actions() == tercet.game("sanqi", side=5).rules.actions
    assert str(pyspiel.load_game(str(game))) == str(game)
    state = game.new_initial_state()
    state.apply_action(3)
    again_game, again = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, state))
    assert str(again_game) == str(game)
    assert str(again) == str(state)
    assert str(pickle.loads(pickle.dumps(game))) == str(game)


@pytest.mark.parametrize("path", sorted(PLAYTHROUGHS.glob("*.gz")), ids=lambda path: path.stem)
def test_stored_playthroughs_are_played_the_same(path: Path, tmp_path: Path) -> None:
    """``generate_playthrough.playthrough`` made them. What they show changes only when rules, options or planes do."""
    environments.register()
    flags.FLAGS.mark_as_parsed()  # it takes options from a command line
    assert {path.stem.split("_")[0] for path in PLAYTHROUGHS.glob("*.gz")} == set(BUILT_IN)
    (tmp_path / path.stem).write_bytes(gzip.decompress(path.read_bytes()))
    stored, played = generate_playthrough.replay(str(tmp_path / path.stem))
    assert played.splitlines() == stored.splitlines()


def test_what_makes_no_sense_is_refused() -> None:
    for name, wrong in (("seed", -1), ("side", 99)):
        refuses(OptionError, name, environments.openspiel, "sanqi", **{name: wrong})
    state = environments.openspiel("sanqi", side=4).new_initial_state()
    state.apply_action(0)
    refuses(tercet.IllegalAction, None, state._apply_action, 0)
