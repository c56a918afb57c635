"""What an action does, and when the game is over."""

from __future__ import annotations

from tercet.games.sanqi.kernels.layout import (
    CIRCLE,
    CIRCLES,
    ENDED,
    FIRST,
    KO,
    LINE,
    LINES,
    MOVER,
    NOBODY,
    PLACED,
    PLACES,
    PLAYING,
    REPLACED,
    SECOND,
    SIZE,
    SPAN,
    STALEMATE,
    STALEMATE_LOSES,
    STALEMATE_LOSS,
    STATUS,
    TRIANGLE,
    TRIANGLES,
    VACANT,
    WINNER,
    WORDS,
    count_patterns,
    put,
    type_at,
)
from tercet.games.sanqi.kernels.moves import can_act
from tercet.kernel import kernel


@kernel
def setup(rules, row, seed):
    """Write the empty board, First to move. SanQi has no chance in it: ``seed`` is not used."""
    for i in range(WORDS + 9 * rules[SPAN]):
        row[i] = 0
    row[WINNER] = NOBODY
    row[VACANT] = rules[SIZE]


@kernel
def judge(rules, row):
    """Set STATUS and WINNER for a turn just ended, MOVER being the player whose turn would come."""
    player = 1 - row[MOVER]
    if player == FIRST and row[CIRCLES] > 0:
        row[STATUS] = CIRCLE
        row[WINNER] = player
    elif player == SECOND and row[LINES] > 0:
        row[STATUS] = LINE
        row[WINNER] = player
    elif row[TRIANGLES] > 0:
        row[STATUS] = TRIANGLE
        row[WINNER] = player
    elif row[VACANT] == 0 and not can_act(rules, row):
        if rules[STALEMATE_LOSES]:
            row[STATUS] = STALEMATE_LOSS
            row[WINNER] = player
        else:
            row[STATUS] = STALEMATE


@kernel
def apply(rules, row, action, events):
    """Play ``action``, which must be legal, in place. Writes what happened to ``events``; returns how many events."""
    cell = action // 3
    new = action - 3 * cell + 1
    old = type_at(rules, row, cell)
    put(rules, row, cell, old, new)
    row[KO] = cell + 1
    row[MOVER] = 1 - row[MOVER]
    judge(rules, row)
    events[0] = PLACED if old == 0 else REPLACED
    events[1] = cell
    events[2] = new
    events[3] = old
    if row[STATUS] == PLAYING:
        return 1
    events[4] = ENDED
    events[5] = row[STATUS]
    events[6] = row[WINNER]
    events[7] = 0
    return 2


@kernel
def refresh(rules, row):
    """Recompute every count, STATUS and WINNER from the types of the cells (as in direction 0), MOVER and KO."""
    for i in range(STATUS, WORDS):
        row[i] = 0
    row[WINNER] = NOBODY
    row[VACANT] = rules[SIZE]
    span = rules[SPAN]
    for kind in range(1, 4):
        for i in range(span, 3 * span):
            row[WORDS + 3 * (kind - 1) * span + i] = 0
    for cell in range(rules[SIZE]):
        kind = type_at(rules, row, cell)
        if kind != 0:
            row[VACANT] -= 1
            q = rules[PLACES + 3 * cell]
            words = WORDS + 3 * (kind - 1) * span
            row[words + span + q] |= 1 << rules[PLACES + 3 * cell + 1]
            row[words + 2 * span + rules[PLACES + 3 * cell + 2]] |= 1 << q
    for cell in range(rules[SIZE]):
        kind = type_at(rules, row, cell)
        if kind != 0:
            count_patterns(rules, row, cell, kind, 1)
    for i in range(CIRCLES, TRIANGLES + 1):
        row[i] //= 6  # each was counted from each of its six cells
    judge(rules, row)
