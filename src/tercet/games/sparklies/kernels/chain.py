"""Pings, captures and the events that tell of them.

Events, four integers each: CONTROLLED cell, player, colour; PINGED cell, new colour, old; CAPTURED cell, from whom plus
one, by whom; ACTIVATED, SPENT (turned inactive unresolved) cell, player; SAID (agree), PASSED player; ENDED status,
winner by a flag plus one.
"""

from __future__ import annotations

from tercet.games.sparklies.kernels.layout import (
    ACTIVE,
    ACTIVE_BIT,
    BIAS,
    COUNT_MASK,
    COUNT_SHIFT,
    COUNT_SIZE,
    DEGREE,
    ENOUGH,
    FLAG_BIT,
    MOVER,
    NEIGHBOURS,
    PER_CELL,
    PING_MASK,
    PING_SHIFT,
    PINGS,
    PLACES,
    WINNER,
    WORDS,
    put,
    share,
    turn_active,
)
from tercet.kernel import inlined, kernel, lowest_bit, u

CONTROLLED, PINGED, CAPTURED, ACTIVATED, SPENT, SAID, PASSED, ENDED = 1, 2, 3, 4, 5, 6, 7, 8


@inlined
def note(events, count, kind, a, b, c):
    """Write an event; returns how many there are now."""
    events[u(4 * count)] = kind
    events[u(4 * count + 1)] = a
    events[u(4 * count + 2)] = b
    events[u(4 * count + 3)] = c
    return count + 1


@inlined
def succeeds(rules, word, player, colour):
    """Whether a cell with this ``word`` (see `state`) is under a valid attack by ``player`` of which a neighbour of
    ``colour``, counted in the word as theirs, is part."""
    counts = (word >> COUNT_SHIFT) & COUNT_MASK
    counts |= ((word >> (COUNT_SHIFT + COUNT_SIZE + COUNT_SIZE * player)) & COUNT_MASK) << COUNT_SIZE
    return (counts + rules[u(BIAS + 4 * colour + (word & 3))]) & ENOUGH == ENOUGH


@inlined
def recount(row, player, cell, colour):
    """What the words of the neighbours of ``cell`` would gain if ``player`` held it with ``colour``."""
    word = row[u(PLACES + cell)]
    return share(colour, player + 1) - share(word & 3, (word >> 2) & 3)


@kernel
def attacked(rules, row, player, cell, pinged, colour):
    """Whether ``player`` would capture ``cell`` by pinging ``pinged``, a neighbour of it, with ``colour``."""
    return succeeds(rules, row[u(PLACES + cell)] + recount(row, player, pinged, colour), player, colour)


@inlined
def targets(rules, row, player, cell, colour):
    """The neighbours that ``player`` would capture by pinging ``cell`` with ``colour``, by place in its list."""
    change = recount(row, player, cell, colour)
    found = 0
    place = NEIGHBOURS + (rules[DEGREE] + 1) * cell
    for which in range(rules[u(place)]):
        word = row[u(PLACES + rules[u(place + 1 + which)])] + change
        found |= (1 if succeeds(rules, word, player, colour) else 0) << which
    return found


@inlined
def neighbour(rules, cell, which):
    """Neighbour number ``which`` of ``cell``."""
    return rules[u(NEIGHBOURS + (rules[DEGREE] + 1) * cell + 1 + which)] + 0


@inlined
def capture(rules, row, cell, events, count):
    """Capture ``cell`` for the mover: it becomes theirs, and active unless it has used its pings."""
    player = row[MOVER]
    word = row[u(PLACES + cell)]
    was = (word >> 2) & 3
    wakes = word & ACTIVE_BIT == 0
    if rules[PER_CELL]:
        wakes = wakes and (word & PING_MASK) >> PING_SHIFT < rules[PER_CELL]
    if was == player + 1:
        if not wakes:
            return count
    else:
        put(rules, row, cell, word & 3, player + 1)
        if word & FLAG_BIT:
            row[WINNER] = player + 1
    count = note(events, count, CAPTURED, cell, was, player)
    if wakes:
        turn_active(rules, row, cell, 1)
        count = note(events, count, ACTIVATED, cell, player, 0)
    return count


@inlined
def ping(rules, row, cell, colour, events, count):
    """Ping ``cell`` with ``colour`` for the mover. All its captures are judged before anything changes hands."""
    player = row[MOVER]
    word = row[u(PLACES + cell)]
    if word & ACTIVE_BIT:
        turn_active(rules, row, cell, -1)
    if rules[PER_CELL]:
        row[u(PLACES + cell)] += 1 << PING_SHIFT
    if colour != word & 3:
        put(rules, row, cell, colour, player + 1)
    row[PINGS] += 1
    count = note(events, count, PINGED, cell, colour, word & 3)
    found = targets(rules, row, player, cell, colour)
    while found:
        count = capture(rules, row, neighbour(rules, cell, lowest_bit(found)), events, count)
        found &= found - 1
    return count


@kernel
def cascade(rules, row, colour, events, count):
    """Speed: ping everything that the first ping woke with its colour, breadth first along the events themselves."""
    at = 0
    while at < count and row[WINNER] == 0:
        if events[u(4 * at)] == ACTIVATED:
            count = ping(rules, row, events[u(4 * at + 1)] + 0, colour, events, count)
        at += 1
    return count


@kernel
def calm(rules, row, events, count):
    """Turn inactive whatever is still active."""
    for index in range(rules[WORDS]):
        word = row[u(rules[ACTIVE] + index)]
        while word:
            cell = 32 * index + lowest_bit(word)
            turn_active(rules, row, cell, -1)
            count = note(events, count, SPENT, cell, row[MOVER], 0)
            word &= word - 1
    return count
