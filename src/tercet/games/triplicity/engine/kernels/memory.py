"""The memory of a search of Triplicity: its arrays, the keys of positions, the table of positions already searched.

A search is a machine over levels, one for each action of the line that it looks at: ``rows[level]`` is the position,
``codes`` and ``ranks`` are its actions (see ``ordering``), ``frames`` hold the rest. A value is the worth of a position
to the player who asks (``evaluation.worth``).

A position's key has 62 bits, mixed from every piece on its cell and from the rest of the row. The transposition table
holds a power of two of pairs of entries, four words a pair. An entry is two words: the key, and what is known, packed.
The first entry of a pair keeps the deeper search, the second the later one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from tercet.games.triplicity.engine.kernels.evaluation import NEARLY, WON, drawish
from tercet.games.triplicity.kernels import layout
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
    for cell in range(layout.SIZE):
        man = row[u(layout.CELLS + cell)]
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
        if kind == layout.MOVED:
            key ^= man_key(a, c) ^ man_key(b, c)
        elif kind == layout.PROMOTED:
            key ^= man_key(a, 8 * c + layout.PAWN) ^ man_key(a, 8 * c + b)
        elif kind in (layout.CAPTURED, layout.SACRIFICED, layout.BOUGHT):
            key ^= man_key(a, 8 * c + b)
    return key


@kernel
def position_key(rules, row, men, salt):
    """Return the key of a position whose men have the key ``men``. ``salt`` tells apart what is asked of it. The quiet
    turns count only near their limit."""
    word = row[layout.TURN] | row[layout.PENDING] << 2 | row[layout.FELLED] << 4
    for player in range(3):
        word |= (row[layout.TOKENS + player] << 2 | row[layout.STATE + player]) << (5 + 12 * player)
    key = men ^ mix(word)
    if drawish(rules, row):
        key ^= mix((1 << 42) + row[layout.QUIET])
    return key ^ mix((1 << 43) + salt)


EXACT, AT_LEAST, AT_MOST = 1, 2, 3  # what a value is


@kernel
def first_slot(table, key):
    """Where the pair of entries for ``key`` begins."""
    return 4 * (key & ((len(table) >> 2) - 1))


@kernel
def remember(table, key, value, depth, bound, code, age):
    """Write to the table that ``value``, counted from this position, holds for ``depth`` actions, and that ``code`` was
    best."""
    slot = first_slot(table, key)
    old = table[u(slot + 1)]
    if table[u(slot)] != key and (old & 63) == age and ((old >> 23) & 63) > depth:
        slot += 2
    table[u(slot)] = key
    table[u(slot + 1)] = ((((value + 2 * WON) << 6 | depth) << 2 | bound) << 15 | (code + 1)) << 6 | age


@kernel
def recall(table, key):
    """Return what the table knows of ``key``, as `remember` packed it; 0 for nothing."""
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
    """Return whether an entry's value is EXACT, AT_LEAST or AT_MOST; 0 where the entry only names a code."""
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
    """Return a value counted from the root as one counted from ``ply`` actions below it."""
    if value > NEARLY:
        return value + ply
    if value < -NEARLY:
        return value - ply
    return value


PARANOID, BEST_REPLY = 0, 1  # MODE: see ``alphabeta``

# header. What is asked (see ``planner.SearchSettings``): ME, the player who asks; MODE; SALT and NOISE of evaluations;
# AGE of the table's entries; CALM, captures at most after the last action; WIDE, quiet actions for each one left; LATE,
# the number of the action from which on actions are searched less deeply; MARGIN, points that one quiet action may
# bring; WARY, whether ME thinks of both enemies where their last king is attacked. How far the search is: LEVEL and
# PHASE, NODES and the DEEPEST level so far.
ME, MODE, LEVEL, PHASE, NODES, SALT, NOISE, AGE, DEEPEST, CALM, WIDE, LATE, MARGIN, BARRED, WARY = (
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
)  # fmt: skip
BARS = 15  # from here on, BARRED actions not to be looked at in the root
HEADER = BARS  # and as many more as there are bars
ENTER, TRY, LEAVE, DONE = 0, 1, 2, 3  # PHASE: see ``search``

# frame. ALPHA and BETA, the window, and LOW and HIGH, the window at first; BEST value and CHOICE so far; COUNT of
# codes, NEXT, the code being tried (TRYING) and how: its STAGE, SHORTER by so many actions. DEPTH left; keys of the men
# and of the position; KILLER, the code that was good enough in a sister position, plus one; STATIC, the position's
# worth without a search; SECOND, plus one, the enemy who moves before ME does though the search of best replies leaves
# them out.
ALPHA, BETA, BEST, CHOICE, COUNT, NEXT, DEPTH, MEN_KEY, KEY, LOW, HIGH, TRYING, STAGE, KILLER, STATIC, SHORTER = (
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
)  # fmt: skip
SECOND = 16
FRAME = 17
PLAIN, NARROW = 0, 1  # STAGE: with the full window, or to see whether it is worth that

LEVELS = 96  # longest line looked at
LIMIT = 2 * WON - 1  # beyond any value


class SearchMemory(NamedTuple):
    """The arrays of a search. ``rows``, ``codes``, ``ranks`` and ``frames`` have LEVELS + 1 rows; ``spare`` is as long
    as a row of ``codes``. ``weights`` and ``work`` are those of ``evaluation``, ``history`` is that of ``ordering``.
    ``table`` is the transposition table."""

    rows: Any
    codes: Any
    ranks: Any
    frames: Any
    header: Any
    spare: Any
    weights: Any
    work: Any
    history: Any
    table: Any
    events: Any


@kernel
def count_node(header, level):
    """Note that one more position is looked at."""
    header[NODES] += 1
    if level > header[DEEPEST]:
        header[DEEPEST] = level


@kernel
def begin(rules, start, memory, depth, alpha, beta):
    """Prepare to search position ``start`` to ``depth`` within a window."""
    row = memory.rows[0]
    for i in range(layout.ROW_SIZE):
        row[u(i)] = start[u(i)]
    frame = memory.frames[0]
    frame[ALPHA] = alpha
    frame[BETA] = beta
    frame[HIGH] = LIMIT
    frame[DEPTH] = depth
    frame[CHOICE] = -1
    frame[NEXT] = 0
    frame[SECOND] = 0
    frame[MEN_KEY] = men_key(rules, row)
    memory.header[LEVEL] = 0
    memory.header[PHASE] = ENTER
