"""What a batch refuses, with typed errors, and that nothing has changed then."""

from typing import Any

import numpy as np
import pytest

import tercet
from tercet.batch import Batch
from tercet.errors import BatchError, IllegalBatchAction
from tests.support.heap import heap
from tests.support.refusals import refuses


@pytest.fixture
def batch() -> Batch:
    return Batch(tercet.game("sanqi", execution="interpreted", side=4), games=4, seed=1)


WRONG: dict[str, tuple[Any, ...]] = {
    "games": (0, -3, 2.5, True, 10**15), "seed": (-1, 1 << 62, "1"), "threads": (-1, 1.0), "device": ("tpu",),
    "autoreset": ("later", None), "mask_format": ("int8",), "dtype": ("float64", object()), "packed": (True,),
}  # fmt: skip


@pytest.mark.parametrize(("argument", "value"), [(name, value) for name, values in WRONG.items() for value in values])
def test_what_a_batch_cannot_be(argument: str, value: Any) -> None:
    given = {"dtype": "float32", argument: value}  # packed observations are of bits
    assert refuses(BatchError, argument, Batch, "sanqi", **given).argument == argument


def test_options_and_games() -> None:
    refuses(tercet.OptionError, "has no option", Batch, "sanqi", sides=6)
    refuses(tercet.TercetError, None, Batch, "chess")
    refuses(BatchError, "already has its options", Batch, tercet.game("sanqi"), side=6)
    refuses(BatchError, "a game's name or a Game", Batch, 6)


@pytest.mark.parametrize(
    ("actions", "why"),
    [
        ([0, 1, 2], r"`actions` must have the shape \(4,\), not \(3,\)"),
        ([[0, 1, 2, 3]], "must have the shape"),
        (5, "must have the shape"),
        ([0.0, 1.0, 2.0, 3.0], "must have whole numbers, not float64"),
        (np.ones(4, bool), "not bool"),
        (["a", "b", "c", "d"], "must have whole numbers"),
        ([[1], [2, 3]], "cannot be read as an array"),
        (np.array([0, 1, 2, 1 << 63], np.uint64), r"2\*\*63"),
        (None, "must have the shape"),
    ],
)
def test_actions_of_the_wrong_kind(batch: Batch, actions: Any, why: str) -> None:
    before = batch.rows.copy()
    refuses(BatchError, why, batch.step, actions)
    assert np.array_equal(before, batch.rows)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("wrong", [-1, 111, 2**40, -(2**63)])
def test_an_illegal_action_is_named_and_nothing_is_stepped(threads: int, wrong: int) -> None:
    batch = Batch(heap(), games=300, seed=1, threads=threads)
    actions = batch.random_actions()
    actions[211] = actions[250] = wrong
    before = [batch.rows.copy(), batch.observations.copy(), batch.plies.copy()]
    caught = refuses(IllegalBatchAction, None, batch.step, actions)
    assert (caught.index, caught.number) == (211, wrong)
    assert "no such action" in caught.why
    assert isinstance(caught, tercet.IllegalAction)
    for array, now in zip(before, (batch.rows, batch.observations, batch.plies), strict=True):
        assert np.array_equal(array, now)


def test_the_rule_that_forbids_an_action_is_told(batch: Batch) -> None:
    batch.step([0, 3, 6, 9])
    caught = refuses(IllegalBatchAction, None, batch.step, [3, 3, 3, 3])
    assert caught.index == 1
    assert caught.why == refuses(tercet.IllegalAction, None, batch.position(1).play, 3).why


def test_choosing_games(batch: Batch) -> None:
    for where, why in (([4], "must name games from 0 to 3, not 4"), ([True], "where"), ([0.5], "where")):
        refuses(BatchError, why, batch.step, [0, 0, 0, 0], where=where)
    refuses(BatchError, "must name games from 0 to 3, not -1", batch.reset, where=[-1])
    for actions, chosen in (([0, -1, 0, -1], [0, 2]), ([-1, -1, -1, -1], [])):
        batch.step(actions, where=chosen)
        assert batch.plies.tolist() == [1, 0, 1, 0]


@pytest.mark.parametrize("index", [-1, 4, 1.5, None])
def test_single_games_are_numbered(batch: Batch, index: Any) -> None:
    for call in (batch.position, batch.snapshot, batch.legal_actions):
        refuses(BatchError, "index", call, index)


def test_positions_snapshots_and_players_of_another_kind(batch: Batch) -> None:
    other = Batch(tercet.game("sanqi", execution="interpreted", side=5), games=1)
    for position in (other.position(0), "sanqi/4"):
        refuses(BatchError, "position", batch.set_position, 0, position)
    refuses(BatchError, "snapshot", batch.restore, 0, other.snapshot(0))
    with pytest.raises(BatchError, match="observations of the type"):
        batch.restore(0, Batch(batch.game, games=1, dtype="float32").snapshot(0))
    for player in (2, -1, [0, 1, 0, 2], [0, -1, 0, 1], [0, 1], "First", 0.5):
        refuses(BatchError, "player", batch.observe, player)
    for out in (np.empty((4, 11, 37), np.float32), np.empty((4, 11, 36), np.uint8), [1]):
        refuses(BatchError, "out", batch.observe, 0, out=out)
    refuses(BatchError, "rounds", batch.playouts, 0)
    for seeds in ([1, 2, 3, -4], [1, 2]):
        refuses(BatchError, "seeds", batch.reset, seeds=seeds)
    refuses(BatchError, "seed", batch.reset, seed=3, where=[1])


class OnAGpu:
    """What PyTorch's and Numba's arrays on a GPU say of themselves."""

    __cuda_array_interface__ = {"shape": (4,), "typestr": "<i8", "data": (4096, False), "version": 3}  # noqa: RUF012


def test_arrays_of_another_device_are_refused(batch: Batch) -> None:
    before = batch.rows.copy()
    refuses(BatchError, "`actions` is in the memory of a GPU", batch.step, OnAGpu())
    refuses(BatchError, "where", batch.step, [0, 0, 0, 0], where=OnAGpu())
    refuses(BatchError, "player", batch.observe, OnAGpu())
    assert np.array_equal(before, batch.rows)
