"""Tercet: SanQi, Triplicity and Sparklies, three games of three.

>>> import tercet
>>> game = tercet.game("sanqi", side=4)
>>> position = game.start()
>>> len(position.legal_actions)
111
>>> position = position.play("Rd4")
>>> str(position)
'sanqi/4 4/5/6/3R3/6/5/4 S d4'
"""

from __future__ import annotations

from typing import Any

from tercet.definition import Option
from tercet.errors import IllegalAction, OptionError, ParseError, TercetError
from tercet.game import Action, Event, Game, LegalActions, Outcome, Position
from tercet.games import NAMES, game_definition
from tercet.record import Record, read

__all__ = [
    "Action",
    "Event",
    "Game",
    "IllegalAction",
    "LegalActions",
    "Option",
    "OptionError",
    "Outcome",
    "ParseError",
    "Position",
    "Record",
    "TercetError",
    "game",
    "games",
    "parse",
    "read",
]

__version__ = "0.1.0"


def games() -> tuple[str, ...]:
    """Names of all games."""
    return NAMES


def game(name: str, /, *, mode: str | None = None, **options: Any) -> Game:
    """The game ``name`` with ``options`` (see ``Game.definition.options``); OptionError where something makes no sense.

    ``mode`` is ``"compiled"`` (default, or what the environment variable ``TERCET_MODE`` says) or ``"interpreted"``;
    anything else is an option of the game's of that name (``mode="duel"``).
    """
    if mode not in (None, "compiled", "interpreted"):
        options["mode"] = mode
        mode = None
    return Game(game_definition(name), options, mode)


def parse(text: str) -> Position:
    """The position that any game's position string describes, or a text in one of the forms that a game knows besides
    (``definition.saves``); ParseError."""
    name = text.split("/", 1)[0].split(" ", 1)[0]
    if name not in NAMES:
        for form in (form for known in NAMES for form in game_definition(known).saves):
            if form.fits(text):
                return form.read(text)
        raise ParseError("game", f"a position string begins with {', '.join(NAMES)}, not {name[:20]!r}")
    return game(name).parse(text)
