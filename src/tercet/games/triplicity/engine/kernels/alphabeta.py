"""Search for three: alpha-beta with everybody against the player who asks, in two ways.

*Paranoid*: all play in turn, both enemies against him. *Best reply*: after each of his turns only one enemy moves, the
one who hurts him most; it looks further ahead in its own affairs and believes less in conspiracies. With two players
left they are the same. Sacrifices are decisions of their own in both, made by whoever owes them.

The search is a machine over levels, one for each action of the line looked at: ``rows[level]`` is the position,
``codes`` and ``ranks`` its actions (see ``ordering``), ``frames`` the rest. It stops after so many nodes and goes on
when called again, so that whoever calls can look at the clock. Values are worths to the player who asks
(``evaluation.worth``); the table keeps them with the depth they hold for.

``meta`` says what is asked (see ``engine.Sight``): CALM captures at most after the last action, WIDE quiet actions for
each one left, shorter looks at those from number LATE on, MARGIN points that one quiet action may bring.
"""

from __future__ import annotations

from tercet.games.triplicity.engine.kernels.evaluation import ATTACKS, NEARLY, WON, worth
from tercet.games.triplicity.engine.kernels.hashing import follow_key, men_key, mix, position_key
from tercet.games.triplicity.engine.kernels.ordering import (
    FIRST,
    KILLERS,
    counts,
    credit,
    loses_man,
    next_best,
    prey,
    prize,
    rank,
)
from tercet.games.triplicity.kernels import (
    ACTIONS,
    ACTIVE,
    CELLS,
    MEN,
    PENDING,
    PLAYING,
    PROMOTIONS,
    ROW_SIZE,
    SPLIT,
    STATE,
    STATUS,
    TURN,
    apply,
    legal,
    list_moves,
    list_promotions,
)
from tercet.kernel import kernel, lowest_bit, u

PARANOID, BEST_REPLY, MAXN = 0, 1, 2  # MODE; the third is searched by ``maxn``

# meta
ME, MODE, LEVEL, PHASE, NODES, SALT, NOISE, AGE, DEEPEST, CALM, WIDE, LATE, MARGIN, BARRED = (
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13,
)  # fmt: skip
BARS = 14  # from here on, BARRED actions not to be looked at in the root
META = BARS  # and as many more as there are bars

# frames
ALPHA, BETA, BEST, CHOICE, COUNT, NEXT, DEPTH, MEN_KEY, KEY, LOW, HIGH, TRYING, STAGE, KILLER, STATIC, SHORTER, EACH = (
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
)  # fmt: skip
FRAME = 19  # EACH are three, for ``maxn``

LEVELS = 96  # longest line looked at
ENTER, TRY, LEAVE, DONE = 0, 1, 2, 3  # PHASE
PLAIN, NARROW = 0, 1  # STAGE: with the full window, or to see whether it is worth that

# table: two words for each entry, the key and what is known
EXACT, AT_LEAST, AT_MOST = 1, 2, 3
LIMIT = 2 * WON - 1  # beyond any value


@kernel
def remember(table, mask, key, value, depth, bound, code, age):
    """Write to the table; of a pair of entries the first keeps the deeper, the second the later."""
    slot = 4 * (key & mask)
    old = table[u(slot + 1)]
    if table[u(slot)] != key and (old & 63) == age and ((old >> 23) & 63) > depth:
        slot += 2
    table[u(slot)] = key
    table[u(slot + 1)] = ((((value + 2 * WON) << 6 | depth) << 2 | bound) << 15 | (code + 1)) << 6 | age


@kernel
def recall(table, mask, key):
    """What the table knows of ``key``, as `remember` packed it; 0 for nothing."""
    slot = 4 * (key & mask)
    if table[u(slot)] == key:
        return table[u(slot + 1)]
    if table[u(slot + 2)] == key:
        return table[u(slot + 3)]
    return 0


@kernel
def known_code(entry):
    """The code that a table's entry names; -1 for none."""
    return ((entry >> 6) & 0x7FFF) - 1


@kernel
def from_here(value, ply):
    """A value counted from the root as one counted from ``ply`` actions below it."""
    if value > NEARLY:
        return value + ply
    if value < -NEARLY:
        return value - ply
    return value


@kernel
def actor(row):
    """Whose turn it is, or was when it caused the sacrifice that is owed."""
    return row[TURN] if row[PENDING] == 0 else row[PENDING] - 1


@kernel
def advance(rules, row, code, me, mode, events):
    """Play ``code``; in best-reply search the turn goes to ``me`` after that of one enemy. Returns how many events."""
    action = code
    if code >= ACTIONS:
        action = code - ACTIONS
        row[TURN] = 3 - me - row[TURN]
    who = actor(row)
    count = apply(rules, row, action, events)
    if mode == BEST_REPLY and who != me and row[PENDING] == 0 and row[u(STATE + me)] == ACTIVE:
        row[TURN] = me
    return count


@kernel
def gauge(rules, row, weights, work, frame, meta, level):
    """The position's worth at a look, shaken by the noise that the engine was given."""
    points = worth(rules, row, weights, work, meta[ME], level)
    if meta[NOISE] != 0 and -NEARLY < points < NEARLY:
        points += (mix(frame[MEN_KEY] ^ meta[SALT]) & meta[NOISE]) - (meta[NOISE] >> 1)
    return points


@kernel
def settle(rules, row, weights, work, frame, meta, level):
    """The worth of doing nothing more than capturing: sets BEST and the window; returns whether that is enough."""
    value = gauge(rules, row, weights, work, frame, meta, level)
    frame[BEST] = value
    if value > NEARLY or value < -NEARLY or frame[DEPTH] <= -meta[CALM]:
        return True
    if row[TURN] == meta[ME]:
        frame[ALPHA] = max(frame[ALPHA], value)
    else:
        frame[BETA] = min(frame[BETA], value)
    return frame[ALPHA] >= frame[BETA]


@kernel
def is_barred(meta, action):
    """Whether ``action`` must not be looked at in the root."""
    for i in range(meta[BARRED]):  # noqa: SIM110  (kernels have no generators)
        if meta[u(BARS + i)] == action:
            return True
    return False


@kernel
def gains_enough(rules, row, weights, frame, meta, man):
    """Whether the capture of ``man`` by the player at TURN may bring what he needs."""
    gain = prize(rules, row, weights, man) + meta[MARGIN]
    if row[TURN] == meta[ME]:
        return frame[STATIC] + gain > frame[ALPHA]
    return frame[STATIC] - gain < frame[BETA]


@kernel
def may_gain(rules, row, weights, work, frame, meta):
    """Whether any man that the player at TURN attacks, as ``evaluation`` has just found, may be worth his capture."""
    player = row[TURN]
    for word in range(2):
        men = row[u(MEN + 2 * ((player + 1) % 3) + word)] | row[u(MEN + 2 * ((player + 2) % 3) + word)]
        men &= work[u(ATTACKS + 2 * player + word)]
        while men != 0:
            man = row[u(CELLS + lowest_bit(men) + SPLIT * word)]
            men &= men - 1
            if counts(rules, row, man) and gains_enough(rules, row, weights, frame, meta, man):
                return True
    return False


@kernel
def list_actions(rules, row, out, weights, work, frame, meta, depth):
    """List what the player at TURN may do, without purchases in the last of the ``depth``, and after that nothing if no
    capture is worth a look; returns how many."""
    if depth > 1 or row[PENDING] != 0:
        return legal(rules, row, out)
    if depth < 1 and not may_gain(rules, row, weights, work, frame, meta):
        return 0
    return list_promotions(rules, row, out, list_moves(rules, row, out))


@kernel
def list_codes(rules, row, codes, spare, weights, work, frame, meta, level):
    """List the codes of a position; returns how many."""
    depth = frame[DEPTH] if level > 0 else 2
    count = list_actions(rules, row, codes, weights, work, frame, meta, depth)
    me = meta[ME]
    if level == 0 and meta[BARRED] > 0:
        kept = 0
        for i in range(count):
            codes[u(kept)] = codes[u(i)]
            if not is_barred(meta, codes[u(i)]):
                kept += 1
        return kept
    if meta[MODE] == BEST_REPLY and row[TURN] != me and row[PENDING] == 0:
        first = row[TURN]
        other = 3 - me - first
        if row[u(STATE + other)] == ACTIVE:
            row[TURN] = other
            more = list_actions(rules, row, spare, weights, work, frame, meta, depth)
            row[TURN] = first
            for i in range(more):
                codes[u(count + i)] = spare[u(i)] + ACTIONS
            count += more
    return count


@kernel
def keeps(rules, row, weights, frame, meta, level, action, hopeless):
    """Whether ``action``, of the player at TURN, is looked at: with one action left and that ``hopeless``, nothing
    quiet; with none left, a capture that may matter and does not lose the captor."""
    depth = frame[DEPTH]
    if depth > 1 or level == 0:
        return True
    if depth == 1:
        return not hopeless or action >= PROMOTIONS or prey(rules, row, action) != 0
    man = prey(rules, row, action)
    if man == 0:
        return False
    return gains_enough(rules, row, weights, frame, meta, man) and not loses_man(rules, row, weights, action, man)


@kernel
def arrange(rules, row, codes, ranks, spare, weights, work, history, frame, meta, level, hinted):
    """List the codes worth looking at with their ranks; returns how many."""
    count = list_codes(rules, row, codes, spare, weights, work, frame, meta, level)
    first = row[TURN]
    pending = row[PENDING] != 0
    # One quiet action cannot help as much as is missing.
    hopeless = False
    if frame[DEPTH] == 1:
        if first == meta[ME]:
            hopeless = frame[STATIC] + meta[MARGIN] <= frame[ALPHA]
        else:
            hopeless = frame[STATIC] - meta[MARGIN] >= frame[BETA]
    kept = 0
    for i in range(count):
        code = codes[u(i)]
        action = code
        row[TURN] = first
        if code >= ACTIONS:
            action = code - ACTIONS
            row[TURN] = 3 - meta[ME] - first
        if not pending and not keeps(rules, row, weights, frame, meta, level, action, hopeless):
            continue
        points = rank(rules, row, weights, history, row[TURN], action)
        if code == hinted:
            points = FIRST
        elif code == frame[KILLER] - 1 and points < KILLERS:
            points = KILLERS
        codes[u(kept)] = code
        ranks[u(kept)] = points
        kept += 1
    row[TURN] = first
    return kept


@kernel
def enter(rules, row, codes, ranks, spare, weights, work, history, table, mask, frame, meta, level):
    """Begin with a position; returns whether its value is known at once (BEST), else its codes are ready."""
    me = meta[ME]
    meta[NODES] += 1
    if level > meta[DEEPEST]:
        meta[DEEPEST] = level
    if row[STATUS] != PLAYING or row[u(STATE + me)] != ACTIVE or level >= LEVELS - 2:
        frame[BEST] = gauge(rules, row, weights, work, frame, meta, level)
        return True
    depth = frame[DEPTH]
    pending = row[PENDING] != 0
    frame[LOW] = frame[ALPHA]
    frame[HIGH] = frame[BETA]
    frame[CHOICE] = -1
    hinted = -1
    if depth > 0:
        frame[KEY] = position_key(rules, row, frame[MEN_KEY], me + 4 * meta[MODE])
        entry = recall(table, mask, frame[KEY])
        if entry != 0:
            hinted = known_code(entry)
            bound = (entry >> 21) & 3
            if level > 0 and (entry >> 23) & 63 >= depth:
                value = from_here((entry >> 29) - 2 * WON, -level)
                if (
                    bound == EXACT
                    or (bound == AT_LEAST and value >= frame[BETA])
                    or (bound == AT_MOST and value <= frame[ALPHA])
                ):
                    frame[BEST] = value
                    return True
    if depth <= 0 and not pending:
        if settle(rules, row, weights, work, frame, meta, level):
            return True
        frame[STATIC] = frame[BEST]
    else:
        if depth == 1:
            frame[STATIC] = gauge(rules, row, weights, work, frame, meta, level)
        frame[BEST] = -LIMIT if row[TURN] == me else LIMIT
    frame[NEXT] = 0
    frame[COUNT] = arrange(rules, row, codes, ranks, spare, weights, work, history, frame, meta, level, hinted)
    if frame[COUNT] == 0 or (depth == 1 and level > 0 and not pending):
        # What is left out is worth no more than the position at a look, give or take what it was left out for.
        value = frame[STATIC]
        if depth == 1:
            value += meta[MARGIN] if row[TURN] == me and value + meta[MARGIN] <= frame[ALPHA] else 0
            value -= meta[MARGIN] if row[TURN] != me and value - meta[MARGIN] >= frame[BETA] else 0
            if frame[COUNT] == 0 or value != frame[STATIC]:
                frame[BEST] = value
        return frame[COUNT] == 0
    return False


@kernel
def descend(rules, row, below, codes, ranks, frame, child, meta, level, events):
    """Play the next code worth trying into the row ``below``; returns whether there was one."""
    index = frame[NEXT]
    if frame[ALPHA] >= frame[BETA] or index >= frame[COUNT]:
        return False
    depth = frame[DEPTH]
    pending = row[PENDING] != 0
    if pending and depth <= 0 and index > 0:
        return False
    code = next_best(codes, ranks, index, frame[COUNT])
    quiet = ranks[u(index)] < KILLERS
    if quiet and level > 0 and depth > 1 and index >= meta[WIDE] * depth:
        return False
    frame[NEXT] = index + 1
    frame[TRYING] = code
    frame[SHORTER] = 0
    frame[STAGE] = PLAIN
    child[ALPHA] = frame[ALPHA]
    child[BETA] = frame[BETA]
    if depth > 1 and index > 0 and not pending:
        frame[STAGE] = NARROW
        if row[TURN] == meta[ME]:
            child[BETA] = frame[ALPHA] + 1
        else:
            child[ALPHA] = frame[BETA] - 1
        if quiet and index >= meta[LATE]:
            frame[SHORTER] = 2 if index >= 4 * meta[LATE] and depth > 2 else 1
    child[DEPTH] = depth if pending else depth - 1 - frame[SHORTER]
    for i in range(ROW_SIZE):
        below[u(i)] = row[u(i)]
    count = advance(rules, below, code, meta[ME], meta[MODE], events)
    child[MEN_KEY] = follow_key(frame[MEN_KEY], events, count)
    return True


@kernel
def close(table, mask, frame, meta, level):
    """All that was to be tried in a position has been: remember its value."""
    if frame[DEPTH] > 0 and not (level == 0 and meta[BARRED] > 0):
        bound = EXACT
        if frame[BEST] <= frame[LOW]:
            bound = AT_MOST
        elif frame[BEST] >= frame[HIGH]:
            bound = AT_LEAST
        value = from_here(frame[BEST], level)
        remember(table, mask, frame[KEY], value, frame[DEPTH], bound, frame[CHOICE], meta[AGE])


@kernel
def absorb(rules, row, ranks, history, frame, child, meta):
    """Take the value of the code that was tried; returns whether it has to be tried again, properly."""
    value = child[BEST]
    mine = row[TURN] == meta[ME]
    better = value > frame[ALPHA] if mine else value < frame[BETA]
    if frame[STAGE] == NARROW and better:
        inside = value < frame[BETA] if mine else value > frame[ALPHA]
        if inside or frame[SHORTER] > 0:
            frame[STAGE] = PLAIN
            child[ALPHA] = frame[ALPHA]
            child[BETA] = frame[BETA]
            child[DEPTH] = frame[DEPTH] - 1
            return True
    code = frame[TRYING]
    if value > frame[BEST] if mine else value < frame[BEST]:
        frame[BEST] = value
        frame[CHOICE] = code
    if better:
        if mine:
            frame[ALPHA] = value
        else:
            frame[BETA] = value
        if frame[ALPHA] >= frame[BETA] and frame[DEPTH] > 0 and row[PENDING] == 0:
            if ranks[u(frame[NEXT] - 1)] <= KILLERS:
                frame[KILLER] = code + 1
            player = row[TURN]
            if code >= ACTIONS:
                credit(history, 3 - meta[ME] - player, code - ACTIONS, frame[DEPTH])
            else:
                credit(history, player, code, frame[DEPTH])
    return False


@kernel
def begin(rules, start, rows, frames, meta, depth, alpha, beta):
    """Prepare to search position ``start`` to ``depth`` within a window."""
    row = rows[0]
    for i in range(ROW_SIZE):
        row[u(i)] = start[u(i)]
    frame = frames[0]
    frame[ALPHA] = alpha
    frame[BETA] = beta
    frame[HIGH] = LIMIT
    frame[DEPTH] = depth
    frame[CHOICE] = -1
    frame[NEXT] = 0
    frame[MEN_KEY] = men_key(rules, row)
    meta[LEVEL] = 0
    meta[PHASE] = ENTER


@kernel
def search(rules, rows, codes, ranks, spare, frames, weights, work, history, table, mask, events, meta, budget):
    """Go on for up to ``budget`` nodes; returns whether the search that `begin` prepared is finished. The first frame's
    BEST and CHOICE say what it has found (so far)."""
    level = meta[LEVEL]
    phase = meta[PHASE]
    while phase != DONE:
        row = rows[u(level)]
        frame = frames[u(level)]
        if phase == ENTER:
            if budget <= 0:
                break
            budget -= 1
            known = enter(
                rules, row, codes[u(level)], ranks[u(level)], spare, weights, work, history, table, mask, frame, meta,
                level,
            )  # fmt: skip
            phase = LEAVE if known else TRY
        elif phase == TRY:
            if descend(
                rules, row, rows[u(level + 1)], codes[u(level)], ranks[u(level)], frame, frames[u(level + 1)], meta,
                level, events,
            ):  # fmt: skip
                level += 1
                phase = ENTER
            else:
                close(table, mask, frame, meta, level)
                phase = LEAVE
        elif level == 0:
            phase = DONE
        else:
            level -= 1
            if absorb(rules, rows[u(level)], ranks[u(level)], history, frames[u(level)], frames[u(level + 1)], meta):
                level += 1
                phase = ENTER
            else:
                phase = TRY
    meta[LEVEL] = level
    meta[PHASE] = phase
    return phase == DONE
