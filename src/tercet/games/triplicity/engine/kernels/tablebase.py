"""Retrograde analysis of the smallest endings between two players: king, or king and one man, against king.

White has the man, Black only a king, Red is out of the game with no men on the board, and no one can buy. A position is
(man's cell, White's king, Black's king, side to move); ``values`` (int16) says in how many actions the mover
wins (n), loses (-n), or neither (0). Tables of all kinds of man follow each other in one array, kind 0 without a man.

Moves forth come from ``legal``. So do moves back: what is not a pawn's may be played in reverse, so the positions
before are those that ``legal`` finds when it is the other's turn. Captures and pawn moves lead to tables that are
finished; ``sooner`` (the quickest win by one of them) and ``later`` (the slowest loss) remember what they bring.
"""

from tercet.games.triplicity.kernels import layout
from tercet.games.triplicity.kernels.layout import lift, put
from tercet.games.triplicity.kernels.moves import becomes, legal, source, target
from tercet.kernel import kernel, u

BLOCK = 2 * layout.SIZE * layout.SIZE  # positions with the man on one cell
STRIDE = layout.SIZE * BLOCK  # positions with one kind of man


@kernel
def place_of(man_cell, king, enemy, side):
    """Return the index of the position of the man on ``man_cell`` and both kings, with ``side`` to move."""
    return ((man_cell * layout.SIZE + king) * layout.SIZE + enemy) * 2 + side


@kernel
def empty_board(rules, row):
    """A board without men, Red vanquished, no tokens."""
    for i in range(layout.ROW_SIZE):
        row[u(i)] = 0
    row[layout.STATE + layout.RED] = layout.VANQUISHED


@kernel
def stand(rules, row, kind, man_cell, king, enemy):
    """Put the men on the empty board."""
    put(rules, row, king, 8 * layout.WHITE + layout.KING)
    put(rules, row, enemy, 8 * layout.BLACK + layout.KING)
    if kind != 0:
        put(rules, row, man_cell, 8 * layout.WHITE + kind)


@kernel
def clear(rules, row, kind, man_cell, king, enemy):
    """Take the men off again."""
    lift(rules, row, king)
    lift(rules, row, enemy)
    if kind != 0:
        lift(rules, row, man_cell)


@kernel
def first_look(rules, row, out, kind, first, last, values, open_ways, sooner, later):
    """Find the wins at once, and what is known of each action, in all positions with the man on cells ``first`` to
    ``last - 1``. ``open_ways`` counts the actions that are not known to lose."""
    base = STRIDE * kind
    empty_board(rules, row)
    for man_cell in range(first, last):
        for king in range(layout.SIZE):
            for enemy in range(layout.SIZE):
                at = base + place_of(man_cell, king, enemy, 0)
                for side in range(2):
                    here = u(at + side - base)
                    values[u(at + side)] = 0
                    open_ways[here] = 0
                    sooner[here] = 0
                    later[here] = 0
                if king == enemy or (kind != 0 and man_cell in (king, enemy)):
                    continue
                stand(rules, row, kind, man_cell, king, enemy)
                for side in range(2):
                    row[layout.TURN] = side
                    here = u(at + side - base)
                    count = legal(rules, row, out)
                    ways = 0
                    quickest = 0
                    slowest = 0
                    for i in range(count):
                        action = out[u(i)]
                        if action == layout.PASS:
                            ways += 1
                            continue
                        cell = source(rules, action)
                        goal = target(rules, action)
                        standing = row[u(layout.CELLS + goal)]
                        if standing == 0 and row[u(layout.CELLS + cell)] & 7 != layout.PAWN:
                            ways += 1
                            continue
                        if standing & 7 == layout.KING and row[u(layout.KINGS + (standing >> 3))] == 1:
                            quickest = 1
                            continue
                        if standing != 0:  # Black's king takes the man, or one of two kings
                            survivor = man_cell if goal == king else king
                            beyond = values[u(place_of(0, survivor, goal, 0))]
                        else:
                            grown = becomes(rules, action)
                            beyond = values[
                                u(STRIDE * (grown if grown != 0 else layout.PAWN) + place_of(goal, king, enemy, 1))
                            ]
                        if beyond < 0:
                            if quickest == 0 or 1 - beyond < quickest:
                                quickest = 1 - beyond
                        elif beyond > 0:
                            slowest = max(slowest, beyond + 1)
                        else:
                            ways += 1
                    open_ways[here] = ways
                    sooner[here] = quickest
                    later[here] = slowest
                    if ways == 0 and quickest == 0:
                        values[u(at + side)] = -slowest
                clear(rules, row, kind, man_cell, king, enemy)


@kernel
def step_back(rules, row, out, kind, man_cell, king, enemy, side, won, depth, values, open_ways, sooner, later):
    """Tell the positions before ``row`` that it is won (or lost) in ``depth`` for ``side``, who is to move. Return the
    greatest depth at which one of them is settled."""
    base = STRIDE * kind
    row[layout.TURN] = 1 - side
    count = legal(rules, row, out)
    deepest = 0
    for i in range(count):
        action = out[u(i)]
        if action == layout.PASS:
            continue
        cell = source(rules, action)
        goal = target(rules, action)
        if row[u(layout.CELLS + goal)] != 0 or row[u(layout.CELLS + cell)] & 7 == layout.PAWN:
            continue
        if side == layout.WHITE:
            before = place_of(man_cell, king, goal, layout.BLACK)
        elif cell == king:
            before = place_of(man_cell, goal, enemy, layout.WHITE)
        else:
            before = place_of(goal, king, enemy, layout.WHITE)
        if values[u(base + before)] != 0:
            continue
        if not won:
            if sooner[u(before)] == 0 or sooner[u(before)] > depth + 1:
                values[u(base + before)] = depth + 1
                deepest = max(deepest, depth + 1)
            continue
        open_ways[u(before)] -= 1
        if open_ways[u(before)] == 0 and sooner[u(before)] == 0:
            slowest = max(depth + 1, later[u(before)])
            values[u(base + before)] = -slowest
            deepest = max(deepest, slowest)
    return deepest


@kernel
def layer(rules, row, out, kind, first, last, depth, values, open_ways, sooner, later):
    """Settle the positions won or lost in ``depth`` with the man on cells ``first`` to ``last - 1``, and tell those
    before them. Return the greatest depth that is known to be needed."""
    base = STRIDE * kind
    deepest = 0
    empty_board(rules, row)
    for man_cell in range(first, last):
        for king in range(layout.SIZE):
            for enemy in range(layout.SIZE):
                for side in range(2):
                    here = place_of(man_cell, king, enemy, side)
                    known = values[u(base + here)]
                    quickest = sooner[u(here)]
                    if known == 0:
                        deepest = max(deepest, quickest)
                        if quickest != depth:
                            continue
                        known = depth
                        values[u(base + here)] = depth
                    if known != depth and known != -depth:
                        deepest = max(deepest, known if known > 0 else -known)
                        continue
                    stand(rules, row, kind, man_cell, king, enemy)
                    reached = step_back(
                        rules, row, out, kind, man_cell, king, enemy, side, known > 0, depth, values, open_ways, sooner,
                        later,
                    )  # fmt: skip
                    deepest = max(deepest, reached)
                    clear(rules, row, kind, man_cell, king, enemy)
    return deepest
