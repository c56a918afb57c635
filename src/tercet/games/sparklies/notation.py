"""Sparklies' notation: ``+d4`` a control (``+d4=R`` in blank setup), ``c2=R`` a ping, ``!c2`` an activation of a duel,
``agree``. Position strings are in ``position_strings``, whole turns on a line in ``turns`` and ``long_notation``, the
original's save strings in ``saves``.
"""

from __future__ import annotations

import functools
import re
from typing import Any

from tercet.core.game import Game
from tercet.errors import IllegalAction
from tercet.games.sparklies.kernels import layout
from tercet.games.sparklies.options import PLAYERS, places
from tercet.games.sparklies.position_strings import position_options, position_text, read_position

__all__ = [
    "action_text",
    "colour_names",
    "decode",
    "decoded",
    "parse_action",
    "position_options",
    "position_text",
    "read_position",
    "why_not",
]

LETTERS = "RGB"
COLOUR_NAMES = ("red", "green", "blue")

_ACTION = re.compile(r"([+!]?)([a-z]+[1-9][0-9]{0,2})(?:=([RGBrgb]))?")
_ACTION_HELP = "Write a move as a cell to claim (+d4), a ping (c2=R), or agree."
_DUEL_HELP = "Write a move as a cell to claim (+d4) or activate (!c2), a resolution (c2=R), or agree."


def colour_names(game: Game, row: Any, cell: int) -> str:
    """Name of a cell's colour now."""
    colour = int(game.kernels.colour_at(row, cell))
    return "no colour" if colour == layout.NO_COLOUR else COLOUR_NAMES[colour]


def decode(game: Game, action: int) -> tuple[str, int, int]:
    """Kind (``ping``, ``control``, ``activate``, ``agree``), cell and colour (or -1) of an action's number."""
    data = game.rules.data
    if action < data[layout.CONTROLS]:
        return "ping", action // 3, action % 3
    if action < data[layout.ACTIVATIONS]:
        choice = action - int(data[layout.CONTROLS])
        return ("control", choice // 3, choice % 3) if data[layout.BLANK] else ("control", choice, -1)
    if action < data[layout.AGREE]:
        return "activate", action - int(data[layout.ACTIVATIONS]), -1
    return "agree", -1, -1


@functools.lru_cache(maxsize=64)
def decoded(game: Game) -> tuple[tuple[str, int, int], ...]:
    """Return what :func:`decode` says of each action of the action space."""
    return tuple(decode(game, action) for action in range(game.rules.actions))


def action_text(game: Game, row: Any, action: int) -> str:
    """Canonical notation."""
    kind, cell, colour = decode(game, action)
    if kind == "agree":
        return "agree"
    name = game.board.names[cell] + (f"={LETTERS[colour]}" if colour >= 0 else "")
    return {"ping": "", "control": "+", "activate": "!"}[kind] + name


def parse_action(game: Game, row: Any, text: str) -> int:
    """The action that ``text`` means, legal or not; IllegalAction where it means none."""
    data = game.rules.data
    written = text.strip()
    shown = text[:40]
    if written == "agree":
        if data[layout.AGREE] == data[layout.ACTIONS]:
            raise IllegalAction(shown, "Under these rules, players can't agree to end the game.")
        return int(data[layout.AGREE])
    match = _ACTION.fullmatch(written)
    if not match:
        raise IllegalAction(shown, _DUEL_HELP if data[layout.DUEL] else _ACTION_HELP)
    sign, name, letter = match[1], match[2], match[3]
    cell = game.board.index.get(name)
    if cell is None:
        dead = any(name in names for names in places(game.options))
        raise IllegalAction(
            shown,
            f"{name} isn't part of this board. Choose another cell." if dead else f"This board has no cell {name}.",
        )
    colour = LETTERS.index(letter.upper()) if letter else -1
    if sign == "!":
        if not data[layout.DUEL]:
            raise IllegalAction(shown, "You can activate cells only in a duel.")
        if letter:
            raise IllegalAction(shown, f"An activation takes no colour. Write !{name}.")
        return int(data[layout.ACTIVATIONS]) + cell
    if sign == "+":
        if data[layout.BLANK]:
            if not letter:
                raise IllegalAction(shown, f"In blank setup, name the colour of the cell you claim, as in +{name}=R.")
            return int(data[layout.CONTROLS]) + 3 * cell + colour
        if letter:
            raise IllegalAction(shown, f"A claimed cell keeps its colour. Write +{name}.")
        return int(data[layout.CONTROLS]) + cell
    if not letter:
        raise IllegalAction(shown, f"Name the colour of the ping, as in {name}=R. To claim a cell, write +{name}.")
    return 3 * cell + colour


def why_not(game: Game, row: Any, action: int) -> str:
    """Return which rule forbids ``action``, which is not legal here."""
    kind, cell, _ = decode(game, action)
    k = game.kernels
    step = int(row[layout.STEP])
    who = PLAYERS[int(row[layout.MOVER])]
    asked = f"{who} must {STEP_WORDS[step]} now."
    if kind == "agree":
        return asked
    name = game.board.names[cell]
    holder = int(k.holder_at(row, cell))
    whose = f"{PLAYERS[holder - 1]}'s" if holder else "free"
    if kind == "control":
        return asked if step > layout.CONTROL or not holder else f"{name} is already {whose}. Choose a free cell."
    if (kind == "activate" and step != layout.ACTIVATE) or (kind == "ping" and not k.may_ping(game.data, row)):
        return asked
    if holder != row[layout.MOVER] + 1:
        return f"{name} is {whose}. Choose one of your cells."
    if kind == "activate":
        return f"{name} is already active. Choose another of your cells."
    if step >= layout.PROPAGATE and not k.is_active(row, cell):
        return f"{name} isn't active. Choose an active cell."
    forced = int(k.forced_colour(game.data, row, cell))
    return f"{name} is {colour_names(game, row, cell)}, so it can only turn {COLOUR_NAMES[forced]}."


STEP_WORDS = (
    "claim handicap cells",
    "claim a free cell",
    "ping a cell",
    "ping a cell or agree",
    "ping an active cell",
    "activate a cell",
    "ping an active cell",
)
