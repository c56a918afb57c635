"""SanQi's notation: ``Rj10`` a placement, ``Rxj10`` a replacement, and position strings.

Position string: ``sanqi/<side>[,<option>=<value>] <rows> <F|S> <ko|->``, rows from the highest number down. Where one
player sets up and the other chooses, a fifth field says how far the opening is and who has which side.
"""

from __future__ import annotations

import functools
import re
from typing import Any

from tercet.core.boards import read_rows, split_name
from tercet.core.game import Game
from tercet.core.rules import options_in
from tercet.errors import IllegalAction, ParseError
from tercet.games.sanqi.kernels import layout
from tercet.games.sanqi.rules import OPTIONS, TYPES

LETTERS = TYPES
TYPE_NAMES = ("Red", "Yellow", "Blue")
# What input takes for each type: canonical letter, the designer's word, the character.
SYNONYMS = {"R": 0, "S": 0, "上": 0, "Y": 1, "Z": 1, "中": 1, "B": 2, "X": 2, "下": 2}

_ACTION = re.compile(r"([RYBSZX上中下])([a-z]+)([1-9][0-9]{0,3})")
_LETTER = re.compile("[RYB]")
MAX_TEXT = 20_000
CHOICES = ("swap", "add")  # actions of openings, numbered from 3 * cells on
# The fifth field, by how far the opening is and whether the seats have changed sides.
STAGES = {
    "setup": (layout.SETTING_UP, 0),
    "choice": (layout.CHOOSING, 0),
    "add": (layout.ADDING, 0),
    "answer": (layout.ANSWERING, 1),
    "begun": (layout.BEGUN, 0),
    "begun-swapped": (layout.BEGUN, 1),
    "-": (layout.PLAYED, 0),
    "swapped": (layout.PLAYED, 1),
}


def types(game: Game, row: Any) -> list[int]:
    """Return what stands on each cell: 0 nothing, 1 to 3 a type."""
    kinds = types_array(game, row)
    return kinds if isinstance(kinds, list) else kinds.tolist()


def types_array(game: Game, row: Any) -> Any:
    """Return what `types` returns as an int32 array of shape (cells,) (interpreted: a list)."""
    out = game.new_list()  # as long as all actions, of which each cell has three
    game.kernels.types(game.data, row, out)
    return out[: game.data[layout.SIZE]]


def decode(action: int) -> tuple[int, int]:
    """The cell of an action and the type that it puts there (from 0)."""
    return divmod(action, 3)


def action_text(game: Game, row: Any, action: int) -> str:
    """``Rj10``, ``Rxj10``, ``swap`` or ``add``."""
    (cell, kind), names = decode(action), game.board.names
    if cell >= len(names):
        return CHOICES[kind]
    return written(kind, bool(game.kernels.type_at(game.data, row, cell)), names[cell])


def written(kind: int, takes: bool, name: str) -> str:
    """A piece of type ``kind`` (from 0) on the cell of that name, whose piece it ``takes`` the place of."""
    return f"{LETTERS[kind]}{'x' if takes else ''}{name}"


def parse_action(game: Game, row: Any, text: str) -> int:
    """The action that ``text`` means; a placement must name a vacant cell and a replacement an occupied one."""
    if text.strip() in CHOICES and game.rules.actions > 3 * len(game.board):
        return 3 * len(game.board) + CHOICES.index(text.strip())
    match = _ACTION.fullmatch(text.strip())
    if not match:
        raise IllegalAction(text[:40], "Write a move as a kind and a cell (Rj10), with an x to replace (Rxj10).")
    kind = SYNONYMS[match[1]]
    column, number = match[2], match[3]
    replaces = len(column) > 1 and column[0] == "x"  # an x right before digits is a column
    if replaces:
        column = column[1:]
    cell = game.board.index.get(column + number)
    if cell is None:
        raise IllegalAction(text[:40], f"A board of side {game.options['side']} has no cell {column}{number}.")
    stands = game.kernels.type_at(game.data, row, cell)
    name, letter = column + number, LETTERS[kind]
    if replaces and not stands:
        raise IllegalAction(text[:40], f"{name} is vacant. To place a piece there, write {letter}{name}.")
    if not replaces and stands:
        taken = f"{name} is taken by {TYPE_NAMES[stands - 1]}."
        raise IllegalAction(text[:40], f"{taken} To replace it, write {letter}x{name}.")
    return 3 * cell + kind


def why_not(game: Game, row: Any, action: int) -> str:
    """The rule that forbids a replacement (placements on vacant cells are always legal) or a choice of the opening."""
    cell, kind = divmod(action, 3)
    if cell >= len(game.board):
        if CHOICES[kind] == "swap":
            return "You can take First only when it is your turn to choose a side."
        return "Only the Chooser can add two pieces, right after the set-up of a swap2 opening."
    name = game.board.names[cell]
    old = int(game.kernels.type_at(game.data, row, cell))
    if row[layout.STAGE] >= layout.SETTING_UP:
        return f"{name} is taken. Choose a vacant cell: pieces can't be replaced during the set-up."
    if old == kind + 1:
        return f"{TYPE_NAMES[kind]} is already on {name}. Choose another kind to replace it."
    if row[layout.KO] == cell + 1:
        return f"Ko: the piece on {name} was just played, so it can't be replaced this turn."
    has = int(game.kernels.around(game.data, row, cell, kind + 1))
    stands = int(game.kernels.around(game.data, row, cell, old))
    new, replaced = TYPE_NAMES[kind], TYPE_NAMES[old - 1]
    return (
        f"Neighbours of {name}: {has} {new}, {stands} {replaced}. "
        f"Replacing {replaced} with {new} takes at least {stands + layout.LEAD} {new}."
    )


_SIDE, _OTHERS = OPTIONS[0], {option.name: option for option in OPTIONS[1:]}
_SIGNS = bytes.maketrans(bytes(range(4)), f".{LETTERS}".encode())


@functools.lru_cache(maxsize=1 << 14)
def _row_text(signs: bytes) -> str:
    """A row with counts in place of its empty cells. Most rows of a position are those of the one before."""
    return re.sub(r"\.+", lambda run: str(len(run[0])), signs.decode())


def position_text(game: Game, row: Any) -> str:
    """The position string."""
    signs = bytes(types(game, row)).translate(_SIGNS)
    rows = "/".join([_row_text(signs[cells]) for cells in game.board.row_slices])
    values = (f",{name}={game.options[name]}" for name, usual in _OTHERS.items() if game.options[name] != usual.default)
    head = f"sanqi/{game.options['side']}" + "".join(values)
    ko = game.board.names[row[layout.KO] - 1] if row[layout.KO] else "-"
    text = f"{head} {rows} {'FS'[row[layout.MOVER]]} {ko}"
    if game.data[layout.OPENING] < layout.SWAPS:
        return text
    stage = (int(row[layout.STAGE]), int(row[layout.SWAPPED]))
    return f"{text} {next(word for word, meant in STAGES.items() if meant == stage)}"


def _fields(text: str) -> list[str]:
    if len(text) > MAX_TEXT:
        raise ParseError("position", f"A position must have at most {MAX_TEXT} characters.")
    fields = text.split(" ")
    staged = re.search(",opening=swap2?(,|$)", fields[0]) is not None
    if len(fields) != 4 + staged:
        known = "five fields (game, rows, player, ko, stage)" if staged else "four fields (game, rows, player, ko)"
        raise ParseError("position", f"A position must have {known} separated by single spaces, not {len(fields)}.")
    return fields


def position_options(text: str) -> dict[str, Any]:
    """The options in the first field."""
    head = _fields(text)[0]
    name, slash, rest = head.partition("/")
    if name != "sanqi" or not slash:
        raise ParseError("game", f"A position must begin with sanqi/<side>, not {head[:20]!r}.")
    side, *others = rest.split(",")
    low, high = _SIDE.low or 0, _SIDE.high or 0
    if not re.fullmatch(r"[1-9][0-9]?", side) or not low <= int(side) <= high:
        raise ParseError("side", f"The side must be a number from {low} to {high}, not {side[:20]!r}.")
    return {"side": int(side), **options_in(others, _OTHERS)}


def read_position(game: Game, text: str, row: Any) -> None:
    """Fill ``row``; ParseError names the field."""
    _, rows_text, player, ko, *stage = _fields(text)
    board, data = game.board, game.data
    game.kernels.clear(data, row)
    for at, letter in read_rows(board, rows_text, _LETTER, "R, Y, B"):
        game.kernels.flip(data, row, at, LETTERS.index(letter) + 1)
    if player not in ("F", "S"):
        raise ParseError("player", f"The player must be F or S, not {player[:20]!r}.")
    row[layout.MOVER] = "FS".index(player)
    if ko != "-":
        cell = board.index.get(ko) if split_name(ko) else None
        if cell is None:
            raise ParseError("ko", f"The ko must be a cell or -, not {ko[:20]!r}.")
        if not game.kernels.type_at(data, row, cell):
            raise ParseError("ko", f"The ko must be the cell of the turn just before, but {ko} is vacant.")
        row[layout.KO] = cell + 1
    if stage:
        _read_stage(game, stage[0], row)
    game.kernels.refresh(data, row)


def stage_words(game: Game) -> list[str]:
    """Return the words for how far the opening can be."""
    adds = game.data[layout.OPENING] == layout.SWAPS_OR_ADDS
    return [word for word in STAGES if adds or word not in ("add", "answer", "begun")]


def _read_stage(game: Game, word: str, row: Any) -> None:
    """Fill in how far the opening is; ParseError where the pieces or the side to move do not fit."""
    known = stage_words(game)
    if word not in known:
        raise ParseError("stage", f"The stage must be one of {', '.join(known)}, not {word[:20]!r}.")
    stage, swapped = STAGES[word]
    pieces, setup = sum(kind > 0 for kind in types(game, row)), int(game.options["setup"])
    wanted = {
        layout.SETTING_UP: set(range(setup)),
        layout.CHOOSING: {setup},
        layout.ADDING: set(range(setup, setup + layout.ADDED)),
        layout.ANSWERING: {setup + layout.ADDED},
        layout.BEGUN: {setup} if swapped else {setup + layout.ADDED},
    }
    if stage in wanted and pieces not in wanted[stage]:
        raise ParseError("stage", f"The stage {word} does not fit {pieces} pieces where {setup} are set up.")
    side = layout.FIRST if stage == layout.SETTING_UP else layout.SECOND
    if stage != layout.PLAYED and row[layout.MOVER] != side:
        raise ParseError("player", f"The player must be {'FS'[side]} where the stage is {word}.")
    row[layout.STAGE], row[layout.SWAPPED] = stage, swapped
