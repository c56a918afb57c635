"""Rating pools: games are rated together with those of the same game for the same number of players."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tercet.core.game import Game
from tercet.core.rules import Option
from tercet.errors import OptionError
from tercet.games import game_definition

SPEEDS = ("blitz", "rapid", "classical", "correspondence", "none")
QUICK, LONG = 480, 1500  # seconds of a player's whole game from which on it is rapid, and classical


def speed_of(clock: Mapping[str, Any] | None, game: str) -> str:
    """Return the speed, one of :data:`SPEEDS`, of a ``game`` (its name) with this ``clock`` (as
    :meth:`tercet.play.session.TimeControl.read` takes it; None: no clock, speed ``none``).

    It follows from how long a player's part of a game is estimated to take, as on lichess: the main time and the
    increments of the game's ``typical_turns``. Of the periods of byo-yomi, and of times for each turn
    that cannot be saved (``turn``, ``move``), half is taken to be used.
    Less than 8 minutes are ``blitz``, less than 25 ``rapid``.
    """
    if clock is None:
        return "none"
    kind = clock["kind"]
    if kind == "correspondence":
        return "correspondence"
    turns = game_definition(game).typical_turns
    seconds = 60 * clock.get("minutes", 0)
    if kind == "fischer":
        seconds += turns * clock["increment"]
    elif kind == "byoyomi":
        seconds += turns * clock["seconds"] / 2
    elif kind == "move":
        seconds *= turns / 2
    else:
        seconds = turns * clock["seconds"] / 2
    return "blitz" if seconds < QUICK else "rapid" if seconds < LONG else "classical"


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


MIN_TURNS = 2  # of each player: a game that ends before is not rated


def is_long_enough(seats: Iterable[int], players: int) -> bool:
    """Return whether a game counts in which the actions were made by these seats, in this order. Actions of one seat
    that follow each other are one turn."""
    return sum(1 for _ in itertools.groupby(seats)) >= MIN_TURNS * players


def why_unrated(game: Game) -> str | None:
    """Return the sentence that says why games with these options are never rated; None where they may be."""
    definition = game.definition
    if definition.rated is None:
        return f"{definition.title} has no rated games."
    for option in definition.options:
        value, allowed = game.options[option.name], definition.rated.get(option.name, ())
        if value == option.default or value in allowed:
            continue
        title = option.title or option.name
        if isinstance(allowed, range):
            return f"In a rated game of {definition.title}, {title} must be from {allowed[0]} to {allowed[-1]}."
        if allowed:
            choices = ", ".join(_words(option, one) for one in allowed)
            return f"In a rated game of {definition.title}, {title} must be one of these: {choices}."
        return f"In a rated game of {definition.title}, {title} must keep its usual value."
    return None


def _words(option: Option, value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value == "":
        return "none"
    return option.words.get(str(value), str(value)) if option.kind == "choice" else str(value)
