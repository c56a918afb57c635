"""Gymnasium's own checks of our environments, what they do not ask, and environments that are pickled."""

import copy
import functools
import pickle
import random
import warnings
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import tercet
from tercet import environments
from tercet.batch import unpack
from tercet.environments import EnvError
from tercet.errors import IllegalAction, TercetError
from tests.support.division import thorough_but
from tests.support.refusals import refuses


def first_legal(info: dict[str, Any]) -> Any:
    """The first legal action, or that of each game."""
    return np.argmax(info["action_mask"], axis=-1)


@pytest.mark.parametrize(
    ("name", "options"),
    thorough_but(
        lambda case: case[0] == "sanqi",
        [
            ("sanqi", {"side": 4, "opponents": "level:1"}),
            ("sanqi", {"side": 4, "seat": 1, "opponents": "random"}),
            ("triplicity", {"seat": 2, "opponents": ["random", "level:1"], "max_plies": 120}),
            ("sparklies", {"opponents": "random", "max_plies": 120}),
        ],
    ),
)
def test_its_own_checks_pass(name: str, options: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*not having a spec.*")
        check_env(environments.gymnasium(name, illegal="loss", render_mode="rgb_array", **options))


def test_a_seat_plays_through_a_game() -> None:
    env = environments.gymnasium("sanqi", seat=1, opponents="level:1", side=4)
    chance = random.Random(1)
    _, info = env.reset(seed=3)
    assert env.play.plies == 1
    over = False
    while not over:
        assert env.play.mover == 1
        observation, reward, over, cut, info = env.step(chance.choice(np.flatnonzero(info["action_mask"]).tolist()))
        assert (observation == env.play.position.observe(1)).all()
        assert not cut
    assert reward == pytest.approx(2 * env.play.position.outcome.scores[1] - 1)
    assert not info["action_mask"].any()
    refuses(EnvError, "reset", env.step, 0)


def test_packed_vectors_unpack_to_the_planes() -> None:
    packed, plain = (environments.vector("sanqi", num_envs=3, side=4, packed=packed) for packed in (True, False))
    (seen, info), (planes, _) = packed.reset(seed=1), plain.reset(seed=1)
    for _ in range(30):
        assert packed.observation_space.contains(seen)
        assert np.array_equal(unpack(packed.game, seen), planes)
        (seen, *_, info), (planes, *_) = [each.step(first_legal(info)) for each in (packed, plain)]


def test_the_same_seed_is_the_same_game() -> None:
    def play(seed: int) -> Any:
        env = environments.gymnasium("sanqi", opponents="random", max_plies=30, side=4)
        _, info = env.reset(seed=seed)
        for _ in range(10):
            _, _, over, cut, info = env.step(first_legal(info))
            if over or cut:
                break
        return env.play.row.tolist()

    assert play(4) == play(4) != play(5)


def test_action_masks_are_where_maskable_ppo_looks_for_them() -> None:
    """sb3-contrib calls ``action_masks`` of an environment, through any wrapper."""
    environments.register()
    env = gymnasium.make("tercet/sanqi-v0", seat=1, opponents="random", side=4)
    _, info = env.reset(seed=1)
    for _ in range(3):
        masks = env.get_wrapper_attr("action_masks")()
        assert masks.dtype == np.bool_
        assert (masks == info["action_mask"]).all()
        _, _, _, _, info = env.step(first_legal(info))


def test_illegal_actions() -> None:
    env = environments.gymnasium("sanqi", opponents="random", side=4)
    env.reset(seed=1)
    _, _, _, _, info = env.step(0)
    refuses(IllegalAction, None, env.step, 0)
    env.step(first_legal(info))
    env = environments.gymnasium("sanqi", opponents="random", side=4, illegal="loss")
    env.reset(seed=1)
    env.step(0)
    _, reward, over, _, info = env.step(0)
    assert (reward, over, info["illegal"]) == (-1.0, True, True)


def test_what_makes_no_sense_is_refused() -> None:
    alone: dict[str, Any] = {"opponents": [], "illegal": "maybe", "max_plies": -1, "render_mode": "film"}
    for name, value in [*alone.items(), ("seat", 2), ("seat", True)]:
        refuses(TercetError, name, environments.gymnasium, "sanqi", **{name: value})
    refuses(TercetError, "level", environments.gymnasium, "sanqi", opponents="level:99")
    for wrong, why in (({"autoreset": "maybe"}, "autoreset"), ({"num_envs": 0}, "games"), ({"seat": 5}, "seat")):
        refuses(TercetError, why, environments.vector, "sanqi", **wrong)


@pytest.mark.parametrize("name", thorough_but(lambda name: name == "sanqi", tercet.games()))
def test_they_are_registered(name: str) -> None:
    environments.register()
    called = f"tercet/{name}-v{tercet.game(name).definition.environment_version}"
    gymnasium.make(called, opponents="random", max_plies=30).reset(seed=1)
    with pytest.warns(DeprecationWarning, match=f"upgrading to version `{called.rpartition('-')[2]}`"):
        spec = gymnasium.make(f"tercet/{name}-v0").spec
    assert spec is not None
    assert spec.kwargs == {"game": name}
    many = gymnasium.make_vec(called, num_envs=3)
    observations, _ = many.reset(seed=1)
    assert observations[0] in many.single_observation_space
    many.close()


def legal(chance: random.Random, masks: Any) -> Any:
    return np.array([chance.choice(np.flatnonzero(mask).tolist() or [0]) for mask in masks])


@pytest.mark.parametrize("autoreset", ["next", "same"])
@pytest.mark.parametrize("seat", [None, 1])
@pytest.mark.thorough
def test_many_games_at_once_are_games(autoreset: str, seat: int | None) -> None:
    """Every game of a vector, action by action, against the library."""
    env = environments.vector("sanqi", 4, seat=seat, autoreset=autoreset, side=4)
    chance = random.Random(2)
    observations, info = env.reset(seed=9)
    ends = 0
    fresh = np.zeros(4, np.bool_)
    for _ in range(120):
        positions = [env.batch.position(index) for index in range(4)]
        for index, position in enumerate(positions):
            assert (info["action_mask"][index].nonzero()[0] == np.sort(position.legal_actions.ids)).all()
            player = position.mover if seat is None else seat
            assert position.is_over or (observations[index] == position.observe(player)).all()
        actions = legal(chance, info["action_mask"])
        observations, rewards, over, cut, info = env.step(actions)
        assert observations in env.observation_space
        for index, position in enumerate(positions):
            if fresh[index] and autoreset == "next":
                assert env.batch.plies[index] == (0 if seat is None else 1)
                assert rewards[index] == 0
            elif seat is None:
                after = position.play(int(actions[index]))
                assert after.is_over == over[index]
                if after.scores is not None:
                    ends += 1
                    assert rewards[index] == pytest.approx(2 * after.scores[position.mover or 0] - 1)
                    if autoreset == "same":
                        assert info["_final_obs"][index]
                        assert (info["final_obs"][index] == after.observe(position.mover)).all()
                else:
                    assert env.batch.position(index) == after
            else:
                ends += int(over[index])
                assert over[index] or env.batch.movers[index] == seat
        fresh = over | cut
    assert ends > 3


@pytest.mark.thorough
def test_an_illegal_action_steps_no_game_and_without_reset_one_that_is_over_stays() -> None:
    env = environments.vector("sanqi", 3, autoreset="off", side=4, max_plies=2)
    chance = random.Random(1)
    _, info = env.reset(seed=1)
    before, wrong = env.batch.rows.copy(), legal(chance, info["action_mask"])
    wrong[2] = 10**6
    refuses(IllegalAction, "game 2", env.step, wrong)
    assert (env.batch.rows == before).all()
    for _ in range(2):
        _, _, over, cut, info = env.step(legal(chance, info["action_mask"]))
    assert (cut.tolist(), over.tolist()) == ([True] * 3, [False] * 3)
    refuses(EnvError, "Game 0 is over", env.step, legal(chance, info["action_mask"]))
    refuses(EnvError, "reset_mask", env.reset, options={"reset_mask": np.ones(2, np.bool_)})
    _, info = env.reset(options={"reset_mask": np.ones(3, np.bool_)})
    env.step(legal(chance, info["action_mask"]))


FOUR: dict[str, Any] = {"side": 4, "max_plies": 5}
VECTORS: dict[str, Callable[[str], Any]] = {  # ours, and Gymnasium's own over our single environment
    "self-play": lambda mode: environments.vector("sanqi", 4, autoreset=mode, **FOUR),
    "random": lambda mode: environments.vector("sanqi", 4, seat=1, autoreset=mode, **FOUR),
    "engines": lambda mode: environments.vector("sanqi", 4, seat=1, opponents="level:1", autoreset=mode, **FOUR),
    "Gymnasium": lambda mode: gymnasium.vector.SyncVectorEnv(
        [lambda: environments.gymnasium("sanqi", seat=1, opponents="level:1", **FOUR)] * 4,
        autoreset_mode={"next": "NextStep", "same": "SameStep", "off": "Disabled"}[mode],
    ),
}


@pytest.mark.parametrize("mode", ["off", "next", "same"])
@pytest.mark.parametrize("kind", VECTORS)
@pytest.mark.thorough
def test_a_partial_reset_with_a_seed_changes_only_its_games(kind: str, mode: str) -> None:
    """As in Gymnasium's vector: these games become what the seed makes of all, the others go on as if nothing were."""
    mask = np.array([True, False, False, True])
    env, others, fresh = (VECTORS[kind](mode) for _ in range(3))
    env.reset(seed=9)
    before, info = others.reset(seed=9)
    for seed in (5, [7, None, None, 8]):
        expected, told = fresh.reset(seed=[7, 7, 8, 8] if isinstance(seed, list) else seed)
        observations, _ = env.reset(seed=seed, options={"reset_mask": mask})
        for _ in range(1 if mode == "off" else 4):
            assert (observations == np.where(mask[:, None, None], expected, before)).all()
            actions = np.where(mask, first_legal(told), first_legal(info))
            expected, _, _, _, told = fresh.step(first_legal(told))
            before, _, _, _, info = others.step(first_legal(info))
            observations, *_ = env.step(actions)
        assert (observations == np.where(mask[:, None, None], expected, before)).all()
    for each in (env, others, fresh):
        each.close()


@pytest.mark.parametrize("mode", ["next", "same"])
@pytest.mark.thorough
def test_a_vector_against_engines_is_gymnasiums_vector(mode: str) -> None:
    """Step by step, episode by episode, with all that both tell."""
    ours, theirs = VECTORS["engines"](mode), VECTORS["Gymnasium"](mode)
    (seen, info), (expected, told) = ours.reset(seed=4), theirs.reset(seed=4)
    finals = 0
    for _ in range(8):
        assert (seen == expected).all()
        assert (info["action_mask"] == told["action_mask"]).all()
        actions = first_legal(told)
        seen, *results, info = ours.step(actions)
        expected, *known, told = theirs.step(actions)
        assert all((one == other).all() for one, other in zip(results, known, strict=True))
        assert ("final_info" in info) == ("final_info" in told)
        if "final_info" in told:
            finals += 1
            ended, mine, its = told["_final_info"], info["final_info"], told["final_info"]
            assert (info["_final_info"] == ended).all()
            assert (mine["_action_mask"] == its["_action_mask"]).all()
            assert (mine["action_mask"][ended] == its["action_mask"][ended]).all()
            assert all((info["final_obs"][i] == told["final_obs"][i]).all() for i in np.flatnonzero(ended))
    assert (finals > 0) == (mode == "same")
    ours.close()
    theirs.close()


def first_of(env: Any) -> int:
    """The first legal action of whose turn it is in an environment of one game."""
    return int(env.play.describe(env.play.mover)[1].argmax())


# How each kind of environment is made, what steps it, and what tells how far it is.
KINDS: dict[str, tuple[Callable[[], Any], Callable[[Any], object], Callable[[Any], Any]]] = {
    "PettingZoo": (lambda: environments.aec("sparklies", players=3), lambda env: env.step(first_of(env)),
                   lambda env: (str(env.play.position), env.play.plies, env.agents)),
    **{f"Gymnasium, {by}": (functools.partial(environments.gymnasium, "sanqi", opponents=by, side=4),
                            lambda env: env.step(first_of(env)),
                            lambda env: (str(env.play.position), env.play.plies)) for by in ("random", "level:1")},
    "vector": (lambda: environments.vector("sanqi", 3, side=4), lambda env: env.step(env.batch.copy().random_actions()),
               lambda env: env.batch.rows.tolist()),
    "OpenSpiel": (lambda: environments.openspiel("triplicity").new_initial_state(),
                  lambda state: state.apply_action(state.legal_actions()[0]),
                  lambda state: (str(state), state.legal_actions())),
}  # fmt: skip
MARKS = {"PettingZoo": pytest.mark.online, "OpenSpiel": pytest.mark.train}  # it compiles Sparklies for three


@pytest.mark.parametrize("kind", [pytest.param(kind, marks=MARKS.get(kind, ())) for kind in KINDS])
def test_environments_that_are_pickled_or_copied_go_on(kind: str) -> None:
    make, step, seen = KINDS[kind]
    env = make()
    if hasattr(env, "reset"):
        env.reset(seed=3)
    for _ in range(5):
        step(env)
    before = seen(env)
    twins = [pickle.loads(pickle.dumps(env)), copy.deepcopy(env)]
    assert [seen(twin) for twin in twins] == [before] * 2
    for twin in twins:
        step(twin)
        assert seen(twin) != before == seen(env)
    step(env)
    assert kind == "Gymnasium, random" or [seen(twin) for twin in twins] == [seen(env)] * 2
