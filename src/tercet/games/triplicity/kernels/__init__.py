"""Triplicity's rules over a row of integers: what follows from an action, and when the game is over.

``layout`` says how a position, an action and an event are written as integers, ``moves`` what is legal. The rules are
in docs/games/triplicity.md; words here are the designer's. Imported ``as`` themselves are kernels of the
contract (``tercet.core.definition.Kernels``) and those that the game's Python modules ask for.
"""

from tercet.games.triplicity.kernels import layout
from tercet.games.triplicity.kernels.layout import actives, lift, put
from tercet.games.triplicity.kernels.layout import cell_bit as cell_bit
from tercet.games.triplicity.kernels.layout import king_cell as king_cell
from tercet.games.triplicity.kernels.layout import men_count as men_count
from tercet.games.triplicity.kernels.layout import men_word as men_word
from tercet.games.triplicity.kernels.layout import price as price
from tercet.games.triplicity.kernels.layout import value as value
from tercet.games.triplicity.kernels.moves import allows as allows
from tercet.games.triplicity.kernels.moves import attacked as attacked
from tercet.games.triplicity.kernels.moves import becomes as becomes
from tercet.games.triplicity.kernels.moves import legal as legal
from tercet.games.triplicity.kernels.moves import open_sampler as open_sampler
from tercet.games.triplicity.kernels.moves import open_to_purchase
from tercet.games.triplicity.kernels.moves import promotes as promotes
from tercet.games.triplicity.kernels.moves import reaches as reaches
from tercet.games.triplicity.kernels.moves import sample as sample
from tercet.games.triplicity.kernels.moves import source as source
from tercet.games.triplicity.kernels.moves import target as target
from tercet.kernel import fill, inlined, kernel, lowest_bit, spread_word, u


@kernel
def setup(rules, row, seed):
    """Write the array, White to move, each with a hoard. Triplicity has no chance in it: ``seed`` is not used."""
    for i in range(layout.ROW_SIZE):
        row[i] = 0
    row[layout.WINNER] = layout.NOBODY
    for player in range(3):
        row[layout.TOKENS + player] = rules[layout.RULE_COINS]
    for cell in range(layout.SIZE):
        man = rules[layout.ARRAY + cell]
        if man != 0:
            put(rules, row, cell, man)


@kernel
def mover(rules, row):
    """Whose decision it is: the player whose turn it is, or who owes a sacrifice."""
    return row[layout.TURN]


@kernel
def status(rules, row):
    """0 while the game goes on, else the reason why it is over."""
    return row[layout.STATUS]


@kernel
def is_won(row):
    """Whether the game is over and has a winner."""
    return row[layout.STATUS] in (layout.LAST_PLAYER, layout.FIRST_KING)


@kernel
def share_of_loser(row, player):
    """Share of the point of a ``player`` who has not won under the option points."""
    winner = row[layout.WINNER]
    if row[layout.STATUS] == layout.FIRST_KING:
        return 0.25 if row[u(layout.STATE + player)] == layout.ACTIVE else 0.0
    if row[layout.TURN] == winner:
        return 0.125
    return 0.25 if row[layout.TURN] == player else 0.0


@kernel
def scores(rules, row, out):
    """Share of the point for each player: all of it for the winner, a draw shared by those still active. Under the
    option points, the winner leaves a quarter to the second, or to both others where the row does not say who it is."""
    sharing = actives(rules, row)
    winner = row[layout.WINNER]
    for player in range(3):
        out[player] = 0.0
        if row[layout.STATUS] != layout.PLAYING and row[layout.STATE + player] == layout.ACTIVE:
            out[player] = 1.0 / sharing
    if is_won(row):
        for player in range(3):
            out[player] = 1.0 if player == winner else 0.0
        if rules[layout.RULE_SECOND] != 0:
            out[u(winner)] = 0.75
            for player in range(3):
                if player != winner:
                    out[player] = share_of_loser(row, player)


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
        if row[u(layout.STATE + following)] == layout.ACTIVE:
            return following
    return player


@kernel
def judge(rules, row):
    """Set STATUS and WINNER from who is left, whose turn it is and the quiet turns."""
    row[layout.STATUS] = layout.PLAYING
    row[layout.WINNER] = layout.NOBODY
    if actives(rules, row) == 1:
        row[layout.STATUS] = layout.LAST_PLAYER
        for player in range(3):
            if row[layout.STATE + player] == layout.ACTIVE:
                row[layout.WINNER] = player
    elif rules[layout.RULE_FIRST_KING] != 0 and (
        row[layout.STATE] == layout.VANQUISHED
        or row[layout.STATE + 1] == layout.VANQUISHED
        or row[layout.STATE + 2] == layout.VANQUISHED
    ):
        row[layout.STATUS] = layout.FIRST_KING
        row[layout.WINNER] = row[layout.TURN]
    elif row[layout.QUIET] >= rules[layout.RULE_QUIET_LIMIT]:
        row[layout.STATUS] = layout.QUIET_DRAW


@kernel
def tribute_due(rules, row, captor, man):
    """What the third player owes ``captor`` for the capture of ``man``, before the states of the players change."""
    victim = man >> 3
    kind = man & 7
    if rules[layout.RULE_TRIBUTE] == 0 or row[u(layout.STATE + 3 - captor - victim)] != layout.ACTIVE:
        return 0
    if row[u(layout.STATE + victim)] == layout.ACTIVE:
        return value(kind) * rules[layout.RULE_TRIBUTE]
    if row[u(layout.STATE + victim)] == layout.RESIGNED and kind == layout.KING:
        return value(layout.KING) * rules[layout.RULE_TRIBUTE]
    return 0


@kernel
def note_second(rules, row, fallen):
    """Note who fell second, where that counts and the game is over by it."""
    if rules[layout.RULE_SECOND] != 0 and row[layout.STATUS] == layout.LAST_PLAYER:
        row[layout.TURN] = fallen


@kernel
def fell_last_king(rules, row, captor, victim, events, n):
    """Apply the fall of ``victim``'s last king: they are vanquished unless they had resigned, the captor inherits."""
    if row[layout.STATE + victim] == layout.ACTIVE:
        row[layout.STATE + victim] = layout.VANQUISHED
        n = tell(events, n, layout.KING_VANQUISHED, victim, captor, 0)
        judge(rules, row)
        note_second(rules, row, victim)
    if rules[layout.RULE_JEOPARDY] == layout.JEOPARDY_NO_SUCCESSIVE:
        row[layout.FELLED] = 1
    amount = row[layout.TOKENS + victim]
    if amount > 0:
        row[layout.TOKENS + victim] = 0
        row[layout.TOKENS + captor] += amount
        n = tell(events, n, layout.INHERITED, victim, captor, amount)
    return n


@kernel
def collect(rules, row, captor, debtor, due, events, n):
    """``debtor`` pays ``captor`` the tribute ``due``: in tokens, or they owe a sacrifice, or have nothing to give."""
    hoard = row[layout.TOKENS + debtor]
    if hoard > 0:
        paid = min(hoard, due)
        row[layout.TOKENS + debtor] -= paid
        row[layout.TOKENS + captor] += paid
        return tell(events, n, layout.TRIBUTE, debtor, captor, paid)
    if men_count(rules, row, debtor) > 1:
        row[layout.PENDING] = captor + 1
        row[layout.TURN] = debtor
        return tell(events, n, layout.OWES, debtor, captor, 0)
    return tell(events, n, layout.EXCUSED, debtor, captor, 0)


@kernel
def move_man(rules, row, action, events):
    """A move, with promotion and capture and all that it brings, up to the end of the turn."""
    me = row[layout.TURN]
    cell = source(rules, action)
    goal = target(rules, action)
    man = lift(rules, row, cell)
    n = tell(events, 0, layout.MOVED, cell, goal, man)
    row[layout.QUIET] += 1
    if man & 7 == layout.PAWN:
        row[layout.QUIET] = 0
    taken = row[u(layout.CELLS + goal)]
    if taken != 0:
        row[layout.QUIET] = 0
        lift(rules, row, goal)
        n = tell(events, n, layout.CAPTURED, goal, taken & 7, taken >> 3)
    if action >= layout.PROMOTIONS:
        man = 8 * me + becomes(rules, action)
        n = tell(events, n, layout.PROMOTED, goal, man & 7, me)
    put(rules, row, goal, man)
    if taken != 0:
        victim = taken >> 3
        due = tribute_due(rules, row, me, taken)
        if taken & 7 == layout.KING and row[u(layout.KINGS + victim)] == 0:
            n = fell_last_king(rules, row, me, victim, events, n)
        if due > 0 and row[layout.STATUS] == layout.PLAYING:
            n = collect(rules, row, me, 3 - me - victim, due, events, n)
    return n


@kernel
def buy_man(rules, row, action, events):
    """A purchase: its value to the gods and to each other player still in the game."""
    me = row[layout.TURN]
    kind = becomes(rules, action)
    cell = target(rules, action)
    cost = value(kind)
    put(rules, row, cell, 8 * me + kind)
    row[layout.QUIET] = 0
    n = tell(events, 0, layout.BOUGHT, cell, kind, me)
    row[u(layout.TOKENS + me)] -= cost
    n = tell(events, n, layout.PAID, me, layout.GODS, cost)
    for step in range(1, 3):
        other = (me + step) % 3
        if row[u(layout.STATE + other)] == layout.ACTIVE:
            row[u(layout.TOKENS + me)] -= cost
            row[u(layout.TOKENS + other)] += cost
            n = tell(events, n, layout.PAID, me, other, cost)
    return n


@kernel
def end_if_over(rules, row, events, n):
    """Judge, and tell if the game is over."""
    judge(rules, row)
    if row[layout.STATUS] != layout.PLAYING:
        n = tell(events, n, layout.ENDED, row[layout.STATUS], row[layout.WINNER], 0)
    return n


@kernel
def apply(rules, row, action, events):
    """Play ``action``, which must be legal, in place. Writes what happened to ``events``; returns how many events."""
    me = row[layout.TURN]
    if action >= layout.SACRIFICES and action < layout.PASS:
        cell = target(rules, action)
        man = lift(rules, row, cell)
        row[layout.TURN] = next_active(rules, row, row[layout.PENDING] - 1)
        row[layout.PENDING] = 0
        return tell(events, 0, layout.SACRIFICED, cell, man & 7, me)
    row[layout.FELLED] = 0
    if action < layout.PURCHASES:
        n = move_man(rules, row, action, events)
    elif action < layout.SACRIFICES:
        n = buy_man(rules, row, action, events)
    else:
        row[layout.QUIET] += 1
        n = tell(events, 0, layout.PASSED, me, 0, 0)
    if row[layout.PENDING] == 0 and row[layout.STATUS] == layout.PLAYING:
        row[layout.TURN] = next_active(rules, row, me)
    return end_if_over(rules, row, events, n)


@kernel
def may_resign(rules, row, player):
    """Whether ``player`` can resign: at any time while the game goes on and they are in it."""
    return row[layout.STATUS] == layout.PLAYING and row[u(layout.STATE + player)] == layout.ACTIVE


@kernel
def resign(rules, row, player, events):
    """``player`` resigns, in place, at anyone's turn; their men stay, frozen. Writes what happened to ``events``;
    returns how many events, 0 where they cannot resign. It is no action of the action space."""
    if not may_resign(rules, row, player):
        return 0
    row[u(layout.STATE + player)] = layout.RESIGNED
    fallen = player
    n = tell(events, 0, layout.GAVE_UP, player, 0, 0)
    if row[layout.TURN] == player:
        if row[layout.PENDING] != 0:
            n = tell(events, n, layout.LAPSED, player, row[layout.PENDING] - 1, 0)
            player = row[layout.PENDING] - 1
            row[layout.PENDING] = 0
        row[layout.TURN] = next_active(rules, row, player)
    n = end_if_over(rules, row, events, n)
    if row[layout.STATUS] != layout.PLAYING:
        row[layout.PENDING] = 0
        note_second(rules, row, fallen)
    return n


@kernel
def draw_agreed(rules, row, events):
    """All players left agree to a draw, in place; returns how many events, 0 where the game is over already."""
    if row[layout.STATUS] != layout.PLAYING:
        return 0
    row[layout.STATUS] = layout.AGREED_DRAW
    return tell(events, 0, layout.ENDED, layout.AGREED_DRAW, layout.NOBODY, 0)


@kernel
def refresh(rules, row):
    """Recompute men, kings, STATUS and WINNER from cells, states and quiet turns. A draw by agreement stands."""
    for i in range(layout.KINGS, layout.CELLS):
        row[i] = 0
    for cell in range(layout.SIZE):
        man = row[layout.CELLS + cell]
        if man != 0:
            put(rules, row, cell, man)
    if row[layout.STATUS] != layout.AGREED_DRAW:
        judge(rules, row)


@inlined
def fill_planes(out, plane, count, value):
    """Write ``value`` to all cells of ``count`` planes from number ``plane`` on."""
    fill(out, plane * layout.SIZE, (plane + count) * layout.SIZE, value)


@inlined
def put_planes(rules, row, player, out, whole):
    """Write the planes of `observe`; scaled ones as whole numbers if ``whole``: the way to promotion in cells, at most
    255 tokens, and 255 times the share of the quiet turns."""
    me = row[layout.TURN]
    fill_planes(out, 0, 18, 0)
    for rank in range(3):
        who = (player + rank) % 3
        for word in range(2):
            men = row[layout.MEN + 2 * who + word]
            while men != 0:
                cell = lowest_bit(men) + layout.SPLIT * word
                men &= men - 1
                kind = row[layout.CELLS + cell] & 7
                out[(6 * rank + kind - layout.PAWN) * layout.SIZE + cell] = 1
    for word in range(2):  # what is written beyond the plane is written again below
        vacant = open_to_purchase(rules, row, me, layout.KING, word)
        spread_word(vacant, out, 18 * layout.SIZE + layout.SPLIT * word)
        spread_word(vacant >> 32, out, 18 * layout.SIZE + layout.SPLIT * word + 32)
    for rank in range(3):
        who = (player + rank) % 3
        first = (19 + rank) * layout.SIZE
        for cell in range(layout.SIZE):
            height = rules[u(layout.HEIGHT + layout.SIZE * who + cell)]
            out[u(first + cell)] = height if whole else height * (1.0 / 12.0)
        tokens = row[layout.TOKENS + who]
        state = row[layout.STATE + who]
        fill_planes(out, 22 + rank, 1, min(tokens, 255) if whole else tokens / 30.0)
        fill_planes(out, 25 + rank, 1, 1 if state == layout.ACTIVE else 0)
        fill_planes(out, 28 + rank, 1, 1 if state == layout.RESIGNED else 0)
        fill_planes(out, 31 + rank, 1, 1 if me == who else 0)
    quiet = row[layout.QUIET] / (1.0 * rules[layout.RULE_QUIET_LIMIT])
    fill_planes(out, 34, 1, 1 if row[layout.PENDING] != 0 else 0)
    fill_planes(out, 35, 1, min(quiet * 255.0 + 0.5, 255.0) if whole else quiet)
    fill_planes(out, 36, 1, row[layout.FELLED])
    fill_planes(out, 37, 1, 1)


@kernel
def observe(rules, row, player, out):
    """Planes for a network, each SIZE long. "First" is ``player``, the others follow in the order of turns: men of
    each player by kind (18); where the mover may put a knight that they buy, prices apart (1); each player's way to
    promotion (3); then constant ones: hoards (3), who is in the game (3), who has resigned (3), whose decision (3), a
    sacrifice is owed (1), quiet turns (1), a last king fell on the turn before (1), one (1)."""
    put_planes(rules, row, player, out, False)


@kernel
def observe_scaled(rules, row, player, out):
    """Write the planes of `observe` as whole numbers, each times its scale."""
    put_planes(rules, row, player, out, True)
