"""Triplicity's rules over a row of integers: what follows from an action, and when the game is over.

``layout`` says how a position, an action and an event are written as integers, ``moves`` what is legal. The rules are
in docs/games/triplicity.md; words here are the designer's. ``__all__`` has the names of the contract
(``tercet.core.definition.Kernels``) and what the game's Python modules ask of its kernels.
"""

from __future__ import annotations

from tercet.games.triplicity.kernels.layout import (
    ACTIVE,
    AGREED_DRAW,
    ARRAY,
    BOUGHT,
    CAPTURED,
    CELLS,
    ENDED,
    EXCUSED,
    FELLED,
    GAVE_UP,
    GODS,
    HEIGHT,
    INHERITED,
    JEOPARDY_NO_SUCCESSIVE,
    KING,
    KING_VANQUISHED,
    KINGS,
    LAPSED,
    LAST_PLAYER,
    MOVED,
    NOBODY,
    OWES,
    PAID,
    PASS,
    PASSED,
    PAWN,
    PENDING,
    PLAYING,
    PROMOTED,
    PROMOTIONS,
    PURCHASES,
    QUIET,
    QUIET_DRAW,
    RESIGNED,
    ROW_SIZE,
    RULE_COINS,
    RULE_JEOPARDY,
    RULE_QUIET_LIMIT,
    RULE_TRIBUTE,
    SACRIFICED,
    SACRIFICES,
    SIZE,
    STATE,
    STATUS,
    TOKENS,
    TURN,
    VANQUISHED,
    WINNER,
    actives,
    cell_bit,
    king_cell,
    lift,
    men_count,
    men_word,
    price,
    put,
    value,
)
from tercet.games.triplicity.kernels.moves import (
    allows,
    attacked,
    becomes,
    legal,
    open_sampler,
    open_to_purchase,
    promotes,
    reaches,
    sample,
    source,
    target,
)
from tercet.kernel import kernel, u

__all__ = [
    "allows",
    "apply",
    "attacked",
    "becomes",
    "cell_bit",
    "draw_agreed",
    "king_cell",
    "legal",
    "may_resign",
    "men_count",
    "men_word",
    "mover",
    "observe",
    "open_sampler",
    "price",
    "promotes",
    "reaches",
    "refresh",
    "resign",
    "sample",
    "scores",
    "setup",
    "source",
    "status",
    "target",
    "value",
]


@kernel
def setup(rules, row, seed):
    """Write the array, White to move, each with a hoard. Triplicity has no chance in it: ``seed`` is not used."""
    for i in range(ROW_SIZE):
        row[i] = 0
    row[WINNER] = NOBODY
    for player in range(3):
        row[TOKENS + player] = rules[RULE_COINS]
    for cell in range(SIZE):
        man = rules[ARRAY + cell]
        if man != 0:
            put(rules, row, cell, man)


@kernel
def mover(rules, row):
    """Whose decision it is: the player whose turn it is, or who owes a sacrifice."""
    return row[TURN]


@kernel
def status(rules, row):
    """0 while the game goes on, else the reason why it is over."""
    return row[STATUS]


@kernel
def scores(rules, row, out):
    """Share of the point for each player: all of it for the last one left, a draw shared by those still active."""
    sharing = actives(rules, row)
    for player in range(3):
        out[player] = 0.0
        if row[STATUS] != PLAYING and row[STATE + player] == ACTIVE:
            out[player] = 1.0 / sharing


@kernel
def tell(events, n, kind, a, b, c):
    """Write the event number ``n``; returns how many there are then."""
    events[u(4 * n)] = kind
    events[u(4 * n + 1)] = a
    events[u(4 * n + 2)] = b
    events[u(4 * n + 3)] = c
    return n + 1


@kernel
def next_active(rules, row, player):
    """The next player after ``player`` who is still in the game; ``player`` where no other is."""
    for step in range(1, 3):
        following = (player + step) % 3
        if row[u(STATE + following)] == ACTIVE:
            return following
    return player


@kernel
def judge(rules, row):
    """Set STATUS and WINNER from who is left and the quiet turns."""
    row[STATUS] = PLAYING
    row[WINNER] = NOBODY
    if actives(rules, row) == 1:
        row[STATUS] = LAST_PLAYER
        for player in range(3):
            if row[STATE + player] == ACTIVE:
                row[WINNER] = player
    elif row[QUIET] >= rules[RULE_QUIET_LIMIT]:
        row[STATUS] = QUIET_DRAW


@kernel
def tribute_due(rules, row, captor, man):
    """What the third player owes ``captor`` for the capture of ``man``, before the states of the players change."""
    victim = man >> 3
    kind = man & 7
    if rules[RULE_TRIBUTE] == 0 or row[u(STATE + 3 - captor - victim)] != ACTIVE:
        return 0
    if row[u(STATE + victim)] == ACTIVE:
        return value(kind)
    if row[u(STATE + victim)] == RESIGNED and kind == KING:
        return value(KING)
    return 0


@kernel
def fell_last_king(rules, row, captor, victim, events, n):
    """Apply the fall of ``victim``'s last king: they are vanquished unless they had resigned, the captor inherits."""
    if row[u(STATE + victim)] == ACTIVE:
        row[u(STATE + victim)] = VANQUISHED
        n = tell(events, n, KING_VANQUISHED, victim, captor, 0)
    if rules[RULE_JEOPARDY] == JEOPARDY_NO_SUCCESSIVE:
        row[FELLED] = 1
    amount = row[u(TOKENS + victim)]
    if amount > 0:
        row[u(TOKENS + victim)] = 0
        row[u(TOKENS + captor)] += amount
        n = tell(events, n, INHERITED, victim, captor, amount)
    return n


@kernel
def collect(rules, row, captor, debtor, due, events, n):
    """``debtor`` pays ``captor`` the tribute ``due``: in tokens, or they owe a sacrifice, or have nothing to give."""
    hoard = row[u(TOKENS + debtor)]
    if hoard > 0:
        paid = min(hoard, due)
        row[u(TOKENS + debtor)] -= paid
        row[u(TOKENS + captor)] += paid
        return tell(events, n, PAID, debtor, captor, paid)
    if men_count(rules, row, debtor) > 1:
        row[PENDING] = captor + 1
        row[TURN] = debtor
        return tell(events, n, OWES, debtor, captor, 0)
    return tell(events, n, EXCUSED, debtor, captor, 0)


@kernel
def move_man(rules, row, action, events):
    """A move, with promotion and capture and all that it brings, up to the end of the turn."""
    me = row[TURN]
    cell = source(rules, action)
    goal = target(rules, action)
    man = lift(rules, row, cell)
    n = tell(events, 0, MOVED, cell, goal, man)
    row[QUIET] += 1
    if man & 7 == PAWN:
        row[QUIET] = 0
    taken = row[u(CELLS + goal)]
    if taken != 0:
        row[QUIET] = 0
        lift(rules, row, goal)
        n = tell(events, n, CAPTURED, goal, taken & 7, taken >> 3)
    if action >= PROMOTIONS:
        man = 8 * me + becomes(rules, action)
        n = tell(events, n, PROMOTED, goal, man & 7, me)
    put(rules, row, goal, man)
    if taken != 0:
        victim = taken >> 3
        due = tribute_due(rules, row, me, taken)
        if taken & 7 == KING and row[u(KINGS + victim)] == 0:
            n = fell_last_king(rules, row, me, victim, events, n)
        if due > 0:
            n = collect(rules, row, me, 3 - me - victim, due, events, n)
    return n


@kernel
def buy_man(rules, row, action, events):
    """A purchase: its value to the gods and to each other player still in the game."""
    me = row[TURN]
    kind = becomes(rules, action)
    cell = target(rules, action)
    cost = value(kind)
    put(rules, row, cell, 8 * me + kind)
    row[QUIET] = 0
    n = tell(events, 0, BOUGHT, cell, kind, me)
    row[u(TOKENS + me)] -= cost
    n = tell(events, n, PAID, me, GODS, cost)
    for step in range(1, 3):
        other = (me + step) % 3
        if row[u(STATE + other)] == ACTIVE:
            row[u(TOKENS + me)] -= cost
            row[u(TOKENS + other)] += cost
            n = tell(events, n, PAID, me, other, cost)
    return n


@kernel
def end_if_over(rules, row, events, n):
    """Judge, and tell if the game is over."""
    judge(rules, row)
    if row[STATUS] != PLAYING:
        n = tell(events, n, ENDED, row[STATUS], row[WINNER], 0)
    return n


@kernel
def apply(rules, row, action, events):
    """Play ``action``, which must be legal, in place. Writes what happened to ``events``; returns how many events."""
    me = row[TURN]
    if action >= SACRIFICES and action < PASS:
        cell = target(rules, action)
        man = lift(rules, row, cell)
        row[TURN] = next_active(rules, row, row[PENDING] - 1)
        row[PENDING] = 0
        return tell(events, 0, SACRIFICED, cell, man & 7, me)
    row[FELLED] = 0
    if action < PURCHASES:
        n = move_man(rules, row, action, events)
    elif action < SACRIFICES:
        n = buy_man(rules, row, action, events)
    else:
        row[QUIET] += 1
        n = tell(events, 0, PASSED, me, 0, 0)
    if row[PENDING] == 0:
        row[TURN] = next_active(rules, row, me)
    return end_if_over(rules, row, events, n)


@kernel
def may_resign(rules, row, player):
    """Whether ``player`` can resign: at any time while the game goes on and they are in it."""
    return row[STATUS] == PLAYING and row[u(STATE + player)] == ACTIVE


@kernel
def resign(rules, row, player, events):
    """``player`` resigns, in place, at anyone's turn; their men stay, frozen. Writes what happened to ``events``;
    returns how many events, 0 where they cannot resign. It is no action of the action space."""
    if not may_resign(rules, row, player):
        return 0
    row[u(STATE + player)] = RESIGNED
    n = tell(events, 0, GAVE_UP, player, 0, 0)
    if row[TURN] == player:
        if row[PENDING] != 0:
            n = tell(events, n, LAPSED, player, row[PENDING] - 1, 0)
            player = row[PENDING] - 1
            row[PENDING] = 0
        row[TURN] = next_active(rules, row, player)
    n = end_if_over(rules, row, events, n)
    if row[STATUS] != PLAYING:
        row[PENDING] = 0
    return n


@kernel
def draw_agreed(rules, row, events):
    """All players left agree to a draw, in place; returns how many events, 0 where the game is over already."""
    if row[STATUS] != PLAYING:
        return 0
    row[STATUS] = AGREED_DRAW
    return tell(events, 0, ENDED, AGREED_DRAW, NOBODY, 0)


@kernel
def refresh(rules, row):
    """Recompute men, kings, STATUS and WINNER from the cells, the players' states and the quiet turns. A draw by
    agreement stands."""
    for i in range(KINGS, CELLS):
        row[i] = 0
    for cell in range(SIZE):
        man = row[CELLS + cell]
        if man != 0:
            put(rules, row, cell, man)
    if row[STATUS] != AGREED_DRAW:
        judge(rules, row)


@kernel
def observe(rules, row, player, out):
    """Planes for a network, each SIZE long. "First" is ``player``, the others follow in the order of turns: men of
    each player by kind (18); where the mover may put a knight that they buy, prices apart (1); each player's way to
    promotion (3); then constant ones: hoards (3), who is in the game (3), who has resigned (3), whose decision (3), a
    sacrifice is owed (1), quiet turns (1), a last king fell on the turn before (1), one (1)."""
    me = row[TURN]
    for index in range(18 * SIZE):
        out[index] = 0.0
    for rank in range(3):
        who = (player + rank) % 3
        for cell in range(SIZE):
            man = row[CELLS + cell]
            if man != 0 and man >> 3 == who:
                out[(6 * rank + (man & 7) - PAWN) * SIZE + cell] = 1.0
            out[(19 + rank) * SIZE + cell] = rules[HEIGHT + SIZE * who + cell] / 12.0
            out[(22 + rank) * SIZE + cell] = row[TOKENS + who] / 30.0
            out[(25 + rank) * SIZE + cell] = 1.0 if row[STATE + who] == ACTIVE else 0.0
            out[(28 + rank) * SIZE + cell] = 1.0 if row[STATE + who] == RESIGNED else 0.0
            out[(31 + rank) * SIZE + cell] = 1.0 if me == who else 0.0
    quiet = row[QUIET] / (1.0 * rules[RULE_QUIET_LIMIT])
    for cell in range(SIZE):
        vacant = open_to_purchase(rules, row, me, KING, men_word(cell)) & cell_bit(cell)
        out[18 * SIZE + cell] = 1.0 if vacant != 0 else 0.0
        out[34 * SIZE + cell] = 1.0 if row[PENDING] != 0 else 0.0
        out[35 * SIZE + cell] = quiet
        out[36 * SIZE + cell] = 1.0 * row[FELLED]
        out[37 * SIZE + cell] = 1.0
