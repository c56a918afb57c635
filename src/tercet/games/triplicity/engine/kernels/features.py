"""What a network sees of a position of Triplicity, as its mover does.

A site is a cell. A player's *role* is the number of turns after the mover's: 0 for the mover, then 1 and 2. A cell's
*place* is where the mover sees it: cells are turned so that the mover's home is White's. So positions that are the same
but for a rotation of board and players have the same features at their images.

A cell has three features. The first is the man on it, by role and kind (kinds of men frozen or powerless apart), with
the place. The second is the man, whatever the place, with the roles that attack the cell. The third is in the
neighbourhood of whose kings it lies, with the roles that attack it.
"""

from tercet.games.triplicity.engine.kernels.evaluation import ATTACKS, READY, ZONES, prepare, reach_of
from tercet.games.triplicity.kernels import layout
from tercet.kernel import kernel, lowest_bit, u

FROZEN = 3  # in the place of a role: of a man who neither moves nor attacks
OF_MEN = 4 * layout.KING * layout.SIZE
OF_ATTACKS = (1 + 4 * layout.KING) * 8
OF_ZONES = 8 * 8
FEATURES = OF_MEN + OF_ATTACKS + OF_ZONES
AT_SITE = 3
INPUTS = 8
MOST = 127


@kernel
def find_attacks(rules, row, scratch):
    """Note in ``scratch``, as in ``evaluation``, what each player's men attack and where kings stand."""
    if scratch[READY] == 0:
        prepare(rules, scratch)
    for i in range(READY):
        scratch[u(i)] = 0
    for player in range(3):
        if row[u(layout.STATE + player)] != layout.ACTIVE:
            continue
        for word in range(2):
            men = row[u(layout.MEN + 2 * player + word)]
            while men != 0:
                cell = lowest_bit(men) + layout.SPLIT * word
                men &= men - 1
                reach_of(rules, row, cell, row[u(layout.CELLS + cell)], scratch)


@kernel
def roles_at(scratch, table, first, cell):
    """The roles, as bits, whose words in ``table`` (ATTACKS or ZONES) hold ``cell``."""
    word = 1 if cell >= layout.SPLIT else 0
    found = 0
    for role in range(3):
        player = (first + role) % 3
        found |= ((scratch[u(table + 2 * player + word)] >> (cell - layout.SPLIT * word)) & 1) << role
    return found


@kernel
def list_features(rules, row, places, scratch, out):
    """Write the features of all cells as pairs to ``out``; returns how many pairs. ``places`` are where each mover sees
    each cell; ``scratch`` is as long as ``evaluation``'s work."""
    find_attacks(rules, row, scratch)
    first = row[layout.TURN]
    count = 0
    for cell in range(layout.SIZE):
        man = row[u(layout.CELLS + cell)]
        standing = 0
        if man != 0:
            owner = man >> 3
            role = (owner - first + 3) % 3 if row[u(layout.STATE + owner)] == layout.ACTIVE else FROZEN
            standing = 1 + layout.KING * role + (man & 7) - 1
            out[u(2 * count)] = cell
            out[u(2 * count + 1)] = layout.SIZE * (standing - 1) + places[u(layout.SIZE * first + cell)]
            count += 1
        attacks = roles_at(scratch, ATTACKS, first, cell)
        zones = roles_at(scratch, ZONES, first, cell)
        if standing != 0 or attacks != 0:
            out[u(2 * count)] = cell
            out[u(2 * count + 1)] = OF_MEN + 8 * standing + attacks
            count += 1
        if zones != 0:
            out[u(2 * count)] = cell
            out[u(2 * count + 1)] = OF_MEN + OF_ATTACKS + 8 * zones + attacks
            count += 1
    return count


@kernel
def write_inputs(rules, row, out):
    """Write numbers from 0 to 127: by role each player's tokens and whether they are in the game; the quiet turns;
    whether a sacrifice is owed."""
    first = row[layout.TURN]
    tokens0 = row[u(layout.TOKENS + first)]
    tokens1 = row[u(layout.TOKENS + (first + 1) % 3)]
    tokens2 = row[u(layout.TOKENS + (first + 2) % 3)]
    active0 = row[u(layout.STATE + first)] == layout.ACTIVE
    active1 = row[u(layout.STATE + (first + 1) % 3)] == layout.ACTIVE
    active2 = row[u(layout.STATE + (first + 2) % 3)] == layout.ACTIVE
    out[0] = min(4 * tokens0, MOST)
    out[1] = min(4 * tokens1, MOST)
    out[2] = min(4 * tokens2, MOST)
    out[3] = MOST if active0 else 0
    out[4] = MOST if active1 else 0
    out[5] = MOST if active2 else 0
    out[6] = min(MOST * row[layout.QUIET] // max(1, rules[layout.RULE_QUIET_LIMIT]), MOST)
    out[7] = MOST if row[layout.PENDING] != 0 else 0


@kernel
def takes_part(row, player):
    """Whether ``player`` is in the game."""
    return row[u(layout.STATE + player)] == layout.ACTIVE
