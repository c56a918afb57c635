"""Searching a turn of Sparklies by a beam: whole chains, step by step; and solitaires of Speed, searched to the end.

Nothing here restates a rule: choices come from ``kernels.legal``, consequences from ``kernels.apply``, and what an
attack is from ``kernels.succeeds``. A *turn* lasts while `in_turn` holds; a *final* is a row in which it has ended.
``evaluation`` has the memory of a search and says what rows are worth; ``features`` are what networks see.
"""

from __future__ import annotations

from tercet.games.sparklies.engine.kernels.evaluation import (
    AGAIN,
    BUDGET,
    COMPLETE,
    CUTOFF,
    ENDING,
    FOUND,
    HASH,
    KEEP,
    KEPT,
    LAST,
    LEARNT,
    LINE,
    LOOSE,
    MARK,
    MERGE,
    NARROW,
    NEED,
    PATIENCE,
    QUIET,
    ROOM,
    SALT,
    TOP,
    TRACED,
    TRIED,
    VALUE,
    VICTIM,
    WIDTH,
    WON,
    calmest,
    fingerprint,
    holding,
    hope,
    in_turn,
    keep,
    learnt_value,
    load,
    may_end,
    met,
    place_for,
    promises,
    record,
    sort_down,
    store,
    taken_cell,
    value,
    way,
)
from tercet.games.sparklies.kernels import apply
from tercet.games.sparklies.kernels.layout import (
    ACTIVES,
    CONTROLS,
    DEGREE,
    FIRST,
    HELD,
    HOLD,
    MOVER,
    NEIGHBOURS,
    PLACES,
    PLAYING,
    STATUS,
    STEP,
    WORDS,
    targets,
)
from tercet.games.sparklies.kernels.moves import legal
from tercet.kernel import kernel, lowest_bit, u

__all__ = ["calmest", "fills", "judged", "may_end", "may_fill", "sweep", "value", "way"]


@kernel
def judged(rules, memory, row, player):
    """Return what a row at the end of a turn is worth to ``player``, by learnt weights where the search is LEARNT."""
    if memory.parameters[LEARNT]:
        return learnt_value(rules, row, player, memory)
    return value(rules, row, player)


@kernel
def offer(rules, memory, row, player, before, action):
    """Keep the final that ``action`` reaches (-1: ``before`` itself) if it is among the best. Return its value."""
    parameters = memory.parameters
    salt = parameters[SALT]
    score = judged(rules, memory, row, player)
    parameters[TOP] = max(parameters[TOP], score)
    if parameters[KEEP] == 0:
        parameters[FOUND] = 1
        parameters[KEPT] = 0
        return score
    key = holding(rules, row, salt) if parameters[MERGE] else fingerprint(rules, row, salt)
    first = 2 * parameters[WIDTH]
    slot = place_for(memory.marks, first, parameters[FOUND], parameters[KEEP], score, key)
    parameters[KEPT] = 0
    if slot < 0:
        return score
    parameters[KEPT] = 1
    if slot == first + parameters[FOUND]:
        parameters[FOUND] += 1
    keep(memory, row, slot, score, key, before, action)
    return score


@kernel
def settle(rules, memory, row, player, line):
    """Play the chain in ``row`` to its end by `calmest` pings, in place, and offer the result."""
    parameters = memory.parameters
    steps = 4 * row[ACTIVES] + 24
    traced = parameters[TRACED] + 0
    while steps > 0 and in_turn(row) and parameters[TRACED] < parameters[ROOM]:
        action = calmest(rules, row)
        line = record(memory, line, action)
        apply(rules, row, action, memory.events)
        parameters[TRIED] += 1
        steps -= 1
    parameters[KEPT] = 0
    if in_turn(row):
        parameters[TOP] = max(parameters[TOP], -WON)
    else:
        offer(rules, memory, row, player, line, -1)
    if parameters[KEPT] == 0:
        parameters[TRACED] = traced


@kernel
def is_dull(rules, parameters, row, action, taken):
    """Return whether a first ping is not worth trying after cell ``taken`` (-1: none) was: see QUIET and LOOSE."""
    player = row[MOVER]
    if row[STEP] != FIRST or taken < 0 or action >= rules[CONTROLS]:
        return False
    cell = action // 3
    if parameters[LOOSE] == 2:
        return cell != taken
    if row[u(HELD + 1 + player)] <= parameters[QUIET]:
        return False
    if cell == taken:
        return False
    place = NEIGHBOURS + (rules[DEGREE] + 1) * cell
    for near in range(place + 1, place + 1 + rules[u(place)]):
        if rules[u(near)] == taken:
            return False
    return targets(rules, row, player, cell, action - 3 * cell) == 0


@kernel
def tell_losses(rules, memory, start, row, before, action):
    """Note in ``lost`` the cells that VICTIM has in ``start`` and no longer in ``row``, after ``action``."""
    lost = memory.lost
    base = rules[HOLD] + memory.parameters[VICTIM] * rules[WORDS]
    step = -1
    for index in range(rules[WORDS]):
        word = start[u(base + index)] & ~row[u(base + index)]
        while word:
            cell = 32 * index + lowest_bit(word)
            word &= word - 1
            if lost[u(cell)] == 0:
                if step < 0:
                    step = record(memory, before, action)
                lost[u(cell)] = step + 1


@kernel
def expand(rules, start, taken, width, memory, slot, there, fresh):
    """Try all actions of the row in ``slot``. Those that end the turn are offered. The best of the others join the
    generation from slot ``there`` on, which has ``fresh`` rows so far. Return how many it has then."""
    parameters = memory.parameters
    row = memory.row
    child = memory.child
    size = len(row)
    player = start[MOVER]
    load(memory.rows, slot, row, size)
    line = memory.marks[u(MARK * slot + LINE)]
    actions = legal(rules, row, memory.actions)
    parameters[TRIED] += actions
    for which in range(actions):
        action = memory.actions[u(which)]
        if is_dull(rules, parameters, row, action, taken):
            parameters[COMPLETE] = 0
            continue
        load(memory.rows, slot, child, size)
        apply(rules, child, action, memory.events)
        if parameters[VICTIM]:
            tell_losses(rules, memory, start, child, line, action)
        if not in_turn(child):
            offer(rules, memory, child, player, line, action)
            continue
        key = fingerprint(rules, child, parameters[SALT])
        if met(memory.table, key):
            continue
        score = hope(child, player, key, parameters[ENDING])
        target = place_for(memory.marks, there, fresh, width, score, key)
        if target != there + fresh:
            parameters[COMPLETE] = 0
        if target >= 0:
            fresh = max(fresh, target - there + 1)
            keep(memory, child, target, score, key, line, action)
    return fresh


@kernel
def record_generation(memory, there, fresh):
    """Write the steps that lead to the ``fresh`` rows of a new generation; returns the slot of the best, or -1."""
    marks = memory.marks
    best = -1
    for slot in range(there, there + fresh):
        at = MARK * slot
        marks[u(at + LINE)] = record(memory, marks[u(at + LINE)] + 0, marks[u(at + LAST)] + 0)
        if best < 0 or marks[u(MARK * slot + VALUE)] > marks[u(MARK * best + VALUE)]:
            best = slot
    return best


@kernel
def chain(rules, start, taken, first, width, patience, memory):
    """Search the rest of the turn from ``start`` by a beam ``width`` wide. Step ``first`` of ``trace`` led there (-1:
    none), with cell ``taken`` (-1: none). Finals go behind the two generations of ``rows``. The search ends early when
    BUDGET is spent or a final reaches CUTOFF. Return the value of the best final."""
    parameters = memory.parameters
    player = start[MOVER]
    if not in_turn(start):
        return offer(rules, memory, start, player, first, -1)
    parameters[TOP] = -2 * WON
    keep(memory, start, 0, 0, 0, first, -1)
    here = 0
    there = parameters[WIDTH] + 0
    count = 1
    most_held = start[u(HELD + 1 + player)]
    stale = 0
    while count > 0:
        if stale > patience or parameters[TRIED] >= parameters[BUDGET] or parameters[TRACED] >= parameters[ROOM]:
            parameters[COMPLETE] = 0
            break
        fresh = 0
        for slot in range(here, here + count):
            fresh = expand(rules, start, taken, width, memory, slot, there, fresh)
        best = record_generation(memory, there, fresh)
        stale += 1
        if best >= 0:
            load(memory.rows, best, memory.child, len(memory.child))
            held = memory.child[u(HELD + 1 + player)]
            if held > most_held:
                most_held = held
                stale = 0
            settle(rules, memory, memory.child, player, memory.marks[u(MARK * best + LINE)])
        if parameters[TOP] >= parameters[CUTOFF]:
            parameters[COMPLETE] = 0
            break
        swap = here
        here = there
        there = swap
        count = fresh
    return parameters[TOP]


@kernel
def try_first(rules, start, action, width, patience, memory):
    """Search the turns from ``start`` that begin with ``action``; returns the value of the best final."""
    stem = memory.stem
    for i in range(len(stem)):
        stem[u(i)] = start[u(i)]
    apply(rules, stem, action, memory.events)
    memory.parameters[TRIED] += 1
    taken = -1
    if action >= rules[CONTROLS]:
        taken = taken_cell(rules, action)
    return chain(rules, stem, taken, record(memory, -1, action), width, patience, memory)


@kernel
def sweep(rules, start, memory):
    """Search a whole turn from ``start``, or the rest of one. Every first action is searched by a beam NARROW wide, the
    most promising first, then the AGAIN best of them by one WIDTH wide. Return the value of the best final."""
    parameters = memory.parameters
    firsts = memory.firsts
    gains = memory.gains
    parameters[FOUND] = 0
    parameters[TRACED] = 0
    parameters[TRIED] = 0
    parameters[COMPLETE] = 1
    if in_turn(start):
        return chain(rules, start, -1, -1, parameters[WIDTH], parameters[PATIENCE], memory)
    count = legal(rules, start, firsts)
    promises(rules, start, firsts, count, parameters[NEED], memory.scratch, gains)
    sort_down(firsts, gains, count)
    top = -2 * WON
    loose = parameters[LOOSE]
    for which in range(count + parameters[AGAIN]):
        place = which
        width = parameters[NARROW]
        patience = 2 + (parameters[PATIENCE] >> 1)
        if which == count:
            sort_down(firsts, gains, count)
            parameters[SALT] = (parameters[SALT] * 5 + 1) & HASH
        if which >= count:
            place = which - count
            width = parameters[WIDTH]
            patience = parameters[PATIENCE]
            if place >= count or parameters[COMPLETE] == 1:
                break
        if top >= parameters[CUTOFF] or parameters[TRIED] >= parameters[BUDGET]:
            parameters[COMPLETE] = 0
            break
        if loose:
            parameters[LOOSE] = 1 if which == 0 or which >= count else 2
        best = try_first(rules, start, firsts[u(place)], width, patience, memory)
        gains[u(place)] = best
        top = max(top, best)
    parameters[LOOSE] = loose
    return top


@kernel
def may_fill(rules, row, turns):
    """Return whether a solitaire of Speed might be over in so many ``turns``, without a search. Each turn takes one
    cell, and captures free cells of one colour only, which keep their colours as long as they are free."""
    red = 0
    green = 0
    blue = 0
    for index in range(rules[WORDS]):
        word = row[u(rules[HOLD] + index)]
        while word:
            colour = row[u(PLACES + 32 * index + lowest_bit(word))] & 3
            word &= word - 1
            red += colour == 0
            green += colour == 1
            blue += colour == 2
    least = min(red, min(green, blue))
    most = max(red, max(green, blue))
    falls = 0
    if turns == 1:
        falls = most
    elif turns == 2:
        falls = red + green + blue - least
    elif turns > 2:
        falls = red + green + blue
    return row[HELD] - falls <= turns


@kernel
def list_level(rules, row, level, outs, width, out):
    """List the legal actions of ``row`` in list number ``level`` of ``outs``, and how many they are in its last
    entry."""
    count = legal(rules, row, out)
    for which in range(count):
        outs[u(level * width + which)] = out[u(which)]
    outs[u(level * width + width - 1)] = count


@kernel
def fills(rules, start, size, turns, parameters, rows, outs, width, line, table, row, out, events):
    """Return how many actions it takes to end a solitaire of Speed within so many ``turns`` from ``start``, the
    beginning of a turn; 0 if it cannot end; -1 if TRIED reached BUDGET before that was known. ``line`` then holds these
    actions.

    ``rows`` has room for 2 * ``turns`` rows, ``outs`` for as many lists of ``width``. ``table`` remembers the rows
    entered with as many turns to go.
    """
    if not may_fill(rules, start, turns):
        return 0
    level = 0
    store(rows, 0, start, size)
    list_level(rules, start, 0, outs, width, out)
    while level >= 0:
        at = level * width
        left = outs[u(at + width - 1)]
        if left == 0:
            level -= 1
            continue
        if parameters[TRIED] >= parameters[BUDGET]:
            return -1
        parameters[TRIED] += 1
        outs[u(at + width - 1)] = left - 1
        action = outs[u(at + left - 1)]
        line[u(level)] = action
        load(rows, level, row, size)
        apply(rules, row, action, events)
        if row[STATUS] != PLAYING:
            return level + 1
        if not in_turn(row):
            to_go = turns - ((level + 1) >> 1)
            if to_go == 0 or not may_fill(rules, row, to_go):
                continue
            if met(table, fingerprint(rules, row, parameters[SALT] + to_go * 2654435761)):
                continue
        level += 1
        store(rows, level, row, size)
        list_level(rules, row, level, outs, width, out)
    return 0
