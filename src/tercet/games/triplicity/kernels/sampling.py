"""Uniformly random legal actions, without listing them all: for playouts.

Every man has *slots*, at least as many as it can have actions, each standing for at most one action. A slot or a
purchase is drawn until it stands for a legal action: so every legal action is equally likely.
"""

from __future__ import annotations

from tercet.games.triplicity.kernels.actions import reaches
from tercet.games.triplicity.kernels.layout import (
    BISHOP,
    CELLS,
    HEIGHT,
    KING,
    KNIGHT,
    MEN,
    PAWN,
    PAWN_RAYS,
    PENDING,
    PROMOTION_OF,
    PROMOTIONS,
    PURCHASES,
    RAYS,
    ROOK,
    SIZE,
    SPLIT,
    TO,
    TOKENS,
    TURN,
    price,
)
from tercet.games.triplicity.kernels.moves import legal, may_promote, open_to_purchase
from tercet.kernel import branch_seed, kernel, lowest_bit, pick, popcount, u

TRIALS = 40  # then the actions are listed after all: there may be none but a pass


@kernel
def slots(rules, row, cell):
    """How many slots the mover's man on ``cell`` has."""
    kind = row[u(CELLS + cell)] & 7
    if kind == PAWN:
        return 25 if rules[u(HEIGHT + SIZE * row[TURN] + cell)] <= 2 else 5
    if kind in (KNIGHT, KING):
        return 12
    rays = RAYS + 13 * cell
    return rules[u(rays + (6 if kind == ROOK else 12))] - rules[u(rays + (6 if kind == BISHOP else 0))]


@kernel
def action_in(rules, row, cell, slot):
    """The legal action of a slot of the mover's man on ``cell``; -1 where it stands for none."""
    kind = row[u(CELLS + cell)] & 7
    me = row[TURN]
    rays = RAYS + 13 * cell
    brings = KNIGHT
    if kind == PAWN:
        way = slot
        if rules[u(HEIGHT + SIZE * me + cell)] <= 2:
            way = slot // 5
            brings = KNIGHT + slot - 5 * way
        ray = rules[u(PAWN_RAYS + 5 * me + way)]
        path = rules[u(rays + ray)]
        if path == rules[u(rays + ray + 1)]:
            return -1
    elif kind == KNIGHT:
        path = rules[u(rays + 12)] + slot
        if path >= rules[u(rays + 13)]:
            return -1
    elif kind == KING:
        path = rules[u(rays + slot)]
        if path == rules[u(rays + slot + 1)]:
            return -1
    else:
        path = rules[u(rays + (6 if kind == BISHOP else 0))] + slot
    if not reaches(rules, row, path):
        return -1
    goal = rules[u(TO + path)]
    if kind == PAWN and rules[u(HEIGHT + SIZE * me + goal)] == 0:
        if not may_promote(rules, row, cell, goal, brings):
            return -1
        return PROMOTIONS + 5 * rules[u(PROMOTION_OF + path)] + brings - KNIGHT
    if brings != KNIGHT or not may_promote(rules, row, cell, goal, 0):
        return -1
    return path


@kernel
def purchase_in(rules, row, number):
    """The mover's purchase number ``number``, or, where there are not so many, less than 0: -1 less their number."""
    me = row[TURN]
    count = 0
    for kind in range(PAWN, KING + 1):
        if price(rules, row, me, kind) > row[u(TOKENS + me)]:
            break
        for word in range(2):
            cells = open_to_purchase(rules, row, me, kind, word)
            here = popcount(cells)
            if number < count + here:
                for _ in range(number - count):
                    cells &= cells - 1
                return PURCHASES + SIZE * (kind - 1) + SPLIT * word + lowest_bit(cells)
            count += here
    return -1 - count


@kernel
def open_sampler(rules, row, scratch):
    """Nothing to prepare: `sample` writes what it needs to ``scratch`` each time."""
    scratch[0] = 0


@kernel
def sample(rules, row, state, scratch):
    """A uniformly random legal action of a game going on; ``state`` is a random state."""
    if row[PENDING] != 0:
        return scratch[u(pick(state, legal(rules, row, scratch)))]
    me = row[TURN]
    purchases = -1 - purchase_in(rules, row, 1 << 20)
    total = purchases
    count = 0
    for word in range(2):
        men = row[u(MEN + 2 * me + word)]
        while men != 0:
            cell = lowest_bit(men) + SPLIT * word
            men &= men - 1
            scratch[u(2 * count)] = total
            scratch[u(2 * count + 1)] = cell
            total += slots(rules, row, cell)
            count += 1
    for _ in range(TRIALS):
        number = pick(state, total)
        state = branch_seed(state)
        if number < purchases:
            return purchase_in(rules, row, number)
        man = count - 1
        while scratch[u(2 * man)] > number:
            man -= 1
        action = action_in(rules, row, scratch[u(2 * man + 1)], number - scratch[u(2 * man)])
        if action >= 0:
            return action
    return scratch[u(pick(state, legal(rules, row, scratch)))]
