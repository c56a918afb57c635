"""A batch against single games, action by action; episodes, seeds, threads, snapshots; zeros in observations."""

import _thread
import copy
import math
import os
import pickle
import random
import time
from collections import Counter
from types import SimpleNamespace
from typing import Any, SupportsIndex

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tercet
from tercet.batch import Batch, unpack
from tercet.core.game import Game, Position
from tercet.environments.play import Play
from tercet.errors import BatchError
from tercet.games.triplicity.kernels import words
from tests.batch.on_the_device import ARRAYS
from tests.support.division import thorough_but
from tests.support.heap import heap
from tests.support.present import present
from tests.support.refusals import refuses

MODES = ("compiled", "interpreted")
KINDS: list[tuple[str, dict[str, Any]]] = [
    ("heap", {}),
    ("sanqi", {"side": 4}),
    ("sanqi", {"side": 9, "stalemate": "loss"}),
    ("triplicity", {"quiet_limit": 30}),
    ("sparklies", {"board": "4x4", "players": 3}),
    ("sparklies", {"board": "hex3", "ruleset": "speed"}),
    ("sparklies", {"board": "3x4", "mode": "duel", "setup": "blank"}),
    ("sparklies", {"board": "4x3", "end": "agreement", "control": "optional", "max_pings": 5}),
]
IDS = ["-".join([name, *(str(value) for value in options.values())]) for name, options in KINDS]
# The kernels of a batch take a game of ours a quarter of a minute to compile, and the smallest game two seconds.
CASES = thorough_but(lambda kind: kind == KINDS[0], KINDS)
EACH = pytest.mark.parametrize(("name", "options"), CASES, ids=IDS)
SHORT = pytest.mark.parametrize(("name", "options"), [CASES[0], CASES[1], CASES[4]], ids=[IDS[0], IDS[1], IDS[4]])


def game_of(name: str, options: dict[str, Any], execution: str = "compiled") -> Game:
    return heap(execution) if name == "heap" else tercet.game(name, execution=execution, **options)


def expected(position: Position, player: int | None = None) -> Any:
    """The observation as whole numbers."""
    scales = position.game.rules.plane_scales
    planes = position.observe(player)
    if scales:
        planes = np.minimum(planes * np.array(scales, np.float32)[:, None] + np.float32(0.5), 255)
    return planes.astype(np.uint8)


def check(batch: Batch, index: SupportsIndex, position: Position) -> None:
    """Game ``index`` of ``batch`` has ``position`` on the board, and says of it what it says itself."""
    game = batch.game
    assert batch.position(index) == position
    assert batch.movers[index] == (-1 if position.mover is None else position.mover)
    assert batch.agents[index].tolist() == [player == position.mover for player in range(len(game.players))]
    legal = position.legal_actions.ids.tolist()
    assert batch.legal_actions(index).tolist() == legal
    assert batch.counts[index] == len(legal)
    if batch.mask_format == "bool":
        mask = batch.masks[index]
    else:
        bits = np.unpackbits(batch.masks[index], bitorder="little")
        assert not bits[game.rules.actions :].any()
        mask = bits[: game.rules.actions].astype(bool)
    assert np.flatnonzero(mask).tolist() == legal
    planes = position.observe()
    if batch.dtype == np.float32:
        assert np.array_equal(batch.observations[index], planes)
    else:  # dividing by a plane's scale gives the observation back, as near as half a unit, nothing cut
        assert np.array_equal(seen := batch.observations[index], expected(position))
        scales = np.array(game.rules.plane_scales or [1.0] * len(planes))[:, None]
        assert (np.abs(seen / scales - planes) <= 0.5 / scales + 1e-6).all()


def snapshot(batch: Batch) -> list[Any]:
    return [getattr(batch, name).copy() for name in ARRAYS]


def same(one: list[Any], other: list[Any]) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def step_alike(*batches: Batch) -> Any:
    """Step the batches with their random actions, which are the same; return them."""
    first, *others = [batch.random_actions() for batch in batches]
    assert all(np.array_equal(first, other) for other in others)
    for batch in batches:
        batch.step(first)
    return first


def check_that_snapshots_do_not_fit(batch: Batch, other: Batch) -> None:
    """Between batches whose observations are kept in other ways, but within each they do."""
    batch.restore(1, batch.snapshot(0))
    assert batch.position(1) == batch.position(0)
    for one, two in ((batch, other), (other, batch)):
        refuses(BatchError, "observations", one.restore, 0, two.snapshot(0))


@EACH
@pytest.mark.parametrize(("dtype", "mask_format"), [("uint8", "bool"), ("float32", "bits")])
def test_a_batch_plays_what_single_games_play(name: str, options: dict[str, Any], dtype: str, mask_format: str) -> None:
    batch = Batch(game_of(name, options), games=5, seed=3, dtype=dtype, mask_format=mask_format)
    game = batch.game
    positions = [game.start(seed=int(seed)) for seed in batch.seeds]
    plies, ended = [0] * 5, 0
    for step in range(400):
        for index, position in enumerate(positions):
            if step < 60 or (step + index) % 5 == 0:
                check(batch, index, position)
        actions = step_alike(batch)
        for index, position in enumerate(positions):
            after = position.play(int(actions[index]))
            plies[index] += 1
            assert (batch.plies[index], bool(batch.done[index])) == (plies[index], after.is_over)
            assert game.rules.reasons[batch.statuses[index]] == (after.outcome.reason if after.outcome else "")
            if after.outcome is None:
                assert not batch.scores[index].any()
                positions[index] = after
                continue
            assert tuple(batch.scores[index]) == after.outcome.scores
            assert batch.position(index, terminal=True) == after
            last = after.observe() if dtype == "float32" else expected(after)
            assert np.array_equal(batch.terminal_observations[index], last)
            positions[index] = game.start(seed=int(batch.seeds[index]))
            plies[index] = 0
            ended += 1
            check(batch, index, positions[index])
    assert ended > 0


@SHORT
def test_every_episode_can_be_played_again_by_itself(name: str, options: dict[str, Any]) -> None:
    batch = Batch(game_of(name, options), games=6, seed=11)
    begun = {(index, 0): int(batch.seeds[index]) for index in range(6)}
    actions: dict[tuple[int, int], list[int]] = {key: [] for key in begun}
    scores = {}
    for _ in range(150):
        drawn = batch.random_actions()
        keys = [(index, int(batch.episodes[index])) for index in range(6)]
        batch.step(drawn)
        for (index, episode), action in zip(keys, drawn.tolist(), strict=True):
            actions[index, episode].append(action)
            if batch.done[index]:
                scores[index, episode] = tuple(batch.scores[index])
                begun[index, episode + 1] = int(batch.seeds[index])
                actions[index, episode + 1] = []
    assert len(scores) >= 10
    assert len(set(begun.values())) == len(begun)
    for key, score in scores.items():
        position = batch.game.start(seed=begun[key])
        for action in actions[key]:
            position = position.play(action)
        assert present(position.outcome).scores == score


def test_off_waits_for_a_reset() -> None:
    batch = Batch(heap(), games=4, seed=2, autoreset="off")
    while not batch.done.all():
        batch.step(batch.random_actions(), where=~batch.done)
    assert (batch.random_actions() == -1).all()
    assert not batch.masks.any()
    plies, seeds = batch.plies.copy(), batch.seeds.copy()
    refuses(tercet.IllegalAction, r"game 0, action 5: The game is over\. Reset it", batch.step, [5, 5, 5, 5])
    batch.reset(where=[1, 3])
    assert batch.done.tolist() == [True, False, True, False]
    assert (batch.plies.tolist(), batch.episodes.tolist()) == ([plies[0], 0, plies[2], 0], [0, 1, 0, 1])
    assert (batch.seeds != seeds).tolist() == [False, True, False, True]
    batch.step(batch.random_actions(), where=[1, 3])
    assert batch.plies.tolist() == [plies[0], 1, plies[2], 1]


@EACH
def test_nothing_depends_on_the_number_of_threads(name: str, options: dict[str, Any]) -> None:
    batches = [Batch(game_of(name, options), games=200, seed=5, threads=threads) for threads in (1, 2, 5)]
    for _ in range(40):
        step_alike(*batches)
    first, *others = [[*snapshot(batch), *batch.playouts(2)] for batch in batches]
    assert all(same(first, other) for other in others)


def test_threads_end_without_work_and_are_started_again_even_after_a_fork() -> None:
    batch, alone, threads = Batch(heap(), games=200, threads=3), Batch(heap(), games=200), _thread._count()
    for _ in range(200):
        for work in batch._store._team._works.values():
            work.tries = [True]  # on all threads, however long that takes
        step_alike(batch, alone)
        time.sleep(random.choice((0, 0, 0, 0.0002, 0.001)))
    if not (child := os.fork()):
        step_alike(batch, alone)
        os._exit(not same(snapshot(batch), snapshot(alone)))
    assert os.waitpid(child, 0)[1] == 0
    assert same(snapshot(batch), snapshot(alone))
    time.sleep(0.2)
    assert _thread._count() <= threads


@pytest.mark.thorough
def test_random_actions_are_uniform_and_reproducible() -> None:
    batch, again, other = (Batch("sanqi", games=4000, seed=seed, side=4) for seed in (1, 1, 2))
    drawn, more = batch.random_actions(), batch.random_actions()
    assert np.array_equal(drawn, again.random_actions())
    assert not np.array_equal(drawn, more)
    counts, mean = Counter([*drawn.tolist(), *more.tolist()]), 8000 / 111
    assert len(counts) == 111
    assert sum((count - mean) ** 2 / mean for count in counts.values()) < 111 + 5 * 15
    assert not np.array_equal(drawn, other.random_actions())


def test_playouts_leave_the_games_alone_and_share_the_points() -> None:
    batch = Batch(heap(), games=6, seed=4)
    before = snapshot(batch)
    scores, plies = batch.playouts(3)
    assert same(before, snapshot(batch))
    assert np.allclose(scores.sum(axis=1), 3)
    assert (plies >= 3).all()
    scores, plies = batch.playouts(2, limit=4)
    assert (plies == 8).all()
    assert not scores.any()


@pytest.mark.thorough
def test_observations_from_any_side() -> None:
    batch = Batch("triplicity", games=4, seed=1)
    for _ in range(50):
        batch.step(batch.random_actions())
    sides = np.array([2, 0, 1, 2])
    out = np.empty_like(batch.observations)
    assert batch.observe(sides, out=out) is out
    for index, side in enumerate(sides.tolist()):
        assert np.array_equal(out[index], expected(batch.position(index), side))
    assert np.array_equal(batch.observe(1)[3], expected(batch.position(3), 1))


@pytest.mark.thorough
@pytest.mark.parametrize("name", tercet.games())
def test_no_two_threads_write_to_one_cache_line(name: str) -> None:
    *_, scratch = Batch(name, games=4, threads=3)._store._common
    for array in scratch:
        assert array.shape[0] == 3
        assert array.ctypes.data % 64 == 0
        assert array.strides[0] % 128 == 0


@pytest.mark.thorough
@pytest.mark.parametrize("autoreset", ["same", "off"])
def test_a_pickled_batch_goes_on_the_same(autoreset: str) -> None:
    batch = Batch("sparklies", games=3, seed=9, threads=2, autoreset=autoreset, board="3x3")
    for _ in range(30):
        batch.step(batch.random_actions(), where=~batch.done if autoreset == "off" else None)
    for twin in (pickle.loads(pickle.dumps(batch)), copy.deepcopy(batch)):
        assert twin.threads == 2
        here = batch.copy()
        assert same(snapshot(here), snapshot(twin))
        for _ in range(30):
            for each in (here, twin):
                each.step(each.random_actions(), where=~each.done if autoreset == "off" else None)
        assert same(snapshot(here), snapshot(twin))


@pytest.mark.thorough
@pytest.mark.parametrize("side", range(4, 31))
def test_sanqi_of_every_side_is_seen_whole(side: int) -> None:
    """Its bits are moved up against each other and kept from step to step: the board's last cells are there too."""
    batch = Batch("sanqi", games=2, seed=side, side=side)
    last = len(batch.game.board) - 1
    for actions in ((3 * last, 3 * last - 3), (3 * last - 2, 3 * last + 1), (3 * last - 5, 3 * last - 8)):
        batch.step(actions)
        for index in range(2):
            check(batch, index, batch.position(index))
    for _ in range(40):
        batch.step(batch.random_actions())
    for index in range(2):
        check(batch, index, batch.position(index))


def test_copies_and_snapshots() -> None:
    batch = Batch(heap(), games=3, seed=9)
    for _ in range(7):
        batch.step(batch.random_actions())
    twin, kept = batch.copy(), batch.snapshot(1)
    assert same(snapshot(batch), snapshot(twin))
    for _ in range(30):
        step_alike(batch, twin)
    assert same(snapshot(batch), snapshot(twin))
    assert kept.position != batch.position(1)
    batch.restore(2, kept)
    assert batch.position(2) == kept.position
    check(batch, 2, kept.position)
    batch.restore(1, kept)
    for _ in range(40):  # two games that are the same, random sequences included, stay the same
        actions = step_alike(batch)
        assert actions[1] == actions[2]
        if batch.done[1]:
            break
    assert batch.done[2]
    position = batch.game.start(seed=77)
    batch.set_position(0, position)
    check(batch, 0, position)
    assert (batch.seeds[0], batch.plies[0]) == (-1, 0)


def test_a_snapshot_keeps_that_a_game_was_just_over() -> None:
    batch = Batch(heap(), games=1, seed=1)
    while not batch.done[0]:
        step_alike(batch)
    before, kept = snapshot(batch), batch.snapshot(0)
    for _ in range(2):
        assert same(before, snapshot(batch))
        step_alike(batch)
        assert batch.plies[0] == 1
        batch.restore(0, kept)


def test_resets_begin_anew() -> None:
    batch = Batch(heap(), games=3, seed=9)
    first = snapshot(batch)
    actions = step_alike(batch)
    batch.reset(seed=9)
    assert same(first, snapshot(batch))
    assert np.array_equal(actions, batch.random_actions())
    batch.reset(where=np.array([False, True, True]), seeds=[5, 6])
    assert batch.seeds[1:].tolist() == [5, 6]
    check(batch, 1, batch.game.start(seed=5))
    check(batch, 2, batch.game.start(seed=6))
    assert batch.episodes.tolist() == [0, 1, 1]


@pytest.mark.thorough
def test_a_partial_reset_leaves_the_other_games_alone() -> None:
    """Their random sequences go on as if nothing had been; the games that are reset follow from their seeds alone."""
    batch, other, fresh = (Batch("sparklies", games=3, seed=9, board="4x4", autoreset="off") for _ in range(3))
    for each in (batch, other):
        each.step(each.random_actions())
        batch.random_actions(where=[0])
    batch.reset(where=[0], seeds=[5])
    fresh.reset(where=[2], seeds=[5])
    for _ in range(5):
        drawn, expected, begun = (each.random_actions() for each in (batch, other, fresh))
        assert drawn.tolist() == [begun[2], *expected[1:]]
        batch.step(drawn)
        other.step(expected)
        fresh.step(begun)
        assert np.array_equal(batch.rows, np.array([fresh.rows[2], *other.rows[1:]]))
    assert batch.random_actions(where=np.array([False, True, False])).tolist()[::2] == [-1, -1]


@EACH
@pytest.mark.parametrize("autoreset", ["same", "next"])
def test_a_batch_without_observations_plays_the_same(name: str, options: dict[str, Any], autoreset: str) -> None:
    batch = Batch(game_of(name, options), games=4, seed=3, autoreset=autoreset, observations=False)
    other = Batch(game_of(name, options), games=4, seed=3, autoreset=autoreset)
    assert batch.observations is batch.terminal_observations is None
    for step in range(60):
        step_alike(batch, other)
        if step == 30:
            batch = batch.copy() if name == "heap" else pickle.loads(pickle.dumps(batch.copy()))
    kept = [array for array in ARRAYS if "observations" not in array]
    assert all(np.array_equal(getattr(batch, each), getattr(other, each)) for each in kept)
    for terminal in (False, True):
        assert np.array_equal(batch.observe(1, terminal=terminal), other.observe(1, terminal=terminal))
    check_that_snapshots_do_not_fit(batch, other)


@EACH
@pytest.mark.parametrize("execution", MODES)
def test_packed_observations_unpack_to_the_planes(name: str, options: dict[str, Any], execution: str) -> None:
    batch = Batch(game_of(name, options, execution), games=3, seed=5, packed=True)
    other = Batch(game_of(name, options), games=3, seed=5)
    game = batch.game
    assert 4 * len(game.rules.planes) <= batch.observations.shape[1] < math.prod(other.observations.shape[1:])
    for step in range(60 if execution == "compiled" else 8):
        assert batch.observations.dtype == np.uint8
        assert np.array_equal(unpack(game, batch.observations), other.observations)
        assert np.array_equal(unpack(game, batch.terminal_observations), other.terminal_observations)
        step_alike(batch, other)
        if step == 30 and name != "heap":
            batch = pickle.loads(pickle.dumps(batch.copy()))
    out = np.empty_like(batch.observations)
    assert batch.observe(1, out=out) is out
    assert np.array_equal(unpack(game, out), other.observe(1))
    assert np.array_equal(out, batch.observe(1))
    check_that_snapshots_do_not_fit(batch, other)


def test_packed_planes_with_a_scale_are_bytes() -> None:
    """Also those of a game that writes fractions alone."""
    batch, other = (Batch(heap(scales=(13.0, 1.0)), games=3, seed=5, packed=packed) for packed in (True, False))
    assert batch.observations.shape == (3, 16 + 4)
    for _ in range(20):
        assert np.array_equal(unpack(batch.game, batch.observations), other.observations)
        step_alike(batch, other)


def test_arrays_are_the_batchs_own_memory() -> None:
    batch = Batch(heap(), games=4, mask_format="bits")
    for name in ("observations", "masks", "movers", "scores", "done", "plies"):
        array = getattr(batch, name)
        assert array.__array_interface__["data"][0] % 64 == 0, "JAX would copy it"
        assert np.from_dlpack(array).__array_interface__["data"][0] == array.__array_interface__["data"][0]
    assert batch.masks.view(np.uint64).shape == (4, 1)
    seen = batch.observations
    before = seen.copy()
    batch.step(batch.random_actions())
    assert batch.observations is seen
    assert not np.array_equal(before, seen)


@EACH
def test_interpreted_batches_are_the_same(name: str, options: dict[str, Any]) -> None:
    fast = Batch(game_of(name, options), games=2, seed=4)
    slow = Batch(game_of(name, options, "interpreted"), games=2, seed=4)
    for _ in range(12):
        assert same(snapshot(fast), snapshot(slow))
        step_alike(fast, slow)
    refuses(tercet.IllegalAction, None, slow.step, [-1, 0])


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_any_sequence_of_calls_agrees_with_single_games(data: st.DataObject) -> None:
    autoreset = data.draw(st.sampled_from(["same", "next", "off"]))
    batch = Batch(heap(), games=3, seed=data.draw(st.integers(0, 2**62 - 1)), autoreset=autoreset)
    game = batch.game
    model = [game.start(seed=int(seed)) for seed in batch.seeds]
    kept: list[Any] = []
    for _ in range(data.draw(st.integers(1, 60))):
        call = data.draw(st.sampled_from(["step", "step", "step", "some", "reset", "keep", "restore", "put"]))
        index = data.draw(st.integers(0, 2))
        if call in ("step", "some"):
            some = data.draw(st.lists(st.booleans(), min_size=3, max_size=3)) if call == "some" else [True] * 3
            where = np.array(some)
            if autoreset == "off":
                where &= ~batch.done
            actions, episodes = batch.random_actions(), batch.episodes.copy()
            over = [position.is_over for position in model]
            assert (actions == -1).tolist() == over
            assert autoreset != "same" or not any(over)
            actions[over] = 10**9  # ignored: "next" resets in the step after
            batch.step(actions, where)
            for i in np.flatnonzero(where).tolist():
                model[i] = game.start() if over[i] else model[i].play(int(actions[i]))
                assert bool(batch.done[i]) == model[i].is_over
                assert tuple(batch.scores[i]) == (model[i].scores or (0.0, 0.0))
                assert not over[i] or (batch.episodes[i], batch.plies[i]) == (episodes[i] + 1, 0)
                if model[i].is_over and autoreset == "same":
                    model[i] = game.start()
        elif call == "reset":
            batch.reset(where=[index])
            model[index] = game.start()
        elif call == "keep":
            kept.append((batch.snapshot(index), model[index]))
        elif call == "restore" and kept:
            one, position = data.draw(st.sampled_from(kept))
            batch.restore(index, one)
            model[index] = position
        elif call == "put" and not model[index].is_over:
            model[index] = model[index].play(int(model[index].legal_actions.ids[0]))
            if autoreset == "same" and model[index].is_over:
                model[index] = game.start()
            batch.set_position(index, model[index])
        for i in range(3):
            check(batch, i, model[i])


@pytest.mark.train
def test_pytorch_takes_the_arrays_over_and_unpacks() -> None:
    import torch

    batch = Batch("sanqi", games=4, side=4)
    from_dlpack = torch.utils.dlpack.from_dlpack
    seen, masks = from_dlpack(batch.observations), from_dlpack(batch.masks)
    assert seen.data_ptr() == batch.observations.__array_interface__["data"][0]
    batch.step(torch.multinomial(masks.float(), 1).squeeze(1))
    assert seen.numpy().tolist() == batch.observations.tolist()
    assert (batch.plies == 1).all()
    batch, other = (Batch("triplicity", games=4, packed=packed) for packed in (True, False))
    planes = unpack(batch.game, from_dlpack(batch.observations))
    assert isinstance(planes, torch.Tensor)
    assert np.array_equal(planes.numpy(), other.observations)


@pytest.mark.parametrize(
    ("execution", "dtype", "scales"),
    [("compiled", "float32", ()), ("compiled", "uint8", ()), *((mode, "uint8", (7.0, 200.0)) for mode in MODES)],
)
def test_zeros_are_written_over_what_an_array_held(execution: str, dtype: str, scales: tuple[float, ...]) -> None:
    batch = Batch(heap(execution, scales), games=5, seed=2, dtype=dtype)
    each = np.array(scales or (1.0, 1.0))[:, None]
    for _ in range(30):
        batch.step(batch.random_actions())
        out = batch.observe(1, out=np.full(batch.observations.shape, 77, dtype))
        for index in range(5):
            position = batch.position(index)
            assert np.array_equal(batch.observations[index], position.observe() * each)
            assert np.array_equal(out[index], position.observe(1) * each)
            if batch.episodes[index]:
                last = batch.position(index, terminal=True)
                assert np.array_equal(batch.terminal_observations[index], last.observe(0) * each)


def test_environments_of_one_game(monkeypatch: pytest.MonkeyPatch) -> None:
    play = Play(heap())
    stale = {**vars(np), "empty": lambda shape, dtype: np.full(shape, 9, dtype)}
    monkeypatch.setattr("tercet.environments.play.np", SimpleNamespace(**stale))
    for action in (2, 2, 2, 1):
        for player in (0, 1):
            assert np.array_equal(play.describe(player)[0], play.position.observe(player))
        play.act(action)


@pytest.mark.train
def test_observers_of_openspiel() -> None:
    from tercet.environments.openspiel_game import _Observer

    game = heap()
    observer, position = _Observer(game, None), game.start()
    for number in (2, 2, 2, 1):
        state: Any = SimpleNamespace(row=position.row)
        observer.set_from(state, 1)
        assert np.array_equal(observer.dict["observation"], position.observe(1))
        position = position.play(number)


@pytest.mark.parametrize("options", [{"drops": "anywhere", "coins": 60}, {"jeopardy": "no-successive"}])
def test_triplicity_finds_the_same_legal_actions_as_bits(options: dict[str, Any]) -> None:
    """As Python reads the kernel. Other tests try it compiled, where the processor chooses bits at once."""
    position, chance = tercet.game("triplicity", **options).start(), np.random.default_rng(1)
    legal_bits: Any = words.legal_bits
    for _ in range(60):
        data, bits = (position.game.data.tolist(), position.row.tolist(), position.game.new_list()), [0] * 224
        count = legal_bits(*data, bits)
        listed = np.flatnonzero(np.unpackbits(np.array(bits, np.uint32).view(np.uint8), bitorder="little"))
        assert (count, listed.tolist()) == (len(listed), position.legal_actions.ids.tolist())
        position = position.play(position.legal_actions[int(chance.integers(count))])
