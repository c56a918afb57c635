"""PufferLib's own vectorization of our environments (in pufferlib-core, without games), and what it does not ask."""

import pickle
from typing import Any

import numpy as np
import pufferlib
import pufferlib.emulation
import pufferlib.vector
import pytest

import tercet
from tercet import environments
from tercet.environments import EnvError
from tercet.errors import IllegalBatchAction
from tests.batch.test_batch import expected
from tests.support.refusals import refuses

pytestmark = pytest.mark.thorough  # compiles batches of all games

GAMES: list[Any] = [("sanqi", {"side": 4}), ("triplicity", {}), ("sparklies", {"players": 3, "board": "4x4"})]
EACH = pytest.mark.parametrize(("name", "options"), GAMES)


def masks_of(env: Any, observations: Any) -> Any:
    return observations[:, -env.single_action_space.n :]


def drawn(env: Any, observations: Any, chance: np.random.Generator) -> Any:
    """A random legal action of every agent that has one, else 0."""
    masks = masks_of(env, observations)
    return np.array([chance.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in masks], np.int32)


@EACH
def test_every_agent_sees_its_game(name: str, options: dict[str, Any]) -> None:
    """Action by action against the library, through episodes that end."""
    env = environments.pufferlib(name, 3, seed=4, **options)
    players = len(env.game.players)
    assert env.num_agents == 3 * players
    observations, told = env.reset(seed=9)
    assert told == []
    positions = [env.game.start(seed=int(seed)) for seed in env.batch.seeds]
    chance, ended = np.random.default_rng(1), 0
    for _ in range(250):
        assert observations in env.observation_space
        masks = masks_of(env, observations)
        actions = drawn(env, observations, chance)
        for index, position in enumerate(positions):
            for player in range(players):
                agent, planes = players * index + player, expected(position, player)
                assert np.array_equal(observations[agent, : planes.size], planes.reshape(-1))
                legal = position.legal_actions.ids.tolist() if player == position.mover else []
                assert np.flatnonzero(masks[agent]).tolist() == legal
                assert env.masks[agent] == (player == position.mover)
        observations, rewards, over, cut, told = env.step(actions)
        assert not cut.any()
        for index, position in enumerate(positions):
            agents = slice(players * index, players * (index + 1))
            after = position.play(int(actions[players * index + (position.mover or 0)]))
            assert (over[agents] == after.is_over).all()
            if after.outcome is None:
                assert not rewards[agents].any()
                positions[index] = after
            else:
                worth = [(players * share - 1) / (players - 1) for share in after.outcome.scores]
                assert rewards[agents] == pytest.approx(worth)
                positions[index] = env.game.start(seed=int(env.batch.seeds[index]))
                ended += 1
                assert told[0]["episode_length"] > 0
        if ended > 4:
            break
    env.close()


def test_its_vectorization_gives_what_one_process_gives() -> None:
    """Serial and with two processes, over shared memory."""

    def play(backend: Any, **kind: Any) -> list[Any]:
        env = pufferlib.vector.make(
            environments.pufferlib, env_args=["sanqi", 4], env_kwargs={"side": 4}, backend=backend, num_envs=2, seed=3,
            **kind,
        )  # fmt: skip
        observations, _ = env.reset(seed=3)
        chance, found = np.random.default_rng(2), []
        for _ in range(60):
            observations, rewards, over, _, _ = env.step(drawn(env, observations, chance))
            found += [observations.copy(), rewards.copy(), over.copy()]
        env.close()
        return found

    one, many = play(pufferlib.vector.Serial), play(pufferlib.vector.Multiprocessing, num_workers=2)
    assert any(over.any() for over in one[2::3])
    for mine, its in zip(one, many, strict=True):
        assert np.array_equal(mine, its)


def test_its_emulation_takes_our_gymnasium_environment() -> None:
    seat = pufferlib.emulation.GymnasiumPufferEnv(environments.gymnasium("sanqi", opponents="random", side=4))
    chance = np.random.default_rng(1)
    _, info = seat.reset(seed=1)
    while not seat.done:
        *_, info = seat.step(int(chance.choice(np.flatnonzero(info["action_mask"]))))


def test_an_illegal_action_is_named_or_loses() -> None:
    env = environments.pufferlib("sanqi", 2, side=4)
    env.reset(seed=1)
    before = env.batch.rows.copy()
    refuses(IllegalBatchAction, "game 1", env.step, [0, 0, 500, 0])
    assert np.array_equal(before, env.batch.rows)
    env = environments.pufferlib("sparklies", 2, illegal="loss", players=3)
    env.reset(seed=1)
    _, rewards, over, _, told = env.step([int(env.batch.legal_actions(0)[0]), 0, 0, 10**6, 0, 0])
    assert rewards.tolist() == [0, 0, 0, -0.5, 0.25, 0.25]
    assert over.tolist() == [False] * 3 + [True] * 3
    assert told == [{"episode_length": 0.0, "share_0": 0.0, "share_1": 0.5, "share_2": 0.5}]
    assert env.batch.plies.tolist() == [1, 0]


def test_a_long_game_is_truncated_also_after_a_pickle() -> None:
    env = environments.pufferlib("sanqi", 2, max_plies=2, side=4)
    env.reset(seed=1)
    for number, actions in enumerate(([0, 0, 3, 0], [0, 6, 0, 9])):
        env, twin = pickle.loads(pickle.dumps(env)), env  # it goes on as it would have
        _, rewards, over, cut, _ = env.step(actions)
        assert np.array_equal(env.observations, twin.step(actions)[0])
        assert (cut.all(), over.any(), rewards.any()) == (number == 1, False, False)
    assert env.batch.plies.tolist() == [0, 0]


def test_what_makes_no_sense_is_refused() -> None:
    refused: dict[str, Any] = {"illegal": "shrug", "max_plies": 0, "side": 99, "seed": -1}
    for name, wrong in refused.items():
        error = tercet.OptionError if name in ("side", "seed") else EnvError
        refuses(error, name, environments.pufferlib, "sanqi", 2, **{name: wrong})
    env = environments.pufferlib("sanqi", 2, side=4)
    env.reset()
    for actions in ([0, 0, 0], [[0]], [0.5] * 4, "none"):
        refuses(EnvError, "actions", env.step, actions)
