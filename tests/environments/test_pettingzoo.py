"""PettingZoo's own tests of our environments, and what they do not ask."""

import random
import warnings
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, seed_test
from pettingzoo.test.render_test import render_test

import tercet
from tercet import environments
from tercet.environments import EnvError
from tercet.errors import IllegalAction, OptionError
from tests.support.division import online_but, thorough_but
from tests.support.refusals import refuses

GAMES: list[Any] = [("sanqi", {"side": 4}), ("triplicity", {}), ("sparklies", {}), ("sparklies", {"players": 3})]
EACH = pytest.mark.parametrize(("name", "options"), thorough_but(lambda case: case[0] == "sanqi", GAMES))
# What PettingZoo says of all its own games with masks, and a game of few planes.
ALLOWED = ("Observation is not a NumPy array", "Observation space for each agent probably should be")


@EACH
def test_its_own_tests_pass(name: str, options: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        api_test(environments.aec(name, **options), num_cycles=100)
        seed_test(lambda: environments.aec(name, **options), num_cycles=30)
    unexpected = {str(each.message) for each in said if not str(each.message).startswith(ALLOWED)}
    assert not {text for text in unexpected if "Action mask numpy array is all zeros" not in text}
    assert "Passed API test" in capsys.readouterr().out


@pytest.mark.parametrize("name", online_but(lambda name: name == "sanqi", tercet.games()))
def test_every_way_to_render(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    def make(render_mode: str) -> Any:
        return environments.aec(name, render_mode=render_mode)

    render_test(make, {"svg": lambda shown: shown.startswith("<svg"), "ansi": lambda shown: shown.startswith(name)})
    assert name in capsys.readouterr().out  # `human` prints
    env = environments.aec(name, render_mode="rgb_array")
    env.reset(seed=1)
    picture = env.render()
    assert picture.dtype == np.uint8
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 5


@EACH
def test_a_replay_is_the_game_action_by_action_to_its_outcome(name: str, options: dict[str, Any]) -> None:
    """The same actions lead through the same positions here and in the library, and rewards are the outcome."""
    chance, turns = random.Random(3), environments.aec(name, **options)
    for seed in range(3):
        turns.reset(seed=seed)
        position = tercet.game(name, **options).start(seed)
        while position.outcome is None:
            agent = f"player_{position.mover}"
            assert turns.agent_selection == agent
            observation = turns.observe(agent)
            assert (observation["observation"] == position.observe()).all()
            assert np.flatnonzero(observation["action_mask"]).tolist() == sorted(position.legal_actions.ids.tolist())
            for other in turns.agents:
                assert other == agent or not turns.observe(other)["action_mask"].any()
            action = int(chance.choice(position.legal_actions))
            turns.step(action)
            position = position.play(action)
            assert (turns.play.position, all(turns.terminations.values())) == (position, position.is_over)
            assert position.is_over or not any(turns.rewards.values())
        scores = position.outcome.scores
        rewards = [turns.rewards[agent] for agent in turns.possible_agents]
        assert rewards == pytest.approx([(len(scores) * share - 1) / (len(scores) - 1) for share in scores])
        while turns.agents:
            turns.step(None)


def test_an_illegal_action_changes_nothing_and_a_long_game_is_truncated() -> None:
    env = environments.aec("sanqi", side=4, max_plies=3)
    env.reset(seed=0)
    env.step(0)
    before = env.state()
    for action in (0, -1, 10**6):
        refuses(IllegalAction, None, env.step, action)
    refuses(IllegalAction, "whole number", env.step, "Rd4")
    assert (env.state() == before).all()
    assert env.agent_selection == "player_1"
    env.step(3)
    assert not any(env.truncations.values())
    env.step(6)
    assert (env.play.plies, all(env.truncations.values()), any(env.terminations.values())) == (3, True, False)


def test_what_makes_no_sense_is_refused() -> None:
    refused: list[tuple[Any, dict[str, Any], type[Exception], str]] = [
        ("sanqi", {"render_mode": "film"}, EnvError, "render_mode"),
        ("sanqi", {"max_plies": 0}, EnvError, "max_plies"),
        ("sanqi", {"side": 99}, OptionError, ""),
        ("chess", {}, OptionError, ""),
        (7, {}, EnvError, "name or a Game"),
        ("sparklies", {"players": 1}, EnvError, "one player"),
        (tercet.game("sanqi"), {"side": 4}, EnvError, "already has its options"),
    ]
    for game, wrong, error, why in refused:
        refuses(error, why, environments.aec, game, **wrong)
    env = environments.aec("sanqi", side=4)
    refuses(OptionError, "seed", env.reset, seed=-1)
    refuses(EnvError, "reset", env.step, 0)


def test_seedless_episodes_follow_from_the_last_seed() -> None:
    def starts() -> list[bytes]:
        env, found = environments.aec("sparklies"), []
        for seed in (5, None, None):
            env.reset(seed=seed)
            found.append(env.state().tobytes())
        return found

    first, second = starts(), starts()
    assert (first, len(set(first))) == (second, 3)


@pytest.mark.parametrize("name", thorough_but(lambda name: name == "sanqi", tercet.games()))
def test_they_are_registered(name: str) -> None:
    environments.register()
    environments.register()
    version = tercet.game(name).definition.environment_version
    for called in (f"tercet/{name}-v{version}", f"tercet/{name}-v0"):
        env = pettingzoo.make("aec", called)
        env.reset(seed=1)
        assert env.game == tercet.game(name)
        assert env.unwrapped.metadata["name"] == f"tercet_{name}_v{version}"
