"""What a position of Triplicity is worth to each player, at a look.

A player's *strength* is a number of points (a pawn is about 100): his men, tokens, mobility, the safety of his kings
and men. Strengths become chances by ``2 ** (strength / SCALE)``, each player's share of their sum; a *standing* is the
logarithm of one player's odds in points, so that it can be added to and compared. The last king wins everything: the
stronger enemy matters more than the weaker, and one enemy less of two as strong is worth as much as ``SCALE``.

``weights`` (int32) are the points, as ``engine.WEIGHTS`` writes them. ``work`` (int64) is scratch memory: attacks and
the neighbourhood of kings as two words for each player (see ``kernels.layout``), then strengths.
"""

from __future__ import annotations

from tercet.games.triplicity.kernels import (
    ACTIVE,
    BISHOP,
    CELLS,
    HEIGHT,
    KING,
    KINGS,
    KNIGHT,
    LAST_PLAYER,
    MEN,
    PAWN,
    PAWN_RAYS,
    PENDING,
    PLAYING,
    QUEEN,
    QUIET,
    QUIET_DRAW,
    RAYS,
    ROOK,
    RULE_QUIET_LIMIT,
    SIZE,
    SPLIT,
    STATE,
    STATUS,
    TO,
    TOKENS,
    TURN,
    WINNER,
    actives,
    king_cell,
    next_active,
    open_to_purchase,
    price,
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
WEIGHTS = 44

# work
ATTACKS, ZONES, STRENGTHS = 0, 6, 12
WORK = 16

WON = 1_000_000
NEARLY = 900_000  # any standing beyond is the end of the game


@kernel
def reach_of(rules, row, cell, man, work):
    """Add the cells that the man on ``cell`` attacks, or would if an enemy stood there, to the attacks of his owner, a
    king's to the neighbourhood of his kings too; returns how many of them hold no man of his own."""
    player = man >> 3
    kind = man & 7
    rays = RAYS + 13 * cell
    low = 0
    high = 0
    if kind == PAWN:
        for i in range(2):
            ray = rules[u(PAWN_RAYS + 5 * player + i)]
            path = rules[u(rays + ray)]
            if path < rules[u(rays + ray + 1)]:
                at = rules[u(TO + path)]
                if at < SPLIT:
                    low |= 1 << at
                else:
                    high |= 1 << (at - SPLIT)
    elif kind == KNIGHT:
        for path in range(rules[u(rays + 12)], rules[u(rays + 13)]):
            at = rules[u(TO + path)]
            if at < SPLIT:
                low |= 1 << at
            else:
                high |= 1 << (at - SPLIT)
    else:
        last = 6 if kind == ROOK else 12
        for ray in range(6 if kind == BISHOP else 0, last):
            path = rules[u(rays + ray)]
            end = rules[u(rays + ray + 1)]
            if kind == KING and path < end:
                end = path + 1
            while path < end:
                at = rules[u(TO + path)]
                if at < SPLIT:
                    low |= 1 << at
                else:
                    high |= 1 << (at - SPLIT)
                if row[u(CELLS + at)] != 0:
                    break
                path += 1
    work[u(ATTACKS + 2 * player)] |= low
    work[u(ATTACKS + 2 * player + 1)] |= high
    if kind == KING:
        work[u(ZONES + 2 * player)] |= low
        work[u(ZONES + 2 * player + 1)] |= high
    return popcount(low & ~row[u(MEN + 2 * player)]) + popcount(high & ~row[u(MEN + 2 * player + 1)])


@kernel
def army(rules, row, weights, work, player, left):
    """Points of ``player``'s tokens and men, with ``left`` players left; notes what they attack."""
    total = weights[u(TOKEN + left - 1)] * row[u(TOKENS + player)]
    for word in range(2):
        men = row[u(MEN + 2 * player + word)]
        while men != 0:
            cell = lowest_bit(men) + SPLIT * word
            men &= men - 1
            man = row[u(CELLS + cell)]
            kind = man & 7
            total += weights[u(VALUE + kind)] + weights[u(MOBILITY + kind)] * reach_of(rules, row, cell, man, work)
            if kind == PAWN:
                total += weights[u(ADVANCE + rules[u(HEIGHT + SIZE * player + cell)])]
    return total


@kernel
def exposure(rules, row, player, enemy):
    """From how many vacant cells a queen that ``enemy`` buys, or the rook or bishop that he can afford, would attack
    ``player``'s first king."""
    queen = price(rules, row, enemy, QUEEN) <= row[u(TOKENS + enemy)]
    rook = price(rules, row, enemy, ROOK) <= row[u(TOKENS + enemy)]
    bishop = price(rules, row, enemy, BISHOP) <= row[u(TOKENS + enemy)]
    if not bishop:
        return 0
    cell = king_cell(rules, row, player)
    rays = RAYS + 13 * cell
    low = 0
    high = 0
    for ray in range(12):
        if not (queen or (rook and ray < 6) or ray >= 6):
            continue
        for path in range(rules[u(rays + ray)], rules[u(rays + ray + 1)]):
            at = rules[u(TO + path)]
            if row[u(CELLS + at)] != 0:
                break
            if at < SPLIT:
                low |= 1 << at
            else:
                high |= 1 << (at - SPLIT)
    low &= open_to_purchase(rules, row, enemy, QUEEN, 0)
    high &= open_to_purchase(rules, row, enemy, QUEEN, 1)
    return popcount(low) + popcount(high)


@kernel
def danger(rules, row, weights, work, player, enemy, enemy_first, total):
    """Points that ``player``, whose strength is ``total`` so far, loses by what ``enemy`` attacks; ``enemy_first`` says
    whether the enemy's turn comes before his."""
    lost = 0
    zone = popcount(work[u(ZONES + 2 * player)] & work[u(ATTACKS + 2 * enemy)])
    zone += popcount(work[u(ZONES + 2 * player + 1)] & work[u(ATTACKS + 2 * enemy + 1)])
    lost += weights[ZONE] * zone
    if weights[EXPOSED] != 0:
        lost += weights[EXPOSED] * exposure(rules, row, player, enemy)
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
    for i in range(WORK):
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
        for step in range(1, 3):
            enemy = (player + step) % 3
            if row[STATE + enemy] == ACTIVE:
                sooner = (enemy - first + 3) % 3 < (player - first + 3) % 3
                lost += danger(rules, row, weights, work, player, enemy, sooner, total)
        work[u(STRENGTHS + player)] = max(1, total - lost)


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
def worth(rules, row, weights, work, me, ply):
    """What the position, ``ply`` actions below the root, is worth to ``me``: his standing, less while nothing happens
    and he is ahead; WON or -WON, nearer to 0 the later, when it is decided for him."""
    if row[u(STATE + me)] != ACTIVE:
        return ply - WON
    if row[STATUS] == LAST_PLAYER:
        return WON - ply if row[WINNER] == me else ply - WON
    if row[STATUS] != PLAYING:
        return 0 if actives(rules, row) == 2 else -weights[SCALE]
    strengths(rules, row, weights, work)
    odds = standing(rules, row, weights, work, me)
    if odds > 0:
        odds -= odds * row[QUIET] // (2 * rules[RULE_QUIET_LIMIT])
    return odds


@kernel
def drawish(rules, row):
    """Whether the quiet turns are so many that they matter to a search."""
    return row[STATUS] == QUIET_DRAW or row[QUIET] + 16 >= rules[RULE_QUIET_LIMIT]
