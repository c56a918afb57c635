"""Rating pools: games are rated together with those of the same game for the same number of players."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import Any

from tercet.core.game import Game
from tercet.core.rules import Option
from tercet.errors import OptionError
from tercet.games import game_definition

__all__ = ["game_of_pool", "pool_of", "seat_names"]


@functools.cache
def _usual(game: str) -> tuple[str, ...]:
    return tuple(Game(game_definition(game), {}, "interpreted").players)


def pool_of(game: str, players: int) -> str:
    """Return the name of the pool in which games of so many ``players`` are rated: the game's name, followed by the
    number of players where it is not the usual one, as in ``name-2``."""
    return game if players == len(_usual(game)) else f"{game}-{players}"


def game_of_pool(pool: str) -> tuple[str, int]:
    """Return the game of a pool and its number of players; OptionError where there is no such game."""
    found = re.fullmatch(r"(.*)-([0-9]+)", pool)
    return (found[1], int(found[2])) if found else (pool, len(_usual(pool)))


def _values(option: Option, players: int) -> Iterator[Any]:
    """Values of an option that may settle how many play."""
    if option.kind == "choice":
        yield from option.choices
    elif option.kind == "bool":
        yield not option.default
    elif option.kind == "int" and (option.low or 0) <= players <= (players if option.high is None else option.high):
        yield players


@functools.cache
def seat_names(game: str, players: int) -> tuple[str, ...]:
    """Return the names of the seats in a game for so many ``players``: those with the default options, or with the
    first value of an option that makes it so many players; numbers from 1 where there is no such option."""
    if len(_usual(game)) == players:
        return _usual(game)
    definition = game_definition(game)
    for option in definition.options:
        for value in _values(option, players):
            try:
                names = Game(definition, {option.name: value}, "interpreted").players
            except OptionError:  # it does not go with the usual value of another option
                continue
            if len(names) == players:
                return tuple(names)
    return tuple(str(seat + 1) for seat in range(players))
