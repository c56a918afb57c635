"""What a position of Triplicity is worth to each player, at a look.

A player's *strength* is a number of points (a pawn is about 100): his men, tokens, mobility, the safety of his kings
and men. Strengths become chances by ``2 ** (strength / SCALE)``, each player's share of their sum; a *standing* is the
logarithm of one player's odds in points, so that it can be added to and compared. The last king wins everything: the
stronger enemy matters more than the weaker, and one enemy less of two as strong is worth as much as ``SCALE``.

Where ``weights`` hold a network, it corrects the strengths (see ``correction``).

``weights`` (int32) are the points, as ``engine.WEIGHTS`` writes them, then what ``correction`` needs. ``work`` (int64)
is scratch memory, see ``attacks``.
"""

from __future__ import annotations

from tercet.games.triplicity.engine.kernels.attacks import (
    ATTACKS,
    EACH,
    HOARD,
    IN_ZONE,
    NEAR,
    NUMBERS,
    PLACES,
    REACH,
    READY,
    SEEN,
    STRENGTHS,
    THREAT,
    THREATS,
    ZONES,
    exposure,
    look_out,
    prepare,
    reach_of,
)
from tercet.games.triplicity.engine.kernels.correction import CORRECTION, correct, see_threats
from tercet.games.triplicity.kernels.layout import (
    ACTIVE,
    CELLS,
    HEIGHT,
    KING,
    KINGS,
    LAST_PLAYER,
    MEN,
    PAWN,
    PENDING,
    PLAYING,
    QUIET,
    QUIET_DRAW,
    RULE_QUIET_LIMIT,
    SIZE,
    SPLIT,
    STATE,
    STATUS,
    TOKENS,
    TURN,
    WINNER,
    actives,
)
from tercet.games.triplicity.kernels.turns import (
    next_active,
)
from tercet.kernel import kernel, lowest_bit, popcount, u

# weights
VALUE = 0  # of each kind
MOBILITY = 8  # for each cell that a man of each kind attacks or may go to
ADVANCE = 16  # of a pawn, by his way to promotion
TOKEN = 32  # with one, two, three players left
SCALE = 36
ZONE = 37  # for each cell about a king that an enemy attacks
EXPOSED = 38  # for each cell where a bought man would attack the last king
DOOMED = 39  # in 64ths of the strength: the last king can be taken before his owner moves
CHECKED = 40  # the last king is attacked, but his owner moves first
LOOSE_SOON = 41  # in 64ths of the value: attacked, not defended, an enemy moves first
LOOSE_LATER = 42  # the same, but the owner moves first
HIT = 43  # attacked and defended
DRAWN = 44  # a draw is worth so much less than its share
LEARNT = 45  # how many numbers the network is given that corrects strengths; 0 for none
NETWORK = 46
WEIGHTS = NETWORK + CORRECTION

WON = 1_000_000
NEARLY = 900_000  # any standing beyond is the end of the game


@kernel
def army(rules, row, weights, work, player, left):
    """Points of ``player``'s tokens and men, with ``left`` players left; notes what they attack, and of what kinds they
    are."""
    seen = SEEN + EACH * player
    total = weights[u(TOKEN + left - 1)] * row[u(TOKENS + player)]
    work[u(seen + HOARD)] = row[u(TOKENS + player)]
    for word in range(2):
        men = row[u(MEN + 2 * player + word)]
        while men != 0:
            cell = lowest_bit(men) + SPLIT * word
            men &= men - 1
            man = row[u(CELLS + cell)]
            kind = man & 7
            reach = reach_of(rules, row, cell, man, work)
            total += weights[u(VALUE + kind)] + weights[u(MOBILITY + kind)] * reach
            work[u(seen + NUMBERS + kind - 1)] += 1
            work[u(seen + REACH + kind - 1)] += reach
            if kind == PAWN:
                way = rules[u(HEIGHT + SIZE * player + cell)]
                total += weights[u(ADVANCE + way)]
                if way <= 6:
                    work[u(seen + NEAR + (0 if way <= 2 else 3 if way >= 5 else way - 2))] += 1
    return total


@kernel
def danger(rules, row, weights, work, player, enemy, enemy_first, total):
    """Points that ``player``, whose strength is ``total`` so far, loses by what ``enemy`` attacks; ``enemy_first`` says
    whether the enemy's turn comes before his. `look_out` has seen for his king."""
    place = SEEN + EACH * player + THREATS + THREAT * ((enemy - player + 2) % 3)
    zone = popcount(work[u(ZONES + 2 * player)] & work[u(ATTACKS + 2 * enemy)])
    zone += popcount(work[u(ZONES + 2 * player + 1)] & work[u(ATTACKS + 2 * enemy + 1)])
    places = exposure(rules, row, work, player, enemy)
    work[u(place + IN_ZONE)] = zone
    work[u(place + PLACES)] = places
    lost = weights[ZONE] * zone + weights[EXPOSED] * places
    for word in range(2):
        hit = row[u(MEN + 2 * player + word)] & work[u(ATTACKS + 2 * enemy + word)]
        guarded = work[u(ATTACKS + 2 * player + word)]
        while hit != 0:
            bit = hit & -hit
            cell = lowest_bit(hit) + SPLIT * word
            hit ^= bit
            kind = row[u(CELLS + cell)] & 7
            if kind == KING and row[u(KINGS + player)] == 1:
                lost += total * weights[DOOMED] // 64 if enemy_first else weights[CHECKED]
            elif guarded & bit != 0:
                lost += weights[u(VALUE + kind)] * weights[HIT] // 64
            elif enemy_first:
                lost += weights[u(VALUE + kind)] * weights[LOOSE_SOON] // 64
            else:
                lost += weights[u(VALUE + kind)] * weights[LOOSE_LATER] // 64
    return lost


@kernel
def strengths(rules, row, weights, work):
    """Write each player's strength to ``work`` from STRENGTHS on: at least 1, 0 for who is no longer in the game."""
    if work[READY] == 0:
        prepare(rules, work)
    for i in range(READY):
        work[u(i)] = 0
    left = actives(rules, row)
    for player in range(3):
        if row[STATE + player] == ACTIVE:
            work[u(STRENGTHS + player)] = army(rules, row, weights, work, player, left)
    first = row[TURN]
    if row[PENDING] != 0:
        first = next_active(rules, row, row[PENDING] - 1)
    for player in range(3):
        if row[STATE + player] != ACTIVE:
            continue
        total = work[u(STRENGTHS + player)]
        lost = 0
        look_out(rules, row, work, player)
        for step in range(1, 3):
            enemy = (player + step) % 3
            if row[STATE + enemy] == ACTIVE:
                sooner = (enemy - first + 3) % 3 < (player - first + 3) % 3
                lost += danger(rules, row, weights, work, player, enemy, sooner, total)
                if weights[LEARNT] != 0:
                    see_threats(row, work, player, enemy)
        work[u(STRENGTHS + player)] = total - lost
    if weights[LEARNT] != 0:
        correct(rules, row, weights, NETWORK, weights[LEARNT], work, left, first)
    for player in range(3):
        strength = max(1, work[u(STRENGTHS + player)])
        work[u(STRENGTHS + player)] = strength if row[STATE + player] == ACTIVE else 0


@kernel
def softly(scale, gap):
    """``scale * log2(1 + 2 ** (-gap / scale))`` by straight lines: what a second enemy, weaker by ``gap``, adds."""
    if gap < scale:
        return scale - gap * 425 // 1024
    if gap < 2 * scale:
        return (scale * 599 - (gap - scale) * 269) // 1024
    if gap < 4 * scale:
        return (scale * 330 - (gap - 2 * scale) * 120) // 1024
    if gap < 8 * scale:
        return (scale * 90 - (gap - 4 * scale) * 22) // 1024
    return 0


@kernel
def standing(rules, row, weights, work, me):
    """The logarithm of ``me``'s odds, in points, from the strengths in ``work``. Presumes that he is in the game."""
    strongest = -1
    weakest = -1
    for player in range(3):
        if player != me and row[STATE + player] == ACTIVE:
            strength = work[u(STRENGTHS + player)]
            if strength > strongest:
                weakest = strongest
                strongest = strength
            else:
                weakest = strength
    odds = work[u(STRENGTHS + me)] - strongest
    if weakest >= 0:
        odds -= softly(weights[SCALE], strongest - weakest)
    return odds


@kernel
def verdict(rules, row, weights, work, me, ply):
    """`worth`, where `strengths` has been asked already if the game goes on."""
    if row[u(STATE + me)] != ACTIVE:
        return ply - WON
    if row[STATUS] == LAST_PLAYER:
        return WON - ply if row[WINNER] == me else ply - WON
    drawn = -weights[DRAWN]
    if actives(rules, row) == 3:
        drawn -= weights[SCALE]
    if row[STATUS] != PLAYING:
        return drawn
    odds = standing(rules, row, weights, work, me)
    if weights[DRAWN] == 0:  # who does not mind a draw only tires of being ahead
        drawn = 0
    if odds > drawn:
        odds -= (odds - drawn) * row[QUIET] // (2 * rules[RULE_QUIET_LIMIT])
    return odds


@kernel
def worth(rules, row, weights, work, me, ply):
    """What the position, ``ply`` actions below the root, is worth to ``me``: his standing, less while nothing happens
    and he wants more; WON or -WON, nearer to 0 the later, when it is decided for him."""
    if row[STATUS] == PLAYING and row[u(STATE + me)] == ACTIVE:
        strengths(rules, row, weights, work)
    return verdict(rules, row, weights, work, me, ply)


@kernel
def drawish(rules, row):
    """Whether the quiet turns are so many that they matter to a search."""
    return row[STATUS] == QUIET_DRAW or row[QUIET] + 16 >= rules[RULE_QUIET_LIMIT]
