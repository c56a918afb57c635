"""What a position of Triplicity is worth to each player, without a search.

A player's *strength* is a number of points (a pawn is about 100): men, tokens, mobility, the safety of kings and men.
Strengths become chances by ``2 ** (strength / SCALE)``, each player's share of their sum. A *standing* is the logarithm
of one player's odds in points, so that it can be added to and compared. The last king wins everything: the stronger
enemy matters more than the weaker, and one enemy less of two as strong is worth as much as ``SCALE``. Under the option
points, `with_second` changes a standing, and the second's end is worth a quarter of the point. A game that ends with
the first king is judged like any other: the strong are likely to take it.

``weights`` (int32) are the points, as ``planner.WEIGHTS`` writes them. ``work`` (int64) is scratch memory: attacks and
the neighbourhood of kings as two words for each player (see ``kernels.layout``), strengths, and what a king sees.
Behind these stand entries that never change: whether they are written, and the cells that pawns, knights and kings
attack.
"""

from tercet.games.triplicity.kernels import is_won, layout, next_active, share_of_loser
from tercet.games.triplicity.kernels.layout import actives, cell_bit, king_cell, men_word, price
from tercet.games.triplicity.kernels.moves import open_to_purchase
from tercet.kernel import kernel, lowest_bit, popcount, u

# weights
VALUE = 0  # of each kind
MOBILITY = 8  # for each cell that a man of each kind attacks or may go to
TOKEN = 16  # with one, two, three players left
SCALE = 20
ZONE = 21  # for each cell about a king that an enemy attacks
EXPOSED = 22  # for each cell where a bought man would attack the last king
DOOMED = 23  # in 64ths of the strength: the last king can be taken before its owner moves
CHECKED = 24  # the last king is attacked, but its owner moves first
LOOSE_SOON = 25  # in 64ths of the value: attacked, not defended, an enemy moves first
LOOSE_LATER = 26  # the same, but the owner moves first
HIT = 27  # attacked and defended
DRAWN = 28  # a draw is worth so much less than its share
PLACED = 29  # of each player's men of each kind, from pawn on, by their cells
WEIGHTS = PLACED + 3 * layout.KING * layout.SIZE

# work
ATTACKS, ZONES, STRENGTHS, VIEWS, READY, LEAPS = 0, 6, 12, 15, 19, 20
KNIGHTS, ROYALS = 3, 4  # tables of leaps, after those of each player's pawns
WORK = LEAPS + 5 * 2 * layout.SIZE

WON = 1_000_000
NEARLY = 900_000  # any standing beyond is the end of the game


@kernel
def note_leap(rules, work, table, cell, path):
    """Add the end of ``path`` to the cells that ``table`` has for ``cell``."""
    at = rules[u(layout.TO + path)]
    work[u(LEAPS + 2 * (layout.SIZE * table + cell) + men_word(at))] |= cell_bit(at)


@kernel
def prepare(rules, work):
    """Write to ``work`` which cells pawns of each player, knights and kings attack from each cell."""
    for i in range(LEAPS, WORK):
        work[u(i)] = 0
    for cell in range(layout.SIZE):
        rays = layout.RAYS + 13 * cell
        for player in range(3):
            for i in range(2):
                ray = rules[u(layout.PAWN_RAYS + 5 * player + i)]
                if rules[u(rays + ray)] < rules[u(rays + ray + 1)]:
                    note_leap(rules, work, player, cell, rules[u(rays + ray)])
        for path in range(rules[u(rays + 12)], rules[u(rays + 13)]):
            note_leap(rules, work, KNIGHTS, cell, path)
        for ray in range(12):
            if rules[u(rays + ray)] < rules[u(rays + ray + 1)]:
                note_leap(rules, work, ROYALS, cell, rules[u(rays + ray)])
    work[READY] = 1


@kernel
def reach_of(rules, row, cell, man, work):
    """Add the cells that the man on ``cell`` attacks, or would if an enemy stood there, to the attacks of its owner; a
    king's also to the neighbourhood of the owner's kings. Return how many of them hold no man of the owner."""
    player = man >> 3
    kind = man & 7
    low = 0
    high = 0
    if kind <= layout.KNIGHT or kind == layout.KING:
        table = KNIGHTS if kind == layout.KNIGHT else ROYALS if kind == layout.KING else player
        place = u(LEAPS + 2 * (layout.SIZE * table + cell))
        low = work[place]
        high = work[place + 1]
        if kind == layout.KING:
            work[u(ZONES + 2 * player)] |= low
            work[u(ZONES + 2 * player + 1)] |= high
    else:
        rays = layout.RAYS + 13 * cell
        path = rules[u(rays + (6 if kind == layout.BISHOP else 0))]
        for ray in range(6 if kind == layout.BISHOP else 0, 6 if kind == layout.ROOK else 12):
            end = rules[u(rays + ray + 1)]
            while path < end:
                at = rules[u(layout.TO + path)]
                if at < layout.SPLIT:
                    low |= 1 << at
                else:
                    high |= 1 << (at - layout.SPLIT)
                if row[u(layout.CELLS + at)] != 0:
                    break
                path += 1
            path = end
    work[u(ATTACKS + 2 * player)] |= low
    work[u(ATTACKS + 2 * player + 1)] |= high
    return popcount(low & ~row[u(layout.MEN + 2 * player)]) + popcount(high & ~row[u(layout.MEN + 2 * player + 1)])


@kernel
def army(rules, row, weights, work, player, left):
    """Return the points of ``player``'s tokens and men, with ``left`` players left. Note what the men attack."""
    total = weights[u(TOKEN + left - 1)] * row[u(layout.TOKENS + player)]
    for word in range(2):
        men = row[u(layout.MEN + 2 * player + word)]
        while men != 0:
            cell = lowest_bit(men) + layout.SPLIT * word
            men &= men - 1
            man = row[u(layout.CELLS + cell)]
            kind = man & 7
            total += weights[u(VALUE + kind)] + weights[u(MOBILITY + kind)] * reach_of(rules, row, cell, man, work)
            total += weights[u(PLACED + layout.SIZE * (layout.KING * player + kind - 1) + cell)]
    return total


@kernel
def look_out(rules, row, work, player):
    """Write to ``work`` the vacant cells that ``player``'s first king sees along rays: orthogonal, then diagonal."""
    for i in range(VIEWS, VIEWS + 4):
        work[u(i)] = 0
    rays = layout.RAYS + 13 * king_cell(rules, row, player)
    for ray in range(12):
        low = 0
        high = 0
        for path in range(rules[u(rays + ray)], rules[u(rays + ray + 1)]):
            at = rules[u(layout.TO + path)]
            if row[u(layout.CELLS + at)] != 0:
                break
            if at < layout.SPLIT:
                low |= 1 << at
            else:
                high |= 1 << (at - layout.SPLIT)
        place = VIEWS if ray < 6 else VIEWS + 2
        work[u(place)] |= low
        work[u(place + 1)] |= high


@kernel
def exposure(rules, row, work, player, enemy):
    """Return from how many vacant cells the best man that ``enemy`` can afford (queen, rook or bishop) would attack
    ``player``'s first king, as `look_out` has seen."""
    hoard = row[u(layout.TOKENS + enemy)]
    count = 0
    if price(rules, row, enemy, layout.BISHOP) <= hoard:
        low = open_to_purchase(rules, row, enemy, layout.QUEEN, 0)
        high = open_to_purchase(rules, row, enemy, layout.QUEEN, 1)
        count += popcount(work[VIEWS + 2] & low) + popcount(work[VIEWS + 3] & high)
        if price(rules, row, enemy, layout.ROOK) <= hoard:
            count += popcount(work[VIEWS] & low) + popcount(work[VIEWS + 1] & high)
    return count


@kernel
def danger(rules, row, weights, work, player, enemy, enemy_first, total):
    """Return the points that ``player``, whose strength is ``total`` so far, loses by what ``enemy`` attacks;
    ``enemy_first`` says whether the enemy's turn comes first."""
    lost = 0
    zone = popcount(work[u(ZONES + 2 * player)] & work[u(ATTACKS + 2 * enemy)])
    zone += popcount(work[u(ZONES + 2 * player + 1)] & work[u(ATTACKS + 2 * enemy + 1)])
    lost += weights[ZONE] * zone
    if weights[EXPOSED] != 0:
        lost += weights[EXPOSED] * exposure(rules, row, work, player, enemy)
    for word in range(2):
        hit = row[u(layout.MEN + 2 * player + word)] & work[u(ATTACKS + 2 * enemy + word)]
        guarded = work[u(ATTACKS + 2 * player + word)]
        while hit != 0:
            bit = hit & -hit
            cell = lowest_bit(hit) + layout.SPLIT * word
            hit ^= bit
            kind = row[u(layout.CELLS + cell)] & 7
            if kind == layout.KING and row[u(layout.KINGS + player)] == 1:
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
        if row[layout.STATE + player] == layout.ACTIVE:
            work[u(STRENGTHS + player)] = army(rules, row, weights, work, player, left)
    first = row[layout.TURN]
    if row[layout.PENDING] != 0:
        first = next_active(rules, row, row[layout.PENDING] - 1)
    for player in range(3):
        if row[layout.STATE + player] != layout.ACTIVE:
            continue
        total = work[u(STRENGTHS + player)]
        lost = 0
        if weights[EXPOSED] != 0:
            look_out(rules, row, work, player)
        for step in range(1, 3):
            enemy = (player + step) % 3
            if row[layout.STATE + enemy] == layout.ACTIVE:
                sooner = (enemy - first + 3) % 3 < (player - first + 3) % 3
                lost += danger(rules, row, weights, work, player, enemy, sooner, total)
        work[u(STRENGTHS + player)] = max(1, total - lost)


@kernel
def softly(scale, gap):
    """Return ``scale * log2(1 + 2 ** (-gap / scale))`` by straight lines: what a second enemy, weaker by ``gap``,
    adds."""
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
    """Return the logarithm of ``me``'s odds, in points, from the strengths in ``work``. ``me`` must be in the game."""
    strongest = -1
    weakest = -1
    for player in range(3):
        if player != me and row[layout.STATE + player] == layout.ACTIVE:
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
def with_second(rules, row, weights, work, me, odds):
    """Return what a standing of ``odds`` is worth where the second has a quarter of the point and the winner the rest:
    less to a leader, and more to who may yet be second. Two players left share half of the point beside a quarter
    each."""
    scale = weights[SCALE]
    if actives(rules, row) == 2:
        size = max(odds, -odds)
        size = size // 2 if size < 2 * scale else scale + (size - 2 * scale) // 16
        return size if odds > 0 else max(-size, -2 * scale)
    if odds > 0:
        return odds // 2
    mine = work[u(STRENGTHS + me)]
    one = work[u(STRENGTHS + (me + 1) % 3)]
    other = work[u(STRENGTHS + (me + 2) % 3)]
    return odds + max(0, max(one, other) - max(mine, min(one, other))) // 3


@kernel
def worth(rules, row, weights, work, me, ply):
    """Return what the position, ``ply`` actions below the root, is worth to ``me``. That is their standing, and less
    while nothing happens and they want more. If the game is decided for them, it is WON or -WON, nearer to 0 the
    later."""
    if row[layout.WINNER] == me:
        return WON - ply
    if is_won(row) and rules[layout.RULE_SECOND] != 0 and share_of_loser(row, me) > 0.2:
        return ply - 2 * weights[SCALE] - 64  # a quarter of the point, below any position of two players
    if is_won(row) or row[u(layout.STATE + me)] != layout.ACTIVE:
        return ply - WON
    drawn = -weights[DRAWN]
    if actives(rules, row) == 3:
        drawn -= weights[SCALE]
    if row[layout.STATUS] != layout.PLAYING:
        return drawn
    strengths(rules, row, weights, work)
    odds = standing(rules, row, weights, work, me)
    if rules[layout.RULE_SECOND] != 0:
        odds = with_second(rules, row, weights, work, me, odds)
    if weights[DRAWN] == 0:  # who does not mind a draw only tires of being ahead
        drawn = 0
    if odds > drawn:
        odds -= (odds - drawn) * row[layout.QUIET] // (2 * rules[layout.RULE_QUIET_LIMIT])
    return odds


@kernel
def drawish(rules, row):
    """Whether the quiet turns are so many that they matter to a search."""
    return row[layout.STATUS] == layout.QUIET_DRAW or row[layout.QUIET] + 16 >= rules[layout.RULE_QUIET_LIMIT]
