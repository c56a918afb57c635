"""Environments that are pickled, or copied deeply, in the middle of a game go on the same."""

import copy
import pickle
import random
from typing import Any

import numpy as np
import pytest

from tercet import environments


def twins(env: Any) -> list[Any]:
    return [pickle.loads(pickle.dumps(env)), copy.deepcopy(env)]


def test_pettingzoo() -> None:
    env = environments.aec("sparklies", players=3)
    env.reset(seed=2)
    for _ in range(9):
        env.step(int(np.flatnonzero(env.play.describe(env.play.mover)[1])[0]))
    for twin in twins(env):
        assert twin.play.position == env.play.position
        assert twin.play.plies == 9
        assert twin.agents == env.agents
        twin.step(int(np.flatnonzero(twin.play.describe(twin.play.mover)[1])[0]))
        assert twin.play.plies == 10
    assert env.play.plies == 9


@pytest.mark.parametrize("opponents", ["random", "level:1"])
def test_gymnasium(opponents: str) -> None:
    env = environments.gymnasium("sanqi", opponents=opponents, side=4)
    _, info = env.reset(seed=3)
    env.step(int(info["action_mask"].nonzero()[0][0]))
    for twin in twins(env):
        assert twin.play.position == env.play.position
        planes, *_, info = twin.step(int(twin.play.describe(0)[1].nonzero()[0][0]))
        assert planes in twin.observation_space
        assert twin.play.plies == env.play.plies + 2
    env.close()


def test_vector() -> None:
    env = environments.vector("sanqi", 3, side=4)
    env.reset(seed=5)
    chance = random.Random(1)
    for _ in range(10):
        env.step(np.array([chance.choice(np.flatnonzero(mask)) for mask in env.batch.masks]))
    for twin in twins(env):
        mine, its = env.batch.copy(), twin.batch
        for each in (mine, its):
            each.step(each.random_actions())
        assert np.array_equal(mine.rows, its.rows)
        twin.reset(seed=1)


@pytest.mark.train
def test_openspiel() -> None:
    state = environments.openspiel("triplicity").new_initial_state()
    for _ in range(5):
        state.apply_action(state.legal_actions()[0])
    for twin in twins(state):
        assert str(twin) == str(state)
        assert twin.legal_actions() == state.legal_actions()
