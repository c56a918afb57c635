"""What is legal in Triplicity (moves, promotions, purchases, sacrifices, the rule of jeopardy), and random actions.

Random actions are uniform without a list of them all. Every piece has *slots*, at least as many as it can have
actions, and each slot stands for at most one action. A slot or a purchase is drawn until it stands for a legal action,
so that every legal action is equally likely.
"""

from __future__ import annotations

from tercet.games.triplicity.kernels.layout import (
    ACTIVE,
    BISHOP,
    CELLS,
    DROP_MASKS,
    FELLED,
    FROM,
    HEIGHT,
    JEOPARDY_NO_SUCCESSIVE,
    JEOPARDY_TEXT,
    KING,
    KINGS,
    KNIGHT,
    MEN,
    PASS,
    PATHS,
    PAWN,
    PAWN_RAYS,
    PENDING,
    PLAYING,
    PROMOTION_OF,
    PROMOTION_PATH,
    PROMOTIONS,
    PURCHASES,
    QUEEN,
    RAY_OF,
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
    cell_bit,
    king_cell,
    men_word,
    price,
)
from tercet.kernel import branch_seed, kernel, lowest_bit, pick, popcount, u


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
