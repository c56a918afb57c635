"""Searching a turn of Sparklies by a beam: whole chains, step by step; and solitaires of Speed, searched to the end.

Nothing here restates a rule: choices come from ``kernels.legal``, consequences from ``kernels.apply``, and what an
attack is from ``kernels.succeeds``. A *turn* lasts while `in_turn` holds; a *final* is a row in which it has ended.
``evaluation`` has the memory of a search and says what rows are worth; ``features`` are what networks see.
"""

from tercet.games.sparklies.engine.kernels import evaluation
from tercet.games.sparklies.engine.kernels.evaluation import (
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
from tercet.games.sparklies.kernels import apply, layout
from tercet.games.sparklies.kernels.layout import targets
from tercet.games.sparklies.kernels.moves import legal
from tercet.kernel import kernel, lowest_bit, u

__all__ = ["calmest", "fills", "judged", "may_end", "may_fill", "sweep", "value", "way"]


@kernel
def judged(rules, memory, row, player):
    """Return what a row at the end of a turn is worth to ``player``, by learnt weights where the search is LEARNT."""
    if memory.parameters[evaluation.LEARNT]:
        return learnt_value(rules, row, player, memory)
    return value(rules, row, player)


@kernel
def offer(rules, memory, row, player, before, action):
    """Keep the final that ``action`` reaches (-1: ``before`` itself) if it is among the best. Return its value."""
    parameters = memory.parameters
    salt = parameters[evaluation.SALT]
    score = judged(rules, memory, row, player)
    parameters[evaluation.TOP] = max(parameters[evaluation.TOP], score)
    if parameters[evaluation.KEEP] == 0:
        parameters[evaluation.FOUND] = 1
        parameters[evaluation.KEPT] = 0
        return score
    key = holding(rules, row, salt) if parameters[evaluation.MERGE] else fingerprint(rules, row, salt)
    first = 2 * parameters[evaluation.WIDTH]
    slot = place_for(memory.marks, first, parameters[evaluation.FOUND], parameters[evaluation.KEEP], score, key)
    parameters[evaluation.KEPT] = 0
    if slot < 0:
        return score
    parameters[evaluation.KEPT] = 1
    if slot == first + parameters[evaluation.FOUND]:
        parameters[evaluation.FOUND] += 1
    keep(memory, row, slot, score, key, before, action)
    return score


@kernel
def settle(rules, memory, row, player, line):
    """Play the chain in ``row`` to its end by `calmest` pings, in place, and offer the result."""
    parameters = memory.parameters
    steps = 4 * row[layout.ACTIVES] + 24
    traced = parameters[evaluation.TRACED] + 0
    while steps > 0 and in_turn(row) and parameters[evaluation.TRACED] < parameters[evaluation.ROOM]:
        action = calmest(rules, row)
        line = record(memory, line, action)
        apply(rules, row, action, memory.events)
        parameters[evaluation.TRIED] += 1
        steps -= 1
    parameters[evaluation.KEPT] = 0
    if in_turn(row):
        parameters[evaluation.TOP] = max(parameters[evaluation.TOP], -evaluation.WON)
    else:
        offer(rules, memory, row, player, line, -1)
    if parameters[evaluation.KEPT] == 0:
        parameters[evaluation.TRACED] = traced


@kernel
def is_dull(rules, parameters, row, action, taken):
    """Return whether a first ping is not worth trying after cell ``taken`` (-1: none) was: see QUIET and LOOSE."""
    player = row[layout.MOVER]
    if row[layout.STEP] != layout.FIRST or taken < 0 or action >= rules[layout.CONTROLS]:
        return False
    cell = action // 3
    if parameters[evaluation.LOOSE] == 2:
        return cell != taken
    if row[u(layout.HELD + 1 + player)] <= parameters[evaluation.QUIET]:
        return False
    if cell == taken:
        return False
    place = layout.NEIGHBOURS + (rules[layout.DEGREE] + 1) * cell
    for near in range(place + 1, place + 1 + rules[u(place)]):
        if rules[u(near)] == taken:
            return False
    return targets(rules, row, player, cell, action - 3 * cell) == 0


@kernel
def tell_losses(rules, memory, start, row, before, action):
    """Note in ``lost`` the cells that VICTIM has in ``start`` and no longer in ``row``, after ``action``."""
    lost = memory.lost
    base = rules[layout.HOLD] + memory.parameters[evaluation.VICTIM] * rules[layout.WORDS]
    step = -1
    for index in range(rules[layout.WORDS]):
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
    player = start[layout.MOVER]
    load(memory.rows, slot, row, size)
    line = memory.marks[u(evaluation.MARK * slot + evaluation.LINE)]
    actions = legal(rules, row, memory.actions)
    parameters[evaluation.TRIED] += actions
    for which in range(actions):
        action = memory.actions[u(which)]
        if is_dull(rules, parameters, row, action, taken):
            parameters[evaluation.COMPLETE] = 0
            continue
        load(memory.rows, slot, child, size)
        apply(rules, child, action, memory.events)
        if parameters[evaluation.VICTIM]:
            tell_losses(rules, memory, start, child, line, action)
        if not in_turn(child):
            offer(rules, memory, child, player, line, action)
            continue
        key = fingerprint(rules, child, parameters[evaluation.SALT])
        if met(memory.table, key):
            continue
        score = hope(child, player, key, parameters[evaluation.ENDING])
        target = place_for(memory.marks, there, fresh, width, score, key)
        if target != there + fresh:
            parameters[evaluation.COMPLETE] = 0
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
        at = evaluation.MARK * slot
        marks[u(at + evaluation.LINE)] = record(
            memory, marks[u(at + evaluation.LINE)] + 0, marks[u(at + evaluation.LAST)] + 0
        )
        if (
            best < 0
            or marks[u(evaluation.MARK * slot + evaluation.VALUE)] > marks[u(evaluation.MARK * best + evaluation.VALUE)]
        ):
            best = slot
    return best


@kernel
def chain(rules, start, taken, first, width, patience, memory):
    """Search the rest of the turn from ``start`` by a beam ``width`` wide. Step ``first`` of ``trace`` led there (-1:
    none), with cell ``taken`` (-1: none). Finals go behind the two generations of ``rows``. The search ends early when
    BUDGET is spent or a final reaches CUTOFF. Return the value of the best final."""
    parameters = memory.parameters
    player = start[layout.MOVER]
    if not in_turn(start):
        return offer(rules, memory, start, player, first, -1)
    parameters[evaluation.TOP] = -2 * evaluation.WON
    keep(memory, start, 0, 0, 0, first, -1)
    here = 0
    there = parameters[evaluation.WIDTH] + 0
    count = 1
    most_held = start[u(layout.HELD + 1 + player)]
    stale = 0
    while count > 0:
        if (
            stale > patience
            or parameters[evaluation.TRIED] >= parameters[evaluation.BUDGET]
            or parameters[evaluation.TRACED] >= parameters[evaluation.ROOM]
        ):
            parameters[evaluation.COMPLETE] = 0
            break
        fresh = 0
        for slot in range(here, here + count):
            fresh = expand(rules, start, taken, width, memory, slot, there, fresh)
        best = record_generation(memory, there, fresh)
        stale += 1
        if best >= 0:
            load(memory.rows, best, memory.child, len(memory.child))
            held = memory.child[u(layout.HELD + 1 + player)]
            if held > most_held:
                most_held = held
                stale = 0
            settle(rules, memory, memory.child, player, memory.marks[u(evaluation.MARK * best + evaluation.LINE)])
        if parameters[evaluation.TOP] >= parameters[evaluation.CUTOFF]:
            parameters[evaluation.COMPLETE] = 0
            break
        swap = here
        here = there
        there = swap
        count = fresh
    return parameters[evaluation.TOP]


@kernel
def try_first(rules, start, action, width, patience, memory):
    """Search the turns from ``start`` that begin with ``action``; returns the value of the best final."""
    stem = memory.stem
    for i in range(len(stem)):
        stem[u(i)] = start[u(i)]
    apply(rules, stem, action, memory.events)
    memory.parameters[evaluation.TRIED] += 1
    taken = -1
    if action >= rules[layout.CONTROLS]:
        taken = taken_cell(rules, action)
    return chain(rules, stem, taken, record(memory, -1, action), width, patience, memory)


@kernel
def sweep(rules, start, memory):
    """Search a whole turn from ``start``, or the rest of one. Every first action is searched by a beam NARROW wide, the
    most promising first, then the AGAIN best of them by one WIDTH wide. Return the value of the best final."""
    parameters = memory.parameters
    firsts = memory.firsts
    gains = memory.gains
    parameters[evaluation.FOUND] = 0
    parameters[evaluation.TRACED] = 0
    parameters[evaluation.TRIED] = 0
    parameters[evaluation.COMPLETE] = 1
    if in_turn(start):
        return chain(rules, start, -1, -1, parameters[evaluation.WIDTH], parameters[evaluation.PATIENCE], memory)
    count = legal(rules, start, firsts)
    promises(rules, start, firsts, count, parameters[evaluation.NEED], memory.scratch, gains)
    sort_down(firsts, gains, count)
    top = -2 * evaluation.WON
    loose = parameters[evaluation.LOOSE]
    for which in range(count + parameters[evaluation.AGAIN]):
        place = which
        width = parameters[evaluation.NARROW]
        patience = 2 + (parameters[evaluation.PATIENCE] >> 1)
        if which == count:
            sort_down(firsts, gains, count)
            parameters[evaluation.SALT] = (parameters[evaluation.SALT] * 5 + 1) & evaluation.HASH
        if which >= count:
            place = which - count
            width = parameters[evaluation.WIDTH]
            patience = parameters[evaluation.PATIENCE]
            if place >= count or parameters[evaluation.COMPLETE] == 1:
                break
        if top >= parameters[evaluation.CUTOFF] or parameters[evaluation.TRIED] >= parameters[evaluation.BUDGET]:
            parameters[evaluation.COMPLETE] = 0
            break
        if loose:
            parameters[evaluation.LOOSE] = 1 if which == 0 or which >= count else 2
        best = try_first(rules, start, firsts[u(place)], width, patience, memory)
        gains[u(place)] = best
        top = max(top, best)
    parameters[evaluation.LOOSE] = loose
    return top


@kernel
def may_fill(rules, row, turns):
    """Return whether a solitaire of Speed might be over in so many ``turns``, without a search. Each turn takes one
    cell, and captures free cells of one colour only, which keep their colours as long as they are free."""
    red = 0
    green = 0
    blue = 0
    for index in range(rules[layout.WORDS]):
        word = row[u(rules[layout.HOLD] + index)]
        while word:
            colour = row[u(layout.PLACES + 32 * index + lowest_bit(word))] & 3
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
    return row[layout.HELD] - falls <= turns


@kernel
def list_level(rules, row, level, outs, width, out):
    """List the legal actions of ``row`` in list ``level`` of ``outs``, and how many they are in its last entry."""
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
        if parameters[evaluation.TRIED] >= parameters[evaluation.BUDGET]:
            return -1
        parameters[evaluation.TRIED] += 1
        outs[u(at + width - 1)] = left - 1
        action = outs[u(at + left - 1)]
        line[u(level)] = action
        load(rows, level, row, size)
        apply(rules, row, action, events)
        if row[layout.STATUS] != layout.PLAYING:
            return level + 1
        if not in_turn(row):
            to_go = turns - ((level + 1) >> 1)
            if to_go == 0 or not may_fill(rules, row, to_go):
                continue
            if met(table, fingerprint(rules, row, parameters[evaluation.SALT] + to_go * 2654435761)):
                continue
        level += 1
        store(rows, level, row, size)
        list_level(rules, row, level, outs, width, out)
    return 0
