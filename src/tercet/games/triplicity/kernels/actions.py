"""One action of Triplicity: whether it is legal, and where it starts and ends."""

from __future__ import annotations

from tercet.games.triplicity.kernels.layout import (
    BISHOP,
    CELLS,
    FROM,
    HEIGHT,
    KING,
    KNIGHT,
    PASS,
    PATHS,
    PAWN,
    PAWN_RAYS,
    PENDING,
    PLAYING,
    PROMOTION_PATH,
    PROMOTIONS,
    PURCHASES,
    RAY_OF,
    RAYS,
    ROOK,
    SACRIFICES,
    SIZE,
    STATUS,
    TO,
    TOKENS,
    TURN,
    cell_bit,
    men_word,
    price,
)
from tercet.games.triplicity.kernels.moves import may_promote, may_sacrifice, may_take_king, open_to_purchase
from tercet.kernel import kernel, u


@kernel
def reaches(rules, row, path):
    """Whether the man at the beginning of ``path``, of any owner, may go along it as far as the way and the men on it
    matter: the right kind of man, nothing in between, at its end nothing or, for a capture, another owner's man."""
    cell = rules[u(FROM + path)]
    man = row[u(CELLS + cell)]
    if man == 0:
        return False
    player = man >> 3
    kind = man & 7
    standing = row[u(CELLS + rules[u(TO + path)])]
    if standing != 0 and standing >> 3 == player:
        return False
    ray = rules[u(RAY_OF + path)]
    if kind == KNIGHT or ray == 12:
        return kind == KNIGHT and ray == 12
    first = rules[u(RAYS + 13 * cell + ray)]
    if kind == KING:
        return path == first
    if kind == PAWN:
        if path != first:
            return False
        for i in range(5):
            if rules[u(PAWN_RAYS + 5 * player + i)] == ray:
                return (standing != 0) == (i < 2)
        return False
    if (kind == ROOK and ray >= 6) or (kind == BISHOP and ray < 6):
        return False
    at = first
    while at < path and row[u(CELLS + rules[u(TO + at)])] == 0:
        at += 1
    return at == path


@kernel
def can_act(rules, row):
    """Whether the mover has a move or a purchase."""
    me = row[TURN]
    for kind in range(PAWN, KNIGHT + 1):  # where a dearer man could be put, so could a knight
        if price(rules, row, me, kind) <= row[u(TOKENS + me)]:
            for word in range(2):
                if open_to_purchase(rules, row, me, kind, word) != 0:
                    return True
    for path in range(PATHS):
        man = row[u(CELLS + rules[u(FROM + path)])]
        if man != 0 and man >> 3 == me and reaches(rules, row, path):
            kings_made = 1 if man & 7 == PAWN and promotes(rules, me, path) else 0
            standing = row[u(CELLS + rules[u(TO + path)])]
            if standing & 7 != KING or may_take_king(
                rules, row, rules[u(FROM + path)], rules[u(TO + path)], kings_made
            ):
                return True
    return False


@kernel
def promotes(rules, player, path):
    """Whether ``path`` ends on ``player``'s promotion rank."""
    return rules[u(HEIGHT + SIZE * player + rules[u(TO + path)])] == 0


@kernel
def allows(rules, row, action):
    """Whether ``action`` (within the action space) is legal."""
    if row[STATUS] != PLAYING:
        return False
    if row[PENDING] != 0:
        return SACRIFICES <= action < PASS and may_sacrifice(rules, row, action - SACRIFICES)
    me = row[TURN]
    if action < PURCHASES:
        path = action
        kind = 0
        if action >= PROMOTIONS:
            number = (action - PROMOTIONS) // 5
            path = rules[u(PROMOTION_PATH + number)]
            kind = KNIGHT + action - PROMOTIONS - 5 * number
        cell = rules[u(FROM + path)]
        target = rules[u(TO + path)]
        man = row[u(CELLS + cell)]
        if man == 0 or man >> 3 != me or not reaches(rules, row, path):
            return False
        if (man & 7 == PAWN and promotes(rules, me, path)) != (kind != 0):
            return False
        return may_promote(rules, row, cell, target, kind)
    if action < SACRIFICES:
        kind = (action - PURCHASES) // SIZE + 1
        cell = action - PURCHASES - SIZE * (kind - 1)
        if price(rules, row, me, kind) > row[u(TOKENS + me)]:
            return False
        return open_to_purchase(rules, row, me, kind, men_word(cell)) & cell_bit(cell) != 0
    return action == PASS and not can_act(rules, row)


@kernel
def source(rules, action):
    """The cell that a move or promotion starts from; -1 for other actions."""
    if action < PROMOTIONS:
        return rules[u(FROM + action)]
    if action < PURCHASES:
        return rules[u(FROM + rules[u(PROMOTION_PATH + (action - PROMOTIONS) // 5)])]
    return -1


@kernel
def target(rules, action):
    """The cell that an action ends on: where the man goes, is put, or stood; -1 for a pass."""
    if action < PROMOTIONS:
        return rules[u(TO + action)]
    if action < PURCHASES:
        return rules[u(TO + rules[u(PROMOTION_PATH + (action - PROMOTIONS) // 5)])]
    if action < SACRIFICES:
        return (action - PURCHASES) % SIZE
    return action - SACRIFICES if action < PASS else -1


@kernel
def becomes(rules, action):
    """The kind of man that a promotion or a purchase brings; 0 for other actions."""
    if action < PROMOTIONS or action >= SACRIFICES:
        return 0
    if action < PURCHASES:
        return KNIGHT + (action - PROMOTIONS) % 5
    return (action - PURCHASES) // SIZE + 1
