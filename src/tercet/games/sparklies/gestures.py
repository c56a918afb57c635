"""Several pings as one motion: the quadrille, and `deactivate everything`.

A *harlequin* is a block of two by two cells of the mover's with one colour on each diagonal. Resolving both cells of
one diagonal in the colour that takes the other wakes the other diagonal, so that it can be danced as often as wanted.
Where such blocks hang together and all of them can be stepped in the same way, a second gesture steps the whole area;
each block can still be stepped alone.

Nothing here restates a rule: a step is offered if the kernels allow all its pings and the other diagonal ends active.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from tercet.core.boards import Board
from tercet.core.game import Position
from tercet.core.texts import listed
from tercet.core.view import Gesture
from tercet.games.sparklies.kernels import layout
from tercet.games.sparklies.long_notation import deactivate_everything
from tercet.games.sparklies.notation import COLOUR_NAMES, action_text, cell_words

RIGHT, DOWN = 0, 3  # directions of boards of squares


@dataclass(frozen=True)
class _Step:
    """In ``cells``, ping the cells ``pinged`` with ``colour`` to wake the cells ``woken``, all of them of ``was``."""

    cells: frozenset[int]
    pinged: tuple[int, ...]
    woken: tuple[int, ...]
    colour: int
    was: int
    actions: tuple[str, ...] = ()


@lru_cache(maxsize=64)
def blocks(board: Board) -> tuple[tuple[tuple[int, int], tuple[int, int]], ...]:
    """The two diagonals of every block of two by two cells; none on boards of hexagons."""
    if board.shape != "rectangle":
        return ()
    off = len(board)
    found = []
    for cell in range(off):
        right, below = board.neighbours[cell][RIGHT], board.neighbours[cell][DOWN]
        if right < off and below < off and board.neighbours[below][RIGHT] < off:
            found.append(((cell, board.neighbours[below][RIGHT]), (right, below)))
    return tuple(found)


def harlequins(position: Position, player: int) -> Iterator[tuple[tuple[int, int], tuple[int, int], int, int]]:
    """The harlequins of ``player``: a diagonal, the other one, and their colours; each in both ways."""
    board = position.game.board
    words = cell_words(position.row, len(board))
    colours = [word & 3 if (word >> 2) & 3 == player + 1 else layout.NO_COLOUR for word in words]
    for one, other in blocks(board):
        first, second = colours[one[0]], colours[other[0]]
        if (first, second) != (colours[one[1]], colours[other[1]]) or first == second:
            continue
        if layout.NO_COLOUR not in (first, second):
            yield one, other, first, second
            yield other, one, second, first


def _danced(position: Position, step: _Step) -> _Step | None:
    """``step`` with its actions, where they are legal and leave every cell to be woken active."""
    game, row = position.game, position.row
    wakes = {cell for cell in step.woken if not game.kernels.is_active(row, cell)}
    texts = []
    for cell in step.pinged:
        number = 3 * cell + step.colour
        if not position.allows(number):
            return None
        texts.append(action_text(game, position.row, number))
        position = position.play(number)
    if position.is_over or position.row[layout.STEP] != layout.PROPAGATE:
        return None
    if not wakes or not all(game.kernels.is_active(position.row, cell) for cell in step.woken):
        return None
    return replace(step, actions=tuple(texts))


def _steps(position: Position) -> list[_Step]:
    """Every harlequin that can be stepped, in one way each.

    In a chain the active cells of a diagonal are resolved; at the start of a turn one cell is pinged.
    """
    game, row = position.game, position.row
    starting = row[layout.STEP] != layout.PROPAGATE
    found: dict[frozenset[int], _Step] = {}
    for one, other, _, was in harlequins(position, int(row[layout.MOVER])):
        block = frozenset((*one, *other))
        if block in found:
            continue
        active = tuple(cell for cell in one if game.kernels.is_active(row, cell))
        tries: Iterable[tuple[int, ...]] = ((one[0],), (one[1],)) if starting else (active,) if active else ()
        taker = (was + 2) % 3
        for pinged in tries:
            for colour in (taker, (taker + 1) % 3, (taker + 2) % 3):
                step = _danced(position, _Step(block, pinged, other, colour, was))
                if step is not None and block not in found:
                    found[block] = step
    return list(found.values())


def _areas(steps: Sequence[_Step]) -> list[list[_Step]]:
    """Steps in the same colours whose blocks share cells, together."""
    left = list(steps)
    areas = []
    while left:
        area = [left.pop(0)]
        for step in area:  # grows while it is walked through
            alike = (other for other in left if (other.colour, other.was) == (step.colour, step.was))
            near = [other for other in alike if other.cells & step.cells]
            left = [other for other in left if other not in near]
            area += near
        areas.append(area)
    return areas


def _whole(position: Position, area: Sequence[_Step]) -> _Step | None:
    """One step of a whole area, each cell pinged once; None where it cannot be made."""
    pinged = sorted({cell for step in area for cell in step.pinged})
    woken = sorted({cell for step in area for cell in step.woken})
    cells = frozenset().union(*(step.cells for step in area))
    if set(pinged) & set(woken):
        return None
    return _danced(position, _Step(cells, tuple(pinged), tuple(woken), area[0].colour, area[0].was))


def _spot(board: Board, cells: frozenset[int]) -> int:
    """Return the cell to click for a whole area: the one nearest to its middle that is no block's last cell, since that
    cell stands for its block alone."""
    last = {block[0][1] for block in blocks(board) if {*block[0], *block[1]} <= cells}
    free = sorted(cells - last) or sorted(cells)
    x = sum(board.centres[cell][0] for cell in cells) / len(cells)
    y = sum(board.centres[cell][1] for cell in cells) / len(cells)
    return min(free, key=lambda cell: (board.centres[cell][0] - x) ** 2 + (board.centres[cell][1] - y) ** 2)


def _quadrille(position: Position, step: _Step, spot: int = -1) -> Gesture:
    """A step as a gesture: of one block, or of an area, which is stepped at the cell ``spot``."""
    names = position.game.board.names
    pinged = listed([names[cell] for cell in step.pinged])
    woken = listed([names[cell] for cell in step.woken])
    cells = sorted(step.cells)
    verb = "turns" if len(step.pinged) == 1 else "turn"
    return Gesture(
        f"quadrille-{'-'.join(names[cell] for cell in cells)}",
        "Quadrille" if spot < 0 else "Quadrille over the whole area",
        f"{pinged} {verb} {COLOUR_NAMES[step.colour]}, which wakes {woken}",
        "spot",
        tuple(names[cell] for cell in cells),
        step.actions,
        at="" if spot < 0 else names[spot],
    )


def gestures(position: Position) -> tuple[Gesture, ...]:
    """The gestures that the mover can make: a quadrille's step for each harlequin and for each area of them, and to
    deactivate everything while cells are active."""
    game = position.game
    step = int(position.row[layout.STEP])
    if position.is_over or game.options["mode"] == "duel":
        return ()
    found: list[Gesture] = []
    if step in (layout.FIRST, layout.OPEN, layout.PROPAGATE) or (
        step == layout.CONTROL and game.options["control"] == "optional"
    ):
        steps = [] if game.rules.data[layout.WHOLE] else _steps(position)
        for area in _areas(steps) if step == layout.PROPAGATE else ():
            whole = _whole(position, area) if len(area) > 1 else None
            if whole is not None:
                found.append(_quadrille(position, whole, _spot(game.board, whole.cells)))
        found += [_quadrille(position, one) for one in steps]
    if step == layout.PROPAGATE:
        pings = tuple(str(action) for action in deactivate_everything(position))
        says = "all colours stay as they are"
        if int(game.rules.data[layout.FORCED]) != layout.ANY:
            says = "the captured cells change colour one after another"
        found.append(Gesture("deactivate", "End the turn", says, "button", (), pings, "d"))
    return tuple(found)
