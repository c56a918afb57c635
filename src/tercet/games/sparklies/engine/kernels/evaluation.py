"""The memory of a search, and what a row is worth: by its cells, by what it can still reach, by learnt patterns.

``parameters`` (int64) says how to search and receives the result. ``rows`` (int64) holds two generations of WIDTH rows
and then KEEP finals. ``marks`` (int64) holds MARK entries for each of these rows: VALUE; KEY, a hash; LINE, the last
step of the way there; LAST, an action after that or -1. ``trace`` (int32) holds two entries for each step: the step
before (-1 for none) and the action. ``table`` (int64, TABLE entries) remembers the rows already met, so that a
quadrille is not danced for ever.

For learnt weights a *window* is four cells around a corner or three in a line. Each of its cells is in one of STATES
states: its colour plus three times its holder. A window's *pattern* is the number with these digits; patterns of three
cells come after those of four. ``weights`` (int16) holds two numbers for each pattern: its worth to the player to move
if that is the first player, and if it is the second. Then come two lists over PHASES parts of the game (by how much of
the board is free): the worth of one cell more, and the worth of being next to move. A row is worth the sum of these.

``index`` (int32) holds each window's pattern, ``links`` (int32) for each cell the windows that it is in, LINK entries,
``seen`` (int32) each cell's state, and ``sums`` (int64) the sums of the windows' weights, all of the row judged last.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from tercet.games.sparklies.kernels import layout
from tercet.games.sparklies.kernels.layout import neighbour, succeeds, targets
from tercet.games.sparklies.kernels.moves import forced_colour
from tercet.kernel import kernel, lowest_bit, u

# What to do: WIDTH rows of a generation, KEEP finals (0: only the best one's value is asked for), at most BUDGET
# actions tried, PATIENCE levels without a gain, SALT of hashes, ROOM steps in trace; MERGE: finals with the same
# holders count as one; NEED of `spread`; NARROW and AGAIN of `sweep`; a final worth CUTOFF ends the search; with more
# than QUIET cells, first pings that capture nothing are tried only beside the cell taken; LOOSE: 1 where an attack does
# not ask who holds what (2: see `is_dull`); VICTIM: the player (plus one) of whose cells is noted in ``lost`` by which
# step, plus one, each is first taken; ENDING: see `hope`.
WIDTH, KEEP, BUDGET, PATIENCE, SALT, ROOM = 0, 1, 2, 3, 4, 5
MERGE, NEED, NARROW, AGAIN, CUTOFF, QUIET, LOOSE, VICTIM, ENDING = 6, 7, 8, 9, 10, 11, 12, 13, 14
# What came of it: finals FOUND, steps in trace, actions TRIED, whether the search was COMPLETE,
# whether the last final offered was KEPT.
FOUND, TRACED, TRIED, COMPLETE, KEPT = 15, 16, 17, 18, 19
# The value of the best final of the chain searched last.
TOP = 20
LEARNT = 21  # 1 where finals are judged by `learnt_value`, 0 where by `value`
PARAMETERS = 22

VALUE, KEY, LINE, LAST, MARK = 0, 1, 2, 3, 4
TABLE = 1 << 14
WON = 1_000_000
HASH = (1 << 62) - 1


class BeamMemory(NamedTuple):
    """The arrays of a search. ``parameters``, ``rows``, ``marks``, ``trace`` and ``table`` are described above.

    ``row``, ``child`` and ``stem`` are rows to work with. ``actions`` lists the legal actions, ``firsts`` those that
    begin a turn, and ``gains`` what these promise. ``scratch`` is what `spread` needs. ``lost`` has for each cell the
    step, plus one, that was first seen to take it from VICTIM. ``seen``, ``index``, ``links``, ``sums`` and ``weights``
    are those of the learnt patterns, empty where the search is not LEARNT.
    """

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
    return row[layout.STATUS] == layout.PLAYING and (
        row[layout.STEP] == layout.FIRST or row[layout.STEP] == layout.PROPAGATE
    )


@kernel
def fingerprint(rules, row, salt):
    """Hash of cells, step and mover."""
    value = salt + row[layout.STEP] * 4 + row[layout.MOVER]
    for cell in range(rules[layout.CELLS]):
        word = (row[u(layout.PLACES + cell)] & layout.CELL_MASK) + (cell << 10) + 1
        word = (word * 3202034522624059733) & HASH
        word = ((word ^ (word >> 31)) * 2862933555777941757) & HASH
        value += word ^ (word >> 29)
    return value & HASH


@kernel
def holding(rules, row, salt):
    """Hash of who holds what, whatever the colours."""
    value = salt + row[layout.MOVER]
    for index in range(rules[layout.HOLD], rules[layout.ACTIVE]):
        value = ((value ^ row[u(index)]) * 3202034522624059733 + 1) & HASH
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
    """Sort ``items`` by falling ``scores``, both in place. Equal ones keep their order."""
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
    """Write a step to the trace. Return its number, or ``before`` where there is no room."""
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
    """Return the slot for a row with this score and key, among ``count`` of ``room`` slots from ``base`` on: a new one,
    or that of the same key or the worst one's if this row is better; -1 where there is none."""
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
    """Write the actions that lead to step ``line``, in order. Return how many."""
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


# of `estate`: a cell; an own one to dance with; others' under attack, at once or a turn later; others' beside one own
# cell, or beside several
CELL, DANCE, PRIZE, PRIZE_LATER, BESIDE, WITHIN = 100, 6, 20, 12, 1, 4
INFECTED = 64  # of `spread`: more than any cell has neighbours


@kernel
def margin(rules, row, player):
    """Return the cells of ``player`` less those of the opponent who holds most."""
    most = 0
    for other in range(rules[layout.PLAYERS]):
        if other != player:
            most = max(most, row[u(layout.HELD + 1 + other)])
    return row[u(layout.HELD + 1 + player)] - most


@kernel
def under_attack(rules, word, player):
    """Return whether ``player`` attacks a cell with this ``word``: a ping of one of the attackers takes it."""
    colour = word & 3
    if colour == layout.NO_COLOUR:
        return False
    taker = colour + 2 if colour == 0 else colour - 1
    return succeeds(rules, word, player, taker)


@kernel
def estate(rules, row, player):
    """Return what ``player`` has in a row at the end of a turn. A cell is 100. Added are own cells under their own
    attack, which can dance (harlequins and all larger bases), other cells under their attack, and room around their
    cells."""
    total = CELL * row[u(layout.HELD + 1 + player)]
    prize = PRIZE if row[layout.MOVER] == player else PRIZE_LATER
    shift = layout.COUNT_SHIFT + layout.COUNT_SIZE * (player + 1)
    for cell in range(rules[layout.CELLS]):
        word = row[u(layout.PLACES + cell)]
        beside = (word >> shift) & layout.COUNT_MASK
        if beside:
            if (word >> 2) & 3 == player + 1:
                total += DANCE if under_attack(rules, word, player) else 0
            else:
                total += BESIDE if beside & (beside - 1) == 0 else WITHIN
                total += prize if under_attack(rules, word, player) else 0
    return total


@kernel
def value(rules, row, player):
    """Return the worth to ``player`` of a row at the end of a turn: their `estate` less the largest of the others'; for
    a game won WON and more, the more the larger the margin."""
    if row[layout.STATUS] == layout.FLAG:
        return WON + 1000 if row[layout.WINNER] == player + 1 else -WON
    if row[layout.STATUS] != layout.PLAYING:
        ahead = margin(rules, row, player)
        if rules[layout.PLAYERS] == 1 or ahead > 0:
            return WON + 1000 * ahead
        return 0 if ahead == 0 else 1000 * ahead - WON
    most = 0
    for other in range(rules[layout.PLAYERS]):
        if other != player:
            most = max(most, estate(rules, row, other))
    return estate(rules, row, player) - most


@kernel
def hope(row, player, key, ending):
    """Return what a row in the middle of a turn promises: cells, then active ones to go on with, then a little chance.
    Where the turn is to end the game, a free cell counts for ``ending`` more."""
    return 64 * row[u(layout.HELD + 1 + player)] + 16 * row[layout.ACTIVES] + (key & 15) - ending * row[layout.HELD]


@kernel
def spread(rules, row, player, extra, need, scratch):
    """Return how many cells ``player`` could hold at most by chains alone, if a cell falls to any ``need`` of their
    neighbours and every colour can be had (percolation). They also hold cell ``extra`` (-1 for none). ``scratch`` holds
    two ints for each cell."""
    size = rules[layout.CELLS]
    width = rules[layout.DEGREE] + 1
    count = 0
    for cell in range(size):
        word = row[u(layout.PLACES + cell)]
        scratch[u(cell)] = 0
        if (word >> 2) & 3 == player + 1 or cell == extra:
            scratch[u(cell)] = INFECTED
            scratch[u(size + count)] = cell
            count += 1
    at = 0
    while at < count:
        place = layout.NEIGHBOURS + width * scratch[u(size + at)]
        at += 1
        for near in range(place + 1, place + 1 + rules[u(place)]):
            other = rules[u(near)]
            scratch[u(other)] += 1
            if scratch[u(other)] == need:
                scratch[u(other)] = INFECTED
                scratch[u(size + count)] = other
                count += 1
    return count


@kernel
def may_end(rules, row, need, scratch):
    """Return whether the mover could take or capture all free cells in this turn, as far as `spread` tells."""
    player = row[layout.MOVER]
    for extra in range(rules[layout.CELLS]):
        if row[layout.HELD] == 0 or (row[u(layout.PLACES + extra)] >> 2) & 3 == 0:
            spread(rules, row, player, extra, need, scratch)
            missed = 0
            for cell in range(rules[layout.CELLS]):
                missed += (row[u(layout.PLACES + cell)] >> 2) & 3 == 0 and scratch[u(cell)] < INFECTED
            if missed == 0:
                return True
    return False


@kernel
def taken_cell(rules, action):
    """The cell that ``action``, a control, takes."""
    choice = action - rules[layout.CONTROLS]
    return choice // 3 if rules[layout.BLANK] else choice


@kernel
def captures(rules, row, player, cell, found):
    """How many of the neighbours ``found`` of ``cell`` (see `targets`) are not ``player``'s yet."""
    count = 0
    while found:
        other = neighbour(rules, cell, lowest_bit(found))
        if (row[u(layout.PLACES + other)] >> 2) & 3 != player + 1:
            count += 1
        found &= found - 1
    return count


@kernel
def promises(rules, row, actions, count, need, scratch, out):
    """Write for each of ``count`` first ``actions`` of a turn how far it could lead: `spread` where ``need`` is
    positive, else how many cells a ping of its cell would capture at once."""
    player = row[layout.MOVER]
    for which in range(count):
        action = actions[u(which)]
        out[u(which)] = 0
        if action < rules[layout.CONTROLS]:
            out[u(which)] = captures(
                rules, row, player, action // 3, targets(rules, row, player, action // 3, action % 3)
            )  # fmt: skip
        elif action < rules[layout.ACTIVATIONS]:
            cell = taken_cell(rules, action)
            if need > 0:
                out[u(which)] = spread(rules, row, player, cell, need, scratch)
            else:
                most = 0
                for colour in range(3):
                    most = max(most, captures(rules, row, player, cell, targets(rules, row, player, cell, colour)))
                out[u(which)] = most


@kernel
def wakes(rules, row, cell, found):
    """How many of the neighbours ``found`` of ``cell`` would become active."""
    count = 0
    while found:
        if row[u(layout.PLACES + neighbour(rules, cell, lowest_bit(found)))] & 16 == 0:
            count += 1
        found &= found - 1
    return count


@kernel
def supports(row, player, cell, colour):
    """How many neighbours of ``cell`` are ``player``'s and of the colour that takes ``colour``."""
    taker = colour + 2 if colour == 0 else colour - 1
    return (row[u(layout.PLACES + cell)] >> (layout.COUNT_SHIFT + layout.COUNT_SIZE * (player + 1) + 4 * taker)) & 15


@kernel
def calmest(rules, row):
    """Return the ping that best leads the chain in ``row`` to its end: what captures most, else what wakes least and
    leaves the cell where it can be woken again another time."""
    player = row[layout.MOVER]
    best = -1
    most = -1_000_000
    for index in range(rules[layout.WORDS]):
        word = row[u(rules[layout.ACTIVE] + index)]
        while word:
            cell = 32 * index + lowest_bit(word)
            word &= word - 1
            forced = forced_colour(rules, row, cell)
            for colour in range(3):
                if forced < 0 or forced == colour:
                    found = targets(rules, row, player, cell, colour)
                    score = supports(row, player, cell, colour)
                    if found:
                        score += 1000 * captures(rules, row, player, cell, found) - 50 * wakes(rules, row, cell, found)
                    if score > most:
                        most = score
                        best = 3 * cell + colour
    return best


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
    """Update ``seen``, ``index`` and ``sums`` for ``row``, where its cells differ from the row before."""
    seen = memory.seen
    index = memory.index
    links = memory.links
    weights = memory.weights
    sums = memory.sums
    first = sums[0] + 0
    second = sums[1] + 0
    for cell in range(rules[layout.CELLS]):
        word = row[u(layout.PLACES + cell)]
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
    """Return what a row at the end of a turn is worth to ``player``, one of two, by ``weights``; as `value` has it
    where the game is over."""
    if row[layout.STATUS] != layout.PLAYING:
        return value(rules, row, player)
    follow(rules, row, memory)
    mover = row[layout.MOVER]
    phase = row[layout.HELD] * PHASES // (rules[layout.CELLS] + 1)
    lead = row[u(layout.HELD + 1 + mover)] - row[u(layout.HELD + 2 - mover)]
    weights = memory.weights
    worth = memory.sums[u(mover)] + lead * weights[u(LEAD + phase)] + weights[u(TEMPO + phase)]
    return worth if player == mover else -worth
