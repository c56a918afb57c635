"""The engines that sit opposite in environments of one seat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tercet.core.game import Game, Position
from tercet.core.rules import whole
from tercet.engines import Engine, Limits, engine
from tercet.environments.play import EnvError

__all__ = ["Opponents", "check_seat"]


def check_seat(game: Game, seat: Any) -> int:
    """``seat`` as a number; EnvError where the game has none such."""
    number = whole(seat, 0, len(game.players) - 1)
    if number is None:
        raise EnvError(f"seat must be from 0 to {len(game.players) - 1}, not {seat!r}.")
    return number


class Opponents:
    """An engine for every seat but one. ``named`` is one name for all of them, or one for each in order."""

    def __init__(self, game: Game, seat: int, named: str | Sequence[str]) -> None:
        others = [player for player in range(len(game.players)) if player != seat]
        names = [named] * len(others) if isinstance(named, str) else list(named)
        if len(names) != len(others):
            raise EnvError(f"opponents must have one name or {len(others)}, not {len(names)}.")
        self.game = game
        self.names = dict(zip(others, names, strict=True))
        self._engines: dict[int, Engine] = {}
        self._seed = 0
        for name in names:
            engine(name, game, seed=0).close()

    def begin(self, seed: int) -> None:
        """Engines for a new game, whose random numbers follow from ``seed``."""
        self.close()
        self._seed = seed
        self._engines = {
            player: engine(name, self.game, seed=(seed + 7919 * player) % (1 << 60))
            for player, name in self.names.items()
        }

    def __getstate__(self) -> dict[str, Any]:
        """Pickled without the engines, which restart, as at the start of the game, when they are asked next."""
        return {**self.__dict__, "_engines": {}}

    def choose(self, position: Position) -> int:
        """Return the action of whose turn it is."""
        assert position.mover is not None
        if not self._engines:
            self.begin(self._seed)
        return int(self._engines[position.mover].think(position, Limits()).action)

    def close(self) -> None:
        """Let the engines go."""
        for each in self._engines.values():
            each.close()
        self._engines = {}
