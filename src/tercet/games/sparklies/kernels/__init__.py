"""Sparklies' rules over a row of integers: turns, rounds, agreement, the duel, and the end of the game.

``layout`` says how a row is laid out, and pings and captures in it; ``moves`` lists actions. The rules are in
docs/games/sparklies.md; words here are the designers'. Imported ``as`` themselves are kernels of the
contract (``tercet.core.definition.Kernels``) and those that the game's Python modules ask for.
"""

from tercet.games.sparklies.kernels import layout
from tercet.games.sparklies.kernels.layout import attacked as attacked
from tercet.games.sparklies.kernels.layout import calm, cascade, most_held, note, ping, put, turn_active
from tercet.games.sparklies.kernels.layout import colour_at as colour_at
from tercet.games.sparklies.kernels.layout import holder_at as holder_at
from tercet.games.sparklies.kernels.layout import is_active as is_active
from tercet.games.sparklies.kernels.layout import is_flag as is_flag
from tercet.games.sparklies.kernels.layout import mover as mover
from tercet.games.sparklies.kernels.layout import neighbour as neighbour
from tercet.games.sparklies.kernels.layout import refresh as refresh
from tercet.games.sparklies.kernels.layout import scores as scores
from tercet.games.sparklies.kernels.layout import setup as setup
from tercet.games.sparklies.kernels.layout import status as status
from tercet.games.sparklies.kernels.layout import targets as targets
from tercet.games.sparklies.kernels.moves import allows as allows
from tercet.games.sparklies.kernels.moves import forced_colour as forced_colour
from tercet.games.sparklies.kernels.moves import legal as legal
from tercet.games.sparklies.kernels.moves import may_ping as may_ping
from tercet.games.sparklies.kernels.moves import observe as observe
from tercet.games.sparklies.kernels.moves import open_sampler as open_sampler
from tercet.games.sparklies.kernels.moves import sample as sample
from tercet.kernel import inlined, kernel, u

HASH_MASK = (1 << 62) - 1


@inlined
def set_order(row, order):
    """Let the players go in this order from now on; who began the round stays known."""
    row[layout.ORDER] = row[layout.ORDER] >> layout.FIRST_SHIFT << layout.FIRST_SHIFT | order


@kernel
def order_by_cells(rules, row):
    """Order the players by cells held, fewest first, equal ones by seat."""
    order = 0
    for player in range(rules[layout.PLAYERS]):
        place = 0
        for other in range(rules[layout.PLAYERS]):
            less = row[layout.HELD + 1 + other] < row[layout.HELD + 1 + player]
            place += less or (other < player and row[layout.HELD + 1 + other] == row[layout.HELD + 1 + player])
        order |= player << (2 * place)
    set_order(row, order)


@kernel
def order_from(rules, row, first):
    """Order the players by seat, from ``first`` on, who begins the round."""
    order = first << layout.FIRST_SHIFT
    for index in range(rules[layout.PLAYERS]):
        order |= (first + index) % rules[layout.PLAYERS] << (2 * index)
    row[layout.ORDER] = order


@kernel
def order_round(rules, row):
    """Order the players for the round that begins."""
    if rules[layout.ROUND_ORDER] == layout.FEWEST_FIRST:
        order_by_cells(rules, row)
    elif rules[layout.ROUND_ORDER] == layout.ALTERNATING:
        order_from(rules, row, ((row[layout.ORDER] >> layout.FIRST_SHIFT) + 1) % rules[layout.PLAYERS])
    else:
        order_from(rules, row, 0)


@inlined
def next_player(rules, row):
    """Let the next of the round move; after the last a new round begins (in a duel, the same goes on)."""
    place = 0
    while (row[layout.ORDER] >> (2 * place)) & 3 != row[layout.MOVER]:
        place += 1
    place += 1
    if place == rules[layout.PLAYERS]:
        place = 0
        if rules[layout.ROUND_ORDER] != layout.BY_SEAT and rules[layout.DUEL] == 0:
            order_round(rules, row)
    row[layout.MOVER] = (row[layout.ORDER] >> (2 * place)) & 3


@kernel
def agree(rules, row, kind, events, count):
    """Count the mover among those who agree; the game (in a duel the round) ends when all do."""
    row[layout.AGREED] |= 1 << row[layout.MOVER]
    count = note(events, count, kind, row[layout.MOVER], 0, 0)
    if rules[layout.DUEL] == 0 and row[layout.AGREED] == (1 << rules[layout.PLAYERS]) - 1:
        row[layout.STATUS] = layout.AGREEMENT
    return count


@inlined
def begin_turn(rules, row, events, count):
    """Hand the turn on. A player who can neither take nor ping is passed over, which counts as agreement; if one player
    holds the whole board, no one is left to disagree."""
    next_player(rules, row)
    row[layout.STEP] = layout.CONTROL
    if row[layout.HELD] > 0:
        return count
    if rules[layout.TO_AGREE] == 0:
        row[layout.STATUS] = layout.FULL
        return count
    row[layout.STEP] = layout.OPEN
    if most_held(rules, row) == rules[layout.CELLS]:
        row[layout.STATUS] = layout.AGREEMENT
        return count
    while row[layout.HELD + 1 + row[layout.MOVER]] == 0:
        count = agree(rules, row, layout.PASSED, events, count)
        if row[layout.STATUS] != layout.PLAYING:
            return count
        next_player(rules, row)
    return count


@inlined
def end_turn(rules, row, events, count):
    """Forget what belongs to the turn, and hand it on."""
    row[layout.PINGS] = 0
    if rules[layout.PER_CELL]:
        for index in range(layout.PLACES, layout.PLACES + rules[layout.CELLS]):
            row[u(index)] &= ~layout.PING_MASK
    return begin_turn(rules, row, events, count)


@kernel
def has_cell(rules, row, player, active):
    """Whether ``player`` holds a cell that is active (1) or inactive (0)."""
    for index in range(rules[layout.WORDS]):
        word = row[u(rules[layout.HOLD] + (player + 1) * rules[layout.WORDS] + index)]
        if active:
            word &= row[u(rules[layout.ACTIVE] + index)]
        else:
            word &= ~row[u(rules[layout.ACTIVE] + index)]
        if word:
            return True
    return False


@kernel
def forget(rules, row):
    """Clear the history of a duel's round, which is part of the state but not of the position string."""
    for index in range(row[layout.REPEATS]):
        row[u(rules[layout.HISTORY] + index)] = 0
    row[layout.REPEATS] = 0


@kernel
def end_round(rules, row):
    """Duel: a round is over; the game is too when the board is full, else the first of the next round controls."""
    forget(rules, row)
    order_round(rules, row)
    row[layout.MOVER] = row[layout.ORDER] & 3
    row[layout.STEP] = layout.CONTROL
    row[layout.PINGS] = 0
    row[layout.AGREED] = 0
    if row[layout.HELD] == 0:
        row[layout.STATUS] = layout.FULL


@kernel
def occurs_again(rules, row):
    """Duel: enter the position before a resolution, with its mover, in the history; whether it is the third time."""
    value = row[layout.MOVER] + 1
    for place in range(layout.PLACES, layout.PLACES + rules[layout.CELLS]):
        value = (value * 3202034522624059733 + (row[u(place)] & layout.CELL_MASK) + 1) & HASH_MASK
        value = value ^ (value >> 29)
    times = 1
    for index in range(row[layout.REPEATS]):
        times += row[u(rules[layout.HISTORY] + index)] == value
    row[u(rules[layout.HISTORY] + row[layout.REPEATS])] = value
    row[layout.REPEATS] += 1
    return times >= 3


@kernel
def most_resolutions(rules):
    """Duel: how many resolutions, passes included, a round has at most."""
    if rules[layout.ROUND_END] == layout.AFTER_TEN:
        most = 0
        for player in range(rules[layout.PLAYERS]):
            most += rules[layout.RESOLUTIONS + player]
        return min(rules[layout.MAX_PINGS], most)
    return rules[layout.MAX_PINGS] + 0


@kernel
def resolver(rules, row, done):
    """Duel: whose resolution follows after ``done`` of this round: the players go round in their order, each as often
    as they have resolutions; player 0 when all are used up."""
    left = done
    for turn in range(done + 1):
        for index in range(rules[layout.PLAYERS]):
            player = (row[layout.ORDER] >> (2 * index)) & 3
            if rules[u(layout.RESOLUTIONS + player)] > turn:
                if left == 0:
                    return player
                left -= 1
    return 0


@kernel
def next_resolver(rules, row):
    """Duel: let the next resolve, after PINGS resolutions of this round."""
    if rules[layout.UNEVEN]:
        row[layout.MOVER] = resolver(rules, row, row[layout.PINGS])
    else:
        next_player(rules, row)


@kernel
def order_resolutions(rules, row):
    """Duel: the first steps of a round are over; settle the order of its resolutions, and let the first move."""
    if rules[layout.RESOLVE_ORDER] == layout.FEWEST_NOW:
        order_by_cells(rules, row)
    elif rules[layout.RESOLVE_ORDER] == layout.REVERSED:
        order = 0
        for index in range(rules[layout.PLAYERS]):
            order = order << 2 | ((row[layout.ORDER] >> (2 * index)) & 3)
        set_order(row, order)
    row[layout.MOVER] = row[layout.ORDER] & 3


@kernel
def await_resolution(rules, row, events, count):
    """Duel: MOVER is to resolve. A player who has no active cell passes; end the round where it ends, or where a full
    board ends the game at once."""
    while True:
        done = (
            row[layout.ACTIVES] == 0
            or row[layout.PINGS] >= most_resolutions(rules)
            or row[layout.AGREED] == (1 << rules[layout.PLAYERS]) - 1
        )
        done = done or (rules[layout.FULL_AT_ONCE] != 0 and row[layout.HELD] == 0 and row[layout.PINGS] > 0)
        if done or occurs_again(rules, row):
            end_round(rules, row)
            return count
        if has_cell(rules, row, row[layout.MOVER], 1):
            return count
        row[layout.PINGS] += 1
        if rules[layout.ROUND_END] == layout.BY_AGREEMENT:
            count = agree(rules, row, layout.PASSED, events, count)
        next_resolver(rules, row)


@kernel
def await_step(rules, row, events, count):
    """Duel: go on after a control or an activation, to the next player who can do the same or else the next step."""
    while True:
        next_player(rules, row)
        if row[layout.MOVER] == row[layout.ORDER] & 3:
            row[layout.STEP] = layout.ACTIVATE if row[layout.STEP] == layout.CONTROL else layout.RESOLVE
        if row[layout.STEP] == layout.RESOLVE:
            order_resolutions(rules, row)
            return await_resolution(rules, row, events, count)
        if row[layout.STEP] == layout.CONTROL and row[layout.HELD] > 0:
            return count
        if row[layout.STEP] == layout.ACTIVATE and has_cell(rules, row, row[layout.MOVER], 0):
            return count


@inlined
def take(rules, row, cell, colour, events):
    """Control the free ``cell`` as ``colour``; a player's first cell is their flag where flags are played."""
    player = row[layout.MOVER]
    if rules[layout.FLAGS] and row[layout.HELD + 1 + player] == 0:
        row[u(layout.PLACES + cell)] |= layout.FLAG_BIT
    put(rules, row, cell, colour, player + 1)
    count = note(events, 0, layout.CONTROLLED, cell, player, colour)
    if row[layout.STEP] == layout.HANDICAP:
        if row[layout.HELD + 1 + player] == rules[layout.GIFT]:
            row[layout.MOVER] = 0
            row[layout.STEP] = layout.CONTROL
        return count
    if rules[layout.DUEL]:
        return await_step(rules, row, events, count)
    row[layout.STEP] = layout.FIRST
    return count


@inlined
def apply_ping(rules, row, cell, colour, events):
    """Ping, and all that follows of itself."""
    count = ping(rules, row, cell, colour, events, 0)
    if rules[layout.WHOLE]:
        count = cascade(rules, row, colour, events, count)
    row[layout.AGREED] = 0
    if rules[layout.DUEL] == 0:
        row[layout.STEP] = layout.PROPAGATE
    if row[layout.WINNER]:
        row[layout.STATUS] = layout.FLAG
        return count
    if rules[layout.DUEL]:
        next_resolver(rules, row)
        return await_resolution(rules, row, events, count)
    if row[layout.ACTIVES] > 0:
        if rules[layout.MAX_PINGS] == 0 or row[layout.PINGS] < rules[layout.MAX_PINGS]:
            return count
        count = calm(rules, row, events, count)
    return end_turn(rules, row, events, count)


@inlined
def apply(rules, row, action, events):
    """Play ``action``, which must be legal, in place. Writes what happened to ``events``; returns how many events."""
    if action < rules[layout.CONTROLS]:
        cell = action // 3
        count = apply_ping(rules, row, cell, action - 3 * cell, events)
    elif action < rules[layout.ACTIVATIONS]:
        choice = action - rules[layout.CONTROLS]
        if rules[layout.BLANK]:
            count = take(rules, row, choice // 3, choice % 3, events)
        else:
            count = take(rules, row, choice, row[u(layout.PLACES + choice)] & 3, events)
    elif action < rules[layout.AGREE]:
        cell = action - rules[layout.ACTIVATIONS]
        turn_active(rules, row, cell, 1)
        count = note(events, 0, layout.ACTIVATED, cell, row[layout.MOVER], 0)
        count = await_step(rules, row, events, count)
    else:
        count = agree(rules, row, layout.SAID, events, 0)
        if rules[layout.DUEL]:
            row[layout.PINGS] += 1
            next_resolver(rules, row)
            count = await_resolution(rules, row, events, count)
        elif row[layout.STATUS] == layout.PLAYING:
            count = begin_turn(rules, row, events, count)
    if row[layout.STATUS] != layout.PLAYING:
        count = note(events, count, layout.ENDED, row[layout.STATUS], row[layout.WINNER], 0)
    return count
