"""Search for three: alpha-beta with everybody against the player who asks, in two ways.

*Paranoid*: all play in turn, both enemies against ME. *Best reply*: after each turn of ME only one enemy moves, the one
who does the most harm; it looks further ahead in its own affairs and believes less in conspiracies. With two players
left they are the same. Sacrifices are decisions of their own in both, made by the player who owes them.

In truth both enemies move. A search that is WARY does not forget the second one: if the second can take the last king
once the first has moved, all is lost, and what the second attacks is judged as if they moved first. It also looks one
action further where the last king is attacked.

Quiet actions far down the list are looked at less deeply (late move reductions), those after the first with a window of
one point (principal variation search), and after the last action only captures are played on (quiescence). The table
keeps values with the depth they hold for. `search` is a machine over levels: it stops after so many nodes and goes on
when called again, so that the caller can look at the clock.
"""

from tercet.games.triplicity.engine.kernels.evaluation import NEARLY, WON, worth
from tercet.games.triplicity.engine.kernels.memory import (
    AGE,
    ALPHA,
    AT_LEAST,
    AT_MOST,
    BARRED,
    BEST,
    BEST_REPLY,
    BETA,
    CALM,
    CHOICE,
    COUNT,
    DEPTH,
    DONE,
    ENTER,
    EXACT,
    HIGH,
    KEY,
    KILLER,
    LATE,
    LEAVE,
    LEVEL,
    LEVELS,
    LIMIT,
    LOW,
    MARGIN,
    ME,
    MEN_KEY,
    MODE,
    NARROW,
    NEXT,
    NOISE,
    PHASE,
    PLAIN,
    SALT,
    SECOND,
    SHORTER,
    STAGE,
    STATIC,
    TRY,
    TRYING,
    WARY,
    WIDE,
    count_node,
    follow_key,
    from_here,
    known_bound,
    known_code,
    known_depth,
    known_value,
    mix,
    position_key,
    recall,
    remember,
)
from tercet.games.triplicity.engine.kernels.ordering import KILLERS, arrange, credit, next_best
from tercet.games.triplicity.kernels import apply, layout
from tercet.games.triplicity.kernels.layout import king_cell
from tercet.games.triplicity.kernels.moves import attacked
from tercet.kernel import kernel, u


@kernel
def actor(row):
    """Whose turn it is, or was when it caused the sacrifice that is owed."""
    return row[layout.TURN] if row[layout.PENDING] == 0 else row[layout.PENDING] - 1


@kernel
def advance(rules, row, code, me, mode, events):
    """Play ``code`` and return how many events it has. In best-reply search the turn goes to ``me`` after that of one
    enemy."""
    action = code
    if code >= layout.ACTIONS:
        action = code - layout.ACTIONS
        row[layout.TURN] = 3 - me - row[layout.TURN]
    who = actor(row)
    count = apply(rules, row, action, events)
    if mode == BEST_REPLY and who != me and row[layout.PENDING] == 0 and row[u(layout.STATE + me)] == layout.ACTIVE:
        row[layout.TURN] = me
    return count


@kernel
def left_out(row, header, first):
    """Return, plus one, the player who moves before ME in a position after ``first``'s move, and whose move the search
    leaves out; 0 if there is none."""
    me = header[ME]
    second = (me + 2) % 3
    if header[WARY] == 0 or header[MODE] != BEST_REPLY or first != (me + 1) % 3:
        return 0
    if (
        row[layout.TURN] != me
        or row[layout.PENDING] != 0
        or row[u(layout.STATE + me)] != layout.ACTIVE
        or row[u(layout.STATE + second)] != layout.ACTIVE
    ):
        return 0
    return second + 1


@kernel
def may_lose_king(rules, row, me, by):
    """Whether ``by`` attacks the last king of ``me``."""
    return row[u(layout.KINGS + me)] == 1 and attacked(rules, row, king_cell(rules, row, me), by, -1)


@kernel
def gauge(rules, row, weights, work, frame, header, level):
    """Return the position's worth without a search, changed by the noise that the engine was given."""
    first = row[layout.TURN]
    if frame[SECOND] != 0 and row[layout.STATUS] == layout.PLAYING:
        row[layout.TURN] = frame[SECOND] - 1
    points = worth(rules, row, weights, work, header[ME], level)
    row[layout.TURN] = first
    if header[NOISE] != 0 and -NEARLY < points < NEARLY:
        points += (mix(frame[MEN_KEY] ^ header[SALT]) & header[NOISE]) - (header[NOISE] >> 1)
    return points


@kernel
def settle(rules, memory, level):
    """Set BEST to the worth of capturing nothing more, and narrow the window by it. Return whether that is enough."""
    row = memory.rows[u(level)]
    frame = memory.frames[u(level)]
    header = memory.header
    value = gauge(rules, row, memory.weights, memory.work, frame, header, level)
    frame[BEST] = value
    if value > NEARLY or value < -NEARLY or frame[DEPTH] <= -header[CALM]:
        return True
    if row[layout.TURN] == header[ME]:
        frame[ALPHA] = max(frame[ALPHA], value)
    else:
        frame[BETA] = min(frame[BETA], value)
    return frame[ALPHA] >= frame[BETA]


@kernel
def is_answered(frame, entry, level):
    """Return whether the table's ``entry`` answers what is asked of this position. Then BEST is its value."""
    if level == 0 or known_depth(entry) < frame[DEPTH]:
        return False
    value = from_here(known_value(entry), -level)
    bound = known_bound(entry)
    if bound == EXACT or (bound == AT_LEAST and value >= frame[BETA]) or (bound == AT_MOST and value <= frame[ALPHA]):
        frame[BEST] = value
        return True
    return False


@kernel
def assume_quiet(row, frame, header):
    """Count the actions that are left out with one action to go: they are worth no more than the position without a
    search, plus the margin for which they were left out."""
    value = frame[STATIC]
    if frame[DEPTH] == 1:
        value += header[MARGIN] if row[layout.TURN] == header[ME] and value + header[MARGIN] <= frame[ALPHA] else 0
        value -= header[MARGIN] if row[layout.TURN] != header[ME] and value - header[MARGIN] >= frame[BETA] else 0
        if frame[COUNT] == 0 or value != frame[STATIC]:
            frame[BEST] = value


@kernel
def looks_further(rules, memory, level, pending):
    """Return whether the position is searched one action deeper: ME moves and has the last king attacked."""
    row = memory.rows[u(level)]
    header = memory.header
    me = header[ME]
    if header[WARY] == 0 or pending or row[layout.TURN] != me or memory.frames[u(level)][DEPTH] < 0:
        return False
    if level == 0 or level >= 2 * memory.frames[0][DEPTH]:
        return False
    return may_lose_king(rules, row, me, (me + 1) % 3) or may_lose_king(rules, row, me, (me + 2) % 3)


@kernel
def enter(rules, memory, level):
    """Begin with a position. Return whether its value is known at once (BEST); else its codes are ready."""
    row = memory.rows[u(level)]
    frame = memory.frames[u(level)]
    header = memory.header
    me = header[ME]
    count_node(header, level)
    if row[layout.STATUS] != layout.PLAYING or row[u(layout.STATE + me)] != layout.ACTIVE or level >= LEVELS - 2:
        frame[BEST] = gauge(rules, row, memory.weights, memory.work, frame, header, level)
        return True
    if frame[SECOND] != 0 and may_lose_king(rules, row, me, frame[SECOND] - 1):
        frame[BEST] = level + 1 - WON
        return True
    pending = row[layout.PENDING] != 0
    if looks_further(rules, memory, level, pending):
        frame[DEPTH] += 1
    depth = frame[DEPTH]
    frame[LOW] = frame[ALPHA]
    frame[HIGH] = frame[BETA]
    frame[CHOICE] = -1
    hinted = -1
    if depth > 0:
        frame[KEY] = position_key(rules, row, frame[MEN_KEY], me + 4 * header[MODE])
        entry = recall(memory.table, frame[KEY])
        if entry != 0:
            hinted = known_code(entry)
            if is_answered(frame, entry, level):
                return True
    if depth <= 0 and not pending:
        if settle(rules, memory, level):
            return True
        frame[STATIC] = frame[BEST]
    else:
        if depth == 1:
            frame[STATIC] = gauge(rules, row, memory.weights, memory.work, frame, header, level)
        frame[BEST] = -LIMIT if row[layout.TURN] == me else LIMIT
    frame[NEXT] = 0
    frame[COUNT] = arrange(rules, memory, level, hinted)
    if frame[COUNT] == 0 or (depth == 1 and level > 0 and not pending):
        assume_quiet(row, frame, header)
    return frame[COUNT] == 0


@kernel
def look_narrowly(row, frame, child, header, quiet):
    """Prepare to try an action after the first with a window of one point, less deeply if it is quiet and late."""
    index = frame[NEXT]
    frame[STAGE] = NARROW
    if row[layout.TURN] == header[ME]:
        child[BETA] = frame[ALPHA] + 1
    else:
        child[ALPHA] = frame[BETA] - 1
    if quiet and index >= header[LATE]:
        frame[SHORTER] = 2 if index >= 4 * header[LATE] and frame[DEPTH] > 2 else 1


@kernel
def descend(rules, memory, level):
    """Play the next code worth trying into the row below. Return whether there was one."""
    row = memory.rows[u(level)]
    ranks = memory.ranks[u(level)]
    frame = memory.frames[u(level)]
    child = memory.frames[u(level + 1)]
    header = memory.header
    index = frame[NEXT]
    if frame[ALPHA] >= frame[BETA] or index >= frame[COUNT]:
        return False
    depth = frame[DEPTH]
    pending = row[layout.PENDING] != 0
    if pending and depth <= 0 and index > 0:
        return False
    code = next_best(memory.codes[u(level)], ranks, index, frame[COUNT])
    quiet = ranks[u(index)] < KILLERS
    if quiet and level > 0 and depth > 1 and index >= header[WIDE] * depth:
        return False
    frame[TRYING] = code
    frame[SHORTER] = 0
    frame[STAGE] = PLAIN
    child[ALPHA] = frame[ALPHA]
    child[BETA] = frame[BETA]
    if depth > 1 and index > 0 and not pending:
        look_narrowly(row, frame, child, header, quiet)
    frame[NEXT] = index + 1
    child[DEPTH] = depth if pending else depth - 1 - frame[SHORTER]
    below = memory.rows[u(level + 1)]
    for i in range(layout.ROW_SIZE):
        below[u(i)] = row[u(i)]
    count = advance(rules, below, code, header[ME], header[MODE], memory.events)
    child[SECOND] = left_out(below, header, row[layout.TURN]) if code < layout.ACTIONS and not pending else 0
    child[MEN_KEY] = follow_key(frame[MEN_KEY], memory.events, count)
    return True


@kernel
def close(memory, level):
    """All that was to be tried in a position has been: remember its value."""
    frame = memory.frames[u(level)]
    if frame[DEPTH] > 0 and not (level == 0 and memory.header[BARRED] > 0):
        bound = EXACT
        if frame[BEST] <= frame[LOW]:
            bound = AT_MOST
        elif frame[BEST] >= frame[HIGH]:
            bound = AT_LEAST
        value = from_here(frame[BEST], level)
        remember(memory.table, frame[KEY], value, frame[DEPTH], bound, frame[CHOICE], memory.header[AGE])


@kernel
def note_cutoff(row, ranks, history, frame, header):
    """Note that the code just tried was good enough to try no other, so that it is tried earlier elsewhere."""
    code = frame[TRYING]
    if ranks[u(frame[NEXT] - 1)] <= KILLERS:
        frame[KILLER] = code + 1
    player = row[layout.TURN]
    if code >= layout.ACTIONS:
        credit(history, 3 - header[ME] - player, code - layout.ACTIONS, frame[DEPTH])
    else:
        credit(history, player, code, frame[DEPTH])


@kernel
def absorb(memory, level):
    """Take the value of the code that was tried. Return whether to try it again, with the full window and depth."""
    row = memory.rows[u(level)]
    frame = memory.frames[u(level)]
    child = memory.frames[u(level + 1)]
    header = memory.header
    value = child[BEST]
    mine = row[layout.TURN] == header[ME]
    better = value > frame[ALPHA] if mine else value < frame[BETA]
    if frame[STAGE] == NARROW and better:
        inside = value < frame[BETA] if mine else value > frame[ALPHA]
        if inside or frame[SHORTER] > 0:
            frame[STAGE] = PLAIN
            child[ALPHA] = frame[ALPHA]
            child[BETA] = frame[BETA]
            child[DEPTH] = frame[DEPTH] - 1
            return True
    if value > frame[BEST] if mine else value < frame[BEST]:
        frame[BEST] = value
        frame[CHOICE] = frame[TRYING]
    if better:
        if mine:
            frame[ALPHA] = value
        else:
            frame[BETA] = value
        if frame[ALPHA] >= frame[BETA] and frame[DEPTH] > 0 and row[layout.PENDING] == 0:
            note_cutoff(row, memory.ranks[u(level)], memory.history, frame, header)
    return False


@kernel
def search(rules, memory, budget):
    """Go on for up to ``budget`` nodes; returns whether the search that ``memory.begin`` prepared is finished. The
    first frame's BEST and CHOICE say what it has found (so far)."""
    header = memory.header
    level = header[LEVEL]
    phase = header[PHASE]
    while phase != DONE:
        if phase == ENTER:
            if budget <= 0:
                break
            budget -= 1
            phase = LEAVE if enter(rules, memory, level) else TRY
        elif phase == TRY:
            if descend(rules, memory, level):
                level += 1
                phase = ENTER
            else:
                close(memory, level)
                phase = LEAVE
        elif level == 0:
            phase = DONE
        else:
            level -= 1
            if absorb(memory, level):
                level += 1
                phase = ENTER
            else:
                phase = TRY
    header[LEVEL] = level
    header[PHASE] = phase
    return phase == DONE
