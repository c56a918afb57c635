"""Triplicity's notation: ``b3-c6`` a move, ``b3xc6`` a capture, ``c12-d13=Q`` a promotion, ``N@a7`` a purchase, ``~d4``
a sacrifice, ``pass``; the short form ``Nc6``, ``Nxc6``. Position strings are in ``position_strings``.
"""

from __future__ import annotations

import functools
import re
from typing import Any

from tercet.core.game import Game
from tercet.errors import IllegalAction
from tercet.games.triplicity.kernels import layout
from tercet.games.triplicity.position_strings import man_at, position_options, position_text, read_position
from tercet.games.triplicity.positions import men
from tercet.games.triplicity.rules import KIND_LETTERS, KINDS, PLAYERS, rules_of

__all__ = [
    "action_text",
    "all_parts",
    "note",
    "parse_action",
    "parts",
    "position_options",
    "position_text",
    "read_position",
    "short_text",
    "why_not",
]

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


def _promotion(game: Game, path: int) -> int:
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
    return [cell for cell, path in ways if path is not None and _may_go(game, row, path)]


def _may_go(game: Game, row: Any, path: int) -> bool:
    """Return whether a man may legally move along ``path``, promoting or not."""
    promoted = _promotion(game, path)
    choices = [path] if promoted < 0 else [path, *range(promoted, promoted + 5)]
    return any(game.kernels.allows(game.data, row, choice) for choice in choices)


def short_text(game: Game, row: Any, action: int) -> str:
    """Return the short form of a legal action: the man's letter (none for a pawn), as much of its cell as is needed
    where another such man could go there too (a capturing pawn always shows its column), ``x``, the cell, ``=Q``."""
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
    return _promotion(game, path) + KIND_LETTERS.index(letter) - layout.KNIGHT


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
        asked,
        "Write a move as b3-c6, b3xc6, c12-d13=Q or Nc6, a purchase as N@a7, a sacrifice as ~d4, or pass.",
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
    return found[0] if len(found) == 1 else f"{', '.join(found[:-1])} or {found[-1]}"


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
        if game.options["drops"] == "perimeter" and 0 not in place and 12 not in place:
            return f"New pieces go on the perimeter, and {names[goal]} is inside it. Choose a cell along the edge."
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
    if any(_may_go(game, row, ways[goal]) for goal in reached):
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
