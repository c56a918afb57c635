"""What is legal in Triplicity (moves, promotions, purchases, sacrifices, the rule of jeopardy), and random actions.

Random actions are uniform without a list of them all. Every piece has *slots*, at least as many as it can have
actions, and each slot stands for at most one action. A slot or a purchase is drawn until it stands for a legal action,
so that every legal action is equally likely.
"""

from tercet.games.triplicity.kernels import layout
from tercet.games.triplicity.kernels.layout import cell_bit, king_cell, men_word, price
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
    if row[u(layout.STATE + by)] != layout.ACTIVE:
        return False
    rays = layout.RAYS + 13 * cell
    for ray in range(12):
        first = rules[u(rays + ray)]
        for path in range(first, rules[u(rays + ray + 1)]):
            at = rules[u(layout.TO + path)]
            man = row[u(layout.CELLS + at)]
            if man == 0 or at == vacated:
                continue
            if man >> 3 == by:
                kind = man & 7
                if (
                    kind == layout.QUEEN
                    or (kind == layout.KING and path == first)
                    or kind == (layout.ROOK if ray < 6 else layout.BISHOP)
                ):
                    return True
                if kind == layout.PAWN and path == first and ray < 6 and is_pawn_capture_ray(by, (ray + 3) % 6):
                    return True
            break
    for path in range(rules[u(rays + 12)], rules[u(rays + 13)]):
        at = rules[u(layout.TO + path)]
        if at != vacated and row[u(layout.CELLS + at)] == 8 * by + layout.KNIGHT:
            return True
    return False


@kernel
def may_take_king(rules, row, cell, target, kings_made):
    """Whether the rule of jeopardy lets the man on ``cell`` capture the king on ``target``; ``kings_made`` is 1 if the
    move promotes to a king. Presumes that the move is legal otherwise."""
    victim = row[u(layout.CELLS + target)] >> 3
    if row[u(layout.KINGS + victim)] > 1:
        return True
    if rules[layout.RULE_JEOPARDY] == layout.JEOPARDY_NO_SUCCESSIVE:
        return row[layout.FELLED] == 0
    if rules[layout.RULE_JEOPARDY] != layout.JEOPARDY_TEXT:
        return True
    if (
        row[layout.STATE] != layout.ACTIVE
        or row[layout.STATE + 1] != layout.ACTIVE
        or row[layout.STATE + 2] != layout.ACTIVE
    ):
        return True
    me = row[layout.TURN]
    if row[u(layout.KINGS + me)] + kings_made > 1:
        return True
    home = target if row[u(layout.CELLS + cell)] & 7 == layout.KING else king_cell(rules, row, me)
    return not attacked(rules, row, home, 3 - me - victim, cell)


@kernel
def may_enter(rules, row, cell, target):
    """Whether the mover's man on ``cell``, which reaches ``target``, may end its move there without promoting."""
    standing = row[u(layout.CELLS + target)]
    if standing == 0:
        return True
    if standing >> 3 == row[layout.TURN]:
        return False
    return standing & 7 != layout.KING or may_take_king(rules, row, cell, target, 0)


@kernel
def list_moves(rules, row, out):
    """List the mover's moves that do not promote; returns how many."""
    me = row[layout.TURN]
    count = 0
    for word in range(2):
        men = row[u(layout.MEN + 2 * me + word)]
        while men != 0:
            cell = lowest_bit(men) + layout.SPLIT * word
            men &= men - 1
            kind = row[u(layout.CELLS + cell)] & 7
            rays = layout.RAYS + 13 * cell
            if kind == layout.PAWN:
                for i in range(5):
                    ray = rules[u(layout.PAWN_RAYS + 5 * me + i)]
                    path = rules[u(rays + ray)]
                    if path < rules[u(rays + ray + 1)]:
                        target = rules[u(layout.TO + path)]
                        if (row[u(layout.CELLS + target)] != 0) == (i < 2) and rules[
                            u(layout.HEIGHT + layout.SIZE * me + target)
                        ] > 0:
                            out[u(count)] = path
                            count += 1 if may_enter(rules, row, cell, target) else 0
            elif kind == layout.KNIGHT:
                for path in range(rules[u(rays + 12)], rules[u(rays + 13)]):
                    out[u(count)] = path
                    count += 1 if may_enter(rules, row, cell, rules[u(layout.TO + path)]) else 0
            else:
                first = 6 if kind == layout.BISHOP else 0
                last = 6 if kind == layout.ROOK else 12
                for ray in range(first, last):
                    path = rules[u(rays + ray)]
                    end = rules[u(rays + ray + 1)]
                    if kind == layout.KING and path < end:
                        end = path + 1
                    while path < end:
                        target = rules[u(layout.TO + path)]
                        out[u(count)] = path
                        if row[u(layout.CELLS + target)] != 0:
                            count += 1 if may_enter(rules, row, cell, target) else 0
                            break
                        count += 1
                        path += 1
    return count


@kernel
def may_promote(rules, row, cell, target, kind):
    """Whether the mover's pawn on ``cell``, reaching ``target`` on its promotion rank, may become ``kind`` there."""
    standing = row[u(layout.CELLS + target)]
    return standing & 7 != layout.KING or may_take_king(rules, row, cell, target, 1 if kind == layout.KING else 0)


@kernel
def list_promotions(rules, row, out, count):
    """List the mover's promotions in ``out`` from entry ``count`` on; returns the new count."""
    me = row[layout.TURN]
    for word in range(2):
        men = row[u(layout.MEN + 2 * me + word)]
        while men != 0:
            cell = lowest_bit(men) + layout.SPLIT * word
            men &= men - 1
            if rules[u(layout.HEIGHT + layout.SIZE * me + cell)] > 2 or row[u(layout.CELLS + cell)] & 7 != layout.PAWN:
                continue
            rays = layout.RAYS + 13 * cell
            for i in range(5):
                ray = rules[u(layout.PAWN_RAYS + 5 * me + i)]
                path = rules[u(rays + ray)]
                if path == rules[u(rays + ray + 1)]:
                    continue
                target = rules[u(layout.TO + path)]
                standing = row[u(layout.CELLS + target)]
                if (
                    rules[u(layout.HEIGHT + layout.SIZE * me + target)] > 0
                    or (standing != 0) != (i < 2)
                    or (standing != 0 and standing >> 3 == me)
                ):
                    continue
                action = layout.PROMOTIONS + 5 * rules[u(layout.PROMOTION_OF + path)]
                for kind in range(layout.KNIGHT, layout.KING + 1):
                    if may_promote(rules, row, cell, target, kind):
                        out[u(count)] = action + kind - layout.KNIGHT
                        count += 1
    return count


@kernel
def open_to_purchase(rules, row, player, kind, word):
    """Cells (as a word of men) where ``player`` may put a man of ``kind`` that they buy: vacant, where the option
    drops says, a pawn not on its promotion rank."""
    masks = layout.DROP_MASKS + 4 * (player if kind == layout.PAWN else 3 + player) + 2 * word
    cells = rules[u(masks)] | (rules[u(masks + 1)] << 28)
    return cells & ~(row[u(layout.MEN + word)] | row[u(layout.MEN + 2 + word)] | row[u(layout.MEN + 4 + word)])


@kernel
def list_purchases(rules, row, out, count):
    """List the mover's purchases in ``out`` from entry ``count`` on; returns the new count."""
    me = row[layout.TURN]
    for kind in range(layout.PAWN, layout.KING + 1):
        if price(rules, row, me, kind) > row[u(layout.TOKENS + me)]:
            continue
        for word in range(2):
            cells = open_to_purchase(rules, row, me, kind, word)
            base = layout.PURCHASES + layout.SIZE * (kind - 1) + layout.SPLIT * word
            while cells != 0:
                out[u(count)] = base + lowest_bit(cells)
                cells &= cells - 1
                count += 1
    return count


@kernel
def may_sacrifice(rules, row, cell):
    """Whether the player at TURN may take their man on ``cell`` off to pay: any man but their last king."""
    man = row[u(layout.CELLS + cell)]
    me = row[layout.TURN]
    return man != 0 and man >> 3 == me and (man & 7 != layout.KING or row[u(layout.KINGS + me)] > 1)


@kernel
def list_sacrifices(rules, row, out):
    """List the men that the debtor may take off; returns how many."""
    me = row[layout.TURN]
    count = 0
    for word in range(2):
        men = row[u(layout.MEN + 2 * me + word)]
        while men != 0:
            cell = lowest_bit(men) + layout.SPLIT * word
            men &= men - 1
            out[u(count)] = layout.SACRIFICES + cell
            count += 1 if may_sacrifice(rules, row, cell) else 0
    return count


@kernel
def legal(rules, row, out):
    """List the legal actions in rising order in ``out``; returns how many."""
    if row[layout.STATUS] != layout.PLAYING:
        return 0
    if row[layout.PENDING] != 0:
        return list_sacrifices(rules, row, out)
    count = list_moves(rules, row, out)
    count = list_promotions(rules, row, out, count)
    count = list_purchases(rules, row, out, count)
    if count == 0:
        out[0] = layout.PASS
        return 1
    return count


@kernel
def reaches(rules, row, path):
    """Whether the man at the beginning of ``path``, of any owner, may go along it as far as the way and the men on it
    matter: the right kind of man, nothing in between, at its end nothing or, for a capture, another owner's man."""
    cell = rules[u(layout.FROM + path)]
    man = row[u(layout.CELLS + cell)]
    if man == 0:
        return False
    player = man >> 3
    kind = man & 7
    standing = row[u(layout.CELLS + rules[u(layout.TO + path)])]
    if standing != 0 and standing >> 3 == player:
        return False
    ray = rules[u(layout.RAY_OF + path)]
    if kind == layout.KNIGHT or ray == 12:
        return kind == layout.KNIGHT and ray == 12
    first = rules[u(layout.RAYS + 13 * cell + ray)]
    if kind == layout.KING:
        return path == first
    if kind == layout.PAWN:
        if path != first:
            return False
        for i in range(5):
            if rules[u(layout.PAWN_RAYS + 5 * player + i)] == ray:
                return (standing != 0) == (i < 2)
        return False
    if (kind == layout.ROOK and ray >= 6) or (kind == layout.BISHOP and ray < 6):
        return False
    at = first
    while at < path and row[u(layout.CELLS + rules[u(layout.TO + at)])] == 0:
        at += 1
    return at == path


@kernel
def can_act(rules, row):
    """Whether the mover has a move or a purchase."""
    me = row[layout.TURN]
    for kind in range(layout.PAWN, layout.KNIGHT + 1):  # where a dearer man could be put, so could a knight
        if price(rules, row, me, kind) <= row[u(layout.TOKENS + me)]:
            for word in range(2):
                if open_to_purchase(rules, row, me, kind, word) != 0:
                    return True
    for path in range(layout.PATHS):
        man = row[u(layout.CELLS + rules[u(layout.FROM + path)])]
        if man != 0 and man >> 3 == me and reaches(rules, row, path):
            kings_made = 1 if man & 7 == layout.PAWN and promotes(rules, me, path) else 0
            standing = row[u(layout.CELLS + rules[u(layout.TO + path)])]
            if standing & 7 != layout.KING or may_take_king(
                rules, row, rules[u(layout.FROM + path)], rules[u(layout.TO + path)], kings_made
            ):
                return True
    return False


@kernel
def promotes(rules, player, path):
    """Whether ``path`` ends on ``player``'s promotion rank."""
    return rules[u(layout.HEIGHT + layout.SIZE * player + rules[u(layout.TO + path)])] == 0


@kernel
def allows(rules, row, action):
    """Whether ``action`` (within the action space) is legal."""
    if row[layout.STATUS] != layout.PLAYING:
        return False
    if row[layout.PENDING] != 0:
        return layout.SACRIFICES <= action < layout.PASS and may_sacrifice(rules, row, action - layout.SACRIFICES)
    me = row[layout.TURN]
    if action < layout.PURCHASES:
        path = action
        kind = 0
        if action >= layout.PROMOTIONS:
            number = (action - layout.PROMOTIONS) // 5
            path = rules[u(layout.PROMOTION_PATH + number)]
            kind = layout.KNIGHT + action - layout.PROMOTIONS - 5 * number
        cell = rules[u(layout.FROM + path)]
        target = rules[u(layout.TO + path)]
        man = row[u(layout.CELLS + cell)]
        if man == 0 or man >> 3 != me or not reaches(rules, row, path):
            return False
        if (man & 7 == layout.PAWN and promotes(rules, me, path)) != (kind != 0):
            return False
        return may_promote(rules, row, cell, target, kind)
    if action < layout.SACRIFICES:
        kind = (action - layout.PURCHASES) // layout.SIZE + 1
        cell = action - layout.PURCHASES - layout.SIZE * (kind - 1)
        if price(rules, row, me, kind) > row[u(layout.TOKENS + me)]:
            return False
        return open_to_purchase(rules, row, me, kind, men_word(cell)) & cell_bit(cell) != 0
    return action == layout.PASS and not can_act(rules, row)


@kernel
def source(rules, action):
    """The cell that a move or promotion starts from; -1 for other actions."""
    if action < layout.PROMOTIONS:
        return rules[u(layout.FROM + action)]
    if action < layout.PURCHASES:
        return rules[u(layout.FROM + rules[u(layout.PROMOTION_PATH + (action - layout.PROMOTIONS) // 5)])]
    return -1


@kernel
def target(rules, action):
    """The cell that an action ends on: where the man goes, is put, or stood; -1 for a pass."""
    if action < layout.PROMOTIONS:
        return rules[u(layout.TO + action)]
    if action < layout.PURCHASES:
        return rules[u(layout.TO + rules[u(layout.PROMOTION_PATH + (action - layout.PROMOTIONS) // 5)])]
    if action < layout.SACRIFICES:
        return (action - layout.PURCHASES) % layout.SIZE
    return action - layout.SACRIFICES if action < layout.PASS else -1


@kernel
def becomes(rules, action):
    """The kind of man that a promotion or a purchase brings; 0 for other actions."""
    if action < layout.PROMOTIONS or action >= layout.SACRIFICES:
        return 0
    if action < layout.PURCHASES:
        return layout.KNIGHT + (action - layout.PROMOTIONS) % 5
    return (action - layout.PURCHASES) // layout.SIZE + 1


TRIALS = 40  # then the actions are listed after all: there may be none but a pass


@kernel
def slots(rules, row, cell):
    """How many slots the mover's man on ``cell`` has."""
    kind = row[u(layout.CELLS + cell)] & 7
    if kind == layout.PAWN:
        return 25 if rules[u(layout.HEIGHT + layout.SIZE * row[layout.TURN] + cell)] <= 2 else 5
    if kind in (layout.KNIGHT, layout.KING):
        return 12
    rays = layout.RAYS + 13 * cell
    return rules[u(rays + (6 if kind == layout.ROOK else 12))] - rules[u(rays + (6 if kind == layout.BISHOP else 0))]


@kernel
def action_in(rules, row, cell, slot):
    """The legal action of a slot of the mover's man on ``cell``; -1 where it stands for none."""
    kind = row[u(layout.CELLS + cell)] & 7
    me = row[layout.TURN]
    rays = layout.RAYS + 13 * cell
    brings = layout.KNIGHT
    if kind == layout.PAWN:
        way = slot
        if rules[u(layout.HEIGHT + layout.SIZE * me + cell)] <= 2:
            way = slot // 5
            brings = layout.KNIGHT + slot - 5 * way
        ray = rules[u(layout.PAWN_RAYS + 5 * me + way)]
        path = rules[u(rays + ray)]
        if path == rules[u(rays + ray + 1)]:
            return -1
    elif kind == layout.KNIGHT:
        path = rules[u(rays + 12)] + slot
        if path >= rules[u(rays + 13)]:
            return -1
    elif kind == layout.KING:
        path = rules[u(rays + slot)]
        if path == rules[u(rays + slot + 1)]:
            return -1
    else:
        path = rules[u(rays + (6 if kind == layout.BISHOP else 0))] + slot
    if not reaches(rules, row, path):
        return -1
    goal = rules[u(layout.TO + path)]
    if kind == layout.PAWN and rules[u(layout.HEIGHT + layout.SIZE * me + goal)] == 0:
        if not may_promote(rules, row, cell, goal, brings):
            return -1
        return layout.PROMOTIONS + 5 * rules[u(layout.PROMOTION_OF + path)] + brings - layout.KNIGHT
    if brings != layout.KNIGHT or not may_promote(rules, row, cell, goal, 0):
        return -1
    return path


@kernel
def purchase_in(rules, row, number):
    """The mover's purchase number ``number``, or, where there are not so many, less than 0: -1 less their number."""
    me = row[layout.TURN]
    count = 0
    for kind in range(layout.PAWN, layout.KING + 1):
        if price(rules, row, me, kind) > row[u(layout.TOKENS + me)]:
            break
        for word in range(2):
            cells = open_to_purchase(rules, row, me, kind, word)
            here = popcount(cells)
            if number < count + here:
                for _ in range(number - count):
                    cells &= cells - 1
                return layout.PURCHASES + layout.SIZE * (kind - 1) + layout.SPLIT * word + lowest_bit(cells)
            count += here
    return -1 - count


@kernel
def open_sampler(rules, row, scratch):
    """Nothing to prepare: `sample` writes what it needs to ``scratch`` each time."""
    scratch[0] = 0


@kernel
def sample(rules, row, state, scratch):
    """A uniformly random legal action of a game going on; ``state`` is a random state."""
    if row[layout.PENDING] != 0:
        return scratch[u(pick(state, legal(rules, row, scratch)))]
    me = row[layout.TURN]
    purchases = -1 - purchase_in(rules, row, 1 << 20)
    total = purchases
    count = 0
    for word in range(2):
        men = row[u(layout.MEN + 2 * me + word)]
        while men != 0:
            cell = lowest_bit(men) + layout.SPLIT * word
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
