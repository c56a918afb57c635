"""`observe` gets zeros everywhere: a game whose kernel only writes ones is seen alike by all that look at it."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tercet.batch import Batch
from tercet.environments.play import Play
from tests.support.heap import heap


@pytest.mark.parametrize("execution", ["compiled", "interpreted"])
@pytest.mark.parametrize(
    ("dtype", "scales"), [("float32", ()), ("uint8", ()), ("uint8", (2.0, 3.0))], ids=["float32", "uint8", "scaled"]
)
def test_batches(execution: str, dtype: str, scales: tuple[float, ...]) -> None:
    game = heap(execution, scales)
    batch = Batch(game, games=5, seed=2, dtype=dtype)
    each = np.array(scales if scales else (1.0, 1.0))[:, None]

    def seen(position: Any, player: int | None) -> Any:
        return position.observe(player) * each

    for _ in range(30):
        batch.step(batch.random_actions())
        out = np.full(batch.observations.shape, 77, dtype)
        batch.observe(1, out=out)
        for index in range(5):
            position = batch.position(index)
            assert np.array_equal(batch.observations[index], seen(position, position.mover))
            assert np.array_equal(out[index], seen(position, 1))
            if batch.episodes[index]:
                last = batch.position(index, terminal=True)
                assert np.array_equal(batch.terminal_observations[index], seen(last, 0))


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
        following = game.follow(position.row, number)
        assert following is not None
        position = following
