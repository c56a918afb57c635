"""Triplicity's positions as people set them up by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tercet.core.abilities.play import Content, Editor
from tercet.core.game import Game
from tercet.core.rules import Option
from tercet.games.triplicity.notation import STATE_LETTERS
from tercet.games.triplicity.rules import MAX_TOKENS, PLAYER_LETTERS, PLAYERS, STATES
from tercet.games.triplicity.view import SYMBOLS

LETTERS = PLAYER_LETTERS.lower()
MEN = tuple(
    Content(symbol.id, symbol.name, symbol.id, LETTERS.index(symbol.id[0]))
    for symbol in SYMBOLS
    if symbol.id[0] in LETTERS
)
CELLS = ((Content("", "vacant", clears=True), *MEN),)
PLAYER = Option("player", "choice", "W", "", title="To move", words=dict(zip(PLAYER_LETTERS, PLAYERS, strict=True)))
CAPTORS = {"-": "no one", **dict(zip(LETTERS, PLAYERS, strict=True))}
STATE_WORDS = dict(zip(STATE_LETTERS, STATES, strict=True))


def _each(name: str, kind: str, default: Any, title: str, **more: Any) -> tuple[Option, ...]:
    """Return a field for each player."""
    return tuple(
        Option(f"{name}.{letter}", kind, default, "", title=f"{player}: {title}", **more)
        for letter, player in zip(LETTERS, PLAYERS, strict=True)
    )


HOARDS = _each("coins", "int", 0, "coins", low=0, high=MAX_TOKENS)
PLACES = _each("states", "choice", "a", "state", words=STATE_WORDS)
OWED = Option("pending", "choice", "-", "Who has just captured.", title="Sacrifice owed to", words=CAPTORS)
FELLED = Option("last king", "bool", False, "", title="The last turn took a last king")


def fields(game: Game) -> tuple[Option, ...]:
    """Return who is to move, what the players have, who is still in the game, and what the last turn left behind."""
    limit = game.options["quiet_limit"]
    help_ = "Turns since the last capture, purchase or pawn move."
    quiet = Option("quiet", "int", 0, help_, title="Quiet turns", low=0, high=limit)
    owed = (OWED,) if game.options["tribute"] != "off" else ()
    felled = (FELLED,) if game.options["jeopardy"] == "no-successive" else ()
    return (PLAYER, *HOARDS, *PLACES, quiet, *owed, *felled)


def split(_game: Game, words: Sequence[str]) -> dict[str, Any]:
    """Return the values of the fields in these words of a position string."""
    player, hoards, states, quiet, pending, *felled = words
    shared = {"player": player, "quiet": quiet, "pending": pending, "last king": bool(felled)}
    coins = {field.name: coins for field, coins in zip(HOARDS, hoards.split(","), strict=True)}
    return shared | coins | {field.name: state for field, state in zip(PLACES, states.split(","), strict=True)}


def join(_game: Game, values: Mapping[str, Any]) -> list[str]:
    """Return the words of a position string that have these values."""
    hoards = ",".join(str(values[field.name]) for field in HOARDS)
    states = ",".join(values[field.name] for field in PLACES)
    words = [values["player"], hoards, states, str(values["quiet"]), values.get("pending", "-")]
    return [*words, "k"] if values.get("last king") else words


EDITOR = Editor(lambda _: CELLS, fields, split=split, join=join)
