"""Batches on the device that Numba offers (a GPU, or its simulator) beside batches on the CPU. Run by test_cuda.py, and
by hand on a machine with a GPU: ``python tests/batch/on_the_device.py equal sanqi side=6`` and ``... interface``."""

import pickle
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import tercet
from tercet.batch import Batch
from tercet.batch.cuda import simulated
from tercet.errors import BatchError, IllegalBatchAction

ARRAYS = ("rows", "seeds", "episodes", "plies", "done", "statuses", "scores", "movers", "agents", "counts", "masks",
          "observations", "terminal_rows", "terminal_observations")  # fmt: skip
GAMES, STEPS = (4, 60) if simulated() else (1000, 500)


def compare(here: Batch, there: Batch) -> None:
    """Every array of ``there`` is that of ``here``."""
    for name in ARRAYS:
        mine, its = getattr(here, name), getattr(there, name).copy_to_host()
        if name == "masks" and mine.dtype != its.dtype:
            mine = mine.view(np.uint32)
        assert np.array_equal(mine, its), f"{name} differs"


def equal(name: str, options: dict[str, Any], steps: int = STEPS) -> None:
    """Random games, so many ``steps`` with each mode of resetting, masks, observations and layout."""
    ended = 0
    for number, autoreset in enumerate(("same", "next", "same")):
        form: dict[str, Any] = {"games": GAMES, "seed": 7 + number, "autoreset": autoreset, **options}
        form |= {"mask_format": "bits" if number == 1 else "bool", "dtype": "float32" if number == 2 else "uint8"}
        here = Batch(name, **form)
        there = Batch(name, device="cuda", layout="column" if number else "row", block=32, **form)
        compare(here, there)
        for _ in range(steps):
            actions, same = here.random_actions(), there.random_actions()
            assert np.array_equal(actions, same.copy_to_host()), "random actions differ"
            here.step(actions)
            there.step(same)
            compare(here, there)
            ended += int(here.done.sum())
        for mine, its in zip(here.playouts(1, limit=30), there.playouts(1, limit=30), strict=True):
            assert np.array_equal(mine, its.copy_to_host()), "playouts differ"
    assert ended > 0, "no game ended"
    print(f"{ended} games ended, all as on the CPU")


def refusal(call: Callable[..., object], *arguments: object) -> str:
    """Why ``call`` is refused; empty if it is not."""
    try:
        call(*arguments)
    except (BatchError, IllegalBatchAction) as error:
        return str(error)
    return ""


def refusals(there: Batch) -> None:
    """What a batch on a GPU refuses; nothing is stepped."""
    before = there.rows.copy_to_host()
    for actions, why in (
        ([0, 1, 2], "must have the shape"), ([0.0] * 4, "whole numbers"), ([0, 3, -1, 111], "game 2, action -1"),
        ([0, 3, 6, 111], "game 3, action 111"),
    ):  # fmt: skip
        assert why in refusal(there.step, actions), actions
    assert refusal(there.observe, 0, False, np.empty((4, 11, 37), np.uint8)), "an array of this machine was taken"
    assert np.array_equal(before, there.rows.copy_to_host())


def interface() -> None:
    """Everything else that a batch does, in both layouts."""
    for layout in ("row", "column"):
        here = Batch("sanqi", games=4, seed=3, autoreset="off", side=4)
        there = Batch("sanqi", games=4, seed=3, autoreset="off", device="cuda", layout=layout, side=4)
        refusals(there)
        for batch in (here, there):
            batch.step([0, 3, 6, 9])
            batch.step([5, 9, 0, 1], where=[0, 2])
        compare(here, there)
        for player in (0, 1, [1, 0, 0, 1]):
            assert np.array_equal(here.observe(player), there.observe(player).copy_to_host())
        assert here.position(2) == there.position(2)
        assert np.array_equal(here.legal_actions(1), there.legal_actions(1))
        kept, twin = there.snapshot(2), there.copy()
        compare(here, twin)
        compare(here, pickle.loads(pickle.dumps(there)))
        position = tercet.game("sanqi", side=4).start().play(50)
        for batch in (here, there):
            batch.set_position(2, position)
            batch.reset(where=[0, 3], seeds=[11, 12])
            batch.reset(where=np.array([False, True, False, False]))
        compare(here, there)
        there.restore(2, kept)
        here.restore(2, kept)
        compare(here, there)
        here.reset(seed=9)
        there.reset(seed=9)
        compare(here, there)
        assert np.array_equal(here.random_actions(where=[1, 2]), there.random_actions(where=[1, 2]).copy_to_host())
        blind = Batch("sanqi", games=4, seed=9, device="cuda", layout=layout, observations=False, side=4)
        blind.step([0, 3, 6, 9])
        here.step([0, 3, 6, 9])
        assert np.array_equal(here.rows, blind.rows.copy_to_host())
        assert np.array_equal(here.observe(0), pickle.loads(pickle.dumps(blind)).observe(0).copy_to_host())
    print("all as on the CPU")


if __name__ == "__main__":
    if sys.argv[1] == "interface":
        interface()
    else:
        wishes = dict(word.split("=", 1) for word in sys.argv[3:])
        equal(sys.argv[2], wishes, int(wishes.pop("steps", STEPS)))
