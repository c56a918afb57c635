"""Keys of positions: every man on its cell, and what else matters, mixed into 62 bits."""

from __future__ import annotations

from tercet.games.triplicity.engine.kernels.evaluation import drawish
from tercet.games.triplicity.kernels.layout import (
    BOUGHT,
    CAPTURED,
    CELLS,
    FELLED,
    MOVED,
    PAWN,
    PENDING,
    PROMOTED,
    QUIET,
    SACRIFICED,
    SIZE,
    STATE,
    TOKENS,
    TURN,
)
from tercet.kernel import kernel, u

MASK = (1 << 62) - 1


@kernel
def mix(number):
    """62 well mixed bits of a number that is not negative."""
    word = ((number + 1) * 0x1E3779B97F4A7C15) & MASK
    word = ((word ^ (word >> 29)) * 0x3F58476D1CE4E5B9) & MASK
    word = ((word ^ (word >> 32)) * 0x14D049BB133111EB) & MASK
    return word ^ (word >> 30)


@kernel
def man_key(cell, man):
    """The key of ``man`` on ``cell``."""
    return mix(32 * cell + man)


@kernel
def men_key(rules, row):
    """The key of all men on the board."""
    key = 0
    for cell in range(SIZE):
        man = row[u(CELLS + cell)]
        if man != 0:
            key ^= man_key(cell, man)
    return key


@kernel
def follow_key(key, events, count):
    """The key of all men after the ``count`` events of an action."""
    for i in range(count):
        kind = events[u(4 * i)]
        a = events[u(4 * i + 1)]
        b = events[u(4 * i + 2)]
        c = events[u(4 * i + 3)]
        if kind == MOVED:
            key ^= man_key(a, c) ^ man_key(b, c)
        elif kind == PROMOTED:
            key ^= man_key(a, 8 * c + PAWN) ^ man_key(a, 8 * c + b)
        elif kind in (CAPTURED, SACRIFICED, BOUGHT):
            key ^= man_key(a, 8 * c + b)
    return key


@kernel
def position_key(rules, row, men, salt):
    """The key of a position whose men have the key ``men``; ``salt`` tells apart what is asked of it. The quiet turns
    count only where they are near their limit."""
    word = row[TURN] | row[PENDING] << 2 | row[FELLED] << 4
    for player in range(3):
        word |= (row[TOKENS + player] << 2 | row[STATE + player]) << (5 + 12 * player)
    key = men ^ mix(word)
    if drawish(rules, row):
        key ^= mix((1 << 42) + row[QUIET])
    return key ^ mix((1 << 43) + salt)
