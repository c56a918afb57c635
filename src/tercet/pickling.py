"""How games travel to other processes: by name, options and execution, never as code.

Importing this module (``import tercet`` does) lets :mod:`pickle` and :mod:`copy` take a :class:`~tercet.game.Game`, and
with it everything that refers to one: positions, actions, records.
"""

from __future__ import annotations

import copyreg
import functools
from typing import Any

from tercet.game import Game
from tercet.games import game_definition

__all__ = ["restore_game"]


@functools.lru_cache(maxsize=256)
def restore_game(name: str, options: tuple[tuple[str, Any], ...], execution: str) -> Game:
    """Return the game that was pickled with these options; OptionError or GameError where it is not installed here."""
    return Game(game_definition(name), dict(options), execution)


def _reduce(game: Game) -> tuple[Any, ...]:
    return restore_game, (game.name, tuple(game.options.items()), game.execution)


copyreg.pickle(Game, _reduce)
