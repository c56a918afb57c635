"""Crossway's notation: ``c4`` a stone, ``swap``, and position strings.

Position string: ``crossway/<size>[,pie=false] <rows> <B|W> <swapped|->``, rows from the top down, ``B`` and ``W``
stones, numbers runs of vacant cells.
"""

import re
from typing import Any

from tercet.core.boards import read_rows
from tercet.core.editing import counted_rows
from tercet.core.game import Game
from tercet.errors import IllegalAction, ParseError
from tercet_crossway import kernels
from tercet_crossway.rules import MAX_SIZE, MIN_SIZE, PLAYERS

LETTERS = "BW"
SWAP = "swap"
STONE = re.compile("[BW]")


def action_text(game: Game, row: Any, action: int) -> str:
    """The cell's name, or ``swap``."""
    return SWAP if action == len(game.board) else game.board.names[action]


def parse_action(game: Game, row: Any, text: str) -> int:
    """The action that ``text`` means here, legal or not."""
    text = text.strip()
    if text == SWAP:
        return len(game.board)
    cell = game.board.index.get(text)
    if cell is None:
        last = game.board.names[len(game.board.rows) - 1]
        raise IllegalAction(text[:40], f"An action must be a cell from a1 to {last}, or swap.")
    return cell


def why_not(game: Game, row: Any, action: int) -> str:
    """The rule that forbids ``action``."""
    if action == len(game.board):
        return "only White may swap, and only instead of the first white stone"
    stone = int(game.kernels.owner(game.data, row, action))
    name = game.board.names[action]
    if stone != kernels.NOBODY:
        return f"{name} holds a stone of {PLAYERS[stone]}"
    return f"a stone on {name} would complete a checkerboard: two stones of each, crosswise in a square"


def position_text(game: Game, row: Any) -> str:
    """The position string."""
    stones = [int(game.kernels.owner(game.data, row, cell)) for cell in range(len(game.board))]
    rows = counted_rows(game.board, ["" if stone == kernels.NOBODY else LETTERS[stone] for stone in stones])
    head = f"crossway/{game.options['size']}" + ("" if game.options["pie"] else ",pie=false")
    return f"{head} {rows} {LETTERS[int(row[kernels.MOVER])]} {'swapped' if row[kernels.SWAPPED] else '-'}"


def _fields(text: str) -> list[str]:
    fields = text.split(" ")
    if len(fields) != 4:
        why = f"A position must have four fields (game, rows, player, swapped or -), not {len(fields)}."
        raise ParseError("position", why)
    return fields


def position_options(text: str) -> dict[str, Any]:
    """The options in the first field."""
    match = re.fullmatch(r"crossway/([1-9][0-9]?)(,pie=false)?", _fields(text)[0])
    if not match or not MIN_SIZE <= int(match[1]) <= MAX_SIZE:
        why = f"A position must begin with crossway/<size>, {MIN_SIZE} to {MAX_SIZE}, and ,pie=false or nothing."
        raise ParseError("game", why)
    return {"size": int(match[1]), "pie": match[2] is None}


def read_position(game: Game, text: str, row: Any) -> None:
    """Fill ``row``; ParseError names the field."""
    _, rows_text, player, swapped = _fields(text)
    game.kernels.setup(game.data, row, 0)
    for cell, stone in read_rows(game.board, rows_text, STONE, "B, W"):
        row[kernels.GROUPS + cell] = 1 + LETTERS.index(stone)  # the group is found below
    if player not in LETTERS or not player:
        raise ParseError("player", f"The player must be B or W, not {player[:20]!r}.")
    if swapped not in ("swapped", "-") or (swapped == "swapped" and not game.options["pie"]):
        raise ParseError("swapped", f"The last field must be swapped (under a pie rule) or -, not {swapped[:20]!r}.")
    row[kernels.MOVER] = LETTERS.index(player)
    row[kernels.SWAPPED] = swapped == "swapped"
    game.kernels.refresh(game.data, row)
