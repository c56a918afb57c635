"""The save strings of the original Sparklies page, ``2:9:2:4:1:<cells>:<n>``: two players, four neighbours, at the
start of a turn. A cell is ``colour + 3 * holder``: red 0, green 1, blue 2; free 0, Black 1, White 2; rows from the
top. What the fields mean is our reading; the last one we do not know, and keep as it is."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tercet.core.game import Game, Position
from tercet.errors import ParseError, TercetError
from tercet.games import game_definition
from tercet.games.sparklies.kernels import layout
from tercet.games.sparklies.options import MAX_WIDTH
from tercet.games.sparklies.rules import pack

FIELDS = ("players", "board size", "ruleset", "neighbours", "player to move", "cells", "last number")
RULESETS = {"1": "speed", "2": "subtle"}
MAX_LAST = 40
BESIDE = ("setup", "handicap", "max_pings")  # options that say nothing of a position that stands


@dataclass(frozen=True)
class Save:
    """What a save string holds: the position, and the last number as it was written."""

    position: Position
    last: str = "0"

    def __str__(self) -> str:
        return write_save(self.position, self.last)


def is_save(text: str) -> bool:
    """Return whether ``text`` is meant as a save string: it begins with a number and a colon."""
    return re.match(r"[0-9]+:", text) is not None


def read_save(text: str, mode: str | None = None) -> Save:
    """The position that a save string describes; ParseError names the field that is wrong.

    ``mode`` is ``"compiled"`` or ``"interpreted"``, as for :func:`tercet.game`.
    """
    fields = text.split(":", len(FIELDS))
    for place, name in enumerate(FIELDS):
        if place >= len(fields):
            raise ParseError(name, f"The {name} is missing.")
        _check_field(name, fields[place], fields)
    if len(fields) > len(FIELDS):
        raise ParseError(
            "last number", f"The save string must end after its last number, not with {fields[-1][:20]!r}."
        )
    _, size, ruleset, _, player, cells, last = fields
    game = Game(game_definition("sparklies"), {"board": f"{size}x{size}", "ruleset": RULESETS[ruleset]}, mode)
    row = game.new_row()
    game.kernels.setup(game.data, row, 0)
    for cell, digit in enumerate(cells):
        holder, colour = divmod(int(digit), 3)
        row[layout.PLACES + cell] = colour | holder << 2
    row[layout.MOVER] = int(player) - 1
    game.kernels.refresh(game.data, row)
    return Save(Position(game, row), last)


def _check_field(name: str, value: str, fields: list[str]) -> None:
    shown = repr(value[:20])
    if name == "players" and value != "2":
        raise ParseError(name, f"A save string is of 2 players, not of {shown}.")
    if name == "board size" and not (re.fullmatch(r"[1-9][0-9]?", value) and 2 <= int(value) <= MAX_WIDTH):
        raise ParseError(name, f"The {name} must be a number from 2 to {MAX_WIDTH}, not {shown}.")
    if name == "ruleset" and value not in RULESETS:
        raise ParseError(name, f"The {name} must be 1 (Speed) or 2 (Subtle), not {shown}.")
    if name == "neighbours" and value != "4":
        raise ParseError(name, f"The {name} must be 4, not {shown}.")
    if name == "player to move" and value not in ("1", "2"):
        raise ParseError(name, f"The {name} must be 1 (Black) or 2 (White), not {shown}.")
    if name == "cells":
        wanted = int(fields[1]) ** 2
        wrong = re.search(r"[^0-8]", value)
        if wrong:
            raise ParseError(
                name, f"The {name} must be digits from 0 to 8, but number {wrong.start() + 1} is {wrong[0]!r}."
            )
        if len(value) != wanted:
            raise ParseError(
                name, f"The {name} of a board of {fields[1]} by {fields[1]} must be {wanted}, not {len(value)}."
            )
    if name == "last number" and not re.fullmatch(rf"[0-9]{{1,{MAX_LAST}}}", value):
        raise ParseError(name, f"The {name} must be a number of at most {MAX_LAST} digits, not {shown}.")


def write_save(position: Position, last: str = "0") -> str:
    """Return the save string of ``position``; ``last`` is the number at the end. Raise TercetError where the form has
    no room. How the board was set up, a handicap already taken and the bound on pings are not written: the form has no
    field for them, and the position is the same without them."""
    game, row = position.game, position.row
    _check_rules(game)
    codes = {ruleset: code for code, ruleset in RULESETS.items()}
    if game.options["ruleset"] not in codes:
        raise TercetError("Save strings exist only for Speed and Subtle.")
    width, _, height = game.options["board"].partition("x")
    if width != height:
        raise TercetError("Save strings exist only for square boards.")
    if row[layout.STEP] != layout.CONTROL:
        raise TercetError("Save strings exist only at the start of a turn.")
    if any(int(game.kernels.colour_at(row, cell)) == layout.NO_COLOUR for cell in range(len(game.board))):
        raise TercetError("A save string gives every cell a colour, but this board has cells without one.")
    _check_field("last number", last, [])
    cells = "".join(
        str(int(game.kernels.colour_at(row, cell)) + 3 * int(game.kernels.holder_at(row, cell)))
        for cell in range(len(game.board))
    )
    return f"2:{width}:{codes[game.options['ruleset']]}:4:{int(row[layout.MOVER]) + 1}:{cells}:{last}"


def _check_rules(game: Game) -> None:
    """Raise TercetError if the game is played by other rules than a save string can name."""
    options = game.options
    plain = game.complete({"board": options["board"], "ruleset": options["ruleset"]})
    same = pack({**options, **{name: plain[name] for name in BESIDE}})
    if same.data == pack(plain).data:
        return
    for name, value in plain.items():
        if options[name] != value and name not in BESIDE:
            raise TercetError(f"Save strings have no {name}={options[name]}.")
