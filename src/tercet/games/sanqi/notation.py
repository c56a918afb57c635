"""SanQi's notation: ``Rj10`` a placement, ``Rxj10`` a replacement, and position strings.

Position string: ``sanqi/<side>[,stalemate=loss] <rows> <F|S> <ko|->``, rows from the highest number down.
"""

from __future__ import annotations

import functools
import re
from typing import Any

from tercet.boards import split_name
from tercet.errors import IllegalAction, ParseError
from tercet.game import Game
from tercet.games.sanqi.kernels import layout
from tercet.games.sanqi.positions import types
from tercet.games.sanqi.rules import MAX_SIDE, MIN_SIDE

LETTERS = "RYB"
TYPE_NAMES = ("Red", "Yellow", "Blue")
# What input takes for each type: canonical letter, the designer's word, the character.
SYNONYMS = {"R": 0, "S": 0, "上": 0, "Y": 1, "Z": 1, "中": 1, "B": 2, "X": 2, "下": 2}

_ACTION = re.compile(r"([RYBSZX上中下])([a-z]+)([1-9][0-9]{0,3})")
_CELL_COUNT = re.compile(r"[1-9][0-9]{0,2}|[RYB]")
MAX_TEXT = 20_000


def decode(action: int) -> tuple[int, int]:
    """The cell of an action and the type that it puts there (from 0)."""
    return divmod(action, 3)


def action_text(game: Game, row: Any, action: int) -> str:
    """``Rj10`` or ``Rxj10``."""
    cell, kind = decode(action)
    return written(kind, bool(game.kernels.type_at(game.data, row, cell)), game.board.names[cell])


def written(kind: int, takes: bool, name: str) -> str:
    """A piece of type ``kind`` (from 0) on the cell of that name, whose piece it ``takes`` the place of."""
    return f"{LETTERS[kind]}{'x' if takes else ''}{name}"


def parse_action(game: Game, row: Any, text: str) -> int:
    """The action that ``text`` means; a placement must name a vacant cell and a replacement an occupied one."""
    match = _ACTION.fullmatch(text.strip())
    if not match:
        raise IllegalAction(
            text[:40], "an action is a type and a cell, as in Rj10, or with an x to replace, as in Rxj10"
        )
    kind = SYNONYMS[match[1]]
    column, number = match[2], match[3]
    replaces = len(column) > 1 and column[0] == "x"  # an x right before digits is a column
    if replaces:
        column = column[1:]
    cell = game.board.index.get(column + number)
    if cell is None:
        raise IllegalAction(text[:40], f"there is no cell {column}{number} on a board of side {game.options['side']}")
    stands = game.kernels.type_at(game.data, row, cell)
    if replaces and not stands:
        raise IllegalAction(text[:40], f"{column}{number} is vacant: there is nothing to replace")
    if not replaces and stands:
        raise IllegalAction(
            text[:40],
            f"{column}{number} holds {TYPE_NAMES[stands - 1]}; to replace it write {LETTERS[kind]}x{column}{number}",
        )
    return 3 * cell + kind


def why_not(game: Game, row: Any, action: int) -> str:
    """The rule that forbids a replacement (placements on vacant cells are always legal)."""
    cell, kind = divmod(action, 3)
    name = game.board.names[cell]
    old = int(game.kernels.type_at(game.data, row, cell))
    if old == kind + 1:
        return f"{name} already holds {TYPE_NAMES[kind]}"
    if row[layout.KO] == cell + 1:
        return f"ko: {name} was played on the turn just before"
    has = int(game.kernels.around(game.data, row, cell, kind + 1))
    stands = int(game.kernels.around(game.data, row, cell, old))
    return (
        f"{name} has {has} {TYPE_NAMES[kind]} and {stands} {TYPE_NAMES[old - 1]} neighbours; "
        f"replacing needs at least {stands + 2} {TYPE_NAMES[kind]}"
    )


_SIGNS = bytes.maketrans(bytes(range(4)), f".{LETTERS}".encode())


@functools.lru_cache(maxsize=1 << 14)
def _row_text(signs: bytes) -> str:
    """A row with counts in place of its empty cells. Most rows of a position are those of the one before."""
    return re.sub(r"\.+", lambda run: str(len(run[0])), signs.decode())


def position_text(game: Game, row: Any) -> str:
    """The position string."""
    signs = bytes(types(game, row)).translate(_SIGNS)
    rows = "/".join([_row_text(signs[cells]) for cells in game.board.row_slices])
    head = f"sanqi/{game.options['side']}" + (",stalemate=loss" if game.options["stalemate"] == "loss" else "")
    ko = game.board.names[row[layout.KO] - 1] if row[layout.KO] else "-"
    return f"{head} {rows} {'FS'[row[layout.MOVER]]} {ko}"


def _fields(text: str) -> list[str]:
    if len(text) > MAX_TEXT:
        raise ParseError("position", f"longer than {MAX_TEXT} characters")
    fields = text.split(" ")
    if len(fields) != 4:
        raise ParseError(
            "position", f"has four fields (game, rows, player, ko) separated by single spaces, not {len(fields)}"
        )
    return fields


def position_options(text: str) -> dict[str, Any]:
    """The options in the first field."""
    head = _fields(text)[0]
    name, slash, rest = head.partition("/")
    if name != "sanqi" or not slash:
        raise ParseError("game", f"begins with sanqi/<side>, not {head[:20]!r}")
    side, *others = rest.split(",")
    if not re.fullmatch(r"[1-9][0-9]?", side) or not MIN_SIDE <= int(side) <= MAX_SIDE:
        raise ParseError("side", f"is a number from {MIN_SIDE} to {MAX_SIDE}, not {side[:20]!r}")
    options: dict[str, Any] = {"side": int(side)}
    for other in others:
        name, equals, value = other.partition("=")
        if name != "stalemate" or not equals or value not in ("draw", "loss") or name in options:
            raise ParseError("options", f"may be stalemate=loss, not {other[:30]!r}")
        options[name] = value
    return options


def read_position(game: Game, text: str, row: Any) -> None:
    """Fill ``row``; ParseError names the field."""
    _, rows_text, player, ko = _fields(text)
    board, data = game.board, game.data
    game.kernels.setup(data, row, 0)
    rows = rows_text.split("/")
    if len(rows) != len(board.rows):
        raise ParseError("rows", f"a board of side {game.options['side']} has {len(board.rows)} rows, not {len(rows)}")
    for number, (written, cells) in enumerate(zip(rows, board.rows, strict=True)):
        where = f"row {len(rows) - number}"
        at = column = 0
        while column < len(written):
            match = _CELL_COUNT.match(written, column)
            if not match:
                raise ParseError(where, f"has R, Y, B and counts of empty cells, not {written[column]!r}")
            token = match[0]
            column = match.end()
            if token in LETTERS:
                if at < len(cells):
                    game.kernels.flip(data, row, cells[at], LETTERS.index(token) + 1)
                at += 1
            else:
                if column < len(written) and written[column].isdigit():
                    raise ParseError(where, "two counts of empty cells in a row")
                at += int(token)
        if at != len(cells):
            raise ParseError(where, f"has {len(cells)} cells, not {at}")
    if player not in ("F", "S"):
        raise ParseError("player", f"is F or S, not {player[:20]!r}")
    row[layout.MOVER] = "FS".index(player)
    if ko != "-":
        cell = board.index.get(ko) if split_name(ko) else None
        if cell is None:
            raise ParseError("ko", f"is a cell or -, not {ko[:20]!r}")
        if not game.kernels.type_at(data, row, cell):
            raise ParseError("ko", f"{ko} is vacant, so nothing was played there on the turn just before")
        row[layout.KO] = cell + 1
    game.kernels.refresh(data, row)
