"""Search for three in which all play for themselves: *max^n* (Luckhardt and Irani, 1986).

The steps are those of ``alphabeta``, but a position has a worth to each player (EACH in its frame), and the mover
chooses what is worth most to them. Worths are the logarithms of odds, and the shares of the chances behind them sum to
one: what is worth ``v`` to one is worth at most ``-v`` to another.

So a position is searched no further once its mover can have so much that the mover before, if another, has something as
good already. This is *shallow* pruning; no deeper one is sound with three players. The table only remembers what was
best.
"""

from __future__ import annotations

from tercet.games.triplicity.engine.kernels.evaluation import NEARLY, strengths, verdict
from tercet.games.triplicity.engine.kernels.memory import (
    AGE,
    ALPHA,
    BARRED,
    BEST,
    BETA,
    CALM,
    CHOICE,
    COUNT,
    DEPTH,
    EACH,
    HIGH,
    KEY,
    KILLER,
    LATE,
    LEVELS,
    LIMIT,
    ME,
    MEN_KEY,
    MODE,
    NEXT,
    NOISE,
    SALT,
    SHORTER,
    STATIC,
    TRYING,
    WIDE,
    count_node,
    follow_key,
    known_code,
    mix,
    position_key,
    recall,
    remember,
)
from tercet.games.triplicity.engine.kernels.ordering import KILLERS, arrange, credit, next_best
from tercet.games.triplicity.kernels import apply
from tercet.games.triplicity.kernels.layout import ACTIVE, PENDING, PLAYING, ROW_SIZE, STATE, STATUS, TURN
from tercet.kernel import kernel, u

PREYS = 3  # captures, the dearest, looked at after the last action: no bounds leave out others


@kernel
def gauge(rules, row, weights, work, frame, header, level):
    """Write the position's worth to each player without a search, changed by the noise that the engine was given."""
    if row[STATUS] == PLAYING:
        strengths(rules, row, weights, work)
    for player in range(3):
        points = verdict(rules, row, weights, work, player, level)
        if header[NOISE] != 0 and -NEARLY < points < NEARLY:
            points += (mix((frame[MEN_KEY] ^ header[SALT]) + player) & header[NOISE]) - (header[NOISE] >> 1)
        frame[u(EACH + player)] = points


@kernel
def enter(rules, memory, level):
    """Begin with a position. Return whether its worths are known at once; else its codes are ready."""
    row = memory.rows[u(level)]
    frame = memory.frames[u(level)]
    header = memory.header
    count_node(header, level)
    depth = frame[DEPTH]
    pending = row[PENDING] != 0
    over = row[STATUS] != PLAYING or row[u(STATE + header[ME])] != ACTIVE or level >= LEVELS - 2
    if over or (depth <= 1 and not pending):
        gauge(rules, row, memory.weights, memory.work, frame, header, level)
        if over:
            return True
    frame[BEST] = -LIMIT
    frame[CHOICE] = -1
    hinted = -1
    if depth > 0:
        frame[KEY] = position_key(rules, row, frame[MEN_KEY], 4 * header[MODE])
        entry = recall(memory.table, frame[KEY])
        if entry != 0:
            hinted = known_code(entry)
    elif not pending:
        frame[BEST] = frame[u(EACH + row[TURN])]
        if depth <= -header[CALM] or frame[BEST] >= frame[HIGH]:
            return True
    # `arrange` knows one player and the enemies: nothing is left out on that account.
    frame[STATIC] = 0
    frame[ALPHA] = -LIMIT
    frame[BETA] = LIMIT
    frame[NEXT] = 0
    frame[COUNT] = arrange(rules, memory, level, hinted)
    return frame[COUNT] == 0


@kernel
def descend(rules, memory, level):
    """Play the next code worth trying into the row below. Return whether there was one."""
    row = memory.rows[u(level)]
    ranks = memory.ranks[u(level)]
    frame = memory.frames[u(level)]
    header = memory.header
    index = frame[NEXT]
    depth = frame[DEPTH]
    pending = row[PENDING] != 0
    if index >= frame[COUNT] or frame[BEST] >= frame[HIGH] or (pending and depth <= 0 and index > 0):
        return False
    code = next_best(memory.codes[u(level)], ranks, index, frame[COUNT])
    quiet = ranks[u(index)] < KILLERS and not pending
    if quiet and level > 0 and depth > 1 and index >= header[WIDE] * depth:
        return False
    if depth <= 0 and index >= PREYS:
        return False
    frame[NEXT] = index + 1
    frame[TRYING] = code
    frame[SHORTER] = 1 if quiet and depth > 1 and index >= header[LATE] else 0
    below = memory.rows[u(level + 1)]
    child = memory.frames[u(level + 1)]
    for i in range(ROW_SIZE):
        below[u(i)] = row[u(i)]
    count = apply(rules, below, code, memory.events)
    child[MEN_KEY] = follow_key(frame[MEN_KEY], memory.events, count)
    child[DEPTH] = depth if pending else depth - 1 - frame[SHORTER]
    child[HIGH] = -frame[BEST] if below[TURN] != row[TURN] else LIMIT
    return True


@kernel
def close(memory, level):
    """Remember what was best, once all codes of a position have been tried."""
    frame = memory.frames[u(level)]
    if frame[DEPTH] > 0 and not (level == 0 and memory.header[BARRED] > 0):
        remember(memory.table, frame[KEY], 0, frame[DEPTH], 0, frame[CHOICE], memory.header[AGE])


@kernel
def absorb(memory, level):
    """Take the worths of the code that was tried. Return whether it has to be tried again, as deeply as the others."""
    row = memory.rows[u(level)]
    frame = memory.frames[u(level)]
    child = memory.frames[u(level + 1)]
    player = row[TURN]
    value = child[u(EACH + player)]
    if value <= frame[BEST]:
        return False
    if frame[SHORTER] > 0:
        frame[SHORTER] = 0
        child[DEPTH] += 1
        return True
    code = frame[TRYING]
    frame[BEST] = value
    frame[CHOICE] = code
    for other in range(3):
        frame[u(EACH + other)] = child[u(EACH + other)]
    if value >= frame[HIGH] and frame[DEPTH] > 0 and row[PENDING] == 0:
        if memory.ranks[u(level)][u(frame[NEXT] - 1)] <= KILLERS:
            frame[KILLER] = code + 1
        credit(memory.history, player, code, frame[DEPTH])
    return False
