"""What a network sees of a position of Sparklies for two, as its mover does, on any board and in any ruleset.

A site is a cell with a colour: ping 3 * cell + colour, as for the rules. Nothing in a feature names a colour or a
direction: colours count only as the site's own, the one it takes and the one that takes it. So positions that are the
same but for a symmetry of the board or a turn of the three colours have the same features at their images. Inputs
distinguish rulesets, and what a ping would capture distinguishes what an attack asks for.

A site has features of the cell itself: its holder, how its colour stands to the site's, whether it is active, a flag,
has pinged. Others count the neighbours of each colour and holder, and all neighbours. Others count what a ping of the
mover's would capture of each holder, and what one of the other player's would capture of the mover's.
"""

from tercet.games.sparklies.kernels import layout
from tercet.games.sparklies.kernels.layout import targets
from tercet.kernel import inlined, kernel, lowest_bit, u

# How a holder stands to the mover.
NOBODYS, OWN, OTHERS = 0, 1, 2
MOST_NEAR = 6
OF_CELLS = 3 * 4 * 2 * 2 * 2
OF_NEIGHBOURS = 3 * 3 * (MOST_NEAR + 1)
OF_CAPTURES = 3 * (MOST_NEAR + 1)
OF_THREATS = MOST_NEAR + 1
OF_DEGREES = MOST_NEAR + 1
FEATURES = OF_CELLS + OF_NEIGHBOURS + OF_CAPTURES + OF_THREATS + OF_DEGREES
AT_SITE = 1 + 3 * 3 + 3 + 1 + 1
STEPS = 7
INPUTS = STEPS + 12
MOST = 127


@inlined
def standing(holder, mover):
    """How the ``holder`` of a cell, 0 for none, stands to the mover."""
    if holder == 0:
        return NOBODYS
    return OWN if holder == mover + 1 else OTHERS


@inlined
def relation(colour, other):
    """Return how ``other``, a cell's colour, relates to ``colour``: 0 the same, 1 taken by it, 2 taking it, 3 none."""
    if other == layout.NO_COLOUR:
        return 3
    return (other - colour + 3) % 3


@inlined
def write_pair(out, count, site, feature):
    """Write a pair; returns how many there are now."""
    out[u(2 * count)] = site
    out[u(2 * count + 1)] = feature
    return count + 1


@inlined
def write_counts(out, count, site, first, free, own, others):
    """Write the features, from ``first`` on, of how many cells are free, the mover's and the other player's, none
    for a 0; returns how many pairs there are now."""
    if free > 0:
        count = write_pair(out, count, site, first + free)
    if own > 0:
        count = write_pair(out, count, site, first + MOST_NEAR + 1 + own)
    if others > 0:
        count = write_pair(out, count, site, first + 2 * (MOST_NEAR + 1) + others)
    return count


@kernel
def list_near(row, mover, cell, colour, out, count):
    """The features of the neighbours of ``cell`` by their colour, seen from ``colour``, and their holder."""
    word = row[u(layout.PLACES + cell)]
    for turn in range(3):
        place = layout.COUNT_SHIFT + 4 * ((colour + turn) % 3)
        own = (word >> (place + layout.COUNT_SIZE * (mover + 1))) & 15
        others = (word >> (place + layout.COUNT_SIZE * (2 - mover))) & 15
        free = ((word >> place) & 15) - own - others
        first = OF_CELLS + 3 * (MOST_NEAR + 1) * turn
        count = write_counts(out, count, 3 * cell + colour, first, free, own, others)
    return count


@kernel
def list_captures(rules, row, mover, cell, colour, out, count):
    """The features of what pings of ``cell`` with ``colour`` would capture."""
    free = 0
    own = 0
    others = 0
    lost = 0
    place = layout.NEIGHBOURS + (rules[layout.DEGREE] + 1) * cell + 1
    found = targets(rules, row, mover, cell, colour)
    while found != 0:
        holder = (row[u(layout.PLACES + rules[u(place + lowest_bit(found))])] >> 2) & 3
        found &= found - 1
        if holder == 0:
            free += 1
        elif holder == mover + 1:
            own += 1
        else:
            others += 1
    if (row[u(layout.PLACES + cell)] >> 2) & 3 != mover + 1:
        found = targets(rules, row, 1 - mover, cell, colour)
        while found != 0:
            holder = (row[u(layout.PLACES + rules[u(place + lowest_bit(found))])] >> 2) & 3
            found &= found - 1
            lost += 1 if holder == mover + 1 else 0
    first = OF_CELLS + OF_NEIGHBOURS
    site = 3 * cell + colour
    count = write_counts(out, count, site, first, free, own, others)
    if lost > 0:
        count = write_pair(out, count, site, first + OF_CAPTURES + lost)
    return count


@kernel
def list_features(rules, row, places, scratch, out):
    """Write the features of all sites as pairs to ``out``; returns how many pairs. Neither ``places`` nor ``scratch``
    is needed."""
    mover = row[layout.MOVER]
    count = 0
    for cell in range(rules[layout.CELLS]):
        word = row[u(layout.PLACES + cell)]
        held = standing((word >> 2) & 3, mover)
        state = 2 * (1 if word & layout.ACTIVE_BIT != 0 else 0) + (1 if word & layout.FLAG_BIT != 0 else 0)
        state = 2 * state + (1 if word & layout.PING_MASK != 0 else 0)
        near = rules[u(layout.NEIGHBOURS + (rules[layout.DEGREE] + 1) * cell)]
        for colour in range(3):
            site = 3 * cell + colour
            count = write_pair(out, count, site, 8 * (4 * held + relation(colour, word & 3)) + state)
            count = write_pair(out, count, site, FEATURES - OF_DEGREES + near)
            count = list_near(row, mover, cell, colour, out, count)
            count = list_captures(rules, row, mover, cell, colour, out, count)
    return count


@kernel
def write_inputs(rules, row, out):
    """Write numbers from 0 to 127: what the mover is asked for; the ruleset; how much of the board is whose, and
    active; its size."""
    size = rules[layout.CELLS]
    mover = row[layout.MOVER]
    for step in range(STEPS):
        out[u(step)] = MOST if row[layout.STEP] == step else 0
    out[7] = MOST if rules[layout.FORCED] == layout.ANY else 0
    out[8] = MOST if rules[layout.FORCED] == layout.TAKER else 0
    out[9] = MOST if rules[layout.FORCED] == layout.PREY else 0
    out[10] = MOST if rules[layout.WHOLE] != 0 else 0
    out[11] = MOST if rules[layout.DUEL] != 0 else 0
    out[12] = MOST * row[layout.HELD] // size
    out[13] = MOST * row[u(layout.HELD + 1 + mover)] // size
    out[14] = MOST * row[u(layout.HELD + 2 - mover)] // size
    out[15] = MOST * row[layout.ACTIVES] // size
    out[16] = min(size, MOST)
    out[17] = MOST if rules[layout.DEGREE] == MOST_NEAR else 0
    out[18] = min(max(64 + row[u(layout.HELD + 1 + mover)] - row[u(layout.HELD + 2 - mover)], 0), MOST)
