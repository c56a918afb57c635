"""What a row promises by learnt weights: patterns of three and four cells, kept up from one row to the next.

A *window* is four cells around a corner or three in a line. Each of its cells is in one of STATES states, its colour
and three times its holder, so that a window's *pattern* is a number of that many digits; patterns of three come after
those of four. ``weights`` (int16) holds two numbers for each pattern, what it is worth to the player to move if
that is the first player, and if it is the second; then, for each of PHASES parts of the game, by how much of the board
is free, what one cell more is worth, and what it is worth to be next to move. A row is worth the sum of it all.

``index`` (int32) holds each window's pattern, ``links`` (int32) for each cell the windows that it is in, LINK entries,
``seen`` (int32) each cell's state, ``sums`` (int64) the sums of the windows' weights: all of the row judged last.
"""

from __future__ import annotations

from tercet.games.sparklies.engine.kernels.evaluation import value
from tercet.games.sparklies.kernels.layout import CELLS, HELD, MOVER, PLACES, PLAYING, STATUS
from tercet.kernel import kernel, u

STATES = 9
SQUARES, LINES = STATES**4, STATES**3  # how many patterns of four cells there are, and of three
PHASES = 8
LEAD = 2 * (SQUARES + LINES)  # where in ``weights`` the cells' worth begins ...
TEMPO = LEAD + PHASES  # ... and that of being next to move
WEIGHTS = TEMPO + PHASES
MOST_LINKS = 10  # windows that a cell is in
LINK = 2 * MOST_LINKS + 1  # entries of ``links`` for a cell: how many windows, then each with the cell's factor in it


@kernel
def follow(rules, row, memory):
    """Bring ``seen``, ``index`` and ``sums`` from the row that they are of to ``row``: where their cells differ."""
    seen = memory.seen
    index = memory.index
    links = memory.links
    weights = memory.weights
    sums = memory.sums
    first = sums[0] + 0
    second = sums[1] + 0
    for cell in range(rules[CELLS]):
        word = row[u(PLACES + cell)]
        state = (word & 3) + 3 * ((word >> 2) & 3)
        change = state - seen[u(cell)]
        if change != 0:
            seen[u(cell)] = state
            place = LINK * cell
            for at in range(place + 1, place + 1 + 2 * links[u(place)], 2):
                window = links[u(at)]
                before = index[u(window)] + 0
                after = before + change * links[u(at + 1)]
                index[u(window)] = after
                first += weights[u(2 * after)] - weights[u(2 * before)]
                second += weights[u(2 * after + 1)] - weights[u(2 * before + 1)]
    sums[0] = first
    sums[1] = second


@kernel
def learnt_value(rules, row, player, memory):
    """What a row at the end of a turn is worth to ``player``, one of two, by ``weights``; where the game is over, as
    `value` has it."""
    if row[STATUS] != PLAYING:
        return value(rules, row, player)
    follow(rules, row, memory)
    mover = row[MOVER]
    phase = row[HELD] * PHASES // (rules[CELLS] + 1)
    lead = row[u(HELD + 1 + mover)] - row[u(HELD + 2 - mover)]
    weights = memory.weights
    worth = memory.sums[u(mover)] + lead * weights[u(LEAD + phase)] + weights[u(TEMPO + phase)]
    return worth if player == mover else -worth
