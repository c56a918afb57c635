"""What is legal in Triplicity: moves, promotions, purchases, sacrifices, and the rule of jeopardy."""

from __future__ import annotations

from tercet.games.triplicity.kernels.layout import (
    ACTIVE,
    BISHOP,
    CELLS,
    DROP_MASKS,
    FELLED,
    HEIGHT,
    JEOPARDY_NO_SUCCESSIVE,
    JEOPARDY_TEXT,
    KING,
    KINGS,
    KNIGHT,
    MEN,
    PASS,
    PAWN,
    PAWN_RAYS,
    PENDING,
    PLAYING,
    PROMOTION_OF,
    PROMOTIONS,
    PURCHASES,
    QUEEN,
    RAYS,
    ROOK,
    RULE_JEOPARDY,
    SACRIFICES,
    SIZE,
    SPLIT,
    STATE,
    STATUS,
    TO,
    TOKENS,
    TURN,
    king_cell,
    price,
)
from tercet.kernel import kernel, lowest_bit, u


@kernel
def is_pawn_capture_ray(player, ray):
    """Whether a pawn of ``player`` captures along ``ray``: the two orthogonal ones that lower its coordinate."""
    return ray == 2 * player + 1 or ray == (2 * player + 2) % 6


@kernel
def attacked(rules, row, cell, by, vacated):
    """Whether a man of ``by`` could capture on ``cell`` at once. Men on the cell ``vacated`` (-1: none) do not count.

    Frozen and powerless men attack nothing. What stands on ``cell`` does not matter.
    """
    if row[u(STATE + by)] != ACTIVE:
        return False
    rays = RAYS + 13 * cell
    for ray in range(12):
        first = rules[u(rays + ray)]
        for path in range(first, rules[u(rays + ray + 1)]):
            at = rules[u(TO + path)]
            man = row[u(CELLS + at)]
            if man == 0 or at == vacated:
                continue
            if man >> 3 == by:
                kind = man & 7
                if kind == QUEEN or (kind == KING and path == first) or kind == (ROOK if ray < 6 else BISHOP):
                    return True
                if kind == PAWN and path == first and ray < 6 and is_pawn_capture_ray(by, (ray + 3) % 6):
                    return True
            break
    for path in range(rules[u(rays + 12)], rules[u(rays + 13)]):
        at = rules[u(TO + path)]
        if at != vacated and row[u(CELLS + at)] == 8 * by + KNIGHT:
            return True
    return False


@kernel
def may_take_king(rules, row, cell, target, kings_made):
    """Whether the rule of jeopardy lets the man on ``cell`` capture the king on ``target``; ``kings_made`` is 1 if the
    move promotes to a king. Presumes that the move is legal otherwise."""
    victim = row[u(CELLS + target)] >> 3
    if row[u(KINGS + victim)] > 1:
        return True
    if rules[RULE_JEOPARDY] == JEOPARDY_NO_SUCCESSIVE:
        return row[FELLED] == 0
    if rules[RULE_JEOPARDY] != JEOPARDY_TEXT:
        return True
    if row[STATE] != ACTIVE or row[STATE + 1] != ACTIVE or row[STATE + 2] != ACTIVE:
        return True
    me = row[TURN]
    if row[u(KINGS + me)] + kings_made > 1:
        return True
    home = target if row[u(CELLS + cell)] & 7 == KING else king_cell(rules, row, me)
    return not attacked(rules, row, home, 3 - me - victim, cell)


@kernel
def may_enter(rules, row, cell, target):
    """Whether the mover's man on ``cell``, which reaches ``target``, may end its move there without promoting."""
    standing = row[u(CELLS + target)]
    if standing == 0:
        return True
    if standing >> 3 == row[TURN]:
        return False
    return standing & 7 != KING or may_take_king(rules, row, cell, target, 0)


@kernel
def list_moves(rules, row, out):
    """List the mover's moves that do not promote; returns how many."""
    me = row[TURN]
    count = 0
    for word in range(2):
        men = row[u(MEN + 2 * me + word)]
        while men != 0:
            cell = lowest_bit(men) + SPLIT * word
            men &= men - 1
            kind = row[u(CELLS + cell)] & 7
            rays = RAYS + 13 * cell
            if kind == PAWN:
                for i in range(5):
                    ray = rules[u(PAWN_RAYS + 5 * me + i)]
                    path = rules[u(rays + ray)]
                    if path < rules[u(rays + ray + 1)]:
                        target = rules[u(TO + path)]
                        if (row[u(CELLS + target)] != 0) == (i < 2) and rules[u(HEIGHT + SIZE * me + target)] > 0:
                            out[u(count)] = path
                            count += 1 if may_enter(rules, row, cell, target) else 0
            elif kind == KNIGHT:
                for path in range(rules[u(rays + 12)], rules[u(rays + 13)]):
                    out[u(count)] = path
                    count += 1 if may_enter(rules, row, cell, rules[u(TO + path)]) else 0
            else:
                first = 6 if kind == BISHOP else 0
                last = 6 if kind == ROOK else 12
                for ray in range(first, last):
                    path = rules[u(rays + ray)]
                    end = rules[u(rays + ray + 1)]
                    if kind == KING and path < end:
                        end = path + 1
                    while path < end:
                        target = rules[u(TO + path)]
                        out[u(count)] = path
                        if row[u(CELLS + target)] != 0:
                            count += 1 if may_enter(rules, row, cell, target) else 0
                            break
                        count += 1
                        path += 1
    return count


@kernel
def may_promote(rules, row, cell, target, kind):
    """Whether the mover's pawn on ``cell``, reaching ``target`` on its promotion rank, may become ``kind`` there."""
    standing = row[u(CELLS + target)]
    return standing & 7 != KING or may_take_king(rules, row, cell, target, 1 if kind == KING else 0)


@kernel
def list_promotions(rules, row, out, count):
    """List the mover's promotions in ``out`` from entry ``count`` on; returns the new count."""
    me = row[TURN]
    for word in range(2):
        men = row[u(MEN + 2 * me + word)]
        while men != 0:
            cell = lowest_bit(men) + SPLIT * word
            men &= men - 1
            if rules[u(HEIGHT + SIZE * me + cell)] > 2 or row[u(CELLS + cell)] & 7 != PAWN:
                continue
            rays = RAYS + 13 * cell
            for i in range(5):
                ray = rules[u(PAWN_RAYS + 5 * me + i)]
                path = rules[u(rays + ray)]
                if path == rules[u(rays + ray + 1)]:
                    continue
                target = rules[u(TO + path)]
                standing = row[u(CELLS + target)]
                if (
                    rules[u(HEIGHT + SIZE * me + target)] > 0
                    or (standing != 0) != (i < 2)
                    or (standing != 0 and standing >> 3 == me)
                ):
                    continue
                action = PROMOTIONS + 5 * rules[u(PROMOTION_OF + path)]
                for kind in range(KNIGHT, KING + 1):
                    if may_promote(rules, row, cell, target, kind):
                        out[u(count)] = action + kind - KNIGHT
                        count += 1
    return count


@kernel
def open_to_purchase(rules, row, player, kind, word):
    """Cells (as a word of men) where ``player`` may put a man of ``kind`` that they buy: vacant, on the perimeter
    unless the option drops says anywhere, a pawn not on its promotion rank."""
    masks = DROP_MASKS + 4 * (player if kind == PAWN else 3) + 2 * word
    cells = rules[u(masks)] | (rules[u(masks + 1)] << 28)
    return cells & ~(row[u(MEN + word)] | row[u(MEN + 2 + word)] | row[u(MEN + 4 + word)])


@kernel
def list_purchases(rules, row, out, count):
    """List the mover's purchases in ``out`` from entry ``count`` on; returns the new count."""
    me = row[TURN]
    for kind in range(PAWN, KING + 1):
        if price(rules, row, me, kind) > row[u(TOKENS + me)]:
            continue
        for word in range(2):
            cells = open_to_purchase(rules, row, me, kind, word)
            base = PURCHASES + SIZE * (kind - 1) + SPLIT * word
            while cells != 0:
                out[u(count)] = base + lowest_bit(cells)
                cells &= cells - 1
                count += 1
    return count


@kernel
def may_sacrifice(rules, row, cell):
    """Whether the player at TURN may take their man on ``cell`` off to pay: any man but their last king."""
    man = row[u(CELLS + cell)]
    me = row[TURN]
    return man != 0 and man >> 3 == me and (man & 7 != KING or row[u(KINGS + me)] > 1)


@kernel
def list_sacrifices(rules, row, out):
    """List the men that the debtor may take off; returns how many."""
    me = row[TURN]
    count = 0
    for word in range(2):
        men = row[u(MEN + 2 * me + word)]
        while men != 0:
            cell = lowest_bit(men) + SPLIT * word
            men &= men - 1
            out[u(count)] = SACRIFICES + cell
            count += 1 if may_sacrifice(rules, row, cell) else 0
    return count


@kernel
def legal(rules, row, out):
    """List the legal actions in rising order in ``out``; returns how many."""
    if row[STATUS] != PLAYING:
        return 0
    if row[PENDING] != 0:
        return list_sacrifices(rules, row, out)
    count = list_moves(rules, row, out)
    count = list_promotions(rules, row, out, count)
    count = list_purchases(rules, row, out, count)
    if count == 0:
        out[0] = PASS
        return 1
    return count
