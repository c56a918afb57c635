"""Which actions to look at first, and which not at all.

A *code* is an action, plus ACTIONS where it is not the player's at TURN but the other enemy's (in best-reply search).
"""

from __future__ import annotations

from tercet.games.triplicity.engine.kernels.evaluation import TOKEN, VALUE
from tercet.games.triplicity.kernels.actions import becomes, source, target
from tercet.games.triplicity.kernels.layout import (
    ACTIONS,
    ACTIVE,
    CELLS,
    KING,
    KINGS,
    PASS,
    PAWN,
    PENDING,
    PROMOTIONS,
    PURCHASES,
    RESIGNED,
    SACRIFICES,
    STATE,
    TO,
    TURN,
    value,
)
from tercet.games.triplicity.kernels.moves import attacked
from tercet.kernel import kernel, u

FIRST = 1 << 28  # the action that a table remembers
KINGS_FALL = 1 << 26
CAPTURES = 1 << 22
KILLERS = 1 << 21
MOST_HISTORY = 1 << 20


@kernel
def counts(rules, row, man):
    """Whether capturing ``man`` gains anything: its owner is in the game, or it is a king of one who resigned."""
    state = row[u(STATE + (man >> 3))]
    return state == ACTIVE or (state == RESIGNED and man & 7 == KING)


@kernel
def prey(rules, row, action):
    """Return the man that ``action`` captures; 0 if none, or if it gains nothing, its owner being out of the game."""
    if action >= PURCHASES:
        return 0
    goal = rules[u(TO + action)] if action < PROMOTIONS else target(rules, action)
    man = row[u(CELLS + goal)]
    return man if man != 0 and counts(rules, row, man) else 0


@kernel
def prize(rules, row, weights, man):
    """Points to be had, at most, by capturing ``man``: its own, and the tribute on both sides."""
    if man & 7 == KING and row[u(KINGS + (man >> 3))] == 1:
        return KINGS_FALL
    return weights[u(VALUE + (man & 7))] + 2 * weights[TOKEN + 2] * value(man & 7)


@kernel
def loses_man(rules, row, weights, action, man):
    """Whether the mover would give a dearer man than the ``man`` that ``action`` captures is worth."""
    cell = source(rules, action)
    goal = target(rules, action)
    me = row[TURN]
    kind = row[u(CELLS + cell)] & 7
    risked = weights[u(VALUE + kind)]
    if kind == KING and row[u(KINGS + me)] == 1:
        risked = KINGS_FALL >> 1
    if risked <= prize(rules, row, weights, man):
        return False
    return attacked(rules, row, goal, (me + 1) % 3, cell) or attacked(rules, row, goal, (me + 2) % 3, cell)


@kernel
def rank(rules, row, weights, history, player, action):
    """How early ``player`` should look at ``action``: the higher, the earlier."""
    if row[PENDING] != 0:
        return CAPTURES - weights[u(VALUE + (row[u(CELLS + action - SACRIFICES)] & 7))]
    man = prey(rules, row, action)
    points = 0
    if man != 0:
        gain = prize(rules, row, weights, man)
        if gain == KINGS_FALL:
            return KINGS_FALL
        points = CAPTURES + 8 * gain - weights[u(VALUE + (row[u(CELLS + source(rules, action))] & 7))] // 8
    elif action < PASS:
        points = history[u(ACTIONS * player + action)]
    if PROMOTIONS <= action < PURCHASES:
        points += KILLERS + weights[u(VALUE + becomes(rules, action))] - weights[VALUE + PAWN]
    return points


@kernel
def credit(history, player, action, depth):
    """``action`` of ``player`` was so good that nothing else had to be looked at, with ``depth`` left."""
    at = ACTIONS * player + action
    more = history[u(at)] + depth * depth
    if more > MOST_HISTORY:
        for i in range(3 * ACTIONS):
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
