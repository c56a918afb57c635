"""How fast a game is, from its clock."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tercet.games import game_definition

__all__ = ["SPEEDS", "speed_of"]

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
