"""Tercet: three games of three, and whatever games other packages add.

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

from tercet.core.game import Action, Event, Game, LegalActions, Outcome, Position, draw_with
from tercet.core.old_names import install
from tercet.core.rules import Option
from tercet.errors import GameError, IllegalAction, NotOffered, OptionError, ParseError, TercetError
from tercet.games import game_definition, names
from tercet.record import Record, read

__all__ = [
    "Action",
    "Event",
    "Game",
    "GameError",
    "IllegalAction",
    "LegalActions",
    "NotOffered",
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

__version__ = "0.3.0"


def _drawn(position: Position) -> str:
    from tercet.pictures.drawing import svg

    return svg(position)


draw_with(_drawn)
install()


def games() -> tuple[str, ...]:
    """Names of all games: those of Tercet, and those that other installed packages offer."""
    return names()


def game(name: str, /, *, execution: str | None = None, **options: Any) -> Game:
    """Return the game ``name`` with ``options`` (see ``Game.definition.options``); OptionError where something makes no
    sense.

    ``execution`` is ``"compiled"`` (default, or what the environment variable ``TERCET_EXECUTION`` says) or
    ``"interpreted"``.
    """
    return Game(game_definition(name), options, execution)


def parse(text: str) -> Position:
    """Return the position that any game's position string describes, or a text in one of the forms that a game knows
    besides (``definition.saves``); ParseError."""
    if not isinstance(text, str):
        raise ParseError("position", f"A position string must be text, not {text!r:.40}.")
    text = text.removeprefix("\ufeff")
    name = text.split("/", 1)[0].split(" ", 1)[0]
    known = names()
    if name not in known:
        for form in (form for other in known for form in game_definition(other).saves):
            if form.fits(text):
                return form.read(text)
        raise ParseError("game", f"A position string must begin with a game ({', '.join(known)}), not {name[:20]!r}.")
    return game(name).parse(text)
