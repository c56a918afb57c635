"""What the men on Triplicity's board attack, as words of cells, and what a king sees of it.

``work`` (int64) is scratch memory: by player two words each (see ``kernels.layout``) of the cells that his men attack
(ATTACKS), of the neighbourhood of his kings (ZONES), and of what his pawns, his knights and bishops, and his rooks
attack (LESSER, player by player for each of the three); room for strengths; four words of what a king sees (VIEWS);
EACH numbers of each player for ``correction`` (SEEN); then what never changes: whether that is written (READY), and the
cells that pawns, knights and kings attack (LEAPS).
"""

from __future__ import annotations

from tercet.games.triplicity.kernels.layout import (
    BISHOP,
    CELLS,
    KING,
    KNIGHT,
    MEN,
    PAWN,
    PAWN_RAYS,
    QUEEN,
    RAYS,
    ROOK,
    SIZE,
    SPLIT,
    TO,
    TOKENS,
    cell_bit,
    king_cell,
    men_word,
    price,
)
from tercet.games.triplicity.kernels.moves import open_to_purchase
from tercet.kernel import kernel, popcount, u

# What is SEEN of each player: how many men of each kind; his tokens; how many cells his men of each kind may go to; his
# pawns by their way to promotion (up to 2, 3, 4, 5 or 6); what the next enemy threatens, then what the one after him
# does (see below); and how his kings and men stand (see ``correction.see_army``).
NUMBERS, HOARD, REACH, NEAR, THREATS, STAND = 0, 6, 7, 13, 17, 33
EACH = STAND + 7
# What an enemy threatens: how many cells about kings he attacks; of those that the first king sees; from how many a man
# that he can buy would attack it; whether he attacks the last king; what the guarded men are worth that he attacks, and
# those of them whom he would take with a lesser man; what all others are worth, and the dearest
IN_ZONE, IN_VIEW, PLACES, CHECK, HIT_GUARDED, HIT_DEARER, HIT_LOOSE, DEAREST = 0, 1, 2, 3, 4, 5, 6, 7
THREAT = 8
ATTACKS, ZONES, STRENGTHS, VIEWS, LESSER, SEEN = 0, 6, 12, 15, 19, 37
READY = SEEN + 3 * EACH
LEAPS = READY + 1
KNIGHTS, ROYALS = 3, 4  # tables of leaps, after those of each player's pawns
WORK = LEAPS + 5 * 2 * SIZE


@kernel
def note_leap(rules, work, table, cell, path):
    """Add the end of ``path`` to the cells that ``table`` has for ``cell``."""
    at = rules[u(TO + path)]
    work[u(LEAPS + 2 * (SIZE * table + cell) + men_word(at))] |= cell_bit(at)


@kernel
def prepare(rules, work):
    """Write to ``work`` which cells pawns of each player, knights and kings attack from each cell."""
    for i in range(LEAPS, WORK):
        work[u(i)] = 0
    for cell in range(SIZE):
        rays = RAYS + 13 * cell
        for player in range(3):
            for i in range(2):
                ray = rules[u(PAWN_RAYS + 5 * player + i)]
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
    """Add the cells that the man on ``cell`` attacks, or would if an enemy stood there, to the attacks of his owner, a
    king's to the neighbourhood of his kings too; returns how many of them hold no man of his own."""
    player = man >> 3
    kind = man & 7
    low = 0
    high = 0
    if kind <= KNIGHT or kind == KING:
        table = KNIGHTS if kind == KNIGHT else ROYALS if kind == KING else player
        place = u(LEAPS + 2 * (SIZE * table + cell))
        low = work[place]
        high = work[place + 1]
        if kind == KING:
            work[u(ZONES + 2 * player)] |= low
            work[u(ZONES + 2 * player + 1)] |= high
    else:
        rays = RAYS + 13 * cell
        path = rules[u(rays + (6 if kind == BISHOP else 0))]
        for ray in range(6 if kind == BISHOP else 0, 6 if kind == ROOK else 12):
            end = rules[u(rays + ray + 1)]
            while path < end:
                at = rules[u(TO + path)]
                if at < SPLIT:
                    low |= 1 << at
                else:
                    high |= 1 << (at - SPLIT)
                if row[u(CELLS + at)] != 0:
                    break
                path += 1
            path = end
    work[u(ATTACKS + 2 * player)] |= low
    work[u(ATTACKS + 2 * player + 1)] |= high
    if kind <= ROOK:
        place = u(LESSER + 2 * player + (0 if kind == PAWN else 6 if kind <= BISHOP else 12))
        work[place] |= low
        work[place + 1] |= high
    return popcount(low & ~row[u(MEN + 2 * player)]) + popcount(high & ~row[u(MEN + 2 * player + 1)])


@kernel
def look_out(rules, row, work, player):
    """Write to ``work`` the vacant cells open to purchase that ``player``'s first king sees along rays: orthogonal
    ones, then diagonal ones."""
    for i in range(VIEWS, VIEWS + 4):
        work[u(i)] = 0
    rays = RAYS + 13 * king_cell(rules, row, player)
    for ray in range(12):
        low = 0
        high = 0
        for path in range(rules[u(rays + ray)], rules[u(rays + ray + 1)]):
            at = rules[u(TO + path)]
            if row[u(CELLS + at)] != 0:
                break
            if at < SPLIT:
                low |= 1 << at
            else:
                high |= 1 << (at - SPLIT)
        place = VIEWS if ray < 6 else VIEWS + 2
        work[u(place)] |= low
        work[u(place + 1)] |= high
    low = open_to_purchase(rules, row, player, QUEEN, 0)
    high = open_to_purchase(rules, row, player, QUEEN, 1)
    work[VIEWS] &= low
    work[VIEWS + 1] &= high
    work[VIEWS + 2] &= low
    work[VIEWS + 3] &= high


@kernel
def exposure(rules, row, work, player, enemy):
    """From how many vacant cells a queen that ``enemy`` buys, or the rook or bishop that he can afford, would attack
    ``player``'s first king, as `look_out` has seen."""
    hoard = row[u(TOKENS + enemy)]
    count = 0
    if price(rules, row, enemy, BISHOP) <= hoard:
        count += popcount(work[VIEWS + 2]) + popcount(work[VIEWS + 3])
    if price(rules, row, enemy, ROOK) <= hoard:
        count += popcount(work[VIEWS]) + popcount(work[VIEWS + 1])
    return count
