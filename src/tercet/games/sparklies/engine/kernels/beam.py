"""The memory of a search: generations of rows, what is noted of each, steps that led there, rows already met.

``parameters`` (int64) says how to search and receives what came of it. ``rows`` (int64) holds two generations of WIDTH
rows and then KEEP finals; ``marks`` (int64) holds MARK entries for each of them: VALUE, KEY (a hash), LINE, the last
step of the way there, and LAST, an action after that or -1. ``trace`` (int32) holds two entries for each step, the step
before (-1 for none) and the action. ``table`` (int64, TABLE entries) remembers the rows already met, so that a
quadrille is not danced for ever.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from tercet.games.sparklies.kernels.layout import (
    ACTIVE,
    CELL_MASK,
    CELLS,
    FIRST,
    HOLD,
    MOVER,
    PLACES,
    PLAYING,
    PROPAGATE,
    STATUS,
    STEP,
)
from tercet.kernel import kernel, u

# What to do: WIDTH rows of a generation, KEEP finals (0: only the best one's value is
# asked for), at most BUDGET actions tried, PATIENCE levels without a gain,
# SALT of hashes, ROOM steps in trace; MERGE: finals with the same holders count as one; NEED of `spread`; NARROW and
# AGAIN of `sweep`; a final worth CUTOFF ends the search; with more than QUIET cells, first pings that capture nothing
# are tried only beside the cell taken; LOOSE: 1 where an attack does not ask who holds what (2: see `is_dull`);
# VICTIM: the player (plus one) of whose cells is noted in ``lost`` by which step, plus one, each is first taken;
# ENDING: see `hope`.
WIDTH, KEEP, BUDGET, PATIENCE, SALT, ROOM = 0, 1, 2, 3, 4, 5
MERGE, NEED, NARROW, AGAIN, CUTOFF, QUIET, LOOSE, VICTIM, ENDING = 6, 7, 8, 9, 10, 11, 12, 13, 14
# What came of it: finals FOUND, steps in trace, actions TRIED, whether the search was COMPLETE,
# whether the last final offered was KEPT.
FOUND, TRACED, TRIED, COMPLETE, KEPT = 15, 16, 17, 18, 19
# The value of the best final of the chain searched last.
TOP = 20
LEARNT = 21  # 1 where finals are judged by `patterns.learnt_value`, 0 where by `evaluation.value`
PARAMETERS = 22

VALUE, KEY, LINE, LAST, MARK = 0, 1, 2, 3, 4
TABLE = 1 << 14
WON = 1_000_000
HASH = (1 << 62) - 1


class BeamMemory(NamedTuple):
    """``parameters``, ``rows``, ``marks``, ``trace`` and ``table`` as above; three rows to work with; lists of legal
    ``actions``, of a turn's ``firsts`` and of what these promise (``gains``); ``scratch`` as `evaluation.spread` needs
    it; ``lost``: for each cell the step, plus one, that was first seen to take it from VICTIM; ``seen``, ``index``,
    ``links``, ``sums`` and ``weights`` as `patterns` has them, empty where not LEARNT."""

    parameters: Any
    rows: Any
    marks: Any
    trace: Any
    table: Any
    row: Any
    child: Any
    stem: Any
    actions: Any
    firsts: Any
    events: Any
    gains: Any
    scratch: Any
    lost: Any
    seen: Any
    index: Any
    links: Any
    sums: Any
    weights: Any


@kernel
def load(rows, slot, row, size):
    """Copy row number ``slot`` of ``rows`` to ``row``."""
    at = slot * size
    for i in range(size):
        row[u(i)] = rows[u(at + i)]


@kernel
def store(rows, slot, row, size):
    """Copy ``row`` to row number ``slot`` of ``rows``."""
    at = slot * size
    for i in range(size):
        rows[u(at + i)] = row[u(i)]


@kernel
def in_turn(row):
    """Whether a turn has begun and is not over."""
    return row[STATUS] == PLAYING and (row[STEP] == FIRST or row[STEP] == PROPAGATE)


@kernel
def fingerprint(rules, row, salt):
    """Hash of cells, step and mover."""
    value = salt + row[STEP] * 4 + row[MOVER]
    for cell in range(rules[CELLS]):
        word = (row[u(PLACES + cell)] & CELL_MASK) + (cell << 10) + 1
        word = (word * 3202034522624059733) & HASH
        word = ((word ^ (word >> 31)) * 2862933555777941757) & HASH
        value += word ^ (word >> 29)
    return value & HASH


@kernel
def holding(rules, row, salt):
    """Hash of who holds what, whatever the colours."""
    value = salt + row[MOVER]
    for place in range(rules[HOLD], rules[ACTIVE]):
        value = ((value ^ row[u(place)]) * 3202034522624059733 + 1) & HASH
        value = value ^ (value >> 29)
    return value


@kernel
def met(table, key):
    """Whether ``key`` is remembered; it is from now on."""
    place = u((key ^ (key >> 20)) & (TABLE - 1))
    if table[place] == key:
        return True
    table[place] = key
    return False


@kernel
def sort_down(items, scores, count):
    """Put ``items`` in the order of their falling ``scores``, both in place; equal ones keep their order."""
    for which in range(1, count):
        item = items[u(which)]
        score = scores[u(which)]
        place = which
        while place > 0 and scores[u(place - 1)] < score:
            items[u(place)] = items[u(place - 1)]
            scores[u(place)] = scores[u(place - 1)]
            place -= 1
        items[u(place)] = item
        scores[u(place)] = score


@kernel
def record(memory, before, action):
    """Write a step; returns its number, or ``before`` where there is no room."""
    step = memory.parameters[TRACED]
    if step >= memory.parameters[ROOM]:
        return before
    memory.trace[u(2 * step)] = before
    memory.trace[u(2 * step + 1)] = action
    memory.parameters[TRACED] = step + 1
    return step


@kernel
def keep(memory, row, slot, score, key, line, last):
    """Put ``row`` in this slot."""
    marks = memory.marks
    store(memory.rows, slot, row, len(row))
    marks[u(MARK * slot + VALUE)] = score
    marks[u(MARK * slot + KEY)] = key
    marks[u(MARK * slot + LINE)] = line
    marks[u(MARK * slot + LAST)] = last


@kernel
def place_for(marks, base, count, room, score, key):
    """The slot for a row with this score and key among ``count`` of ``room`` slots from ``base``: a new one, that of
    the same key if this is better, or the worst one's if this is better; -1 where there is none."""
    worst = -1
    least = score
    for slot in range(base, base + count):
        known = marks[u(MARK * slot + VALUE)]
        if marks[u(MARK * slot + KEY)] == key:
            return slot if known < score else -1
        if known < least:
            least = known
            worst = slot
    return base + count if count < room else worst


@kernel
def way(trace, line, out):
    """Write the actions that lead to step ``line``, in order; returns how many."""
    count = 0
    step = line
    while step >= 0:
        count += 1
        step = trace[u(2 * step)]
    place = count
    step = line
    while step >= 0:
        place -= 1
        out[u(place)] = trace[u(2 * step + 1)]
        step = trace[u(2 * step)]
    return count
