"""What a small network adds to the strengths made by hand.

It is given what is SEEN of each player (``attacks``), the one who moves first and then the others by turns, and puts it
through HIDDEN units to a correction of each player's strength. With two players left it has other weights. All are
integers: hidden units 64 to 1, what is added 2**14 to a point.

Weights (int32), for three players left and then for two: for each unit INPUTS; a bias for each unit; for each player,
the first to move and then by turns, HIDDEN; a bias for each. Their last INPUTS places are work: what the network is
given, there because numbers of 32 bits are multiplied many at once, those of 64 are not.
"""

from __future__ import annotations

from tercet.games.triplicity.engine.kernels.attacks import (
    ATTACKS,
    CHECK,
    DEAREST,
    EACH,
    HIT_DEARER,
    HIT_GUARDED,
    HIT_LOOSE,
    IN_VIEW,
    LESSER,
    SEEN,
    STAND,
    STRENGTHS,
    THREAT,
    THREATS,
    VIEWS,
    ZONES,
)
from tercet.games.triplicity.kernels.layout import (
    ACTIVE,
    BISHOP,
    CELLS,
    HEIGHT,
    KING,
    KINGS,
    MEN,
    PAWN,
    QUEEN,
    ROOK,
    SIZE,
    SPLIT,
    STATE,
    king_cell,
)
from tercet.kernel import kernel, lowest_bit, popcount, u

HIDDEN = 32
INPUTS = 3 * EACH
BIASES = HIDDEN * INPUTS
OUTPUTS = BIASES + HIDDEN
NETWORK = OUTPUTS + 3 * HIDDEN + 3  # weights for so many players left
GIVEN = 2 * NETWORK
CORRECTION = GIVEN + INPUTS
SCALE, UNIT_SHIFT, POINT_SHIFT = 4096, 6, 14  # of units' weights; what they and what is added are divided by
MOST_FREE = 4


@kernel
def roughly(kind):
    """What a man is worth, in pawns."""
    if kind <= BISHOP:
        return 1 if kind == PAWN else 3
    if kind <= QUEEN:
        return 4 if kind == ROOK else 9
    return 5


@kernel
def see_threats(row, work, player, enemy):
    """Note what ``enemy`` threatens of ``player``'s, but for what ``evaluation`` has noted."""
    place = SEEN + EACH * player + THREATS + THREAT * ((enemy - player + 2) % 3)
    for word in range(2):
        attacks = work[u(ATTACKS + 2 * enemy + word)]
        work[u(place + IN_VIEW)] += popcount((work[u(VIEWS + word)] | work[u(VIEWS + 2 + word)]) & attacks)
        guarded = work[u(ATTACKS + 2 * player + word)]
        pawns = work[u(LESSER + 2 * enemy + word)]
        minors = work[u(LESSER + 6 + 2 * enemy + word)] | pawns
        rooks = work[u(LESSER + 12 + 2 * enemy + word)] | minors
        hit = row[u(MEN + 2 * player + word)] & attacks
        while hit != 0:
            bit = hit & -hit
            hit ^= bit
            kind = row[u(CELLS + lowest_bit(bit) + SPLIT * word)] & 7
            value = roughly(kind)
            if kind == KING and row[u(KINGS + player)] == 1:
                work[u(place + CHECK)] += 1
            elif guarded & bit == 0:
                work[u(place + HIT_LOOSE)] += value
                work[u(place + DEAREST)] = max(work[u(place + DEAREST)], value)
            else:
                work[u(place + HIT_GUARDED)] += value
                lesser = pawns if kind <= BISHOP else minors if kind == ROOK else rooks
                if kind != PAWN and lesser & bit != 0:
                    work[u(place + HIT_DEARER)] += value - 1


@kernel
def see_army(rules, row, work, player):
    """Note of ``player``: how many cells about his kings both enemies attack; how many there are where neither does and
    he has no man; the way of his first king to the far rank; his men about kings; his men that are guarded; the cells
    that he attacks; his men that are not guarded."""
    place = SEEN + EACH * player + STAND
    for word in range(2):
        zone = work[u(ZONES + 2 * player + word)]
        men = row[u(MEN + 2 * player + word)]
        own = work[u(ATTACKS + 2 * player + word)]
        one = work[u(ATTACKS + 2 * ((player + 1) % 3) + word)]
        two = work[u(ATTACKS + 2 * ((player + 2) % 3) + word)]
        work[u(place)] += popcount(zone & one & two)
        work[u(place + 1)] += popcount(zone & ~men & ~one & ~two)
        work[u(place + 3)] += popcount(zone & men)
        work[u(place + 4)] += popcount(men & own)
        work[u(place + 5)] += popcount(own)
        work[u(place + 6)] += popcount(men & ~own)
    work[u(place + 1)] = min(work[u(place + 1)], MOST_FREE)
    work[u(place + 2)] = rules[u(HEIGHT + SIZE * player + king_cell(rules, row, player))]


@kernel
def correct(rules, row, weights, network, size, work, left, first):
    """Add to each player's strength what the network finds; its weights begin at ``network``. ``first`` moves first of
    ``left`` players. ``size`` is INPUTS: loops that go up to a number which compilers do not know become vector
    instructions."""
    for player in range(3):
        if row[u(STATE + player)] == ACTIVE:
            see_army(rules, row, work, player)
    given = network + GIVEN
    for role in range(3):
        seen = SEEN + EACH * ((first + role) % 3)
        for i in range(EACH):
            weights[u(given + EACH * role + i)] = work[u(seen + i)]
    if left == 2:
        network += NETWORK
    found0 = weights[u(network + OUTPUTS + 3 * HIDDEN)]
    found1 = weights[u(network + OUTPUTS + 3 * HIDDEN + 1)]
    found2 = weights[u(network + OUTPUTS + 3 * HIDDEN + 2)]
    for unit in range(HIDDEN):
        value = weights[u(network + BIASES + unit)]
        for i in range(size):
            value += weights[u(network + INPUTS * unit + i)] * weights[u(given + i)]
        value = max(value, 0) >> UNIT_SHIFT
        found0 += weights[u(network + OUTPUTS + unit)] * value
        found1 += weights[u(network + OUTPUTS + HIDDEN + unit)] * value
        found2 += weights[u(network + OUTPUTS + 2 * HIDDEN + unit)] * value
    work[u(STRENGTHS + first)] += found0 >> POINT_SHIFT
    work[u(STRENGTHS + (first + 1) % 3)] += found1 >> POINT_SHIFT
    work[u(STRENGTHS + (first + 2) % 3)] += found2 >> POINT_SHIFT
