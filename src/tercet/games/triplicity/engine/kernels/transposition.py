"""The transposition table: two words for each entry, the key and what is known, packed.

The table has a power of two of pairs of entries, four words each. Of a pair the first keeps the deeper search, the
second the later.
"""

from __future__ import annotations

from tercet.games.triplicity.engine.kernels.evaluation import NEARLY, WON
from tercet.kernel import kernel, u

EXACT, AT_LEAST, AT_MOST = 1, 2, 3  # what a value is


@kernel
def first_slot(table, key):
    """Where the pair of entries for ``key`` begins."""
    return 4 * (key & ((len(table) >> 2) - 1))


@kernel
def remember(table, key, value, depth, bound, code, age):
    """Write to the table: ``value`` (counted from this position) holds for ``depth`` actions, ``code`` was best."""
    slot = first_slot(table, key)
    old = table[u(slot + 1)]
    if table[u(slot)] != key and (old & 63) == age and ((old >> 23) & 63) > depth:
        slot += 2
    table[u(slot)] = key
    table[u(slot + 1)] = ((((value + 2 * WON) << 6 | depth) << 2 | bound) << 15 | (code + 1)) << 6 | age


@kernel
def recall(table, key):
    """What the table knows of ``key``, as `remember` packed it; 0 for nothing."""
    slot = first_slot(table, key)
    if table[u(slot)] == key:
        return table[u(slot + 1)]
    if table[u(slot + 2)] == key:
        return table[u(slot + 3)]
    return 0


@kernel
def known_code(entry):
    """The code that an entry names; -1 for none."""
    return ((entry >> 6) & 0x7FFF) - 1


@kernel
def known_bound(entry):
    """What an entry's value is: EXACT, AT_LEAST or AT_MOST; 0 where it only names a code."""
    return (entry >> 21) & 3


@kernel
def known_depth(entry):
    """How many actions ahead an entry's value was searched."""
    return (entry >> 23) & 63


@kernel
def known_value(entry):
    """An entry's value, counted from its position."""
    return (entry >> 29) - 2 * WON


@kernel
def from_here(value, ply):
    """A value counted from the root as one counted from ``ply`` actions below it."""
    if value > NEARLY:
        return value + ply
    if value < -NEARLY:
        return value - ply
    return value
