"""What can be asked about a position of SanQi: patterns that lack a piece or two, pivots, what can be replaced and what
cannot be saved from that."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

from tercet.core.game import Position
from tercet.core.view import Exploration, Finding, Findings, Mark, Threat
from tercet.games.sanqi.kernels import layout
from tercet.games.sanqi.notation import TYPE_NAMES, decode, types, written
from tercet.games.sanqi.positions import seat_of
from tercet.games.sanqi.rules import SIDES, patterns, winners

EXPLORATIONS = (
    Exploration(
        "one-away", "Patterns one move away", "What could each side complete in one move?", live=True, threatens=True
    ),
    Exploration(
        "two-away", "Patterns two moves away", "Which patterns need just two more pieces, both playable now?", live=True
    ),
    Exploration("pivots", "Pivots", "Which moves leave several patterns with just one piece missing?", live=True),
    Exploration("replaceable", "Replaceable pieces", "Which pieces can be replaced now, and with what?", live=True),
    Exploration(
        "trapped",
        "Trapped pieces",
        "Which pieces could the opponent replace next turn, whatever is played beside them?",
        live=True,
    ),
)


class Unfinished(NamedTuple):
    """A place for a ``pattern`` that lacks pieces of ``kind`` (0 to 2) on the cells ``lacks``; ``side`` (0 First, 1
    Second) wins with it. ``cells`` are all of it."""

    side: int
    pattern: str
    kind: int
    lacks: tuple[int, ...]
    cells: tuple[int, ...]


def unfinished(position: Position, lacking: int, playable: bool = True) -> list[Unfinished]:
    """Return the patterns that lack ``lacking`` pieces. If ``playable``, only those where all of these could be put
    there at once, were it their side's turn: for the side to move under ko as it is now, for the other one without
    ko."""
    game = position.game
    kinds = [kind - 1 for kind in types(game, position.row)]
    rows: list[Any] = []
    for side in range(2):
        row = position.row.copy()
        if side != row[layout.MOVER]:
            row[layout.KO] = 0
        rows.append(row)
    found, sides = [], winners(game.options)
    for pattern, places in patterns(game.board, game.options["line"]).items():
        for cells in places:
            for kind in range(3):
                lacks = tuple(cell for cell in cells if kinds[cell] != kind)
                if len(lacks) != lacking:
                    continue
                found += [
                    Unfinished(side, pattern, kind, lacks, cells)
                    for side in sides[pattern]
                    if not playable
                    or all(game.kernels.allows(game.data, rows[side], 3 * cell + kind) for cell in lacks)
                ]
    return found


def pivots(position: Position) -> dict[tuple[int, int], list[Unfinished]]:
    """Return the actions of each side that leave several patterns one piece short, with these patterns."""
    through: dict[tuple[int, int], list[Unfinished]] = defaultdict(list)
    for known in unfinished(position, 2):
        for cell in known.lacks:
            through[known.side, 3 * cell + known.kind].append(known)
    return {key: found for key, found in through.items() if len({known.lacks for known in found}) > 1}


def trapped(position: Position) -> list[int]:
    """Return the cells of the pieces that the other player could replace next turn, whatever the mover does on the
    cells beside them. A piece that the mover replaces does not count as saved."""
    game = position.game
    size = len(game.board)
    row = position.row.copy()
    row[layout.KO] = 0

    def replaceable(row: Any, cell: int) -> bool:
        return any(game.kernels.allows(game.data, row, 3 * cell + kind) for kind in range(3))

    found = []
    for cell in range(size):
        if not int(game.kernels.type_at(game.data, row, cell)) or not replaceable(row, cell):
            continue
        beside = [3 * near + kind for near in game.board.neighbours[cell] if near < size for kind in range(3)]
        answers = (position.play(action) for action in beside if game.kernels.allows(game.data, position.row, action))
        if all(not after.is_over and replaceable(after.row, cell) for after in answers):
            found.append(cell)
    return found


def explorations(_game: object) -> tuple[Exploration, ...]:
    """Patterns one and two moves away, pivots, replaceable and trapped pieces."""
    return EXPLORATIONS


def explore(position: Position, exploration: str, cell: str | None = None, limit: int = 50) -> Findings:
    """The answer to an exploration, with at most ``limit`` lines; KeyError where there is none of that id, or ``cell``
    is given."""
    if cell is not None or exploration not in {known.id for known in EXPLORATIONS}:
        raise KeyError(exploration if cell is None else cell)
    if position.is_over:
        return Findings(text="The game is over.")
    if exploration == "pivots":
        return _pivots(position, limit)
    if exploration == "replaceable":
        return _replaceable(position, limit)
    if exploration == "trapped":
        return _trapped(position)
    return _unfinished(position, 1 if exploration == "one-away" else 2, limit)


def _text(position: Position, action: int) -> str:
    game = position.game
    cell, kind = decode(action)
    taken = int(game.kernels.type_at(game.data, position.row, cell)) > 0
    return written(kind, taken, game.board.names[cell])


def _unfinished(position: Position, lacking: int, limit: int) -> Findings:
    names = position.game.board.names
    found = unfinished(position, lacking)
    marks, lines = [], []
    for known in found:
        lacks = " and ".join(names[cell] for cell in known.lacks)
        says = f"{SIDES[known.side]}'s {TYPE_NAMES[known.kind]} {known.pattern} needs {lacks}"
        mine = known.side == position.row[layout.MOVER]
        marks.append(Mark("hint" if mine else "danger", tuple(names[cell] for cell in known.lacks), says))
        if mine:
            action = _text(position, 3 * known.lacks[0] + known.kind)
            lines.append(Finding(f"{TYPE_NAMES[known.kind]} {known.pattern}", (action,), f"{says}.", 1.0))
    counts = [sum(known.side == side for known in found) for side in range(2)]
    text = ", ".join(f"{name}: {count}" for name, count in zip(SIDES, counts, strict=True))
    threats = _threats(position, found, marks) if lacking == 1 else ()
    return Findings(tuple(marks), tuple(lines[:limit]), f"{text}.", len(lines) <= limit, threats)


def _threats(position: Position, found: Sequence[Unfinished], marks: Sequence[Mark]) -> tuple[Threat, ...]:
    """Patterns that lack one piece, each from its piece farthest from the missing one; the opponent's first."""
    board = position.game.board
    threats = []
    for known, mark in zip(found, marks, strict=True):
        x, y = board.centres[known.lacks[0]]
        far = max(known.cells, key=lambda cell: math.hypot(board.centres[cell][0] - x, board.centres[cell][1] - y))
        threats.append(
            Threat(seat_of(position.row, known.side), (board.names[far], board.names[known.lacks[0]]), f"{mark.says}.")
        )
    return tuple(sorted(threats, key=lambda threat: threat.player == position.mover))


def _pivots(position: Position, limit: int) -> Findings:
    names = position.game.board.names
    marks, lines = [], []
    for (side, action), found in sorted(pivots(position).items(), key=lambda entry: -len(entry[1])):
        cell, kind = names[action // 3], TYPE_NAMES[action % 3]
        says = f"{kind} on {cell} would make {len(found)} threats for {SIDES[side]}"
        mine = side == position.row[layout.MOVER]
        marks.append(Mark("hint" if mine else "danger", (cell,), says))
        if mine:
            lines.append(Finding(f"{kind} on {cell}", (_text(position, action),), f"{says}.", float(len(found))))
    text = f"{len(marks)} pivots." if len(marks) != 1 else "One pivot."
    return Findings(tuple(marks), tuple(lines[:limit]), text, len(lines) <= limit)


def _replaceable(position: Position, limit: int) -> Findings:
    game = position.game
    marks, lines = [], []
    for action in position.legal_actions:
        cell = action.id // 3
        if cell == len(game.board) or int(game.kernels.type_at(game.data, position.row, cell)) == 0:
            continue
        kind, name = TYPE_NAMES[action.id % 3], game.board.names[cell]
        marks.append(Mark("hint", (name,), f"{name} can become {kind}"))
        lines.append(Finding(f"{kind} on {name}", (str(action),), f"{name} becomes {kind}.", 1.0))
    text = f"{len(marks)} replacements." if len(marks) != 1 else "One replacement."
    return Findings(tuple(marks), tuple(lines[:limit]), text, len(lines) <= limit)


def _trapped(position: Position) -> Findings:
    names = position.game.board.names
    marks = tuple(
        Mark("danger", (names[cell],), f"{names[cell]} could be replaced next turn, whatever is played beside it")
        for cell in trapped(position)
    )
    return Findings(marks, text="One trapped piece." if len(marks) == 1 else f"{len(marks)} trapped pieces.")
