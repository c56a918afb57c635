"""Sparklies' rules over a row of integers: turns, rounds, agreement, the duel, and the end of the game.

``layout`` says how a row is laid out, and pings and captures in it; ``moves`` lists actions. The rules are in
docs/games/sparklies.md; words here are the designers'. ``__all__`` has the names of the contract
(``tercet.core.definition.Kernels``) and what the game's Python modules ask of its kernels.
"""

from __future__ import annotations

from tercet.games.sparklies.kernels.layout import (
    ACTIVATE,
    ACTIVATED,
    ACTIVATIONS,
    ACTIVE,
    ACTIVES,
    AFTER_TEN,
    AGREE,
    AGREED,
    AGREEMENT,
    ALTERNATING,
    BLANK,
    BY_AGREEMENT,
    BY_SEAT,
    CELL_MASK,
    CELLS,
    CONTROL,
    CONTROLLED,
    CONTROLS,
    DUEL,
    ENDED,
    FEWEST_FIRST,
    FEWEST_NOW,
    FIRST,
    FIRST_SHIFT,
    FLAG,
    FLAG_BIT,
    FLAGS,
    FULL,
    FULL_AT_ONCE,
    GIFT,
    HANDICAP,
    HELD,
    HISTORY,
    HOLD,
    MAX_PINGS,
    MOVER,
    OPEN,
    ORDER,
    PASSED,
    PER_CELL,
    PING_MASK,
    PINGS,
    PLACES,
    PLAYERS,
    PLAYING,
    PROPAGATE,
    REPEATS,
    RESOLUTIONS,
    RESOLVE,
    RESOLVE_ORDER,
    REVERSED,
    ROUND_END,
    ROUND_ORDER,
    SAID,
    STATUS,
    STEP,
    TO_AGREE,
    UNEVEN,
    WHOLE,
    WINNER,
    WORDS,
    attacked,
    calm,
    cascade,
    colour_at,
    holder_at,
    is_active,
    is_flag,
    most_held,
    mover,
    neighbour,
    note,
    ping,
    put,
    refresh,
    scores,
    setup,
    status,
    targets,
    turn_active,
)
from tercet.games.sparklies.kernels.moves import allows, forced_colour, legal, may_ping, observe, open_sampler, sample
from tercet.kernel import inlined, kernel, u

__all__ = [
    "allows",
    "apply",
    "attacked",
    "colour_at",
    "forced_colour",
    "forget",
    "holder_at",
    "is_active",
    "is_flag",
    "legal",
    "may_ping",
    "most_resolutions",
    "mover",
    "neighbour",
    "observe",
    "occurs_again",
    "open_sampler",
    "refresh",
    "resolver",
    "sample",
    "scores",
    "setup",
    "status",
    "targets",
]


HASH_MASK = (1 << 62) - 1


@inlined
def set_order(row, order):
    """Let the players go in this order from now on; who began the round stays known."""
    row[ORDER] = row[ORDER] >> FIRST_SHIFT << FIRST_SHIFT | order


@kernel
def order_by_cells(rules, row):
    """Order the players by cells held, fewest first, equal ones by seat."""
    order = 0
    for player in range(rules[PLAYERS]):
        place = 0
        for other in range(rules[PLAYERS]):
            less = row[HELD + 1 + other] < row[HELD + 1 + player]
            place += less or (other < player and row[HELD + 1 + other] == row[HELD + 1 + player])
        order |= player << (2 * place)
    set_order(row, order)


@kernel
def order_from(rules, row, first):
    """Order the players by seat, from ``first`` on, who begins the round."""
    order = first << FIRST_SHIFT
    for index in range(rules[PLAYERS]):
        order |= (first + index) % rules[PLAYERS] << (2 * index)
    row[ORDER] = order


@kernel
def order_round(rules, row):
    """Order the players for the round that begins."""
    if rules[ROUND_ORDER] == FEWEST_FIRST:
        order_by_cells(rules, row)
    elif rules[ROUND_ORDER] == ALTERNATING:
        order_from(rules, row, ((row[ORDER] >> FIRST_SHIFT) + 1) % rules[PLAYERS])
    else:
        order_from(rules, row, 0)


@inlined
def next_player(rules, row):
    """Let the next of the round move; after the last a new round begins (in a duel, the same goes on)."""
    place = 0
    while (row[ORDER] >> (2 * place)) & 3 != row[MOVER]:
        place += 1
    place += 1
    if place == rules[PLAYERS]:
        place = 0
        if rules[ROUND_ORDER] != BY_SEAT and rules[DUEL] == 0:
            order_round(rules, row)
    row[MOVER] = (row[ORDER] >> (2 * place)) & 3


@kernel
def agree(rules, row, kind, events, count):
    """Count the mover among those who agree; the game (in a duel the round) ends when all do."""
    row[AGREED] |= 1 << row[MOVER]
    count = note(events, count, kind, row[MOVER], 0, 0)
    if rules[DUEL] == 0 and row[AGREED] == (1 << rules[PLAYERS]) - 1:
        row[STATUS] = AGREEMENT
    return count


@inlined
def begin_turn(rules, row, events, count):
    """Hand the turn on. A player who can neither take nor ping is passed over, which counts as agreement; if one player
    holds the whole board, no one is left to disagree."""
    next_player(rules, row)
    row[STEP] = CONTROL
    if row[HELD] > 0:
        return count
    if rules[TO_AGREE] == 0:
        row[STATUS] = FULL
        return count
    row[STEP] = OPEN
    if most_held(rules, row) == rules[CELLS]:
        row[STATUS] = AGREEMENT
        return count
    while row[HELD + 1 + row[MOVER]] == 0:
        count = agree(rules, row, PASSED, events, count)
        if row[STATUS] != PLAYING:
            return count
        next_player(rules, row)
    return count


@inlined
def end_turn(rules, row, events, count):
    """Forget what belongs to the turn, and hand it on."""
    row[PINGS] = 0
    if rules[PER_CELL]:
        for index in range(PLACES, PLACES + rules[CELLS]):
            row[u(index)] &= ~PING_MASK
    return begin_turn(rules, row, events, count)


@kernel
def has_cell(rules, row, player, active):
    """Whether ``player`` holds a cell that is active (1) or inactive (0)."""
    for index in range(rules[WORDS]):
        word = row[u(rules[HOLD] + (player + 1) * rules[WORDS] + index)]
        if active:
            word &= row[u(rules[ACTIVE] + index)]
        else:
            word &= ~row[u(rules[ACTIVE] + index)]
        if word:
            return True
    return False


@kernel
def forget(rules, row):
    """Clear the history of a duel's round, which is part of the state but not of the position string."""
    for index in range(row[REPEATS]):
        row[u(rules[HISTORY] + index)] = 0
    row[REPEATS] = 0


@kernel
def end_round(rules, row):
    """Duel: a round is over; the game is too when the board is full, else the first of the next round controls."""
    forget(rules, row)
    order_round(rules, row)
    row[MOVER] = row[ORDER] & 3
    row[STEP] = CONTROL
    row[PINGS] = 0
    row[AGREED] = 0
    if row[HELD] == 0:
        row[STATUS] = FULL


@kernel
def occurs_again(rules, row):
    """Duel: enter the position before a resolution, with its mover, in the history; whether it is the third time."""
    value = row[MOVER] + 1
    for place in range(PLACES, PLACES + rules[CELLS]):
        value = (value * 3202034522624059733 + (row[u(place)] & CELL_MASK) + 1) & HASH_MASK
        value = value ^ (value >> 29)
    times = 1
    for index in range(row[REPEATS]):
        times += row[u(rules[HISTORY] + index)] == value
    row[u(rules[HISTORY] + row[REPEATS])] = value
    row[REPEATS] += 1
    return times >= 3


@kernel
def most_resolutions(rules):
    """Duel: how many resolutions, passes included, a round has at most."""
    if rules[ROUND_END] == AFTER_TEN:
        most = 0
        for player in range(rules[PLAYERS]):
            most += rules[RESOLUTIONS + player]
        return min(rules[MAX_PINGS], most)
    return rules[MAX_PINGS] + 0


@kernel
def resolver(rules, row, done):
    """Duel: whose resolution follows after ``done`` of this round: the players go round in their order, each as often
    as they have resolutions; player 0 when all are used up."""
    left = done
    for turn in range(done + 1):
        for index in range(rules[PLAYERS]):
            player = (row[ORDER] >> (2 * index)) & 3
            if rules[u(RESOLUTIONS + player)] > turn:
                if left == 0:
                    return player
                left -= 1
    return 0


@kernel
def next_resolver(rules, row):
    """Duel: let the next resolve, after PINGS resolutions of this round."""
    if rules[UNEVEN]:
        row[MOVER] = resolver(rules, row, row[PINGS])
    else:
        next_player(rules, row)


@kernel
def order_resolutions(rules, row):
    """Duel: the first steps of a round are over; settle the order of its resolutions, and let the first move."""
    if rules[RESOLVE_ORDER] == FEWEST_NOW:
        order_by_cells(rules, row)
    elif rules[RESOLVE_ORDER] == REVERSED:
        order = 0
        for index in range(rules[PLAYERS]):
            order = order << 2 | ((row[ORDER] >> (2 * index)) & 3)
        set_order(row, order)
    row[MOVER] = row[ORDER] & 3


@kernel
def await_resolution(rules, row, events, count):
    """Duel: MOVER is to resolve. A player who has no active cell passes; end the round where it ends, or where a full
    board ends the game at once."""
    while True:
        done = row[ACTIVES] == 0 or row[PINGS] >= most_resolutions(rules) or row[AGREED] == (1 << rules[PLAYERS]) - 1
        done = done or (rules[FULL_AT_ONCE] != 0 and row[HELD] == 0 and row[PINGS] > 0)
        if done or occurs_again(rules, row):
            end_round(rules, row)
            return count
        if has_cell(rules, row, row[MOVER], 1):
            return count
        row[PINGS] += 1
        if rules[ROUND_END] == BY_AGREEMENT:
            count = agree(rules, row, PASSED, events, count)
        next_resolver(rules, row)


@kernel
def await_step(rules, row, events, count):
    """Duel: go on after a control or an activation, to the next player who can do the same or else the next step."""
    while True:
        next_player(rules, row)
        if row[MOVER] == row[ORDER] & 3:
            row[STEP] = ACTIVATE if row[STEP] == CONTROL else RESOLVE
        if row[STEP] == RESOLVE:
            order_resolutions(rules, row)
            return await_resolution(rules, row, events, count)
        if row[STEP] == CONTROL and row[HELD] > 0:
            return count
        if row[STEP] == ACTIVATE and has_cell(rules, row, row[MOVER], 0):
            return count


@inlined
def take(rules, row, cell, colour, events):
    """Control the free ``cell`` as ``colour``; a player's first cell is their flag where flags are played."""
    player = row[MOVER]
    if rules[FLAGS] and row[HELD + 1 + player] == 0:
        row[u(PLACES + cell)] |= FLAG_BIT
    put(rules, row, cell, colour, player + 1)
    count = note(events, 0, CONTROLLED, cell, player, colour)
    if row[STEP] == HANDICAP:
        if row[HELD + 1 + player] == rules[GIFT]:
            row[MOVER] = 0
            row[STEP] = CONTROL
        return count
    if rules[DUEL]:
        return await_step(rules, row, events, count)
    row[STEP] = FIRST
    return count


@inlined
def apply_ping(rules, row, cell, colour, events):
    """Ping, and all that follows of itself."""
    count = ping(rules, row, cell, colour, events, 0)
    if rules[WHOLE]:
        count = cascade(rules, row, colour, events, count)
    row[AGREED] = 0
    if rules[DUEL] == 0:
        row[STEP] = PROPAGATE
    if row[WINNER]:
        row[STATUS] = FLAG
        return count
    if rules[DUEL]:
        next_resolver(rules, row)
        return await_resolution(rules, row, events, count)
    if row[ACTIVES] > 0:
        if rules[MAX_PINGS] == 0 or row[PINGS] < rules[MAX_PINGS]:
            return count
        count = calm(rules, row, events, count)
    return end_turn(rules, row, events, count)


@inlined
def apply(rules, row, action, events):
    """Play ``action``, which must be legal, in place. Writes what happened to ``events``; returns how many events."""
    if action < rules[CONTROLS]:
        cell = action // 3
        count = apply_ping(rules, row, cell, action - 3 * cell, events)
    elif action < rules[ACTIVATIONS]:
        choice = action - rules[CONTROLS]
        if rules[BLANK]:
            count = take(rules, row, choice // 3, choice % 3, events)
        else:
            count = take(rules, row, choice, row[u(PLACES + choice)] & 3, events)
    elif action < rules[AGREE]:
        cell = action - rules[ACTIVATIONS]
        turn_active(rules, row, cell, 1)
        count = note(events, 0, ACTIVATED, cell, row[MOVER], 0)
        count = await_step(rules, row, events, count)
    else:
        count = agree(rules, row, SAID, events, 0)
        if rules[DUEL]:
            row[PINGS] += 1
            next_resolver(rules, row)
            count = await_resolution(rules, row, events, count)
        elif row[STATUS] == PLAYING:
            count = begin_turn(rules, row, events, count)
    if row[STATUS] != PLAYING:
        count = note(events, count, ENDED, row[STATUS], row[WINNER], 0)
    return count
