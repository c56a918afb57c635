"""Search for three in which everybody plays for himself: *max^n* (Luckhardt and Irani, 1986).

The same machine as in ``alphabeta``, but a position has a worth to each player (EACH in its frame), and whoever moves
chooses what is worth most to himself. Worths are the logarithms of odds, and the shares of the chances
behind them sum to one: what is worth ``v`` to one is worth at most ``-v`` to another. So a position need not be looked
at further as soon as its mover can have so much that the mover before him, if another, has something as good already
(*shallow* pruning; no deeper one is sound with three players). The table only remembers what was best.
"""

from __future__ import annotations

from tercet.games.triplicity.engine.kernels.alphabeta import (
    AGE,
    ALPHA,
    BARRED,
    BEST,
    BETA,
    CALM,
    CHOICE,
    COUNT,
    DEEPEST,
    DEPTH,
    DONE,
    EACH,
    ENTER,
    HIGH,
    KEY,
    KILLER,
    LATE,
    LEAVE,
    LEVEL,
    LEVELS,
    LIMIT,
    ME,
    MEN_KEY,
    MODE,
    NEXT,
    NODES,
    NOISE,
    PHASE,
    SALT,
    SHORTER,
    STATIC,
    TRY,
    TRYING,
    WIDE,
    arrange,
    known_code,
    recall,
    remember,
)
from tercet.games.triplicity.engine.kernels.evaluation import NEARLY, strengths, verdict
from tercet.games.triplicity.engine.kernels.hashing import follow_key, mix, position_key
from tercet.games.triplicity.engine.kernels.ordering import KILLERS, credit, next_best
from tercet.games.triplicity.kernels import ACTIVE, PENDING, PLAYING, ROW_SIZE, STATE, STATUS, TURN, apply
from tercet.kernel import kernel, u

PREYS = 3  # captures, the dearest, looked at after the last action: no bounds leave out others


@kernel
def gauge_each(rules, row, weights, work, frame, meta, level):
    """Write the position's worth to each player at a look, shaken by the noise that the engine was given."""
    if row[STATUS] == PLAYING:
        strengths(rules, row, weights, work)
    for player in range(3):
        points = verdict(rules, row, weights, work, player, level)
        if meta[NOISE] != 0 and -NEARLY < points < NEARLY:
            points += (mix((frame[MEN_KEY] ^ meta[SALT]) + player) & meta[NOISE]) - (meta[NOISE] >> 1)
        frame[u(EACH + player)] = points


@kernel
def enter_each(rules, row, codes, ranks, spare, weights, work, history, table, mask, frame, meta, level):
    """Begin with a position; returns whether its worths are known at once, else its codes are ready."""
    meta[NODES] += 1
    if level > meta[DEEPEST]:
        meta[DEEPEST] = level
    depth = frame[DEPTH]
    pending = row[PENDING] != 0
    over = row[STATUS] != PLAYING or row[u(STATE + meta[ME])] != ACTIVE or level >= LEVELS - 2
    if over or (depth <= 1 and not pending):
        gauge_each(rules, row, weights, work, frame, meta, level)
        if over:
            return True
    frame[BEST] = -LIMIT
    frame[CHOICE] = -1
    hinted = -1
    if depth > 0:
        frame[KEY] = position_key(rules, row, frame[MEN_KEY], 4 * meta[MODE])
        entry = recall(table, mask, frame[KEY])
        if entry != 0:
            hinted = known_code(entry)
    elif not pending:
        frame[BEST] = frame[u(EACH + row[TURN])]
        if depth <= -meta[CALM] or frame[BEST] >= frame[HIGH]:
            return True
    # `arrange` knows one player and his enemies: nothing is left out on that account.
    frame[STATIC] = 0
    frame[ALPHA] = -LIMIT
    frame[BETA] = LIMIT
    frame[NEXT] = 0
    frame[COUNT] = arrange(rules, row, codes, ranks, spare, weights, work, history, frame, meta, level, hinted)
    return frame[COUNT] == 0


@kernel
def descend_each(rules, row, below, codes, ranks, frame, child, meta, level, events):
    """Play the next code worth trying into the row ``below``; returns whether there was one."""
    index = frame[NEXT]
    depth = frame[DEPTH]
    pending = row[PENDING] != 0
    if index >= frame[COUNT] or frame[BEST] >= frame[HIGH] or (pending and depth <= 0 and index > 0):
        return False
    code = next_best(codes, ranks, index, frame[COUNT])
    quiet = ranks[u(index)] < KILLERS and not pending
    if quiet and level > 0 and depth > 1 and index >= meta[WIDE] * depth:
        return False
    if depth <= 0 and index >= PREYS:
        return False
    frame[NEXT] = index + 1
    frame[TRYING] = code
    frame[SHORTER] = 1 if quiet and depth > 1 and index >= meta[LATE] else 0
    for i in range(ROW_SIZE):
        below[u(i)] = row[u(i)]
    count = apply(rules, below, code, events)
    child[MEN_KEY] = follow_key(frame[MEN_KEY], events, count)
    child[DEPTH] = depth if pending else depth - 1 - frame[SHORTER]
    child[HIGH] = -frame[BEST] if below[TURN] != row[TURN] else LIMIT
    return True


@kernel
def absorb_each(row, ranks, history, frame, child):
    """Take the worths of the code that was tried; returns whether it has to be tried again, as deeply as the others."""
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
        if ranks[u(frame[NEXT] - 1)] <= KILLERS:
            frame[KILLER] = code + 1
        credit(history, player, code, frame[DEPTH])
    return False


@kernel
def search_each(rules, rows, codes, ranks, spare, frames, weights, work, history, table, mask, events, meta, budget):
    """Go on for up to ``budget`` nodes; returns whether the search that ``alphabeta.begin`` prepared is finished. The
    first frame's BEST and CHOICE say what it has found (so far), EACH what that is worth to each player."""
    level = meta[LEVEL]
    phase = meta[PHASE]
    while phase != DONE:
        row = rows[u(level)]
        frame = frames[u(level)]
        if phase == ENTER:
            if budget <= 0:
                break
            budget -= 1
            known = enter_each(
                rules, row, codes[u(level)], ranks[u(level)], spare, weights, work, history, table, mask, frame, meta,
                level,
            )  # fmt: skip
            phase = LEAVE if known else TRY
        elif phase == TRY:
            if descend_each(
                rules, row, rows[u(level + 1)], codes[u(level)], ranks[u(level)], frame, frames[u(level + 1)], meta,
                level, events,
            ):  # fmt: skip
                level += 1
                phase = ENTER
            else:
                if frame[DEPTH] > 0 and not (level == 0 and meta[BARRED] > 0):
                    remember(table, mask, frame[KEY], 0, frame[DEPTH], 0, frame[CHOICE], meta[AGE])
                phase = LEAVE
        elif level == 0:
            phase = DONE
        else:
            level -= 1
            if absorb_each(rows[u(level)], ranks[u(level)], history, frames[u(level)], frames[u(level + 1)]):
                level += 1
                phase = ENTER
            else:
                phase = TRY
    meta[LEVEL] = level
    meta[PHASE] = phase
    return phase == DONE
