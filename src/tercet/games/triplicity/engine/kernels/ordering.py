"""Which actions a search of Triplicity looks at, at each depth, and in what order.

A *code* is an action, plus ACTIONS where it is not the player's at TURN but the other enemy's (in best-reply search).
"""

from tercet.games.triplicity.engine.kernels.evaluation import ATTACKS, TOKEN, VALUE
from tercet.games.triplicity.engine.kernels.memory import (
    ALPHA,
    BARRED,
    BARS,
    BEST_REPLY,
    BETA,
    DEPTH,
    KILLER,
    MARGIN,
    ME,
    MODE,
    STATIC,
)
from tercet.games.triplicity.kernels import layout
from tercet.games.triplicity.kernels.layout import value
from tercet.games.triplicity.kernels.moves import attacked, becomes, legal, list_moves, list_promotions, source, target
from tercet.kernel import kernel, lowest_bit, u

FIRST = 1 << 28  # the action that a table remembers
KINGS_FALL = 1 << 26
CAPTURES = 1 << 22
KILLERS = 1 << 21
MOST_HISTORY = 1 << 20


@kernel
def counts(rules, row, man):
    """Return whether capturing ``man`` gains anything: its owner plays, or it is a king of one who resigned."""
    state = row[u(layout.STATE + (man >> 3))]
    return state == layout.ACTIVE or (state == layout.RESIGNED and man & 7 == layout.KING)


@kernel
def prey(rules, row, action):
    """Return the man that ``action`` captures; 0 if none, or if it gains nothing, its owner being out of the game."""
    if action >= layout.PURCHASES:
        return 0
    goal = rules[u(layout.TO + action)] if action < layout.PROMOTIONS else target(rules, action)
    man = row[u(layout.CELLS + goal)]
    return man if man != 0 and counts(rules, row, man) else 0


@kernel
def prize(rules, row, weights, man):
    """Return the most points that capturing ``man`` can gain: its own, and the tribute on both sides."""
    if man & 7 == layout.KING and row[u(layout.KINGS + (man >> 3))] == 1:
        return KINGS_FALL
    return weights[u(VALUE + (man & 7))] + 2 * weights[TOKEN + 2] * value(man & 7)


@kernel
def loses_man(rules, row, weights, action, man):
    """Return whether the mover would lose a man worth more than the ``man`` that ``action`` captures."""
    cell = source(rules, action)
    goal = target(rules, action)
    me = row[layout.TURN]
    kind = row[u(layout.CELLS + cell)] & 7
    risked = weights[u(VALUE + kind)]
    if kind == layout.KING and row[u(layout.KINGS + me)] == 1:
        risked = KINGS_FALL >> 1
    if risked <= prize(rules, row, weights, man):
        return False
    return attacked(rules, row, goal, (me + 1) % 3, cell) or attacked(rules, row, goal, (me + 2) % 3, cell)


@kernel
def rank(rules, row, weights, history, player, action):
    """Return how early ``player`` should try ``action``: the higher, the earlier."""
    if row[layout.PENDING] != 0:
        return CAPTURES - weights[u(VALUE + (row[u(layout.CELLS + action - layout.SACRIFICES)] & 7))]
    man = prey(rules, row, action)
    points = 0
    if man != 0:
        gain = prize(rules, row, weights, man)
        if gain == KINGS_FALL:
            return KINGS_FALL
        points = CAPTURES + 8 * gain - weights[u(VALUE + (row[u(layout.CELLS + source(rules, action))] & 7))] // 8
    elif action < layout.PASS:
        points = history[u(layout.ACTIONS * player + action)]
    if layout.PROMOTIONS <= action < layout.PURCHASES:
        points += KILLERS + weights[u(VALUE + becomes(rules, action))] - weights[VALUE + layout.PAWN]
    return points


@kernel
def credit(history, player, action, depth):
    """Note that ``action`` of ``player`` was so good, with ``depth`` left, that no other had to be tried."""
    at = layout.ACTIONS * player + action
    more = history[u(at)] + depth * depth
    if more > MOST_HISTORY:
        for i in range(3 * layout.ACTIONS):
            history[u(i)] = history[u(i)] >> 1
        more = more >> 1
    history[u(at)] = more


@kernel
def next_best(codes, ranks, begin, count):
    """Bring the code with the highest rank of those from ``begin`` on to ``begin``."""
    best = begin
    for i in range(begin + 1, count):
        if ranks[u(i)] > ranks[u(best)]:
            best = i
    code = codes[u(best)]
    points = ranks[u(best)]
    codes[u(best)] = codes[u(begin)]
    ranks[u(best)] = ranks[u(begin)]
    codes[u(begin)] = code
    ranks[u(begin)] = points
    return code


@kernel
def is_barred(header, action):
    """Whether ``action`` must not be looked at in the root."""
    for i in range(header[BARRED]):  # noqa: SIM110  (kernels have no generators)
        if header[u(BARS + i)] == action:
            return True
    return False


@kernel
def gains_enough(rules, row, weights, frame, header, man):
    """Whether the capture of ``man`` by the player at TURN may bring what they need."""
    gain = prize(rules, row, weights, man) + header[MARGIN]
    if row[layout.TURN] == header[ME]:
        return frame[STATIC] + gain > frame[ALPHA]
    return frame[STATIC] - gain < frame[BETA]


@kernel
def may_gain(rules, row, weights, work, frame, header):
    """Return whether any man that the player at TURN attacks, as ``evaluation`` has just found, may be worth taking."""
    player = row[layout.TURN]
    for word in range(2):
        men = row[u(layout.MEN + 2 * ((player + 1) % 3) + word)] | row[u(layout.MEN + 2 * ((player + 2) % 3) + word)]
        men &= work[u(ATTACKS + 2 * player + word)]
        while men != 0:
            man = row[u(layout.CELLS + lowest_bit(men) + layout.SPLIT * word)]
            men &= men - 1
            if counts(rules, row, man) and gains_enough(rules, row, weights, frame, header, man):
                return True
    return False


@kernel
def list_actions(rules, row, out, weights, work, frame, header, depth):
    """List the actions of the player at TURN and return how many. In the last of the ``depth`` they have no purchases;
    beyond it there are none at all if no capture is worth trying."""
    if depth > 1 or row[layout.PENDING] != 0:
        return legal(rules, row, out)
    if depth < 1 and not may_gain(rules, row, weights, work, frame, header):
        return 0
    return list_promotions(rules, row, out, list_moves(rules, row, out))


@kernel
def list_codes(rules, memory, level):
    """List the codes of a position; returns how many."""
    row = memory.rows[u(level)]
    codes = memory.codes[u(level)]
    frame = memory.frames[u(level)]
    header = memory.header
    weights = memory.weights
    work = memory.work
    spare = memory.spare
    depth = frame[DEPTH] if level > 0 else 2
    count = list_actions(rules, row, codes, weights, work, frame, header, depth)
    me = header[ME]
    if level == 0 and header[BARRED] > 0:
        kept = 0
        for i in range(count):
            codes[u(kept)] = codes[u(i)]
            if not is_barred(header, codes[u(i)]):
                kept += 1
        return kept
    if header[MODE] == BEST_REPLY and row[layout.TURN] != me and row[layout.PENDING] == 0:
        first = row[layout.TURN]
        other = 3 - me - first
        if row[u(layout.STATE + other)] == layout.ACTIVE:
            row[layout.TURN] = other
            more = list_actions(rules, row, spare, weights, work, frame, header, depth)
            row[layout.TURN] = first
            for i in range(more):
                codes[u(count + i)] = spare[u(i)] + layout.ACTIONS
            count += more
    return count


@kernel
def keeps(rules, row, weights, frame, header, level, action, hopeless):
    """Return whether ``action`` of the player at TURN is tried. With one action left, quiet ones are not if that is
    ``hopeless``. With none left, only a capture that may matter and does not lose the captor is."""
    depth = frame[DEPTH]
    if depth > 1 or level == 0:
        return True
    if depth == 1:
        return not hopeless or action >= layout.PROMOTIONS or prey(rules, row, action) != 0
    man = prey(rules, row, action)
    if man == 0:
        return False
    return gains_enough(rules, row, weights, frame, header, man) and not loses_man(rules, row, weights, action, man)


@kernel
def arrange(rules, memory, level, hinted):
    """List the codes worth trying with their ranks, ``hinted`` (-1 for none) first. Return how many."""
    row = memory.rows[u(level)]
    codes = memory.codes[u(level)]
    ranks = memory.ranks[u(level)]
    frame = memory.frames[u(level)]
    header = memory.header
    weights = memory.weights
    count = list_codes(rules, memory, level)
    first = row[layout.TURN]
    pending = row[layout.PENDING] != 0
    # One quiet action cannot help as much as is missing.
    hopeless = False
    if frame[DEPTH] == 1:
        if first == header[ME]:
            hopeless = frame[STATIC] + header[MARGIN] <= frame[ALPHA]
        else:
            hopeless = frame[STATIC] - header[MARGIN] >= frame[BETA]
    kept = 0
    for i in range(count):
        code = codes[u(i)]
        action = code
        row[layout.TURN] = first
        if code >= layout.ACTIONS:
            action = code - layout.ACTIONS
            row[layout.TURN] = 3 - header[ME] - first
        if not pending and not keeps(rules, row, weights, frame, header, level, action, hopeless):
            continue
        points = rank(rules, row, weights, memory.history, row[layout.TURN], action)
        if code == hinted:
            points = FIRST
        elif code == frame[KILLER] - 1 and points < KILLERS:
            points = KILLERS
        codes[u(kept)] = code
        ranks[u(kept)] = points
        kept += 1
    row[layout.TURN] = first
    return kept
