"""The compiled part of Triplicity's engine, and what the game answers the general tree search.

``evaluation`` says what a position is worth, ``ordering`` which actions to look at and in what order. ``alphabeta``
searches, and ``memory`` is what it works on and remembers. ``tablebase`` solves the smallest endings; ``features`` are
what networks see.
"""

from tercet.games.triplicity.kernels.layout import ACTIVE, CELLS, KING, KINGS, PURCHASES, STATE, actives
from tercet.games.triplicity.kernels.moves import legal, target
from tercet.kernel import kernel, u

__all__ = ["quick_win"]


@kernel
def quick_win(rules, row, scratch, spare, effort):
    """Return 1 if the mover, with one enemy left, can take their last king (with action ``scratch[0]``), else 0."""
    if actives(rules, row) > 2:
        return 0
    count = legal(rules, row, scratch)
    for i in range(count):
        action = scratch[u(i)]
        if action < PURCHASES:
            man = row[u(CELLS + target(rules, action))]
            owner = man >> 3
            if man & 7 == KING and row[u(KINGS + owner)] == 1 and row[u(STATE + owner)] == ACTIVE:
                scratch[0] = action
                return 1
    return 0
