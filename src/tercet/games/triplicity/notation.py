"""Triplicity's notation: ``b3-c6`` a move, ``b3xc6`` a capture, ``c12-d13=Q`` a promotion, ``N@a7`` a purchase, ``~d4``
a sacrifice, ``pass``; the short form ``Nc6``, ``Nxc6``. A position string is
``triplicity[/option=value,...] <rows> <W|B|R> <tokens> <states> <quiet> <pending|-> [k]``.
"""

from __future__ import annotations

import functools
import re
from typing import Any

from tercet.core.boards import read_rows
from tercet.core.game import Game
from tercet.core.rules import options_in
from tercet.core.texts import listed
from tercet.errors import IllegalAction, ParseError
from tercet.games.triplicity.kernels import layout
from tercet.games.triplicity.positions import men
from tercet.games.triplicity.rules import (
    KIND_LETTERS,
    KINDS,
    MAX_TOKENS,
    OPTIONS,
    PERIMETER,
    PLAYER_LETTERS,
    PLAYERS,
    rules_of,
)

STATE_LETTERS = "avr"

MAX_TEXT = 2_000

_MAN = re.compile(r"[wbr][PNBRQK]")

_NUMBER = re.compile(r"0|[1-9][0-9]{0,5}")

# Letters of each man, as 8 * player + kind.
_MEN = tuple(f"{letter.lower()}{kind}" for letter in PLAYER_LETTERS for kind in f"{KIND_LETTERS:8}"[:8])


def man_at(row: Any, cell: int) -> tuple[int, int]:
    """Owner and kind of the man on ``cell``; kind 0 where there is none."""
    man = int(row[layout.CELLS + cell])
    return man >> 3, man & 7


@functools.lru_cache(maxsize=1 << 14)
def _row_text(standing: bytes) -> str:
    """A row of cells, by what stands on each. Most rows of a position are those of the one before."""
    text, empty = "", 0
    for man in standing:
        if man:
            text += (str(empty) if empty else "") + _MEN[man]
            empty = 0
        else:
            empty += 1
    return text + (str(empty) if empty else "")


def _rows_text(game: Game, row: Any) -> str:
    men = row[layout.CELLS : layout.CELLS + layout.SIZE]
    standing = bytes(men) if isinstance(men, list) else men.astype("u1").tobytes()
    return "/".join([_row_text(standing[cells]) for cells in game.board.row_slices])


def position_text(game: Game, row: Any) -> str:
    """The position string."""
    changed = game.option_text(changed_only=True).replace(" ", ",")
    pending = int(row[layout.PENDING])
    fields = [
        "triplicity" + (f"/{changed}" if changed else ""),
        _rows_text(game, row),
        PLAYER_LETTERS[row[layout.TURN]],
        ",".join(str(int(row[layout.TOKENS + player])) for player in range(3)),
        ",".join(STATE_LETTERS[row[layout.STATE + player]] for player in range(3)),
        str(int(row[layout.QUIET])),
        PLAYER_LETTERS[pending - 1].lower() if pending else "-",
    ]
    if row[layout.FELLED]:
        fields.append("k")
    return " ".join(fields)


def _fields(text: str) -> list[str]:
    if len(text) > MAX_TEXT:
        raise ParseError("position", f"A position must have at most {MAX_TEXT} characters.")
    fields = text.split(" ")
    if len(fields) not in (7, 8):
        raise ParseError(
            "position",
            "A position must have seven fields (game, rows, player, tokens, states, quiet, pending), "
            f"not {len(fields)}.",
        )
    return fields


def position_options(text: str) -> dict[str, Any]:
    """The options in the first field."""
    head = _fields(text)[0]
    name, slash, rest = head.partition("/")
    if name != "triplicity":
        raise ParseError("game", f"A position must begin with triplicity, not {head[:20]!r}.")
    return options_in(rest.split(",") if slash else (), {option.name: option for option in OPTIONS})


def _read_rows(game: Game, text: str, row: Any) -> None:
    for cell, token in read_rows(game.board, text, _MAN, "pieces (wK)"):
        player, kind = PLAYER_LETTERS.lower().index(token[0]), KIND_LETTERS.index(token[1])
        if kind == layout.PAWN and game.board.coordinates[cell][player] == 0:
            name = game.board.names[cell]
            raise ParseError(f"cell {name}", f"{PLAYERS[player]}'s pawn on {name} would have promoted.")
        row[layout.CELLS + cell] = 8 * player + kind


def _read_players(game: Game, tokens: str, states: str, row: Any) -> None:
    hoards = tokens.split(",")
    if len(hoards) != 3 or not all(_NUMBER.fullmatch(hoard) for hoard in hoards):
        raise ParseError("coins", f"The coins must be three numbers separated by commas, not {tokens[:30]!r}.")
    if sum(int(hoard) for hoard in hoards) > MAX_TOKENS:
        raise ParseError("coins", f"The coins must be at most {MAX_TOKENS} together.")
    letters = states.split(",")
    if len(letters) != 3 or any(letter not in ("a", "v", "r") for letter in letters):
        raise ParseError("states", f"The states must be three of a, v, r separated by commas, not {states[:20]!r}.")
    if "a" not in letters:
        raise ParseError("states", "At least one player must still be in the game.")
    for player in range(3):
        row[layout.TOKENS + player] = int(hoards[player])
        row[layout.STATE + player] = STATE_LETTERS.index(letters[player])
    game.kernels.refresh(game.data, row)
    for player, name in enumerate(PLAYERS):
        kings = int(row[layout.KINGS + player])
        if letters[player] == "a" and not kings:
            raise ParseError("states", f"{name} has no king, and so is not active.")
        if letters[player] == "v" and kings:
            raise ParseError("states", f"{name} has a king, and so is not vanquished.")
        if letters[player] != "a" and not kings and row[layout.TOKENS + player]:
            raise ParseError("coins", f"The coins of {name} went to the captor of the last king.")


def _read_pending(game: Game, pending: str, row: Any) -> None:
    if pending == "-":
        return
    if len(pending) != 1 or pending not in PLAYER_LETTERS.lower():
        raise ParseError("pending", f"The field pending must be the captor, w, b or r, or -, not {pending[:20]!r}.")
    captor = PLAYER_LETTERS.lower().index(pending)
    debtor = int(row[layout.TURN])
    if game.options["tribute"] == "off":
        raise ParseError("pending", "The field pending must be - where no tribute is paid.")
    if row[layout.STATUS]:
        raise ParseError("pending", "The game is over, so nothing is pending.")
    if captor == debtor:
        raise ParseError("pending", f"{PLAYERS[debtor]} cannot owe a sacrifice for their own capture.")
    if row[layout.STATE + captor] == layout.VANQUISHED:
        raise ParseError("pending", f"{PLAYERS[captor]} is vanquished and captured nothing just now.")
    if row[layout.TOKENS + debtor]:
        raise ParseError("pending", f"{PLAYERS[debtor]} has coins, and so owes no sacrifice.")
    if game.kernels.men_count(game.data, row, debtor) < 2:
        raise ParseError("pending", f"{PLAYERS[debtor]} has only the last king, and so owes no sacrifice.")
    if row[layout.QUIET]:
        raise ParseError("quiet", "The quiet turns must be 0 right after the capture that a sacrifice is owed for.")
    row[layout.PENDING] = captor + 1


def read_position(game: Game, text: str, row: Any) -> None:
    """Fill ``row``; ParseError names the field."""
    _, rows, player, tokens, states, quiet, pending, *felled = _fields(text)
    game.kernels.setup(game.data, row, 0)
    for cell in range(layout.SIZE):
        row[layout.CELLS + cell] = 0
    _read_rows(game, rows, row)
    limit = game.options["quiet_limit"]
    if not _NUMBER.fullmatch(quiet) or int(quiet) > limit:
        raise ParseError("quiet", f"The quiet turns must be a number from 0 to {limit}, not {quiet[:20]!r}.")
    row[layout.QUIET] = int(quiet)
    _read_players(game, tokens, states, row)
    if len(player) != 1 or player not in PLAYER_LETTERS:
        raise ParseError("player", f"The player must be W, B or R, not {player[:20]!r}.")
    row[layout.TURN] = PLAYER_LETTERS.index(player)
    fell_second = game.options["points"] == "3-1-0" and row[layout.STATUS] == layout.LAST_PLAYER
    if row[layout.STATE + row[layout.TURN]] != layout.ACTIVE and not fell_second:
        raise ParseError("player", f"{PLAYERS[row[layout.TURN]]} is no longer in the game.")
    _read_pending(game, pending, row)
    if felled:
        if felled != ["k"]:
            raise ParseError("last king", f"The last king must be k or left out, not {felled[0][:20]!r}.")
        if game.options["jeopardy"] != "no-successive":
            raise ParseError("last king", "The last king is written only under jeopardy=no-successive.")
        row[layout.FELLED] = 1
    game.kernels.refresh(game.data, row)


NO_ACTION = -1
MOVES = {
    layout.KNIGHT: "a knight leaps two cells straight on, then one to the side",
    layout.BISHOP: "a bishop moves in straight lines through the corners of the cells",
    layout.ROOK: "a rook moves in straight lines through the sides of the cells",
    layout.QUEEN: "a queen moves in straight lines through the sides or corners of the cells",
    layout.KING: "a king moves one step through a side or a corner of its cell",
}
PAWN_MOVES = (
    "a pawn moves one step forward through a corner to a vacant cell, and captures one step forward through a side"
)

_CELL = r"[a-m](?:1[0-3]|[1-9])"
_MOVE = re.compile(rf"({_CELL})([-x]?)({_CELL})(?:=?([A-Za-z]))?")
_SHORT = re.compile(rf"([NBRQK]?)([a-m]?)(1[0-3]|[1-9])?(x?)({_CELL})(?:=?([NBRQK]))?")
_PURCHASE = re.compile(rf"([PNBRQK])@({_CELL})")
_SACRIFICE = re.compile(rf"~({_CELL})")


def promotion(game: Game, path: int) -> int:
    """The first of the five actions that promote along ``path``; NO_ACTION where none does."""
    number = int(game.rules.data[layout.PROMOTION_OF + path])
    return NO_ACTION if number < 0 else layout.PROMOTIONS + 5 * number


def parts(game: Game, action: int) -> tuple[int, int, int]:
    """Return where an action starts (-1), where it ends (-1) and the kind that it brings (0)."""
    made, data = game.kernels, game.data
    return int(made.source(data, action)), int(made.target(data, action)), int(made.becomes(data, action))


@functools.lru_cache(maxsize=8)
def all_parts(game: Game) -> tuple[tuple[int, int, int], ...]:
    """Return what :func:`parts` says of each action of the action space."""
    return tuple(parts(game, action) for action in range(game.rules.actions))


def action_text(game: Game, row: Any, action: int) -> str:
    """The canonical long form."""
    cell, goal, brings = parts(game, action)
    names = game.board.names
    if action == layout.PASS:
        return "pass"
    if action >= layout.SACRIFICES:
        return f"~{names[goal]}"
    if action >= layout.PURCHASES:
        return f"{KIND_LETTERS[brings]}@{names[goal]}"
    sign = "x" if row[layout.CELLS + goal] else "-"
    return f"{names[cell]}{sign}{names[goal]}" + (f"={KIND_LETTERS[brings]}" if brings else "")


def _rivals(game: Game, row: Any, goal: int, kind: int) -> list[int]:
    """Cells of all the mover's men of ``kind`` who may legally move to ``goal``."""
    wanted, paths = 8 * int(row[layout.TURN]) + kind, rules_of(game).paths
    ways = [(cell, paths.get((cell, goal))) for cell, man in men(row) if man == wanted]
    return [cell for cell, path in ways if path is not None and may_go(game, row, path)]


def may_go(game: Game, row: Any, path: int) -> bool:
    """Return whether a man may legally move along ``path``, promoting or not."""
    promoted = promotion(game, path)
    choices = [path] if promoted < 0 else [path, *range(promoted, promoted + 5)]
    return any(game.kernels.allows(game.data, row, choice) for choice in choices)


def short_text(game: Game, row: Any, action: int) -> str:
    """Return the short form of a legal action: the man's letter (none for a pawn), ``x`` for a capture, the cell,
    ``=Q`` for a promotion. Behind the letter stands as much of the man's own cell as is needed where another such man
    could go there too; a capturing pawn always shows its column."""
    if action >= layout.PURCHASES:
        return action_text(game, row, action)
    cell, goal, brings = parts(game, action)
    names = game.board.names
    kind = man_at(row, cell)[1]
    takes = bool(row[layout.CELLS + goal])
    column, number = names[cell][0], names[cell][1:]
    others = [names[other] for other in _rivals(game, row, goal, kind) if other != cell]
    hint = column if kind == layout.PAWN and takes else ""
    if others and all(other[0] != column for other in others):
        hint = column
    elif others and all(other[1:] != number for other in others) and not hint:
        hint = number
    elif others:
        hint = column + number
    letter = "" if kind == layout.PAWN else KIND_LETTERS[kind]
    return f"{letter}{hint}{'x' if takes else ''}{names[goal]}" + (f"={KIND_LETTERS[brings]}" if brings else "")


def _find_move(game: Game, row: Any, text: str, cell: int, goal: int, sign: str, letter: str | None) -> int:
    """The move or promotion from ``cell`` to ``goal``; IllegalAction where there is no such thing on this board."""
    names = game.board.names
    owner, kind = man_at(row, cell)
    if cell == goal:
        raise IllegalAction(text, _why_no_move(game, row, cell))
    if not kind:
        raise IllegalAction(text, _no_man(names[cell]))
    standing = man_at(row, goal)[1]
    if sign == "x" and not standing:
        raise IllegalAction(text, f"There is nothing to capture on {names[goal]}.")
    if sign == "-" and standing:
        raise IllegalAction(text, f"{names[goal]} is taken. Write the capture as {names[cell]}x{names[goal]}.")
    path = rules_of(game).paths.get((cell, goal))
    if path is None:
        raise IllegalAction(text, _whose(game, row, cell) or _why_no_way(game, row, cell, goal))
    at_end = kind == layout.PAWN and bool(game.kernels.promotes(game.data, owner, path))
    if letter is None:
        if at_end and game.kernels.reaches(game.data, row, path):
            written = f"{names[cell]}{'x' if standing else '-'}{names[goal]}=Q"
            raise IllegalAction(text, f"Say what the pawn becomes, as in {written}.")
        return int(path)
    if not at_end:
        raise IllegalAction(text, f"The {KINDS[kind]} on {names[cell]} can't promote on {names[goal]}.")
    return promotion(game, path) + KIND_LETTERS.index(letter) - layout.KNIGHT


def _find_short(game: Game, row: Any, text: str, match: re.Match[str]) -> int:
    """The move that a short form means; IllegalAction where none or several can be meant."""
    names = game.board.names
    letter, column, number, sign, place, becomes = match.groups()
    goal = game.board.index.get(place)
    if goal is None:
        raise IllegalAction(text, f"The board has no cell {place}.")
    kind = KIND_LETTERS.index(letter) if letter else layout.PAWN
    able = [
        cell
        for cell in _rivals(game, row, goal, kind)
        if (not column or names[cell][0] == column) and (not number or names[cell][1:] == number)
    ]
    if len(able) > 1:
        raise IllegalAction(
            text, f"Say which {KINDS[kind]} goes to {place}: {', '.join(names[cell] for cell in able)}."
        )
    if not able:
        near = [
            cell
            for (cell, end), path in rules_of(game).paths.items()
            if end == goal
            and row[layout.CELLS + cell] == 8 * row[layout.TURN] + kind
            and game.kernels.reaches(game.data, row, path)
        ]
        if len(near) != 1:
            raise IllegalAction(text, f"None of {PLAYERS[int(row[layout.TURN])]}'s {KINDS[kind]}s can go to {place}.")
        able = near
    return _find_move(game, row, text, able[0], goal, sign, becomes)


def parse_action(game: Game, row: Any, text: str) -> int:
    """The action that ``text`` means, in the long form (``-`` and ``x`` may be left out) or the short one."""
    asked = text[:40]
    text = text.strip()
    index = game.board.index
    if text == "pass":
        return layout.PASS
    if match := _PURCHASE.fullmatch(text):
        if match[2] not in index:
            raise IllegalAction(asked, f"The board has no cell {match[2]}.")
        return layout.PURCHASES + layout.SIZE * (KIND_LETTERS.index(match[1]) - 1) + index[match[2]]
    if match := _SACRIFICE.fullmatch(text):
        if match[1] not in index:
            raise IllegalAction(asked, f"The board has no cell {match[1]}.")
        return layout.SACRIFICES + index[match[1]]
    if row[layout.STATUS]:
        raise IllegalAction(asked, "The game is over.")
    if match := _MOVE.fullmatch(text):
        for name in (match[1], match[3]):
            if name not in index:
                raise IllegalAction(asked, f"The board has no cell {name}.")
        letter = match[4].upper() if match[4] else None
        if letter is not None and letter not in "NBRQK":
            raise IllegalAction(asked, f"A pawn becomes N, B, R, Q or K, not {match[4]}.")
        return _find_move(game, row, asked, index[match[1]], index[match[3]], match[2], letter)
    if match := _SHORT.fullmatch(text):
        return _find_short(game, row, asked, match)
    raise IllegalAction(
        asked, "Write a move as b3-c6, b3xc6, c12-d13=Q or Nc6, a purchase as N@a7, a sacrifice as ~d4, or pass."
    )


def _why_no_king(game: Game, row: Any, cell: int, goal: int) -> str:
    """Why the rule of jeopardy forbids to take the king on ``goal``."""
    if game.options["jeopardy"] == "no-successive":
        return "A last king fell on the previous turn, so you can't take another one now."
    me = int(row[layout.TURN])
    victim = man_at(row, goal)[0]
    third = 3 - me - victim
    takers = _takers_after(game, row, cell, goal, third)
    return f"Jeopardy: if you take {PLAYERS[victim]}'s last king, {PLAYERS[third]} can take yours with the {takers}."


def _takers_after(game: Game, row: Any, cell: int, goal: int, third: int) -> str:
    """The men of ``third`` that could take the mover's last king once the mover has taken on ``goal`` from ``cell``."""
    paths, names = rules_of(game).paths, game.board.names
    after = row.copy()
    game.kernels.apply(game.data, after, paths[cell, goal], game.new_events())
    king = 8 * int(row[layout.TURN]) + layout.KING
    home = next(at for at in range(layout.SIZE) if after[layout.CELLS + at] == king)
    found = [
        f"{KINDS[man_at(after, at)[1]]} on {names[at]}"
        for at in range(layout.SIZE)
        if (at, home) in paths
        and man_at(after, at)[0] == third
        and game.kernels.reaches(game.data, after, paths[at, home])
    ]
    return listed(found, "or")


def why_not(game: Game, row: Any, action: int) -> str:
    """The rule that forbids ``action``."""
    names = game.board.names
    me = int(row[layout.TURN])
    pending = int(row[layout.PENDING])
    cell, goal, brings = parts(game, action)
    if pending:
        if action < layout.SACRIFICES or action == layout.PASS:
            return f"{PLAYERS[me]} owes {PLAYERS[pending - 1]} a sacrifice first. Choose one of your pieces."
        owner, kind = man_at(row, goal)
        if not kind or owner != me:
            return f"{PLAYERS[me]} has no piece on {names[goal]} to sacrifice. Choose another cell."
        return "You can't sacrifice your last king. Choose another piece."
    if action == layout.PASS:
        return "You can pass only when you can neither move nor buy."
    if action >= layout.SACRIFICES:
        return f"{PLAYERS[me]} owes no sacrifice. Move a piece or buy one."
    if action >= layout.PURCHASES:
        standing = man_at(row, goal)[1]
        if standing:
            return f"{names[goal]} is taken by a {KINDS[standing]}. Choose a vacant cell."
        place = game.board.coordinates[goal]
        if brings == layout.PAWN and place[me] == 0:
            return f"You can't place a pawn on {names[goal]}: it is on {PLAYERS[me]}'s promotion rank."
        if game.options["drops"] != "anywhere" and 0 not in place and PERIMETER not in place:
            return f"New pieces go on the perimeter, and {names[goal]} is inside it. Choose a cell along the edge."
        if game.options["drops"] == "near" and 2 * game.board.coordinates[goal][me] < PERIMETER:
            return f"New pieces go on {PLAYERS[me]}'s half of the perimeter, and {names[goal]} is not on it."
        cost, has = int(game.kernels.price(game.data, row, me, brings)), int(row[layout.TOKENS + me])
        return f"A {KINDS[brings]} costs {cost} coins now, but {PLAYERS[me]} has only {has}."
    if not_yours := _whose(game, row, cell):
        return not_yours
    path = int(rules_of(game).paths[cell, goal])
    if not game.kernels.reaches(game.data, row, path):
        return _why_no_way(game, row, cell, goal)
    at_end = man_at(row, cell)[1] == layout.PAWN and bool(game.kernels.promotes(game.data, me, path))
    if at_end != bool(brings):
        return (
            "A pawn must promote on its promotion rank. Choose what it becomes."
            if at_end
            else "Only a pawn that reaches its promotion rank can promote."
        )
    return _why_no_king(game, row, cell, goal)


def _no_man(cell: str) -> str:
    """Why nothing moves from a vacant cell, and what to do instead."""
    return f"{cell} is vacant. Choose one of your pieces."


def _whose(game: Game, row: Any, cell: int) -> str:
    """Why what stands on ``cell`` is not the mover's to move; empty where it is."""
    owner, kind = man_at(row, cell)
    name, mover = game.board.names[cell], PLAYERS[int(row[layout.TURN])]
    if not kind:
        return _no_man(name)
    if PLAYERS[owner] == mover:
        return ""
    return f"The {KINDS[kind]} on {name} is {PLAYERS[owner]}'s, but it is {mover}'s turn."


def _why_no_move(game: Game, row: Any, cell: int) -> str:
    """Why there is no move from ``cell`` at all, or what to say to make one."""
    if not_yours := _whose(game, row, cell):
        return not_yours
    owner, kind = man_at(row, cell)
    ways = {goal: path for (at, goal), path in rules_of(game).paths.items() if at == cell}
    reached = [goal for goal, path in ways.items() if game.kernels.reaches(game.data, row, path)]
    man = f"{KINDS[kind]} on {game.board.names[cell]}"
    if any(may_go(game, row, ways[goal]) for goal in reached):
        return f"Choose where the {man} goes."
    if reached:
        return _why_no_king(game, row, cell, reached[0])
    if kind == layout.PAWN:
        return f"The {man} can't move now: {PAWN_MOVES}."
    return f"The {man} can't move now: {PLAYERS[owner]}'s own pieces are in its way."


def _why_no_way(game: Game, row: Any, cell: int, goal: int) -> str:
    """Why the mover's man on ``cell`` does not reach ``goal``."""
    names = game.board.names
    kind, (owner, standing) = man_at(row, cell)[1], man_at(row, goal)
    refusal = f"The {KINDS[kind]} on {names[cell]} can't go to {names[goal]}"
    if standing and owner == row[layout.TURN]:
        return f"{refusal}: {PLAYERS[owner]}'s own {KINDS[standing]} is there."
    if kind == layout.PAWN:
        return f"{refusal}: {PAWN_MOVES}."
    path = rules_of(game).paths.get((cell, goal))
    between = [] if path is None else _between(game, row, cell, path)
    if between:
        cleared = row.copy()
        for stands in between:
            cleared[layout.CELLS + stands] = 0
        if game.kernels.reaches(game.data, cleared, path):
            first = between[0]
            return f"{refusal}: the {KINDS[man_at(row, first)[1]]} on {names[first]} is in the way."
    return f"{refusal}: {MOVES[kind]}."


def _between(game: Game, row: Any, cell: int, path: int) -> list[int]:
    """Cells with men on the way of ``path`` from ``cell``, the nearest first."""
    data = game.rules.data
    first = int(data[layout.RAYS + 13 * cell + int(data[layout.RAY_OF + path])])
    way = (int(data[layout.TO + before]) for before in range(first, path))
    return [at for at in way if row[layout.CELLS + at]]


def note(_game: Game, row: Any) -> str:
    """Return what a record may remark beside the board: the coins of White, Black and Red."""
    return "coins " + ",".join(str(int(row[layout.TOKENS + player])) for player in range(3))
